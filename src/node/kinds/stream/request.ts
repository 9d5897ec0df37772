import type { IntervalMethod } from '../../../../protocols/online-sgd/estimate.ts';
import type { AverageRequest } from '../../../../protocols/online-sgd/parameters.ts';
import type { StreamModel, StreamStudy, StreamStudyRequest } from '../../../../protocols/online-sgd/stream-study.ts';
import { checkWord, RefusedValue } from '../../../check/refusal.ts';
import type { AverageWeights } from '../../../inference/iterate-average.ts';
import type { Uncertainty } from '../../../inference/model-interval.ts';
import type { Certificate } from '../../../privacy/certificate.ts';
import type { RunOptions } from '../../commands/options.ts';
import type { ResultOptions } from '../../commands/show.ts';
import type { StudyHead } from '../../report/result.ts';

/** The typed part of a budget. */
interface TypedBudget {
  readonly mu: number | undefined;
  readonly epsilon: number | undefined;
  readonly delta: number | undefined;
}

/** The typed part of a model. */
interface TypedModel {
  readonly model: StreamModel['kind'];
  readonly tau: number | undefined;
  readonly bandwidth: number | undefined;
  readonly clip: number | undefined;
}

/** The options of such a run. */
export interface StreamRunOptions
  extends TypedBudget,
    TypedModel,
    ResultOptions,
    Omit<RunOptions, 'variant' | 'delta'> {
  readonly variant: string | undefined;
  readonly method: IntervalMethod;
  readonly level: number;
  readonly hessianFloor: number | undefined;
  readonly gamma: number | undefined;
  readonly alpha: number | undefined;
  readonly burnIn: number | undefined;
  readonly average: AverageRequest | undefined;
  readonly hessianMu: number | undefined;
  readonly save: string | undefined;
  readonly resume: string | undefined;
}

/**
 * The request of a variant with its budget: μ for Gaussian differential privacy, otherwise ε, each 1 by default, and δ
 * if the guarantee has one.
 * @throws RangeError for an unknown variant.
 */
export function streamRequest(
  study: StreamStudy,
  asked: Omit<StreamStudyRequest, 'mu' | 'epsilon' | 'delta'>,
  { mu = 1, epsilon = 1, delta = 1e-6 }: TypedBudget,
): StreamStudyRequest {
  const variant = checkWord('variant', asked.variant, study.variants);
  if (study.budget(variant) === 'mu') return { ...asked, mu };
  return study.pureVariants.includes(variant) ? { ...asked, epsilon } : { ...asked, epsilon, delta };
}

/** Refuses a budget that none of the selected variants has. */
export function checkBudgets(study: StreamStudy, variants: readonly string[], typed: TypedBudget): void {
  const used = {
    mu: variants.some((variant) => study.budget(variant) === 'mu'),
    epsilon: variants.some((variant) => study.budget(variant) === 'epsilon'),
    delta: variants.some((variant) => study.budget(variant) === 'epsilon' && !study.pureVariants.includes(variant)),
  };
  for (const name of ['mu', 'epsilon', 'delta'] as const) {
    if (typed[name] !== undefined && !used[name]) {
      const has = variants.map((variant) => study.budget(variant));
      const reason = name === 'delta' ? 'is pure' : `is --${has[0]}`;
      throw new RefusedValue(name, `none: the budget of ${variants.join(', ')} ${reason}`, typed[name]);
    }
  }
}

/**
 * The typed model, with the numbers that only some models have; undefined for the default, which a request need not
 * name.
 * @throws RangeError for a number that belongs to another model.
 */
export function modelOf(
  { model: kind, tau, bandwidth, clip }: TypedModel,
  classes: number,
): { readonly model?: StreamModel } {
  const own: { readonly [name: string]: number } = {
    ...(kind === 'expectile' || kind === 'quantile' ? { tau: tau ?? 0.5 } : {}),
    ...(kind === 'quantile' ? { bandwidth: bandwidth ?? 0.5 } : {}),
    ...(kind === 'linear' ? { clip: clip ?? 2 } : {}),
  };
  for (const [name, value] of Object.entries({ tau, bandwidth, clip })) {
    if (value !== undefined && own[name] === undefined) {
      throw new RefusedValue(name, `none: the model ${kind} has none`, value);
    }
  }
  if (kind === 'huber') return {};
  return { model: { kind, ...own, ...(kind === 'multinomial' ? { classes } : {}) } };
}

/** What the server keeps if disjoint batch means are requested; it does not keep them by default. */
const WITH_DISJOINT = ['batch means', 'disjoint batch means', 'plug-in'] as const;

/**
 * The request of `ldpkit run` to the study of a stream. `own` contains what the records determine: their width, their
 * classes, and a step size that suits them.
 * @throws TypeError or RangeError naming the option.
 */
export function requestOf(
  study: StreamStudy,
  options: StreamRunOptions,
  own: { readonly features: number; readonly classes: number; readonly rate: number | undefined },
): StreamStudyRequest {
  const { mu, epsilon, delta, grade, method, hessianMu, hessianFloor, burnIn, average, alpha } = options;
  if (mu !== undefined && epsilon !== undefined) {
    throw new RefusedValue('mu', 'either --mu or --epsilon, by what the variant guarantees', mu);
  }
  // The first variant whose budget is the typed one; μ = 1 if no budget was typed.
  const kind = epsilon === undefined ? 'mu' : 'epsilon';
  const known = study.variants.filter((variant) => study.budget(variant) === kind);
  const variant = checkWord('variant', options.variant ?? known[0], study.variants);
  checkBudgets(study, [variant], { mu, epsilon, delta });
  if (hessianMu !== undefined && variant !== 'gdp') {
    throw new RefusedValue('hessian-mu', 'none: only the variant gdp releases Hessians', hessianMu);
  }
  if (hessianFloor !== undefined && method !== 'plug-in') {
    throw new RefusedValue('hessian-floor', 'none: only plug-in intervals have a Hessian', hessianFloor);
  }
  if (alpha === 1 && method !== 'none') {
    throw new RefusedValue('alpha', 'below 1 for intervals; the estimate without intervals is --method none', alpha);
  }
  if (average !== undefined && method === 'random scaling') {
    const expected = `plug-in, batch-means, disjoint-batch-means or none with --average ${average.kind}`;
    throw new RefusedValue('method', expected, 'random-scaling');
  }
  const given = {
    rate: options.gamma ?? own.rate,
    decay: alpha,
    hessianMu,
    inference: method === 'disjoint batch means' ? WITH_DISJOINT : undefined,
    burnIn,
    average,
  };
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { features, classes } = own;
  return {
    ...streamRequest(study, { variant, features, ...modelOf(options, classes), grade }, { mu, epsilon, delta }),
    ...asked,
  };
}

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
  /** Where there are intervals and fewer steps than this, so that they hold less often than their level says. */
  readonly stepsNeeded?: number;
  /** Where the noise moves the estimate by about so many standard errors, so that intervals hold less often. */
  readonly noiseShift?: number;
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
  /** What its intervals leave open, in the unit of the document; null where there are none, or too few steps for them. */
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
