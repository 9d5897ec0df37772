import type { UserStudy } from '../../../../protocols/user-level-mean/user-study.ts';
import { budgetOf, certificatesOf } from '../certificates.ts';
import { elsewhere } from '../elsewhere.ts';
import { forecastUsers } from '../forecast-users.ts';
import type { StudyKind } from '../kind.ts';
import { readGrade } from '../number-option.ts';
import { AUDIT_OPTIONS, CERTIFY_OPTIONS, FORECAST_OPTIONS, option, RUN_OPTIONS, withOwn } from '../options.ts';
import { userNumbers } from '../user-numbers.ts';

const COORDINATES = option('--dimension <number>', 'coordinates of a sample (default: 1)');
const PLAYERS = [
  option('--players <number>', 'players to expect, where plans depend on it (default: 40000)'),
  option('--samples <number>', 'samples of each player (default: 14)'),
];

const lacks = (protocol: string, name: string): string => elsewhere(protocol, name) ?? `${protocol} estimates a mean`;

/** Protocols for means of players with several samples. */
export const users: StudyKind<UserStudy> = {
  run: {
    offers: 'the airport-days of the flights',
    options: withOwn(RUN_OPTIONS, [
      option('--epsilon <list>', 'privacy of each player, one number or several with commas (default: 0.5,1,2,4,8)'),
      option(
        '--variant <list>',
        'variants of parameters, one or several with commas, beside the baselines (default: all)',
      ),
      option('--profile <word>', 'hours, the hours of departures (default: delays)'),
      option('--repetitions <number>', 'runs with different coins (default: 20)'),
    ]),
    lacks: (protocol, name) => elsewhere(protocol, name) ?? `${protocol} plays on the airport-days of the flights`,
    does: async (_, study, options) => (await import('../run-users.ts')).runAirportDays(study, options),
  },
  certify: {
    offers: 'every variant',
    options: withOwn(CERTIFY_OPTIONS, [COORDINATES, ...PLAYERS]),
    lacks,
    async does(study, options) {
      const numbers = { ...budgetOf(options), ...userNumbers(options) };
      const asked = {
        // In several dimensions most variants do not exist.
        variants: numbers.dimension === 1 ? study.variants : study.vector.variants,
        request: (variant: string) => study.request({ variant, ...numbers }),
      };
      return certificatesOf(study.protocol, asked, options);
    },
  },
  audit: {
    offers: 'every round, and the transcript',
    options: withOwn(
      AUDIT_OPTIONS,
      [
        COORDINATES,
        ...PLAYERS,
        option('--round <list>', 'rounds to attack, from 0, and transcript: all rounds jointly (default: all of it)'),
      ],
      6,
    ),
    lacks,
    async does({ variants: [best] }, options) {
      const { variant = best } = options;
      const [budget, grade] = [budgetOf(options), readGrade(options.grade)];
      return { request: { variant, ...budget, grade, ...userNumbers(options) }, variant, grade, delta: budget.delta };
    },
  },
  forecast: {
    offers: 'the error of the mean',
    options: withOwn(FORECAST_OPTIONS, [
      COORDINATES,
      option('--samples <number>', 'samples of each player (default: 100)'),
      option('--spread <number>', 'standard deviation of such a sample in [−1, 1] (default: 0.5)'),
    ]),
    lacks,
    does: forecastUsers,
  },
};
