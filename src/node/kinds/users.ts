import type { UserStudy, UserStudyRequest } from '../../../protocols/user-level-mean/protocol.ts';
import type { AuditedPart } from '../../audit/target.ts';
import { decimal } from '../../privacy/rounding.ts';
import type { Random } from '../../random/random.ts';
import { certificatesOf } from '../commands/certify.ts';
import * as line from '../commands/options.ts';
import { aligned, counted, wholeNumber } from '../print.ts';
import { COMMANDS, command, type StudyKind, type Values } from '../study.ts';

const COORDINATES = line.optionOr('--dimension <number>', 'coordinates of a sample', line.count, '1');
// About as many as there are airport-days in the flights, with a common number of flights each.
const PLAYERS = {
  players: line.optionOr('--players <number>', 'players to expect, where plans depend on it', line.count, '40000'),
  samples: line.optionOr('--samples <number>', 'samples of each player', line.count, '14'),
};

const run = {
  ...line.RUN,
  epsilon: line.epsilons('0.5,1,2,4,8'),
  variant: line.option(
    '--variant <list>',
    'variants of the protocol, one or several with commas, beside the baselines (default: all)',
    line.words,
  ),
  ...line.RECORD_FILE,
  player: line.PLAYER_COLUMN,
  samples: line.option(
    '--samples <number>',
    'rows of --data that a player has at least, which plans count on (default: 1)',
    line.count,
  ),
  spread: line.option(
    '--spread <number>',
    'standard deviation of one row of --data, in its unit, where it is public; for twoRound',
    line.positive,
  ),
  profile: line.option('--profile <word>', 'hours, the hours of departures (default: delays)', line.oneOf(['hours'])),
  repetitions: line.repetitions('20'),
};

const NOTES = `
The flights are the npm package vega-datasets; players are airports on a day, and their samples the flights that leave them.
The schema of --data names a player column and one or more coordinates; rows of one player are its samples, and are protected together.`;

const certified = { ...line.CERTIFY, dimension: COORDINATES, ...PLAYERS };
const attacked = {
  ...line.AUDITED,
  dimension: COORDINATES,
  ...PLAYERS,
  round: line.option(
    '--round <list>',
    'rounds to attack, from 0, and transcript: all rounds jointly (default: all of it)',
    line.words,
  ),
};
const forecast = {
  ...line.FORECAST,
  dimension: COORDINATES,
  samples: line.optionOr('--samples <number>', 'samples of each player', line.count, '100'),
  spread: line.optionOr('--spread <number>', 'standard deviation of such a sample in [−1, 1]', line.positive, '0.5'),
};

const SEVERAL = () => 'it is for players with several samples';

const COMPARED = { variants: 'a list of one or more texts', baselines: 'a list of texts' } as const;

/** Protocols for means of players with several samples. */
export const users: StudyKind<UserStudy> = {
  options: { run, certify: certified, audit: attacked, forecast },
  elsewhere: {
    ...{ profile: SEVERAL, player: SEVERAL, players: SEVERAL, samples: SEVERAL, spread: SEVERAL },
    round: (protocol) => `${protocol} has no rounds`,
  },
  needs: {
    protocol: [{ rounds: { first: 'a function', next: 'a function', estimate: 'a function' } }, 'run', 'audit'],
    summary: ['a text', 'run'],
    variants: ['a list of one or more texts', ...COMMANDS],
    scalar: [COMPARED, 'run', 'forecast'],
    vector: [COMPARED, 'run', 'certify', 'forecast'],
    request: ['a function', 'certify'],
    plan: ['a function', 'run', 'audit'],
    forecast: ['a function', 'run', 'forecast'],
  },
  open: (study) => ({
    protocol: study.protocol,
    summary: study.summary,
    variants: study.variants,
    form: 'samples',
    lacks: (_, elsewhere) => elsewhere ?? `${study.protocol.name} estimates a mean`,
    run: command({
      offers: 'the airport-days of the flights, or the players of a file',
      options: run,
      notes: NOTES,
      flights: true,
      shared: true,
      does: async (options, workforce) => (await import('./users/run.ts')).runUsers(study, options, workforce),
    }),
    certify: command({
      offers: 'every variant',
      options: certified,
      does({ variant: named, epsilon, delta, players, samples, dimension, grade }) {
        // Most variants do not exist in several dimensions.
        const variants = dimension === 1 ? study.variants : study.vector.variants;
        const request = (variant: string) => study.request({ variant, epsilon, delta, players, samples, dimension });
        return certificatesOf(study.protocol, { variants, named, grade, request });
      },
    }),
    audit: command({
      offers: 'every round, and the transcript',
      options: attacked,
      async target(request: UserStudyRequest, part: AuditedPart = 'transcript') {
        const { roundsTarget } = await import('./plain-players.ts');
        return roundsTarget(study.protocol, study.plan(request), part, await before(request));
      },
      async parts(request: UserStudyRequest) {
        const { roundsParts } = await import('./plain-players.ts');
        return roundsParts(study.protocol, study.plan(request), await before(request));
      },
      does({ variant = study.variants[0], epsilon, delta, grade, players, samples, dimension }) {
        return { request: { variant, epsilon, delta, grade, players, samples, dimension }, variant, grade, delta };
      },
    }),
    forecast: command({
      offers: 'the error of the mean',
      options: forecast,
      does: (options) => forecastOf(study, options),
    }),
  }),
};

function forecastOf(study: UserStudy, options: Values<typeof forecast>) {
  const { variant: named, epsilon, delta, players, samples, dimension, spread } = options;
  const protocol = study.protocol.name;
  const { variants: shown } = dimension === 1 ? study.scalar : study.vector;
  const variants = line.knownVariants(named ?? shown, study.variants);
  const common = { epsilon, delta, players, samples, dimension };
  const rows = variants.map((variant) => ({ variant, ...study.forecast({ variant, ...common }, { spread }) }));
  const coordinates = dimension === 1 ? '' : `, ${dimension} coordinates`;
  const text = (value: number): string => (value === 0 ? '0' : value.toPrecision(3));
  const cells = rows.map(({ variant, error, floor }) => [variant, error.toPrecision(3), text(floor)]);
  const few = rows.flatMap(({ variant, playersNeeded: least }) =>
    least === undefined
      ? []
      : [
          `${variant}: too few players to search for the mean, at least ${wholeNumber(least)} are needed; its error counts on searches that fail`,
        ],
  );
  return {
    document: { protocol, ...common, spread, rows },
    lines: [
      `${protocol}: ${counted(players, 'player')} with ${counted(samples, 'sample')} each${coordinates}, ε = ${epsilon}, δ = ${decimal(delta)}`,
      `assumed: coordinates in [−1, 1] with a standard deviation of ${spread}, samples not skewed, all players alike, enough of them to find the mean roughly; no data`,
      'error: root of the mean squared ℓ₂ error; floor: what no number of players removes',
      '',
      ...aligned([['variant', 'error', 'floor'], ...cells]),
      ...few,
    ],
  };
}

/** The players who answer before the one under attack. */
async function before({ players, dimension }: UserStudyRequest) {
  const { uniform } = await import('../../random/random.ts');
  const samples = new Float64Array(dimension);
  const draw = (random: Random) => {
    for (let j = 0; j < dimension; j++) samples[j] = (0.6 * uniform(random) - 0.2) / Math.sqrt(dimension);
    return { samples };
  };
  return { players, draw };
}
