import type { IntervalMethod } from '../../../protocols/online-sgd/estimate.ts';
import type { AverageRequest } from '../../../protocols/online-sgd/parameters.ts';
import {
  STREAM_MODELS,
  type StreamStudy,
  type StreamStudyRequest,
} from '../../../protocols/online-sgd/stream-study.ts';
import { checkWord, RefusedValue } from '../../check/refusal.ts';
import { certificatesOf } from '../commands/certify.ts';
import * as line from '../commands/options.ts';
import { count, openUnit, option, optionOr, positive, whole } from '../commands/options.ts';
import { aligned, counted } from '../print.ts';
import { COMMANDS, command, type Read, type StudyKind, type StudyOption, TRIED, type Values } from '../study.ts';
import { checkBudgets, modelOf, streamRequest } from './stream/request.ts';

// They are written here, because a command for another protocol must not load the intervals of streams.
const METHODS: readonly IntervalMethod[] = ['random scaling', 'batch means', 'disjoint batch means', 'plug-in', 'none'];
/** The same as words that need no quotes in a shell. */
const METHOD_WORDS = METHODS.map((method) => method.replaceAll(' ', '-'));

const method: Read<IntervalMethod> = (name, typed) =>
  METHODS[METHOD_WORDS.indexOf(checkWord(name, typed, METHOD_WORDS))];

function decay(name: string, typed: string): number {
  const value = positive(name, typed);
  if (value > 1) throw new RefusedValue(name, 'a number in (0, 1]', line.readNumber(name, typed));
  return value;
}

/** `suffix`, `suffix:0.25`, `polynomial` or `polynomial:3`. */
const average: Read<AverageRequest> = (name, typed) => {
  const [word, number, ...more] = typed.split(':');
  const kind = checkWord(name, more.length === 0 ? word : typed, ['suffix', 'polynomial']);
  if (number === undefined) return { kind };
  if (kind === 'polynomial') return { kind, power: line.readNumber(name, number) };
  return { kind, share: positive(name, number) };
};

// The name of a variant decides which of the two it takes: neither has a default here.
const BUDGET = {
  epsilon: option(
    '--epsilon <number>',
    'ε of one player, for variants of another privacy than Gaussian (default: 1)',
    positive,
  ),
  mu: option('--mu <number>', 'μ of one player, for variants of Gaussian privacy (default: 1)', positive),
  delta: option('--delta <number>', 'δ of one player, for variants that use it (default: 1e-6)', openUnit),
};
const MODEL = {
  model: optionOr(
    '--model <word>',
    'huber, linear, logistic, expectile, quantile or multinomial',
    line.oneOf(STREAM_MODELS),
    STREAM_MODELS[0],
  ),
  tau: option('--tau <number>', 'τ of expectile and quantile (default: 0.5)', openUnit),
  bandwidth: option('--bandwidth <number>', 'h of quantile, in units of the model (default: 0.5)', positive),
  clip: option('--clip <number>', 'the norm that gradients of linear are clipped to (default: 2)', positive),
};
const classes = option('--classes <number>', 'classes of multinomial (default: 3)', whole(2, 1000));

const run = {
  ...line.RUN,
  ...BUDGET,
  variant: option('--variant <name>', 'variant of the protocol (default: the first one with this budget)', line.text),
  players: option('--players <number>', 'how many players take part, the first of the stream (default: all)', count),
  ...MODEL,
  ...line.RECORD_FILE,
  method: optionOr(
    '--method <word>',
    'random-scaling, batch-means, disjoint-batch-means, plug-in or none',
    method,
    METHOD_WORDS[0],
  ),
  level: optionOr('--level <number>', 'probability that an interval holds its value', openUnit, '0.95'),
  hessianFloor: option(
    '--hessian-floor <number>',
    'eigenvalues of the Hessian below it are raised to it, in plug-in intervals',
    positive,
  ),
  gamma: option('--gamma <number>', 'γ of the step size γ·i^−α (default: 0.5, for the flights 0.1)', line.within(30)),
  alpha: option('--alpha <number>', 'α in (0, 1] (default: 0.51)', decay),
  burnIn: option('--burn-in <number>', 'first steps that averages leave out (default: 0)', whole(0)),
  average: option(
    '--average <word>',
    'suffix or polynomial, which forget the start; suffix:0.25 is the last quarter (default: all steps alike)',
    average,
  ),
  hessianMu: option('--hessian-mu <number>', 'also release Hessians at this μ, for plug-in intervals', line.within(9)),
  save: option('--save <file>', 'where the state of the server goes', line.text),
  resume: option('--resume <file>', 'a saved state to go on from, with the players that follow', line.text),
  ndjson: line.flag('--ndjson', 'print one JSON line at every checkpoint as it comes'),
  ...line.RESULT,
  out: option(
    '--out <folder>',
    'where result.json and report.html go (default: out, or nowhere with --json or --ndjson)',
    line.text,
  ),
};

const NOTES = `
Players come in the order of time. The label of --schema is a number, for --model logistic one of two sides, for multinomial
one of several classes ("classes", or "bands" of a number).
The flights are the npm package vega-datasets. Where neither --mu nor --epsilon is given, μ = 1.
Where intervals are refused after the last player, the state of the server (--save) is written nevertheless.`;

function budgetText({ mu, epsilon, delta }: Pick<StreamStudyRequest, 'mu' | 'epsilon' | 'delta'>): string {
  if (mu !== undefined) return `μ = ${mu}`;
  return delta === undefined ? `ε = ${epsilon}` : `ε = ${epsilon}, δ = ${delta}`;
}

/** Nominal probability that an interval of a forecast contains its value. */
const LEVEL = 0.95;

/** As many as a model of the library has at most. */
const dimension: StudyOption<number> = { ...line.CERTIFY.dimension, read: whole(1, 10_000) };
const certified = { ...line.CERTIFY, ...BUDGET, dimension, ...MODEL, classes };
const attacked = { ...line.AUDITED, ...BUDGET, dimension, ...MODEL, classes };
const forecast = {
  ...line.FORECAST,
  ...BUDGET,
  ...{ dimension, ...MODEL, classes },
  spread: option(
    '--spread <number>',
    'standard deviation of a residual, where responses are numbers (default: 0.5)',
    positive,
  ),
};

const NO_STREAM = (protocol: string) => `${protocol} is no stream of players`;
/** Options that only streams have. */
const OWN = ['hessianMu', 'method', 'level', 'hessianFloor', 'alpha', 'gamma', 'burnIn', 'average', 'ndjson', 'save'];

/** Sequential protocols: one player after the other, with intervals along the stream. */
export const streams: StudyKind<StreamStudy> = {
  options: { run, certify: certified, audit: attacked, forecast },
  elsewhere: {
    ...Object.fromEntries([...OWN, 'resume', ...Object.keys(MODEL)].map((name) => [name, NO_STREAM])),
    mu: (protocol) => `the budget of ${protocol} is in ε`,
  },
  needs: {
    protocol: [{ server: { start: 'a function', step: 'a function', estimate: 'a function' } }, 'run', 'audit'],
    ...TRIED,
    pureVariants: ['a list of texts', ...COMMANDS],
    reference: ['a text', 'run'],
    budget: ['a function', ...COMMANDS],
    request: ['a function', 'certify'],
    plan: ['a function', 'run', 'audit'],
    fit: ['a function', 'run'],
    risk: ['a function', 'run'],
    forecast: ['a function', 'forecast'],
  },
  open(study) {
    const { protocol, summary, variants } = study;
    const { name } = protocol;
    return {
      ...{ protocol, summary, variants, form: 'regression' },
      lacks: (option, elsewhere) =>
        option === 'part' || option === 'workers'
          ? `in ${name} one player comes after the other, so that nothing can be done apart`
          : (elsewhere ?? `${name} is a stream, in which each player answers once`),
      run: command({
        offers: 'the flights in the order of time, or the records of a file',
        options: run,
        notes: NOTES,
        flights: true,
        does: async (options) => (await import('./stream/run.ts')).runStream(study, options),
      }),
      certify: command({
        offers: 'every variant',
        options: certified,
        does(options) {
          const { variant: named, grade, dimension: features } = options;
          checkBudgets(study, named ?? variants, options);
          const model = modelOf(options);
          const request = (variant: string) =>
            study.request(streamRequest(study, { variant, features, ...model }, options));
          return certificatesOf(protocol, { variants, named, grade, request });
        },
      }),
      audit: command({
        offers: 'the first step',
        options: attacked,
        // The player of the first step: its iterate is known before anybody has answered. The law of the noise is the same
        // in all steps.
        async target(request: StreamStudyRequest) {
          const { reportTarget } = await import('./plain-players.ts');
          const { server } = protocol;
          const plan = study.plan(request);
          return reportTarget(protocol, plan, server.step(plan, server.start(plan)));
        },
        does(options) {
          const { variant = variants[0], grade, dimension: features, delta = 1e-6 } = options;
          checkBudgets(study, [checkWord('variant', variant, variants)], { ...options, delta: undefined });
          const request = streamRequest(study, { variant, features, grade, ...modelOf(options) }, options);
          return { request, variant, grade, delta };
        },
      }),
      forecast: command({
        offers: 'the error of a coordinate, its interval',
        options: forecast,
        does: (options) => forecastOf(study, options),
      }),
    };
  },
};

function forecastOf(study: StreamStudy, options: Values<typeof forecast>) {
  const { dimension: features, players } = options;
  const protocol = study.protocol.name;
  const variants = line.knownVariants(options.variant ?? study.variants, study.variants);
  checkBudgets(study, variants, options);
  const model = modelOf(options);
  const spread = options.spread ?? (options.model === 'logistic' ? undefined : 0.5);
  const setting = { players, ...(spread === undefined ? {} : { spread }), level: LEVEL };
  const forecasts = variants.map((variant) => {
    const request = streamRequest(study, { variant, features, ...model }, options);
    const { variant: _, features: __, model: ___, ...budget } = request;
    return { variant, budget, ...study.forecast(request, setting) };
  });
  const [{ assumption }] = forecasts;
  const rows = forecasts.map(({ assumption: _, ...row }) => row);
  const cells = rows.map(({ variant, budget, error, floor, half }) => [
    ...[variant, budgetText(budget), error.toPrecision(3), floor.toPrecision(3)],
    `± ${half.toPrecision(3)}`,
  ]);
  return {
    document: { protocol, ...model, features, ...setting, rows },
    lines: [
      `${protocol}: ${options.model}, ${counted(players, 'player')}, ${counted(features, 'feature')} and an intercept`,
      `assumed: ${assumption}; no data`,
      `standard error of a coordinate of the average, and a normal interval of level ${LEVEL}; random scaling gives longer ones`,
      '',
      ...aligned([['variant', 'budget', 'error', 'without privacy', 'interval'], ...cells]),
    ],
  };
}
