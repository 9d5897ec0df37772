import { RefusedValue } from '../../check/refusal.ts';
import { decimal } from '../../privacy/rounding.ts';
import type { ModelForecast, ModelStudy } from '../../simulation/model-study.ts';
import { answer, certificatesOf, type RefutedDocument, type StudyKind } from '../commands/answer.ts';
import {
  ATTACK,
  AUDITED,
  CERTIFICATE,
  CERTIFY,
  count,
  FORECAST,
  JSON_DOCUMENT,
  knownVariants,
  listOf,
  option,
  optionOr,
  PLAYER_COLUMN,
  positive,
  RECORD_FILE,
  RESULT,
  RUN,
  repetitions,
  SHARED,
  words,
} from '../commands/options.ts';
import { wholeNumber } from '../print.ts';
import { modelRequest } from './models/request.ts';

const MU = optionOr('--mu <number>', 'μ of one record', positive, '1');
// Each protocol has its own size for each command.
const SIZES = {
  mu: MU,
  dimension: option(
    '--dimension <number>',
    'features of a record (default: 10, and few where an attack repeats all steps)',
    count,
  ),
  players: option('--players <number>', 'players, or records of a curator', count),
  samples: option('--samples <number>', 'records of each player', count),
};

/** What only a study with waves is asked. */
const WAVES = {
  radius: option('--radius <number>', 'the model satisfies ‖w‖ ≤ radius (default: 1)', positive),
  waves: option('--waves <number>', 'groups of fresh players, each asked at one public point (default: 20)', count),
};

const run = {
  ...RUN,
  epsilon: optionOr(
    '--epsilon <list>',
    'ε of each player, one number or several with commas',
    listOf(positive),
    '0.5,1,2,4,8',
  ),
  mu: optionOr(
    '--mu <list>',
    'μ of each record, one number or several with commas',
    listOf(positive),
    '0.25,0.5,1,2,4',
  ),
  players: option(
    '--players <number>',
    'how many players take part, or records of a curator (default: all, or 100,000)',
    count,
  ),
  ...RECORD_FILE,
  player: PLAYER_COLUMN,
  samples: option(
    '--samples <number>',
    'records that a player has at least, which plans count on (default: 20, for --data 1)',
    count,
  ),
  ...WAVES,
  repetitions: repetitions('5'),
  ...SHARED,
  ...RESULT,
};

const NOTES = `
The flights are the npm package vega-datasets: their delay by regression, whether they are late, or the same of players that are
airports on a day. The schema of --data is that of records, with a number as its label for a regression, and for players a player column.`;

/** Options that a study does not have: the other budget, a δ that it does not use, and players if it has none. */
function without({ budget, setting, refuted, waves }: ModelStudy): readonly string[] {
  return [
    ...(budget === 'mu' ? ['epsilon'] : ['mu']),
    // Only a refuted protocol has a claim in (ε, δ).
    ...(refuted === undefined ? ['delta'] : []),
    ...(setting === 'central' || waves ? ['samples', 'player'] : []),
    ...(waves ? [] : Object.keys(WAVES)),
  ];
}

/** A row of a forecast; where a claim is refuted, `holds` says whether the privacy of this row holds. */
type ForecastRow = ModelForecast & { readonly variant: string; readonly holds?: boolean };

function lineOf({ variant, what, error, without, holds }: ForecastRow, budget: string): string {
  const noiseless = without === undefined ? '' : ` (${without.toPrecision(3)} without noise)`;
  const promise = holds === undefined ? '' : holds ? `; ${budget}-private` : '; promises no privacy';
  return `${variant}: error ${error.toPrecision(3)}${noiseless}, ${what}${promise}`;
}

/** Models that are fitted in rounds, or on the records of a trusted curator. */
export const models: StudyKind<ModelStudy> = {
  lacks: (protocol) => `the model of ${protocol} is fixed`,
  run: answer({
    offers: ({ play }: ModelStudy) =>
      play.records === 'players'
        ? 'the airport-days of the flights, or the players of a file'
        : 'the flights, or the records of a file',
    options: run,
    without,
    notes: NOTES,
    does: async (study: ModelStudy, options, _word, workforce) =>
      (await import('./models/run.ts')).runModel(study, options, workforce),
  }),
  certify: answer({
    offers: 'every variant, or why a claim does not hold',
    options: { ...CERTIFY, ...SIZES, ...WAVES, ...CERTIFICATE },
    without,
    async does(study: ModelStudy, options) {
      const { variant: named, html, grade } = options;
      const asked = (variant: string) => modelRequest(study, variant, options, study.defaults.certify);
      const { name } = study.protocol;
      if (study.refuted === undefined) {
        const request = (variant: string) => study.request(asked(variant));
        return certificatesOf(study.protocol as never, { variants: study.variants, named, grade, request });
      }
      if (html !== undefined) {
        throw new RefusedValue('html', `none: there is nothing to certify of ${name}`, html);
      }
      const refuted = (named ?? study.variants).map(
        (variant): RefutedDocument => ({ protocol: name, variant, holds: false, ...study.refuted!(asked(variant)) }),
      );
      return { refuted };
    },
  }),
  audit: answer({
    offers: 'all that is released, or the transcript',
    options: {
      ...AUDITED,
      ...SIZES,
      ...WAVES,
      round: option(
        '--round <list>',
        'what of a protocol in rounds to attack: transcript (default: transcript)',
        words,
      ),
      ...ATTACK,
    },
    without,
    async does(study: ModelStudy, options) {
      const { variant = study.variants[0], grade } = options;
      const request = modelRequest(study, variant, options, study.defaults.audit);
      return { request, variant, grade, delta: request.delta, central: study.setting === 'central' };
    },
  }),
  forecast: answer({
    offers: 'how far noise moves the fit',
    options: {
      ...FORECAST,
      ...SIZES,
      ...WAVES,
      players: FORECAST.players,
      dimension: FORECAST.dimension,
      json: JSON_DOCUMENT,
    },
    without,
    async does(study: ModelStudy, options) {
      const { setting, budget } = study;
      const central = setting === 'central';
      const numbers = { ...study.defaults.certify, ...(central || study.waves ? {} : { samples: 100 }) };
      const variants = knownVariants(options.variant ?? study.variants, study.variants);
      const asked = variants.map((variant) => modelRequest(study, variant, options, numbers));
      const [{ players, samples, dimension, epsilon, delta, mu }] = asked;
      const refuted = study.refuted !== undefined;
      const own = asked.map((one) => ({
        variant: one.variant,
        ...study.forecast(one),
        ...(refuted ? { holds: false } : {}),
      }));
      const rivals = study.rivals?.(asked[0]).map(({ name, ...row }) => ({ variant: name, ...row, holds: true })) ?? [];
      const rows: readonly ForecastRow[] = [...own, ...rivals];
      const who = central ? 'records' : study.waves ? 'players' : `players with ${wholeNumber(samples)} records each`;
      const protocol = study.protocol.name;
      return {
        document: {
          protocol,
          ...(budget === 'mu' ? { mu } : { epsilon }),
          ...(refuted ? { delta, refuted } : {}),
          ...(central ? { records: players } : { players, samples }),
          dimension,
          rows,
        },
        lines: [
          `${protocol}: ${wholeNumber(players)} ${who}, ${dimension} features, ${budget === 'mu' ? `μ = ${mu}` : `ε = ${epsilon}`}`,
          ...(refuted
            ? [
                `The printed privacy claim of ${protocol} is refuted: the rows of ${variants.join(' and ')} promise no privacy, however small their error.`,
              ]
            : []),
          ...rows.flatMap((row, i) => [
            ...(row.assumed === rows[i - 1]?.assumed ? [] : [`assumed: ${row.assumed}; no data`, '']),
            lineOf(row, `(${epsilon}, ${decimal(delta)})`),
          ]),
        ],
      };
    },
  }),
};
