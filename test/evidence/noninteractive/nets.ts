import type { Random } from 'ldpkit';
import { estimateFrequencies, hadamardResponse, randomizeHadamard, uniform } from 'ldpkit/mechanism';
import type { MarginLoss } from 'ldpkit/optimize';
import { lattice } from './bernstein.ts';
import { estimateValues, questionsAt } from './values.ts';

const { abs, cos, floor, hypot, max, PI, sin, sqrt } = Math;

/**
 * Smith, Thakurta, Upadhyay 2017, Claim 4: a net of the ball, each player one bit about the own loss at one of its points, and
 * the point of the least estimate. The net is the lattice of step R/parts. For any bounded loss that falls or rises.
 *
 * Guarantee: pure ε, as `oneAnswer` says.
 */
export function netModel(
  { radius, parts }: { readonly radius: number; readonly parts: number },
  loss: MarginLoss,
  epsilon: number,
  people: Float64Array,
  dimension: number,
  random: Random,
): Float64Array {
  const models = netPoints(dimension, radius, parts);
  const values = estimateValues(questionsAt(loss, models, epsilon), 'one-bit', people, random);
  return models[values.indexOf(Math.min(...values))];
}

/** The points of the lattice of step R/parts in the ball of radius R. */
export function netPoints(dimension: number, radius: number, parts: number): readonly Float64Array[] {
  return lattice(dimension, 2 * parts + 1)
    .map((at) => Float64Array.from(at, (i) => radius * (i / parts - 1)))
    .filter((w) => hypot(...w) <= radius * (1 + 1e-12));
}

/** Lines through the origin, on each of which a convex loss is minimised from noisy slopes. */
export interface Lines {
  readonly loss: MarginLoss;
  readonly radius: number;
  readonly epsilon: number;
  readonly directions: readonly Float64Array[];
  /** D ≥ 2: the slope is estimated at 2^D − 1 places of the line, from −R to R. */
  readonly levels: number;
}

/** Directions that cover half of the sphere evenly, p = 1, 2 or 3: one, equal angles, or a spiral. */
export function directionsOf(dimension: 1 | 2 | 3, count: number): readonly Float64Array[] {
  return Array.from({ length: dimension === 1 ? 1 : count }, (_, i) => {
    if (dimension === 1) return Float64Array.of(1);
    if (dimension === 2) return Float64Array.of(cos((PI * i) / count), sin((PI * i) / count));
    const height = (i + 0.5) / count;
    const [across, angle] = [sqrt(1 - height * height), i * PI * (3 - sqrt(5))];
    return Float64Array.of(across * cos(angle), across * sin(angle), height);
  });
}

/** L: no slope along a line is larger. f′ grows, so that its largest values are at the ends. */
function slopeBound({ loss, radius }: Lines): number {
  return max(abs(loss.derivative(-radius)), abs(loss.derivative(radius)));
}

/** Where slope b of a line is taken: r_b = −R + 2R·b/(2^D − 2), b = 0 … 2^D − 2. */
export function placeOf({ radius, levels }: Pick<Lines, 'radius' | 'levels'>, b: number): number {
  return radius * (b / (2 ** (levels - 1) - 1) - 1);
}

/**
 * P(s ≤ r_b), b = 0 … 2^D − 2, where s is the place at which g′, g(r) = f(r⟨u, v⟩), passes a uniform level of [−L, L]:
 * (g′(r_b) + L)/2L; and 1 for b = 2^D − 1, beyond the end. A convex function of one variable is a mixture of absolute values, and s
 * is drawn from that mixture.
 *
 * Source: Wang, Smith, Xu 2020, lemma 13, which they say Smith et al. 2017 gave first.
 */
export function placeLaw(lines: Lines, direction: number, v: ArrayLike<number>): (b: number) => number {
  const { loss, directions, levels } = lines;
  const bound = slopeBound(lines);
  const along = directions[direction].reduce((sum, entry, j) => sum + entry * v[j], 0);
  return (b) => {
    if (b === 2 ** levels - 1) return 1;
    return (along * loss.derivative(placeOf(lines, b) * along) + bound) / (2 * bound);
  };
}

/**
 * What a player reports: the node at the given level of a binary tree over the places in which s lies, by Hadamard response.
 *
 * Guarantee: pure ε. The law of a report is a mixture over s of laws whose ratio is at most e^ε; line and level are public.
 */
export function placeReport(
  lines: Lines,
  channel: ReturnType<typeof hadamardResponse>,
  { direction, level }: { readonly direction: number; readonly level: number },
  v: ArrayLike<number>,
  random: Random,
): number {
  const law = placeLaw(lines, direction, v);
  const u = uniform(random);
  // The first node that ends at or after s.
  const size = 2 ** (lines.levels - level);
  let [low, high] = [0, 2 ** level - 1];
  while (low < high) {
    const node = floor((low + high) / 2);
    if (u < law((node + 1) * size - 1)) high = node;
    else low = node + 1;
  }
  return randomizeHadamard(channel, low, random);
}

/**
 * Unbiased estimates of the mean slopes at the places of every line, from one report of each player: player i has line i mod m
 * and the next level each time that all lines have had one.
 */
export function estimateSlopes(lines: Lines, people: Float64Array, random: Random): readonly Float64Array[] {
  const { directions, levels, epsilon } = lines;
  const p = directions[0].length;
  const channels = Array.from({ length: levels }, (_, l) => hadamardResponse({ epsilon, categories: 2 ** (l + 1) }));
  const tallies = directions.map(() =>
    channels.map(({ outputs }) => ({ reports: 0, counts: new Float64Array(outputs) })),
  );
  for (let i = 0; i * p < people.length; i++) {
    const direction = i % directions.length;
    const l = floor(i / directions.length) % levels;
    const tally = tallies[direction][l];
    const v = people.subarray(i * p, (i + 1) * p);
    tally.counts[placeReport(lines, channels[l], { direction, level: l + 1 }, v, random)]++;
    tally.reports++;
  }
  const bound = slopeBound(lines);
  return tallies.map((own) => {
    const shares = own.map((tally, l) => estimateFrequencies(channels[l], tally));
    return Float64Array.from({ length: 2 ** levels - 1 }, (_, b) => bound * (2 * below(shares, b + 1) - 1));
  });
}

/** P(place < count) from the shares of the nodes of all levels: one node for each 1 of the binary digits of count. */
function below(shares: readonly Float64Array[], count: number): number {
  let sum = 0;
  for (let l = 0; l < shares.length; l++) {
    const node = floor(count / 2 ** (shares.length - l - 1));
    if (node % 2 === 1) sum += shares[l][node - 1];
  }
  return sum;
}

/**
 * Smith, Thakurta, Upadhyay 2017, Theorem 10: the least point of the integrated slopes on all lines. For any convex loss whose
 * slope is bounded; p = 1 is one line without an error of direction.
 */
export function linesModel(lines: Lines, people: Float64Array, random: Random): Float64Array {
  const { directions, levels, radius } = lines;
  const middle = 2 ** (levels - 1) - 1;
  const step = radius / middle;
  let [least, place, line] = [0, 0, 0];
  estimateSlopes(lines, people, random).forEach((slopes, direction) => {
    for (const way of [1, -1]) {
      // From the origin, where all lines have the same loss, outwards by the trapezium rule.
      for (let b = middle, value = 0; b !== middle + way * middle; b += way) {
        value += (way * step * (slopes[b] + slopes[b + way])) / 2;
        if (value < least) [least, place, line] = [value, placeOf(lines, b + way), direction];
      }
    }
  });
  return directions[line].map((entry) => place * entry);
}
