import {
  type Budget,
  checkBudget,
  checkFinite,
  checkInteger,
  checkNonNegative,
  checkNormBound,
  checkPositive,
  checkWord,
  RefusedValue,
} from '../../src/check/refusal.ts';
import { gdpMu } from '../../src/privacy/gaussian.ts';
import { bracket } from '../../src/privacy/rounding.ts';

const { abs, ceil, exp, expm1, log, log1p, max, min, PI, sqrt } = Math;

/**
 * E of Theorem 4: the error of the influence of leaving out a record is at most (2LG + CG²/ζ)/(ζ²n²) in the ℓ₂ norm.
 *
 * Law: proved if ζ bounds the smallest eigenvalue of H. The printed ‖H‖₂ ≥ ζ bounds the largest and says nothing of
 * H⁻¹. The proof leaves out the ½ of Taylor's remainder, so the bound is too large by a factor of 2. From n = 5 on this
 * factor also covers the Hessian of n − 1 records, whose curvature is (n − 1)ζ/n.
 *
 * Source: Kang, Li, Liu, Wang, Theorem 4.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Theorem 4
 */
export function remainderBound(
  constants: Pick<InfluenceRequest, 'records' | 'lipschitz' | 'smoothness' | 'hessianLipschitz' | 'curvature'>,
): number {
  const n = checkInteger('records', constants.records, 2);
  const g = checkPositive('lipschitz', constants.lipschitz);
  const l = checkNonNegative('smoothness', constants.smoothness);
  const c = checkNonNegative('hessianLipschitz', constants.hessianLipschitz);
  const zeta = checkPositive('curvature', constants.curvature);
  return (2 * l * g + (c * g * g) / zeta) / (zeta * n * (zeta * n));
}

/** The constant that the paper calls c′ and evaluates at 2.83; also the default of its unnamed c. */
const PRINTED_CONSTANT: number = 2 * Math.SQRT2;

/** How H⁻¹∇ℓ is computed: from the matrix, or from products with it, over all records or over drawn records. */
export type InfluenceMethod = 'explicit' | 'conjugate-gradient' | 'lissa';

/**
 * How a Hessian with eigenvalues below ζ is treated. `refuse`: an error. `add`: ζ is added to its diagonal (remark 5 of
 * the paper); an error if that is not enough. `raise`: its eigenvalues below ζ are set to ζ; with the method `explicit`
 * only.
 */
export type CurvatureRepair = 'refuse' | 'add' | 'raise';

/** The request for Algorithm 1. */
export interface InfluenceRequest {
  /** ε₁, claimed for the model. */
  readonly epsilon1: number;
  /** δ₁, claimed for the model; it also sets the threshold of the decision. */
  readonly delta1: number;
  /** ε₂, claimed for the contributions. */
  readonly epsilon2: number;
  /** δ₂, claimed for the contributions. */
  readonly delta2: number;
  /** Number of records n. */
  readonly records: number;
  /** G: bound on the gradient of a record, from 1e-100 to 1e300. Gradients are scaled down to it. */
  readonly lipschitz: number;
  /** L: smoothness of the loss. */
  readonly smoothness: number;
  /** C: Lipschitz constant of the Hessian. */
  readonly hessianLipschitz: number;
  /** ζ > 0: a number below the eigenvalues of the Hessian. */
  readonly curvature: number;
  /** r: radius of the space of parameters. */
  readonly radius: number;
  /** T_local: steps in a round, all with the Hessian of its start. */
  readonly localRounds: number;
  /** R: number of rounds. */
  readonly globalRounds: number;
  /** α; 1/L if left out. */
  readonly step?: number;
  /** The paper's c; 2√2 if left out. Only `printed` reads it. */
  readonly noiseConstant?: number;
  /** `explicit` if left out. */
  readonly method?: InfluenceMethod;
  /** `refuse` if left out. */
  readonly repair?: CurvatureRepair;
}

/** Everything the curator needs, derived once. Plain data. */
export interface InfluenceParameters extends Required<Omit<InfluenceRequest, 'noiseConstant'>> {
  /** Which variant made them. */
  readonly variant: 'printed' | 'recalibrated';
  /** T = T_local·R. */
  readonly steps: number;
  /** σ: standard deviation of the noise on a gradient, in steps with noise. */
  readonly sigma: number;
  /** σ_c: standard deviation of the noise on a doubled contribution. */
  readonly contributionSigma: number;
  /** E of Theorem 4, added to every coordinate of a contribution. */
  readonly remainder: number;
  /** A step has no noise if every coordinate of the noised contribution is at most this. */
  readonly threshold: number;
}

/** The noise scales of Theorem 5, as a result of the checked numbers. */
type Scales = (request: InfluenceRequest, steps: number) => Pick<InfluenceParameters, 'sigma' | 'contributionSigma'>;

/**
 * Algorithm 1 with the noise of Theorem 5 as printed:
 *
 *     σ = c·G·√(T·log(1/δ₁))/(nε₁),   σ_c = 2√2·G·R·√(log(1.25R/δ₂))/(nζε₂)
 *
 * Guarantee: none. The theorem claims (ε₁ + ε₂, δ₁ + δ₂); see {@link claimOf}.
 *
 * Source: Kang, Li, Liu, Wang, Data heterogeneity differential privacy, Algorithm 1 and Theorem 5.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Algorithm 1
 * @theorem influence Theorem 5
 */
export function printed(request: InfluenceRequest): InfluenceParameters {
  const noiseConstant = checkPositive('noiseConstant', request.noiseConstant ?? PRINTED_CONSTANT);
  return derive('printed', request, (given, steps) => {
    const { records, lipschitz, curvature, globalRounds, epsilon1, delta1, epsilon2, delta2 } = given;
    return {
      sigma: printedSigma({ epsilon: epsilon1, delta: delta1, records, lipschitz, steps, noiseConstant }),
      contributionSigma:
        (PRINTED_CONSTANT * lipschitz * globalRounds * sqrt(log((1.25 * globalRounds) / delta2))) /
        (records * curvature * epsilon2),
    };
  });
}

/**
 * Algorithm 1 with noise that would be enough if noise were added in every step. σ comes from the moments accountant
 * for T drawn records at (ε₁, δ₁), σ_c from Gaussian composition over the T released contributions at (ε₂, δ₂), each of
 * sensitivity 4G/(nζ). The printed 2G/(nζ) ignores the factor 2 of line 9, and that the Hessian changes with the data
 * as well.
 *
 * Guarantee: none. The steps without noise remain, and they are enough to refute the claim.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Remark 6
 * @theorem influence Theorem 5
 * @theorem influence Remark 9
 */
export function recalibrated(request: InfluenceRequest): InfluenceParameters {
  const { noiseConstant } = request;
  if (noiseConstant !== undefined) throw new RefusedValue('noiseConstant', 'none but for printed', noiseConstant);
  return derive('recalibrated', request, (given, steps) => {
    const { records, lipschitz, curvature } = given;
    const budget = { epsilon: given.epsilon1, delta: given.delta1 };
    const mu = gdpMu({ epsilon: given.epsilon2, delta: given.delta2 }) / sqrt(steps);
    return {
      sigma: momentsSigma({ ...budget, records, batch: 1, steps, lipschitz }),
      contributionSigma: (4 * lipschitz) / (records * curvature) / mu,
    };
  });
}

/**
 * The noise (2) of the paper, σ = c·G·√(T·log(1/δ))/(nε), for gradients of single records.
 *
 * Guarantee: none. The source of the formula needs σ ≥ G and T at least of the order of n²ε. With T = O(log n), as in
 * Theorem 1, σ tends to 0 while a record is drawn with probability T/n: see `drawnRecordDelta`.
 *
 * Source: the same paper, (2), after Abadi et al. (2016), Theorem 1.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Equation (2)
 */
export function printedSigma(
  request: Omit<SampledDescent, 'batch'> & Budget & Pick<InfluenceRequest, 'noiseConstant'>,
): number {
  const { epsilon, delta } = checkBudget(request);
  const records = checkInteger('records', request.records, 1);
  const steps = checkInteger('steps', request.steps, 1);
  const constant = checkPositive('noiseConstant', request.noiseConstant ?? PRINTED_CONSTANT);
  const lipschitz = checkPositive('lipschitz', request.lipschitz);
  return (constant * lipschitz * sqrt(steps * log(1 / delta))) / (records * epsilon);
}

/**
 * The split of the paper's experiments, ε₁ = 3ε₂ = 3ε/4, with δ halved.
 * @theorem influence Remark 10
 */
export function splitBudget(budget: Budget): Pick<InfluenceRequest, 'epsilon1' | 'delta1' | 'epsilon2' | 'delta2'> {
  const { epsilon, delta } = checkBudget(budget);
  return { epsilon1: 0.75 * epsilon, delta1: delta / 2, epsilon2: 0.25 * epsilon, delta2: delta / 2 };
}

/**
 * The decision of Algorithm 1 in closed form: a step has no noise if every |[c_t]_i| is at most 2rδ₁(1 + e^{−ε₁}).
 *
 * Law: solving line 10 for |c| gives A(1 − e^{−2ε₁})/(e^{ε₁} − 1), which equals this and is below the bound of line 9.
 * It *falls* with ε₁, from 4rδ₁ to 2rδ₁: a larger budget lets fewer records pass, not more as the paper says. Only
 * through σ_c do more pass.
 * @theorem influence Algorithm 1
 */
export function decisionThreshold({
  epsilon1,
  delta1,
  radius,
}: Pick<InfluenceRequest, 'epsilon1' | 'delta1' | 'radius'>): number {
  return 2 * radius * delta1 * (1 + exp(-epsilon1));
}

function derive(
  variant: InfluenceParameters['variant'],
  request: InfluenceRequest,
  scales: Scales,
): InfluenceParameters {
  const first = checkBudget({ epsilon: request.epsilon1, delta: request.delta1 });
  const second = checkBudget({ epsilon: request.epsilon2, delta: request.delta2 });
  if (!(first.delta + second.delta < 1)) {
    throw new RefusedValue('delta1 + delta2', 'a number below 1', first.delta + second.delta);
  }
  const smoothness = checkPositive('smoothness', request.smoothness);
  const repair = checkWord('repair', request.repair ?? 'refuse', ['refuse', 'add', 'raise']);
  const method = checkWord('method', request.method ?? 'explicit', ['explicit', 'conjugate-gradient', 'lissa']);
  if (repair === 'raise' && method !== 'explicit') {
    throw new RefusedValue('repair', 'refuse or add, since only the explicit method has eigenvalues', repair);
  }
  const checked = {
    epsilon1: first.epsilon,
    delta1: first.delta,
    epsilon2: second.epsilon,
    delta2: second.delta,
    // A contribution compares n records with n − 1.
    records: checkInteger('records', request.records, 2),
    lipschitz: checkNormBound('lipschitz', request.lipschitz),
    smoothness,
    hessianLipschitz: checkNonNegative('hessianLipschitz', request.hessianLipschitz),
    curvature: checkPositive('curvature', request.curvature),
    radius: checkPositive('radius', request.radius),
    localRounds: checkInteger('localRounds', request.localRounds, 1),
    globalRounds: checkInteger('globalRounds', request.globalRounds, 1),
    step: checkPositive('step', request.step ?? 1 / max(smoothness, Number.MIN_VALUE)),
    method,
    repair,
  };
  const steps = checkInteger('localRounds * globalRounds', checked.localRounds * checked.globalRounds, 1);
  return {
    variant,
    ...checked,
    steps,
    ...scales(checked, steps),
    remainder: remainderBound(checked),
    threshold: decisionThreshold(checked),
  };
}

/** A noisy descent, every step of which draws a batch of records anew, without replacement. */
export interface SampledDescent {
  /** Number of records n. */
  readonly records: number;
  readonly batch: number;
  /** Number of steps T. */
  readonly steps: number;
  /** G: bound on the gradient of a record. The mean over a batch b changes by 2G/b. */
  readonly lipschitz: number;
}

/**
 * Rényi orders: small ones closely spaced, then sparser; for ε = .01 the best is near 2000. At the last one the conversion costs less than
 * a tenth of the least ε, 1e-9, whatever δ is.
 */
const ORDERS: readonly number[] = makeOrders(1e13);

function makeOrders(largest: number): number[] {
  const orders: number[] = [1.05, 1.1, 1.2, 1.35, 1.5, 1.75];
  for (let order = 2; order <= largest; order = order < 24 ? order + 1 : Math.ceil(order * 1.15)) orders.push(order);
  return orders;
}

/** Spacing of the trapezoidal rule, in standard deviations of the noise. */
const SPACING: number = 1 / 64;

/** Relative error allowed for the rule: with an eighth of the spacing no sum differs by more than a tenth of this. */
const RULE_ERROR = 1e-9;

/** More than the relative rounding of a divergence and of the term added to it. */
const SLACK: number = 2 ** -44;

/** Largest α·Δ/σ for which the drawing is counted. Above this it hardly helps any more, and the sum gets long. */
const LARGEST_PEAK = 2000;

/**
 * A bound on the Rényi divergence of order α of one step with noise of standard deviation σ = `multiplier`·Δ. Δ is the sensitivity of
 * the batch, whose b of n records are drawn without replacement, b/n = `rate`; data sets differ in one record. Rounded up.
 *
 * Law: with q = b/n, P = N(1/multiplier, 1), Q = N(0, 1) and r = 1 − q + q·dP/dQ, the pair of laws with the curve
 * δ(ε) = q·δ_PQ(log(1 + (e^ε − 1)/q)) in both directions has (α − 1)·ε′ = log(1 + ∫_{r > 1} (r^α − 1)(1 − r^(1 − α))
 * dQ). At q = 1 that is α/(2·multiplier²), and for q < 1 never more.
 *
 * The normal limit of T steps is μ = √2·q·√(T·(e^(1/s²)·Φ(3/(2s)) + 3Φ(−1/(2s)) − 2)), s the multiplier. For (ε, 10⁻⁶), ten passes or
 * more in batches of 1 or 10 % take 1.03 to 1.1 times the noise of that limit, mostly from the conversion from Rényi orders; one pass
 * takes 1.1 to 1.5 times, and single records 1.02 to 2.9 times: most if so few are drawn that the limit does not hold.
 *
 * Source: Balle, Barthe, Gaboardi (2018), Privacy amplification by subsampling, Theorem 9, for the curve; Zhu, Dong, Wang (2022),
 * Optimal accounting of differential privacy via characteristic function, for the pair of laws, whose divergences bound all others;
 * Dong, Roth, Su (2022), Gaussian differential privacy, for the limit.
 */
export function sampledRenyi(order: number, rate: number, multiplier: number): number {
  if (!(checkFinite('order', order) > 1)) throw new RefusedValue('order', 'a number > 1', order);
  checkPositive('rate', rate);
  const mu = 1 / checkPositive('multiplier', multiplier);
  const undrawn = (order * mu * mu) / 2;
  if (rate >= 1 || order * mu > LARGEST_PEAK) return undrawn;
  // From x = μ/2 on r is above 1. Beyond x = αμ the integrand falls faster than the density of a normal law.
  const start = mu / 2;
  const points = ceil((order * mu + 10 - start) / SPACING);
  let sum = 0;
  for (let i = 1; i <= points; i++) {
    const x = start + i * SPACING;
    const whole = mu * (x - start);
    // log(1 − q + q·e^whole), also where the exponential overflows.
    const loss = whole > 30 ? whole + log(rate + (1 - rate) * exp(-whole)) : log1p(rate * expm1(whole));
    const power = order * loss;
    const density = -0.5 * x * x;
    // A single exponential if the power alone might overflow.
    const high = power > 30 ? exp(power + density) : expm1(power) * exp(density);
    sum -= high * expm1(loss - power);
  }
  const excess = sum * (SPACING / sqrt(2 * PI)) * (1 + RULE_ERROR);
  return min(undrawn, log1p(excess) / (order - 1));
}

/**
 * The moments accountant: an ε for which the descent with noise σ on the mean gradient of every step is (ε, δ)-private for
 * replacing one record of the curator's data.
 *
 * Source: Abadi et al. (2016), Deep learning with differential privacy, for the method; Canonne, Kamath, Steinke (2020),
 * Proposition 12, for the conversion.
 */
export function momentsEpsilon(descent: SampledDescent & { readonly sigma: number; readonly delta: number }): number {
  const { rate, sensitivity, steps } = checkDescent(descent);
  const { delta } = checkBudget({ epsilon: 1, delta: descent.delta });
  const multiplier = checkPositive('sigma', descent.sigma) / sensitivity;
  let least = Infinity;
  for (const order of ORDERS) {
    const divergence = steps * sampledRenyi(order, rate, multiplier);
    const spent = log1p(-1 / order) - (log(delta) + log(order)) / (order - 1);
    // Raised by more than the rounding of both terms.
    least = min(least, divergence + spent + SLACK * (divergence + abs(spent)));
    // The divergence grows with the order, so larger orders cannot be better from here on.
    if (divergence > least) break;
  }
  return max(0, least);
}

/**
 * The least noise σ on the mean gradient of a step, by the moments accountant, that keeps the descent within (ε, δ).
 *
 * Guarantee: (ε, δ), replace-one, central. Rounded up.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Equation (2)
 */
export function momentsSigma(descent: SampledDescent & Budget): number {
  const { sensitivity } = checkDescent(descent);
  const { epsilon } = checkBudget(descent);
  const enough = (multiplier: number): boolean =>
    momentsEpsilon({ ...descent, sigma: multiplier * sensitivity }) <= epsilon;
  let [above, below] = bracket(enough, 2);
  // Six digits are enough, and each trial sums about a thousand terms.
  for (let i = 0; i < 20; i++) {
    const middle = (above + below) / 2;
    if (enough(middle)) above = middle;
    else below = middle;
  }
  return above * sensitivity;
}

function checkDescent(descent: SampledDescent): { rate: number; sensitivity: number; steps: number } {
  const records = checkInteger('records', descent.records, 1);
  const batch = checkInteger('batch', descent.batch, 1, records);
  const steps = checkInteger('steps', descent.steps, 1);
  return { rate: batch / records, sensitivity: (2 * checkPositive('lipschitz', descent.lipschitz)) / batch, steps };
}
