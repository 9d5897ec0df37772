import { checkWord } from '../../check/number.ts';
import { averagedSgd } from '../../optimize/averaged-sgd.ts';
import { type OracleQuality, onePassOracle, type ReportGradients } from '../../optimize/oracle.ts';
import { sigm } from '../../optimize/sigm.ts';
import { withReplacementOracle } from '../../optimize/with-replacement.ts';
import type { Random } from '../../random/random.ts';
import type { CopiesParameters } from './parameters.ts';
import { canonicalOrder } from './product.ts';
import type { MarginQuery } from './query.ts';
import type { ReportTally } from './tally.ts';

/**
 * Where stochastic steps along the gradient estimates of single reports lead: the server of algorithms 1 and 2.
 *
 * The reports are read in an order of the server's own choice (sorted, then drawn from the source), so that the point does
 * not depend on the order of arrival.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 10–20.
 */
export function walkReports(
  parameters: CopiesParameters,
  tally: ReportTally,
  gradients: ReportGradients,
  quality: OracleQuality,
  query: MarginQuery,
  random: Random,
): Float64Array {
  const usual = parameters.maker === 'printed' ? 'sigm-with-replacement' : 'sigm';
  const method = checkWord('method', query.method ?? usual, ['sigm', 'sigm-with-replacement', 'averaged-sgd']);
  const radius = query.radius ?? 1;
  const order = canonicalOrder(parameters.copies, tally);
  const sorted: ReportGradients = {
    ...gradients,
    gradient: (index, point, target) => gradients.gradient(order[index], point, target),
  };
  const oracle =
    method === 'sigm-with-replacement' ? withReplacementOracle(sorted, random) : onePassOracle(sorted, random);
  return method === 'averaged-sgd'
    ? averagedSgd({ oracle, radius, steps: tally.players, ...quality }).point
    : sigm({ oracle, radius, iterations: tally.players, order: 1, ...quality }).point;
}
