import type { PlainRequest } from '../../src/core/contract.ts';
import type { SequentialProtocol } from '../../src/core/interactive.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import type { Population } from '../../src/simulation/runner.ts';
import type { Study } from '../../src/simulation/study.ts';
import type { OnlineReport } from './channel.ts';
import type { OnlineEstimate, OnlineQuery } from './estimate.ts';
import type { ApproximateRequest, GdpRequest, OnlinePlan, OnlineStep } from './parameters.ts';
import type { FitChoice, RegressionFit } from './regression-fit.ts';
import type { OnlineState } from './state.ts';

/** The models that a study of a stream knows, the default first. */
export const STREAM_MODELS = ['huber', 'linear', 'logistic', 'expectile', 'quantile', 'multinomial'] as const;

/** The model that is fitted to a stream. */
export interface StreamModel extends Pick<ModelRequest, 'tau' | 'bandwidth' | 'classes'> {
  /** `linear` is the squared loss; its gradients are clipped, which moves its minimiser. */
  readonly kind: (typeof STREAM_MODELS)[number];
  /** The norm to which gradients of `linear` are clipped. */
  readonly clip?: number;
}

/** What a study of a stream requests from a variant: plain data. A variant uses the budget that is its own. */
export interface StreamStudyRequest
  extends Pick<GdpRequest, 'mu' | 'hessianMu' | 'rate' | 'decay' | 'burnIn' | 'average' | 'inference' | 'grade'>,
    Partial<Pick<ApproximateRequest, 'epsilon' | 'delta'>> {
  /** Name of the variant. */
  readonly variant: string;
  /** The number of features of a record, without the intercept. */
  readonly features: number;
  /** Huber regression by default. */
  readonly model?: StreamModel;
}

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

/** The sequential protocol of this folder. */
export type OnlineProtocol = SequentialProtocol<
  OnlinePlan,
  OnlineStep,
  OnlineDatum,
  OnlineReport,
  OnlineState,
  OnlineEstimate,
  OnlineQuery
>;

/** What a sequential protocol offers to users who try it on regression records. See `Study` for labelled records. */
export interface StreamStudy extends Pick<Study, 'summary' | 'variants' | 'checkQuery'> {
  /** Distinguishes this kind of study from others. */
  readonly kind: 'stream';
  /** The protocol. */
  readonly protocol: OnlineProtocol;
  /** The variant without a guarantee that the others are compared with. */
  readonly reference: string;
  /** Variants whose guarantee is pure, so that they do not use δ. */
  readonly pureVariants: readonly string[];
  /** The number that a variant takes as its privacy budget. */
  budget(variant: string): 'mu' | 'epsilon';
  /**
   * The request of a variant of the protocol: what a device is sent, without anything that it does not use.
   * @throws TypeError or RangeError for an unknown variant.
   */
  request(asked: StreamStudyRequest): PlainRequest;
  /**
   * The requested plan.
   * @throws TypeError or RangeError naming the field.
   */
  plan(asked: StreamStudyRequest): OnlinePlan;
  /**
   * The model fitted to all records in the clear; the stream converges to it.
   * @throws RangeError for records without such a model.
   */
  fit(plan: OnlinePlan, records: Population<OnlineDatum>, choice?: FitChoice): RegressionFit;
  /** The mean loss of a model on records in the clear. */
  risk(plan: OnlinePlan, records: Population<OnlineDatum>, theta: Float64Array): number;
  /**
   * What to expect before any data are collected, by the limit law of the average.
   * @throws TypeError or RangeError naming the field; RangeError for a model to which the limit law does not apply.
   */
  forecast(asked: StreamStudyRequest, setting: StreamSetting): StreamForecast;
}
