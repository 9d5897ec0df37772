import { checkFinite, checkInteger, checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { averagedSgd } from '../../src/optimize/averaged-sgd.ts';
import { onePassOracle, type ReportGradients } from '../../src/optimize/oracle.ts';
import { sigm } from '../../src/optimize/sigm.ts';
import { withReplacementOracle } from '../../src/optimize/with-replacement.ts';
import { chebyshevSeries, chebyshevToMonomial } from '../../src/polynomial/chebyshev.ts';
import { evaluatePolynomial } from '../../src/polynomial/monomial.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { smoothedHinge } from '../../src/risk/hinge.ts';
import type { CopiesParameters } from './parameters.ts';
import { canonicalOrder, productGradients, productRisk } from './product.ts';
import type { HingeEstimate, HingeQuery } from './query.ts';
import type { ReportTally } from './tally.ts';
import { gradientVariance } from './variance.ts';

/** Width of the smoothed hinge where the query names none. */
export const DEFAULT_BETA = 0.1;

/**
 * The polynomial in the place of f′_β that algorithm 1 uses: its Chebyshev series on [−R, R] truncated at the degree, in
 * monomials c_0 … c_d.
 *
 * Source: Wang, Smith, Xu 2020, definition 5 and algorithm 1, line 1.
 */
export function chebyshevCoefficients(degree: number, beta: number, radius: number): Float64Array {
  const loss = smoothedHinge({ beta });
  const interval = { lower: -radius, upper: radius };
  return chebyshevToMonomial(chebyshevSeries(loss.derivative, degree, interval), interval);
}

/**
 * The server of algorithm 1: stochastic steps along the product estimates of single reports.
 *
 * The reports are read in an order of the server's own choice (sorted, then drawn from the seed), so that the estimate does
 * not depend on the order of arrival.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 10–20.
 */
export function minimizeByReports(parameters: CopiesParameters, tally: ReportTally, query: HingeQuery): HingeEstimate {
  const { copies, dimension } = parameters;
  const { players } = tally;
  const radius = checkPositive('radius', query.radius ?? 1);
  const beta = checkPositive('beta', query.beta ?? DEFAULT_BETA);
  const wanted = query.degree === undefined || query.degree === 'automatic' ? parameters.degree : query.degree;
  const degree = checkInteger('degree', wanted, 0, parameters.degree);
  const coefficients =
    query.coefficients === undefined
      ? chebyshevCoefficients(degree, beta, radius)
      : Float64Array.from(query.coefficients);
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  coefficients.forEach((c, k) => {
    checkFinite(`coefficients[${k}]`, c);
  });
  const usual = parameters.maker === 'printed' ? 'sigm-with-replacement' : 'sigm';
  const method = checkWord('method', query.method ?? usual, ['sigm', 'sigm-with-replacement', 'averaged-sgd']);

  const order = canonicalOrder(copies, tally);
  const sum = productGradients(copies, coefficients, tally);
  const sorted: ReportGradients = {
    ...sum,
    gradient: (index, point, target) => sum.gradient(order[index], point, target),
  };
  const random = seededRandom(query.seed ?? parameters.digest);
  const oracle =
    method === 'sigm-with-replacement' ? withReplacementOracle(sorted, random) : onePassOracle(sorted, random);

  // What the steps are sized by: the smoothness of f_β, and the deviation of one estimate on the sphere of radius R.
  const { smoothness, value, derivative } = smoothedHinge({ beta });
  const w = new Float64Array(dimension).fill(radius / Math.sqrt(dimension));
  const features = new Float64Array(dimension).fill(1 / Math.sqrt(dimension));
  const deviation = Math.sqrt(1 + gradientVariance(parameters, 'product', { coefficients, w, features, label: 1 }));
  const quality = { smoothness, deviation };
  const { point } =
    method === 'averaged-sgd'
      ? averagedSgd({ oracle, radius, steps: players, ...quality })
      : sigm({ oracle, radius, iterations: players, order: 1, ...quality });

  let bias = 0;
  for (let i = 0; i <= 2000; i++) {
    const t = radius * (i / 1000 - 1);
    bias = Math.max(bias, Math.abs(evaluatePolynomial(coefficients, t) - derivative(t)));
  }
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== dimension) throw new RangeError(refusal('w', `${dimension} numbers`, at.length));
    return value(0) + productRisk(copies, coefficients, tally, at).mean;
  };
  const { mean, standardError } = productRisk(copies, coefficients, tally, point);
  return {
    players,
    w: point,
    radius,
    degree: coefficients.length - 1,
    coefficients,
    ridge: 0,
    bias,
    risk: value(0) + mean,
    standardError,
    riskAt,
  };
}
