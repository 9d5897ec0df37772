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

/** What may be typed or not. */
type Typed<Names extends string, Value = number> = Readonly<Record<Names, Value | undefined>>;

type TypedBudget = Typed<'mu' | 'epsilon' | 'delta'>;

interface TypedModel extends Typed<'tau' | 'bandwidth' | 'clip'> {
  readonly model: StreamModel['kind'];
  /** Of multinomial; a run has as many as its schema. */
  readonly classes?: number | undefined;
}

export interface StreamRunOptions
  extends TypedBudget,
    TypedModel,
    ResultOptions,
    Typed<'hessianFloor' | 'gamma' | 'alpha' | 'burnIn' | 'hessianMu'>,
    Typed<'variant' | 'save' | 'resume', string>,
    Omit<RunOptions, 'variant' | 'delta'> {
  readonly method: IntervalMethod;
  readonly level: number;
  readonly average: AverageRequest | undefined;
}

/** The request of a variant with its budget: μ for Gaussian privacy, otherwise ε, each 1 by default, and δ if the guarantee has one. */
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
  for (const name of ['mu', 'epsilon', 'delta'] as const) {
    const has = (variant: string): boolean =>
      study.budget(variant) === (name === 'mu' ? 'mu' : 'epsilon') &&
      !(name === 'delta' && study.pureVariants.includes(variant));
    if (typed[name] === undefined || variants.some(has)) continue;
    const pure = name === 'delta' && study.pureVariants.includes(variants[0]);
    const reason = pure ? 'is pure' : `is --${study.budget(variants[0])}`;
    throw new RefusedValue(name, `none: the budget of ${variants.join(', ')} ${reason}`, typed[name]);
  }
}

/** The typed model, with the numbers that only some models have; undefined for the default, which a request need not name. */
export function modelOf({ model: kind, tau, bandwidth, clip, classes }: TypedModel): { readonly model?: StreamModel } {
  const own: { readonly [name: string]: number } = {
    ...(kind === 'expectile' || kind === 'quantile' ? { tau: tau ?? 0.5 } : {}),
    ...(kind === 'quantile' ? { bandwidth: bandwidth ?? 0.5 } : {}),
    ...(kind === 'linear' ? { clip: clip ?? 2 } : {}),
    ...(kind === 'multinomial' ? { classes: classes ?? 3 } : {}),
  };
  for (const [name, value] of Object.entries({ tau, bandwidth, clip, classes })) {
    if (value !== undefined && own[name] === undefined) {
      throw new RefusedValue(name, `none: the model ${kind} has none`, value);
    }
  }
  if (kind === 'huber') return {};
  return { model: { kind, ...own } };
}

/** What the server keeps if disjoint batch means are requested; it does not keep them by default. */
const WITH_DISJOINT = ['batch means', 'disjoint batch means', 'plug-in'] as const;

/** The request of `ldpkit run`. `own` is what the records determine: their width, their classes, and a step size that suits them. */
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
  const model = modelOf({ ...options, ...(classes === 0 ? {} : { classes }) });
  return {
    ...streamRequest(study, { variant, features, ...model, grade }, { mu, epsilon, delta }),
    ...asked,
  };
}

/** An estimate of a stream as plain data, in the unit of the document: the average of the iterates, the intercept first. */
export interface StreamEstimateRecord {
  readonly theta: readonly number[];
  /** [low, high] around each of them; null while intervals are not possible yet, for this reason. */
  readonly intervals: readonly (readonly [number, number])[] | null;
  readonly reason?: string | undefined;
  readonly level: number;
  readonly method: IntervalMethod;
  /** Where there are intervals and fewer steps than this, so that they hold less often than their level says. */
  readonly stepsNeeded?: number | undefined;
  /** Where the noise moves the estimate by about so many standard errors, so that intervals hold less often. */
  readonly noiseShift?: number | undefined;
  /** For batch means of too few batches, so that intervals hold less often: how many there are. */
  readonly fewBatches?: number | undefined;
  /** For plug-in intervals: how many eigenvalues of the Hessian were raised to the floor; lengths then depend on it. */
  readonly raisedHessian?: number | undefined;
}

/** What was known at one moment: `--ndjson` prints one line of it. */
export interface StreamCheckpoint {
  /** Players so far, including those before a resumed state. */
  readonly players: number;
  /** When the last of them came, where the records say so: `2001-01-31T09:30`. */
  readonly until?: string | undefined;
  readonly estimate: StreamEstimateRecord;
}

/** How far an estimate is from the non-private fit to all records, in ℓ₂ and in the worst coordinate; null without intervals. */
export interface StreamErrors {
  readonly distance: number;
  readonly largest: number;
  /** Which intervals contain the fit, and their share. */
  readonly inside: readonly boolean[] | null;
  readonly coverage: number | null;
  /** Mean over coordinates of half the length of an interval. */
  readonly halfWidth: number | null;
}

/** The same with the risk, which is the mean loss on all records, in the unit of the model, and its excess over that of the fit. */
export interface StreamMetrics extends StreamErrors {
  readonly risk: number;
  readonly excessRisk: number;
}

export interface MeasuredCheckpoint extends StreamCheckpoint {
  readonly errors: StreamErrors;
}

/**
 * What `ldpkit run` of a sequential protocol reports. Estimates, intervals and errors are in the `unit`. `metrics`,
 * errors and `baselines` are computed from the records without privacy; only the stream of `variant` is private.
 */
export interface StreamRunDocument extends StudyHead {
  readonly model: StreamModel;
  /** p, including the intercept, which is the first of the features. */
  readonly dimension: number;
  readonly features: readonly string[];
  /** Unit of the response, of θ and of errors, and how many such units are 1 in the model. */
  readonly unit: string;
  readonly scale: number;
  /** What its intervals leave open, in the unit of the document; null where there are none, or none that hold as often as they say. */
  readonly uncertainty: Uncertainty | null;
  readonly estimate: StreamEstimateRecord;
  readonly metrics: StreamMetrics;
  readonly baselines: {
    /** The non-private fit to all records, with standard errors as if records were independent. */
    readonly nonPrivate: {
      readonly theta: readonly number[];
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
  /** Of the private stream: all reports, steps and checkpoints. */
  readonly seconds: number;
  readonly reportsPerSecond: number;
  /** How many players' reports were in the state that the stream was resumed from. */
  readonly resumedFrom: number;
  /** μ, or ε and δ, as requested. */
  readonly budget: Typed<'mu' | 'epsilon' | 'delta' | 'hessianMu'>;
  /** γ and α of the step size γ·i^(−α), how many first steps the average leaves out, and its weights where it forgets the start. */
  readonly step: {
    readonly rate: number;
    readonly decay: number;
    readonly burnIn: number;
    readonly average?: AverageWeights | undefined;
  };
  readonly agreed: string;
  /** Whether records had to be sorted by time. */
  readonly sorted: boolean;
  readonly certificate: Certificate;
  readonly digest: string;
}
