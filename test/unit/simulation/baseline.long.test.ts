import { describe, expect, test } from '@jest/globals';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';
import { hingeOptimum } from '../../../src/simulation/hinge-optimum.ts';
import { bestConstant, constantMetrics, scoreMetrics } from '../../../src/simulation/metrics.ts';

const { cos, hypot, max, min, sin } = Math;

interface Records {
  readonly players: number;
  readonly dimension: number;
  readonly features: Float32Array;
  readonly labels: Int8Array;
}

/** Records in the plane: two overlapping clouds. */
function clouds(players: number, shift: number): Records {
  const random = seededRandom(`clouds ${shift}`);
  const features = new Float32Array(2 * players);
  const labels = new Int8Array(players);
  for (let i = 0; i < players; i++) {
    labels[i] = i % 3 === 0 ? -1 : 1;
    const x = [labels[i] * shift + 0.4 * normal(random), 0.2 + 0.4 * normal(random)];
    const norm = max(1, 1.001 * hypot(...x));
    x.forEach((entry, j) => {
      features[2 * i + j] = entry / norm;
    });
  }
  return { players, dimension: 2, features, labels };
}

function risk(
  { players, features, labels }: Records,
  w: ArrayLike<number>,
  margin: number,
  rows?: Uint32Array,
): number {
  const all = rows ?? Uint32Array.from({ length: players }, (_, i) => i);
  let sum = 0;
  for (const i of all) sum += max(0, margin - labels[i] * (w[0] * features[2 * i] + w[1] * features[2 * i + 1]));
  return sum / all.length;
}

/** The least risk on the disc by brute force: a polar grid, then finer ones around the best point. */
function bruteForce(data: Records, radius: number, margin: number, rows?: Uint32Array): number {
  let [r0, a0, dr, da] = [radius / 2, 0, radius / 2, Math.PI];
  let least = Infinity;
  for (let zoom = 0; zoom < 8; zoom++) {
    let [bestR, bestA] = [r0, a0];
    for (let i = -20; i <= 20; i++) {
      for (let k = -20; k <= 20; k++) {
        const r = min(radius, max(0, r0 + (dr * i) / 20));
        const a = a0 + (da * k) / 20;
        const value = risk(data, [r * cos(a), r * sin(a)], margin, rows);
        if (value < least) [least, bestR, bestA] = [value, r, a];
      }
    }
    // The risk is convex: what is best lies within a step or two of the best grid point.
    [r0, a0, dr, da] = [bestR, bestA, dr / 4, da / 4];
  }
  return least;
}

describe('the non-private optimum', () => {
  test.each([
    [0.5, 1, 0.5],
    [0.5, 3, 0.5],
    [0.1, 2, 0.5],
    [0.05, 0.3, 0.5],
    [0.3, 20, 1],
  ])(
    'with clouds %p apart, R = %p and margin %p is within 5e-4 of brute force, and in fact within 2e-6',
    (shift, radius, margin) => {
      const data = clouds(300, shift);
      const { w, risk: reached } = hingeOptimum(data, radius, undefined, margin);
      const least = bruteForce(data, radius, margin);
      expect(hypot(...w)).toBeLessThanOrEqual(radius * (1 + 1e-12));
      expect(reached).toBeCloseTo(risk(data, w, margin), 13);
      // Lemma 9 promises 5e-4; hardly a record is so near the kink that smoothing by 0.001 shows.
      expect(reached - least).toBeLessThan(2e-6);
      // Brute force itself is no better than a zoomed grid.
      expect(reached - least).toBeGreaterThan(-1e-6);
    },
  );

  test('looks at the given rows only', () => {
    const data = clouds(300, 0.3);
    const rows = Uint32Array.from({ length: 100 }, (_, i) => (7 * i) % 300);
    const { w, risk: reached } = hingeOptimum(data, 2, rows);
    expect(reached).toBeCloseTo(risk(data, w, 0.5, rows), 13);
    expect(Math.abs(reached - bruteForce(data, 2, 0.5, rows))).toBeLessThan(5e-4);
    expect(Math.abs(reached - hingeOptimum(data, 2).risk)).toBeGreaterThan(1e-3);
  });

  test('of one record, and of records that are all the same', () => {
    const one = { players: 1, dimension: 2, features: Float32Array.of(0.6, 0), labels: Int8Array.of(-1) };
    expect(hingeOptimum(one, 1).risk).toBeLessThan(5e-4);
    expect(hingeOptimum(one, 0.5).risk).toBeCloseTo(0.2, 3);
    const none = { players: 3, dimension: 1, features: new Float32Array(3), labels: Int8Array.of(1, -1, 1) };
    expect(hingeOptimum(none, 1).risk).toBeCloseTo(0.5, 12);
  });

  test('refuses no records, a row that is not there, and a radius that is none', () => {
    const data = clouds(10, 0.3);
    expect(() => hingeOptimum(data, 1, new Uint32Array(0))).toThrow('"rows" expected one or more records, got none');
    expect(() => hingeOptimum(data, 1, Uint32Array.of(10))).toThrow('"rows[0]" expected a row below 10, got 10');
    expect(() => hingeOptimum(data, 0)).toThrow('"radius" expected a finite number > 0, got 0');
  });
});

describe('the best constant', () => {
  const labelled = (positives: number, players: number) => ({
    players,
    labels: Int8Array.from({ length: players }, (_, i) => (i < positives ? 1 : -1)),
  });

  test('is the best score of a grid of 20,001 (brute force)', () => {
    let [worst, missed] = [0, 0];
    for (const positives of [0, 1, 5, 9, 10]) {
      for (const [radius, margin] of [
        [1, 0.5],
        [0.3, 0.5],
        [2, 1],
        [1, 0],
      ]) {
        const { score, risk: reached, accuracy } = bestConstant(labelled(positives, 10), radius, undefined, margin);
        const share = positives / 10;
        const at = (b: number): number => share * max(0, margin - b) + (1 - share) * max(0, margin + b);
        let least = Infinity;
        for (let i = 0; i <= 20_000; i++) least = min(least, at(radius * (i / 10_000 - 1)));
        worst = max(worst, Math.abs(reached - least), Math.abs(at(score) - reached), Math.abs(score) - radius);
        missed = max(missed, Math.abs(accuracy - max(share, 1 - share)));
      }
    }
    expect(worst).toBeLessThan(1e-12);
    expect(missed).toBeLessThan(1e-15);
  });

  test('of three positives in ten, by hand: −½, risk 0.3, accuracy 0.7', () => {
    const { score, risk: reached, accuracy } = bestConstant(labelled(3, 10), 1);
    expect(score).toBe(-0.5);
    expect(reached).toBeCloseTo(0.3, 15);
    expect(accuracy).toBe(0.7);
  });

  test('looks at the given rows only', () => {
    expect(bestConstant(labelled(3, 10), 1, Uint32Array.of(0, 1, 9)).accuracy).toBeCloseTo(2 / 3, 15);
  });

  test('refuses no records and a row that is not there', () => {
    expect(() => bestConstant(labelled(0, 0), 1)).toThrow('"rows" expected one or more records, got none');
    expect(() => bestConstant(labelled(3, 10), 1, Uint32Array.of(10))).toThrow('"rows[0]" expected ');
    expect(() => bestConstant(labelled(3, 10), -1)).toThrow('"radius" expected ');
  });
});

describe('a constant score', () => {
  const labels = Int8Array.of(1, -1, -1, 1, -1);
  const records = { players: 5, dimension: 1, features: new Float32Array(5).fill(1), labels };

  test.each([-0.7, -0.5, 0, 0.2])('of %p does as well as the model that gives it to every record', (score) => {
    const [expected] = scoreMetrics(records, [[score]]);
    const found = constantMetrics(records, score, hingeLoss());
    expect(found.risk).toBeCloseTo(expected.risk, 12);
    expect(found.accuracy).toBeCloseTo(expected.accuracy, 12);
    expect(found.auc).toBe(expected.auc);
  });

  test('ranks no pairs where all labels are the same, as the model does', () => {
    const same = Uint32Array.of(1, 2);
    expect(scoreMetrics(records, [[-0.5]], same)[0].auc).toBeNaN();
    expect(constantMetrics(records, -0.5, hingeLoss(), same).auc).toBeNaN();
  });

  test('is measured on the given rows, and on none it is refused', () => {
    const { risk: found, accuracy } = constantMetrics(records, -0.5, hingeLoss(), Uint32Array.of(0, 1, 2));
    // A positive costs 1, a negative nothing.
    expect(found).toBeCloseTo(1 / 3, 12);
    expect(accuracy).toBeCloseTo(2 / 3, 12);
    expect(() => constantMetrics(records, 0, hingeLoss(), new Uint32Array(0))).toThrow('"rows" expected one or more');
    expect(() => constantMetrics(records, 0, hingeLoss(), Uint32Array.of(5))).toThrow(
      '"rows[0]" expected a row below 5',
    );
  });
});
