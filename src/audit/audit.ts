import { gdpEpsilon } from '../privacy/gaussian.ts';
import { approximate, type Guarantee } from '../privacy/guarantee.ts';
import { type AuditEvent, probabilityAbove, probabilityBelow } from './attack.ts';
import { claimedParameter, exceedsClaim, finiteBound, parameterAbove } from './claim.ts';
import { type AuditCounts, type AuditPlan, type AuditShares, auditShare, mergeShares, planAudit } from './plan.ts';
import { type AuditScore, describeScore } from './score.ts';
import type { AuditOptions, AuditSight, AuditTarget } from './target.ts';

/** How a bound was found. */
export type AuditMethod = 'enumeration' | 'likelihood ratio' | 'learned score';

/**
 * How an ε was read off: from counts of one event or from the exact channel, or from a bound on μ through its curve.
 */
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
export interface AuditResult {
  /** The first claim. */
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
  /** All bounds hold together with this probability. */
  readonly confidence: number;
  /** Reports drawn in all. */
  readonly trials: number;
  readonly shares: AuditShares;
  /** Whether the last bits of the numbers were also attacked. */
  readonly lastBits: boolean;
  /** Probabilities that were bounded, and the failure probability given to each. */
  readonly split: { readonly probabilities: number; readonly failureOfEach: number };
  /** `violation` if any claim is refuted. */
  readonly verdict: 'consistent' | 'violation';
  /** Name of the pair that was distinguished. */
  readonly pair: string;
  /** Names of all candidates. */
  readonly searched: readonly string[];
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
 *
 * @throws TypeError or RangeError for a target without claim or pair, too few trials, a confidence outside (0, 1).
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

/** A bound and its source. */
interface Bound {
  readonly value: number;
  readonly method: AuditMethod;
  readonly evidence: string;
}

/**
 * What the counts of all parts of a plan prove.
 *
 * @throws RangeError for counts that are not those of the plan.
 */
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

/** The bound on the first claim as an ε. */
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
