import { checkPositive } from '../check/number.ts';
import type { LossConstants } from './margin-loss.ts';

const { abs } = Math;

/**
 * A convex loss of an inner product and a response that is not a sign: ℓ(w; x, y) = f(⟨w, x⟩, y), whose gradient is
 * f′(⟨w, x⟩, y)·x. Derivatives are with respect to the inner product.
 *
 * Source: Wang, Smith, Xu 2020, remark 15.
 */
export interface ResponseLoss {
  /** What a report or a plot calls it. */
  readonly name: string;
  /** f(⟨w, x⟩, y). */
  value(inner: number, y: number): number;
  /** f′(⟨w, x⟩, y); at a kink one of the subgradients, which the variant names. */
  derivative(inner: number, y: number): number;
  /** f″(⟨w, x⟩, y) where it exists; 0 at a kink. */
  secondDerivative(inner: number, y: number): number;
  /** The constants for |⟨w, x⟩| ≤ R and |y| ≤ 1; R = 1 by default. */
  constantsOn(radius?: number): LossConstants;
  /** Whether f′ jumps where ⟨w, x⟩ = y. */
  readonly kinked: boolean;
}

/**
 * The squared loss ½(⟨w, x⟩ − y)² of linear regression. For |⟨w, x⟩| ≤ R and |y| ≤ 1 it is (1 + R)-Lipschitz, 2 on the unit
 * ball, and 1-smooth.
 *
 * @theorem noninteractive Remark 15
 */
export function squaredLoss(): ResponseLoss {
  return {
    name: 'squared',
    value: (inner, y) => 0.5 * (inner - y) * (inner - y),
    derivative: (inner, y) => inner - y,
    secondDerivative: () => 1,
    constantsOn: (radius = 1) => ({ lipschitz: 1 + checkPositive('radius', radius), smoothness: 1 }),
    kinked: false,
  };
}

/**
 * The ℓ₁ loss |⟨w, x⟩ − y| of median regression, 1-Lipschitz. At ⟨w, x⟩ = y the derivative is 1, its value from the right.
 *
 * @theorem noninteractive Remark 15
 */
export function absoluteResponseLoss(): ResponseLoss {
  return {
    name: 'absolute',
    value: (inner, y) => abs(inner - y),
    derivative: (inner, y) => (inner < y ? -1 : 1),
    secondDerivative: () => 0,
    constantsOn(radius = 1) {
      checkPositive('radius', radius);
      return { lipschitz: 1, smoothness: Infinity };
    },
    kinked: true,
  };
}
