import { checkInteger, checkNonNegative, checkPositive } from '../../src/check/number.ts';
import { normalCdf } from '../../src/numeric/normal.ts';
import { type ApproximateGuarantee, approximate } from '../../src/privacy/guarantee.ts';
import { skipProbability } from './decision.ts';
import type { InfluenceParameters } from './parameters.ts';

export {
  type ExcessRiskNumbers,
  excessRiskBound,
  generalizationBound,
  populationRiskBound,
  type StabilityNumbers,
} from './risk-bounds.ts';

const { exp, expm1, log, log1p, max, min, pow, sqrt } = Math;

/** What is said of Algorithm 1, and what became of it. It is no guarantee, and nothing that expects one takes it. */
export interface InfluenceClaim {
  readonly kind: 'claim';
  /** (ε₁ + ε₂, δ₁ + δ₂), as Theorem 5 has it. */
  readonly claimed: ApproximateGuarantee;
  readonly holds: false;
  /** Why it does not hold. */
  readonly because: string;
  /** What audits of constructed data prove at a claim of (1, 2·10⁻⁶): the numbers of `AUDITED`. */
  readonly audited: typeof AUDITED;
}

/**
 * Lower bounds of ε, each with confidence .99, where (1, 2·10⁻⁶) is claimed: by events in 8000 runs on two data sets that differ
 * in one record, and by one run with 128 canaries. Both are as large as so many trials can prove; see `exposedExample`, and
 * `unboundedDelta` for a proof that no ε holds. The tests repeat both audits.
 */
export const AUDITED: { readonly threshold: number; readonly oneRun: number } = {
  threshold: 6.2,
  oneRun: 3,
};

/**
 * The claim of Theorem 5 about these parameters, marked as refuted.
 *
 * @theorem influence Remark 7
 * @theorem influence Theorem 5
 */
export function claimOf(
  parameters: Pick<InfluenceParameters, 'epsilon1' | 'epsilon2' | 'delta1' | 'delta2'>,
): InfluenceClaim {
  return {
    kind: 'claim',
    claimed: approximate({
      epsilon: parameters.epsilon1 + parameters.epsilon2,
      delta: parameters.delta1 + parameters.delta2,
    }),
    holds: false,
    because:
      'a step without noise shows the gradient of its record as it is, and whether it has noise depends on the data',
    audited: AUDITED,
  };
}

/**
 * A δ that Algorithm 1 needs whatever ε is, on data sets that differ in a record with contribution c_z + E, while all the other
 * records have no gradient at any θ: P(the record is drawn)·P(no step has noise).
 *
 * Law: without noise the model takes one of finitely many values, each of which shows that the record was there; with noise it
 * takes any of them with probability 0. The event has probability 0 under the other data set, so that no e^ε covers it. Exact for
 * one round, in which contributions do not change.
 * @theorem influence Theorem 5
 */
export function unboundedDelta(
  parameters: Pick<InfluenceParameters, 'records' | 'steps' | 'threshold' | 'contributionSigma' | 'remainder'>,
  contribution: Float64Array,
): number {
  const { records, steps, remainder } = parameters;
  const rest = skipProbability(new Float64Array(contribution.length).fill(remainder), parameters);
  const its = skipProbability(contribution, parameters);
  // Step by step: the record with its probability of passing, or another with theirs.
  const all = pow(its / records + (1 - 1 / records) * rest, steps);
  return all - pow((1 - 1 / records) * rest, steps);
}

/**
 * The exact δ(ε) of the last iterate of T noisy steps on drawn records for the linear losses ⟨θ, x⟩ of two data sets, all of whose
 * records are 0 but for one of norm G in the first: a lower bound of the δ of DP-SGD with noise σ, G-Lipschitz losses and n
 * records. With σ after (2) and T = O(log n) it is T/n and not δ.
 *
 * Law: θ_T/α is N(−kG, Tσ²) with k binomial(T, 1/n) against N(0, Tσ²); the likelihood ratio is monotone, so the best event is a
 * half-line, found by bisection.
 * @theorem influence Equation (2)
 */
export function drawnRecordDelta(descent: {
  readonly epsilon: number;
  readonly sigma: number;
  readonly lipschitz: number;
  readonly records: number;
  readonly steps: number;
}): number {
  const epsilon = checkNonNegative('epsilon', descent.epsilon);
  const records = checkInteger('records', descent.records, 2);
  const steps = checkInteger('steps', descent.steps, 1);
  const shift = checkPositive('lipschitz', descent.lipschitz) / (checkPositive('sigma', descent.sigma) * sqrt(steps));
  // log P(k) of the binomial by its recursion; terms that underflow contribute nothing.
  const most = min(steps, 2000);
  const logShares = new Float64Array(most + 1);
  logShares[0] = steps * log1p(-1 / records);
  for (let k = 1; k <= most; k++) {
    logShares[k] = logShares[k - 1] + log((steps - k + 1) / k) - log(records - 1);
  }
  const logRatio = (x: number): number => {
    let largest = -Infinity;
    for (let k = 0; k <= most; k++) largest = max(largest, logShares[k] + k * shift * (x - (k * shift) / 2));
    let sum = 0;
    for (let k = 0; k <= most; k++) sum += exp(logShares[k] + k * shift * (x - (k * shift) / 2) - largest);
    return largest + log(sum);
  };
  let below = -1;
  let above = 1;
  while (logRatio(above) < epsilon) above *= 2;
  while (logRatio(below) > epsilon && below > -1e9) below *= 2;
  for (let i = 0; i < 80; i++) {
    const middle = (below + above) / 2;
    if (logRatio(middle) < epsilon) below = middle;
    else above = middle;
  }
  let delta = -exp(epsilon) * normalCdf(-above);
  for (let k = 0; k <= most; k++) delta += exp(logShares[k]) * normalCdf(k * shift - above);
  return max(0, delta);
}

/**
 * The probability that a record is drawn in T steps, 1 − (1 − 1/n)^T: what any δ has to cover if its gradient is shown.
 *
 * @theorem influence Equation (2)
 */
export function drawnProbability({ records, steps }: { readonly records: number; readonly steps: number }): number {
  return -expm1(checkInteger('steps', steps, 1) * log1p(-1 / checkInteger('records', records, 2)));
}
