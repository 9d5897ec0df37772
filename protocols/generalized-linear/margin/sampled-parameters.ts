import { checkPositive } from '../../../src/check/refusal.ts';
import { checkGrade, type Grade } from '../../../src/core/request.ts';
import { COIN_UNITS, choiceLimits } from '../../../src/mechanism/exact-coin.ts';
import { K_CLOSEST_WORDS, kClosest } from '../../../src/mechanism/k-closest.ts';
import { privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import {
  common,
  gradeOf,
  liftFor,
  type MarginFamily,
  type MarginLiftedRequest,
  type MarginTask,
  precisionOf,
  type SampledParameters,
  sharesFrom,
  taskOf,
} from './parameters.ts';

/**
 * One pure-ε report of one power of v, drawn with public probabilities: see `sampled` of the protocols.
 *
 * Shape: a report is the vector of the mechanism (its words, in the grade `deployment`), then zeros up to the size of the
 * longest power, then k.
 * @throws TypeError or RangeError naming the field; RangeError when the powers of v up to d + 1 exceed the size limit.
 */
export function marginSampled(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask = 'classification',
): SampledParameters {
  if (checkGrade(request.grade, 'sampled', true) === 'deployment') return deployedSampled(family, request, task);
  const made = sampledFields(family, request, task, 'simulation');
  const { epsilon } = made;
  const mechanisms = dimensionsOf(made).map((dimension) => privUnitG({ epsilon, dimension }));
  const deviation = Math.sqrt(mechanisms[0].coordinateVariance);
  const length = Math.max(...dimensionsOf(made)) + 1;
  // The largest power is far below any precision's limit for whole numbers.
  return { ...made, mechanisms, length, precision: precisionOf(epsilon, deviation, deviation) };
}

/**
 * {@link marginSampled} in the grade `deployment`: k-closest encoding in the place of PrivUnitG.
 * @throws as {@link marginSampled}.
 */
export function deployedSampled(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask = 'classification',
): SampledParameters {
  const made = sampledFields(family, request, task, 'deployment');
  const { epsilon } = made;
  const mechanisms = dimensionsOf(made).map((dimension) => kClosest({ epsilon, dimension }));
  return { ...made, mechanisms, length: K_CLOSEST_WORDS + 1, precision: 'uint32' };
}

/** Entries of each power, with one more that completes it to the unit sphere. */
function dimensionsOf({ lift: { degree, offsets } }: Pick<SampledParameters, 'lift'>): number[] {
  return Array.from({ length: degree }, (_, block) => offsets[block + 1] - offsets[block] + 1);
}

function sampledFields(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask,
  grade: Grade,
): Omit<SampledParameters, 'mechanisms' | 'length' | 'precision'> {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const lift = liftFor(request, task);
  const limits = choiceLimits(sharesFrom(request.shares, lift.degree, task));
  return {
    ...common(family, 'sampled', request, { shares: request.shares ?? [], ...taskOf(task), ...gradeOf(grade) }),
    variant: 'sampled',
    grade,
    epsilon,
    task,
    lift,
    shares: limits.map((limit, block) => (limit - (limits[block - 1] ?? 0)) / COIN_UNITS),
    limits,
  };
}
