import type { IntervalMethod } from '../../../../protocols/online-sgd/estimate.ts';
import type { StreamModel } from '../../../../protocols/online-sgd/stream-study.ts';
import type { Grade } from '../../../core/grade.ts';
import type { Certificate } from '../../../privacy/certificate.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';

/** An estimate of a stream as plain data, in the unit of the document. */
export interface StreamEstimateRecord {
  /** The average of the iterates: the intercept, then a number for each feature. */
  readonly theta: readonly number[];
  /** [low, high] around each of them; null where there can be none yet. */
  readonly intervals: readonly (readonly [number, number])[] | null;
  /** Why there can be none. */
  readonly reason?: string;
  /** The probability with which each interval is to hold its value. */
  readonly level: number;
  /** How they were made. */
  readonly method: IntervalMethod;
  /** For plug-in intervals: how many eigenvalues of the Hessian were raised to the floor, on which lengths then rest. */
  readonly raisedHessian?: number;
}

/** What was known at one moment: what `--ndjson` prints a line of. */
export interface StreamCheckpoint {
  /** Players so far, those before a resumed state included. */
  readonly players: number;
  /** When the last of them came, where the records say so: `2001-01-31T09:30`. */
  readonly until?: string;
  readonly estimate: StreamEstimateRecord;
}

/** How far an estimate is from the fit to all records in the clear, and how well it predicts. */
export interface StreamErrors {
  /** ℓ₂ distance. */
  readonly distance: number;
  /** The largest difference of a coordinate. */
  readonly largest: number;
  /** Which intervals hold the fit; null where there are none. */
  readonly inside: readonly boolean[] | null;
  /** The share of them that does. */
  readonly coverage: number | null;
  /** Half the length of an interval, the mean over coordinates. */
  readonly halfWidth: number | null;
}

/** The same with the risk: the mean loss on all records, in the unit of the model. */
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
 * What `ldpkit run` of a sequential protocol reports. Estimates, intervals and errors are in the `unit`; `metrics`, errors and
 * `baselines` come from the records in the clear, only the stream of `variant` is private.
 */
export interface StreamRunDocument {
  readonly protocol: string;
  readonly variant: string;
  /** What is fitted: `huber`, or what `--model` says. */
  readonly model: StreamModel;
  readonly players: number;
  /** p, the intercept included. */
  readonly dimension: number;
  /** A name for each coordinate, `intercept` first. */
  readonly features: readonly string[];
  /** Unit of the response, of θ and of errors. */
  readonly unit: string;
  /** How many of that unit are 1 in the model. */
  readonly scale: number;
  /** What one player is promised. */
  readonly guarantee: Guarantee;
  readonly estimate: StreamEstimateRecord;
  readonly metrics: StreamMetrics;
  readonly baselines: {
    /** The fit to all records in the clear. */
    readonly nonPrivate: {
      readonly theta: readonly number[];
      /** Standard errors, were the records independent. */
      readonly standardErrors: readonly number[];
      readonly risk: number;
    };
    /** The same stream with gradients as they are. */
    readonly stream: {
      readonly estimate: StreamEstimateRecord;
      readonly metrics: StreamMetrics;
      readonly checkpoints: readonly MeasuredCheckpoint[];
    };
    /** The best number that ignores the features. */
    readonly constant: { readonly theta: number; readonly risk: number; readonly excessRisk: number };
  };
  /** What was known along the stream, ascending; the last one is the estimate. */
  readonly checkpoints: readonly MeasuredCheckpoint[];
  /** Wall-clock time of the private stream: all reports, steps and checkpoints. */
  readonly seconds: number;
  readonly reportsPerSecond: number;
  /** The number of players whose reports were in the state that the stream went on from; 0 without one. */
  readonly resumedFrom: number;
  /** μ, or ε and δ, as asked for. */
  readonly budget: {
    readonly mu?: number;
    readonly epsilon?: number;
    readonly delta?: number;
    readonly hessianMu?: number;
  };
  readonly grade: Grade;
  readonly step: {
    /** γ and α of the step size γ·i^(−α). */
    readonly rate: number;
    readonly decay: number;
    /** First steps left out of the average. */
    readonly burnIn: number;
  };
  readonly seed: string;
  /** What the records are called. */
  readonly title: string;
  /** What the protocol does, in a line. */
  readonly summary: string;
  /** What was public beforehand. */
  readonly agreed: string;
  /** Whether records had to be sorted to be in the order of their time. */
  readonly sorted: boolean;
  readonly certificate: Certificate;
  /** Digest of the plan, which every report and every saved state carries. */
  readonly digest: string;
  /** Version of ldpkit. */
  readonly version: string;
  /** The command that made it. */
  readonly command: string;
}
