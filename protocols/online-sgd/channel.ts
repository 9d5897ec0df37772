import { RefusedValue, ReportError, refusal as refused } from '../../src/check/refusal.ts';
import { type LogRatio, oncePer } from '../../src/core/channel.ts';
import type { Wire } from '../../src/core/contract.ts';
import {
  createValues,
  decodeValues,
  encodeValues,
  type FloatValues,
  receivedBytes,
  type Values,
} from '../../src/core/frame.ts';
import {
  checkNorms,
  GAUSSIAN_THEOREM,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
  privUnitNormLimit,
  sphericalNormLimit,
} from '../../src/core/influence.ts';
import { completed, normalLogRatio, unitLogRatio, unitRelease } from '../../src/core/vector-channel.ts';
import { discreteGaussianRelease } from '../../src/mechanism/discrete-gaussian.ts';
import { checkKClosestReport, expandKClosest, type KClosest } from '../../src/mechanism/k-closest.ts';
import { gaussianRelease, type Release } from '../../src/privacy/totals.ts';
import { muAt, type OnlineNoise } from './noise.ts';
import type { OnlinePlan } from './parameters.ts';

const { abs, hypot, sqrt } = Math;

/** The vectors to which the noise of a report is added. */
export interface Randomized {
  /** The gradient, in the units in which it is randomized. */
  readonly gradient: Float64Array;
  /** m·mᵀ, a packed lower triangle; empty if none is sent. */
  readonly hessian: Float64Array;
}

/** The noise of a plan, bound to it: what server, certificate and audit know of its reports. */
export interface OnlineChannel {
  /** Every release of one player's transcript. */
  releases(): readonly Release[];
  /** The effect that one accepted report can have. */
  readonly influence: Influence;
  /** Refuses, by a ReportError, reports that a player of the plan sends with probability 10⁻¹² at most. */
  check(values: Values): void;
  /** If a report is the noisy gradient and nothing else: the largest square of its norm. −1 for all other reports. */
  readonly largestSquare: number;
  /**
   * The gradient that a report stands for, in units of the gradient: the report's own values if they are that gradient, otherwise an
   * array that the next call overwrites.
   * @throws ReportError for another length, a value that is not finite, or what `check` refuses.
   */
  gradient(values: Values): FloatValues;
  /** The packed Hessian of the last report that `gradient` read, if Hessians are released. */
  readonly hessian: Float64Array;
  /** A report as the numbers that an audit uses; overwritten by the next call. */
  view(values: Values): ArrayLike<number>;
  /** The log ratio of the densities of a report at a place of the stream; undefined without noise. */
  logRatio(place: number, first: Randomized, second: Randomized): LogRatio | undefined;
  /** Vectors of p numbers to move a state by a report: a sum of reports, the iterate before, a copy of a gradient. */
  readonly scratch: { readonly sum: Float64Array; readonly before: Float64Array; readonly copy: Float64Array };
}

/** The channel of a plan: the same object for the same plan. */
export const channelOf: (plan: OnlinePlan) => OnlineChannel = /* @__PURE__ */ oncePer((plan) => {
  const make: (plan: never) => GradientChannel = LAWS[plan.noise.law];
  return bind(plan, make(plan as never));
});

/** The channel of the gradient, and of the Hessian behind it if there is one. */
function bind(plan: OnlinePlan, channel: GradientChannel): OnlineChannel {
  const { model, hessian, gradientLength, length } = plan;
  const numbers = (): Float64Array => new Float64Array(model.dimension);
  const target = numbers();
  const packed = new Float64Array(length - gradientLength);
  const limits = limitsOf(plan, channel);
  const { check, largestSquare } = limits;
  function read(values: Values): Float64Array {
    // 0·x is 0 for a finite x and NaN otherwise.
    let finite = channel.read(values, target);
    for (let i = gradientLength; i < length; i++) {
      finite += 0 * values[i];
      packed[i - gradientLength] = values[i];
    }
    if (finite !== 0) throw new ReportError('"report" expected finite values only');
    // A report may come here without having been decoded.
    check(values);
    return target;
  }
  return {
    releases() {
      if (hessian === undefined) return [channel.release()];
      const { sensitivity, sigma } = hessian.mechanism;
      const what = 'Hessian of the loss at the iterate';
      return [channel.release(), gaussianRelease({ what, count: 1, sensitivity, sigma })];
    },
    ...limits,
    gradient(values) {
      if (values.length !== length) throw new ReportError(`"report" expected ${length} values, got ${values.length}`);
      if (largestSquare > 0 && isFloat(values)) {
        // The case of most streams: one pass, and nothing is copied. NaN and the infinities exceed the limit too.
        let squared = 0;
        let i = 0;
        for (; i + 1 < length; i += 2) {
          const value = values[i];
          const other = values[i + 1];
          squared += value * value;
          squared += other * other;
        }
        if (i < length) squared += values[i] * values[i];
        if (squared <= largestSquare) return values;
      }
      return read(values);
    },
    hessian: packed,
    view: channel.view,
    logRatio(place, first, second) {
      const ratio = channel.logRatio(first.gradient, second.gradient, place);
      if (ratio === undefined || hessian === undefined) return ratio;
      const deviations = new Float64Array(packed.length).fill(hessian.mechanism.sigma);
      const behind = normalLogRatio(first.hessian, second.hessian, deviations);
      return (values) => ratio(values) + behind(Float64Array.from(values).subarray(gradientLength));
    },
    scratch: { sum: numbers(), before: numbers(), copy: numbers() },
  };
}

/** Whether values are floating-point numbers. */
export function isFloat(values: Values): values is FloatValues {
  return values instanceof Float32Array || values instanceof Float64Array;
}

function limitsOf(
  { hessian, gradientLength, length }: OnlinePlan,
  channel: GradientChannel,
): Pick<OnlineChannel, 'influence' | 'check' | 'largestSquare'> {
  const { theorem, unit, direct, exact } = channel;
  // Both parts together refuse at most one honest report in 10¹².
  const refusal = hessian === undefined ? HONEST_REFUSAL : HONEST_REFUSAL / 2;
  const norm = channel.limit(refusal);
  const limits: NormLimit[] = [{ from: 0, to: gradientLength, norm }];
  let reportNorm = norm * unit;
  let { honestNorm } = channel;
  if (hessian !== undefined) {
    const { bound, mechanism } = hessian;
    const further = gaussianNormLimit(bound, mechanism.sigma, mechanism.dimension, refusal);
    limits.push({ from: gradientLength, to: length, norm: further });
    reportNorm = hypot(reportNorm, further);
    honestNorm = hypot(honestNorm, bound, sqrt(mechanism.dimension) * mechanism.sigma);
  }
  return {
    influence: { reportNorm, bound: reportNorm, honestNorm, honestRefusal: exact ? 0 : HONEST_REFUSAL, theorem },
    check: channel.check ?? ((values) => checkNorms(limits, values)),
    largestSquare: direct && hessian === undefined ? norm * norm : -1,
  };
}

/** One law of noise on a gradient, bound to a plan. */
interface GradientChannel extends Pick<OnlineChannel, 'view'> {
  /** The release, as a certificate lists it; refused where nothing is guaranteed. */
  release(): Release;
  /** One unit of a report, in units of the gradient. */
  readonly unit: number;
  /** Whether a report is the noisy gradient itself. */
  readonly direct: boolean;
  /** Whether `limit` holds for every honest report. */
  readonly exact: boolean;
  /** The norm that an honest report exceeds with a probability of at most `refusal`, and the inequality behind it. */
  limit(refusal: number): number;
  readonly theorem: string;
  /** The largest root mean square norm of the gradient that an honest report stands for. Units: of the gradient. */
  readonly honestNorm: number;
  /** Refuses reports by another rule than the norm, if all reports have the same norm. */
  check?(values: Values): void;
  /** Writes the gradient that a report stands for, in its own units. Returns 0, or NaN if a value is not finite. */
  read(values: Values, target: Float64Array): number;
  /** The log ratio under two gradients, in the units in which they are randomized, for the player at a place. */
  logRatio(first: Float64Array, second: Float64Array, place: number): LogRatio | undefined;
}

type PlanOf<Law> = OnlinePlan & { readonly noise: Extract<OnlineNoise, { readonly law: Law }> };

/** The laws of noise: a new law needs a line here and a line in `player.ts`. */
const LAWS: { readonly [Law in OnlineNoise['law']]: (plan: PlanOf<Law>) => GradientChannel } = {
  gaussian: gaussianChannel,
  laplace: laplaceChannel,
  unit: unitChannel,
  grid: gridChannel,
  none: noChannel,
};

const WHAT = 'gradient of the loss at the iterate';

const asTheyAre = (values: Values): ArrayLike<number> => values;

/** Reads values that are multiples of a unit; values after the first p do not belong to the gradient. */
function scaled(unit: number): GradientChannel['read'] {
  return (values, target) => {
    let finite = 0;
    for (let i = 0; i < target.length; i++) {
      finite += 0 * values[i];
      target[i] = unit * values[i];
    }
    return finite;
  };
}

function added({ model, noise }: OnlinePlan) {
  const honestNorm = hypot(model.gradientBound, sqrt(model.dimension) * noise.deviation);
  return { unit: 1, direct: true, exact: false, honestNorm, read: scaled(1), view: asTheyAre } as const;
}

function gaussianChannel(plan: PlanOf<'gaussian'>): GradientChannel {
  const { model, noise } = plan;
  const { dimension, sensitivity } = model;
  const { sigma, budgets, guarantee } = noise;
  const shared = budgets !== undefined && guarantee?.kind === 'gdp' ? guarantee : undefined;
  const what = shared === undefined ? WHAT : `${WHAT}, of the player with the largest budget`;
  const largest = shared === undefined ? sigma : sensitivity / shared.mu;
  return {
    ...added(plan),
    release: () => gaussianRelease({ what, count: 1, sensitivity, sigma: largest }),
    theorem: GAUSSIAN_THEOREM,
    // σ is that of the smallest budget: a report does not say which player sent it.
    limit: (refusal) => gaussianNormLimit(model.gradientBound, sigma, dimension, refusal),
    logRatio(first, second, place) {
      const own = budgets === undefined ? sigma : sensitivity / muAt(budgets, place);
      return normalLogRatio(first, second, new Float64Array(dimension).fill(own));
    },
  };
}

function laplaceChannel(plan: PlanOf<'laplace'>): GradientChannel {
  const { dimension, gradientBound } = plan.model;
  const { scale, absoluteSensitivity: sensitivity, guarantee } = plan.noise;
  return {
    ...added(plan),
    release: () => ({ what: WHAT, count: 1, mechanism: 'Laplace', sensitivity, scale, guarantee }),
    theorem: `${GAUSSIAN_THEOREM}, of twice a gamma variable`,
    // The ℓ₂ norm of the noise is at most its ℓ₁ norm, which has a gamma distribution with shape p.
    limit: (refusal) =>
      gradientBound * sphericalNormLimit({ noiseDimension: dimension, rate: gradientBound / scale }, refusal),
    logRatio: (first, second) => (values) => {
      let sum = 0;
      for (let i = 0; i < dimension; i++) sum += abs(values[i] - second[i]) - abs(values[i] - first[i]);
      return sum / scale;
    },
  };
}

function noChannel(plan: PlanOf<'none'>): GradientChannel {
  const { dimension, gradientBound } = plan.model;
  return {
    ...added(plan),
    release() {
      throw new RefusedValue(refused('variant', 'one with a guarantee', plan.variant));
    },
    exact: true,
    theorem: 'gradients of the model are bounded',
    limit: (refusal) => gaussianNormLimit(gradientBound, 0, dimension, refusal),
    logRatio: () => undefined,
  };
}

function gridChannel(plan: PlanOf<'grid'>): GradientChannel {
  const { dimension, gradientBound } = plan.model;
  const { mechanism } = plan.noise;
  const { radius, sigma, step } = mechanism;
  const unit = gradientBound * step;
  return {
    ...added(plan),
    release: () => discreteGaussianRelease(WHAT, mechanism),
    unit,
    direct: false,
    theorem: GAUSSIAN_THEOREM,
    limit: (refusal) => gaussianNormLimit(radius, sigma, dimension, refusal),
    read: scaled(unit),
    logRatio: (first, second) =>
      normalLogRatio(first, second, new Float64Array(dimension).fill(mechanism.deviation), step),
  };
}

function unitChannel({ model, noise: { mechanism } }: PlanOf<'unit'>): GradientChannel {
  const unit = model.gradientBound;
  const shared = {
    release: () => unitRelease(WHAT, mechanism),
    unit,
    direct: false,
    honestNorm: unit * sqrt(1 + mechanism.squaredError),
    logRatio: (first: Float64Array, second: Float64Array) =>
      unitLogRatio(mechanism, completed(first, first.length), completed(second, second.length)),
  } as const;
  if (mechanism.name === 'k-closest') return { ...shared, ...closest(mechanism, unit) };
  return {
    ...shared,
    exact: false,
    theorem: `${GAUSSIAN_THEOREM}, times keep/cap`,
    limit: (refusal) => privUnitNormLimit(mechanism, refusal),
    read: scaled(unit),
    view: asTheyAre,
  };
}

function closest(mechanism: KClosest, unit: number) {
  // One coordinate more than the gradient has: the coordinate that completed it to the sphere.
  const codeword = new Float64Array(mechanism.dimension);
  const view = (values: Values): Float64Array => {
    expandKClosest(mechanism, values, codeword);
    return codeword;
  };
  return {
    exact: true,
    theorem: 'every codeword has the same norm',
    // A direction is expanded in doubles: a unit vector up to their rounding errors.
    limit: () => mechanism.scale * (1 + 1e-9),
    check: (values: Values) => checkKClosestReport(mechanism, values),
    read(values: Values, target: Float64Array) {
      view(values);
      for (let i = 0; i < target.length; i++) target[i] = codeword[i] * unit;
      return 0;
    },
    view,
  };
}

/**
 * One player's report of the number of the step that it answers, from 1, and the noisy gradient (p numbers, or as many as its mechanism
 * has); then, if Hessians are released, a packed lower triangle of p(p + 1)/2.
 */
export interface OnlineReport {
  step: number;
  readonly values: Values;
}

export function createOnlineReport(plan: OnlinePlan): OnlineReport {
  return { step: 0, values: createValues(plan.precision, plan.length) };
}

/** Bytes of the step, a double in little-endian order behind the frame. */
const STEP_BYTES = 8;

/** The wire: the frame of the values, then the step. What no player of the plan sends is refused: `OnlineChannel`. */
export const report: Wire<OnlinePlan, OnlineReport> = {
  encode(plan, { step, values }) {
    checkStepNumber(step);
    const frame = encodeValues(plan, plan.precision, plan.length, values);
    const bytes = new Uint8Array(frame.length + STEP_BYTES);
    bytes.set(frame);
    new DataView(bytes.buffer).setFloat64(frame.length, step, true);
    return bytes;
  },
  decode(plan, received) {
    const bytes = receivedBytes(received);
    const end = bytes.length - STEP_BYTES;
    if (end < 0) throw new ReportError(`"report" expected at least ${STEP_BYTES} bytes, got ${bytes.length}`);
    const values = decodeValues(plan, plan.precision, plan.length, bytes.subarray(0, end));
    const step = new DataView(bytes.buffer, bytes.byteOffset + end).getFloat64(0, true);
    checkStepNumber(step);
    channelOf(plan).check(values);
    return { step, values };
  },
};

/** Refuses anything that is not the number of a step. */
export function checkStepNumber(step: unknown): void {
  if (!(Number.isSafeInteger(step) && (step as number) >= 1)) {
    throw new ReportError('"report" expected the number of a step, a whole number >= 1');
  }
}
