import { describe, expect, test } from '@jest/globals';
import {
  bestGuess,
  doubtsOf,
  promiseInWords,
  verdictBlock,
  verdictLines,
} from '../../../../src/node/report/verdict.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../../src/privacy/guarantee.ts';

describe('what is promised, in words', () => {
  test('has the best guess of two data: randomized response, a normal law, and total variation', () => {
    // Truthful with probability e^ε/(1 + e^ε).
    expect(bestGuess(pure(Math.log(3)))).toBeCloseTo(0.75, 12);
    expect(bestGuess(approximate({ epsilon: Math.log(3), delta: 0.2 }))).toBeCloseTo(0.8, 12);
    // Φ(1/2), with SciPy.
    expect(bestGuess(gdp(1))).toBeCloseTo(0.6914624612740131, 10);
  });

  test.each<[Guarantee, string]>([
    [pure(1), 'changes the odds between any two data of a player by a factor of at most e^ε = 2.72.'],
    [approximate({ epsilon: 1, delta: 1e-6 }), 'than e^ε = 2.72 times its probability under the other, plus δ.'],
    [gdp(0.5), 'whose means are 0.5 standard deviations apart.'],
    [gdp(1), 'whose means are 1 standard deviation apart.'],
    [zcdp(0.125), 'is at most 0.125·α.'],
  ])('says the odds, rounded up: %j', (guarantee, words) => {
    expect(promiseInWords(guarantee)).toContain(words);
    expect(promiseInWords(guarantee)).toMatch(
      /picks the right one with probability [\d.]+ % at most; with a coin it is 50 %\.$/,
    );
    expect(promiseInWords(guarantee, 'record')).toContain('everything released');
  });

  test('does not say that somebody may be certain where nobody is', () => {
    expect(promiseInWords(pure(20))).toContain('nearly 100 %');
    expect(promiseInWords(pure(1))).toContain('73.2 %');
  });
});

test('a verdict on a terminal stands beside its names, in lines of at most 100 characters', () => {
  const long = 'word '.repeat(60).trim();
  const lines = verdictLines({ learnt: long, distance: 'b', cost: '7 %', promise: 'd', certainty: ['e', 'f'] });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines[0]).toMatch(/^learnt {11}word word/);
  expect(lines[1]).toMatch(/^ {17}word/);
  expect(lines.slice(-5)).toEqual([
    'without privacy  b',
    'the cost         7 %',
    'the promise      d',
    'how sure         e',
    '                 f',
  ]);
});

test('doubts of the headline stand in the opening, those of other runs are told after them and folded on the page', () => {
  const uncertainty = { level: 0.95, risk: null, what: 'it is', effect: [1, 2] as const, playersNeeded: 90 };
  const runOf = (name: string, enough: boolean) => ({ name, uncertainty: { ...uncertainty, enough, middle: 1 } });
  const found = doubtsOf(
    [runOf('b', false), runOf('a', true)],
    ({ name }) => name === 'a',
    ({ name }) => ({ name, who: 'players', players: 7, figure: String }),
  );
  expect(found.certainty?.map((text) => text.slice(0, 6))).toEqual(['A: the']);
  expect(found.elsewhere?.map((text) => text.slice(0, 6))).toEqual(['B: the', 'B: 7 p']);
  const headline = { learnt: 'l', distance: 'd', cost: 'c', promise: 'p', certainty: ['A is so.'] };
  const verdict = { ...headline, elsewhere: ['B is so.', 'C is so.'] };
  expect(verdictLines(verdict).slice(-3)).toEqual([
    'how sure         A is so.',
    'other runs       B is so.',
    '                 C is so.',
  ]);
  const [shown, folded] = verdictBlock(verdict).split('<details>');
  expect(shown).toContain('A is so.');
  expect(shown).not.toContain('B is so.');
  expect(folded).toContain('C is so.');
  expect(verdictBlock(headline)).not.toContain('<details>');
});
