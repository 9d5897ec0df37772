import { describe, expect, test } from '@jest/globals';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { smoothedHinge } from '../../../src/risk/margin-loss.ts';
import { areaUnderCurve, areaUnderRounded, fillKeys, scoreMetrics } from '../../../src/simulation/metrics.ts';

/** By the definition: over all pairs of a positive and a negative, 1 if the positive is ahead, ½ if they tie. */
function areaByPairs(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  let won = 0;
  let pairs = 0;
  for (let i = 0; i < scores.length; i++) {
    for (let j = 0; j < scores.length; j++) {
      if (!(labels[i] > 0 && labels[j] < 0)) continue;
      pairs++;
      won += scores[i] > scores[j] ? 1 : scores[i] === scores[j] ? 0.5 : 0;
    }
  }
  return won / pairs;
}

function areaByKeys(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  const keys = new Uint32Array(scores.length);
  fillKeys(Float64Array.from(scores), Int8Array.from(labels), keys, 0);
  return areaUnderRounded(keys, new Uint32Array(keys.length));
}

/** Scores of both signs, from continuous to a few values only, with labels that follow them a little. */
function randomScores(count: number, values: number, seed: string) {
  const random = seededRandom(seed);
  const scores = new Float64Array(count);
  const labels = new Int8Array(count);
  for (let i = 0; i < count; i++) {
    const score = 2 * uniform(random) - 1;
    scores[i] = values === 0 ? score : Math.round(score * values) / values;
    labels[i] = uniform(random) < 0.45 + 0.2 * score ? 1 : -1;
  }
  return { scores, labels };
}

describe('the area under the curve', () => {
  test('is what one counts by hand', () => {
    // Positives 3, 1, 1; negatives 2, 1, 0, −1: won 4, 2½ and 2½ of 4 each.
    const scores = Float64Array.of(3, 2, 1, 1, 1, 0, -1);
    const labels = [1, -1, 1, -1, 1, -1, -1];
    expect(areaUnderCurve(scores, labels)).toBe(9 / 12);
    expect(areaByKeys(scores, labels)).toBe(9 / 12);
    expect(scores[0]).toBe(3);
  });

  test.each([
    ['continuous scores', 0],
    ['scores of 41 values', 20],
    ['scores of 3 values, one of them both 0 and -0', 1],
  ])('of %s is the same as over all pairs', (_, values) => {
    const { scores, labels } = randomScores(1500, values, `pairs ${values}`);
    const area = areaByPairs(scores, labels);
    expect(area).toBeGreaterThan(0.5);
    expect(Math.abs(areaUnderCurve(scores, labels) - area)).toBeLessThan(1e-12);
    // 1500 uniform scores are some 1e-3 apart, far more than the rounding of the keys.
    expect(Math.abs(areaByKeys(scores, labels) - area)).toBeLessThan(1e-5);
  });

  test('is 1 for a perfect order, 0 for its reverse, ½ for one score, and not a number for one label', () => {
    for (const area of [areaUnderCurve, areaByKeys]) {
      expect(area(Float64Array.of(-2, -1, 1, 2), [-1, -1, 1, 1])).toBe(1);
      expect(area(Float64Array.of(-2, -1, 1, 2), [1, 1, -1, -1])).toBe(0);
      expect(area(Float64Array.of(0, -0, 0, -0), [1, -1, -1, 1])).toBe(0.5);
      expect(area(Float64Array.of(1, 2), [1, 1])).toBeNaN();
    }
  });

  test('from keys calls scores tied that only a 24th significant bit tells apart, but no others', () => {
    const labels = [1, -1];
    expect(areaByKeys([1 + 2 ** -22, 1], labels)).toBe(1);
    expect(areaByKeys([1 + 2 ** -23, 1], labels)).toBe(0.5);
    expect(areaUnderCurve(Float64Array.of(1 + 2 ** -23, 1), labels)).toBe(1);
    expect(areaByKeys([-1, -1 - 2 ** -22], labels)).toBe(1);
    expect(areaByKeys([1e-30, -1e-30], labels)).toBe(1);
  });
});

describe('scoreMetrics', () => {
  // Scores under the model (1, 0): 0.9, 0.2, 0, −0.6.
  const dataset = {
    players: 4,
    dimension: 2,
    features: Float32Array.of(0.9, 0, 0.2, 0.1, 0, 1, -0.6, 0),
    labels: Int8Array.of(1, -1, 1, -1),
  };

  test('gives what one computes by hand; a score of 0 is half right', () => {
    const [metrics] = scoreMetrics(dataset, [[1, 0]]);
    // Hinge: 0, 0.5 + 0.2, 0.5, 0.
    expect(metrics.risk).toBeCloseTo(1.2 / 4, 7);
    expect(metrics.accuracy).toBe(2.5 / 4);
    expect(metrics.auc).toBe(3 / 4);
  });

  test('looks at the given rows only, as often as they are given', () => {
    const [metrics] = scoreMetrics(dataset, [[1, 0]], Uint32Array.of(0, 1, 1));
    expect(metrics.risk).toBeCloseTo(1.4 / 3, 7);
    expect(metrics.accuracy).toBe(1 / 3);
    expect(metrics.auc).toBe(1);
  });

  test('takes another loss than the hinge loss', () => {
    const loss = smoothedHinge({ beta: 0.5 });
    const [metrics] = scoreMetrics(dataset, [[1, 0]], undefined, loss);
    const mean = [0.9, -0.2, 0, 0.6].reduce((sum, margin) => sum + loss.value(margin), 0) / 4;
    expect(metrics.risk).toBeCloseTo(mean, 7);
    expect(metrics.risk).toBeGreaterThan(scoreMetrics(dataset, [[1, 0]])[0].risk + 0.01);
  });

  test('measures many models as it measures each of them', () => {
    const models = [
      [1, 0],
      [0, 1],
      [-0.5, 0.25],
      [0, 0],
    ];
    const together = scoreMetrics(dataset, models);
    expect(together).toEqual(models.flatMap((model) => scoreMetrics(dataset, [model])));
    expect(together[3]).toEqual({ risk: 0.5, accuracy: 0.5, auc: 0.5 });
  });

  test('agrees with itself below and above the number of records that it sorts exactly', () => {
    const { scores, labels } = randomScores(140_000, 0, 'many');
    const features = Float32Array.from(scores);
    const all = { players: 140_000, dimension: 1, features, labels };
    const [metrics] = scoreMetrics(all, [[0.7]]);
    // The exact area of the very same scores; rounding them to 23 bits may move it by less than 1e-5.
    const exact = areaUnderCurve(
      Float64Array.from(features, (value) => 0.7 * value),
      labels,
    );
    expect(exact).toBeGreaterThan(0.55);
    expect(Math.abs(metrics.auc - exact)).toBeLessThan(1e-5);
    const [few] = scoreMetrics(
      all,
      [[0.7]],
      Uint32Array.from({ length: 2000 }, (_, i) => i),
    );
    expect(few.auc).toBe(
      areaUnderCurve(
        Float64Array.from(features.subarray(0, 2000), (value) => 0.7 * value),
        labels,
      ),
    );
  });

  test.each([5, 512, 1037])('of %i records has the bits of sums made one after the other', (count) => {
    const random = seededRandom(`bits ${count}`);
    const dimension = 7;
    const features = Float32Array.from({ length: dimension * count }, () => uniform(random) - 0.5);
    // Some scores are 0: they count one half.
    features.fill(0, 0, 2 * dimension);
    const labels = Int8Array.from({ length: count }, () => (uniform(random) < 0.4 ? 1 : -1));
    const all = { players: count, dimension, features, labels };
    const model = Float64Array.from({ length: dimension }, () => uniform(random) - 0.5);
    const reversed = Uint32Array.from({ length: count }, (_, i) => count - 1 - i);
    for (const rows of [undefined, reversed]) {
      let risk = 0;
      let right = 0;
      for (let i = 0; i < count; i++) {
        const row = rows === undefined ? i : rows[i];
        let score = 0;
        for (let j = 0; j < dimension; j++) score += model[j] * features[row * dimension + j];
        const margin = labels[row] * score;
        risk += Math.max(0, 0.5 - margin);
        right += margin > 0 ? 1 : margin === 0 ? 0.5 : 0;
      }
      const [metrics] = scoreMetrics(all, [model], rows);
      expect(metrics.risk).toBe(risk / count);
      expect(metrics.accuracy).toBe(right / count);
    }
  });

  test('refuses no rows, a row that is not there and a model of another length', () => {
    expect(() => scoreMetrics(dataset, [[1, 0]], new Uint32Array(0))).toThrow(
      new RangeError('"rows" expected one or more records, got 0'),
    );
    expect(() => scoreMetrics(dataset, [[1, 0]], Uint32Array.of(4))).toThrow(
      new RangeError('"rows[0]" expected a row below 4, got 4'),
    );
    expect(() => scoreMetrics(dataset, [[1, 0], [1]])).toThrow(new RangeError('"models[1].length" expected 2, got 1'));
    expect(() => scoreMetrics(dataset, [[1, Number.NaN]])).toThrow(
      new RangeError('"models[0][1]" expected a finite number, got NaN'),
    );
  });
});
