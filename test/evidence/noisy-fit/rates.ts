import type { descent } from 'ldpkit/protocols/noisy-gradient-descent';

const { log, sqrt } = Math;

/** What the lower bound speaks of. */
export interface MinimaxFields {
  /** σ, standard deviation of the noise of responses. */
  readonly deviation: number;
  /** p. */
  readonly dimension: number;
  /** n. */
  readonly records: number;
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * The curve σ·(√(p/n) + p·√log(1/δ)/(nε)) that no (ε, δ)-private estimator of p coefficients stays below, up to a constant that is
 * not stated: to be drawn beside measured errors, whose slopes it has.
 *
 * Source: Cai, Wang, Zhang (2021), The cost of privacy; slides of Avella-Medina (2023), remark on optimal rates.
 *
 * @theorem slides Remark, optimal rates of convergence
 */
export function minimaxErrorRate(fields: MinimaxFields): number {
  const { deviation, dimension: p, records: n, epsilon, delta } = fields;
  return deviation * (sqrt(p / n) + (p * sqrt(-log(delta))) / (n * epsilon));
}

/**
 * The printed rate √K·p/(μn) of ‖θ⁽ᴷ⁾ − θ̂‖, without its constant. With Mallows weights B does not grow with p, but curvature falls
 * like 1/p.
 *
 * Source: slides of Avella-Medina (2023), theorems on noisy gradient descent and noisy Newton, part 2.
 * @theorem slides Theorem, noisy gradient descent, part 2
 * @theorem slides Theorem, noisy Newton, part 2
 */
export function privacyErrorRate({
  steps,
  model,
  mu,
  records,
}: Pick<ReturnType<typeof descent>, 'steps' | 'model' | 'mu' | 'records'>): number {
  return (sqrt(steps) * model.dimension) / (mu * records);
}

/** 1 − ητ₁: how much nearer one step without noise comes to the minimiser at least. */
export function contraction({ step, strongConvexity }: ReturnType<typeof descent>): number {
  return 1 - step * strongConvexity;
}
