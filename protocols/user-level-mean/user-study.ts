import type { PlainRequest, PublicParameters } from '../../src/core/contract.ts';
import type { Grade } from '../../src/core/grade.ts';
import type { RoundParameters, RoundsProtocol } from '../../src/core/rounds.ts';
import type { MeanEstimate, UserDatum } from './shape.ts';

/** What a study of players with several samples asks a variant for: plain data. Samples lie in [−1, 1], or in the unit ball. */
export interface UserStudyRequest {
  /** Name of the variant. */
  readonly variant: string;
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** δ of one player's transcript; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /** n, the number of players that are expected. */
  readonly players: number;
  /** m, the nominal number of samples a player holds. */
  readonly samples: number;
  /** d ≥ 1. */
  readonly dimension: number;
  /** s, the standard deviation of one sample, where it is public; used by variants whose interval depends on it. */
  readonly spread?: number;
  /** Whether samples lie in the unit ball and not only, coordinate by coordinate, in [−1, 1]. */
  readonly inBall?: boolean;
  /** What the noise is made of; a simulation by default. */
  readonly grade?: Grade;
}

/** What a designer knows of the samples before collecting. */
export interface UserSetting {
  /** s, the standard deviation of a coordinate of one sample. */
  readonly spread: number;
}

/** What to expect of a plan, in the unit of the samples. */
export interface UserForecast {
  /** Root mean squared error to expect, of all coordinates together. */
  readonly error: number;
  /** The part of it that no number of players removes. */
  readonly floor: number;
}

/** Variants that are shown side by side. */
export interface ComparedVariants {
  /** Best first. */
  readonly variants: readonly string[];
  /** Those of them that the others are measured against. */
  readonly baselines: readonly string[];
}

/** What a protocol for means of players with several samples offers to those who try it. See `Study` for labelled records. */
export interface UserStudy<
  Plan extends PublicParameters = PublicParameters,
  Round extends RoundParameters = RoundParameters,
  Report = unknown,
  Tally = unknown,
> {
  /** What tells this kind of study from others. */
  readonly kind: 'users';
  /** The protocol. */
  readonly protocol: RoundsProtocol<Plan, Round, UserDatum, Report, Tally, MeanEstimate>;
  /** One line on what it does. */
  readonly summary: string;
  /** All its variants. */
  readonly variants: readonly string[];
  /** Variants whose guarantee is pure, so that they do not use δ. */
  readonly pureVariants: readonly string[];
  /** What a comparison shows in one dimension. */
  readonly scalar: ComparedVariants;
  /** What it shows in several. */
  readonly vector: ComparedVariants;
  /**
   * The request of a variant of the protocol: what a device is sent.
   *
   * @throws TypeError or RangeError for an unknown variant.
   */
  request(asked: UserStudyRequest): PlainRequest;
  /**
   * The plan asked for.
   *
   * @throws TypeError or RangeError naming the field.
   */
  plan(asked: UserStudyRequest): Plan;
  /**
   * What to expect before collecting, without data, by closed forms.
   *
   * @throws TypeError or RangeError naming the field.
   */
  forecast(asked: UserStudyRequest, setting: UserSetting): UserForecast;
}
