import type { Random } from 'ldpkit';
import { estimateFrequencies, randomizedResponse, randomizeResponse, uniform } from 'ldpkit/mechanism';
import type { MarginLoss } from 'ldpkit/optimize';

const { abs, cos, floor, max, PI, sin, sqrt } = Math;

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
export function directionsOf(dimension: number, count: number): readonly Float64Array[] {
  return Array.from({ length: count }, (_, i) => {
    if (dimension === 1) return Float64Array.of(1);
    if (dimension === 2) return Float64Array.of(cos((PI * i) / count), sin((PI * i) / count));
    const height = (i + 0.5) / count;
    const [across, angle] = [sqrt(1 - height * height), i * PI * (3 - sqrt(5))];
    return Float64Array.of(across * cos(angle), across * sin(angle), height);
  });
}

/** Where slope b of a line is taken: r_b = −R + 2R·b/(2^D − 2), b = 0 … 2^D − 2. */
export function placeOf({ radius, levels }: Lines, b: number): number {
  return radius * (b / (2 ** (levels - 1) - 1) - 1);
}

/** L: no slope along a line is larger. f′ grows, so that its largest values are at the ends. */
const slopeBound = ({ loss, radius }: Lines): number =>
  max(abs(loss.derivative(-radius)), abs(loss.derivative(radius)));

/**
 * P(s ≤ r_b), where s is the place at which g′, g(r) = f(r⟨u, v⟩), passes a uniform level of [−L, L]: (g′(r_b) + L)/2L; and 1
 * beyond the last place. A convex function of one variable is a mixture of absolute values, and s is drawn from that mixture.
 *
 * Source: Wang, Smith, Xu 2020, lemma 13, which they say Smith et al. 2017 gave first.
 */
export function placeLaw(lines: Lines, direction: number, v: ArrayLike<number>): (b: number) => number {
  const bound = slopeBound(lines);
  const along = lines.directions[direction].reduce((sum, entry, j) => sum + entry * v[j], 0);
  const slope = (b: number): number => along * lines.loss.derivative(placeOf(lines, b) * along);
  return (b) => (b === 2 ** lines.levels - 1 ? 1 : (slope(b) + bound) / (2 * bound));
}

/** The randomizers of the nodes of level 1 … D. */
export const channelsOf = ({ levels, epsilon }: Lines): readonly ReturnType<typeof randomizedResponse>[] =>
  Array.from({ length: levels }, (_, l) => randomizedResponse({ epsilon, categories: 2 ** (l + 1) }));

/**
 * Estimates of the mean slopes at the places of every line, from one report of each player: in which of the 2^l nodes of level l of
 * a binary tree over the places s lies. Player i has line i mod m, and the next level each time that all lines have had one.
 *
 * Law: unbiased.
 * Guarantee: pure ε. The law of a report is a mixture over s of laws of randomized response; line and level are public.
 */
export function estimateSlopes(lines: Lines, people: Float64Array, random: Random): readonly Float64Array[] {
  const { directions, levels } = lines;
  const p = directions[0].length;
  const channels = channelsOf(lines);
  const tallies = directions.map(() =>
    channels.map(({ categories }) => ({ reports: 0, counts: new Float64Array(categories) })),
  );
  for (let i = 0; i * p < people.length; i++) {
    const direction = i % directions.length;
    const l = floor(i / directions.length) % levels;
    const law = placeLaw(lines, direction, people.subarray(i * p, (i + 1) * p));
    const u = uniform(random);
    // The first node that ends at or after s.
    let [low, high] = [0, 2 ** (l + 1) - 1];
    while (low < high) {
      const node = floor((low + high) / 2);
      if (u < law((node + 1) * 2 ** (levels - l - 1) - 1)) high = node;
      else low = node + 1;
    }
    const tally = tallies[direction][l];
    tally.counts[randomizeResponse(channels[l], low, random)]++;
    tally.reports++;
  }
  return tallies.map((own) => {
    const shares = own.map((tally, l) => estimateFrequencies(channels[l], tally));
    return Float64Array.from({ length: 2 ** levels - 1 }, (_, b) => slopeBound(lines) * (2 * below(shares, b + 1) - 1));
  });
}

/** P(place < count) from the shares of the nodes of all levels: one node for each 1 of the binary digits of count. */
function below(shares: readonly Float64Array[], count: number): number {
  return shares.reduce((sum, level, l) => {
    const node = floor(count / 2 ** (shares.length - l - 1));
    return sum + (node % 2 === 1 ? level[node - 1] : 0);
  }, 0);
}

/** The least point of the integrated slopes on all lines, by the trapezium rule from the origin outwards. */
export function linesModel(lines: Lines, people: Float64Array, random: Random): Float64Array {
  const middle = 2 ** (lines.levels - 1) - 1;
  let [least, place, line] = [0, 0, 0];
  estimateSlopes(lines, people, random).forEach((slopes, direction) => {
    for (const way of [1, -1]) {
      for (let b = middle, value = 0; b !== middle + way * middle; b += way) {
        value += (way * lines.radius * (slopes[b] + slopes[b + way])) / (2 * middle);
        if (value < least) [least, place, line] = [value, placeOf(lines, b + way), direction];
      }
    }
  });
  return lines.directions[line].map((entry) => place * entry);
}
