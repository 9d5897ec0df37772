import { checkInteger, checkNonNegative, checkOpenUnit, RefusedValue } from '../check/refusal.ts';
import { incompleteBeta, logGamma } from '../numeric/beta.ts';
import { toApproximate } from '../privacy/conversion.ts';
import { gdpEpsilon } from '../privacy/gaussian.ts';
import { approximate, checkGuarantee, type Guarantee } from '../privacy/guarantee.ts';
import { lastAccepted } from '../privacy/rounding.ts';
import { type AuditEvent, probabilityAbove, probabilityBelow } from './attack.ts';
import { claimedParameter, exceedsClaim, finiteBound, parameterAbove } from './claim.ts';
import { type AuditCounts, type AuditPlan, auditShare, mergeShares, planAudit } from './plan.ts';
import { type AuditScore, describeScore } from './score.ts';
import type { AuditOptions, AuditSight, AuditTarget } from './target.ts';

const { ceil, exp, log, max, min, sqrt } = Math;

/** How a bound was found. */
export type AuditMethod = 'enumeration' | 'likelihood ratio' | 'learned score';

/** How an ε was read off: from counts or the exact channel, or from a bound on μ through its curve. */
export type BoundReading = 'events' | 'Gaussian curve';

/** The result of the audit for one claim. */
export interface ClaimAudit {
  readonly claimed: Guarantee;
  /** Lower bound of the parameter claimed: ε at the claim's δ, μ or ρ. */
  readonly lowerBound: number;
  /** Whether the claim is refuted. */
  readonly refuted: boolean;
  readonly method: AuditMethod;
  /** What gave the attacker away, in words. */
  readonly evidence: string;
}

/** The outcome of an audit: plain data that survives JSON. The largest double stands for "no finite ε". */
export interface AuditResult
  extends Pick<AuditPlan<unknown>, 'confidence' | 'trials' | 'shares' | 'lastBits' | 'searched'> {
  readonly claimed: Guarantee;
  /**
   * Lower bound of ε at `delta`. By `events` it holds for any player. By `Gaussian curve` (for a Gaussian first claim)
   * it is the ε of a mechanism that is exactly `muLowerBound`-Gaussian.
   */
  readonly lowerBound: number;
  /** The δ of `lowerBound`: that of the claim, 0 for a pure one. */
  readonly delta: number;
  readonly lowerBoundBy: BoundReading;
  /** Lower bound of μ, where a claim is Gaussian. */
  readonly muLowerBound?: number;
  /** Probabilities that were bounded, and the failure probability given to each. */
  readonly split: { readonly probabilities: number; readonly failureOfEach: number };
  /** `violation` if any claim is refuted. */
  readonly verdict: 'consistent' | 'violation';
  readonly pair: string;
  /** How the bound was found: of the refuted claim if there is one, otherwise of the first. */
  readonly method: AuditMethod;
  readonly evidence: string;
  readonly claims: readonly ClaimAudit[];
}

/**
 * Attacks the whole report of a player with everything that is known about it, and returns the privacy loss that the
 * attack proves.
 *
 * Law: with the given confidence every bound is below the truth, for any player. Pairs, scores and thresholds are
 * chosen on shares of the trials that are not counted. The counts are bounded by Clopper–Pearson, with the failure
 * probability split evenly over all probabilities. `consistent` is not a proof of privacy: it means that this attack
 * refuted nothing.
 *
 * Source: Jagielski, Ullman, Oprea (2020), Auditing differentially private machine learning; Bichsel, Steffen,
 * Bogunovic, Vechev (2021), DP-Sniper, for scores that are learned.
 * @throws TypeError or RangeError for a target without claim or pair, too few trials, a confidence outside (0, 1), or a
 * player whose reports are all the same and have no finite number.
 * @theorem noninteractive Definition 2
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { audit } from 'ldpkit/audit';
 * import { randomizedResponse, randomizeResponse } from 'ldpkit/mechanism';
 * import { pure } from 'ldpkit/privacy';
 * const parameters = randomizedResponse({ epsilon: 2, categories: 2 });
 * const pair = { name: 'the two answers', first: 0, second: 1 };
 * const options = { pair, trials: 20_000, random: seededRandom('an attack') };
 * for (const epsilon of [2, 1]) {
 *   // Claimed as it is, and as half of what it is.
 *   const target = { player: { randomize: randomizeResponse }, parameters, claimed: pure(epsilon) };
 *   console.log(audit(target, options).verdict); // consistent; violation
 * }
 * ```
 */
export function audit<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  options: AuditOptions<Datum, Report>,
): AuditResult {
  const plan = planAudit(target, options);
  return concludeAudit(plan, auditShare(target, plan, options));
}

interface Bound {
  readonly value: number;
  readonly method: AuditMethod;
  readonly evidence: string;
}

/** What the counts of all parts of a plan prove. */
export function concludeAudit<Datum>(plan: AuditPlan<Datum>, ...parts: readonly AuditCounts[]): AuditResult {
  const { claims, confidence, trials, shares, lastBits, searched } = plan;
  const counts = parts.reduce(mergeShares);
  const probabilities = 2 * (plan.alone.events.length + plan.together.events.length);
  const failure = (1 - confidence) / Math.max(1, probabilities);
  const events = [...boundEvents(plan, counts, 'alone', failure), ...boundEvents(plan, counts, 'together', failure)];
  const bound = (claim: Guarantee, exact: number | undefined): Bound => {
    let most: Bound = { value: 0, method: methodOf(events[0]?.score), evidence: 'none' };
    if (exact !== undefined) most = { value: exact, method: 'enumeration', evidence: 'all outputs of the channel' };
    for (const { high, low, score, what } of events) {
      const value = parameterAbove(claim, high, low);
      if (value > most.value) most = { value, method: methodOf(score), evidence: what };
    }
    return most;
  };
  const found = claims.map((claimed, c): ClaimAudit => {
    const { value, method, evidence } = bound(claimed, plan.exact?.[c]);
    // Bounds from counts have a margin for rounding; a sum of exact probabilities has none.
    const refuted = method === 'enumeration' ? exceedsClaim(value, claimed) : value > claimedParameter(claimed);
    return { claimed, lowerBound: finiteBound(value), refuted, method, evidence };
  });
  const mu = found.find(({ claimed }) => claimed.kind === 'gdp')?.lowerBound;
  const decisive = found.find(({ refuted }) => refuted) ?? found[0];
  return {
    claimed: claims[0],
    ...epsilonOf(plan, found[0], (claim) => bound(claim, undefined).value),
    ...(mu === undefined ? {} : { muLowerBound: mu }),
    confidence,
    trials,
    shares,
    lastBits,
    split: { probabilities, failureOfEach: probabilities === 0 ? 0 : failure },
    verdict: found.some(({ refuted }) => refuted) ? 'violation' : 'consistent',
    pair: plan.pair.name,
    searched,
    method: decisive.method,
    evidence: decisive.evidence,
    claims: found,
  };
}

function epsilonOf<Datum>(
  { delta }: AuditPlan<Datum>,
  { claimed, lowerBound }: ClaimAudit,
  read: (claim: Guarantee) => number,
): Pick<AuditResult, 'lowerBound' | 'delta' | 'lowerBoundBy'> {
  if (claimed.kind === 'pure') return { lowerBound, delta: 0, lowerBoundBy: 'events' };
  if (claimed.kind === 'approximate') return { lowerBound, delta: claimed.delta, lowerBoundBy: 'events' };
  if (claimed.kind === 'zcdp') {
    return { lowerBound: finiteBound(read(approximate({ epsilon: 0, delta }))), delta, lowerBoundBy: 'events' };
  }
  const epsilon = lowerBound > 1e150 ? Number.MAX_VALUE : lowerBound > 0 ? gdpEpsilon(lowerBound, delta) : 0;
  return { lowerBound: epsilon, delta, lowerBoundBy: 'Gaussian curve' };
}

/** An event with a lower bound of its probability under the first datum and an upper bound under the second. */
interface BoundedEvent {
  readonly high: number;
  readonly low: number;
  readonly score: AuditScore;
  readonly what: string;
}

function boundEvents<Datum>(plan: AuditPlan<Datum>, counts: AuditCounts, sight: AuditSight, failure: number) {
  const { scores, events } = plan[sight];
  const { trials, first, second } = counts[sight];
  return events.map(({ score }: AuditEvent, e): BoundedEvent => {
    const what = describeScore(scores[score]) + (sight === 'together' ? ', of two reports with one source' : '');
    return {
      high: probabilityBelow(first[e], trials, failure),
      low: probabilityAbove(second[e], trials, failure),
      score: scores[score],
      what,
    };
  });
}

function methodOf(score: AuditScore | undefined): AuditMethod {
  return score?.kind === 'likelihood ratio' ? 'likelihood ratio' : 'learned score';
}

/** What an attacker achieved against one run of a central mechanism. */
export interface OneRunCounts {
  /** m, the number of canaries: records that are each put into the data or left out by their own fair coin. */
  readonly canaries: number;
  /** r ≤ m, the number of coins the attacker guessed; it abstained for the others. */
  readonly guesses: number;
  readonly correct: number;
}

/** The outcome of an audit in one run: plain data. */
export interface OneRunResult extends OneRunCounts, Pick<AuditResult, 'claimed' | 'confidence' | 'verdict' | 'delta'> {
  /** Lower bound of ε at `delta`, for adding or removing one canary. */
  readonly lowerBound: number;
  /** Upper bound on the probability of so many right guesses if the claim holds. */
  readonly pValue: number;
  readonly method: 'one run';
}

/**
 * An upper bound of the probability that an attacker with r guesses about m fair coins gets `correct` or more of them
 * right, if the mechanism is (ε, δ)-differentially private for adding or removing any one canary:
 *
 *     P(W ≥ v) + 2mδ·max over i of P(v > W ≥ v − i)/i,   W ~ Binomial(r, e^ε/(e^ε + 1))
 *
 * Source: Steinke, Nasr, Jagielski (2023), Privacy auditing with one (1) training run, Theorem 5.2.
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
  // By Hoeffding's inequality all probabilities above are below e^(−3200) together, 0 as a double.
  const first = min(correct - 1, ceil(guesses * (1 - wrong) + 40 * sqrt(guesses)));
  let logTerm = choices(first) + first * log(1 - wrong) + (guesses - first) * log(wrong);
  let sum = 0;
  let most = 0;
  for (let k = first; k >= 0; k--) {
    const term = exp(logTerm);
    sum += term;
    const mean = sum / (correct - k);
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
 * Source: Steinke, Nasr, Jagielski (2023), Privacy auditing with one (1) training run, Theorem 5.2.
 * @throws TypeError or RangeError unless there are 1 to 1e9 canaries, no more guesses than canaries and no more right ones
 * than guesses; for a confidence outside (0, 1), what is no guarantee, and a Gaussian or concentrated claim without a δ in (0, 1).
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
 * @throws RangeError for scores that are no numbers, scores and coins of different numbers, or more guesses than canaries.
 */
export function guessInclusion(
  scores: ArrayLike<number>,
  included: ArrayLike<boolean>,
  guesses: { readonly in: number; readonly out: number },
): OneRunCounts {
  const canaries = checkInteger('scores.length', scores.length, 1);
  if (included.length !== canaries) throw new RefusedValue('included', `${canaries} coins`, included.length);
  if (!Array.from(scores).every((score) => typeof score === 'number' && !Number.isNaN(score))) {
    throw new RefusedValue('"scores" expected numbers, which may be infinite');
  }
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
