import { describe, expect, test } from '@jest/globals';
import { auditOneRun, guessInclusion, oneRunPValue } from '../../../src/audit/audit.ts';
import { gdpMu } from '../../../src/privacy/gaussian.ts';
import { approximate, gdp, pure } from '../../../src/privacy/guarantee.ts';
import { bernoulli, normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

test('guesses are not made from scores that are no numbers', () => {
  const coins = [true, false, true];
  for (const score of [Number.NaN, undefined, '1']) {
    expect(() => guessInclusion([1, score as number, 2], coins, { in: 1, out: 1 })).toThrow(
      '"scores" expected numbers',
    );
  }
  expect(guessInclusion([Infinity, -Infinity, 2], coins, { in: 1, out: 1 }).correct).toBe(2);
});

// Computed independently with SciPy (scipy.stats.binom), summing every term.
const VALUES: readonly (readonly [number, number, number, number, number, number])[] = [
  [1000, 1000, 600, 0.1, 0, 1.0746348810378283e-6],
  [1000, 1000, 600, 0.1, 1e-5, 0.00019130982309872294],
  [1000, 100, 90, 1, 1e-5, 0.0008412885614385305],
  [100000, 2000, 1500, 1, 1e-6, 0.0318635060839512],
  [100, 100, 99, 3, 1e-3, 0.07718495966257984],
  [1000, 300, 290, 2.5, 1e-6, 0.001785423067291997],
  [1000, 1000, 1, 0.5, 0.01, 1],
  [50, 50, 50, 2, 1e-4, 0.002834745528959636],
];

describe('the p-value of right guesses', () => {
  test.each(VALUES)(
    'm = %i, r = %i, v = %i, ε = %p, δ = %p',
    (canaries, guesses, correct, epsilon, delta, expected) => {
      const value = oneRunPValue({ canaries, guesses, correct }, { epsilon, delta });
      expect(Math.abs(value / expected - 1)).toBeLessThan(1e-9);
    },
  );

  test('grows with ε and δ and falls with the number of right guesses', () => {
    const at = (correct: number, epsilon: number, delta: number): number =>
      oneRunPValue({ canaries: 200, guesses: 100, correct }, { epsilon, delta });
    let wrong = 0;
    for (let correct = 60; correct < 100; correct++) {
      if (at(correct, 1, 1e-5) < at(correct + 1, 1, 1e-5)) wrong++;
      if (at(correct, 1, 1e-5) > at(correct, 1.1, 1e-5)) wrong++;
      if (at(correct, 1, 1e-5) > at(correct, 1, 2e-5)) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test('is found in no time for as many canaries as there may be', () => {
    const counts = { canaries: 1e9, guesses: 1e9, correct: 9e8 };
    // W is 5e8 on average and never far from it: the second term is 2mδ·P(v > W)/(v − 5e8), nearly 1/(4e8) of 2mδ.
    const value = oneRunPValue(counts, { epsilon: 0, delta: 1e-2 });
    expect(value / (2e9 * 1e-2) / (1 / 4e8)).toBeCloseTo(1, 2);
    expect(oneRunPValue(counts, { epsilon: 2, delta: 1e-2 })).toBeGreaterThan(value);
  });

  test('nobody guessed right, or nobody guessed: nothing is proved', () => {
    expect(oneRunPValue({ canaries: 5, guesses: 3, correct: 0 }, { epsilon: 0, delta: 0 })).toBe(1);
    expect(auditOneRun({ canaries: 5, guesses: 0, correct: 0, claimed: pure(1) })).toMatchObject({
      lowerBound: 0,
      pValue: 1,
      verdict: 'consistent',
    });
  });

  test('impossible counts are refused', () => {
    expect(() => oneRunPValue({ canaries: 5, guesses: 6, correct: 1 }, { epsilon: 1, delta: 0 })).toThrow('"guesses"');
    expect(() => oneRunPValue({ canaries: 5, guesses: 5, correct: 6 }, { epsilon: 1, delta: 0 })).toThrow('"correct"');
    expect(() => guessInclusion([1, 2], [true], { in: 1, out: 0 })).toThrow('"included" expected 2 coins, got 1');
    expect(() => guessInclusion([1, 2], [true, false], { in: 1, out: 2 })).toThrow('"guesses.out"');
  });
});

test.each([
  [1000, 1000, 750, 0, 0.9280775660384537],
  [1000, 100, 99, 1e-5, 2.6306585348649785],
  [100000, 2000, 1500, 1e-6, 0.9729052167245225],
])(
  'm = %i, r = %i, v = %i, δ = %p: the bound is the ε with a p-value of 1 %%',
  (canaries, guesses, correct, delta, epsilon) => {
    // Computed independently with SciPy (brentq on the values above).
    const claimed = delta === 0 ? pure(1) : approximate({ epsilon: 1, delta });
    expect(auditOneRun({ canaries, guesses, correct, claimed }).lowerBound).toBeCloseTo(epsilon, 7);
  },
);

test('guesses are the highest and the lowest scores', () => {
  const included = [true, false, true, false, true];
  expect(guessInclusion([5, 1, 4, 2, 3], included, { in: 2, out: 2 })).toEqual({ canaries: 5, guesses: 4, correct: 4 });
  expect(guessInclusion([1, 5, 2, 4, 3], included, { in: 1, out: 1 })).toEqual({ canaries: 5, guesses: 2, correct: 0 });
});

describe('one run of a mechanism', () => {
  /** Coins of m canaries, and a score for each from what the mechanism published. */
  function run(m: number, seed: string, score: (included: boolean, random: ReturnType<typeof seededRandom>) => number) {
    const random = seededRandom(seed);
    const included = Array.from({ length: m }, () => bernoulli(0.5, random));
    return { included, scores: included.map((coin) => score(coin, random)) };
  }

  test('that publishes every coin by randomized response is bounded near its ε, and consistent with it', () => {
    // The p-value at the true ε is at most 1 % with probability at most 1 %: the false-alarm probability of this seed.
    const keep = 1 / (1 + Math.exp(-2));
    const { included, scores } = run(20_000, 'response', (coin, random) => Number(bernoulli(keep, random) === coin));
    const inside = scores.filter((score) => score === 1).length;
    const guesses = { in: inside, out: 20_000 - inside };
    const honest = auditOneRun({ ...guessInclusion(scores, included, guesses), claimed: pure(2) });
    expect(honest.verdict).toBe('consistent');
    expect(honest.lowerBound).toBeGreaterThan(1.9);
    // Control: the same run, claimed to be a tenth better than it is.
    expect(auditOneRun({ ...honest, claimed: pure(1.8) }).verdict).toBe('violation');
  });

  test('a Gaussian sum over canaries in directions of their own is consistent at its noise, and refuted at less', () => {
    // Canary i adds 1 to coordinate i; the sum is published with noise 1/μ, and coordinate i is the score of canary i.
    const claimed = approximate({ epsilon: 1, delta: 1e-5 });
    const mu = gdpMu(claimed);
    const at = (noise: number) => {
      const { included, scores } = run(50_000, 'sum', (coin, random) => Number(coin) + noise * normal(random));
      return auditOneRun({ ...guessInclusion(scores, included, { in: 500, out: 500 }), claimed });
    };
    const honest = at(1 / mu);
    expect(honest.verdict).toBe('consistent');
    expect(honest.lowerBound).toBeGreaterThan(0.3);
    // Control: a quarter of the noise. A Gaussian claim is tested at the ε it implies.
    expect(at(1 / (4 * mu)).verdict).toBe('violation');
    expect(auditOneRun({ ...at(1 / (4 * mu)), claimed: gdp(mu), delta: 1e-5 }).verdict).toBe('violation');
    expect(auditOneRun({ ...honest, claimed: gdp(mu), delta: 1e-5 }).verdict).toBe('consistent');
  });
});
