import { refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { ReportError } from '../../src/check/report-error.ts';
import type { FloatValues } from '../../src/core/frame.ts';
import type { Acceptance } from '../../src/core/sequential.ts';
import { addToBatchMeans, type BatchMeans, batchSchedule, createBatchMeans } from '../../src/inference/batch-means.ts';
import {
  createPolynomialAverage,
  createSuffixAverage,
  extendPolynomialAverage,
  extendSuffixAverage,
  type PolynomialAverage,
  type SuffixAverage,
} from '../../src/inference/forgetting-average.ts';
import { addReleasedHessian, createHessianSum, type HessianSum } from '../../src/inference/hessian-release.ts';
import { createRandomScaling, extendRandomScaling, type RandomScaling } from '../../src/inference/random-scaling.ts';
import {
  addReleasedGradient,
  createReleasedGradients,
  type ReleasedGradients,
} from '../../src/inference/released-gradients.ts';
import { LEAST_SCALE } from '../../src/risk/regression/model.ts';
import { channelOf } from './channel.ts';
import type { OnlinePlan, OnlineStep } from './plan.ts';
import { checkStepNumber, type OnlineReport } from './report.ts';
import { BLOCK, powersAround } from './step-size.ts';

/**
 * What a server keeps of a stream: the iterate and sums over the path, O(p²) numbers for a stream of any length. Plain
 * data.
 *
 * Shape: vectors of length p.
 */
export interface OnlineState {
  /** Digest of the plan. */
  readonly digest: string;
  /** i, the number of steps so far. */
  steps: number;
  /** The number of accepted reports, including late ones. */
  players: number;
  /** The number of accepted reports that were late. */
  late: number;
  /** The number of accepted reports of the open step. */
  gathered: number;
  /** θ_i. */
  readonly iterate: Float64Array;
  /** Sum of the noisy gradients of the open step. */
  readonly open: Float64Array;
  /** Whether one of these gradients is from a late report. */
  openLate: boolean;
  /** The path after the first steps, which are left out: its average, and random scaling. */
  readonly scaling: RandomScaling;
  /** The average that forgets the start; absent if all iterates count alike. */
  readonly suffix?: SuffixAverage;
  readonly polynomial?: PolynomialAverage;
  /** Batch means, overlapping and disjoint; absent if the plan does not use them. */
  readonly batchMeans?: BatchMeans;
  readonly disjointBatchMeans?: BatchMeans;
  /** Sums over the released gradients; absent if the plan does not use them. */
  readonly released?: ReleasedGradients;
  /** Sum of the Hessians released in time after the burn-in; absent if no Hessians are released. */
  readonly hessians?: HessianSum;
}

/** The state before the first report. */
export function startStream(plan: OnlinePlan): OnlineState {
  const { start, inference, decay, batchScale, hessian, average } = plan;
  const dimension = start.length;
  const means = (overlapping: boolean): BatchMeans =>
    createBatchMeans({ dimension, schedule: batchSchedule(decay, batchScale), overlapping });
  return {
    digest: plan.digest,
    steps: 0,
    players: 0,
    late: 0,
    gathered: 0,
    iterate: start.slice(),
    open: new Float64Array(dimension),
    openLate: false,
    scaling: createRandomScaling(dimension),
    ...(average?.kind === 'suffix' ? { suffix: createSuffixAverage(dimension) } : {}),
    ...(average?.kind === 'polynomial' ? { polynomial: createPolynomialAverage(dimension) } : {}),
    ...(inference.includes('batch means') ? { batchMeans: means(true) } : {}),
    ...(inference.includes('disjoint batch means') ? { disjointBatchMeans: means(false) } : {}),
    ...(inference.includes('plug-in') ? { released: createReleasedGradients(dimension) } : {}),
    ...(hessian === undefined ? {} : { hessians: createHessianSum(dimension) }),
  };
}

/** A state and its step, whose numbers move with it. */
interface Served {
  readonly state: OnlineState;
  readonly step: { -readonly [Field in keyof OnlineStep]: OnlineStep[Field] };
}

// The last state that was asked for a step: its plan has been checked, and its step is written over.
let served: Served | undefined;

/**
 * What the next player receives. Its iterate is the state's own, which the next report moves; for the same state the
 * object is the same as before.
 *
 * @throws RangeError for a state of another plan.
 */
export function nextStep(plan: OnlinePlan, state: OnlineState): OnlineStep {
  checkState(plan, state);
  const { iterate, steps, players } = state;
  if (served?.state === state && served.step.plan === plan) {
    const { step } = served;
    step.index = steps + 1;
    step.place = players + 1;
    return step;
  }
  const step = { plan, index: steps + 1, place: players + 1, iterate };
  served = { state, step };
  return step;
}

/**
 * Moves a state by one report: θ_i = θ_{i−1} − γ·i^(−α)·g̃, where g̃ is the mean of the reports of a step, after all
 * have come. A late report's gradient was taken at an earlier iterate; if the plan accepts it, it counts for the open
 * step.
 *
 * @throws ReportError, and changes nothing, for a stale report that the plan refuses; a report of a step that has not
 * begun; values that are not finite or that no player of the plan sends (see `OnlineChannel`); or a report after which
 * the iterate would not be finite. RangeError for a state of another plan.
 */
export function acceptReport(plan: OnlinePlan, state: OnlineState, report: OnlineReport): Acceptance {
  checkState(plan, state);
  const index = state.steps + 1;
  const late = report.step !== index;
  if (late) refuseStep(plan, state, report.step);
  const { open, hessians } = state;
  const { batch } = plan;
  const whole = state.gathered + 1 === batch;
  const channel = channelOf(plan);
  const { sum, before, copy } = channel.scratch;
  const gradient = channel.gradient(report.values);
  let mean = gradient;
  if (batch > 1) {
    addToStep(open, gradient, whole ? batch : 1, sum);
    mean = sum;
  }
  if (state.released !== undefined) {
    // A copy, if the gradient is needed after the move: a report made in this process may be the iterate itself.
    for (let i = 0; i < copy.length; i++) copy[i] = mean[i];
    mean = copy;
  }
  if (whole) moveIterate(plan, state, mean, before);
  // Nothing is refused from here on.
  state.players++;
  if (late) {
    state.late++;
    state.openLate = true;
  } else if (hessians !== undefined && index > plan.burnIn) addReleasedHessian(hessians, channel.hessian);
  if (whole) {
    countStep(plan, state, mean, before);
    if (batch > 1) open.fill(0);
    state.gathered = 0;
  } else {
    open.set(mean);
    state.gathered++;
  }
  return late ? 'late' : 'in time';
}

/** Writes (open + g̃)/b into `sum`: the sum so far, or the mean of a whole step. */
function addToStep(open: Float64Array, gradient: FloatValues, count: number, sum: Float64Array): void {
  let finite = 0;
  for (let i = 0; i < sum.length; i++) {
    sum[i] = (open[i] + gradient[i]) / count;
    finite += 0 * sum[i];
  }
  if (finite !== 0) refuseNext();
}

/**
 * θ ← θ − γ·i^(−α)·g̃; keeps the iterate before. If the new iterate would not be finite, it is refused and θ stays as
 * it was.
 */
function moveIterate(
  plan: OnlinePlan,
  { iterate, steps: made }: OnlineState,
  gradient: FloatValues,
  kept: Float64Array,
): void {
  const dimension = iterate.length;
  const index = made + 1;
  const size = plan.rate * powersAround(index, plan)[index % BLOCK];
  let finite = 0;
  for (let i = 0; i < dimension; i++) {
    const entry = iterate[i];
    kept[i] = entry;
    const moved = entry - size * gradient[i];
    // 0·x is 0 for a finite x and NaN otherwise.
    finite += 0 * moved;
    iterate[i] = moved;
  }
  if (finite !== 0) {
    iterate.set(kept);
    refuseNext();
  }
  if (plan.model.form === 'scale' && iterate[dimension - 1] < LEAST_SCALE) iterate[dimension - 1] = LEAST_SCALE;
}

function refuseNext(): never {
  throw new ReportError('"report" expected values after which the iterate is finite');
}

function refuseStep({ stale }: OnlinePlan, state: OnlineState, step: number): void {
  checkStepNumber(step);
  const open = state.steps + 1;
  if (step > open) throw new ReportError(`"report" expected one of a step up to ${open}, got ${step}`);
  if (stale === 'refuse') throw new ReportError(`"report" expected one of step ${open}, got the stale ${step}`);
}

/** Updates what is kept of the path, after the iterate has moved by a gradient that was taken at the iterate before. */
function countStep(plan: OnlinePlan, state: OnlineState, gradient: FloatValues, before: Float64Array): void {
  const { iterate, batchMeans, disjointBatchMeans, released } = state;
  const index = state.steps + 1;
  const after = index > plan.burnIn;
  // With a late report, the gradient does not belong to this iterate alone.
  if (after && released !== undefined && !state.openLate) addReleasedGradient(released, gradient, before);
  state.openLate = false;
  state.steps = index;
  if (!after) return;
  extendRandomScaling(state.scaling, iterate);
  extendAverage(plan, state, iterate);
  if (batchMeans !== undefined) addToBatchMeans(batchMeans, iterate);
  if (disjointBatchMeans !== undefined) addToBatchMeans(disjointBatchMeans, iterate);
}

/** Adds an iterate to the average that forgets the start, if the plan has one. */
export function extendAverage(
  { average }: OnlinePlan,
  { suffix, polynomial }: OnlineState,
  iterate: Float64Array,
): void {
  if (suffix !== undefined) extendSuffixAverage(suffix, iterate);
  if (polynomial !== undefined && average?.kind === 'polynomial') {
    extendPolynomialAverage(polynomial, iterate, average.power);
  }
}

/**
 * Refuses a state of another plan.
 *
 * @throws RangeError.
 */
export function checkState(plan: OnlinePlan, state: OnlineState): void {
  // Two texts take longer to compare than a step takes to write.
  if (served?.state === state && served.step.plan === plan) return;
  if (state.digest !== plan.digest) {
    throw new RefusedValue(refusal('state', `a state of the plan with digest ${plan.digest}`, state.digest));
  }
}
