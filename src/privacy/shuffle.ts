import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { decimal, upward } from './rounding.ts';

const { expm1, log, log1p, min, sqrt } = Math;

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

const RANDOMIZERS: readonly ShuffledRandomizer[] = ['any', 'response'];

/**
 * A crowd with its numbers checked.
 *
 * @throws TypeError or RangeError unless ε₀ is from 1e-9 to 100 and n is a whole number from 2 to 1e9. These are the
 * ranges in which the bounds on shuffling are computed and tested.
 */
export function checkCrowd(crowd: ShuffledCrowd): Required<ShuffledCrowd> {
  const epsilon = checkPositive('epsilon', crowd.epsilon);
  if (!(epsilon >= 1e-9 && epsilon <= 100)) {
    throw new RefusedValue(refusal('epsilon', 'a number from 1e-9 to 100', epsilon));
  }
  const players = checkInteger('players', crowd.players, 2, 1e9);
  return { epsilon, players, randomizer: checkWord('randomizer', crowd.randomizer ?? 'any', RANDOMIZERS) };
}

/**
 * The largest ε₀ for which {@link shuffleEpsilon} is proved, rounded down: log(n/(16·log(2/δ))) for any randomizer,
 * log(n/(8·log(2/δ)) − 1) for `response`. It is 0 if the crowd is too small for any ε₀.
 *
 * Source: as for {@link shuffleEpsilon}.
 *
 * @throws TypeError or RangeError naming the field.
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
 *
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
    throw new RefusedValue(refusal('epsilon', allowed, epsilon));
  }
  const growth = expm1(epsilon);
  const spread =
    randomizer === 'any'
      ? (8 * sqrt(((growth + 1) * log(4 / delta)) / players) + (8 * (growth + 1)) / players) / (growth + 2)
      : (4 * sqrt(2 * log(4 / delta))) / sqrt((growth + 2) * players) + 4 / players;
  return min(epsilon, upward(log1p(growth * spread)));
}
