import type { SmoothFunction } from '../../src/optimize/oracle.ts';
import { createLift } from '../../src/polynomial/lift.ts';
import { createLiftedPolynomial, type LiftedPolynomial } from '../../src/polynomial/lifted-polynomial.ts';
import { evaluatePolynomial, polynomialDerivative } from '../../src/polynomial/monomial.ts';
import { blockCoefficient } from './expansion.ts';
import type { RadialMoments } from './moments.ts';

/** What moments say at any w. */
export interface RadialRisks {
  /** E r^m, r = ‖w − x‖², for m = 0 … k + 1. */
  powerMeans(w: ArrayLike<number>): Float64Array;
  /** w ↦ E S(‖w − x‖²) for a potential S = Σ s_m r^m of degree at most k + 1: a polynomial in w, with its gradient. */
  risk(potential: ArrayLike<number>): SmoothFunction;
}

/** Evaluators of the means of radial polynomials, from moments. */
export function radialRisks({ features, values }: RadialMoments): RadialRisks {
  const { dimension, degree, blocks } = features;
  const inners: readonly (LiftedPolynomial | undefined)[] = blocks.map(({ power, offset, size }) => {
    if (power === 0) return undefined;
    const lift = createLift(dimension, power);
    const moments = new Float64Array(lift.size);
    moments.set(values.subarray(offset, offset + size), lift.offsets[power - 1]);
    const only = Array.from({ length: power }, (_, j) => (j + 1 === power ? 1 : 0));
    return createLiftedPolynomial(lift, only, moments);
  });

  function risk(potential: ArrayLike<number>): SmoothFunction {
    // The polynomial in ρ = ‖w‖² that multiplies each block, and its derivative.
    const factors = blocks.map((block) => {
      const { radial, power } = block;
      const length = Math.max(1, potential.length - radial - power);
      return Float64Array.from({ length }, (_, alpha) => {
        const m = alpha + radial + power;
        return m < potential.length ? potential[m] * blockCoefficient(m, block) : 0;
      });
    });
    const slopes = factors.map(polynomialDerivative);
    const free = Float64Array.from(potential);
    const freeSlope = polynomialDerivative(free);
    const part = new Float64Array(dimension);
    const squared = (w: ArrayLike<number>): number => {
      let sum = 0;
      for (let i = 0; i < dimension; i++) sum += w[i] * w[i];
      return sum;
    };
    return {
      dimension,
      value(w) {
        const rho = squared(w);
        let sum = evaluatePolynomial(free, rho);
        for (let b = 0; b < blocks.length; b++) {
          const inner = inners[b]?.value(w) ?? values[blocks[b].offset];
          sum += evaluatePolynomial(factors[b], rho) * inner;
        }
        return sum;
      },
      gradient(w, target) {
        const rho = squared(w);
        let along = evaluatePolynomial(freeSlope, rho);
        target.fill(0);
        for (let b = 0; b < blocks.length; b++) {
          const polynomial = inners[b];
          if (polynomial === undefined) {
            along += evaluatePolynomial(slopes[b], rho) * values[blocks[b].offset];
            continue;
          }
          const inner = polynomial.gradient(w, part);
          const factor = evaluatePolynomial(factors[b], rho);
          for (let i = 0; i < dimension; i++) target[i] += factor * part[i];
          along += evaluatePolynomial(slopes[b], rho) * inner;
        }
        for (let i = 0; i < dimension; i++) target[i] += 2 * along * w[i];
      },
    };
  }

  const means = Array.from({ length: degree + 2 }, (_, m) =>
    risk(Array.from({ length: m + 1 }, (_, j) => (j === m ? 1 : 0))),
  );
  return { risk, powerMeans: (w) => Float64Array.from(means, (mean) => mean.value(Float64Array.from(w))) };
}
