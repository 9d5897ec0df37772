import { seededRandom } from 'ldpkit';
import { type MarginLoss, onePassOracle, sigm } from 'ldpkit/optimize';
import { chebyshevSeries, chebyshevToMonomial } from 'ldpkit/polynomial';
import { copies, generalizedLinear, gradientVariance, productGradients } from 'ldpkit/protocols/generalized-linear';
import { simulate } from 'ldpkit/simulate';
import type { People } from './population.ts';

type ReportTally = Parameters<typeof productGradients>[2];

/** What is asked of {@link chebyshevModel}. */
export interface ChebyshevRequest {
  readonly radius: number;
  readonly epsilon: number;
  readonly delta: number;
  /** d, of the series in the place of f′. */
  readonly degree: number;
}

/**
 * Zheng, Mou, Wang 2017, for smooth generalized linear losses: the Chebyshev series of f′, its powers from independent noisy copies
 * of the record, and one inexact gradient step for each report. The copies are those of this toolkit, whose Gaussian noise is
 * calibrated exactly; the oracle is that of algorithm 1 of Wang, Smith, Xu 2020, who took the idea from there.
 *
 * Guarantee: (ε, δ).
 */
export function chebyshevModel(
  request: ChebyshevRequest,
  loss: MarginLoss,
  people: People,
  seed: string,
): Float64Array {
  const { radius, epsilon, delta, degree } = request;
  const { population, direction } = people;
  const dimension = direction.length;
  const parameters = copies({ epsilon, delta, degree, dimension });
  const interval = { lower: -radius, upper: radius };
  const coefficients = chebyshevToMonomial(chebyshevSeries(loss.derivative, degree, interval), interval);
  const tally = simulate(generalizedLinear, parameters, population, { seed: `${seed}/reports` });
  const oracle = onePassOracle(
    productGradients(parameters.copies, coefficients, tally as ReportTally),
    seededRandom(`${seed}/order`),
  );
  const edge = new Float64Array(dimension);
  edge[0] = 1;
  const at = { coefficients, w: edge.map((entry) => radius * entry), features: edge, label: 1 };
  const deviation = Math.sqrt(gradientVariance(parameters, 'product', at));
  const { smoothness } = loss;
  return sigm({ oracle, radius, iterations: population.players, order: 1, growth: 'constant', smoothness, deviation })
    .point;
}
