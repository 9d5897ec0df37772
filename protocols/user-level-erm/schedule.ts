import { RefusedValue } from '../../src/check/refusal.ts';
import { twoLevels } from '../../src/mechanism/exact-coin.ts';
import { pureWithinGdp } from '../../src/privacy/conversion.ts';
import { gdpMu } from '../../src/privacy/gaussian.ts';
import { signShares } from '../user-level-mean/vector/design.ts';
import { expectedTwoRoundError, type TwoRoundVectorPlan } from '../user-level-mean/vector/two-round.ts';
import type { VectorPlan } from '../user-level-mean/vector/vector.ts';

const { ceil, floor, log, log1p, max, min, PI, sqrt } = Math;

/** The number of rounds that locate a gradient without prior knowledge. */
const LOCATING_ROUNDS = 8;

/** The smallest and the largest share of the players who locate the first gradient. */
const LEAST_PILOT = 0.1;
const MOST_PILOT = 0.5;

/** With so many bits for each coordinate, players locate it to within its deviation, nearly always. */
const PILOT_BITS = 60;

/** T is never larger. */
export const MOST_ITERATIONS = 10_000;

/** The numbers from which the number of iterations is computed. */
export interface ScheduleFields {
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** δ of this transcript, if the same players answer. */
  readonly delta?: number;
  /** n. */
  readonly players: number;
  /** R. */
  readonly radius: number;
  /** τ₁. */
  readonly strongConvexity: number;
  /** η. */
  readonly step: number;
  /** Whether the same players answer in all rounds. */
  readonly samePlayers: boolean;
  /** Whether gradients are predicted. */
  readonly predict: boolean;
  /** T, if it was requested. */
  readonly iterations?: number;
}

/** The same fields for two rounds per gradient. */
export type TwoRoundScheduleFields = Omit<ScheduleFields, 'delta' | 'samePlayers' | 'predict'>;

/** The number of rounds of each iteration, the plan of one mean of gradients, and each round's share of the players. */
export interface Schedule<Gradient = VectorPlan> {
  readonly rounds: readonly number[];
  readonly gradient: Gradient;
  readonly shares: readonly number[];
}

/**
 * The rounds of a descent. Unless T was requested, it is the number of contractions by 1 − ητ₁ that bring a start at
 * distance R to the distance kept up by the noise of one gradient from all reports, and two more; O(log n).
 *
 * @throws RangeError for so few players that a round would be empty.
 */
export function scheduleOf(fields: ScheduleFields, gradientAt: (epsilon: number) => VectorPlan): Schedule {
  const { samePlayers, players, iterations } = fields;
  let gradient = gradientAt(fields.epsilon);
  let rounds = roundsOf(fields, gradient, iterations ?? defaultIterations(fields, gradient, players));
  // With the same players, more bits leave less budget for each, and with less budget fewer iterations are useful.
  for (let look = 0; samePlayers && look < 3; look++) {
    const bits = sum(rounds);
    gradient = gradientAt(bitBudget(fields, bits));
    if (look === 2) break;
    rounds = roundsOf(fields, gradient, iterations ?? defaultIterations(fields, gradient, players * bits));
  }
  const shares = samePlayers ? new Array<number>(sum(rounds)).fill(1) : freshShares(rounds, gradient);
  const least = min(...shares);
  if (players * least < 1) {
    const expected = `at least ${ceil(1 / least)}, one in each of ${shares.length} rounds`;
    throw new RefusedValue('players', expected, players);
  }
  return { rounds, gradient, shares };
}

/** The least number of players of an iteration: the smallest share of a round, a tenth, then has one player. */
const LEAST_PLAYERS = 10;

/**
 * The rounds of a descent with two rounds per gradient, by n/T players. Unless T was requested, it is the least T that
 * suffices for the contractions that the noise of a gradient by n/T players allows. More iterations mean more noise in
 * each.
 *
 * @throws RangeError for so few players that a round would be empty.
 */
export function twoRoundScheduleOf(
  fields: TwoRoundScheduleFields,
  gradientBy: (players: number) => TwoRoundVectorPlan,
): Schedule<TwoRoundVectorPlan> {
  const { players, iterations } = fields;
  const most = floor(players / LEAST_PLAYERS);
  if ((iterations ?? 1) > most) {
    const expected = `at least ${LEAST_PLAYERS * (iterations ?? 1)}, ${LEAST_PLAYERS} for each gradient`;
    throw new RefusedValue('players', expected, players);
  }
  const gradientOf = (count: number): TwoRoundVectorPlan => gradientBy(floor(players / count));
  let [low, high] = iterations === undefined ? [1, min(most, MOST_ITERATIONS)] : [iterations, iterations];
  while (low < high) {
    const middle = (low + high) >> 1;
    const gradient = gradientOf(middle);
    const { model, samples, size, dimension } = gradient;
    const spread = model.deviation * sqrt((samples * size) / dimension);
    if (iterationsAt(fields, sqrt(expectedTwoRoundError(gradient, spread))) <= middle) high = middle;
    else low = middle + 1;
  }
  const gradient = gradientOf(low);
  const shares = Array.from({ length: 2 * low }, (_, round) => gradient.shares[round & 1] / low);
  return { rounds: new Array<number>(low).fill(2), gradient, shares };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function defaultIterations(fields: ScheduleFields, gradient: VectorPlan, reports: number): number {
  const { size, model } = gradient;
  // √E‖ĝ − g‖² of all n signs, near their thresholds: D²·(π/2)·τ²/(nκ²), τ the deviation of a rotated coordinate.
  const noise = (size * model.deviation * sqrt(PI / 2)) / (model.contrast * sqrt(reports));
  return iterationsAt(fields, noise);
}

/**
 * The number of contractions that bring a start at distance R to the distance kept up by this noise of a gradient, and
 * two more.
 */
function iterationsAt({ radius, strongConvexity, step }: TwoRoundScheduleFields, noise: number): number {
  const kept = noise / strongConvexity;
  const rate = -log1p(-min(0.5, step * strongConvexity));
  return min(MOST_ITERATIONS, 2 + ceil(max(0, log(radius / kept)) / rate));
}

function roundsOf(fields: ScheduleFields, { size }: VectorPlan, iterations: number): number[] {
  const { players, samePlayers, predict } = fields;
  const each = samePlayers ? players : predict ? players * MOST_PILOT : players / iterations;
  // At least two players for each coordinate and round.
  const located = max(1, min(LOCATING_ROUNDS, floor(each / (2 * size))));
  return Array.from({ length: iterations }, (_, i) => (i === 0 || !predict ? located : 1));
}

/**
 * The first iteration gets enough players to locate its gradient; the others, or all if none is predicted, get equal
 * shares.
 */
function freshShares(rounds: readonly number[], { players, size, model }: VectorPlan): number[] {
  const bits = (players * model.contrast ** 2) / size;
  const even = 1 / rounds.length;
  const predicted = rounds.length > 1 && rounds[1] < rounds[0];
  const first = predicted ? max(even, min(MOST_PILOT, max(LEAST_PILOT, PILOT_BITS / bits))) : even;
  return rounds.flatMap((count, iteration) => {
    const share = iteration === 0 ? first : (1 - first) / (rounds.length - 1);
    return signShares(count, bits * share).map((part) => part * share);
  });
}

/**
 * ε of each of K bits of one player: the larger of ε/K and, with a δ, the ε that has μ/√K by Gaussian DP, where μ is
 * the largest within (ε, δ).
 */
function bitBudget({ epsilon, delta }: ScheduleFields, count: number): number {
  // On the safe side of rounding: K times this is at most ε.
  const basic = (epsilon / count) * (1 - 2 ** -50);
  if (delta === undefined) return basic;
  return max(pureWithinGdp(gdpMu({ epsilon, delta }) / sqrt(count)), basic);
}

/** The numbers in the condition on the number of players. */
export interface ConditionFields {
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** m. */
  readonly samples: number;
  /** d. */
  readonly dimension: number;
  /** B. */
  readonly gradientBound: number;
  /** τ₁. */
  readonly strongConvexity: number;
  /** R. */
  readonly radius: number;
  /** The number of gradients that share the players but do not help each other: T for two rounds each; 1 by default. */
  readonly groups?: number;
}

/**
 * The number of signs for each coordinate, in units of 1/κ², to locate the first gradient, by at most half of the
 * players.
 */
const BITS = 60;

/**
 * The least number of players for a descent, the larger of two: the theorem's condition √(mn) ≥ Bd²/(ε·τ₁R), and the
 * number to locate the first gradient, n ≥ 60·D/κ², where D is the least power of two ≥ d.
 *
 * Law: the theorem says √(mn) = Ω̃(Bd²/ε) and leaves the constant open. Here it is 1/(τ₁R): a gradient has an error of
 * r = Bd²/(ε√(mn)), up to logarithms, so θ has an error of r/τ₁. An error larger than the ball would say nothing.
 *
 * Source: slides of Avella Medina (2023), guarantees for user-level LDP ERM.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function requiredPlayers(fields: ConditionFields): number {
  const { records, locating } = needsOf(fields);
  return ceil(max(records / fields.samples, locating));
}

/**
 * The least number m of records that each of n players has to hold for a descent: (Bd²/(ε·τ₁R))²/n. With two rounds per
 * gradient, each gradient has only the n/T players of its own iteration. Infinity if n is too small to locate a
 * gradient, which no m can compensate.
 *
 * Source: as for `requiredPlayers`; the same condition, solved for m.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function requiredSamples(fields: Omit<ConditionFields, 'samples'> & { readonly players: number }): number {
  const { records, locating } = needsOf(fields);
  return fields.players < locating ? Infinity : max(1, ceil(records / fields.players));
}

/** The least values of mn and of n. */
function needsOf(fields: Omit<ConditionFields, 'samples'>): { readonly records: number; readonly locating: number } {
  const { epsilon, dimension, gradientBound, strongConvexity, radius, groups = 1 } = fields;
  const ratio = (gradientBound * dimension * dimension) / (epsilon * strongConvexity * radius);
  let size = 1;
  while (size < dimension) size *= 2;
  const { contrast } = twoLevels(epsilon, 1, 1);
  return { records: groups * ratio * ratio, locating: (groups * BITS * size) / (contrast * contrast) };
}

/** How many players more than n the condition requires; 0 if n is enough. */
export function shortfallOf(fields: ConditionFields & { readonly players: number }): number {
  return max(0, requiredPlayers(fields) - fields.players);
}
