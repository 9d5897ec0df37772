import { checkInteger, checkNonNegative } from '../../src/check/number.ts';
import { radialGradientCovariance } from '../../src/polynomial/heat.ts';
import { evaluatePolynomial } from '../../src/polynomial/monomial.ts';
import { printedSphereConstant, sphereConstant } from '../../src/risk/convex-mixture.ts';
import { liftedGradientNoise } from './expansion.ts';
import type { CopiesParameters, GaussianParameters, LiftedParameters } from './parameters.ts';

/** Midpoints in the angle between u and w − x; the integrand is smooth and even, so a few hundred are exact to rounding. */
const ANGLES = 512;

/**
 * E‖G‖² of the direction estimate from one report at a point with ‖w − x‖² = r, over noise and directions, in closed form but
 * for one integral over the angle.
 *
 * Law: given u the factors are independent with mean m = ⟨u, w − x⟩/2 and variance σ²/4, so E(Σ c_j t_j − ½)² =
 * `(P(m) − ½)² + Σ c_j²((m² + σ²/4)^j − m^{2j})`, and ‖G‖ = C·|Σ c_j t_j − ½|. As printed each factor has mean 0 and variance
 * (r/p + σ²)/4, and c_0 is left out.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 17, with constants.
 * @theorem noninteractive Theorem 17
 */
export function productSecondMoment(parameters: CopiesParameters, coefficients: ArrayLike<number>, r: number): number {
  const { dimension, sigma, variant } = parameters;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkNonNegative('r', r);
  const noise = (sigma * sigma) / 4;
  if (variant === 'printed') {
    let sum = 0.25;
    for (let j = 1; j < coefficients.length; j++) sum += coefficients[j] ** 2 * (r / (4 * dimension) + noise) ** j;
    return printedSphereConstant(dimension) ** 2 * sum;
  }
  let mass = 0;
  let mean = 0;
  for (let i = 0; i < ANGLES; i++) {
    // In dimension 1 there are two directions, ±1.
    const angle = dimension === 1 ? (i % 2) * Math.PI : ((i + 0.5) * Math.PI) / ANGLES;
    const weight = dimension === 1 ? 1 : Math.sin(angle) ** (dimension - 2);
    const m = (Math.cos(angle) * Math.sqrt(r)) / 2;
    let square = (evaluatePolynomial(coefficients, m) - 0.5) ** 2;
    for (let j = 1; j < coefficients.length; j++) {
      square += coefficients[j] ** 2 * ((m * m + noise) ** j - m ** (2 * j));
    }
    mass += weight;
    mean += weight * square;
  }
  return (sphereConstant(dimension) ** 2 * mean) / mass;
}

/** A point, a place and a polynomial: what the variance of one report's gradient estimate Q(r)(w − x) depends on. */
export interface GradientSetting {
  /** c_0 … c_k of Q. */
  readonly coefficients: ArrayLike<number>;
  /** The place w. */
  readonly w: ArrayLike<number>;
  /** The player's x. */
  readonly point: ArrayLike<number>;
}

/**
 * The variance E‖G − Q(r)(w − x)‖² of the gradient estimate from one report of `lifted`, `gaussian`, or averaged copies.
 *
 * Law: for a Gaussian copy by the heat flow of the squared estimate; for `lifted` the block noise of PrivUnitG, whose
 * covariance is (1/m²)(I + (γm − m²)uuᵀ), the second part sent to what the gradient is without its constant part c(w)w.
 *
 * @throws RangeError for a wrong number of coefficients or coordinates.
 */
export function gradientVariance(
  parameters: LiftedParameters | GaussianParameters | CopiesParameters,
  setting: GradientSetting,
): number {
  const { coefficients, w, point } = setting;
  const { dimension } = parameters;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkInteger('w.length', w.length, dimension, dimension);
  checkInteger('point.length', point.length, dimension, dimension);
  let r = 0;
  let rho = 0;
  for (let i = 0; i < dimension; i++) {
    r += (w[i] - point[i]) ** 2;
    rho += w[i] * w[i];
  }
  if (parameters.variant !== 'lifted') {
    const sigma = 'copies' in parameters ? parameters.sigma / Math.sqrt(parameters.copies) : parameters.sigma;
    return evaluatePolynomial(radialGradientCovariance(coefficients, coefficients, { dimension, sigma }), r);
  }
  const { features, scales, mechanism } = parameters;
  let noise = 0;
  features.blocks.forEach((block, b) => {
    noise += liftedGradientNoise(block, coefficients, coefficients, dimension, rho) / scales[b] ** 2;
  });
  // What w alone contributes is no image of the report: Q(ρ)w.
  const there = evaluatePolynomial(coefficients, r);
  const alone = evaluatePolynomial(coefficients, rho);
  let along = 0;
  for (let i = 0; i < dimension; i++) along += (there * (w[i] - point[i]) - alone * w[i]) ** 2;
  return mechanism.coordinateVariance * noise + (mechanism.alongVariance - mechanism.coordinateVariance) * along;
}
