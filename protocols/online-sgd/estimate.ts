import { checkOpenUnit, checkWord, RefusedValue, refusedAs } from '../../src/check/refusal.ts';
import { type BatchMeans, batchMeansCovariance, batchSchedule, nextBatch } from '../../src/inference/batch-means.ts';
import { meanHessian } from '../../src/inference/hessian-release.ts';
import {
  type ConfidenceInterval,
  normalIntervals,
  randomScalingIntervals,
  type Sandwich,
  sandwich,
} from '../../src/inference/interval.ts';
import {
  averageIterate,
  effectiveShare,
  type ForgettingAverage,
  suffixAverage,
} from '../../src/inference/iterate-average.ts';
import {
  gradientSecondMoment,
  regressionDeviation,
  regressionHessian,
} from '../../src/inference/released-gradients.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { MALLOWS_CURVATURE } from '../../src/risk/response-loss.ts';
import type { OnlinePlan } from './parameters.ts';
import { checkState, type OnlineState } from './state.ts';

/** How intervals are made; `none` gives the estimate alone. */
export const INTERVAL_METHODS = ['random scaling', 'batch means', 'disjoint batch means', 'plug-in', 'none'] as const;

/** One of {@link INTERVAL_METHODS}. */
export type IntervalMethod = (typeof INTERVAL_METHODS)[number];

/** A query to a stream, allowed at any moment. */
export interface OnlineQuery {
  /** The probability with which each interval contains its value; .95 by default. */
  readonly level?: number;
  /** `random scaling` by default, which averages that forget the start do not have. */
  readonly method?: IntervalMethod;
  /** Rows R: intervals for Rθ instead of the coordinates. */
  readonly contrasts?: readonly ArrayLike<number>[];
  /** For `plug-in`: the Hessian that players released, or that from released gradients; by default what exists. */
  readonly hessian?: 'released' | 'regression';
  /** κ₁ of the plug-in: smaller eigenvalues of the Hessian are raised to it. Left out, none may be below 0.01. */
  readonly hessianFloor?: number;
}

/** The estimates of a stream so far. */
export interface OnlineEstimate {
  /** θ̄, the average of the iterates after the burn-in (LDP-ASGD), all alike or as the plan's `average` says. */
  readonly theta: Float64Array;
  /** θ_n, the last iterate (LDP-SGD). */
  readonly last: Float64Array;
  /** Intervals [low, high] around θ̄, or around Rθ̄; empty for the method `none`. */
  readonly intervals: readonly (readonly [number, number])[];
  readonly level: number;
  readonly method: IntervalMethod;
  /** n, the number of steps so far. */
  readonly steps: number;
  /** The number of accepted reports. */
  readonly players: number;
  /** The number of accepted reports that were late. */
  readonly late: number;
  /**
   * Present where there are intervals and fewer steps than this, after which the path may have ten pieces that have forgotten each other along
   * every direction: they hold less often than their level says.
   */
  readonly stepsNeeded?: number;
  /**
   * Present where there are intervals, the risk of the model bends and this is above a quarter: the noise of privacy moves
   * the average by about so many of its standard errors, and intervals hold less often than their level.
   */
  readonly noiseShift?: number;
  /**
   * For batch means of fewer than 100 batches: how many there are. Their covariance is too small then and uncertain, of which a
   * normal interval knows nothing: intervals hold less often than their level says.
   */
  readonly fewBatches?: number;
  /** For `plug-in`: how many eigenvalues of the Hessian were raised to κ₁; if any, lengths depend on κ₁. */
  readonly raisedHessian?: number;
  /** For `plug-in`: the number of eigenvalues of the second moment of gradients that were negative and raised to 0. */
  readonly raisedGradient?: number;
}

const HESSIAN_FLOOR = 0.01;

/** The least number of batches for intervals: with 5 batches 95 % intervals contain the value in 78 %. */
const LEAST_BATCHES = 10;

/** With 11 batches 95 % intervals of a Huber model contain the value in 79 %, with 32 in 86 %, with 100 in 92 %. */
const ENOUGH_BATCHES = 100;

/**
 * The average, the last iterate, and intervals around the average.
 * @throws TypeError or RangeError for a level outside (0, 1); a method for which the plan keeps nothing; intervals at
 * α = 1, where the average has no limit law that fits them; too few steps; fewer than 10 batches of batch means; a
 * plug-in that needs a κ₁ which nobody gave; random scaling of an average that forgets the start; or a V that is
 * singular in the direction of a contrast. An interval is never NaN.
 */
export function estimateStream(plan: OnlinePlan, state: OnlineState, query: OnlineQuery = {}): OnlineEstimate {
  checkState(plan, state);
  const { level, method } = checkQuery(plan, query);
  const { steps, players, late, scaling } = state;
  if (scaling.steps < 1) {
    throw new RefusedValue('state', `more than ${plan.burnIn} steps`, steps);
  }
  const average = averageOf(plan, state);
  const theta = average.mean;
  const made = intervalsOf(plan, state, average, method, level, query);
  const intervals = made.intervals.map(({ low, high }) => [low, high] as const);
  const shift = intervals.length === 0 ? 0 : noiseShift(plan, steps);
  return {
    theta,
    last: state.iterate.slice(),
    ...{ level, method, steps, players, late },
    ...made,
    ...(intervals.length === 0 ? {} : tooFew(plan, state)),
    ...(shift > LARGEST_SHIFT ? { noiseShift: shift } : {}),
    intervals,
  };
}

/** The level and the method of a query, refused by name where no state of the plan can answer it. */
export function checkQuery(plan: OnlinePlan, query: OnlineQuery): Required<Pick<OnlineQuery, 'level' | 'method'>> {
  const level = checkOpenUnit('level', query.level ?? 0.95);
  const method = checkWord('method', query.method ?? 'random scaling', INTERVAL_METHODS);
  checkMethod(plan, method);
  return { level, method };
}

/** Of a linear model from its minimiser 95 % intervals of random scaling hold in 86 % with 5 pieces, in 89 % with 10 and in 91 % with 20. */
const LEAST_PIECES = 10;

/**
 * The least number of steps, burn-in included, for which intervals may hold as often as they say. Along a curvature λ the descent forgets
 * within 1/(λγ_i) steps of i where it was, most slowly at its end. So the path behind an average has (n − burn-in)·λγ_n independent pieces in
 * the direction of the least curvature, and 10 are needed. It is necessary, not sufficient: by the plan alone the
 * curvature is the largest that the least can be, and most risks are flatter in some direction.
 *
 * Law: the steps behind the average times γ·n^(−α) are at least 10/λ.
 * @throws RangeError at α = 1, where there are no intervals.
 */
export function stepsNeeded(
  { rate, decay, burnIn, model }: ForgettingPlan,
  curvature: number = leastCurvatureBound(model),
): number {
  checkOpenUnit('decay', decay);
  let [few, enough] = [burnIn, Number.MAX_SAFE_INTEGER];
  while (enough - few > 1) {
    const steps = few + Math.floor((enough - few) / 2);
    if ((steps - burnIn) * curvature * rate * steps ** -decay < LEAST_PIECES) few = steps;
    else enough = steps;
  }
  return enough;
}

/** The steps needed where they are more than there are: by the plan alone, or else by the least curvature that was found. */
function tooFew(plan: OnlinePlan, state: OnlineState): Pick<OnlineEstimate, 'stepsNeeded'> {
  const least = stepsNeeded(plan);
  const needed = state.steps < least ? least : stepsNeeded(plan, leastCurvature(plan, state));
  return state.steps < needed ? { stepsNeeded: needed } : {};
}

type ForgettingPlan = Pick<OnlinePlan, 'rate' | 'decay' | 'burnIn' | 'model'>;

/**
 * The largest that the least eigenvalue of a model's Hessian can be: the bound of its trace, divided by the number of parameters. 1 where no
 * bound is known: under clipping, and with a scale.
 *
 * Law: tr H ≤ sup f″·sup w(x)‖x‖², and 2·max Σ_{k≥1} q_k(1 − q_k) over the probabilities q of K classes, the first without coefficients.
 */
function leastCurvatureBound(model: OnlinePlan['model']): number {
  const { dimension } = model;
  if (model.form === 'index') return model.hessianBound === undefined ? 1 : model.hessianBound / dimension;
  if (model.form !== 'multinomial' || model.clip !== undefined) return 1;
  const others = model.classes - 1;
  // Of equal probabilities, which add up to at most 1, the sum is greatest at ½ or next to it.
  const each = Math.min(0.5, 1 / others);
  return (MALLOWS_CURVATURE * others * each * (1 - each)) / dimension;
}

/** The least of several noisy eigenvalues is too small on average, where a path has ten pieces by a third. */
const RAISED = 1.5;

/** The least of several noisy eigenvalues is hardly ever so many standard deviations below 0, where players are drawn independently. */
const CONCAVE = 4;

/**
 * The least curvature that is known of a stream: one and a half times the least eigenvalue of the Hessian that the plug-in
 * would use (at least 0.01), for any method, and at most {@link leastCurvatureBound}; the bound alone where the plan keeps nothing for a plug-in, or
 * not enough yet. Correlated features make it small, of which the bound knows nothing. A risk is convex: where the regression of the
 * gradients says that it bends downwards, the iterates have followed a drift of the players, and it tells nothing.
 */
function leastCurvature({ model }: OnlinePlan, { released, hessians }: OnlineState): number {
  const bound = leastCurvatureBound(model);
  if (released === undefined) return bound;
  try {
    const hessian = hessians === undefined ? regressionHessian(released) : meanHessian(hessians);
    const { values, vectors } = symmetricEigen(hessian, model.dimension);
    const [least] = values;
    const regressed = hessians === undefined && least < 0;
    if (regressed && least < -CONCAVE * regressionDeviation(released, vectors)) return bound;
    return Math.min(bound, RAISED * Math.max(HESSIAN_FLOOR, least));
  } catch (error) {
    // Too few steps, or iterates that never moved along some direction.
    if (refusedAs(error) === undefined) throw error;
    return bound;
  }
}

/** With a shift of a quarter of a standard error normal 95 % intervals hold in 94.3 %, of half in 92.1 %. */
const LARGEST_SHIFT = 0.25;

/**
 * About how many of its standard errors the noise of privacy moves an average away from the minimiser; 0 where the risk does not bend.
 * Along a coordinate its curvature λ changes at a speed κ. A step γ_i leaves the iterate with the variance γ_i·v/(2λ), v that of the
 * noise of a step, and so its mean at −κ/(2λ) times this variance. The standard error of the average is √(v/n)/λ. Their ratio is the law
 * below. It falls like n^(½ − α): at α = .51 it hardly falls at all.
 * It is an order of magnitude: features add up, and the noise of the data itself is left out.
 *
 * Law: {@link bend}·√(v·n)·γ̄/4, where γ̄ = Σ w_i·γ·i^(−α) for the weights of the average, and n = 1/Σ w_i².
 * Shape: `steps`, burn-in included, more than `plan.burnIn`.
 */
export function noiseShift({ rate, decay, burnIn, batch, noise, average, model }: ShiftingPlan, steps: number): number {
  const bent = bend(model);
  if (bent === 0 || !(decay < 1)) return 0;
  const left = 1 - decay;
  const counted = steps - burnIn;
  let first = burnIn;
  let step: number;
  let effective = counted;
  if (average?.kind === 'polynomial') {
    // The burn-in is short beside a path whose last steps weigh most.
    const { power } = average;
    step = ((power + 1) / (power + left)) * steps ** -decay;
    effective = effectiveShare(average) * counted;
  } else {
    if (average?.kind === 'suffix') first = steps - (effective = average.share * counted);
    step = (steps ** left - first ** left) / (left * (steps - first));
  }
  return (bent * Math.sqrt((noise.variance / batch) * effective) * rate * step) / 4;
}

/**
 * The order of |κ|/λ. |κ| ≤ λ for the logistic loss, |f‴| ≤ f″, of a feature of size 1. For numbers only the data know it: it is that of the
 * law of the errors, taken as normal of the size of one unit, or of the scale of the loss. Then it is .97 along a joint scale, .8 to 1.9 times
 * |2τ − 1| for quantiles and expectiles of τ from .05 to .95, and 0 for Huber's loss, as for all symmetric errors.
 */
function bend(model: OnlinePlan['model']): number {
  if (model.form !== 'index' || model.responses !== 'number') return 1;
  const { loss } = model;
  if (!('tau' in loss)) return 0;
  return Math.abs(2 * loss.tau - 1) / ('scale' in loss ? loss.scale : 1);
}

type ShiftingPlan = Pick<OnlinePlan, 'rate' | 'decay' | 'burnIn' | 'batch' | 'noise' | 'average' | 'model'>;

/** The average that the plan asks for, and how many iterates with equal weights have its variance. */
function averageOf({ average }: OnlinePlan, { scaling, suffix, polynomial }: OnlineState): ForgettingAverage {
  if (average?.kind === 'suffix' && suffix !== undefined) return suffixAverage(suffix, average.share);
  if (average?.kind === 'polynomial' && polynomial !== undefined) {
    return { mean: polynomial.mean.slice(), effective: effectiveShare(average) * polynomial.steps };
  }
  return { mean: averageIterate(scaling), effective: scaling.steps };
}

function intervalsOf(
  plan: OnlinePlan,
  state: OnlineState,
  { mean: theta, effective }: ForgettingAverage,
  method: IntervalMethod,
  level: number,
  query: OnlineQuery,
): Pick<OnlineEstimate, 'fewBatches' | 'raisedHessian' | 'raisedGradient'> & {
  readonly intervals: readonly ConfidenceInterval[];
} {
  if (method === 'none') return { intervals: [] };
  const request = { level, contrasts: query.contrasts };
  const { steps } = state.scaling;
  // The covariance of √n(θ̄ − θ₀) is Ω·n/(the number of iterates that count).
  const around = (covariance: Float64Array): readonly ConfidenceInterval[] =>
    normalIntervals(
      theta,
      covariance.map((entry) => (entry * steps) / effective),
      steps,
      request,
    );
  switch (method) {
    case 'random scaling':
      return { intervals: randomScalingIntervals(state.scaling, request) };
    case 'batch means':
    case 'disjoint batch means': {
      const means = (method === 'batch means' ? state.batchMeans : state.disjointBatchMeans)!;
      const batches = checkBatches(method, means);
      const intervals = around(batchMeansCovariance(means));
      return batches < ENOUGH_BATCHES ? { intervals, fewBatches: batches } : { intervals };
    }
    case 'plug-in': {
      const { covariance, raisedHessian, raisedGradient } = plugInCovariance(plan, state, query);
      return { intervals: around(covariance), raisedHessian, raisedGradient };
    }
  }
}

/**
 * Refuses intervals that a stream of a plan cannot give, before it has begun: any at α = 1, a method for which the plan keeps nothing, random
 * scaling of an average that forgets the start, and, given the number of steps that will be made, batch means of fewer than 10 batches.
 */
export function checkMethod(plan: OnlinePlan, method: IntervalMethod, steps?: number): void {
  if (method === 'none') return;
  const { decay, inference, batchScale, burnIn, average } = plan;
  // At α = 1 the variance of the average is larger than the sandwich: 2a/(2a − 1) times it for a curvature a/γ, and
  // batches never end.
  if (decay === 1) {
    throw new RefusedValue('decay', 'below 1 for intervals; the estimate without intervals is method none', 1);
  }
  if (method === 'random scaling') {
    // Its critical values are those of (∫W, W(1)) for the average of the whole path.
    if (average === undefined) return;
    const expected = `plug-in, batch means or none: random scaling has no law for an average of the kind ${average.kind}`;
    throw new RefusedValue('method', expected, method);
  }
  if (!inference.includes(method)) throw new RefusedValue('method', 'one that the plan keeps', method);
  if (method === 'plug-in' || steps === undefined) return;
  checkBatches(method, { schedule: batchSchedule(decay, batchScale), steps: steps - burnIn });
}

type BatchCount = Pick<BatchMeans, 'schedule' | 'steps'>;

/** The number of batches, up to {@link ENOUGH_BATCHES}; too few are refused. */
function checkBatches(method: IntervalMethod, count: BatchCount): number {
  const batches = batchesOf(count);
  if (batches >= LEAST_BATCHES) return batches;
  const expected = `random scaling, or more steps: ${method} need at least ${LEAST_BATCHES} batches and have ${batches}`;
  throw new RefusedValue('method', expected, method);
}

/** The number of batches that have begun, one after the other: for a small scale the batch numbers have gaps. */
function batchesOf({ schedule, steps }: BatchCount): number {
  let next = nextBatch(schedule, 0, 1);
  let count = 1;
  for (; count < ENOUGH_BATCHES && next.start <= steps; count++) next = nextBatch(schedule, next.batch, next.start);
  return count;
}

/**
 * The plug-in covariance Ã⁻¹S̃Ã⁻¹ of √n(θ̄ − θ₀) from what players released. S̃ comes from the noisy gradients, at no
 * further budget. Ã comes from released Hessians or, also at no further budget, from the regression of gradients on
 * iterates.
 * @throws RangeError for a plan that keeps nothing for it, too few steps, or a Hessian with eigenvalues below 0.01 if
 * the query names no `hessianFloor`: lengths would depend on a constant that nobody chose.
 * @theorem online-inference (2.4)
 * @theorem online-inference Theorem 3
 * @theorem online-inference Corollary 2
 */
export function plugInCovariance(plan: OnlinePlan, state: OnlineState, query: OnlineQuery = {}): Sandwich {
  const { released, hessians } = state;
  if (released === undefined) throw new RefusedValue('method', 'one that the plan keeps', 'plug-in');
  const source = checkWord('hessian', query.hessian ?? (hessians === undefined ? 'regression' : 'released'), [
    'released',
    'regression',
  ]);
  if (source === 'released' && hessians === undefined) {
    throw new RefusedValue('hessian', 'regression: the plan releases no Hessians', source);
  }
  const made = sandwich({
    dimension: plan.model.dimension,
    hessian: source === 'released' ? meanHessian(hessians!) : regressionHessian(released),
    gradient: gradientSecondMoment(released),
    hessianFloor: query.hessianFloor ?? HESSIAN_FLOOR,
  });
  if (made.raisedHessian > 0 && query.hessianFloor === undefined) {
    const count = made.raisedHessian === 1 ? '1 eigenvalue' : `${made.raisedHessian} eigenvalues`;
    const below = `${count} of the Hessian ${made.raisedHessian === 1 ? 'is' : 'are'} below ${HESSIAN_FLOOR}`;
    throw new RefusedValue(`"hessianFloor" expected a number > 0, or more steps: ${below}`);
  }
  return made;
}
