import { refusal as refused } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { LogRatio } from '../../src/core/channel.ts';
import type { Values } from '../../src/core/frame.ts';
import {
  GAUSSIAN_THEOREM,
  gaussianNormLimit,
  privUnitNormLimit,
  sphericalNormLimit,
} from '../../src/core/influence.ts';
import { discreteGaussianRelease } from '../../src/core/integer-noise.ts';
import { normalLogRatio, unitLogRatio, unitRelease } from '../../src/core/vector-channel.ts';
import { checkKClosestReport, expandKClosest, type KClosest } from '../../src/mechanism/k-closest.ts';
import { gaussianRelease, type Release } from '../../src/privacy/totals.ts';
import { muAt } from './budgets.ts';
import type { OnlineNoise } from './noise.ts';
import type { OnlinePlan } from './plan.ts';

const { abs, hypot, sqrt } = Math;

/** One law of noise on a gradient, bound to a plan; see `OnlineChannel`, which adds the other releases. */
export interface GradientChannel {
  /**
   * The release, as a certificate lists it.
   *
   * @throws RangeError where nothing is guaranteed.
   */
  release(): Release;
  /** One unit of a report, in units of the gradient. */
  readonly unit: number;
  /** Whether a report is the noisy gradient itself. */
  readonly direct: boolean;
  /** Whether `limit` holds for every honest report. */
  readonly exact: boolean;
  /** The norm that an honest report exceeds with a probability of at most `refusal`. Units: of the report. */
  limit(refusal: number): number;
  /** The inequality behind this limit. */
  readonly theorem: string;
  /** The largest root mean square norm of the gradient that an honest report stands for. Units: of the gradient. */
  readonly honestNorm: number;
  /** Refuses reports by another rule than the norm, if all reports have the same norm. */
  check?(values: Values): void;
  /** Writes the gradient that a report stands for, in its own units. Returns 0, or NaN if a value is not finite. */
  read(values: Values, target: Float64Array): number;
  /** As of `OnlineChannel`. */
  view(values: Values): ArrayLike<number>;
  /** The log ratio under two gradients, in the units in which they are randomized, for the player at a place. */
  logRatio(first: Float64Array, second: Float64Array, place: number): LogRatio | undefined;
}

/** A plan whose noise has one law. */
type PlanOf<Law> = OnlinePlan & { readonly noise: Extract<OnlineNoise, { readonly law: Law }> };

/** The laws of noise: a new law needs a line here and a line in `player.ts`. */
const LAWS: { readonly [Law in OnlineNoise['law']]: (plan: PlanOf<Law>) => GradientChannel } = {
  gaussian: gaussianChannel,
  laplace: laplaceChannel,
  unit: unitChannel,
  grid: gridChannel,
  none: noChannel,
};

/** The law of a plan's noise, bound to the plan. */
export function gradientChannel(plan: OnlinePlan): GradientChannel {
  const make: (plan: never) => GradientChannel = LAWS[plan.noise.law];
  return make(plan as never);
}

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

/** The fields common to all noise that is added to the gradient itself. */
function added({ model, noise }: OnlinePlan) {
  const honestNorm = hypot(model.gradientBound, sqrt(model.dimension) * noise.deviation);
  return { unit: 1, direct: true, exact: false, honestNorm, read: scaled(1), view: asTheyAre } as const;
}

function gaussianChannel(plan: PlanOf<'gaussian'>): GradientChannel {
  const { model, noise } = plan;
  const { dimension, sensitivity } = model;
  const { sigma, budgets, guarantee } = noise;
  const shared = budgets !== undefined && guarantee?.kind === 'gdp' ? guarantee : undefined;
  return {
    ...added(plan),
    release: () =>
      shared === undefined
        ? gaussianRelease({ what: WHAT, count: 1, sensitivity, sigma })
        : gaussianRelease({
            what: `${WHAT}, of the player with the largest budget`,
            count: 1,
            sensitivity,
            sigma: sensitivity / shared.mu,
          }),
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

function gridChannel({ model, noise }: PlanOf<'grid'>): GradientChannel {
  const { dimension, gradientBound } = model;
  const { mechanism, deviation } = noise;
  const { radius, sigma, step } = mechanism;
  const unit = gradientBound * step;
  return {
    release: () => discreteGaussianRelease(WHAT, mechanism),
    unit,
    direct: false,
    exact: false,
    theorem: GAUSSIAN_THEOREM,
    limit: (refusal) => gaussianNormLimit(radius, sigma, dimension, refusal),
    honestNorm: hypot(gradientBound, sqrt(dimension) * deviation),
    read: scaled(unit),
    view: asTheyAre,
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
      unitLogRatio(mechanism, completed(first), completed(second)),
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

/** The fields particular to reports of a seed and an index, which stand for a codeword. */
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

/** A vector of the unit ball and the coordinate that completes it to the sphere. */
function completed(vector: Float64Array): Float64Array {
  const squared = vector.reduce((sum, entry) => sum + entry * entry, 0);
  return Float64Array.of(...vector, squared < 1 ? sqrt(1 - squared) : 0);
}
