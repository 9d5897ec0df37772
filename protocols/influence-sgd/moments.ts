import { type Budget, checkBudget } from '../../src/check/budget.ts';
import { checkInteger, checkPositive } from '../../src/check/number.ts';
import { logGamma } from '../../src/numeric/gamma.ts';

const { exp, expm1, log, log1p, max, min } = Math;

/** A noisy descent whose steps draw their records anew. */
export interface SampledDescent {
  /** Number of records n. */
  readonly records: number;
  /** Records of a step, drawn without replacement, all subsets equally likely. */
  readonly batch: number;
  /** Number of steps T. */
  readonly steps: number;
  /** G: bound on the gradient of a record. The mean over a batch b changes by 2G/b. */
  readonly lipschitz: number;
}

/** Rényi orders: all small ones, then sparser; for ε = .01 the best is near 2000. */
const ORDERS: readonly number[] = makeOrders(20_000);

function makeOrders(largest: number): number[] {
  const orders: number[] = [];
  for (let order = 2; order <= largest; order = order < 24 ? order + 1 : Math.ceil(order * 1.15)) orders.push(order);
  return orders;
}

/**
 * A bound on the Rényi divergence of order α of one step with noise of standard deviation σ = `multiplier`·Δ, Δ the sensitivity of
 * the batch, whose b of n records are drawn without replacement; data sets differ in one record.
 *
 * Law: with q = b/n and ε(j) = j/(2·multiplier²),
 * (α − 1)·ε′ = log(1 + q²·C(α, 2)·min(4(e^{ε(2)} − 1), 2e^{ε(2)}) + Σ_{j=3}^{α} 2·q^j·C(α, j)·e^{(j−1)ε(j)}), and never more than ε(α).
 *
 * Beside the normal limit of T steps, μ = q·√(T(e^{1/s²} − 1)) with s the multiplier, the noise for (ε, 10⁻⁶) is 1.2 to 2.1 times as
 * large for single records and ε ≥ 1, 1.3 to 2.4 for batches of 1 % in so few passes that the best order is small. Where it is not,
 * the gain from drawing is given up altogether, ten to a thousand times the noise, and shuffled passes with Gaussian composition
 * need less.
 *
 * Source: Wang, Balle, Kasiviswanathan (2019), Subsampled Rényi differential privacy and analytical moments accountant,
 * Theorem 9.
 */
export function sampledRenyi(order: number, rate: number, multiplier: number): number {
  const alpha = checkInteger('order', order, 2);
  checkPositive('multiplier', multiplier);
  const base = (j: number): number => j / (2 * multiplier * multiplier);
  if (rate >= 1) return base(alpha);
  const logRate = log(checkPositive('rate', rate));
  const logChoose = (j: number): number => logGamma(alpha + 1) - logGamma(j + 1) - logGamma(alpha - j + 1);
  const second = base(2) > 1 ? log(2) + base(2) : log(min(4 * expm1(base(2)), 2 * exp(base(2))));
  // log Σ of the terms after the 1, with the largest kept apart: they may be far below the digits of 1.
  let most = 2 * logRate + logChoose(2) + second;
  let sum = 1;
  for (let j = 3; j <= alpha; j++) {
    const term = log(2) + j * logRate + logChoose(j) + (j - 1) * base(j);
    if (term > most) {
      sum = sum * exp(most - term) + 1;
      most = term;
    } else sum += exp(term - most);
    // Once it is no better than no sampling at all, the exact value does not matter.
    if (most > (alpha - 1) * base(alpha)) return base(alpha);
  }
  const excess = most + log(sum);
  return min(base(alpha), (excess > 30 ? excess : log1p(exp(excess))) / (alpha - 1));
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
    least = min(least, divergence + log1p(-1 / order) - (log(delta) + log(order)) / (order - 1));
    // The divergence grows with the order: larger orders lose from here on.
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
  // Six digits are plenty, and each trial sums some thousand terms.
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
