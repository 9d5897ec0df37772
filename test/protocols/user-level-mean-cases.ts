import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanRound } from '../../protocols/user-level-mean/parameters.ts';
import type { MeanTally, UserDatum } from '../../protocols/user-level-mean/shape.ts';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { ContractCase } from '../../src/testing/contract/law.ts';
import { floatsOf } from './hinge-cases.ts';
import { playRounds, type RoundContent } from './round-protocol.ts';

export const severalBase = { epsilon: 4, players: 60000, samples: 20, dimension: 3 };

/** Two rounds in several dimensions, in every form. */
export const several: readonly UserLevelMeanRequest[] = [
  { variant: 'twoRound', ...severalBase },
  { variant: 'twoRound', ...severalBase, grade: 'deployment', spread: 0.25 },
  { variant: 'twoRound', ...severalBase, samePlayers: true },
  { variant: 'twoRound', ...severalBase, epsilon: 1, players: 600 },
  { variant: 'twoRound', ...severalBase, delta: 1e-6, form: 'gaussian' },
  { variant: 'twoRound', ...severalBase, delta: 1e-6, form: 'gaussian', grade: 'deployment', seed: 'other' },
  { variant: 'printed', ...severalBase, delta: 1e-6 },
  { variant: 'printed', ...severalBase, delta: 1e-6, calibration: 'exact' },
  // The slack of one dimension pays for some dozens of coordinates.
  { variant: 'printed', ...severalBase, delta: 1e-6, calibration: 'unsplit' },
];

/** A case of one round of a plan. */
export type MeanCase = ContractCase<UserLevelMeanRound, UserDatum, MeanTally, RoundContent, undefined>;

/** Players with 1 to 5 samples each, d numbers a sample. */
export function users(count: number, dimension: number, bound: number, seed: string): UserDatum[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => ({
    samples: Float64Array.from({ length: dimension * (1 + (i % 5)) }, () => bound * (2 * uniform(random) - 1)),
  }));
}

/** Seven players with data of the domain of a request, for B = 1. */
export function usersOf(request: UserLevelMeanRequest, seed: string): UserDatum[] {
  const { dimension = 1, domain } = request as { readonly dimension?: number; readonly domain?: string };
  return users(7, dimension, domain === 'ball' ? 0.99 / Math.sqrt(dimension) : 0.99, seed);
}

/** What is not a datum in this dimension, for B = 1. */
function strangers(dimension: number): { readonly [what: string]: unknown } {
  const fill = (value: unknown, length: number = 2 * dimension): unknown[] => new Array(length).fill(value);
  const inside = 0.3141592653589793;
  return {
    null: null,
    undefined,
    'a number': 0.6180339887498949,
    'a text': '0.6180339887498949',
    'no samples': {},
    'samples null': { samples: null },
    'samples a number': { samples: 0.6180339887498949 },
    'samples a text': { samples: '0.6180339887498949' },
    'not one sample': { samples: [] },
    ...(dimension > 1 ? { 'part of a sample': { samples: fill(inside, 2 * dimension - 1) } } : {}),
    'a NaN': { samples: fill(inside).with(0, NaN) },
    'an infinity': { samples: fill(inside).with(dimension, -Infinity) },
    'a text among them': { samples: fill(inside).with(0, '0.6180339887498949') },
    'null among them': { samples: fill(inside).with(0, null) },
    'big integers': { samples: new BigInt64Array(2 * dimension) },
    'a hole among them': { samples: Array.from({ length: 2 * dimension }) },
    'a sample above B': { samples: fill(inside).with(2 * dimension - 1, 1.7320508075688772) },
    'a sample just above B': { samples: fill(inside).with(0, 1.0000012345678) },
    'a sample below −B': { samples: fill(inside).with(1, -2.23606797749979) },
  };
}

/** The round of a plan as a case; rounds before it are answered by the same players, 200 times each. */
export function meanCase(request: UserLevelMeanRequest, until: number): MeanCase {
  const data = usersOf(request, 'cases');
  const roundOf = (asked: UserLevelMeanRequest): UserLevelMeanRound => {
    const plan = userLevelMeanPlan(asked);
    return playRounds(userLevelMean, plan, { data, reports: 1400, until })[until].round;
  };
  const others = [{ epsilon: 3.25 }, { samples: 21 }, { players: 60001 }, { bound: 2 }].map((change) =>
    roundOf({ ...request, ...change } as UserLevelMeanRequest),
  );
  // Made twice, and handed out in turn: the law that compares two of them compares what was made apart.
  const made = [roundOf(request), roundOf(request)];
  let turn = 0;
  const { precision, dimension, kind } = made[0];
  return {
    name: `${JSON.stringify(request)}, round ${until}`,
    make: () => structuredClone(made[turn++ % 2]),
    others,
    data,
    refused: strangers(dimension),
    queries: [undefined],
    content: (_, { players, sums }) => [players, ...sums],
    numbers: ({ numbers }) => numbers,
    // Unit vectors travel as words, and their sums are not whole numbers.
    exact: precision === 'uint32' && kind !== 'residual',
    tolerance: 1e-12,
    ...floatsOf('user-level-mean', precision),
  };
}
