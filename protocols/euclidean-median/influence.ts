import type { Values } from '../../src/core/frame.ts';
import {
  checkNorm,
  checkNorms,
  correctedLiftBounds,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
  totalNorm,
} from '../../src/core/influence.ts';
import { GAUSSIAN_THEOREM, gaussianLimits, type ReportLimits, unitLimits } from '../../src/core/report-limits.ts';
import type { CopiesParameters, EuclideanMedianParameters } from './parameters.ts';

const { sqrt } = Math;

// Every copy has a limit, which products of copies need, and so has their average, which is what powers are corrected of.
function copiesLimits({ copies, dimension, degree, length, sigma }: CopiesParameters): ReportLimits {
  const refusal = HONEST_REFUSAL / (copies + 1);
  const norm = gaussianNormLimit(1, sigma, dimension, refusal);
  const limits: NormLimit[] = [];
  for (let from = 0; from < length; from += dimension) limits.push({ from, to: from + dimension, norm });
  const deviation = sigma / sqrt(copies);
  const most = gaussianNormLimit(1, deviation, dimension, refusal);
  const bound = totalNorm(correctedLiftBounds({ dimension, degree: 2 * degree + 2 }, deviation, most));
  return {
    influence: {
      reportNorm: norm * sqrt(copies),
      bound: Number.isNaN(bound) ? Infinity : bound,
      honestNorm: sqrt(copies * (1 + dimension * sigma * sigma)),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of every copy and of their average`,
    },
    check(values: Values) {
      checkNorms(limits, values);
      let squared = 0;
      for (let i = 0; i < dimension; i++) {
        let sum = 0;
        for (let at = i; at < length; at += dimension) sum += values[at];
        squared += (sum / copies) ** 2;
      }
      checkNorm(squared, most);
    },
  };
}

// Limits are computed once for each set of parameters.
const known = new WeakMap<object, ReportLimits>();

/** What decode refuses besides damaged reports, and what is left to a report that it accepts. */
export function reportLimits(parameters: EuclideanMedianParameters): ReportLimits {
  let limits = known.get(parameters);
  if (limits === undefined) {
    if (parameters.variant === 'lifted') limits = unitLimits(parameters.mechanism);
    else limits = parameters.variant === 'gaussian' ? gaussianLimits(parameters) : copiesLimits(parameters);
    known.set(parameters, limits);
  }
  return limits;
}

/**
 * How far one report can move a tally: the sums of features for `lifted`, of corrected powers of x for `gaussian`, and of those
 * of the average of the copies otherwise.
 */
export function influence(parameters: EuclideanMedianParameters): Influence {
  return reportLimits(parameters).influence;
}
