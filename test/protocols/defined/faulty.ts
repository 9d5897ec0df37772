import { defineProtocol } from '../../../src/core/define.ts';
import { checkInteger, checkPositive } from '../../../src/index.ts';
import { exactCoin, twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { bits as word } from '../../../src/random/random.ts';

/** What is wrong on purpose; nothing by default. */
export interface Fault {
  /** Into how many parts ε is split for the bits; two data differ in 2. */
  readonly parts?: number;
  /** A category of the domain whose player does not answer. */
  readonly refused?: number;
  /** A category whose player takes one word more. */
  readonly slow?: number;
  /** Whether the domain is anything that is a number. */
  readonly wide?: boolean;
}

/** The definition of ./bits.ts in short, with a fault; its parameters are the same but for `parts`. */
export function faulty({ parts = 2, refused, slow, wide = false }: Fault = {}) {
  return defineProtocol({
    name: 'category-bits',
    version: 1,
    make(request) {
      const epsilon = checkPositive('epsilon', request.epsilon);
      const categories = checkInteger('categories', request.categories, 2, 1024);
      const { keep, contrast } = twoLevels(epsilon, 1, 1, parts);
      return { epsilon, categories, keep, contrast };
    },
    datum: {
      expected: 'a category',
      accepts: ({ categories }, value): value is number =>
        typeof value === 'number' && (wide || (Number.isInteger(value) && value >= 0 && value < categories)),
      clip: ({ categories }, value) =>
        typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), categories - 1) : 0,
    },
    report: {
      values: 'uint32',
      length: ({ categories }) => categories,
      accepts: (_, sent) => sent.every((bit) => bit < 2),
    },
    channel: {
      deployment({ keep }, category, random, report) {
        if (category === refused) throw new RangeError('"datum" expected another category');
        if (category === slow) word(random);
        for (let i = 0; i < report.length; i++) report[i] = exactCoin(keep, random) === (i === category) ? 1 : 0;
      },
    },
    tally: {
      sums: ({ categories }) => ({ ones: categories }),
      add(_, { ones }, report) {
        for (let i = 0; i < report.length; i++) ones[i] += report[i];
      },
    },
    estimate: (_, { players, sums }) => ({ players, frequencies: Array.from(sums.ones, (ones) => ones / players) }),
    privacy: {
      guarantee: ({ epsilon }) => pure(epsilon),
      releases: ({ epsilon }) => [
        { what: 'bits', count: 1, mechanism: 'bits', sensitivity: 1, scale: 1 / epsilon, guarantee: pure(epsilon) },
      ],
      neighbourDistance: () => 1,
    },
    audit: { pairs: () => [{ name: 'first and second', first: 0, second: 1 }] },
  });
}
