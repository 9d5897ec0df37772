/**
 * Polynomials, and what noise does to them.
 *
 * | to | start from |
 * |---|---|
 * | approximate a function | {@link chebyshevSeries}, {@link evaluateChebyshev} |
 * | change the basis | {@link chebyshevToMonomial}, {@link evaluatePolynomial} |
 * | take the bias of noisy arguments away | {@link radialGradientCorrection}, {@link createLiftedPolynomial} |
 *
 * @packageDocumentation
 */

export { chebyshevSeries, evaluateChebyshev, gaussLobatto } from './chebyshev.ts';
export { chebyshevToMonomial, evaluatePolynomial } from './fit.ts';
export { radialGradientCorrection } from './heat.ts';
export { createLiftedPolynomial, liftSize } from './lift.ts';
