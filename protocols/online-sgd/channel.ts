import { ReportError } from '../../src/check/refusal.ts';
import type { LogRatio } from '../../src/core/channel.ts';
import { oncePer } from '../../src/core/channel.ts';
import type { FloatValues, Values } from '../../src/core/frame.ts';
import {
  checkNorms,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
} from '../../src/core/influence.ts';
import { normalLogRatio } from '../../src/core/vector-channel.ts';
import { gaussianRelease, type Release } from '../../src/privacy/totals.ts';
import { type GradientChannel, gradientChannel } from './gradient-channel.ts';
import type { OnlinePlan } from './plan.ts';

const { hypot, sqrt } = Math;

/** The vectors to which the noise of a report is added. */
export interface Randomized {
  /** The gradient, in the units in which it is randomized. */
  readonly gradient: Float64Array;
  /** m·mᵀ, a packed lower triangle; empty if none is sent. */
  readonly hessian: Float64Array;
}

/**
 * The noise of a plan, bound to it: what server, certificate and audit know of its reports. One object serves all
 * three, so that they cannot diverge. The draw itself is in `player.ts`: the server has no access to coins.
 */
export interface OnlineChannel {
  /** Every release of one player's transcript. */
  releases(): readonly Release[];
  /** The effect that one accepted report can have. */
  readonly influence: Influence;
  /**
   * Refuses reports that a player of the plan sends with probability 10⁻¹² at most.
   *
   * @throws ReportError.
   */
  check(values: Values): void;
  /** If a report is the noisy gradient and nothing else: the largest square of its norm. −1 for all other reports. */
  readonly largestSquare: number;
  /**
   * The gradient that a report stands for, in units of the gradient: the report's own values if they are that gradient,
   * otherwise an array that the next call overwrites.
   *
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
export const channelOf: (plan: OnlinePlan) => OnlineChannel = /* @__PURE__ */ oncePer((plan) =>
  bind(plan, gradientChannel(plan)),
);

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
      const releases = [channel.release()];
      if (hessian === undefined) return releases;
      const { sensitivity, sigma } = hessian.mechanism;
      return [
        ...releases,
        gaussianRelease({ what: 'Hessian of the loss at the iterate', count: 1, sensitivity, sigma }),
      ];
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

function isFloat(values: Values): values is FloatValues {
  return values instanceof Float32Array || values instanceof Float64Array;
}

/** The reports that are refused besides damaged ones, and the influence that an accepted report can have. */
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
