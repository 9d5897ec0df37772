import { describe, expect, test } from '@jest/globals';
import { bernoulliExponential } from '../../../src/mechanism/discrete-laplace.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { proportionTest } from '../../statistics/moments.ts';
import { bernoulliExponentialBigint } from '../../statistics/published-samplers.ts';
import { everyStream, outcome } from './every-stream.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 8 of them.
const ALARM = 1e-6;
const ONES = 0xffffffff;

describe('plain numbers and bigints', () => {
  test('give the same answer from the same words, for all streams of four words from eight', () => {
    let different = 0;
    let decided = 0;
    for (const [a, b] of [
      [0, 1],
      [1, 1],
      [1, 2],
      [2, 3],
      [5, 2],
      [7, 7],
      [2 ** 33 + 1, 2 ** 33 + 3],
    ]) {
      everyStream([0, 1, 2, 3, 2 ** 31, ONES - 1, ONES, 2 ** 30], 4, (words) => {
        const plain = outcome(words, (random) => bernoulliExponential(a, b, random));
        if (plain !== outcome(words, (random) => bernoulliExponentialBigint(BigInt(a), BigInt(b), random))) different++;
        if (plain !== 'over') decided++;
      });
    }
    expect(different).toBe(0);
    expect(decided).toBeGreaterThan(10_000);
  });

  test('a product beyond 2⁵³ is two coins, of a/b and of 1/k', () => {
    // (2⁵³ − 1)·2 is no double. The first coin succeeds with words of 0; the second is one of a/b, and one of ½.
    const [a, b] = [2 ** 53 - 2, 2 ** 53 - 1];
    const answer = (...words: number[]) => outcome([0, 0, ...words], (random) => bernoulliExponential(a, b, random));
    // Failing at k = 2 is false, at k = 3 true; a/b fails at its last number only.
    expect(answer(0, 0, 1).split(' ')[0]).toBe('false');
    expect(answer(0, 0, 0, 0, 0, 1).split(' ')[0]).toBe('true');
    expect(answer(ONES, (2 ** 21 - 2) * 2 ** 11).split(' ')[0]).toBe('false');
  });
});

test('by enumeration, words uniform below 12: exp(−½) as its series says, term by term', () => {
  // The coins have 2, 4 and 6 sides, which divide 12. Stopping at coin k has probability ½^(k−1)/(k−1)! − ½^k/k!.
  const twelve = Array.from({ length: 12 }, (_, i) => i);
  const seen = new Map<string, number>();
  everyStream(twelve, 3, (words) => {
    const [answer] = outcome(words, (random) => bernoulliExponential(1, 2, random)).split(' ');
    seen.set(answer, (seen.get(answer) ?? 0) + 1);
  });
  const all = 12 ** 3;
  expect(seen.get('true')).toBe(all * (1 / 2 + (1 / 8 - 1 / 48)));
  expect(seen.get('false')).toBe(all * (1 / 2 - 1 / 8));
  expect(seen.get('over')).toBe(all / 48);
});

test.each([
  [1, 1],
  [1, 3],
  [7, 2],
  [999, 1000],
])('true with probability exp(−%d/%d), and not 5 %% more', (a, b) => {
  const random = seededRandom(`exp ${a}/${b}`);
  const p = Math.exp(-a / b);
  const trials = 400_000;
  let successes = 0;
  for (let i = 0; i < trials; i++) if (bernoulliExponential(a, b, random)) successes++;
  expect(proportionTest(successes, trials, p)).toBeGreaterThan(ALARM);
  expect(proportionTest(successes, trials, p < 0.5 ? 1.05 * p : p / 1.05)).toBeLessThan(ALARM);
});

test('is always true for 0, and refuses what is not a fraction of whole numbers', () => {
  expect(bernoulliExponential(0, 5, scripted(ONES - 1))).toBe(true);
  expect(() => bernoulliExponential(-1, 5, scripted(0))).toThrow('"numerator" expected a whole number >= 0, got -1');
  expect(() => bernoulliExponential(1, 0, scripted(0))).toThrow('"denominator" expected a whole number >= 1, got 0');
  expect(() => bernoulliExponential(0.5, 1, scripted(0))).toThrow(RangeError);
});
