import { checkInteger, checkOpenUnit, checkPositive, defineStream } from 'ldpkit';
import { COIN_UNITS, clipNumber, exactCoin, twoLevels } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';

const { max, min, sqrt } = Math;

/**
 * A quantile of numbers in [0, 1]: each player says with one randomized bit whether its number is below the current
 * guess, and after each block the server moves the guess and publishes it.
 *
 * Source: Robbins and Monro 1951; the average of the path is that of Polyak and Juditsky 1992.
 */
export const quantile = defineStream({
  name: 'guessed-quantile',
  version: 1,
  make(request) {
    const epsilon = checkPositive('epsilon', request.epsilon);
    const level = checkOpenUnit('level', request.level ?? 0.5);
    const block = checkInteger('block', request.block ?? 20, 1, 1e6);
    return { epsilon, level, block, keep: twoLevels(epsilon, 1, 1).keep };
  },
  steps: {
    start: () => [0.5],
    block: ({ block }) => block,
    move({ level, block, keep }, { steps, iterate, sums }) {
      const p = keep / COIN_UNITS;
      const below = ((sums.ones[0] ?? 0) / block - (1 - p)) / (2 * p - 1);
      iterate[0] = min(1, max(0, (iterate[0] ?? 0) + (level - below) / steps ** 0.67));
      sums.ones[0] = 0;
      sums.path[0] = (sums.path[0] ?? 0) + iterate[0];
    },
    accepts: (_, [guess = -1]) => guess >= 0 && guess <= 1,
  },
  datum: {
    expected: 'a number from 0 to 1',
    accepts: (_, value): value is number => typeof value === 'number' && value >= 0 && value <= 1,
    clip: (_, value) => max(0, clipNumber(value, 1)),
  },
  report: { values: 'uint32', length: () => 1, accepts: (_, [bit = 2]) => bit < 2 },
  channel: {
    deployment({ keep, iterate }, datum, random, report) {
      report[0] = exactCoin(keep, random) === datum <= (iterate[0] ?? 0) ? 1 : 0;
    },
  },
  tally: {
    sums: () => ({ ones: 1, path: 1 }),
    add(_, { ones }, [bit = 0]) {
      ones[0] = (ones[0] ?? 0) + bit;
    },
  },
  estimate(_, { players, steps, iterate, sums }) {
    return { players, last: iterate[0] ?? 0, quantile: steps === 0 ? (iterate[0] ?? 0) : (sums.path[0] ?? 0) / steps };
  },
  privacy: {
    guarantee: ({ epsilon }) => pure(epsilon),
    releases: ({ epsilon }) => [
      {
        what: 'a bit',
        count: 1,
        mechanism: 'randomized response',
        sensitivity: 1,
        scale: 1 / epsilon,
        guarantee: pure(epsilon),
      },
    ],
    neighbourDistance: () => 1,
  },
  audit: {
    pairs: () => [{ name: 'ends', first: 0, second: 1 }],
    logLikelihoodRatio({ keep, iterate }, { first, second }) {
      const [guess = 0] = iterate;
      const apart = Number(first <= guess) - Number(second <= guess);
      return ([bit = 0]) => apart * (2 * bit - 1) * Math.log(keep / (COIN_UNITS - keep));
    },
  },
  forecast({ level, keep }, { players }) {
    const error = sqrt(level * (1 - level) + 1 / (2 * (keep / COIN_UNITS) - 1) ** 2 / 4) / sqrt(players);
    return { what: 'standard error of the quantile', assumption: 'numbers uniform on [0, 1]', error, floor: 0 };
  },
});
