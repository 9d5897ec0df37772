import { describe, expect, test } from '@jest/globals';
import { bestRanks, bestThresholds } from '../../../src/audit/attack.ts';
import { audit } from '../../../src/audit/audit.ts';
import {
  BIT_CLASSES,
  bitClass,
  describeFeature,
  featuresAlone,
  featuresTogether,
} from '../../../src/audit/report-view.ts';
import {
  learnLogistic,
  learnTables,
  learnTogether,
  logisticScore,
  scorerOf,
  tableScore,
  togetherScore,
} from '../../../src/audit/score.ts';
import type { AuditSample } from '../../../src/audit/target.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { laplace, normal, type Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const random = seededRandom('scores');

/** A sample of rows made from a datum of 0 or 1. */
function sampleOf(rows: number, width: number, row: (datum: number) => readonly number[]): AuditSample {
  const draw = (datum: number): Float64Array =>
    Float64Array.from(Array.from({ length: rows }, () => row(datum)).flat());
  return { width, rows, first: draw(0), second: draw(1) };
}

/** Share of rows of a fresh sample that a score puts on the right side of a threshold. */
function accuracy(
  sample: AuditSample,
  score: (values: Float64Array, offset: number) => number,
  threshold: number,
): number {
  let right = 0;
  for (let row = 0; row < sample.rows; row++) {
    if (score(sample.first, row * sample.width) >= threshold) right++;
    if (score(sample.second, row * sample.width) < threshold) right++;
  }
  return right / (2 * sample.rows);
}

describe('last bits', () => {
  test('the class of a double depends on its size and on its last bit, not on its sign or its other digits', () => {
    expect(bitClass(0.75)).toBe(bitClass(-0.75));
    expect(bitClass(1 + 2 ** -52)).toBe(bitClass(1.5 + 2 ** -52));
    expect(bitClass(1 + 2 ** -52)).not.toBe(bitClass(1 + 2 ** -51));
    expect(bitClass(1 + 2 ** -52)).not.toBe(bitClass(2 + 2 ** -51));
    expect(bitClass(1 + 2 ** -20)).toBe(bitClass(1.5 + 2 ** -20));
    expect(bitClass(1 + 2 ** -19)).toBe(bitClass(1 + 2 ** -20) + 1);
    expect(bitClass(1)).toBe(bitClass(1 + 2 ** -52) + 52);
  });

  test('every number has a class', () => {
    for (const value of [0, -0, 5e-324, 1e-300, 2 ** -40, 2 ** 22, 1e300, Infinity, -Infinity, Number.NaN]) {
      const found = bitClass(value);
      expect(Number.isInteger(found) && found >= 0 && found < BIT_CLASSES).toBe(true);
    }
  });
});

test('features are the numbers, their sums and differences, and what two reports have in common', () => {
  expect(featuresAlone(2).map(describeFeature)).toEqual(['z[0]', 'z[1]', 'z[0] - z[1]', 'z[0] + z[1]']);
  expect(featuresAlone(8)).toHaveLength(8 + 2 * 28);
  expect(featuresAlone(100)).toHaveLength(100 + 2 * 99);
  expect(featuresAlone(1000)).toHaveLength(1000);
  expect(featuresTogether(4).map(describeFeature)).toEqual([
    'z[0] - z[2]',
    'z[0] + z[2]',
    'z[1] - z[3]',
    'z[1] + z[3]',
  ]);
});

describe('a logistic score', () => {
  test('finds the direction of two normal laws', () => {
    const draw = (datum: number): number[] => [
      normal(random) + 0.3 * datum,
      normal(random) - 0.4 * datum,
      normal(random),
    ];
    const model = learnLogistic(sampleOf(20_000, 3, draw));
    const [a, b, c] = model.weights;
    // The weights of 20 000 rows deviate by about 0.01; squares and products share the rest.
    expect(a / b).toBeGreaterThan(-0.9);
    expect(a / b).toBeLessThan(-0.6);
    expect(Math.abs(c / b)).toBeLessThan(0.15);
    expect(b).toBeGreaterThan(0);
  });

  test('finds the combination in which shared noise cancels, where the data differ by a thousandth of it', () => {
    const draw = (datum: number): number[] => {
      const [g, h] = [normal(random), normal(random)];
      return [g + 2 * h, g - h + 1e-3 * datum, 3 * h];
    };
    const model = learnLogistic(sampleOf(500, 3, draw));
    expect(accuracy(sampleOf(500, 3, draw), (values, at) => logisticScore(model, values, at), 0)).toBeGreaterThan(0.99);
  });

  test('finds a difference in variance by squares, and ignores what never varies', () => {
    const draw = (datum: number): number[] => [normal(random) * (1 + datum), 7];
    const model = learnLogistic(sampleOf(5000, 2, draw));
    expect(model.weights[1]).toBe(0);
    // |z| < 1.36 for the narrow law: ½(0.826 + 0.504) = 0.665, ±0.005.
    const score = (values: Float64Array, at: number): number => logisticScore(model, values, at);
    const best = accuracyAtBest(sampleOf(5000, 2, draw), score);
    expect(best).toBeGreaterThan(0.64);
  });

  test('uses the numbers that differ most where there are too many', () => {
    const draw = (datum: number): number[] =>
      Array.from({ length: 300 }, (_, i) => normal(random) + (i === 250 ? datum : 0));
    const model = learnLogistic(sampleOf(800, 300, draw));
    expect(model.inputs.length).toBeLessThan(300);
    expect(model.inputs).toContain(250);
  });
});

function accuracyAtBest(sample: AuditSample, score: (values: Float64Array, offset: number) => number): number {
  const scores = Array.from({ length: sample.rows }, (_, row) => score(sample.first, row * sample.width)).sort();
  return Math.max(
    ...[0.1, 0.2, 0.3, 0.4, 0.5].map((q) => accuracy(sample, score, scores[Math.floor(q * sample.rows)])),
  );
}

describe('tables', () => {
  test('a value that is released with one datum only is found among numbers with many digits', () => {
    const draw = (datum: number): number[] => [datum === 0 && normal(random) > 2 ? 0.125 : normal(random)];
    const tables = learnTables({ index: 0, other: -1, sign: 0 }, sampleOf(2000, 1, draw), false);
    const repeated = tables.find(({ kind }) => kind === 'repeated values');
    expect(Array.from(repeated?.marks ?? [])).toEqual([0.125]);
    expect(tables.some(({ kind }) => kind === 'last bits')).toBe(false);
  });

  test('ranks follow how much likelier a class is under the first datum', () => {
    const sample = sampleOf(4000, 1, (datum) => [normal(random) + 2 * datum]);
    const [histogram] = learnTables({ index: 0, other: -1, sign: 0 }, sample, false);
    const low = tableScore(histogram, [-1], 0);
    const high = tableScore(histogram, [3], 0);
    expect(low).toBeGreaterThan(tableScore(histogram, [1], 0));
    expect(high).toBeLessThan(tableScore(histogram, [1], 0));
    const prospects = bestRanks([pure(1)], histogram, sample, 1);
    expect(prospects.sure[0].strength).toBeGreaterThan(1);
    expect(prospects.rare[0].strength).toBeGreaterThanOrEqual(prospects.sure[0].strength);
  });

  test('a feature that never varies makes no table', () => {
    const constant = sampleOf(100, 1, () => [3]);
    expect(learnTables({ index: 0, other: -1, sign: 0 }, constant, true)).toEqual([]);
  });
});

test('a score of few values is cut at one of them', () => {
  const first = Float64Array.from({ length: 1000 }, (_, i) => (i < 700 ? 1 : -1));
  const second = Float64Array.from({ length: 1000 }, (_, i) => (i < 300 ? 1 : -1));
  expect(bestThresholds([pure(1)], first, second, 1).sure[0].threshold).toBe(1);
  // Nothing to choose where nothing differs.
  expect(bestThresholds([pure(1)], first, first, 1).sure[0]).toEqual({ threshold: Infinity, strength: 0 });
});

test('a plan with a likelihood ratio needs one', () => {
  expect(() => scorerOf({ kind: 'likelihood ratio' }, undefined)).toThrow('"logLikelihoodRatio" expected a function');
});

describe('histograms of all numbers, added', () => {
  // Five numbers, each shifted by ±1/5 under Laplace noise of scale b: the log ratio of each is at most 2/(5b).
  const shifted = (scale: number) => ({
    randomize: (_: unknown, side: number, source: Random) =>
      Float64Array.from({ length: 5 }, () => side / 5 + laplace(scale, source)),
  });

  test('are near the log ratio of two Laplace laws, which a line is not', () => {
    const sample = sampleOf(20_000, 2, (datum) => [laplace(1, random) - datum, laplace(1, random)]);
    const tables = learnTogether(sample, [0, 1]);
    // A bin of 1/16 has 2,500 reports: its log ratio deviates by .04, and the second number's by as much about 0.
    expect(togetherScore(tables, [3, 0], 0)).toBeGreaterThan(0.8);
    expect(togetherScore(tables, [3, 0], 0)).toBeLessThan(1.2);
    expect(togetherScore(tables, [9, 0], 0)).toBeCloseTo(togetherScore(tables, [3, 0], 0), 5);
    expect(togetherScore(tables, [-9, 0], 0)).toBeLessThan(-0.8);
    expect(Math.abs(togetherScore(tables, [-0.5, 0], 0))).toBeLessThan(0.3);
  });

  test('refute half of the noise where five numbers share the datum, and not the whole', () => {
    const attack = (scale: number) =>
      audit(
        { player: shifted(scale), parameters: {}, claimed: pure(2) },
        { pair: { name: 'both ends', first: 1, second: -1 }, trials: 40_000, random: seededRandom('five numbers') },
      );
    const half = attack(0.5);
    expect(half.verdict).toBe('violation');
    // 4 is the truth. The event "all five at their limit" has probability 1/32 under one datum and e⁻⁴/32 under the other.
    expect(half.lowerBound).toBeGreaterThan(2.5);
    expect(half.evidence).toMatch(/histograms of all numbers/);
    // With enough noise a bound above the truth has probability at most .01, and this seed has none.
    const whole = attack(1);
    expect(whole.verdict).toBe('consistent');
    expect(whole.lowerBound).toBeGreaterThan(1.2);
  });
});
