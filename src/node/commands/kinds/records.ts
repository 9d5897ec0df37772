import type { Option } from 'commander';
import type { CertificateDocument } from '../../../core/certified.ts';
import type { PointStudy } from '../../../simulation/point-study.ts';
import type { Study } from '../../../simulation/study.ts';
import { budgetOf, certificatesOf, degreeOf } from '../certificates.ts';
import { elsewhere } from '../elsewhere.ts';
import { forecastRecords } from '../forecast.ts';
import type { AuditRequest, StudyKind } from '../kind.ts';
import { readGrade } from '../number-option.ts';
import {
  AUDIT_OPTIONS,
  CERTIFY_OPTIONS,
  DEGREE,
  FORECAST_OPTIONS,
  option,
  RUN_OPTIONS,
  THREADS,
  withOwn,
} from '../options.ts';
import type { AuditCommandOptions, CertifyOptions } from '../player-options.ts';
import { dimensionOf } from '../user-numbers.ts';

/** The file of records that is played on, where a kind of protocols takes one. */
export const RECORD_FILE: readonly Option[] = [
  option('--data <file>', 'records: .csv, .json, .jsonl, .ndjson or .parquet; default: three million flights'),
  option('--schema <file>', 'JSON file that says what the columns of --data mean'),
];

/** How often a protocol is played, with which coins. */
export const REPETITIONS: Option = option('--repetitions <number>', 'runs with different coins (default: 1)');

/** Forecasts of protocols that minimise a risk. */
export const RISK_FORECAST: readonly Option[] = [
  option('--degree <number>', 'degree collected for (default: the best of 0, 1 and 2)'),
  option('--radius <number>', 'the model satisfies ‖w‖ ≤ radius (default: 1)'),
  option('--target <number>', 'also: players needed for this excess risk'),
];

const NOTES = `
Without --data, --epsilon and --variant it compares the two best variants at ε = 0.5, 1, 2, 4 and 8, three times each.
The flights are the npm package vega-datasets; all their records play, and models are measured on the same records.
A file (--data) is split at random: 5/6 of its records play, models are measured on the rest.`;

const lacks = (protocol: string, name: string): string => elsewhere(protocol, name) ?? 'records are not moved';

/** The certificates of variants whose parameters are made from ε, δ, a degree and a dimension. */
export async function certifyOneReport(
  { protocol, variants }: Study | PointStudy,
  options: CertifyOptions,
): Promise<readonly CertificateDocument[]> {
  const numbers = { ...budgetOf(options), degree: degreeOf(options.degree), dimension: dimensionOf(options) };
  return certificatesOf(protocol, { variants, request: (variant) => ({ variant, ...numbers }) }, options);
}

/** What an audit of one of these variants is asked for. */
export async function auditOneReport(
  { variants: [best] }: Study | PointStudy,
  options: AuditCommandOptions,
): Promise<AuditRequest> {
  const { variant = best } = options;
  const [budget, grade] = [budgetOf(options), readGrade(options.grade)];
  const numbers = { degree: degreeOf(options.degree), dimension: dimensionOf(options) };
  return { request: { variant, ...budget, grade, ...numbers }, variant, grade, delta: budget.delta };
}

/** Protocols for linear models of labelled records. */
export const records: StudyKind<Study> = {
  run: {
    offers: 'the flights, or the records of a file',
    options: withOwn(RUN_OPTIONS, [
      option('--epsilon <list>', 'privacy of each player, one number or several with commas (default: 1)'),
      option('--players <number>', 'how many players take part, chosen by the seed (default: all)'),
      ...RECORD_FILE,
      option('--degree <number>', 'degree collected for and used (default: collect for 1, let the protocol choose)'),
      option('--radius <number>', 'the model satisfies ‖w‖ ≤ radius; auto: the server picks it (default: 1)'),
      option('--loss <name>', 'loss of the margin, where the protocol knows several (default: its first)'),
      option(
        '--server <word>',
        'for noisy copies: sigm or average, a step a report, or newton, all reports at once (default: newton)',
      ),
      option(
        '--decoder <word>',
        'for noisy copies: product, averaged or signs, averaged with labels −1 and 1 (default: signs, for printed product)',
      ),
      option('--train <number>', 'records that play, a number or a fraction; models are measured on the others'),
      REPETITIONS,
      THREADS,
    ]),
    lacks,
    notes: NOTES,
    // Loaded only where it is asked for: charts and readers of files take longer to load than a certificate takes to make.
    does: async (protocol, study, options) => (await import('../run.ts')).run(protocol, study, options),
  },
  certify: {
    offers: 'every variant',
    options: withOwn(CERTIFY_OPTIONS, [DEGREE]),
    lacks,
    does: certifyOneReport,
  },
  audit: {
    offers: 'one report',
    options: withOwn(AUDIT_OPTIONS, [DEGREE], 6),
    lacks,
    does: auditOneReport,
  },
  forecast: {
    offers: 'excess risk, players needed',
    options: withOwn(FORECAST_OPTIONS, [
      ...RISK_FORECAST,
      option('--loss <name>', 'loss of the margin (default: the first the protocol knows)'),
      option('--signal <number>', 'P(right label) − P(wrong label) in the population assumed (default: 0.5)'),
    ]),
    lacks,
    does: forecastRecords,
  },
};
