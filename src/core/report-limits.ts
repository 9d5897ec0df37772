import { checkKClosestReport } from '../mechanism/k-closest.ts';
import type { Lift } from '../polynomial/lift.ts';
import type { Values } from './frame.ts';
import {
  checkNorms,
  correctedLiftBounds,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
  privUnitNormLimit,
  totalNorm,
} from './influence.ts';
import type { UnitRandomizer } from './unit-report.ts';

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

/** A bound, or Infinity where squares overflow and the recursions end in a NaN. */
export function finiteOrInfinity(bound: number): number {
  return Number.isNaN(bound) ? Infinity : bound;
}
