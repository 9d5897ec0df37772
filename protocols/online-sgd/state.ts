import { RefusedValue, ReportError } from '../../src/check/refusal.ts';
import type { FloatValues, Values } from '../../src/core/frame.ts';
import type { Acceptance, StreamState } from '../../src/core/interactive.ts';
import { addToBatchMeans, type BatchMeans, batchSchedule, createBatchMeans } from '../../src/inference/batch-means.ts';
import { addReleasedHessian, createHessianSum, type HessianSum } from '../../src/inference/hessian-release.ts';
import {
  createPolynomialAverage,
  createRandomScaling,
  createSuffixAverage,
  extendPolynomialAverage,
  extendRandomScaling,
  extendSuffixAverage,
  type PolynomialAverage,
  type RandomScaling,
  type SuffixAverage,
} from '../../src/inference/iterate-average.ts';
import {
  addReleasedGradient,
  createReleasedGradients,
  type ReleasedGradients,
} from '../../src/inference/released-gradients.ts';
import { LEAST_SCALE } from '../../src/risk/regression/model.ts';
import { channelOf, checkStepNumber, isFloat, type OnlineChannel, type OnlineReport } from './channel.ts';
import type { OnlinePlan, OnlineStep } from './parameters.ts';

const { min } = Math;

/**
 * What a server keeps of a stream: the iterate and sums over the path, O(p²) numbers for a stream of any length. Plain
 * data.
 *
 * Shape: vectors of length p.
 */
export interface OnlineState extends StreamState {
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

interface Served {
  readonly state: OnlineState;
  readonly step: { -readonly [Field in keyof OnlineStep]: OnlineStep[Field] };
  readonly channel: OnlineChannel;
}

// The last state that was asked for a step: its plan has been checked, and its step is written over.
let served: Served | undefined;

/** What the next player receives: the state's own iterate, which the next report moves; the same object for a state. */
export function nextStep(plan: OnlinePlan, state: OnlineState): OnlineStep {
  if (served === undefined || served.state !== state || served.step.plan !== plan) {
    checkState(plan, state);
    served = { state, step: { plan, index: 0, place: 0, iterate: state.iterate }, channel: channelOf(plan) };
  }
  const { step } = served;
  step.index = state.steps + 1;
  step.place = state.players + 1;
  return step;
}

/**
 * Moves a state by one report: θ_i = θ_{i−1} − γ·i^(−α)·g̃, where g̃ is the mean of the reports of a step, after all
 * have come. A late report's gradient was taken at an earlier iterate; if the plan accepts it, it counts for the open
 * step.
 * @throws ReportError, and changes nothing, for a stale report that the plan refuses; a report of a step that has not
 * begun; values that are not finite or that no player of the plan sends (see `OnlineChannel`); or a report after which
 * the iterate would not be finite. RangeError for a state of another plan.
 */
export function acceptReport(plan: OnlinePlan, state: OnlineState, report: OnlineReport): Acceptance {
  const known = served !== undefined && served.state === state && served.step.plan === plan;
  if (!known) compareDigests(plan, state);
  const channel = known ? (served as Served).channel : channelOf(plan);
  const { iterate, gathered, open, released, hessians } = state;
  const { batch, burnIn } = plan;
  const index = state.steps + 1;
  const late = report.step !== index;
  if (late) refuseStep(plan, state, report.step);
  const whole = gathered + 1 === batch;
  const { before, copy } = channel.scratch;
  const { values } = report;
  const { largestSquare } = channel;
  // The case of most streams: the norm is summed while the iterate moves, and a report that exceeds it is taken back.
  const summed =
    batch === 1 && released === undefined && largestSquare > 0 && isFloat(values) && values.length === plan.length;
  let gradient: Values = summed ? values : channel.gradient(values);
  if (batch > 1) gradient = addToStep(open, gradient, whole ? batch : 1, channel.scratch.sum);
  if (released !== undefined) {
    // A copy, if the gradient is needed after the move: a report made in this process may be the iterate itself.
    copy.set(gradient);
    gradient = copy;
  }
  if (whole) {
    // θ ← θ − γ·i^(−α)·g̃. One function with what follows: whether a compiler joins small ones is a matter of chance.
    const size = plan.rate * powersAround(index, plan)[index % BLOCK];
    const { length } = before;
    let finite = 0;
    let squared = 0;
    let i = 0;
    // Two at a time: there are few, and one turn of the loop costs as much as a coordinate. 0·x is 0 for a finite x and NaN
    // otherwise.
    for (; i + 1 < length; i += 2) {
      const entry = iterate[i];
      const other = iterate[i + 1];
      const value = gradient[i];
      const next = gradient[i + 1];
      before[i] = entry;
      before[i + 1] = other;
      squared += value * value;
      squared += next * next;
      const moved = entry - size * value;
      const further = other - size * next;
      finite += 0 * moved + 0 * further;
      iterate[i] = moved;
      iterate[i + 1] = further;
    }
    if (i < length) {
      const entry = iterate[i];
      const value = gradient[i];
      before[i] = entry;
      squared += value * value;
      const moved = entry - size * value;
      finite += 0 * moved;
      iterate[i] = moved;
    }
    // NaN and the infinities exceed the limit too.
    if (summed && !(squared <= largestSquare)) {
      iterate.set(before);
      finite = moveBy(iterate, channel.gradient(values), size);
    }
    if (finite !== 0) {
      iterate.set(before);
      refuseNext();
    }
    if (plan.model.form === 'scale') raiseScale(iterate);
  }
  // Nothing is refused from here on.
  state.players++;
  if (late) {
    state.late++;
    state.openLate = true;
  } else if (hessians !== undefined && index > burnIn) addReleasedHessian(hessians, channel.hessian);
  if (!whole) {
    open.set(gradient);
    state.gathered = gathered + 1;
    return late ? 'late' : 'in time';
  }
  if (batch > 1) open.fill(0);
  state.gathered = 0;
  state.steps = index;
  // With a late report, the gradient does not belong to the iterate before alone.
  const single = !state.openLate;
  state.openLate = false;
  if (index > burnIn) {
    if (released !== undefined && single) addReleasedGradient(released, gradient, before);
    extendRandomScaling(state.scaling, iterate);
    if (plan.average !== undefined) extendAverage(plan, state, iterate);
    if (state.batchMeans !== undefined) addToBatchMeans(state.batchMeans, iterate);
    if (state.disjointBatchMeans !== undefined) addToBatchMeans(state.disjointBatchMeans, iterate);
  }
  return late ? 'late' : 'in time';
}

/** Moves an iterate by a gradient that the channel has checked. Returns 0, or NaN if an entry is not finite. */
function moveBy(iterate: Float64Array, gradient: FloatValues, size: number): number {
  let finite = 0;
  for (let i = 0; i < iterate.length; i++) {
    iterate[i] -= size * gradient[i];
    finite += 0 * iterate[i];
  }
  return finite;
}

function addToStep(open: Float64Array, gradient: FloatValues, count: number, sum: Float64Array): Float64Array {
  let finite = 0;
  for (let i = 0; i < sum.length; i++) {
    sum[i] = (open[i] + gradient[i]) / count;
    finite += 0 * sum[i];
  }
  if (finite !== 0) refuseNext();
  return sum;
}

function raiseScale(iterate: Float64Array): void {
  const last = iterate.length - 1;
  if (iterate[last] < LEAST_SCALE) iterate[last] = LEAST_SCALE;
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

/** Refuses a state of another plan. */
export function checkState(plan: OnlinePlan, state: OnlineState): void {
  // Two texts take longer to compare than a step takes to write.
  if (served === undefined || served.state !== state || served.step.plan !== plan) compareDigests(plan, state);
}

function compareDigests({ digest }: OnlinePlan, state: OnlineState): void {
  if (state.digest === digest) return;
  throw new RefusedValue('state', `a state of the plan with digest ${digest}`, state.digest);
}

/** Indexes in a block: not exported, since a constant that other files see is looked up and checked at every use. */
const BLOCK = 64;

/** From this index on, the powers in a block are computed from the first power of the block. */
const FIRST_BLOCK = 4096;

/** The largest number of terms of the series: (63/4096)^9 is below {@link NEGLIGIBLE}. */
const TERMS = 9;
const NEGLIGIBLE: number = 2 ** -53;

// The block of the last call: its position and its powers.
const powers = new Float64Array(BLOCK);
let exponent = Number.NaN;
let first = -1;

/**
 * i^(−α) of a whole number i ≥ 1 and its neighbours, at their indexes modulo 64, to a few units in the last
 * place; the next call overwrites it. It depends on i and α alone, not on earlier calls, so that a saved stream continues
 * bit for bit.
 *
 * Powers are computed 64 at a time, by the binomial series of (1 + t)^(−α). A logarithm and an exponential for each
 * step would cost as much as the rest of the step. A number that a function takes or returns may have to be allocated; a
 * plan and an array need not.
 */
export function powersAround(index: number, { decay }: { readonly decay: number }): Float64Array {
  const start = index - (index % BLOCK);
  if (start !== first || decay !== exponent) fillBlock(start, decay);
  return powers;
}

/** Writes `scale`·i^(−α), for `count` indexes i from `index` on, to the beginning of `target`: {@link powersAround}. */
export function fillDecayPowers(
  target: Float64Array,
  count: number,
  scale: number,
  index: number,
  alpha: number,
): void {
  for (let done = 0; done < count; ) {
    const place = (index + done) % BLOCK;
    const start = index + done - place;
    if (start !== first || alpha !== exponent) fillBlock(start, alpha);
    const stop = min(count, done + BLOCK - place);
    for (let at = place; done < stop; ) target[done++] = scale * powers[at++];
  }
}

const coefficients = new Float64Array(TERMS);

function fillBlock(start: number, alpha: number): void {
  first = start;
  exponent = alpha;
  if (start < FIRST_BLOCK) {
    for (let place = 0; place < BLOCK; place++) powers[place] = (start + place) ** -alpha;
    return;
  }
  // The number of terms whose remainder is hidden by rounding; later blocks need fewer.
  let terms = 0;
  for (let rest = 1; rest > NEGLIGIBLE; rest *= BLOCK / start) terms++;
  // Coefficients of start^(−α)·(1 + t)^(−α).
  coefficients[0] = start ** -alpha;
  for (let k = 1; k < terms; k++) coefficients[k] = (coefficients[k - 1] * (1 - alpha - k)) / k;
  // Four sums at a time: each sum waits only for its own last product.
  const last = coefficients[terms - 1];
  for (let place = 0; place < BLOCK; place += 4) {
    const t0 = place / start;
    const t1 = (place + 1) / start;
    const t2 = (place + 2) / start;
    const t3 = (place + 3) / start;
    let sum0 = last;
    let sum1 = last;
    let sum2 = last;
    let sum3 = last;
    for (let k = terms - 2; k >= 0; k--) {
      const coefficient = coefficients[k];
      sum0 = sum0 * t0 + coefficient;
      sum1 = sum1 * t1 + coefficient;
      sum2 = sum2 * t2 + coefficient;
      sum3 = sum3 * t3 + coefficient;
    }
    powers[place] = sum0;
    powers[place + 1] = sum1;
    powers[place + 2] = sum2;
    powers[place + 3] = sum3;
  }
}
