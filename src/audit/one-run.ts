import { checkInteger, checkNonNegative, checkOpenUnit, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { incompleteBeta, logGamma } from '../numeric/beta.ts';
import { toApproximate } from '../privacy/conversion.ts';
import { checkGuarantee, type Guarantee } from '../privacy/guarantee.ts';
import { lastAccepted } from '../privacy/rounding.ts';

const { exp, log, max, min } = Math;

/** What an attacker achieved against one run of a central mechanism. */
export interface OneRunCounts {
  /** m, the number of canaries: records that are each put into the data or left out by their own fair coin. */
  readonly canaries: number;
  /** r ≤ m, the number of coins the attacker guessed; it abstained for the others. */
  readonly guesses: number;
  /** The number of right guesses. */
  readonly correct: number;
}

/** The outcome of an audit in one run: plain data. */
export interface OneRunResult extends OneRunCounts {
  readonly claimed: Guarantee;
  /** Lower bound of ε at `delta`, for adding or removing one canary. */
  readonly lowerBound: number;
  /** δ of the bound: that of the claim, 0 for a pure one. */
  readonly delta: number;
  /** Upper bound on the probability of so many right guesses if the claim holds. */
  readonly pValue: number;
  readonly confidence: number;
  readonly verdict: 'consistent' | 'violation';
  readonly method: 'one run';
}

/**
 * An upper bound of the probability that an attacker with r guesses about m fair coins gets `correct` or more of them
 * right, if the mechanism is (ε, δ)-differentially private for adding or removing any one canary:
 *
 *     P(W ≥ v) + 2mδ·max over i of P(v > W ≥ v − i)/i,   W ~ Binomial(r, e^ε/(e^ε + 1))
 *
 * Source: Steinke, Nasr, Jagielski (2023), Privacy auditing with one (1) training run, Theorem 5.2.
 *
 * @throws TypeError or RangeError unless 0 ≤ correct ≤ guesses ≤ canaries, all whole, ε ≥ 0 and 0 ≤ δ < 1.
 */
export function oneRunPValue(
  counts: OneRunCounts,
  budget: { readonly epsilon: number; readonly delta: number },
): number {
  const { canaries, guesses, correct } = checkCounts(counts);
  const epsilon = checkNonNegative('epsilon', budget.epsilon);
  const delta = budget.delta === 0 ? 0 : checkOpenUnit('delta', budget.delta);
  if (correct === 0) return 1;
  const wrong = 1 / (1 + exp(epsilon));
  // P(W ≥ v) is a beta probability; the complement is passed where it is the number known exactly.
  const tail = incompleteBeta(1 - wrong, correct, guesses - correct + 1);
  return min(1, tail + 2 * canaries * delta * (delta > 0 ? steepest(guesses, correct, wrong) : 0));
}

/** The largest P(v > W ≥ v − i)/i: the mean of i consecutive probabilities, downwards from v − 1. */
function steepest(guesses: number, correct: number, wrong: number): number {
  const odds = log(1 - wrong) - log(wrong);
  const choices = (k: number): number => logGamma(guesses + 1) - logGamma(k + 1) - logGamma(guesses - k + 1);
  let logTerm = choices(correct - 1) + (correct - 1) * log(1 - wrong) + (guesses - correct + 1) * log(wrong);
  let sum = 0;
  let most = 0;
  for (let i = 1; i <= correct; i++) {
    const k = correct - i;
    const term = exp(logTerm);
    sum += term;
    const mean = sum / i;
    // Terms rise to the mode and fall from there on; once a term is below the mean, no later mean is larger.
    if (mean < most && term < mean) break;
    most = max(most, mean);
    logTerm += log(k) - log(guesses - k + 1) - odds;
  }
  return most;
}

/**
 * What one run of a mechanism with many canaries proves about its privacy.
 *
 * Law: with the given confidence the lower bound is below the true ε. The guesses may come from anything, as long as
 * their number was fixed before anyone looked at the coins. A Gaussian or concentrated claim is tested as the (ε, δ)
 * that it implies at `delta`.
 *
 * @throws TypeError or RangeError as `oneRunPValue`, and for a claim that says nothing at this δ.
 */
export function auditOneRun(
  request: OneRunCounts & {
    readonly claimed: Guarantee;
    /** Default 0.99. */
    readonly confidence?: number;
    /** δ at which a Gaussian or concentrated claim is tested. Default 1e-5. */
    readonly delta?: number;
  },
): OneRunResult {
  const counts = checkCounts(request);
  const claimed = checkGuarantee('claimed', request.claimed);
  const confidence = checkOpenUnit('confidence', request.confidence ?? 0.99);
  const tested =
    claimed.kind === 'pure' || claimed.kind === 'approximate' ? claimed : toApproximate(claimed, request.delta ?? 1e-5);
  const delta = tested.kind === 'pure' ? 0 : tested.delta;
  const refutes = (epsilon: number): boolean => oneRunPValue(counts, { epsilon, delta }) <= 1 - confidence;
  const { epsilon } = tested;
  return {
    ...counts,
    claimed,
    lowerBound: leastAllowed(refutes),
    delta,
    pValue: oneRunPValue(counts, { epsilon, delta }),
    confidence,
    verdict: refutes(epsilon) ? 'violation' : 'consistent',
    method: 'one run',
  };
}

/** The largest ε that is refuted, 0 if none is; the p-value grows with ε to 1. */
function leastAllowed(refutes: (epsilon: number) => boolean): number {
  const smallest = 2 ** -20;
  if (!refutes(smallest)) return 0;
  let refuted = smallest;
  while (refutes(2 * refuted)) refuted *= 2;
  return lastAccepted(refutes, refuted, 2 * refuted);
}

/**
 * Guesses from scores: the canaries with the highest scores are guessed to be in, those with the lowest to be out, and
 * the rest are not guessed.
 *
 * @throws RangeError for scores and coins of different numbers, or more guesses than canaries.
 */
export function guessInclusion(
  scores: ArrayLike<number>,
  included: ArrayLike<boolean>,
  guesses: { readonly in: number; readonly out: number },
): OneRunCounts {
  const canaries = checkInteger('scores.length', scores.length, 1);
  if (included.length !== canaries) throw new RefusedValue(refusal('included', `${canaries} coins`, included.length));
  const above = checkInteger('guesses.in', guesses.in, 0, canaries);
  const below = checkInteger('guesses.out', guesses.out, 0, canaries - above);
  const order = Array.from(scores, (_, i) => i).sort((a, b) => scores[b] - scores[a]);
  let correct = 0;
  for (let i = 0; i < above; i++) if (included[order[i]]) correct++;
  for (let i = 0; i < below; i++) if (!included[order[canaries - 1 - i]]) correct++;
  return { canaries, guesses: above + below, correct };
}

function checkCounts({ canaries, guesses, correct }: OneRunCounts): OneRunCounts {
  checkInteger('canaries', canaries, 1, 1e9);
  checkInteger('guesses', guesses, 0, canaries);
  checkInteger('correct', correct, 0, guesses);
  return { canaries, guesses, correct };
}
