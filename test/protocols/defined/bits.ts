import { checkInteger, checkPositive, defineProtocol } from 'ldpkit';
import { COIN_UNITS, exactCoin, twoLevels } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';

/** How often each of k categories occurs: a bit for each category, 1 for one's own, and every bit kept with probability p. */
export const bits = defineProtocol({
  name: 'category-bits',
  version: 1,
  make(request) {
    const epsilon = checkPositive('epsilon', request.epsilon);
    const categories = checkInteger('categories', request.categories, 2, 1024);
    // Two data differ in two bits, so that each has half of ε: p/(1 − p) ≤ e^(ε/2), between whole numbers over 2⁵³.
    const { keep, contrast } = twoLevels(epsilon, 1, 1, 2);
    return { epsilon, categories, keep, contrast };
  },
  datum: {
    expected: 'a whole number from 0 to below the number of categories',
    accepts: ({ categories }, value): value is number =>
      Number.isInteger(value) && (value as number) >= 0 && (value as number) < categories,
    clip({ categories }, value) {
      const number = typeof value === 'number' && value > 0 ? Math.floor(value) : 0;
      return Math.min(number, categories - 1);
    },
  },
  report: {
    values: 'uint32',
    length: ({ categories }) => categories,
    accepts: (_, report) => report.every((bit) => bit < 2),
  },
  channel: {
    deployment({ keep }, category, random, report) {
      for (let i = 0; i < report.length; i++) {
        const kept = exactCoin(keep, random);
        report[i] = kept === (i === category) ? 1 : 0;
      }
    },
  },
  tally: {
    sums: ({ categories }) => ({ ones: categories }),
    add(_, { ones }, report) {
      report.forEach((bit, i) => {
        ones[i] = (ones[i] ?? 0) + bit;
      });
    },
  },
  /** Unbiased: a bit is 1 with probability 1 − p, and 2p − 1 more where the category is one's own. */
  estimate({ keep, contrast }, { players, sums }) {
    const stray = 1 - keep / COIN_UNITS;
    return { players, frequencies: Array.from(sums.ones, (ones) => (ones / players - stray) / contrast) };
  },
  privacy: {
    guarantee: ({ epsilon }) => pure(epsilon),
    releases({ epsilon }) {
      const scale = 2 / epsilon;
      return [
        { what: 'the bits', count: 1, mechanism: 'randomized bits', sensitivity: 2, scale, guarantee: pure(epsilon) },
      ];
    },
    neighbourDistance: () => Math.SQRT2,
  },
  audit: {
    pairs: ({ categories }) => [
      { name: 'first and last', first: 0, second: categories - 1 },
      { name: 'first and second', first: 0, second: 1 },
    ],
    logLikelihoodRatio({ keep }, { first, second }) {
      const step = Math.log(keep / (COIN_UNITS - keep));
      return (report) => step * 2 * ((report[first] ?? 0) - (report[second] ?? 0)) * (first === second ? 0 : 1);
    },
  },
  /** Of one frequency: the noise of n bits with variance p(1 − p), and of who is asked. */
  forecast({ keep, contrast }, { players }) {
    const p = keep / COIN_UNITS;
    const error = Math.sqrt((p * (1 - p)) / players) / contrast;
    return { what: 'standard error of one frequency', assumption: 'a rare category', error, floor: 0 };
  },
});
