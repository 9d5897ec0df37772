import type { UserStudy } from '../../../protocols/user-level-mean/protocol.ts';
import { decimal } from '../../privacy/rounding.ts';
import { answer, certificatesOf, type StudyKind } from '../commands/answer.ts';
import {
  ATTACK,
  AUDITED,
  CERTIFICATE,
  CERTIFY,
  count,
  epsilons,
  FORECAST,
  JSON_DOCUMENT,
  knownVariants,
  oneOf,
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
import { aligned, wholeNumber } from '../print.ts';

const COORDINATES = optionOr('--dimension <number>', 'coordinates of a sample', count, '1');
// About as many as there are airport-days in the flights, with a common number of flights each.
const PLAYERS = {
  players: optionOr('--players <number>', 'players to expect, where plans depend on it', count, '40000'),
  samples: optionOr('--samples <number>', 'samples of each player', count, '14'),
};

const run = {
  ...RUN,
  epsilon: epsilons('0.5,1,2,4,8'),
  variant: option(
    '--variant <list>',
    'variants of parameters, one or several with commas, beside the baselines (default: all)',
    words,
  ),
  ...RECORD_FILE,
  player: PLAYER_COLUMN,
  samples: option(
    '--samples <number>',
    'rows of --data that a player has at least, which plans count on (default: 1)',
    count,
  ),
  spread: option(
    '--spread <number>',
    'standard deviation of one row of --data, in its unit, where it is public; for twoRound',
    positive,
  ),
  profile: option('--profile <word>', 'hours, the hours of departures (default: delays)', oneOf(['hours'])),
  repetitions: repetitions('20'),
  ...SHARED,
  ...RESULT,
};

const NOTES = `
The flights are the npm package vega-datasets; players are airports on a day, and their samples the flights that leave them.
The schema of --data names a player column and one or more coordinates; rows of one player are its samples, and are protected together.`;

/** Protocols for means of players with several samples. */
export const users: StudyKind<UserStudy> = {
  lacks: (protocol) => `${protocol} estimates a mean`,
  run: answer({
    offers: 'the airport-days of the flights, or the players of a file',
    options: run,
    notes: NOTES,
    does: async (study: UserStudy, options, _word, workforce) =>
      (await import('./users/run.ts')).runUsers(study, options, workforce),
  }),
  certify: answer({
    offers: 'every variant',
    options: { ...CERTIFY, dimension: COORDINATES, ...PLAYERS, ...CERTIFICATE },
    async does(study: UserStudy, { variant: named, epsilon, delta, players, samples, dimension, grade }) {
      // Most variants do not exist in several dimensions.
      const variants = dimension === 1 ? study.variants : study.vector.variants;
      const request = (variant: string) => study.request({ variant, epsilon, delta, players, samples, dimension });
      return certificatesOf(study.protocol, { variants, named, grade, request });
    },
  }),
  audit: answer({
    offers: 'every round, and the transcript',
    options: {
      ...AUDITED,
      dimension: COORDINATES,
      ...PLAYERS,
      round: option(
        '--round <list>',
        'rounds to attack, from 0, and transcript: all rounds jointly (default: all of it)',
        words,
      ),
      ...ATTACK,
    },
    async does(
      { variants: [best] }: UserStudy,
      { variant = best, epsilon, delta, grade, players, samples, dimension },
    ) {
      return { request: { variant, epsilon, delta, grade, players, samples, dimension }, variant, grade, delta };
    },
  }),
  forecast: answer({
    offers: 'the error of the mean',
    options: {
      ...FORECAST,
      dimension: COORDINATES,
      samples: optionOr('--samples <number>', 'samples of each player', count, '100'),
      spread: optionOr('--spread <number>', 'standard deviation of such a sample in [−1, 1]', positive, '0.5'),
      json: JSON_DOCUMENT,
    },
    async does(study: UserStudy, { variant: named, epsilon, delta, players, samples, dimension, spread }) {
      const protocol = study.protocol.name;
      const variants = knownVariants(named ?? (dimension === 1 ? study.scalar : study.vector).variants, study.variants);
      const common = { epsilon, delta, players, samples, dimension };
      const rows = variants.map((variant) => ({ variant, ...study.forecast({ variant, ...common }, { spread }) }));
      const coordinates = dimension === 1 ? '' : `, ${dimension} coordinates`;
      const cells = rows.map(({ variant, error, floor }) => [
        variant,
        error.toPrecision(3),
        floor === 0 ? '0' : floor.toPrecision(3),
      ]);
      return {
        document: { protocol, ...common, spread, rows },
        lines: [
          `${protocol}: ${wholeNumber(players)} players with ${wholeNumber(samples)} samples each${coordinates}, ε = ${epsilon}, δ = ${decimal(delta)}`,
          `assumed: coordinates in [−1, 1] with a standard deviation of ${spread}, all players alike, enough of them to find the mean roughly; no data`,
          'error: root of the mean squared ℓ₂ error; floor: what no number of players removes',
          '',
          ...aligned([['variant', 'error', 'floor'], ...cells]),
        ],
      };
    },
  }),
};
