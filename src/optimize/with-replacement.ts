import { checkInteger } from '../check/number.ts';
import type { Random } from '../random/random.ts';
import { uniformInteger } from '../random/uniform.ts';
import type { ReportGradients, StochasticOracle } from './oracle.ts';

/**
 * The oracle that answers from a report drawn uniformly *with* replacement, as printed. A report drawn again repeats its
 * noise, which the point it is asked at already depends on: those answers are not fresh draws. Here to reproduce and to
 * compare; `onePassOracle` is what holds.
 *
 * Source: Wang, Smith and Xu (2020), Algorithm 1, line 12.
 * @theorem noninteractive Algorithm 1
 */
export function withReplacementOracle(sum: ReportGradients, random: Random): StochasticOracle {
  const reports = checkInteger('reports', sum.reports, 1, 0xffffffff);
  return {
    dimension: checkInteger('dimension', sum.dimension, 1),
    gradient: (point, target) => sum.gradient(uniformInteger(reports, random), point, target),
  };
}
