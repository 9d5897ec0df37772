import { logGamma, normalCdf, normalDensity } from 'ldpkit/inference';
import { mallowsWeight } from 'ldpkit/optimize';
import { asymptoticCovariance, type OnlinePlan } from 'ldpkit/protocols/online-sgd';

const { exp, log } = Math;

/** Moments of the score of weighted Huber regression on x = (1, z), z standard normal, under normal noise. */
export interface HuberMoments {
  /** The diagonal of A = E[w(x)·xxᵀ]·P(|ε| < c): of the intercept, and of every slope. A and S are diagonal by symmetry. */
  readonly hessian: Float64Array;
  /** The diagonal of S = E[w(x)²·xxᵀ]·E ψ_c(ε)². */
  readonly gradient: Float64Array;
}

/** Panels of the rule below: the integrands are smooth but for one kink, where a panel ends. */
const PANELS = 4000;

/**
 * A and S at the truth, to 1e-9: one integral over the length of z for each entry.
 *
 * Source: inference paper, example 1; the moments of w(x) follow from w = min(1, 2/‖x‖²).
 */
export function huberMoments(features: number, deviation: number, threshold: number): HuberMoments {
  const weighted = radialMoments(features, (w, squared) => [w, (w * squared) / features]);
  const squaredWeights = radialMoments(features, (w, squared) => [w * w, (w * w * squared) / features]);
  const c = threshold / deviation;
  const inside = 2 * normalCdf(c) - 1;
  // E min(|ε|, c)² for a normal ε.
  const score = deviation ** 2 * (inside - 2 * c * normalDensity(c) + 2 * c * c * normalCdf(-c));
  const diagonal = ([intercept, slope]: readonly [number, number], factor: number): Float64Array =>
    Float64Array.from({ length: features + 1 }, (_, i) => factor * (i === 0 ? intercept : slope));
  return { hessian: diagonal(weighted, inside), gradient: diagonal(squaredWeights, score) };
}

/** The diagonal of A⁻¹(S + noise)A⁻¹ at the truth, with the noise of a plan. All else of it is 0, by symmetry. */
export function huberCovariance(plan: OnlinePlan, deviation: number, threshold: number): Float64Array {
  const { dimension, features } = plan.model;
  const square = (diagonal: Float64Array): Float64Array =>
    Float64Array.from({ length: dimension ** 2 }, (_, k) =>
      k % (dimension + 1) === 0 ? diagonal[k / (dimension + 1)] : 0,
    );
  const { hessian, gradient } = huberMoments(features, deviation, threshold);
  const covariance = asymptoticCovariance(plan, { hessian: square(hessian), gradient: square(gradient) });
  return Float64Array.from({ length: dimension }, (_, i) => covariance[i * (dimension + 1)]);
}

/** E of two functions of w(x) and ‖z‖², z standard normal, by Simpson's rule on [0, 1] and [1, 14], the weight having a kink at 1. */
function radialMoments(
  features: number,
  of: (weight: number, squared: number) => readonly [number, number],
): readonly [number, number] {
  const scale = log(2) * (1 - features / 2) - logGamma(features / 2);
  const sums = [0, 0];
  for (const [from, to] of [
    [0, 1],
    [1, 14],
  ]) {
    const step = (to - from) / PANELS;
    for (let i = 0; i <= PANELS; i++) {
      const radius = from + i * step;
      if (radius === 0 && features > 1) continue;
      const density = exp(scale + (features - 1) * (radius === 0 ? 0 : log(radius)) - radius ** 2 / 2);
      const weight = (step / 3) * (i === 0 || i === PANELS ? 1 : i % 2 === 1 ? 4 : 2);
      const values = of(mallowsWeight(1 + radius * radius), radius * radius);
      sums[0] += weight * density * values[0];
      sums[1] += weight * density * values[1];
    }
  }
  return [sums[0], sums[1]];
}
