import { checkWord } from '../../check/refusal.ts';
import type { CertificateDocument } from '../../core/certify.ts';
import type { Grade } from '../../core/digest.ts';
import type { PointStudy, Study } from '../../simulation/study.ts';
import { type AuditRequest, answer, certificatesOf, type StudyKind } from '../commands/answer.ts';
import {
  ATTACK,
  AUDITED,
  CERTIFICATE,
  CERTIFY,
  DEGREE,
  JSON_DOCUMENT,
  listOf,
  oneOf,
  option,
  optionOr,
  positive,
  RECORD_FILE,
  RESULT,
  RUN,
  type RunOptions,
  SHARED,
  THREADS,
  text,
  whole,
} from '../commands/options.ts';
import {
  assumedMargins,
  forecastRisk,
  LAWS,
  labelNoiseText,
  marginText,
  RISK_FORECAST,
  toldByFile,
} from './risk-forecast.ts';

const NOTES = `
Without --data, --epsilon and --variant it compares the two best variants at ε = 0.5, 1 and 4, three times each.
Without --variant, --degree and with a radius in numbers, the degree is chosen from the number of players, ε and radius.
The flights are the npm package vega-datasets; all their records play, and models are measured on the same records.
A file (--data) is split at random: 5/6 of its records play, models are measured on the rest.`;

const run = {
  ...RUN,
  epsilon: option(
    '--epsilon <list>',
    'privacy of each player, one number or several with commas (default: 1)',
    listOf(positive),
  ),
  ...RECORD_FILE,
  degree: option(
    '--degree <number>',
    'degree collected for and used (default: collect for 1, let the protocol choose)',
    whole(0),
  ),
  radius: optionOr<number | 'automatic'>(
    '--radius <number>',
    'the model satisfies ‖w‖ ≤ radius; auto: the server picks it',
    (name, typed) => (typed === 'auto' ? 'automatic' : positive(name, typed)),
    '1',
  ),
  loss: option('--loss <name>', 'loss of the margin, where the protocol knows several (default: its first)', text),
  server: option(
    '--server <word>',
    'for noisy copies: sigm or average, a step a report, or newton, all reports at once (default: newton)',
    text,
  ),
  decoder: option(
    '--decoder <word>',
    'for noisy copies: product, averaged or signs, averaged with labels −1 and 1 (default: signs, for printed product)',
    text,
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
    oneOf(LAWS),
    'reports',
  ),
  copies: optionOr('--copies <number>', 'players who hold each record, under --law sum', whole(1, 1e9), '1'),
  threads: THREADS,
  ...SHARED,
  ...RESULT,
};

const certified = { ...CERTIFY, degree: DEGREE, ...CERTIFICATE };
const attacked = { ...AUDITED, degree: DEGREE, ...ATTACK };

/** The population that a forecast assumes. */
const PRIOR = {
  data: option('--data <file>', 'public records like those of the players (default: a made-up population)', text),
  schema: RECORD_FILE.schema,
};

/** The request for variants of one report. */
interface OneReport {
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
  readonly dimension: number;
  readonly grade: Grade;
}

/** The certificates of variants whose parameters are made from ε, δ, a degree and a dimension. */
export async function certifyOneReport(
  { protocol, variants }: Study | PointStudy,
  {
    variant: named,
    epsilon,
    delta,
    degree,
    dimension,
    grade,
  }: OneReport & { readonly variant: readonly string[] | undefined },
): Promise<readonly CertificateDocument[]> {
  const request = (variant: string) => ({ variant, epsilon, delta, degree, dimension });
  return certificatesOf(protocol, { variants, named, grade, request });
}

/** The request for an audit of one of these variants. */
export async function auditOneReport(
  { variants: [best] }: Study | PointStudy,
  { variant = best, epsilon, delta, grade, degree, dimension }: OneReport & { readonly variant: string | undefined },
): Promise<AuditRequest> {
  return { request: { variant, epsilon, delta, grade, degree, dimension }, variant, grade, delta };
}

/**
 * The records of `--data`, and the feature that is the same in all of them; neither without a file. Readers of files are
 * loaded for this alone.
 */
async function publicRecords(options: Pick<RunOptions, 'data' | 'schema'>) {
  if (options.data === undefined && options.schema === undefined) return {};
  const [{ sourceOf }, { loadDataset }, { interceptOf }] = await Promise.all([
    import('./run.ts'),
    import('../records.ts'),
    import('../schema.ts'),
  ]);
  const source = (await sourceOf(options, 'records'))!;
  return { records: await loadDataset(source), intercept: interceptOf(source.schema) };
}

/** Protocols for linear models of labelled records. */
export const records: StudyKind<Study> = {
  lacks: () => 'records are not moved',
  run: answer({
    offers: 'the flights, or the records of a file',
    options: run,
    notes: NOTES,
    does: async (study: Study, options, word, workforce) =>
      (await import('./records/run.ts')).runRecords(word, study, options, workforce),
  }),
  certify: answer({ offers: 'every variant', options: certified, does: certifyOneReport }),
  audit: answer({ offers: 'one report', options: attacked, does: auditOneReport }),
  forecast: answer({
    offers: 'excess risk, players needed',
    options: {
      ...RISK_FORECAST,
      ...PRIOR,
      loss: option('--loss <name>', 'loss of the margin (default: the first the protocol knows)', text),
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
      json: JSON_DOCUMENT,
    },
    async does(study: Study, options) {
      const { radius, players, epsilon } = options;
      const loss = checkWord('loss', options.loss ?? study.losses[0], study.losses);
      const { records, intercept } = await publicRecords(options);
      const dimension = records?.dimension ?? options.dimension;
      const { signal, declared, ...said } =
        records === undefined ? assumedMargins(options) : toldByFile(records, options);
      const known = { signal, declared, loss, records, intercept };
      return forecastRisk(
        {
          protocol: study.protocol.name,
          variants: study.variants,
          choices: { ...said.choices, loss },
          subject: `${loss} loss, `,
          unit: 'features',
          population: said.population,
          warning: said.warning,
          forecast: (request, some) => study.forecast(request, { players: some, radius, ...known }),
          plan: () => study.plan?.({ players, dimension, epsilon, radius }),
        },
        { ...options, dimension },
      );
    },
  }),
};
