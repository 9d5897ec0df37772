import { checkInteger, checkNonNegative, checkPositive, refusal } from '../../src/check/number.ts';
import { normalCdf } from '../../src/numeric/normal.ts';
import { type ApproximateGuarantee, approximate } from '../../src/privacy/guarantee.ts';
import { skipProbability } from './decision.ts';
import type { InfluenceParameters } from './parameters.ts';

const { exp, expm1, log, log1p, max, min, pow, sqrt } = Math;

/** What is said of Algorithm 1, and what became of it. It is no guarantee, and nothing that expects one takes it. */
export interface InfluenceClaim {
  readonly kind: 'claim';
  /** (ε₁ + ε₂, δ₁ + δ₂), as Theorem 5 has it. */
  readonly claimed: ApproximateGuarantee;
  readonly holds: false;
  /** Why it does not hold. */
  readonly because: string;
  /** What audits of constructed data prove at a claim of (1, 2·10⁻⁶): the numbers of {@link AUDITED}. */
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

/** The claim of Theorem 5 about these parameters, marked as refuted. */
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

/** The numbers of the excess risk of noisy descent. */
export interface ExcessRiskNumbers {
  /** L(θ_0; D) − L*. */
  readonly gap: number;
  /** μ of the Polyak–Łojasiewicz condition ‖∇L‖² ≥ 2μ(L − L*). */
  readonly pl: number;
  /** L: smoothness; the step is 1/L. */
  readonly smoothness: number;
  /** m: number of parameters. */
  readonly dimension: number;
  /** σ of the noise in every coordinate. */
  readonly sigma: number;
  /** T. */
  readonly steps: number;
  /** k/n, the share of steps with noise; 1 if left out. */
  readonly noisedShare?: number;
}

/**
 * The excess empirical risk of Theorem 1, and of Theorem 6 with `noisedShare`: (1 − μ/L)^T·gap + (k/n)·mσ²/(2μ).
 *
 * Law: holds for steps along the *mean* gradient. The proof drops the variance of the gradient of one drawn record from (4): with
 * steps of 1/L on single records a floor that no n lowers is left, unless all gradients vanish at θ*.
 *
 * @throws TypeError or RangeError naming the field, or for μ > L.
 *
 * Source: Kang, Li, Liu, Wang, Theorems 1 and 6, before the constants are dropped.
 */
export function excessRiskBound(numbers: ExcessRiskNumbers): number {
  const gap = checkNonNegative('gap', numbers.gap);
  const smoothness = checkPositive('smoothness', numbers.smoothness);
  const pl = checkPositive('pl', numbers.pl);
  if (pl > smoothness) throw new RangeError(refusal('pl', `a number of at most the smoothness ${smoothness}`, pl));
  const m = checkInteger('dimension', numbers.dimension, 1);
  const sigma = checkNonNegative('sigma', numbers.sigma);
  const share = checkNonNegative('noisedShare', numbers.noisedShare ?? 1);
  const steps = checkInteger('steps', numbers.steps, 0);
  return pow(1 - pl / smoothness, steps) * gap + (share * m * sigma * sigma) / (2 * pl);
}

/** The numbers of Theorems 2 and 3. */
export interface StabilityNumbers {
  /** E[L(θ_priv; D) − L*]. */
  readonly excessRisk: number;
  /** E[L*]. */
  readonly leastRisk: number;
  /** n. */
  readonly records: number;
  /** G. */
  readonly lipschitz: number;
  /** L. */
  readonly smoothness: number;
  /** μ of the Polyak–Łojasiewicz condition. */
  readonly pl: number;
}

/**
 * The generalisation error of Theorem 2: inf over τ > 0 of 8(τ + L)·excess/μ + 16G²(τ + L)/(n²μ²) + L·E L(θ_priv; D)/τ.
 *
 * Law: the infimum of a·(τ + L) + b/τ is aL + 2√(ab). The loss must be nonnegative (lemma 2).
 *
 * Source: Kang, Li, Liu, Wang, Theorem 2.
 */
export function generalizationBound(numbers: StabilityNumbers): number {
  const { slope, smoothness } = stability(numbers);
  const risk = smoothness * (numbers.excessRisk + numbers.leastRisk);
  return slope * smoothness + 2 * sqrt(slope * risk);
}

/**
 * The excess population risk of Theorems 3 and 7, at the best τ: the bound of Theorem 2 and the excess empirical risk. Theorem 7
 * is this with the excess empirical risk of Theorem 6.
 *
 * Source: Kang, Li, Liu, Wang, Theorems 3 and 7.
 */
export function populationRiskBound(numbers: StabilityNumbers): number {
  return generalizationBound(numbers) + numbers.excessRisk;
}

function stability(numbers: StabilityNumbers): { slope: number; smoothness: number } {
  const n = checkInteger('records', numbers.records, 1);
  const pl = checkPositive('pl', numbers.pl);
  const g = checkPositive('lipschitz', numbers.lipschitz);
  const excess = checkNonNegative('excessRisk', numbers.excessRisk);
  checkNonNegative('leastRisk', numbers.leastRisk);
  const slope = (8 * excess) / pl + ((16 * g) / (n * pl)) * (g / (n * pl));
  return { slope, smoothness: checkPositive('smoothness', numbers.smoothness) };
}

/**
 * The probability that a record is drawn in T steps, 1 − (1 − 1/n)^T: what any δ has to cover if its gradient is shown.
 */
export function drawnProbability({ records, steps }: { readonly records: number; readonly steps: number }): number {
  return -expm1(checkInteger('steps', steps, 1) * log1p(-1 / checkInteger('records', records, 2)));
}
