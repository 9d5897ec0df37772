import type { AuditedPart } from '../../audit/target.ts';
import { checkInteger } from '../../check/refusal.ts';
import { decimal } from '../../privacy/rounding.ts';
import {
  type ModelForecast,
  type ModelStudy,
  type ModelStudyRequest,
  modelRequest,
} from '../../simulation/model-study.ts';
import { certificatesOf } from '../commands/certify.ts';
import * as line from '../commands/options.ts';
import { count, listOf, option, optionOr, positive } from '../commands/options.ts';
import { counted } from '../print.ts';
import { COMMANDS, command, type RefutedDocument, type StudyKind, TRIED, type Values } from '../study.ts';

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
  radius: option('--radius <number>', 'the model satisfies ‖w‖ ≤ radius (default: 1)', line.radius),
  waves: option('--waves <number>', 'groups of fresh players, each asked at one public point (default: 20)', count),
};

const SEVERAL = 'one number or several with commas';
const budgets = listOf(positive);

const run = {
  ...line.RUN,
  epsilon: optionOr('--epsilon <list>', `ε of each player, ${SEVERAL}`, budgets, '0.5,1,2,4,8'),
  mu: optionOr('--mu <list>', `μ of each record, ${SEVERAL}`, budgets, '0.25,0.5,1,2,4'),
  players: option(
    '--players <number>',
    'how many players take part, or records of a curator (default: all, or 100,000)',
    count,
  ),
  ...line.RECORD_FILE,
  player: line.PLAYER_COLUMN,
  samples: option(
    '--samples <number>',
    'records that a player has at least, which plans count on (default: 20, for --data 1)',
    count,
  ),
  ...WAVES,
  repetitions: line.repetitions('5'),
};

/** A run with waves is of one loss. */
const ONE_LOSS = { flags: '--variant <name>', help: 'variant of the protocol (default: the first)' };
const CURATOR = { help: 'simulation: where a curator holds the records, nothing is sent' };

const NOTES = `
The flights are the npm package vega-datasets: their delay by regression, whether they are late, or the same of players that are
airports on a day. The schema of --data is that of records, with a number as its label for a regression, and for players a player column.`;

const ROUND = 'what of a protocol in rounds to attack: transcript (default: transcript)';

const certified = { ...line.CERTIFY, ...SIZES, ...WAVES };
/** What a player of a wave sends does not depend on how many there are. */
const { players: _, ...perReport } = certified;
const attacked = { ...line.AUDITED, ...SIZES, ...WAVES, round: option('--round <list>', ROUND, line.words) };
const { players, dimension } = line.FORECAST;
const forecast = { ...line.FORECAST, ...SIZES, ...WAVES, players, dimension };

/** The options that a study has: without the other budget, a δ that it does not use, and players if it has none; with their help. */
function having<Options extends object>({ budget, setting, refuted, waves }: ModelStudy, options: Options): Options {
  const without = [
    ...(budget === 'mu' ? ['epsilon'] : ['mu']),
    // Only a refuted protocol has a claim in (ε, δ).
    ...(refuted === undefined ? ['delta'] : []),
    ...(setting === 'central' || waves ? ['samples', 'player'] : []),
    ...(waves ? [] : Object.keys(WAVES)),
  ];
  const offered = setting === 'central' ? { ...options, grade: { ...line.RUN.grade, ...CURATOR } } : options;
  return Object.fromEntries(Object.entries(offered).filter(([name]) => !without.includes(name))) as Options;
}

/** The most numbers of all records of a curator that is attacked: every trial goes through them. */
const MOST_NUMBERS = 2 ** 24;

function attackable({ setting }: ModelStudy, request: ModelStudyRequest): ModelStudyRequest {
  const most = Math.max(1, Math.floor(MOST_NUMBERS / request.dimension));
  if (setting === 'central') checkInteger('players', request.players, 1, most);
  return request;
}

/** The most records, over all trials of an audit, that a curator goes through in one step; a record costs as much as some features. */
const MOST_STEPPED = 7e8;
const RECORD_COST = 20;

/** Trials of an audit of a curator: a million, but fewer where each goes through many records. */
function trialsOf({ players, dimension }: ModelStudyRequest): number {
  const most = Math.floor(MOST_STEPPED / (players * (dimension + RECORD_COST)));
  return Math.min(1e6, Math.max(1e4, most));
}

/** A row of a forecast; where a claim is refuted, `holds` says whether the privacy of this row holds. */
type ForecastRow = ModelForecast & { readonly variant: string; readonly holds?: boolean };

function lineOf({ variant, what, error, without, holds }: ForecastRow, budget: string): string {
  const noiseless = without === undefined ? '' : ` (${without.toPrecision(3)} without noise)`;
  const promise = holds === undefined ? '' : holds ? `; ${budget}-private` : '; promises no privacy';
  return `${variant}: error ${error.toPrecision(3)}${noiseless}, ${what}${promise}`;
}

const NUMBERS = { players: 'a number', samples: 'a number', dimension: 'a number' } as const;

const PLAY = {
  records: ['regression', 'sides', 'players'],
  intercept: 'true or false',
  fit: 'a function',
  optimum: 'a function',
  risk: 'a function',
  constantRisk: 'a function',
  'rival?': { name: 'a text', fit: 'a function' },
  notes: 'a function',
} as const;

/** Models that are fitted in rounds, or on the records of a trusted curator. */
export const models: StudyKind<ModelStudy> = {
  options: { run, certify: certified, audit: attacked, forecast },
  elsewhere: { waves: (protocol) => `${protocol} has no waves` },
  needs: {
    ...TRIED,
    setting: [['rounds', 'central'], ...COMMANDS],
    budget: [['epsilon', 'mu'], ...COMMANDS],
    'waves?': ['true or false', ...COMMANDS],
    defaults: [{ certify: NUMBERS, audit: NUMBERS }, ...COMMANDS],
    request: ['a function', 'run', 'certify'],
    'refuted?': ['a function', 'run', 'certify', 'forecast'],
    target: ['a function', 'audit'],
    forecast: ['a function', 'run', 'forecast'],
    'rivals?': ['a function', 'run', 'forecast'],
    'parts?': ['a function', 'audit'],
    play: [PLAY, 'run'],
  },
  open(study) {
    const { protocol, summary, variants, setting, budget, play } = study;
    const { name } = protocol;
    const lacking: Readonly<Record<string, string>> = {
      epsilon: `the budget of ${name} is in μ`,
      delta: `the budget of ${name} is ${budget === 'mu' ? 'in μ' : 'pure'}`,
    };
    const OF_PLAYERS = ['profile', 'player', 'samples', 'spread'];
    return {
      ...{ protocol, summary, variants },
      // A study with commands of its own may have no records to play.
      ...(play === undefined ? {} : { form: play.records === 'sides' ? 'records' : play.records }),
      lacks(option, elsewhere) {
        if (Object.hasOwn(lacking, option)) return lacking[option];
        if (option === 'players') return `what a player of ${name} is promised does not depend on how many there are`;
        if (setting === 'central' && OF_PLAYERS.includes(option)) return `in ${name} a curator holds single records`;
        return elsewhere ?? `the model of ${name} is fixed`;
      },
      run: command({
        offers:
          play?.records === 'players'
            ? 'the airport-days of the flights, or the players of a file'
            : 'the flights, or the records of a file',
        options: having(study, study.waves ? { ...run, variant: { ...run.variant, ...ONE_LOSS } } : run),
        notes: NOTES,
        flights: true,
        shared: true,
        does: async (options, workforce) => (await import('./models/run.ts')).runModel(study, options, workforce),
      }),
      certify: command({
        offers: 'every variant, or why a claim does not hold',
        options: having(study, study.waves ? perReport : certified),
        does(options) {
          const { variant: named, grade } = options;
          const asked = (variant: string) => modelRequest(study, variant, options, study.defaults.certify);
          if (study.refuted === undefined) {
            const request = (variant: string) => study.request(asked(variant));
            return certificatesOf(protocol as never, { variants, named, grade, request });
          }
          const refutedAs = (variant: string): RefutedDocument => ({
            ...{ protocol: name, variant, holds: false },
            ...study.refuted!(attackable(study, asked(variant))),
          });
          return { refuted: (named ?? variants).map(refutedAs) };
        },
      }),
      audit: command({
        offers: 'all that is released, or the transcript',
        options: having(study, attacked),
        target: (request: ModelStudyRequest, part?: AuditedPart) => study.target(request, part),
        parts: (request: ModelStudyRequest) => study.parts?.(request),
        does(options) {
          const { variant = variants[0], grade } = options;
          const request = attackable(study, modelRequest(study, variant, options, study.defaults.audit));
          const attack = { request, variant, grade, delta: request.delta };
          return setting === 'central' ? { ...attack, central: true, trials: trialsOf(request) } : attack;
        },
      }),
      forecast: command({
        offers: 'how far noise moves the fit',
        options: having(study, forecast),
        does: (options) => forecastOf(study, options),
      }),
    };
  },
};

function forecastOf(study: ModelStudy, options: Values<typeof forecast>) {
  const { setting, budget } = study;
  const central = setting === 'central';
  const numbers = { ...study.defaults.certify, ...(central || study.waves ? {} : { samples: 100 }) };
  const variants = line.knownVariants(options.variant ?? study.variants, study.variants);
  const asked = variants.map((variant) => modelRequest(study, variant, options, numbers));
  const [{ players, samples, dimension, epsilon, delta, mu }] = asked;
  const refuted = study.refuted !== undefined;
  const holds = refuted ? { holds: false } : {};
  const rivals = study.rivals?.(asked[0]).map(({ name, ...row }) => ({ variant: name, ...row, holds: true })) ?? [];
  const own = asked.map((one) => ({ variant: one.variant, ...study.forecast(one), ...holds }));
  const rows: readonly ForecastRow[] = [...own, ...rivals];
  const who = counted(players, central ? 'record' : 'player');
  const held = central || study.waves ? '' : ` with ${counted(samples, 'record')} each`;
  const protocol = study.protocol.name;
  const warning = `The printed privacy claim of ${protocol} is refuted: the rows of ${variants.join(' and ')} promise no privacy, however small their error.`;
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
      `${protocol}: ${who}${held}, ${counted(dimension, 'feature')}, ${budget === 'mu' ? `μ = ${mu}` : `ε = ${epsilon}`}`,
      ...(refuted ? [warning] : []),
      ...rows.flatMap((row, i) => [
        ...(row.assumed === rows[i - 1]?.assumed ? [] : [`assumed: ${row.assumed}; no data`, '']),
        lineOf(row, `(${epsilon}, ${decimal(delta)})`),
      ]),
    ],
  };
}
