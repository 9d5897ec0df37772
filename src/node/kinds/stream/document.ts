import type { IntervalMethod } from '../../../../protocols/online-sgd/estimate.ts';
import type { StreamModel } from '../../../../protocols/online-sgd/stream-study.ts';
import type { AverageWeights } from '../../../inference/iterate-average.ts';
import type { Certificate } from '../../../privacy/certificate.ts';
import type { Uncertainty } from '../../../simulation/uncertainty.ts';
import type { StudyHead } from '../document.ts';

/** An estimate of a stream as plain data, in the unit of the document. */
export interface StreamEstimateRecord {
  /** The average of the iterates: the intercept, then a number for each feature. */
  readonly theta: readonly number[];
  /** [low, high] around each of them; null while intervals are not possible yet. */
  readonly intervals: readonly (readonly [number, number])[] | null;
  /** Why they are not possible. */
  readonly reason?: string;
  /** The nominal probability that an interval contains its value. */
  readonly level: number;
  /** How they were made. */
  readonly method: IntervalMethod;
  /** For plug-in intervals: how many eigenvalues of the Hessian were raised to the floor; lengths then depend on it. */
  readonly raisedHessian?: number;
}

/** What was known at one moment: `--ndjson` prints one line of it. */
export interface StreamCheckpoint {
  /** Players so far, including those before a resumed state. */
  readonly players: number;
  /** When the last of them came, where the records say so: `2001-01-31T09:30`. */
  readonly until?: string;
  readonly estimate: StreamEstimateRecord;
}

/** How far an estimate is from the non-private fit to all records, and how well it predicts. */
export interface StreamErrors {
  /** ℓ₂ distance. */
  readonly distance: number;
  /** The largest difference over all coordinates. */
  readonly largest: number;
  /** Which intervals contain the fit; null where there are none. */
  readonly inside: readonly boolean[] | null;
  /** The share of intervals that contain the fit. */
  readonly coverage: number | null;
  /** Mean over coordinates of half the length of an interval. */
  readonly halfWidth: number | null;
}

/** The same with the risk, which is the mean loss on all records, in the unit of the model. */
export interface StreamMetrics extends StreamErrors {
  readonly risk: number;
  /** Risk minus that of the fit. */
  readonly excessRisk: number;
}

/** One moment with its errors. */
export interface MeasuredCheckpoint extends StreamCheckpoint {
  readonly errors: StreamErrors;
}

/**
 * What `ldpkit run` of a sequential protocol reports. Estimates, intervals and errors are in the `unit`. `metrics`,
 * errors and `baselines` are computed from the records without privacy; only the stream of `variant` is private.
 */
export interface StreamRunDocument extends StudyHead {
  /** The fitted model: `huber`, or the one of `--model`. */
  readonly model: StreamModel;
  /** p, including the intercept. */
  readonly dimension: number;
  /** A name for each coordinate, `intercept` first. */
  readonly features: readonly string[];
  /** Unit of the response, of θ and of errors. */
  readonly unit: string;
  /** How many such units are 1 in the model. */
  readonly scale: number;
  /** What its intervals leave open, in the unit of the document; null where there are none. */
  readonly uncertainty: Uncertainty | null;
  readonly estimate: StreamEstimateRecord;
  readonly metrics: StreamMetrics;
  readonly baselines: {
    /** The non-private fit to all records. */
    readonly nonPrivate: {
      readonly theta: readonly number[];
      /** Standard errors under the assumption that the records are independent. */
      readonly standardErrors: readonly number[];
      readonly risk: number;
    };
    /** The same stream with gradients that are not randomized. */
    readonly stream: {
      readonly estimate: StreamEstimateRecord;
      readonly metrics: StreamMetrics;
      readonly checkpoints: readonly MeasuredCheckpoint[];
    };
    /** The best constant, which ignores the features. */
    readonly constant: { readonly theta: number; readonly risk: number; readonly excessRisk: number };
  };
  /** What was known along the stream, in ascending order; the last one is the estimate. */
  readonly checkpoints: readonly MeasuredCheckpoint[];
  /** Wall-clock time of the private stream: all reports, steps and checkpoints. */
  readonly seconds: number;
  readonly reportsPerSecond: number;
  /** The number of players whose reports were in the state that the stream was resumed from; 0 without such a state. */
  readonly resumedFrom: number;
  /** μ, or ε and δ, as requested. */
  readonly budget: {
    readonly mu?: number;
    readonly epsilon?: number;
    readonly delta?: number;
    readonly hessianMu?: number;
  };
  readonly step: {
    /** γ and α of the step size γ·i^(−α). */
    readonly rate: number;
    readonly decay: number;
    /** The number of first steps that the average leaves out. */
    readonly burnIn: number;
    /** The average, where it forgets the start. */
    readonly average?: AverageWeights;
  };
  /** What was public beforehand. */
  readonly agreed: string;
  /** Whether records had to be sorted by time. */
  readonly sorted: boolean;
  readonly certificate: Certificate;
  /** Digest of the plan, which every report and every saved state carries. */
  readonly digest: string;
}
