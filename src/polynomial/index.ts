// Polynomials and what noise does to them: ldpkit/polynomial.

export { chebyshevSeries, chebyshevToMonomial, evaluateChebyshev } from './chebyshev.ts';
export { radialGradientCorrection } from './heat.ts';
export { liftSize } from './lift.ts';
export { createLiftedPolynomial } from './lifted-polynomial.ts';
export { evaluatePolynomial } from './monomial.ts';
export { gaussLobatto } from './quadrature.ts';
