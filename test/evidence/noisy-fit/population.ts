import type { Random } from 'ldpkit';
import { fillNormal, normal } from 'ldpkit/mechanism';
import type { BoundedModelRequest, CentralRecord, descend } from 'ldpkit/protocols/noisy-gradient-descent';

const { sqrt, SQRT2 } = Math;

/** Huber regression on three features and an intercept with σ = 2 known. */
export const REGRESSION_MODEL: BoundedModelRequest = { kind: 'huber', features: 3, scale: 2 };

/** Records of a setting that is over in milliseconds, and enough for both algorithms at μ = ½. */
export const SMALL_RUN = 700;

/** A noisy algorithm as a study runs it on records of {@link drawRegression}. */
export interface NoisyAlgorithm {
  /** In texts: `noisy Newton`. */
  readonly name: string;
  /** In keys: `newton`. */
  readonly key: string;
  /** How its iterates come about, and what was chosen here: a sentence or two. */
  readonly summary: string;
  /** One fit of {@link REGRESSION_MODEL}. */
  run(mu: number, records: readonly CentralRecord[], random: Random): ReturnType<typeof descend>;
}

/**
 * Draws n records: x ~ N(0, [1 .5 0; .5 2 0; 0 0 2]), y = 1 + x₁ + x₂ + x₃ + 2·Z.
 *
 * Source: Avella-Medina, Bradshaw, Loh (2023), simulations of linear regression.
 */
export function drawRegression(count: number, random: Random): CentralRecord[] {
  return Array.from({ length: count }, () => {
    const first = normal(random);
    const second = 0.5 * first + sqrt(1.75) * normal(random);
    const third = SQRT2 * normal(random);
    const response = 1 + first + second + third + 2 * normal(random);
    return { features: Float64Array.of(first, second, third), response };
  });
}

/** ‖θ − θ₀‖² for the coefficients θ₀ = (1, 1, 1, 1) of {@link drawRegression}. */
export function squaredDistance(theta: Float64Array): number {
  return theta.reduce((sum, entry) => sum + (entry - 1) ** 2, 0);
}

/**
 * Draws n records with x ~ N(0, I_p) and y = x₁ + … + x_p + 2·Z, whose features are x times a public factor: coefficients are 1/factor.
 *
 * Mallows weights are cut at ‖features‖² = 2. With the factor √(2/p) that is ‖x‖² = p, where most of them are.
 */
export function drawStandardDesign(count: number, dimension: number, factor: number, random: Random): CentralRecord[] {
  return Array.from({ length: count }, () => {
    const features = new Float64Array(dimension);
    fillNormal(features, random);
    const response = features.reduce((sum, x) => sum + x, 2 * normal(random));
    for (let i = 0; i < dimension; i++) features[i] *= factor;
    return { features, response };
  });
}
