import { checkPositive, refusal } from '../../src/check/number.ts';
import { largestGap } from '../../src/optimize/settled-fit.ts';
import { chebyshevSeries, chebyshevToMonomial } from '../../src/polynomial/chebyshev.ts';
import type { CopiesParameters } from '../../src/protocol/margin/parameters.ts';
import { productCoefficients, productEstimate, productGradients } from '../../src/protocol/margin/product.ts';
import type { MarginEstimate, MarginQuery } from '../../src/protocol/margin/query.ts';
import type { ReportTally } from '../../src/protocol/margin/tally.ts';
import { gradientVariance } from '../../src/protocol/margin/variance.ts';
import { walkReports } from '../../src/protocol/margin/walk.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { smoothedHinge } from '../../src/risk/hinge.ts';

/** Width of the smoothed hinge where the query names none. */
export const DEFAULT_BETA = 0.1;

/** Radius of the widest interval of a Chebyshev series, in units of β. */
const MOST_WIDTHS = 2000;

/**
 * The polynomial in the place of f′_β that algorithm 1 uses: its Chebyshev series on [−R, R] truncated at the degree, in
 * monomials c_0 … c_d.
 *
 * Source: Wang, Smith, Xu 2020, definition 5 and algorithm 1, line 1.
 * @theorem noninteractive Algorithm 1
 */
export function chebyshevCoefficients(degree: number, beta: number, radius: number): Float64Array {
  const loss = smoothedHinge({ beta });
  // Beyond it the kink is too sharp on the interval for its series to settle.
  if (radius > MOST_WIDTHS * beta) {
    throw new RangeError(refusal('radius', `at most ${MOST_WIDTHS}·β where the loss is expanded in a series`, radius));
  }
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
 * @theorem noninteractive Algorithm 1
 */
export function minimizeByReports(
  parameters: CopiesParameters,
  tally: ReportTally,
  query: MarginQuery,
): MarginEstimate {
  const { copies, dimension } = parameters;
  const radius = checkPositive('radius', query.radius ?? 1);
  const beta = checkPositive('beta', query.beta ?? DEFAULT_BETA);
  const coefficients = productCoefficients(parameters, query, (degree) => chebyshevCoefficients(degree, beta, radius));
  // What the steps are sized by: the smoothness of f_β, and the deviation of one estimate on the sphere of radius R.
  const { smoothness, value, derivative } = smoothedHinge({ beta });
  const edge = new Float64Array(dimension).fill(radius / Math.sqrt(dimension));
  const features = new Float64Array(dimension).fill(1 / Math.sqrt(dimension));
  const deviation = Math.sqrt(
    1 + gradientVariance(parameters, 'product', { coefficients, w: edge, features, label: 1 }),
  );
  const quality = { smoothness, deviation };
  const gradients = productGradients(copies, coefficients, tally);
  const random = seededRandom(query.seed ?? parameters.digest);
  const w = walkReports(parameters, tally, gradients, quality, query, random);
  const bias = largestGap(coefficients, derivative, radius);
  return productEstimate(parameters, tally, { w, radius, coefficients, bias, origin: value(0) });
}
