import { createScratch, reserveExactly } from '../../src/check/datum.ts';
import { checkInteger, checkNonNegative, checkWord } from '../../src/check/refusal.ts';
import { canonicalOrder, type ReportTally } from '../../src/core/channel.ts';
import { onePassOracle, type ReportGradients, withReplacementOracle } from '../../src/optimize/oracle.ts';
import { averagedSgd, sigm } from '../../src/optimize/stochastic-gradient.ts';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial, evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { fillSphere, type Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { printedSphereConstant, sphereConstant } from '../../src/risk/convex-mixture.ts';
import { type EuclideanMedianEstimate, type EuclideanMedianQuery, settingsOf } from './estimate.ts';
import type { CopiesParameters } from './parameters.ts';

/**
 * c_0 … c_d of the polynomial in the place of h′_β = ½(1 + t/√(t² + β²)): its Chebyshev series on [−T, T] truncated at
 * the degree. T = (1 + R)/2 is the largest |⟨u, w − x⟩/2| for a unit vector u.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 3, line 1.
 * @theorem noninteractive Algorithm 3
 */
export function stepCoefficients(degree: number, beta: number, radius: number = 1): Float64Array {
  const interval = { lower: -(1 + radius) / 2, upper: (1 + radius) / 2 };
  return chebyshevToMonomial(chebyshevSeries(smoothedStep(beta), degree, interval), interval);
}

/** h′_β. */
function smoothedStep(beta: number): (t: number) => number {
  return (t) => (1 + t / Math.sqrt(t * t + beta * beta)) / 2;
}

/**
 * The polynomial Q with C·E u(P(⟨u, v⟩/2) − ½) = Q(‖v‖²)·v: what remains of algorithm 3 when u is integrated out. Even
 * powers vanish, and `E u⟨u, v⟩^{2k+1} = v‖v‖^{2k}·(2k + 1)!!/(p(p + 2)⋯(p + 2k))`.
 *
 * Shape: from coefficients of P in ⟨u, v⟩/2 to coefficients of Q in r, half as many.
 * @theorem noninteractive Algorithm 3
 */
export function integrateDirections(coefficients: ArrayLike<number>, dimension: number): Float64Array {
  const weight = new Float64Array(Math.max(1, Math.floor(coefficients.length / 2)));
  let moment = sphereConstant(dimension) / 2;
  for (let k = 0; 2 * k + 1 < coefficients.length; k++) {
    // From k − 1 to k: two more factors ½, and (2k + 1)/(p + 2k).
    moment *= (k === 0 ? 1 : (2 * k + 1) / 4) / (dimension + 2 * k);
    weight[k] = coefficients[2 * k + 1] * moment;
  }
  return weight;
}

const FORMS = {
  copies: { independent: false, constant: sphereConstant, method: 'sigm' },
  // A separate u_k in every factor, and the sum without its constant term.
  printed: { independent: true, constant: printedSphereConstant, method: 'sigm-with-replacement' },
} as const;

// Scratch of the product estimators: the direction of the gradient and of a factor.
const outerScratch = /* @__PURE__ */ createScratch(0);
const innerScratch = /* @__PURE__ */ createScratch(0);

/**
 * Writes the gradient estimate of one report by algorithm 3 into `target`: C·u·(Σ_j c_j t_j − ½),
 * t_j = ∏ ⟨u, w − x_k⟩/2 over the j copies of group j. There is *one* u per gradient, the sum starts at j = 0, and the
 * constant is the right one. Its mean over noise and u is C·E u(P(⟨u, w − x⟩/2) − ½): the smoothed loss's gradient.
 *
 * For variant `printed`, as printed: a separate u_k in every factor and outside, the sum from j = 1, the printed
 * constant. The mean is exactly 0, because the outer u is independent of everything else.
 *
 * Shape: the report begins at entry `at` of `values`.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 3, lines 11–16; errata.
 * @theorem noninteractive Algorithm 3
 */
export function directionGradient(
  parameters: CopiesParameters,
  coefficients: ArrayLike<number>,
  values: ArrayLike<number>,
  at: number,
  w: ArrayLike<number>,
  random: Random,
  target: Float64Array,
): void {
  const { dimension, variant } = parameters;
  const { independent, constant } = FORMS[variant];
  const outer = reserveExactly(outerScratch, dimension);
  const inner = reserveExactly(innerScratch, dimension);
  fillSphere(outer, random);
  let sum = (independent ? 0 : coefficients[0]) - 0.5;
  for (let j = 1, copy = at; j < coefficients.length; j++) {
    let product = 1;
    for (let k = 0; k < j; k++, copy += dimension) {
      if (independent) fillSphere(inner, random);
      const u = independent ? inner : outer;
      let dot = 0;
      for (let i = 0; i < dimension; i++) dot += u[i] * (w[i] - values[copy + i]);
      product *= dot / 2;
    }
    sum += coefficients[j] * product;
  }
  const factor = constant(dimension) * sum;
  for (let i = 0; i < dimension; i++) target[i] = factor * outer[i];
}

/**
 * The server of algorithm 3: stochastic steps along the direction estimates of single reports. The reports are read in
 * an order of the server's own choice (sorted, then drawn from the seed), so that the result does not depend on the
 * order of arrival. The risk in the estimate is that of the averaged copies, at the end point of the steps.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 3, lines 8–19.
 * @theorem noninteractive Algorithm 3
 */
export function minimizeByDirections(
  parameters: CopiesParameters,
  tally: ReportTally,
  query: EuclideanMedianQuery,
  averaged: EuclideanMedianEstimate,
): EuclideanMedianEstimate {
  const { dimension, length, variant } = parameters;
  const { radius, beta, degree, fixed } = settingsOf(parameters.degree, query);
  const coefficients = fixed ?? stepCoefficients(degree, beta, radius);
  const method = checkWord('method', query.method ?? FORMS[variant].method, [
    'sigm',
    'sigm-with-replacement',
    'averaged-sgd',
  ]);
  const seed = query.seed ?? parameters.digest;
  const random = seededRandom(seed);
  const directions = seededRandom(`${seed} directions`);
  const order = canonicalOrder(parameters, tally);
  const gradients: ReportGradients = {
    dimension,
    reports: tally.players,
    gradient: (index, point, target) =>
      directionGradient(parameters, coefficients, tally.values, order[index] * length, point, directions, target),
  };
  const oracle =
    method === 'sigm-with-replacement' ? withReplacementOracle(gradients, random) : onePassOracle(gradients, random);
  // h″_β ≤ 1/(2β), its argument has slope ½ along u, and the derivative is multiplied with C·u.
  const smoothness = sphereConstant(dimension) / (4 * beta);
  const quality = { smoothness, deviation: Math.sqrt(productSecondMoment(parameters, coefficients, 1)) };
  const { players } = tally;
  const w =
    method === 'averaged-sgd'
      ? averagedSgd({ oracle, radius, steps: players, ...quality }).point
      : sigm({ oracle, radius, iterations: players, order: 1, ...quality }).point;
  const exact = smoothedStep(beta);
  let bias = 0;
  for (let i = -200; i <= 200; i++) {
    const t = (i / 200) * ((1 + radius) / 2);
    bias = Math.max(bias, Math.abs(evaluatePolynomial(coefficients, t) - exact(t)));
  }
  return { ...averaged, w, radius, degree: coefficients.length - 1, coefficients, bias, risk: averaged.riskAt(w) };
}

/** Midpoints in the angle between u and w − x: the integrand is smooth and even, so they are exact to rounding. */
const ANGLES = 512;

/**
 * E‖G‖² of the direction estimate from one report at a point with ‖w − x‖² = r, over noise and directions, in closed
 * form except for one integral over the angle.
 *
 * Law: given u, the factors are independent with mean m = ⟨u, w − x⟩/2 and variance σ²/4. Hence ‖G‖ = C·|Σ c_j t_j − ½|
 * and E(Σ c_j t_j − ½)² = `(P(m) − ½)² + Σ c_j²((m² + σ²/4)^j − m^{2j})`. As printed, each factor has mean 0 and
 * variance (r/p + σ²)/4, and c_0 is left out.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 17, with constants.
 * @theorem noninteractive Theorem 17
 */
export function productSecondMoment(parameters: CopiesParameters, coefficients: ArrayLike<number>, r: number): number {
  const { dimension, sigma, variant } = parameters;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkNonNegative('r', r);
  const noise = (sigma * sigma) / 4;
  const { independent, constant } = FORMS[variant];
  if (independent) {
    let sum = 0.25;
    for (let j = 1; j < coefficients.length; j++) sum += coefficients[j] ** 2 * (r / (4 * dimension) + noise) ** j;
    return constant(dimension) ** 2 * sum;
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
  return (constant(dimension) ** 2 * mean) / mass;
}
