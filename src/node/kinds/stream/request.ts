import type { IntervalMethod } from '../../../../protocols/online-sgd/estimate.ts';
import type { AverageRequest } from '../../../../protocols/online-sgd/plan.ts';
import type { StreamModel, StreamStudy, StreamStudyRequest } from '../../../../protocols/online-sgd/stream-study.ts';
import { checkWord, refusal } from '../../../check/number.ts';
import { RefusedValue } from '../../../check/refusal.ts';
import type { RunOptions } from '../../commands/options.ts';
import type { ResultOptions } from '../../commands/run.ts';

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
 *
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
      throw new RefusedValue(refusal(name, `none: the budget of ${variants.join(', ')} ${reason}`, typed[name]));
    }
  }
}

/**
 * The typed model, with the numbers that only some models have; undefined for the default, which a request need not
 * name.
 *
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
      throw new RefusedValue(refusal(name, `none: the model ${kind} has none`, value));
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
 *
 * @throws TypeError or RangeError naming the option.
 */
export function requestOf(
  study: StreamStudy,
  options: StreamRunOptions,
  own: { readonly features: number; readonly classes: number; readonly rate: number | undefined },
): StreamStudyRequest {
  const { mu, epsilon, delta, grade, method, hessianMu, hessianFloor, burnIn, average, alpha } = options;
  if (mu !== undefined && epsilon !== undefined) {
    throw new RefusedValue(refusal('mu', 'either --mu or --epsilon, by what the variant guarantees', mu));
  }
  // The first variant whose budget is the typed one; μ = 1 if no budget was typed.
  const kind = epsilon === undefined ? 'mu' : 'epsilon';
  const known = study.variants.filter((variant) => study.budget(variant) === kind);
  const variant = checkWord('variant', options.variant ?? known[0], study.variants);
  checkBudgets(study, [variant], { mu, epsilon, delta });
  if (hessianMu !== undefined && variant !== 'gdp') {
    throw new RefusedValue(refusal('hessian-mu', 'none: only the variant gdp releases Hessians', hessianMu));
  }
  if (hessianFloor !== undefined && method !== 'plug-in') {
    throw new RefusedValue(refusal('hessian-floor', 'none: only plug-in intervals have a Hessian', hessianFloor));
  }
  if (alpha === 1 && method !== 'none') {
    throw new RefusedValue(
      refusal('alpha', 'below 1 for intervals; the estimate without intervals is --method none', alpha),
    );
  }
  if (average !== undefined && method === 'random scaling') {
    const expected = `plug-in, batch-means, disjoint-batch-means or none with --average ${average.kind}`;
    throw new RefusedValue(refusal('method', expected, 'random-scaling'));
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
