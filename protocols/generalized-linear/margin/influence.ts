import type { Values } from '../../../src/core/frame.ts';
import {
  checkNorm,
  checkNorms,
  correctedLiftBounds,
  correctedPowerBounds,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
  privUnitNormLimit,
  sphericalNormLimit,
  squaredNorm,
  totalNorm,
} from '../../../src/core/influence.ts';
import type { UnitRandomizer } from '../../../src/core/unit-report.ts';
import { checkKClosestReport } from '../../../src/mechanism/k-closest.ts';
import { averageCopies, averagedNoise, type NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import type { SphericalLaplace } from '../../../src/mechanism/spherical-laplace.ts';
import type { Lift } from '../../../src/polynomial/lift.ts';

const { sqrt } = Math;

/** What decode refuses besides damaged reports, and what is left to a report that it accepts. */
export interface ReportLimits {
  /** What one accepted report can do. */
  readonly influence: Influence;
  /**
   * Refuses what these parameters produce with probability 10⁻¹² at most.
   *
   * @throws ReportError.
   */
  check(values: Values): void;
}

/** A grid on which the integers of a deployed Gaussian report stand. */
export interface ReportGrid {
  /** Largest norm of a vector on the grid, before noise. */
  readonly radius: number;
  /** Standard deviation of the noise, in steps. */
  readonly sigma: number;
  /** The unit of the integers. */
  readonly step: number;
}

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

/** The inequality of the Gaussian limits. */
export const GAUSSIAN_THEOREM = 'tail of chi-square, Laurent and Massart 2000, lemma 1';

/** Limits of a report of a unit vector: by its norm from PrivUnitG; from k-closest encoding every norm is the same. */
export function unitLimits(mechanism: UnitRandomizer): ReportLimits {
  const { scale, dimension, squaredError } = mechanism;
  if (mechanism.name === 'k-closest') {
    // The direction is expanded in doubles: a unit vector up to their rounding.
    const norm = scale * (1 + 1e-9);
    const theorem = 'every codeword has the same norm';
    return {
      influence: { reportNorm: norm, bound: norm, honestNorm: scale, honestRefusal: 0, theorem },
      check: (values) => checkKClosestReport(mechanism, values),
    };
  }
  const norm = privUnitNormLimit(mechanism, HONEST_REFUSAL);
  const limits: NormLimit[] = [{ from: 0, to: dimension, norm }];
  return {
    influence: {
      reportNorm: norm,
      bound: norm,
      honestNorm: sqrt(1 + squaredError),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, times keep/cap`,
    },
    check: (values) => checkNorms(limits, values),
  };
}

/** Limits of one Gaussian copy of a vector of the unit ball, whose corrected powers are added up. */
export function gaussianLimits(parameters: {
  readonly sigma: number;
  readonly length: number;
  readonly lift: Pick<Lift, 'dimension' | 'degree'>;
  readonly noise?: ReportGrid;
}): ReportLimits {
  const { sigma, length, lift, noise } = parameters;
  const norm =
    noise === undefined
      ? gaussianNormLimit(1, sigma, length, HONEST_REFUSAL)
      : gaussianNormLimit(noise.radius, noise.sigma, length, HONEST_REFUSAL);
  const reportNorm = noise === undefined ? norm : norm * noise.step;
  const limits: NormLimit[] = [{ from: 0, to: length, norm }];
  return {
    influence: {
      reportNorm,
      bound: finiteOrInfinity(totalNorm(correctedLiftBounds(lift, sigma, reportNorm))),
      honestNorm: sqrt(1 + length * sigma * sigma),
      honestRefusal: HONEST_REFUSAL,
      theorem: GAUSSIAN_THEOREM,
    },
    check: (values) => checkNorms(limits, values),
  };
}

// Where squares overflow, the recursions end in a NaN: no bound.
function finiteOrInfinity(bound: number): number {
  return Number.isNaN(bound) ? Infinity : bound;
}

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
