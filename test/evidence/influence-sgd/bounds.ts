import { normalCdf } from 'ldpkit/inference';

const { exp, expm1, log, log1p, max, min, pow, sqrt } = Math;

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
 * @theorem influence Definition 5
 * @theorem influence Theorem 1
 * @theorem influence Equation (4)
 * @theorem influence Remark 3
 * @theorem influence Theorem 6
 */
export function excessRiskBound(numbers: ExcessRiskNumbers): number {
  const { gap, smoothness, pl, dimension: m, sigma, noisedShare: share = 1, steps } = numbers;
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
  const { smoothness } = numbers;
  const slope = slopeOf(numbers);
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

// a of a·(τ + L) + b/τ.
function slopeOf({ excessRisk, records: n, lipschitz: g, pl }: StabilityNumbers): number {
  return (8 * excessRisk) / pl + ((16 * g) / (n * pl)) * (g / (n * pl));
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
  const { epsilon, records, steps } = descent;
  const shift = descent.lipschitz / (descent.sigma * sqrt(steps));
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
  return -expm1(steps * log1p(-1 / records));
}
