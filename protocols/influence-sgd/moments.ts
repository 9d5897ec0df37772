import {
  type Budget,
  checkBudget,
  checkFinite,
  checkInteger,
  checkPositive,
  RefusedValue,
} from '../../src/check/refusal.ts';

const { abs, ceil, exp, expm1, log, log1p, max, min, PI, sqrt } = Math;

/** A noisy descent in which every step draws its records anew. */
export interface SampledDescent {
  /** Number of records n. */
  readonly records: number;
  /** Number of records in a step, drawn without replacement, all subsets equally likely. */
  readonly batch: number;
  /** Number of steps T. */
  readonly steps: number;
  /** G: bound on the gradient of a record. The mean over a batch b changes by 2G/b. */
  readonly lipschitz: number;
}

/** Rényi orders: small ones closely spaced, then sparser; for ε = .01 the best is near 2000. */
const ORDERS: readonly number[] = makeOrders(20_000);

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
 * A bound on the Rényi divergence of order α of one step with noise of standard deviation σ = `multiplier`·Δ. Δ is the
 * sensitivity of the batch, whose b of n records are drawn without replacement; data sets differ in one record.
 *
 * Law: with q = b/n, P = N(1/multiplier, 1), Q = N(0, 1) and r = 1 − q + q·dP/dQ, the pair of laws with the curve
 * δ(ε) = q·δ_PQ(log(1 + (e^ε − 1)/q)) in both directions has (α − 1)·ε′ = log(1 + ∫_{r > 1} (r^α − 1)(1 − r^(1 − α))
 * dQ). At q = 1 that is α/(2·multiplier²), and for q < 1 never more. Rounded up.
 *
 * The normal limit of T steps is μ = √2·q·√(T·(e^(1/s²)·Φ(3/(2s)) + 3Φ(−1/(2s)) − 2)), s the multiplier. For (ε, 10⁻⁶),
 * batches of 1 or 10 % and ten passes or more take 1.03 to 1.1 times the noise of that limit, mostly from the
 * conversion from Rényi orders. One pass takes 1.1 to 1.5 times, and single records 1.02 to 2.9 times: most if so few
 * are drawn that the limit does not hold.
 *
 * Source: Balle, Barthe, Gaboardi (2018), Privacy amplification by subsampling, Theorem 9, for the curve; Zhu, Dong,
 * Wang (2022), Optimal accounting of differential privacy via characteristic function, for the pair of laws, whose
 * divergences bound all others; Dong, Roth, Su (2022), Gaussian differential privacy, for the limit.
 *
 * @throws TypeError or RangeError unless the order is > 1, and rate and multiplier are > 0.
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
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Equation (2)
 */
export function momentsSigma(descent: SampledDescent & Budget): number {
  const { sensitivity } = checkDescent(descent);
  const { epsilon } = checkBudget(descent);
  const enough = (multiplier: number): boolean =>
    momentsEpsilon({ ...descent, sigma: multiplier * sensitivity }) <= epsilon;
  let above = 1;
  while (!enough(above)) above *= 2;
  let below = above / 2;
  while (enough(below)) {
    above = below;
    below /= 2;
  }
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
