import type { PlainRequest } from '../../src/core/contract.ts';
import type { Grade } from '../../src/core/digest.ts';
import type { SequentialProtocol } from '../../src/core/sequential.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import type { Population } from '../../src/simulation/runner.ts';
import type { OnlineEstimate, OnlineQuery } from './estimate.ts';
import type { AverageRequest, Inference, OnlinePlan, OnlineStep } from './plan.ts';
import type { FitChoice, RegressionFit } from './regression-fit.ts';

/** The models that a study of a stream knows, the default first. */
export const STREAM_MODELS = ['huber', 'linear', 'logistic', 'expectile', 'quantile', 'multinomial'] as const;

/** The model that is fitted to a stream. */
export interface StreamModel {
  /** `linear` is the squared loss; its gradients are clipped, which moves its minimiser. */
  readonly kind: (typeof STREAM_MODELS)[number];
  /** The norm to which gradients of `linear` are clipped. */
  readonly clip?: number;
  /** τ of `expectile` and `quantile`. */
  readonly tau?: number;
  /** h of `quantile`. */
  readonly bandwidth?: number;
  /** K of `multinomial`. */
  readonly classes?: number;
}

/** What a study of a stream requests from a variant: plain data. */
export interface StreamStudyRequest {
  /** Name of the variant. */
  readonly variant: string;
  /** The number of features of a record, without the intercept. */
  readonly features: number;
  /** Huber regression by default. */
  readonly model?: StreamModel;
  /** μ > 0 of one player, for variants of Gaussian differential privacy; other variants do not use it. */
  readonly mu?: number;
  /** ε > 0 of one player, for all other variants. */
  readonly epsilon?: number;
  /** δ of one player, for variants with an (ε, δ) guarantee. */
  readonly delta?: number;
  /**
   * μ_A > 0 of a second release of every player, its Hessian, for plug-in intervals; only for variants of Gaussian
   * privacy.
   */
  readonly hessianMu?: number;
  /** γ > 0 of the step size γ·i^(−α). */
  readonly rate?: number;
  /** α in (0, 1]. */
  readonly decay?: number;
  /** The number of first steps that the average and the intervals leave out. */
  readonly burnIn?: number;
  /** The average that estimates; all iterates alike by default. */
  readonly average?: AverageRequest;
  /** What the server keeps for intervals besides random scaling; the variant chooses by default. */
  readonly inference?: readonly Inference[];
  /** The kind of noise; a simulation by default. */
  readonly grade?: Grade;
}

/** Which number a variant takes as its budget. */
export type StreamBudget = 'mu' | 'epsilon';

/** What a designer assumes before collecting. */
export interface StreamSetting {
  /** n, the number of players. */
  readonly players: number;
  /** Standard deviation of a response around the model, in the unit of the model; 1 by default, absent for labels. */
  readonly spread?: number;
  /** The probability with which an interval should contain its value. */
  readonly level: number;
}

/** What to expect of a coordinate of the average, in the unit of the model. */
export interface StreamForecast {
  /** Standard error, the root mean square over coordinates. */
  readonly error: number;
  /** The part of the error that remains without privacy. */
  readonly floor: number;
  /** Half the length of a normal interval at the requested level. */
  readonly half: number;
  /** The assumption on the records, in words. */
  readonly assumption: string;
}

/** What a sequential protocol offers to users who try it on regression records. See `Study` for labelled records. */
export interface StreamStudy<Report = unknown, State = unknown> {
  /** Distinguishes this kind of study from others. */
  readonly kind: 'stream';
  /** The protocol. */
  readonly protocol: SequentialProtocol<
    OnlinePlan,
    OnlineStep,
    OnlineDatum,
    Report,
    State,
    OnlineEstimate,
    OnlineQuery
  >;
  /** One line on what it does. */
  readonly summary: string;
  /** Its variants with a guarantee, best first. */
  readonly variants: readonly string[];
  /** Variants whose guarantee is pure, so that they do not use δ. */
  readonly pureVariants: readonly string[];
  /** The variant without a guarantee that the others are compared with. */
  readonly reference: string;
  /** The number that a variant takes as its privacy budget. */
  budget(variant: string): StreamBudget;
  /**
   * The request of a variant of the protocol: what a device is sent, without anything that it does not use.
   *
   * @throws TypeError or RangeError for an unknown variant.
   */
  request(asked: StreamStudyRequest): PlainRequest;
  /**
   * The requested plan.
   *
   * @throws TypeError or RangeError naming the field.
   */
  plan(asked: StreamStudyRequest): OnlinePlan;
  /**
   * The model fitted to all records in the clear; the stream converges to it.
   *
   * @throws RangeError for records without such a model.
   */
  fit(plan: OnlinePlan, records: Population<OnlineDatum>, choice?: FitChoice): RegressionFit;
  /** The mean loss of a model on records in the clear. */
  risk(plan: OnlinePlan, records: Population<OnlineDatum>, theta: Float64Array): number;
  /**
   * What to expect before any data are collected, by the limit law of the average.
   *
   * @throws TypeError or RangeError naming the field; RangeError for a model to which the limit law does not apply.
   */
  forecast(asked: StreamStudyRequest, setting: StreamSetting): StreamForecast;
}
