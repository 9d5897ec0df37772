import {
  checkEpsilonRange,
  checkInteger,
  checkNonNegative,
  checkOpenUnit,
  checkWord,
  RefusedValue,
} from '../check/refusal.ts';
import { stirlingCorrection } from '../numeric/beta.ts';
import { decimal, leastEpsilon, upward } from './rounding.ts';

const { PI, abs, exp, expm1, floor, log, log1p, max, min, sqrt, tanh } = Math;

/**
 * What is known of the randomizer that every player uses.
 *
 * - `any`: its ε₀, nothing more.
 * - `response`: for any three data, R(x) ≥ (R(x′) + R(x″))/(e^(ε₀) + 1) for every report. This holds for binary and
 *   k-ary randomized response, of the datum or of something drawn from it, and for post-processing of such a report. It
 *   does *not* hold for PrivUnit, Hadamard response or subset selection, where two data may share their likely reports.
 */
export type ShuffledRandomizer = 'any' | 'response';

/** A crowd of players whose reports, one each, are shuffled before anyone sees them. */
export interface ShuffledCrowd {
  /** ε₀ > 0 of every player's report: the pure local guarantee, which also holds against the shuffler. */
  readonly epsilon: number;
  /** n ≥ 2, how many reports are shuffled together. */
  readonly players: number;
  /** What is known of the randomizer; `any` when left out. */
  readonly randomizer?: ShuffledRandomizer;
}

/** A crowd, and the δ at which the shuffled reports are to be certified. */
export interface ShuffleRequest extends ShuffledCrowd {
  /** δ, strictly between 0 and 1. */
  readonly delta: number;
}

/** A crowd with its numbers checked: they lie where the bounds on shuffling are computed and tested. */
function checkCrowd(crowd: ShuffledCrowd): Required<ShuffledCrowd> {
  const epsilon = checkEpsilonRange(crowd.epsilon, 100);
  const players = checkInteger('players', crowd.players, 2, 1e9);
  return { epsilon, players, randomizer: checkWord('randomizer', crowd.randomizer ?? 'any', ['any', 'response']) };
}

/**
 * The largest ε₀ for which {@link shuffleEpsilon} is proved, rounded down: log(n/(16·log(2/δ))) for any randomizer,
 * log(n/(8·log(2/δ)) − 1) for `response`. It is 0 if the crowd is too small for any ε₀.
 */
export function largestShuffledEpsilon(request: Omit<ShuffleRequest, 'epsilon'>): number {
  const { players, randomizer } = checkCrowd({ ...request, epsilon: 1 });
  const halves = players / (8 * log(2 / checkOpenUnit('delta', request.delta)));
  const ratio = randomizer === 'any' ? halves / 2 : halves - 1;
  return ratio > 1 ? log(ratio) * (1 - 2 ** -44) : 0;
}

/**
 * ε of the shuffled reports of n players at δ, in closed form and rounded up. For any randomizer
 *
 *     log(1 + (e^(ε₀) − 1)/(e^(ε₀) + 1)·(8·√(e^(ε₀)·log(4/δ))/√n + 8·e^(ε₀)/n)),
 *
 * for `response`
 *
 *     log(1 + (e^(ε₀) − 1)·(4·√(2·log(4/δ))/√((e^(ε₀) + 1)·n) + 4/n)),
 *
 * and never above ε₀, since shuffling cannot weaken the local guarantee. The second was printed for any randomizer; its
 * authors have since restricted it (errata to the paper of 2023), as the proof needs the property stated at `response`.
 *
 * Guarantee: (ε, δ) for any one player against anyone who sees the reports in random order, whatever the others hold;
 * against the shuffler itself only ε₀. Every player must send one report by an ε₀-private randomizer that depends on
 * nobody else's report.
 *
 * `cloneShuffleEpsilon` is smaller and has no condition.
 *
 * Source: Feldman, McMillan, Talwar (2021), Hiding among the clones, Theorem 3.1; the same (2023), Stronger privacy
 * amplification by shuffling for Rényi and approximate differential privacy, Theorem 3.1, with its errata.
 * @throws TypeError or RangeError naming the field; RangeError, with the largest ε₀ allowed, where the theorem does not
 * hold.
 *
 * @example
 * ```ts
 * import { shuffleEpsilon } from 'ldpkit/privacy';
 * console.log(shuffleEpsilon({ epsilon: 4, players: 1e6, delta: 1e-6 }).toFixed(3)); // 0.201
 * ```
 */
export function shuffleEpsilon(request: ShuffleRequest): number {
  const { epsilon, players, randomizer } = checkCrowd(request);
  const delta = checkOpenUnit('delta', request.delta);
  const largest = largestShuffledEpsilon(request);
  if (epsilon > largest) {
    const crowd = `${players} players at delta ${decimal(delta)}`;
    const allowed =
      largest > 0 ? `a number <= ${largest} for ${crowd}` : `more players (no epsilon will do for ${crowd})`;
    throw new RefusedValue('epsilon', allowed, epsilon);
  }
  const growth = expm1(epsilon);
  const spread =
    randomizer === 'any'
      ? (8 * sqrt(((growth + 1) * log(4 / delta)) / players) + (8 * (growth + 1)) / players) / (growth + 2)
      : (4 * sqrt(2 * log(4 / delta))) / sqrt((growth + 2) * players) + 4 / players;
  return min(epsilon, upward(log1p(growth * spread)));
}

/** How many steps a recursion may run before it is started again. */
const LONGEST = 2 ** 16;

/** A mass below this is near the end of the range of doubles. */
const TINY = 1e-280;

/**
 * A walk upwards over the number M of clones that keeps what a divergence needs at every M. All follow by recursion, with a few
 * multiplications per step, which is started again before rounding can build up. Only {@link walkTo} and {@link addClone} change it.
 */
interface BinomialWalk {
  /** The law of M. */
  readonly law: BinomialLaw;
  /** M, and P(C = M) under the law. */
  clones: number;
  weight: number;
  /** j, from 0 to M; −1 before the first `walkTo`. */
  ones: number;
  /** P(j) of M fair coins, and P(more than j), rounded down in its start. */
  mass: number;
  above: number;
  /** The largest `above` since the recursion was started. */
  peak: number;
  /** Steps of the recursions of `mass` and `above` since they were started, and of that of `weight`. */
  steps: number;
  walked: number;
}

/** The walk at a first M. */
export function startWalk(law: BinomialLaw, clones: number): BinomialWalk {
  const weight = binomialMass(law, clones);
  return { law, clones, weight, ones: -1, mass: 0, above: 0, peak: 0, steps: 0, walked: 0 };
}

/** A bound on the relative error of weight·mass and weight·above: four roundings per step, as `above` may have halved. */
export function walkError(walk: BinomialWalk): number {
  return 2 ** -52 * (1024 + 16 * walk.steps + 8 * walk.walked);
}

/** Moves to j, from 0 to M. */
export function walkTo(walk: BinomialWalk, ones: number): void {
  const { clones } = walk;
  let { ones: j, mass, above } = walk;
  const distance = abs(ones - j);
  if (j < 0 || mass < TINY || walk.steps > LONGEST || distance > 64) {
    start(walk, ones);
    return;
  }
  for (; j < ones; j++) {
    mass *= (clones - j) / (j + 1);
    above -= mass;
  }
  for (; j > ones; j--) {
    above += mass;
    mass *= j / (clones - j + 1);
  }
  // The relative error of `above` grows in proportion as subtractions make it smaller.
  if (!(above >= walk.peak / 2)) {
    start(walk, ones);
    return;
  }
  walk.ones = j;
  walk.mass = mass;
  walk.above = above;
  walk.peak = max(walk.peak, above);
  walk.steps += distance;
}

/** Moves to M + 1, while M is below the number of trials; call `walkTo` afterwards. */
export function addClone(walk: BinomialWalk): void {
  const { trials, success, failure } = walk.law;
  const { clones } = walk;
  walk.weight *= ((trials - clones) / (clones + 1)) * (success / failure);
  walk.clones = clones + 1;
  walk.above += walk.mass / 2;
  walk.peak = max(walk.peak, walk.above);
  walk.mass *= (clones + 1) / (2 * (clones + 1 - walk.ones));
  walk.steps++;
  walk.walked++;
}

function start(walk: BinomialWalk, ones: number): void {
  const { clones } = walk;
  const mass = binomialMass({ trials: clones, success: 0.5, failure: 0.5 }, ones);
  let above = 0;
  let term = mass;
  // For a mass too small for the recursion and for any sum the tail is left out, which errs to the safe side.
  for (let a = ones; a < clones && mass >= TINY; a++) {
    const ratio = (clones - a) / (a + 1);
    term *= ratio;
    above += term;
    // The ratio of neighbours falls, so the rest is below a geometric sum. Without it `above` is too small, which is safe.
    if (ratio < 1 && term * ratio <= above * (1 - ratio) * 2 ** -54) break;
  }
  walk.ones = ones;
  walk.mass = mass;
  walk.above = above;
  walk.peak = above;
  walk.steps = 0;
}

/**
 * An upper bound on the δ of the shuffled reports at ε: a hockey-stick divergence by summation, rounded up, not below 1e-290.
 *
 * For any two data of the player in question, R and R′ are mixtures of a `1`-law and a `0`-law with odds e^(ε₀) : 1 and
 * 1 : e^(ε₀) (Kairouz, Oh, Viswanath 2015). Whatever another player holds, the law of that player's report is at least
 * c·(R + R′)/2. Here c = e^(−ε₀), since the law is at least e^(−ε₀)·R and e^(−ε₀)·R′; for a `response` randomizer
 * c = 2/(e^(ε₀) + 1). So with probability c the other player sends the `1` or `0` of a fair coin, a clone. All reports
 * can be computed from the number of `1`s, the number of `0`s, and data that do not depend on the player in question,
 * so the divergence of these two counts bounds δ.
 *
 * The sum runs over the number of clones, a central range of a binomial law; the mass outside it (by Chernoff's bound)
 * and a bound on the rounding errors are added.
 *
 * Source: Feldman, McMillan, Talwar (2021), Hiding among the clones, Theorem 3.1 (the clone); the same (2023), Stronger
 * privacy amplification by shuffling, Theorem 3.1, with its errata (the stronger clone).
 */
export function cloneShuffleDelta(crowd: ShuffledCrowd, epsilon: number): number {
  checkNonNegative('epsilon', epsilon);
  return divergence(checkClones(crowd), epsilon, 1e-300, Infinity);
}

/**
 * The least ε that hiding among clones certifies for the shuffled reports at δ; never above ε₀, which it is for every δ below
 * 1e-290, and for larger ones never above `shuffleEpsilon` where that applies. Whatever the rounding, the sum of the hockey-stick divergence, with its tails and
 * rounding, was at most δ at the ε returned (here the tails are shorter, for speed).
 *
 * Takes about half a second for 1e9 players, and a few milliseconds up to 1e6.
 *
 * Source: Feldman, McMillan, Talwar (2021), Hiding among the clones, Theorem 3.1 (the clone); the same (2023), Stronger
 * privacy amplification by shuffling, Theorem 3.1, with its errata (the stronger clone).
 * @throws TypeError or RangeError naming the field.
 *
 * @example
 * ```ts
 * import { cloneShuffleEpsilon } from 'ldpkit/privacy';
 * // What one of a million is promised once nobody knows which report is whose.
 * console.log(cloneShuffleEpsilon({ epsilon: 1, players: 1e6, delta: 1e-6 }).toFixed(4)); // 0.0043
 * ```
 */
export function cloneShuffleEpsilon(request: ShuffleRequest): number {
  const clones = checkClones(request);
  const delta = checkOpenUnit('delta', request.delta);
  // The tails cost two parts in 1e9 of δ, which changes no digit of ε that matters.
  const tail = max(delta * 2 ** -30, 1e-300);
  return leastEpsilon((epsilon) => divergence(clones, epsilon, tail, delta) <= delta, clones.epsilon);
}

/** ε₀, and the law of the number of clones among the others. */
type Clones = { readonly epsilon: number; readonly law: BinomialLaw };

function checkClones(crowd: ShuffledCrowd): Clones {
  const { epsilon, players, randomizer } = checkCrowd(crowd);
  const success = randomizer === 'any' ? exp(-epsilon) : 2 / (expm1(epsilon) + 2);
  const failure = randomizer === 'any' ? -expm1(-epsilon) : tanh(epsilon / 2);
  return { epsilon, law: { trials: players - 1, success, failure } };
}

/** The divergence, with both tails (each at most `tail`) and the rounding added; the partial sum as soon as it is above `enough`. */
function divergence(clones: Clones, epsilon: number, tail: number, enough: number): number {
  // No outcome of the pair has a larger loss than ε₀.
  if (epsilon >= clones.epsilon) return 0;
  const half = tanh(clones.epsilon / 2);
  const cost = expm1(epsilon);
  const gain = (half * exp(epsilon) * expm1(clones.epsilon - epsilon)) / expm1(clones.epsilon);
  const threshold = 0.5 + tanh(epsilon / 2) / (2 * half);
  const [from, to] = centralRange(clones.law, -log(tail));

  // With M clones, an outcome with more than j ones, j = ⌊(M + 1)·threshold⌋, is likelier by more than e^ε. These add
  // P(M)·(gain·P(j) − cost·P(> j)), P(j) and P(> j) of M fair coins.
  const walk = startWalk(clones.law, from);
  let sum = 2 * tail + 1e-290;
  for (;;) {
    const border = (walk.clones + 1) * threshold;
    const j = min(walk.clones, floor(border));
    let largest = excess(walk, j, gain, cost);
    // Any j gives a lower bound, and the best j the divergence: where rounding may give the wrong one, its neighbours are tried.
    if (border - j < 1e-4 && j > 0) largest = max(largest, excess(walk, j - 1, gain, cost));
    if (border - j > 1 - 1e-4 && j < walk.clones) largest = max(largest, excess(walk, j + 1, gain, cost));
    sum += walk.weight * largest;
    if (sum > enough) return sum;
    if (walk.clones >= to) return min(1, sum * (1 + 2 ** -32));
    addClone(walk);
  }
}

/** What the outcomes with more than j ones add at the present number of clones, with its rounding added. */
function excess(walk: BinomialWalk, j: number, gain: number, cost: number): number {
  walkTo(walk, j);
  const up = walk.mass * gain;
  const down = walk.above * cost;
  return max(0, up - down) + walkError(walk) * (up + down);
}

/** The range outside which each tail of the law has at most the mass e^(−exponent), by Chernoff's bound. */
function centralRange(law: BinomialLaw, exponent: number): readonly [number, number] {
  const middle = floor(law.trials * law.success);
  const outside = (k: number): boolean => binomialDeviance(law, k) > exponent;
  return [lastBefore(outside, 0, middle), lastBefore(outside, law.trials, middle)];
}

/** The last outside number on the way from an end to `inside`; the end itself if that is inside. */
function lastBefore(outside: (k: number) => boolean, end: number, inside: number): number {
  if (!outside(end)) return end;
  let [out, within] = [end, inside];
  while (Math.abs(out - within) > 1) {
    const middle = floor((out + within) / 2);
    if (outside(middle)) out = middle;
    else within = middle;
  }
  return out;
}

/** The law of the number of successes in m trials: p and q = 1 − p, both given so that neither loses digits. */
interface BinomialLaw {
  readonly trials: number;
  readonly success: number;
  readonly failure: number;
}

/**
 * P(C = k) for 0 ≤ k ≤ m, without the cancellation of differences of log-factorials. The relative error is about 1e-14 for p = ½.
 * Otherwise the error of m·p times |k/(mp) − 1| is added: for m = 1e9 2e-11 at ten standard deviations from the mean, 2e-10 at forty.
 *
 * Source: Loader (2000), Fast and accurate computation of binomial probabilities.
 */
export function binomialMass(law: BinomialLaw, k: number): number {
  const { trials, success, failure } = law;
  if (k === 0) return exp(trials * logOf(failure, success));
  if (k === trials) return exp(trials * logOf(success, failure));
  const correction = stirlingCorrection(trials) - stirlingCorrection(k) - stirlingCorrection(trials - k);
  return sqrt(trials / (2 * PI * k * (trials - k))) * exp(correction - binomialDeviance(law, k));
}

/**
 * m times the relative entropy of k/m against p: by Chernoff's bound, minus the logarithm of an upper bound on P(C ≤ k)
 * below the mean and on P(C ≥ k) above it.
 *
 * Source: Hoeffding (1963), Theorem 1.
 */
export function binomialDeviance(law: BinomialLaw, k: number): number {
  const { trials, success, failure } = law;
  return deviance(k, trials * success) + deviance(trials - k, trials * failure);
}

/** k·log(k/mean) + mean − k ≥ 0, from a series where the terms nearly cancel. */
function deviance(k: number, mean: number): number {
  const u = (k - mean) / mean;
  if (abs(u) > 0.1) return (k === 0 ? 0 : k * log(k / mean)) + mean - k;
  // (1 + u)·log(1 + u) − u = u²/2 − u³/6 + u⁴/12 − …; the last term is below 1e-17 of the first.
  let power = u * u;
  let sum = 0;
  for (let j = 2; j <= 18; j++) {
    sum += power / (j * (j - 1));
    power *= -u;
  }
  return mean * sum;
}

/** log p from the smaller of p and 1 − p. */
function logOf(p: number, rest: number): number {
  return rest < 0.5 ? log1p(-rest) : log(p);
}
