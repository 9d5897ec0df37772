import { basename } from 'node:path';
import { INTERVAL_METHODS } from '../../../protocols/online-sgd/estimate.ts';
import type { Inference } from '../../../protocols/online-sgd/plan.ts';
import type { StreamStudy, StreamStudyRequest } from '../../../protocols/online-sgd/stream-study.ts';
import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../../check/number.ts';
import { locateFlights } from '../flights.ts';
import type { StreamRunPlan } from '../stream/experiment.ts';
import { flightDelaySchema } from '../stream/flights.ts';
import type { StreamSource } from '../stream/records.ts';
import { readRegressionSchema } from '../stream/schema.ts';
import { readGrade, readNumber } from './number-option.ts';
import { typedMethod } from './option-words.ts';
import type { RunOptions } from './run-options.ts';
import { streamRequest } from './stream-request.ts';

/** γ for the flights: they come hour after hour, so that a larger step follows the hour of the day and not the year. */
const FLIGHTS_RATE = 0.1;

/** How intervals are made, as one types it. */
const METHODS: readonly string[] = INTERVAL_METHODS.map(typedMethod);

/** What a server keeps where disjoint batch means are asked for; they are not among what it keeps unasked. */
const WITH_DISJOINT: readonly Inference[] = ['batch means', 'disjoint batch means', 'plug-in'];

/**
 * What `ldpkit run` of a stream is asked for, and the records that it is asked for on.
 *
 * @throws TypeError or RangeError naming the option, or a key of the schema.
 */
export async function streamRunPlan(
  protocol: string,
  study: StreamStudy,
  options: RunOptions,
): Promise<{ readonly plan: StreamRunPlan; readonly source: StreamSource }> {
  const { source, agreed, unit, rate } = await sourceOf(options);
  const { schema } = source;
  const method = checkWord('method', options.method ?? 'random-scaling', METHODS);
  const { hessianFloor } = options;
  if (hessianFloor !== undefined && method !== 'plug-in') {
    throw new RangeError(refusal('hessianFloor', 'none: only plug-in intervals have a Hessian', hessianFloor));
  }
  const plan: StreamRunPlan = {
    protocol,
    request: requestOf(study, options, method, { features: schema.width, rate }),
    level: checkOpenUnit('level', readNumber('level', options.level ?? '0.95')),
    method: INTERVAL_METHODS[METHODS.indexOf(method)],
    ...(hessianFloor === undefined
      ? {}
      : { hessianFloor: checkPositive('hessianFloor', readNumber('hessianFloor', hessianFloor)) }),
    seed: options.seed ?? 'ldpkit',
    title: schema.title ?? basename(source.data),
    unit,
    agreed,
    schema,
  };
  return { plan, source };
}

function requestOf(
  study: StreamStudy,
  options: RunOptions,
  method: string,
  { features, rate }: { readonly features: number; readonly rate: number | undefined },
): StreamStudyRequest {
  const { mu, epsilon } = options;
  if (mu !== undefined && epsilon !== undefined) {
    throw new RangeError(refusal('mu', 'either --mu or --epsilon, by what the variant guarantees', mu));
  }
  // The first variant whose budget is what was given; μ = 1 where nothing was.
  const kind = epsilon === undefined ? 'mu' : 'epsilon';
  const known = study.variants.filter((variant) => study.budget(variant) === kind);
  const variant = checkWord('variant', options.variant ?? known[0], study.variants);
  if (study.budget(variant) !== kind && (mu !== undefined || epsilon !== undefined)) {
    throw new RangeError(refusal(kind, `none: the budget of ${variant} is --${study.budget(variant)}`, mu ?? epsilon));
  }
  const number = (name: 'gamma' | 'alpha' | 'hessianMu'): number | undefined =>
    options[name] === undefined ? undefined : checkPositive(name, readNumber(name, options[name]));
  const hessianMu = number('hessianMu');
  if (hessianMu !== undefined && variant !== 'gdp') {
    throw new RangeError(refusal('hessianMu', 'none: only the variant gdp releases Hessians', hessianMu));
  }
  const decay = number('alpha');
  if (decay !== undefined && decay > 1) throw new RangeError(refusal('alpha', 'a number in (0, 1]', decay));
  const given = {
    rate: number('gamma') ?? rate,
    decay,
    hessianMu,
    // At α = 1 there are no batches, and intervals are refused with the plan.
    inference: method === 'disjoint-batch-means' && decay !== 1 ? WITH_DISJOINT : undefined,
    burnIn: options.burnIn === undefined ? undefined : checkInteger('burnIn', readNumber('burnIn', options.burnIn), 0),
  };
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...streamRequest(study, { variant, features, grade: readGrade(options.grade) }, options), ...asked };
}

interface ChosenSource {
  readonly source: StreamSource;
  /** What was public before anything was read. */
  readonly agreed: string;
  readonly unit: string;
  readonly rate: number | undefined;
}

async function sourceOf({ data, schema: file }: RunOptions): Promise<ChosenSource> {
  if (data === undefined) {
    if (file !== undefined) {
      throw new RangeError('"data" expected the file (--data) that --schema speaks of, got none');
    }
    const schema = flightDelaySchema();
    const { minimum, maximum } = schema.label;
    const agreed =
      `Agreed beforehand: delays are cut off at ${signed(minimum)} and ${maximum} minutes; the hubs; the hour as a point on a circle; ` +
      'the intercept is a flight of 750 miles, half from and half to a hub, at no hour in particular.';
    return { source: { data: locateFlights(), schema }, agreed, unit: 'minutes', rate: FLIGHTS_RATE };
  }
  if (file === undefined) {
    throw new RangeError('"schema" expected a file (--schema) that says what the columns of --data mean, got none');
  }
  const schema = await readRegressionSchema(file);
  const { column, minimum, maximum } = schema.label;
  const agreed = `Agreed beforehand: the schema; ${column} is cut off at ${signed(minimum)} and ${signed(maximum)}.`;
  return { source: { data, schema }, agreed, unit: column, rate: undefined };
}

function signed(value: number): string {
  return String(value).replace('-', '−');
}
