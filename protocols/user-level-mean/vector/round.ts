import { digestOf } from '../../../src/core/digest.ts';
import { choosePrecision, type Precision } from '../../../src/core/frame.ts';
import type { FinishedRound } from '../../../src/core/rounds.ts';
import type { UnitRandomizer } from '../../../src/core/unit-report.ts';
import type { DiscreteGaussianMechanism } from '../../../src/mechanism/discrete-gaussian.ts';
import type { TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import { K_CLOSEST_WORDS } from '../../../src/mechanism/k-closest.ts';
import type { SeveralMaker } from '../scalar/kind.ts';
import type { CoordinateRound } from './coordinate-round.ts';
import type { RoundOfVector } from './model.ts';
import type { VectorPlan } from './plan.ts';
import type { Rotation } from './rotation.ts';

const { sqrt } = Math;

/** A round of signs. */
export interface SignRound extends RoundOfVector {
  readonly kind: 'sign';
  /** How many coordinates are asked about. */
  readonly size: number;
  /** `one` coordinate a player, or `all`. */
  readonly answers: 'one' | 'all';
  /** What local means are rotated by; absent where coordinates are asked for as they are. */
  readonly rotation?: Rotation;
  /** Two thresholds for each coordinate. */
  readonly thresholds: Float64Array;
  /** The coin that keeps a sign. */
  readonly coin: TwoLevels;
}

/** A round of residuals. */
export interface ResidualRound extends RoundOfVector {
  readonly kind: 'residual';
  /** c, where the rounds before have located the mean: d numbers. */
  readonly centre: Float64Array;
  /** r > 0: residuals are clipped to it. */
  readonly radius: number;
  /** Standard error of each coordinate of c, on average. */
  readonly centreError: number;
  /** τ of a coordinate of a local mean, as the rounds before tell it. */
  readonly deviation: number;
  /** The randomizer of the completed residual; absent with Gaussian noise. */
  readonly mechanism?: UnitRandomizer;
  /** σ of Gaussian noise on the unit ball; absent with a unit vector. */
  readonly sigma?: number;
  /** Grid and integer noise of the grade `deployment`. */
  readonly noise?: DiscreteGaussianMechanism;
}

/** A round of a plan in several dimensions. */
export type VectorRound = SignRound | ResidualRound | CoordinateRound;

/** What a server keeps of a round. */
export interface VectorTally {
  /** Digest of the round whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** Signs: for each threshold how many were reported below and above it. Residuals: their sum, d numbers. Coordinates: see `CoordinateRound`. */
  readonly sums: Float64Array;
}

/** A round of a vector plan that is over. */
export type FinishedVector = FinishedRound<VectorRound, VectorTally>;

/** The round of a plan that asks for signs at these thresholds. */
export function signRound(plan: VectorPlan, round: number, thresholds: Float64Array): SignRound {
  const { protocol, variant, version, grade, bound, dimension, domain, size, answers, rotation, coin } = plan;
  const share = plan.shares[round];
  const digest = digestOf({ plan: plan.digest, round, kind: 'sign', thresholds: Array.from(thresholds) });
  const length = answers === 'one' ? 1 : size;
  const common = { protocol, variant, version, digest, grade, bound, dimension, domain, round, share, length };
  const rotated = rotation === undefined ? {} : { rotation };
  return { ...common, ...rotated, kind: 'sign', precision: 'uint32', size, answers, thresholds, coin };
}

/** What the rounds before have found, for a round of residuals. */
export type Located = Pick<ResidualRound, 'centre' | 'radius' | 'centreError' | 'deviation'>;

/** What a round of residuals takes from its plan. */
export type ResidualPlan = Pick<
  VectorPlan,
  'protocol' | 'version' | 'digest' | 'grade' | 'bound' | 'dimension' | 'domain' | 'shares' | 'residual'
> & { readonly variant: SeveralMaker };

/** The round of a plan that asks for residuals. */
export function residualRound(plan: ResidualPlan, round: number, located: Located): ResidualRound {
  const { protocol, variant, version, grade, bound, dimension, domain, residual } = plan;
  const { form, mechanism, sigma, noise } = residual!;
  const share = plan.shares[round];
  const { centre, radius, centreError, deviation } = located;
  const digest = digestOf({ plan: plan.digest, round, kind: form, centre: Array.from(centre), radius });
  const common = { protocol, variant, version, digest, grade, bound, dimension, domain, round, share };
  const found = { kind: 'residual', centre, radius, centreError, deviation } as const;
  if (mechanism === undefined) {
    const shape = { length: dimension, precision: noise === undefined ? floatPrecision(sigma!) : 'int32' } as const;
    return { ...common, ...found, ...shape, sigma: sigma!, ...(noise === undefined ? {} : { noise }) };
  }
  if (mechanism.name === 'k-closest') {
    return { ...common, ...found, length: K_CLOSEST_WORDS, precision: 'uint32', mechanism };
  }
  const precision = floatPrecision(sqrt(mechanism.coordinateVariance));
  return { ...common, ...found, length: dimension + 1, precision, mechanism };
}

// Values stay within 8 deviations of the unit ball for all but 1 in 10¹⁵.
function floatPrecision(deviation: number): Precision {
  return choosePrecision(deviation, 1 + 8 * deviation);
}
