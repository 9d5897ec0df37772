import { checkInteger, checkNonNegative, checkPositive, refusal } from '../../src/check/number.ts';

const { pow, sqrt } = Math;

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
 * Source: Kang, Li, Liu, Wang, Theorems 1 and 6, before the constants are dropped.
 *
 * @throws TypeError or RangeError naming the field, or for μ > L.
 * @theorem influence Definition 5
 * @theorem influence Theorem 1
 * @theorem influence Equation (4)
 * @theorem influence Remark 3
 * @theorem influence Theorem 6
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
 * @theorem influence Remark 2
 * @theorem influence Theorem 2
 * @theorem influence Lemma 2
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
 * @theorem influence Theorem 3
 * @theorem influence Remark 4
 * @theorem influence Theorem 7
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
