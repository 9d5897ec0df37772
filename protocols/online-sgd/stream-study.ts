import type { PlainRequest } from '../../src/core/contract.ts';
import type { Grade } from '../../src/core/grade.ts';
import type { SequentialProtocol } from '../../src/core/sequential.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import type { Population } from '../../src/simulation/population.ts';
import type { OnlineEstimate, OnlineQuery } from './estimate.ts';
import type { Inference, OnlinePlan, OnlineStep } from './plan.ts';
import type { FitChoice, RegressionFit } from './regression-fit.ts';

/** The models that a study of a stream knows, the default first. */
export const STREAM_MODELS = ['huber', 'linear', 'logistic', 'expectile', 'quantile', 'multinomial'] as const;

/** What is fitted to a stream. */
export interface StreamModel {
  /** `linear` is the squared loss; its gradients are clipped, which moves its minimiser. */
  readonly kind: (typeof STREAM_MODELS)[number];
  /** The norm that gradients of `linear` are clipped to. */
  readonly clip?: number;
  /** τ of `expectile` and `quantile`. */
  readonly tau?: number;
  /** h of `quantile`. */
  readonly bandwidth?: number;
  /** K of `multinomial`. */
  readonly classes?: number;
}

/** What a study of a stream asks a variant for: plain data. */
export interface StreamStudyRequest {
  /** Name of the variant. */
  readonly variant: string;
  /** Features of a record, the intercept not counted. */
  readonly features: number;
  /** Huber regression where it is left out. */
  readonly model?: StreamModel;
  /** μ > 0 of one player, for variants of Gaussian differential privacy; the others do not use it. */
  readonly mu?: number;
  /** ε > 0 of one player, for all other variants. */
  readonly epsilon?: number;
  /** δ of one player, for variants with an (ε, δ) guarantee. */
  readonly delta?: number;
  /** μ_A > 0 of a second release of every player, its Hessian, for plug-in intervals; variants of Gaussian privacy only. */
  readonly hessianMu?: number;
  /** γ > 0 of the step size γ·i^(−α). */
  readonly rate?: number;
  /** α in (0, 1]. */
  readonly decay?: number;
  /** First steps that the average and the intervals leave out. */
  readonly burnIn?: number;
  /** What the server keeps for intervals besides random scaling; the variant's choice where it is left out. */
  readonly inference?: readonly Inference[];
  /** What the noise is made of; a simulation by default. */
  readonly grade?: Grade;
}

/** Which number a variant takes as its budget. */
export type StreamBudget = 'mu' | 'epsilon';

/** What a designer assumes before collecting. */
export interface StreamSetting {
  /** n, the number of players. */
  readonly players: number;
  /** Standard deviation of a response around the model, in the unit of the model; 1 where it is left out, and none of labels. */
  readonly spread?: number;
  /** Probability with which an interval is to hold its value. */
  readonly level: number;
}

/** What to expect of a coordinate of the average, in the unit of the model. */
export interface StreamForecast {
  /** Standard error, the root mean square over coordinates. */
  readonly error: number;
  /** The part of it that is there without privacy. */
  readonly floor: number;
  /** Half the length of a normal interval at the level asked for. */
  readonly half: number;
  /** The records that are assumed, in words. */
  readonly assumption: string;
}

/** What a sequential protocol offers to those who try it on records of a regression. See `Study` for labelled records. */
export interface StreamStudy<Report = unknown, State = unknown> {
  /** What tells this kind of study from others. */
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
  /** The number that a variant takes as its budget. */
  budget(variant: string): StreamBudget;
  /**
   * The request of a variant of the protocol: what a device is sent, and nothing that it does not use.
   *
   * @throws TypeError or RangeError for an unknown variant.
   */
  request(asked: StreamStudyRequest): PlainRequest;
  /**
   * The plan asked for.
   *
   * @throws TypeError or RangeError naming the field.
   */
  plan(asked: StreamStudyRequest): OnlinePlan;
  /**
   * The fit to all records in the clear that the stream goes to.
   *
   * @throws RangeError for records without one.
   */
  fit(plan: OnlinePlan, records: Population<OnlineDatum>, choice?: FitChoice): RegressionFit;
  /** The mean loss of a model on records in the clear. */
  risk(plan: OnlinePlan, records: Population<OnlineDatum>, theta: Float64Array): number;
  /**
   * What to expect before collecting, without data, by the limit law of the average.
   *
   * @throws TypeError or RangeError naming the field; RangeError for a model that the limit law says nothing of.
   */
  forecast(asked: StreamStudyRequest, setting: StreamSetting): StreamForecast;
}
