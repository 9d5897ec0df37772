import { checkWord, RefusedValue } from '../../check/refusal.ts';
import type { ForecastSetting, PointStudy, Study, StudyQuery, StudyRequest } from '../../simulation/study.ts';
import { certificatesOf } from '../commands/certify.ts';
import * as line from '../commands/options.ts';
import { count, listOf, option, optionOr, positive, whole } from '../commands/options.ts';
import { command, type StudyKind, TRIED, underLoss, type Values } from '../study.ts';
import {
  assumedMargins,
  forecastRisk,
  LAWS,
  labelNoiseText,
  marginsOfFile,
  marginText,
  RISK_FORECAST,
} from './risk-forecast.ts';

const NOTES = `
Without --data, --epsilon and --variant it compares the two best variants at ε = 0.5, 1 and 4, three times each.
Without --variant and --degree both are chosen from the number of players, ε, the radius and whether all records have norm 1.
The flights are the npm package vega-datasets; all their records play, and models are measured on the same records.
A file (--data) is split at random: 5/6 of its records play, models are measured on the rest.`;

const RADIUS = 'the model satisfies ‖w‖ ≤ radius';

const run = {
  ...line.RUN,
  epsilon: option(
    '--epsilon <list>',
    'privacy of each player, one number or several with commas (default: 1)',
    listOf(positive),
  ),
  ...line.RECORD_FILE,
  degree: option(
    '--degree <number>',
    'degree collected for and used (default: collected as planned below, or 1 with --variant; used as fits best)',
    whole(0),
  ),
  radius: optionOr<number | 'automatic'>(
    '--radius <number>',
    `${RADIUS}; auto: the server picks it`,
    (name, typed) => (typed === 'auto' ? 'automatic' : line.radius(name, typed)),
    '1',
  ),
  loss: option('--loss <name>', 'loss of the margin, where the protocol knows several (default: its first)', line.text),
  server: option(
    '--server <word>',
    'for noisy copies: sigm or average, a step a report, or newton, all reports at once (default: newton)',
    line.text,
  ),
  decoder: option(
    '--decoder <word>',
    'for noisy copies: product, averaged or signs, averaged with labels −1 and 1 (default: signs, for printed product)',
    line.text,
  ),
  train: option(
    '--train <number>',
    'records that play, a number or a fraction; models are measured on the others',
    positive,
  ),
  repetitions: option('--repetitions <number>', 'runs with different coins (default: 1)', whole(1, 10_000)),
  law: optionOr(
    '--law <word>',
    'reports: all are made; sum: only their sum is drawn, by its law; headline: reports for the first run alone',
    line.oneOf(LAWS),
    'reports',
  ),
  copies: optionOr('--copies <number>', 'players who hold each record, under --law sum', whole(1, 1e9), '1'),
  threads: line.THREADS,
};

const certified = { ...line.CERTIFY, degree: line.DEGREE };
const attacked = { ...line.AUDITED, degree: line.DEGREE };

const forecast = {
  ...RISK_FORECAST,
  dimension: option('--dimension <number>', 'features of a record, without --data (default: 10)', count),
  data: option('--data <file>', 'public records like those of the players (default: a made-up population)', line.text),
  schema: line.RECORD_FILE.schema,
  loss: option('--loss <name>', 'loss of the margin (default: the first the protocol knows)', line.text),
  margins: option(
    '--margins <law>',
    'declared margins of records with right labels, without --data: normal:MEAN,SD or uniform:LOW,HIGH',
    marginText,
  ),
  labelNoise: option(
    '--label-noise <share>',
    'share of wrong labels, without --data (default: 0 with --margins, 0.25 otherwise)',
    labelNoiseText,
  ),
  signal: option(
    '--signal <number>',
    'the same as P(right label) − P(wrong label), in the place of --label-noise',
    positive,
  ),
};

/** Certificates and audit of a protocol of one report; the audit is refused for a protocol that names no pairs. */
function oneReport(
  { protocol, variants, parameters: make }: Study | PointStudy,
  options: { readonly certify: typeof certified; readonly audit: typeof attacked },
) {
  return {
    certify: command({
      offers: 'every variant',
      options: options.certify,
      does({ variant: named, epsilon, delta, degree, dimension, grade }) {
        // What the variant uses of all that.
        const request = (variant: string) =>
          make({ variant, epsilon, delta, grade, degree, dimension } as StudyRequest).request ?? {};
        return certificatesOf(protocol, { variants, named, grade, request });
      },
    }),
    audit: command({
      offers: 'one report',
      options: options.audit,
      async target(request: StudyRequest) {
        const { reportTarget } = await import('./plain-players.ts');
        return reportTarget(protocol, make(request));
      },
      does({ variant = variants[0], epsilon, delta, grade, degree, dimension }) {
        return { request: { variant, epsilon, delta, grade, degree, dimension }, variant, grade, delta };
      },
    }),
  };
}

/**
 * The records of `--data`, the feature that is the same in all of them, and whether all have norm 1; nothing without a file. Readers of files are
 * loaded for this alone.
 */
async function publicRecords(options: line.FileOptions) {
  if (options.data === undefined && options.schema === undefined) return { records: undefined, unitNorm: false };
  const [{ sourceOf, loadDataset }, { knownOf }] = await Promise.all([import('../records.ts'), import('../schema.ts')]);
  const source = (await sourceOf(options, 'records'))!;
  return { records: await loadDataset(source), ...knownOf(source.schema) };
}

const COPIES = () => 'it is for linear models from noisy copies of records';

const ONE_REPORT = {
  server: { empty: 'a function', add: 'a function', merge: 'a function', estimate: 'a function' },
} as const;

/** Protocols for linear models of labelled records. */
export const records: StudyKind<Study> = {
  options: { run, certify: certified, audit: attacked, forecast },
  elsewhere: { server: COPIES, decoder: COPIES },
  needs: {
    protocol: [ONE_REPORT, 'run'],
    ...TRIED,
    'sums?': [{ need: 'a function', vector: 'a function', bind: 'a function' }, 'run'],
    loss: [{ name: 'a text', value: 'a function', derivative: 'a function', secondDerivative: 'a function' }, 'run'],
    optimum: ['a function', 'run'],
    bestConstant: ['a function', 'run'],
    parameters: ['a function', 'run', 'audit'],
    'plan?': ['a function', 'run', 'forecast'],
    query: ['a function', 'run'],
    gradientVariance: ['a function', 'run'],
    losses: ['a list of one or more texts', 'run', 'forecast'],
    forecaster: ['a function', 'forecast'],
    'automaticRadius?': ['a number', 'run'],
    'withLoss?': ['a function', 'run', 'forecast'],
    uncertainty: ['a function', 'run'],
    details: ['a function', 'run'],
  },
  open: (study, word) => ({
    protocol: study.protocol,
    summary: study.summary,
    variants: study.variants,
    form: 'records',
    lacks: (_, elsewhere) => elsewhere ?? 'records are not moved',
    uncertainty(parameters, query) {
      const asked = (query ?? {}) as { readonly radius?: number; readonly loss?: string };
      const chosen = underLoss(study, asked.loss);
      const given = { radius: 1, ...asked, variant: parameters.variant ?? study.variants[0] } as StudyQuery;
      return (tally, found) => chosen.uncertainty(parameters, tally, found, given);
    },
    run: command({
      offers: 'the flights, or the records of a file',
      options: study.automaticRadius === undefined ? { ...run, radius: { ...run.radius, help: RADIUS } } : run,
      notes: NOTES,
      flights: true,
      shared: true,
      does: async (options, workforce) =>
        (await import('./records/run.ts')).runRecords(word, study, options, workforce),
    }),
    ...oneReport(study, { certify: certified, audit: attacked }),
    forecast: command({
      offers: 'excess risk, players needed',
      options: forecast,
      does: (options) => forecastOf(study, word, options),
      forecaster: (setting: ForecastSetting) => study.forecaster(setting),
    }),
  }),
};

async function forecastOf(study: Study, word: string, options: Values<typeof forecast>) {
  const { radius, players, epsilon } = options;
  const loss = checkWord('loss', options.loss ?? study.losses[0], study.losses);
  if (options.data !== undefined && options.dimension !== undefined)
    throw new RefusedValue('dimension', 'none beside --data, whose schema names the features', options.dimension);
  const { records, ...shape } = await publicRecords(options);
  const dimension = records?.dimension ?? options.dimension ?? 10;
  const { signal, declared, ...said } =
    records === undefined ? assumedMargins(options) : marginsOfFile(records, options);
  return forecastRisk(
    {
      protocol: study.protocol.name,
      word,
      variants: study.variants,
      choices: { ...said.choices, loss },
      subject: `${loss} loss, `,
      unit: 'feature',
      population: said.population,
      warning: said.warning,
      setting: { dimension, radius, signal, declared, loss, records, ...shape },
      plan: () => underLoss(study, loss).plan?.({ players, dimension, epsilon, radius, unitNorm: shape.unitNorm }),
    },
    { ...options, dimension },
  );
}

const COORDINATES = optionOr('--dimension <number>', 'coordinates of a point', count, '10');

function share(name: string, typed: string): number {
  const value = line.readNumber(name, typed);
  if (!(value >= 0 && value < 1)) throw new RefusedValue(name, 'a share from 0 to below 1', value);
  return value;
}

const pointRun = {
  ...line.RUN,
  epsilon: line.epsilons('1,2,4'),
  ...line.RECORD_FILE,
  degree: optionOr('--degree <number>', 'degree collected for', whole(0), '2'),
  radius: optionOr('--radius <number>', 'the place satisfies ‖w‖ ≤ radius', line.radius, '1'),
  moved: optionOr('--moved <list>', 'shares of the players moved to the far corner', listOf(share), '0,0.2'),
  repetitions: line.repetitions('1'),
};

const POINT_NOTES = `
The flights are the npm package vega-datasets; players are flights, and their points the airports they fly to.
The schema of --data names two or more coordinates with public bounds, which become the unit ball.`;

const pointForecast = { ...RISK_FORECAST, dimension: COORDINATES };
const pointCertified = { ...line.CERTIFY, dimension: COORDINATES, degree: line.DEGREE };
const pointAttacked = { ...line.AUDITED, dimension: COORDINATES, degree: line.DEGREE };

/** Protocols that find a location among private points. */
export const points: StudyKind<PointStudy> = {
  options: { run: pointRun, certify: pointCertified, audit: pointAttacked, forecast: pointForecast },
  needs: {
    protocol: [ONE_REPORT, 'run'],
    ...TRIED,
    assumption: ['a text', 'forecast'],
    parameters: ['a function', 'run', 'audit'],
    query: ['a function', 'run'],
    forecaster: ['a function', 'forecast'],
    uncertainty: ['a function', 'run'],
  },
  open: (study, word) => ({
    protocol: study.protocol,
    summary: study.summary,
    variants: study.variants,
    form: 'points',
    lacks: (_, elsewhere) => elsewhere ?? `${study.protocol.name} is on points without labels`,
    uncertainty: (parameters) => (tally, found) => study.uncertainty(parameters, tally, found),
    run: command({
      offers: 'the destinations of the flights, or the points of a file',
      options: pointRun,
      notes: POINT_NOTES,
      flights: true,
      shared: true,
      does: async (options, workforce) => (await import('./points/run.ts')).runPoints(study, options, workforce),
    }),
    ...oneReport(study, { certify: pointCertified, audit: pointAttacked }),
    forecast: command({
      offers: 'excess risk, players needed',
      options: pointForecast,
      does(options) {
        const { protocol, variants, assumption } = study;
        const said = { choices: {}, subject: '', unit: 'coordinate', population: `${assumption}; no data` };
        const { dimension, radius } = options;
        const setting = { dimension, radius };
        return forecastRisk({ protocol: protocol.name, word, variants, ...said, setting }, options);
      },
      forecaster: (setting: Pick<ForecastSetting, 'dimension' | 'radius'>) => study.forecaster(setting),
    }),
  }),
};
