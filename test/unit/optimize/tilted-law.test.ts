import { describe, expect, test } from '@jest/globals';
import type { ClassLaw } from '../../../src/optimize/class-law.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import type { SmoothFunction } from '../../../src/optimize/oracle.ts';
import { misfitTo, spanOf, tiltedLaws, tiltedRisk } from '../../../src/optimize/tilted-law.ts';
import { createLift, fillLift } from '../../../src/polynomial/lift.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';

const loss = hingeLoss();

/** The moments of points, with a noise that is stated and not added. */
function momentsOf(points: readonly Float64Array[], powers: number, variance: number): CorrectedMoments {
  const lift = createLift(points[0].length, powers);
  const values = new Float64Array(lift.size);
  const row = new Float64Array(lift.size);
  for (const point of points) {
    fillLift(lift, lift.weight, point, row);
    for (let e = 0; e < row.length; e++) values[e] += row[e] / points.length;
  }
  return { lift, values, noise: new Float64Array(powers).fill(variance), players: points.length };
}

/** Points with one coordinate far from normal: three of ten about .3, the others about −.2. */
function divided(dimension: number, count: number, name: string): readonly Float64Array[] {
  const random = seededRandom(name);
  return Array.from({ length: count }, (_, i) => {
    const point = new Float64Array(dimension);
    fillNormal(point, random);
    return point.map((z, j) => (j > 0 ? 0.1 * z : 0.06 * z + (i % 10 < 3 ? 0.3 : -0.2)));
  });
}

/** The normal law with the mean and covariance of points. */
function normalLaw(points: readonly Float64Array[]): ClassLaw {
  const p = points[0].length;
  const mean = Float64Array.from({ length: p }, (_, j) => points.reduce((sum, x) => sum + x[j], 0) / points.length);
  const covariance = Float64Array.from({ length: p * p }, (_, at) => {
    const [i, j] = [Math.floor(at / p), at % p];
    return points.reduce((sum, x) => sum + (x[i] - mean[i]) * (x[j] - mean[j]), 0) / points.length;
  });
  return { shares: Float64Array.of(1), means: [mean], covariance };
}

const riskOf = (points: readonly Float64Array[], w: Float64Array): number =>
  points.reduce((sum, x) => sum + loss.value(x.reduce((t, e, j) => t + e * w[j], 0)), 0) / points.length;

function expectGradient(risk: SmoothFunction): void {
  const w = Float64Array.of(2, -1, 0.5);
  const gradient = new Float64Array(3);
  risk.gradient(w, gradient);
  const step = 1e-4;
  gradient.forEach((slope, j) => {
    const beside = (side: number): number => risk.value(w.map((x, i) => x + (i === j ? side * step : 0)));
    // Points within a step of the kink count with half of it.
    expect(Math.abs(slope - (beside(1) - beside(-1)) / (2 * step))).toBeLessThan(0.01 * Math.hypot(...gradient));
  });
}

describe('the span of a few directions', () => {
  const points = divided(7, 400, 'span');
  const moments = momentsOf(points, 5, 0);
  const models = [1, 2].map((k) => Float64Array.from({ length: 7 }, (_, j) => Math.cos(k * (j + 1))));
  const span = spanOf(moments, models, 2);

  test('has orthonormal rows and contains the models, the constant coordinate and the mean', () => {
    expect(span.rows).toHaveLength(4);
    span.rows.forEach((a, i) => {
      span.rows.forEach((b, j) => {
        expect(a.reduce((sum, x, k) => sum + x * b[k], 0)).toBeCloseTo(i === j ? 1 : 0, 12);
      });
    });
    const axis = Float64Array.from({ length: 7 }, (_, j) => (j === 2 ? 1 : 0));
    for (const w of [...models, axis, moments.values.slice(0, 7)]) {
      span.vector(span.coordinates(w)).forEach((x, j) => {
        expect(x).toBeCloseTo(w[j], 12);
      });
    }
    // A control: another vector is not in it.
    const other = Float64Array.from({ length: 7 }, (_, j) => (j === 5 ? 1 : 0));
    expect(span.vector(span.coordinates(other))[5]).toBeLessThan(0.9);
  });

  test('has the moments of the points in its coordinates, up to the fourth power', () => {
    const inside = momentsOf(points.map(span.coordinates), 4, 0);
    const law = normalLaw(points);
    // With τ so small that nothing moves, what is left of the misfit is Σ E φ(E φ − 2T)/s², which knows T to its digits.
    const tilt = tiltedLaws(span, moments, [law], 64, seededRandom('a'));
    const own = tilt(0).moments;
    const expected = inside.values.reduce((sum, value, e) => sum + own[e] * (own[e] - 2 * value), 0) / 1e-12;
    expect(misfitTo(span, moments)(tilt(0)) / expected).toBeCloseTo(1, 9);
    expect(span.lift.size).toBe(inside.lift.size);
  });

  test('is all coordinates where there are four or fewer, and leaves out what adds nothing', () => {
    expect(spanOf(momentsOf(divided(3, 9, 'x'), 3, 0), [], 0).rows).toHaveLength(3);
    expect(spanOf(moments, [models[0], models[0]], undefined).rows).toHaveLength(2);
  });
});

describe('laws that moments tilt', () => {
  const points = divided(3, 4000, 'tilted');
  const law = normalLaw(points);
  const lawsAt = (variance: number, size = 4096) => {
    const moments = momentsOf(points, 4, variance);
    const span = spanOf(moments, [], undefined);
    return { moments, lawAt: tiltedLaws(span, moments, [law], size, seededRandom('sample')) };
  };

  test('have the moments of the normal law at first: 1, 3 and 15 times its variance for the even powers', () => {
    const normal = { shares: Float64Array.of(1), means: [new Float64Array(1)], covariance: Float64Array.of(0.04) };
    const moments = momentsOf([Float64Array.of(0.1)], 4, 1);
    const found = tiltedLaws(spanOf(moments, [], undefined), moments, [normal], 64, seededRandom('a'))(0).moments;
    [0, 0.04, 0, 3 * 0.04 ** 2].forEach((moment, j) => {
      expect(found[j]).toBeCloseTo(moment, 12);
    });
  });

  test('are stationary: E φ − T + s²λ = 0 at each temperature', () => {
    const variance = 1e-4;
    const { moments, lawAt } = lawsAt(variance);
    for (const temperature of [0.01, 0.1, 1]) {
      const { moments: found, lambda } = lawAt(temperature);
      const left = (factor: number): number =>
        Math.hypot(...found.map((moment, e) => moment - moments.values[e] + factor * variance * lambda[e]));
      // The search ends a hundredth above the minimum, where the moments are off by less than their noise, .01. With another sign or without λ they are farther off.
      expect(left(1)).toBeLessThan(0.6 * 0.01);
      expect(left(0)).toBeGreaterThan(1.1 * left(1));
      expect(left(-1)).toBeGreaterThan(1.8 * left(1));
    }
  });

  test('keep a mass of 1 and begin a search where another ended', () => {
    const { lawAt } = lawsAt(1e-6);
    const first = lawAt(0.1);
    expect(Math.abs(first.weights.reduce((sum, part) => sum + part))).toBeLessThan(1e-12);
    const again = lawAt(0.1, first);
    again.moments.forEach((moment, e) => {
      expect(moment).toBeCloseTo(first.moments[e], 4);
    });
  });

  test('know the risk of a model where a normal law does not', () => {
    const { lawAt } = lawsAt(1e-6, 8192);
    const [normal, tilted] = [lawAt(0), lawAt(1)].map((found) => tiltedRisk(found, loss));
    // 4,000 records say the risk themselves: nothing is random but the sample of the law, 8,192 points with a fixed seed.
    for (const w of [Float64Array.of(4, 0, 0), Float64Array.of(6, 1, 0)]) {
      const truth = riskOf(points, w);
      expect(Math.abs(normal.value(w) - truth)).toBeGreaterThan(0.02);
      expect(Math.abs(tilted.value(w) - truth)).toBeLessThan(0.3 * Math.abs(normal.value(w) - truth));
    }
  });

  test('have risks whose gradient is that of their values', () => {
    expectGradient(tiltedRisk(lawsAt(1e-6).lawAt(0.3), loss));
  });
});

describe('laws of records of norm 1', () => {
  // A constant of 1 and features far apart, divided by the norm: not normal, though what was divided is.
  const random = seededRandom('records of norm 1');
  const points = Array.from({ length: 4000 }, () => {
    const point = new Float64Array(3);
    fillNormal(point, random);
    const record = point.map((z, j) => (j === 0 ? 1 : 0.2 + 0.8 * z));
    return record.map((x) => x / Math.hypot(...record));
  });
  const law = normalLaw(points);
  const lawsAt = (variance: number, unitNorm: boolean) => {
    const plain = momentsOf(points, 4, variance);
    // Pooled moments say that all records have norm 1.
    const moments = unitNorm ? { ...plain, reported: plain.noise } : plain;
    return tiltedLaws(spanOf(moments, [], undefined), moments, [law], 4096, seededRandom('sample'));
  };
  const squareOf = (places: Float64Array, i: number): number =>
    places.subarray(3 * i, 3 * i + 3).reduce((sum, x) => sum + x * x, 0);

  test('are laws of vectors of norm 1 at every temperature', () => {
    for (const temperature of [0, 0.1, 1]) {
      const { points: places, weights } = lawsAt(1e-6, true)(temperature);
      for (let i = 0; i < weights.length; i += 100) expect(squareOf(places, i)).toBeCloseTo(1, 12);
      expect(weights.reduce((sum, mass) => sum + mass)).toBeCloseTo(1, 12);
      expect(weights.every((mass) => mass >= 0)).toBe(true);
    }
    // A control: where moments do not say so, they are not.
    const { points: places, weights } = lawsAt(1e-6, false)(0);
    expect(weights.filter((_, i) => Math.abs(squareOf(places, i) - 1) > 0.1).length).toBeGreaterThan(1000);
  });

  test('have the first two moments of the classes before moments tilt them', () => {
    const { values } = momentsOf(points, 2, 0);
    const farthest = (variance: number): number => {
      const { moments } = lawsAt(variance, true)(0);
      return values.reduce((most, value, e) => Math.max(most, Math.abs(moments[e] - value)), 0);
    };
    // The search ends a hundredth above its minimum.
    expect(farthest(1e-6)).toBeLessThan(0.006);
    // A control: where nothing is known of the moments, dividing by the norm moves them.
    expect(farthest(1)).toBeGreaterThan(0.02);
  });

  test('know the risk of a model better than normal laws do', () => {
    // Nothing is random but the samples, with a fixed seed.
    for (const w of [Float64Array.of(1, 2, 0), Float64Array.of(0, 2, 2), Float64Array.of(2, -2, 1)]) {
      const truth = riskOf(points, w);
      const [normal, known] = [false, true].map((unitNorm) =>
        Math.abs(tiltedRisk(lawsAt(1e-6, unitNorm)(0), loss).value(w) - truth),
      );
      expect(normal).toBeGreaterThan(0.02);
      expect(known).toBeLessThan(0.3 * normal);
    }
  });

  test('are those of normal classes where the span is not all coordinates', () => {
    const plain = momentsOf(divided(7, 400, 'span'), 4, 1e-6);
    const moments = { ...plain, reported: plain.noise };
    const seven = normalLaw(divided(7, 400, 'span'));
    const lawOf = (from: CorrectedMoments) =>
      tiltedLaws(spanOf(from, [], 0), from, [seven], 64, seededRandom('seven'))(0.1);
    expect(lawOf(moments)).toEqual(lawOf(plain));
    expect(lawOf(moments).laws).toHaveLength(1);
    // A control: with three coordinates no law of normal classes is left.
    expect(lawsAt(1e-6, true)(0.1).laws).toHaveLength(0);
  });

  test('have risks whose gradient is that of their values', () => {
    expectGradient(tiltedRisk(lawsAt(1e-6, true)(0.3), loss));
  });
});
