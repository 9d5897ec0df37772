import {
  checkNorm,
  checkNorms,
  correctedLiftBounds,
  correctedPowerBounds,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
  sphericalNormLimit,
  squaredNorm,
  totalNorm,
} from '../../../src/core/influence.ts';
import {
  finiteOrInfinity,
  GAUSSIAN_THEOREM,
  gaussianLimits,
  type ReportGrid,
  type ReportLimits,
  unitLimits,
} from '../../../src/core/report-limits.ts';
import type { UnitRandomizer } from '../../../src/core/unit-report.ts';
import { averageCopies, averagedNoise, type NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import type { SphericalLaplace } from '../../../src/mechanism/spherical-laplace.ts';
import type { Lift } from '../../../src/polynomial/lift.ts';

const { sqrt } = Math;

/** What the limits depend on, by maker. */
export type LimitedParameters = {
  /** Numbers in a report. */
  readonly length: number;
} & (
  | { readonly maker: 'lifted'; readonly mechanism: UnitRandomizer }
  | { readonly maker: 'gaussian'; readonly sigma: number; readonly lift: Lift; readonly noise?: ReportGrid }
  | { readonly maker: 'copies' | 'printed'; readonly degree: number; readonly copies: NoisyCopies }
  | { readonly maker: 'sphericalLaplace'; readonly mechanism: SphericalLaplace }
);

// Every copy of x and of y has a limit, which products of copies need, and so has their average, which is what the powers are
// corrected of. Together they refuse no more than one honest report in 10¹².
function copiesLimits({ copies, degree }: { readonly copies: NoisyCopies; readonly degree: number }): ReportLimits {
  const { dimension, further, length, firstNoise, furtherNoise } = copies;
  const refusal = HONEST_REFUSAL / (2 * (further + 2));
  const limits: NormLimit[] = [];
  let honest = 0;
  for (let from = 0; from < length; from += dimension + 1) {
    const { features, label } = from === 0 ? firstNoise : furtherNoise;
    const to = from + dimension;
    limits.push({ from, to, norm: gaussianNormLimit(1, features, dimension, refusal) });
    limits.push({ from: to, to: to + 1, norm: gaussianNormLimit(1, label, 1, refusal) });
    honest += 2 + dimension * features * features + label * label;
  }
  const deviation = averagedNoise(copies);
  const most = gaussianNormLimit(1, deviation.features, dimension, refusal);
  const mostLabel = gaussianNormLimit(1, deviation.label, 1, refusal);
  // A block of the sums is H_j(y)·H_j(x), each corrected by its own noise.
  const powers = correctedLiftBounds({ dimension, degree: degree + 1 }, deviation.features, most);
  const labels = correctedPowerBounds(degree + 1, deviation.label, mostLabel);
  const target = new Float64Array(dimension);
  return {
    influence: {
      reportNorm: totalNorm(limits.map(({ norm }) => norm * norm)),
      bound: finiteOrInfinity(totalNorm(powers.map((power, k) => power * labels[k + 1]))),
      honestNorm: sqrt(honest),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of every copy and of their average`,
    },
    check(values) {
      checkNorms(limits, values);
      const label = averageCopies(copies, values, 0, target);
      checkNorm(label * label, mostLabel);
      checkNorm(squaredNorm(target, 0, dimension), most);
    },
  };
}

function sphericalLimits(mechanism: SphericalLaplace): ReportLimits {
  const norm = sphericalNormLimit(mechanism, HONEST_REFUSAL);
  const limits: NormLimit[] = [{ from: 0, to: mechanism.dimension, norm }];
  return {
    influence: {
      reportNorm: norm,
      bound: norm,
      honestNorm: sqrt(1 + mechanism.squaredError),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of twice a gamma variable`,
    },
    check: (values) => checkNorms(limits, values),
  };
}

// Limits are computed once for each set of parameters.
const known = new WeakMap<object, ReportLimits>();

/** The limits of reports on a signed record. */
export function marginLimits(parameters: LimitedParameters): ReportLimits {
  let limits = known.get(parameters);
  if (limits === undefined) {
    if (parameters.maker === 'lifted') limits = unitLimits(parameters.mechanism);
    else if (parameters.maker === 'gaussian') limits = gaussianLimits(parameters);
    else if (parameters.maker === 'sphericalLaplace') limits = sphericalLimits(parameters.mechanism);
    else limits = copiesLimits(parameters);
    known.set(parameters, limits);
  }
  return limits;
}

/** How far one report can move a tally of reports on a signed record. */
export function marginInfluence(parameters: LimitedParameters): Influence {
  return marginLimits(parameters).influence;
}
