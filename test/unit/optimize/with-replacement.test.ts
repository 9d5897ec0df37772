import { expect, test } from '@jest/globals';
import { type ReportGradients, withReplacementOracle } from '../../../src/optimize/oracle.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';

/** Reports whose gradient is their own number, and the point. */
function numbered(reports: number): ReportGradients {
  return {
    dimension: 2,
    reports,
    gradient: (index, point, target) => {
      target[0] = index;
      target[1] = point[1];
    },
  };
}

function draws(reports: number, count: number, seed: string): number[] {
  const oracle = withReplacementOracle(numbered(reports), seededRandom(seed));
  const target = new Float64Array(2);
  return Array.from({ length: count }, () => {
    oracle.gradient(Float64Array.of(0, 7), target);
    return target[0];
  });
}

test('every call is answered by one report at the point asked', () => {
  const oracle = withReplacementOracle(numbered(5), seededRandom('one'));
  const target = new Float64Array(2);
  oracle.gradient(Float64Array.of(0, 7), target);
  expect(oracle.dimension).toBe(2);
  expect([0, 1, 2, 3, 4]).toContain(target[0]);
  expect(target[1]).toBe(7);
});

test('all reports are equally likely, and so are all pairs of consecutive ones', () => {
  const sequence = draws(6, 60_001, 'equal');
  const single = new Float64Array(6);
  const pairs = new Float64Array(36);
  for (let i = 1; i < sequence.length; i++) {
    single[sequence[i]]++;
    pairs[6 * sequence[i - 1] + sequence[i]]++;
  }
  // False alarm: 2e-6.
  expect(chiSquareTest(single, new Float64Array(6).fill(1 / 6))).toBeGreaterThan(1e-6);
  expect(chiSquareTest(pairs, new Float64Array(36).fill(1 / 36))).toBeGreaterThan(1e-6);
});

test('it never runs out, and repeats itself: after n calls about n/e reports have not been asked', () => {
  const asked = new Set(draws(10_000, 10_000, 'repeat')).size;
  // The number left out has mean n/e and a variance of n·(e⁻¹ − 2e⁻²): six standard deviations, 2e-9.
  const deviation = Math.sqrt(10_000 * (Math.exp(-1) - 2 * Math.exp(-2)));
  expect(Math.abs(10_000 - asked - 10_000 / Math.E)).toBeLessThan(6 * deviation);
  expect(draws(1, 20, 'only')).toEqual(new Array(20).fill(0));
});

test('the same coins give the same order', () => {
  expect(draws(50, 100, 'same')).toEqual(draws(50, 100, 'same'));
  expect(draws(50, 100, 'same')).not.toEqual(draws(50, 100, 'other'));
});

test('no reports and no coordinates are refused', () => {
  expect(() => withReplacementOracle(numbered(0), seededRandom(1))).toThrow('"reports" expected ');
  expect(() => withReplacementOracle({ ...numbered(3), dimension: 0 }, seededRandom(1))).toThrow(
    '"dimension" expected ',
  );
});
