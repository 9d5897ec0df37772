import { describe, expect, test } from '@jest/globals';
import { onlineSgd, onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import type { AverageRequest } from '../../protocols/online-sgd/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const MODEL = { kind: 'response', loss: 'squared', features: 1, intercept: false, clip: 100 } as const;

/** What is left of the start 1 after n players without noise whose minimiser is 0: θ_i = Π_{j ≤ i}(1 − γ·j^(−α)). */
function left(n: number, average?: AverageRequest): number {
  const plan = onlineSgdPlan({
    variant: 'nonPrivate',
    model: MODEL,
    start: [1],
    rate: 0.5,
    decay: 0.51,
    inference: [],
    ...(average === undefined ? {} : { average }),
  });
  const state = onlineSgd.server.start(plan);
  const datum = { features: [1], response: 0 };
  onlineSgd.simulate?.(plan, state, n, () => datum, seededRandom('no noise'));
  return onlineSgd.server.estimate(plan, state, { method: 'none' }).theta[0];
}

/** The exponent b in n^(−b), between 4000 and 64,000 players. */
const exponent = (average?: AverageRequest): number =>
  Math.log(left(4000, average) / left(64_000, average)) / Math.log(16);

// Iterates forget the start like exp(−γ·i^(1 − α)/(1 − α)): Σ i^η·θ_i is finite for every η. So an average with weights like i^η is off by
// (η + 1)·Σ i^η·θ_i/n^(η + 1), of higher order than its standard error n^(−1/2), and the more the larger η. No randomness.
describe('what averages keep of the start', () => {
  test('falls like 1/n for the average of all, and like n^(−(η + 1)) with weights i^η', () => {
    expect(exponent()).toBeCloseTo(1, 3);
    for (const power of [1, 3]) {
      expect(Math.abs(exponent({ kind: 'polynomial', power }) - (power + 1))).toBeLessThan(0.01);
    }
    // Control: η = 0 is the average of all.
    expect(exponent({ kind: 'polynomial', power: 0 })).toBeCloseTo(1, 3);
  });

  test('is the constant of the theory', () => {
    const [n, power] = [16_000, 1];
    let [theta, sum] = [1, 0];
    for (let i = 1; i <= n; i++) {
      theta *= 1 - 0.5 * i ** -0.51;
      sum += i ** power * theta;
    }
    const expected = ((power + 1) * sum) / n ** (power + 1);
    expect(Math.abs(left(n, { kind: 'polynomial', power }) / expected - 1)).toBeLessThan(0.01);
  });

  test('is the part that the first iterate of a suffix has not forgotten', () => {
    // Of the last half of 1000 iterates the first has exp(−.5·500^.49/.49) = 5e-10 of the start, or less.
    expect(left(1000, { kind: 'suffix' })).toBeLessThan(5e-10);
    expect(left(1000, { kind: 'suffix' })).toBeGreaterThan(0);
    // Control: all of them.
    expect(left(1000)).toBeGreaterThan(1e-3);
  });
});

describe('intervals around averages that forget the start', () => {
  test('are refused by name where no law is known', () => {
    const plan = onlineSgdPlan({ variant: 'nonPrivate', model: MODEL, average: { kind: 'suffix' } });
    const state = onlineSgd.server.start(plan);
    const random = seededRandom('records');
    const records = Array.from({ length: 400 }, (_, i) => ({ features: [1], response: (i % 7) / 3 - 1 }));
    let next = 0;
    onlineSgd.simulate?.(plan, state, 400, () => records[next++], random);
    expect(() => onlineSgd.server.estimate(plan, state)).toThrow(
      '"method" expected plug-in, batch means or none: random scaling has no law for an average of the kind suffix',
    );
    expect(onlineSgd.server.estimate(plan, state, { method: 'plug-in' }).intervals.length).toBe(1);
  });

  test.each([
    [{ kind: 'last' }, '"average.kind" expected one of suffix, polynomial'],
    [{ kind: 'suffix', share: 0 }, '"average.share" expected a finite number > 0, got 0'],
    [{ kind: 'suffix', share: 1.5 }, '"average.share" expected a number in (0, 1], got 1.5'],
    [{ kind: 'polynomial', power: -1 }, '"average.power" expected'],
    [{ kind: 'polynomial', power: 101 }, '"average.power" expected a number from 0 to 100, got 101'],
    ['suffix', '"average" expected an object with a "kind"'],
  ])('the average %j is refused', (average, message) => {
    const request = { variant: 'nonPrivate', model: MODEL, average: average as AverageRequest } as const;
    expect(() => onlineSgdPlan(request)).toThrow(message);
  });
});
