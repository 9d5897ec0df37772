import { checkWord } from '../../src/check/number.ts';
import type { PlainRequest, PublicParameters } from '../../src/core/contract.ts';
import type { Grade } from '../../src/core/digest.ts';
import type { RoundParameters, RoundsProtocol } from '../../src/core/rounds.ts';
import type { UserLevelMeanRound } from './channels.ts';
import { type UserLevelMeanPlan, type UserLevelMeanRequest, userLevelMeanPlan, VARIANTS } from './parameters.ts';
import { userLevelMean } from './protocol.ts';
import type { MeanEstimate, MeanTally, UserDatum, UserLevelReport } from './shape.ts';
import { theory } from './theory.ts';

/** The request of a study of players with several samples: plain data. Samples lie in [−1, 1], or in the unit ball. */
export interface UserStudyRequest {
  /** Name of the variant. */
  readonly variant: string;
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** δ of one player's transcript; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /** n, the expected number of players. */
  readonly players: number;
  /** m, the nominal number of samples of a player. */
  readonly samples: number;
  /** d ≥ 1. */
  readonly dimension: number;
  /** s, the standard deviation of one sample, if it is public; used by variants whose interval depends on it. */
  readonly spread?: number;
  /** Whether samples lie in the unit ball; otherwise only each coordinate lies in [−1, 1]. */
  readonly inBall?: boolean;
  /** The kind of noise; a simulation by default. */
  readonly grade?: Grade;
}

/** What a designer knows about the samples before any data are collected. */
export interface UserSetting {
  /** s, the standard deviation of a coordinate of one sample. */
  readonly spread: number;
}

/** What to expect of a plan, in the unit of the samples. */
export interface UserForecast {
  /** The expected root mean squared error, of all coordinates together. */
  readonly error: number;
  /** The part of this error that no number of players removes. */
  readonly floor: number;
}

/** Variants that are shown side by side. */
export interface ComparedVariants {
  /** Best first. */
  readonly variants: readonly string[];
  /** The variants among them with which the others are compared. */
  readonly baselines: readonly string[];
}

/** What a protocol for means of players with several samples offers to users. See `Study` for labelled records. */
export interface UserStudy<
  Plan extends PublicParameters = PublicParameters,
  Round extends RoundParameters = RoundParameters,
  Report = unknown,
  Tally = unknown,
> {
  /** Distinguishes this kind of study from others. */
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
  /** What a comparison shows in several dimensions. */
  readonly vector: ComparedVariants;
  /**
   * The request of a variant of the protocol: what a device is sent.
   *
   * @throws TypeError or RangeError for an unknown variant.
   */
  request(asked: UserStudyRequest): PlainRequest;
  /**
   * The requested plan.
   *
   * @throws TypeError or RangeError naming the field.
   */
  plan(asked: UserStudyRequest): Plan;
  /**
   * What to expect before any data are collected, by closed forms.
   *
   * @throws TypeError or RangeError naming the field.
   */
  forecast(asked: UserStudyRequest, setting: UserSetting): UserForecast;
}

const PURE: readonly string[] = ['oneBit', 'vector', 'coordinates'];

function request(asked: UserStudyRequest): PlainRequest {
  const { variant: word, delta, inBall = false, grade, dimension, spread, ...rest } = asked;
  const variant = checkWord('variant', word, VARIANTS);
  return {
    variant,
    ...rest,
    ...(dimension === 1 ? {} : { dimension }),
    ...(grade === undefined ? {} : { grade }),
    // Other variants find the spread themselves, and a wrong given value would mislead them.
    ...(spread === undefined || variant !== 'twoRound' ? {} : { spread }),
    ...(PURE.includes(variant) ? {} : { delta }),
    ...(inBall && (dimension > 1 || variant === 'vector' || variant === 'coordinates') ? { domain: 'ball' } : {}),
  };
}

const plan = (asked: UserStudyRequest): UserLevelMeanPlan =>
  userLevelMeanPlan(request(asked) as unknown as UserLevelMeanRequest);

/**
 * By closed forms, for the same number of samples per player, all players alike, and enough players to find the mean
 * roughly; `vector` and `coordinates`, which lose a coordinate now and then, by playing their rounds. For `printed` the mean is assumed at the edge of a bin, the
 * worst case.
 */
function forecast(asked: UserStudyRequest, { spread }: UserSetting): UserForecast {
  const made = plan(asked);
  const { error, floor } = theory.forecast!(made, { players: made.players, spread });
  return { error, floor };
}

/** The user-level mean as the command line and the simulator try it. */
export const study: UserStudy<UserLevelMeanPlan, UserLevelMeanRound, UserLevelReport, MeanTally> = {
  kind: 'users',
  protocol: userLevelMean,
  summary:
    'mean of samples of which every player holds several, all protected together (Avella-Medina 2023, two rounds)',
  variants: VARIANTS,
  pureVariants: PURE,
  scalar: { variants: ['oneBit', 'twoRound', 'naive', 'printed'], baselines: ['naive', 'printed'] },
  vector: { variants: ['vector', 'twoRound', 'coordinates', 'printed'], baselines: ['coordinates', 'printed'] },
  request,
  plan,
  forecast,
};
