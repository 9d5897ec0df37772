import { describe, expect, test } from '@jest/globals';
import { bernoulli } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { proportionTest } from '../../statistics/moments.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 7 of them.
const ALARM = 1e-6;
const ONES = 0xffffffff;

test.each([1e-3, 0.1, 0.25, 1 / 3, 0.5, 0.589326, 0.999])(
  'true with probability %d, and not 5 %% more or less',
  (p) => {
    const random = seededRandom(`bernoulli ${p}`);
    // Rare outcomes need more trials for the control: about 40 000 of the rarer one.
    const trials = Math.ceil(40_000 / Math.min(p, 1 - p));
    let successes = 0;
    for (let i = 0; i < trials; i++) if (bernoulli(p, random)) successes++;
    expect(proportionTest(successes, trials, p)).toBeGreaterThan(ALARM);
    const rarer = p < 0.5 ? 1.05 * p : 1 - 1.05 * (1 - p);
    expect(proportionTest(successes, trials, rarer)).toBeLessThan(ALARM);
  },
);

describe('every double is met exactly, digit by digit', () => {
  test('0 is never and 1 is always, whatever the words', () => {
    expect(bernoulli(0, scripted())).toBe(false);
    expect(bernoulli(1, scripted(ONES))).toBe(true);
    expect(bernoulli(1, scripted(0))).toBe(true);
  });

  test('a half is a fair bit of one word', () => {
    expect(bernoulli(0.5, scripted(2 ** 31 - 1))).toBe(true);
    expect(bernoulli(0.5, scripted(2 ** 31))).toBe(false);
  });

  test('2⁻⁴⁰ needs a first word of 0 and a second below 2²⁴', () => {
    expect(bernoulli(2 ** -40, scripted(1))).toBe(false);
    expect(bernoulli(2 ** -40, scripted(0, 2 ** 24 - 1))).toBe(true);
    expect(bernoulli(2 ** -40, scripted(0, 2 ** 24))).toBe(false);
  });

  test('the double next to 1/3 has the digits 0x55555555 and 0x55555400', () => {
    expect(bernoulli(1 / 3, scripted(0x55555554))).toBe(true);
    expect(bernoulli(1 / 3, scripted(0x55555556))).toBe(false);
    expect(bernoulli(1 / 3, scripted(0x55555555, 0x555553ff))).toBe(true);
    expect(bernoulli(1 / 3, scripted(0x55555555, 0x55555400))).toBe(false);
  });

  test('the smallest double has a chance, after 33 words of 0', () => {
    const zeros = new Array<number>(33).fill(0);
    expect(bernoulli(Number.MIN_VALUE, scripted(...zeros, 2 ** 14 - 1))).toBe(true);
    expect(bernoulli(Number.MIN_VALUE, scripted(...zeros, 2 ** 14))).toBe(false);
  });
});

test.each([-1e-9, 1 + 2 ** -52, Number.NaN, Infinity])('the probability %d is refused with a RangeError', (p) => {
  expect(() => bernoulli(p, scripted(0))).toThrow(RangeError);
});

test('a probability that is no number is refused with a TypeError', () => {
  for (const value of ['x', '0.5', null, [0.5], true]) {
    expect(() => bernoulli(value as unknown as number, scripted(0))).toThrow('"probability" expected a number');
    expect(() => bernoulli(value as unknown as number, scripted(0))).toThrow(TypeError);
  }
});
