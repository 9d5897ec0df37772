import { checkOpenUnit, checkWord, refusal } from '../../check/number.ts';
import { type BatchMeans, batchMeansCovariance } from '../../inference/batch-means.ts';
import { meanHessian } from '../../inference/hessian-release.ts';
import { type ConfidenceInterval, normalIntervals, randomScalingIntervals } from '../../inference/interval.ts';
import { averageIterate } from '../../inference/random-scaling.ts';
import { gradientSecondMoment, regressionHessian } from '../../inference/released-gradients.ts';
import { type Sandwich, sandwich } from '../../inference/sandwich.ts';
import type { OnlinePlan } from './plan.ts';
import { checkState, type OnlineState } from './state.ts';

/** How intervals are made; `none` for the estimate alone. */
export const INTERVAL_METHODS = ['random scaling', 'batch means', 'disjoint batch means', 'plug-in', 'none'] as const;

/** One of {@link INTERVAL_METHODS}. */
export type IntervalMethod = (typeof INTERVAL_METHODS)[number];

/** What is asked of a stream, at any moment. */
export interface OnlineQuery {
  /** The probability with which each interval holds its value; .95 unless told. */
  readonly level?: number;
  /** `random scaling` unless told. */
  readonly method?: IntervalMethod;
  /** Rows R: intervals for Rθ instead of the coordinates. */
  readonly contrasts?: readonly ArrayLike<number>[];
  /** For `plug-in`: the Hessian that players released, or the one read off released gradients; what there is unless told. */
  readonly hessian?: 'released' | 'regression';
  /** κ₁ of the plug-in: eigenvalues of the Hessian below it are raised to it; 0.01 unless told. */
  readonly hessianFloor?: number;
}

/** What a stream says of the population so far. */
export interface OnlineEstimate {
  /** θ̄, the average of the iterates after the first steps that the plan leaves out (LDP-ASGD). */
  readonly theta: Float64Array;
  /** θ_n, the last iterate (LDP-SGD). */
  readonly last: Float64Array;
  /** Intervals [low, high] around θ̄, or around Rθ̄; empty for the method `none`. */
  readonly intervals: readonly (readonly [number, number])[];
  readonly level: number;
  readonly method: IntervalMethod;
  /** n, the steps that have been made. */
  readonly steps: number;
  /** The reports that have been accepted. */
  readonly players: number;
  /** How many of them were late. */
  readonly late: number;
}

/** Least eigenvalue of the Hessian that a plug-in believes in, where nothing else is said. */
const HESSIAN_FLOOR = 0.01;

/**
 * The average, the last iterate, and intervals around the average.
 *
 * @throws TypeError or RangeError for a level outside (0, 1), a method the plan keeps nothing for, too few steps, or a V that is
 * singular in the direction of a contrast: never an interval of NaN.
 */
export function estimateStream(plan: OnlinePlan, state: OnlineState, query: OnlineQuery = {}): OnlineEstimate {
  checkState(plan, state);
  const level = checkOpenUnit('level', query.level ?? 0.95);
  const method = checkWord('method', query.method ?? 'random scaling', INTERVAL_METHODS);
  const { steps, players, late, scaling } = state;
  if (scaling.steps < 1) {
    throw new RangeError(refusal('state', `more than ${plan.burnIn} steps`, steps));
  }
  const theta = averageIterate(scaling);
  const intervals = intervalsOf(plan, state, theta, method, level, query).map(({ low, high }) => [low, high] as const);
  return { theta, last: state.iterate.slice(), intervals, level, method, steps, players, late };
}

function intervalsOf(
  plan: OnlinePlan,
  state: OnlineState,
  theta: Float64Array,
  method: IntervalMethod,
  level: number,
  query: OnlineQuery,
): readonly ConfidenceInterval[] {
  const { contrasts } = query;
  const request = { level, contrasts };
  const { steps } = state.scaling;
  switch (method) {
    case 'none':
      return [];
    case 'random scaling':
      return randomScalingIntervals(state.scaling, request);
    case 'batch means':
      return normalIntervals(theta, meansOf(method, state.batchMeans), steps, request);
    case 'disjoint batch means':
      return normalIntervals(theta, meansOf(method, state.disjointBatchMeans), steps, request);
    case 'plug-in':
      return normalIntervals(theta, plugInCovariance(plan, state, query).covariance, steps, request);
  }
}

function meansOf(method: string, means: BatchMeans | undefined): Float64Array {
  if (means === undefined) throw new RangeError(refusal('method', 'one that the plan keeps', method));
  return batchMeansCovariance(means);
}

/**
 * The plug-in covariance Ã⁻¹S̃Ã⁻¹ of √n(θ̄ − θ₀) from what players released: S̃ from the noisy gradients, free of charge; Ã from
 * released Hessians, or from the regression of gradients on iterates, free as well.
 *
 * @throws RangeError for a plan that keeps nothing for it, or too few steps.
 */
export function plugInCovariance(plan: OnlinePlan, state: OnlineState, query: OnlineQuery = {}): Sandwich {
  const { released, hessians } = state;
  if (released === undefined) throw new RangeError(refusal('method', 'one that the plan keeps', 'plug-in'));
  const source = checkWord('hessian', query.hessian ?? (hessians === undefined ? 'regression' : 'released'), [
    'released',
    'regression',
  ]);
  if (source === 'released' && hessians === undefined) {
    throw new RangeError(refusal('hessian', 'regression: the plan releases no Hessians', source));
  }
  return sandwich({
    dimension: plan.model.dimension,
    hessian: source === 'released' ? meanHessian(hessians!) : regressionHessian(released),
    gradient: gradientSecondMoment(released),
    hessianFloor: query.hessianFloor ?? HESSIAN_FLOOR,
  });
}
