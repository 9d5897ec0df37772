import { dropTiny } from '../../src/check/datum.ts';
import { checkInteger, checkNonNegative, checkPositive, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import { choosePrecision, type ReportParameters } from '../../src/core/frame.ts';
import type { RoundParameters } from '../../src/core/interactive.ts';
import { agreementOf, checkGrade, checkKnown, digestOf, type Grade, namesOf } from '../../src/core/request.ts';
import { K_CLOSEST_WORDS, kClosest } from '../../src/mechanism/k-closest.ts';
import { privUnitG, type UnitRandomizer } from '../../src/mechanism/unit-mechanism.ts';
import { constantsOn, hingeLoss, type MarginLoss } from '../../src/risk/margin-loss.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import type { LabelledRecord } from '../../src/simulation/runner.ts';
import { checkInBall } from '../user-level-mean/course.ts';

const { abs, sign, sqrt } = Math;

/** The protocol's name, and the version of its wire format and of its law. */
export const FAMILY = { protocol: 'gradient-waves', version: 1 } as const;

/** A complete request, as plain data that a device can be sent: see {@link gradientWavesPlan}. */
export interface GradientWavesRequest {
  /** The loss whose risk is minimised. */
  readonly variant: WaveLoss;
  /** ε > 0 of a player's one report. */
  readonly epsilon: number;
  /** p ≥ 1, the number of features. */
  readonly dimension: number;
  /** R > 0: the model satisfies ‖w‖ ≤ R. Default 1. */
  readonly radius?: number;
  /** T, from 2 to 50: the number of waves of gradients. Default 20. */
  readonly waves?: number;
  /**
   * Share of all players who form a last wave, from 0 to ½: they report the loss at the final model, from which its
   * risk gets a standard error. Default 0: there is no such wave.
   */
  readonly riskShare?: number;
  /** What the noise is made of. Default: `simulation`. */
  readonly grade?: Grade;
}

/** The names of all fields of a request. */
export const WAVES_REQUEST: readonly string[] = /* @__PURE__ */ namesOf<GradientWavesRequest>({
  variant: true,
  epsilon: true,
  dimension: true,
  radius: true,
  waves: true,
  riskShare: true,
  grade: true,
});

/** What a report is about: every wave asks for a vector of the unit ball of R^p. */
interface Asked extends ReportParameters {
  readonly variant: WaveLoss;
  readonly grade: Grade;
  /** ε of a player's one report. */
  readonly epsilon: number;
  /** p. */
  readonly dimension: number;
  /** R. */
  readonly radius: number;
  /** The mechanism on the vector completed to the sphere: PrivUnitG in a simulation, k-closest encoding otherwise. */
  readonly mechanism: UnitRandomizer;
}

/** The plan of all waves. */
export interface GradientWavesPlan extends Asked {
  /** T, the number of waves of gradients. */
  readonly waves: number;
  /** Share of the players in each wave; with a last wave for the risk there is one share more than T. */
  readonly shares: readonly number[];
}

/** A wave: a group of fresh players who answer at one public point. */
export interface Wave extends Asked, Omit<RoundParameters, keyof PublicParameters> {
  /** The gradient of the loss at w, divided by the largest length it can have, or the loss at w. */
  readonly asks: 'gradient' | 'risk';
  /** The public point: p numbers, ‖w‖ ≤ R. */
  readonly w: Float64Array;
}

const USUAL_WAVES = 20;

/**
 * A plan from plain data: a device that gets the same data makes the same plan, with the same digest, as the server.
 *
 * Guarantee: pure ε for every player, whatever T is: each player answers in one wave only.
 * @throws TypeError or RangeError naming the field, also one that no wave uses.
 */
export function gradientWavesPlan(request: GradientWavesRequest): GradientWavesPlan {
  checkKnown('request', request, WAVES_REQUEST);
  const variant = checkWord('variant', request.variant, LOSSES);
  const epsilon = checkPositive('epsilon', request.epsilon);
  const dimension = checkInteger('dimension', request.dimension, 1, 999_999);
  const radius = checkRadius(request.radius ?? 1);
  const waves = checkInteger('waves', request.waves ?? USUAL_WAVES, 2, 50);
  const riskShare = checkNonNegative('riskShare', request.riskShare ?? 0);
  if (!(riskShare <= 0.5)) throw new RefusedValue('riskShare', 'a number from 0 to 0.5', riskShare);
  const grade = checkGrade(request.grade, variant, true);
  const vector = { epsilon, dimension: dimension + 1 };
  const mechanism = grade === 'deployment' ? kClosest(vector) : privUnitG(vector);
  const deviation = sqrt(mechanism.coordinateVariance);
  const shares = new Array<number>(waves).fill((1 - riskShare) / waves);
  return {
    ...FAMILY,
    ...agreementOf(FAMILY, { variant, epsilon, dimension, radius, waves, riskShare, grade }),
    ...{ variant, grade, epsilon, dimension, radius, mechanism, waves },
    ...(grade === 'deployment'
      ? { length: K_CLOSEST_WORDS, precision: 'uint32' }
      : { length: dimension + 1, precision: choosePrecision(deviation, 1 + 8 * deviation) }),
    shares: riskShare > 0 ? [...shares, riskShare] : shares,
  };
}

/** The largest and the least radius: losses and their gradients are doubles with many digits. */
function checkRadius(value: unknown): number {
  const radius = checkPositive('radius', value);
  if (!(radius >= 1e-6 && radius <= 1e6)) throw new RefusedValue('radius', 'a number from 1e-6 to 1e6', radius);
  return radius;
}

/** The wave with this number at this point; a point with ‖w‖ > R, or with an entry that is not finite, is refused. */
export function waveAt(plan: GradientWavesPlan, round: number, w: Float64Array): Wave {
  const { waves, shares, request: _, digest: agreed, ...asked } = plan;
  checkInBall('round.w', w, plan.radius);
  const digest = digestOf({ plan: agreed, round, w: Array.from(w) });
  return { ...asked, digest, round, share: shares[round], asks: round < waves ? 'gradient' : 'risk', w };
}

/** B: a reported vector is the gradient divided by this. */
export function gradientBound({ variant, radius }: Pick<Asked, 'variant' | 'radius'>): number {
  return LOSS[variant].lipschitz(radius);
}

/**
 * The losses of a record (x, y) with ‖x‖ ≤ 1 and |y| ≤ 1 at a model w, in the order of their usefulness:
 *
 * - `hinge`: (½ − y⟨w, x⟩)₊;
 * - `logistic`: log(1 + e^(−y⟨w, x⟩));
 * - `absolute`: |⟨w, x⟩ − y|, whose risk is least at the conditional median of a response y;
 * - `median`: ½‖w − x‖, whose risk is least at the Euclidean median of the points x; y plays no part.
 */
export const LOSSES = ['hinge', 'logistic', 'absolute', 'median'] as const;

/** The name of a loss. */
export type WaveLoss = (typeof LOSSES)[number];

/** A record: features x, and a label or a response y. */
export type WaveDatum = LabelledRecord;

/** A convex loss, and the public bounds that hold for every record and every ‖w‖ ≤ R. */
export interface Loss {
  /** B: no gradient is longer. */
  lipschitz(radius: number): number;
  /** The largest value; the least is 0 or more. */
  largest(radius: number): number;
  /** ℓ(w; x, y). */
  value(w: ArrayLike<number>, datum: WaveDatum): number;
  /** Writes a (sub)gradient in w into the first entries of `target`. */
  fillGradient(w: ArrayLike<number>, datum: WaveDatum, target: Float64Array): void;
}

/** The square of a smaller distance is a double with few digits or none. */
const LEAST_DISTANCE = 1e-140;

/** The losses by name. */
export const LOSS: { readonly [name in WaveLoss]: Loss } = {
  hinge: ofMargin(hingeLoss()),
  logistic: ofMargin(logisticLoss()),
  absolute: {
    lipschitz: () => 1,
    largest: (radius) => radius + 1,
    value: (w, { features, label }) => abs(inner(w, features) - label),
    fillGradient: (w, { features, label }, target) => scale(features, sign(inner(w, features) - label), target),
  },
  median: {
    lipschitz: () => 0.5,
    largest: (radius) => (radius + 1) / 2,
    value: (w, { features }) => distance(w, features) / 2,
    // A point that is w itself pulls in no direction. Nor does one so near that squares underflow: its gradient would be too
    // long by a factor, and the player would refuse a point that somebody has guessed.
    fillGradient(w, { features }, target) {
      const length = distance(w, features);
      const near = length < LEAST_DISTANCE;
      for (let i = 0; i < features.length; i++) target[i] = near ? 0 : (w[i] - features[i]) / (2 * length);
    },
  },
};

/** A loss of the margin t = y⟨w, x⟩: its gradient is f′(t)·y·x. */
function ofMargin(loss: MarginLoss): Loss {
  return {
    lipschitz: (radius) => constantsOn(loss, radius).lipschitz,
    // Both decrease in t.
    largest: (radius) => loss.value(-radius),
    value: (w, { features, label }) => loss.value(label * inner(w, features)),
    fillGradient: (w, { features, label }, target) =>
      scale(features, label * loss.derivative(label * inner(w, features)), target),
  };
}

function inner(w: ArrayLike<number>, features: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < features.length; i++) sum += w[i] * features[i];
  return sum;
}

function scale(features: ArrayLike<number>, slope: number, target: Float64Array): void {
  const factor = dropTiny(slope);
  for (let i = 0; i < features.length; i++) target[i] = factor * features[i];
}

function distance(w: ArrayLike<number>, features: ArrayLike<number>): number {
  let squared = 0;
  for (let i = 0; i < features.length; i++) squared += (w[i] - features[i]) ** 2;
  return sqrt(squared);
}
