import { describe, expect, test } from '@jest/globals';
import { euclideanNorm } from '../../../src/numeric/matrix.ts';
import { minimizeBallQuadratic } from '../../../src/optimize/ball.ts';
import { ballNewton, type CurvedFunction } from '../../../src/optimize/ball-newton.ts';
import { fillNormal, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { matrixOf, quadratic } from './quadratic.ts';

const vector = (...entries: number[]): Float64Array => Float64Array.from(entries);

/** Σ_i f(w_i) of a function of one variable, given as [value, slope, curvature]. */
const separable = (
  dimension: number,
  f: (w: number, i: number) => readonly [number, number, number],
): CurvedFunction => ({
  dimension,
  evaluate(at, gradient, hessian) {
    let value = 0;
    hessian.fill(0);
    for (let i = 0; i < dimension; i++) {
      const [part, slope, curvature] = f(at[i], i);
      value += part;
      gradient[i] = slope;
      hessian[i * dimension + i] = curvature;
    }
    return value;
  },
});

/** The mean of f(⟨w, v⟩) over records v (rows of length p), f given as [value, slope, curvature]. */
const ofMargins = (
  records: Float64Array,
  dimension: number,
  f: (margin: number) => readonly [number, number, number],
): CurvedFunction => ({
  dimension,
  evaluate(at, gradient, hessian) {
    const count = records.length / dimension;
    gradient.fill(0);
    hessian.fill(0);
    let sum = 0;
    for (let start = 0; start < records.length; start += dimension) {
      let margin = 0;
      for (let i = 0; i < dimension; i++) margin += records[start + i] * at[i];
      const [value, slope, curvature] = f(margin);
      sum += value / count;
      for (let i = 0; i < dimension; i++) {
        const entry = records[start + i] / count;
        gradient[i] += slope * entry;
        for (let j = 0; j < dimension; j++) hessian[i * dimension + j] += curvature * entry * records[start + j];
      }
    }
    return sum;
  },
});

/** Records y·x, x in the unit ball, with labels of a logistic model. */
function population(count: number, dimension: number, strength: number, seed: string): Float64Array {
  const random = seededRandom(seed);
  const truth = new Float64Array(dimension);
  fillNormal(truth, random);
  const records = new Float64Array(count * dimension);
  const x = new Float64Array(dimension);
  for (let n = 0; n < count; n++) {
    fillNormal(x, random);
    const length = euclideanNorm(x) * (1 + uniform(random));
    let margin = 0;
    for (let i = 0; i < dimension; i++) margin += (strength * truth[i] * x[i]) / length;
    const label = uniform(random) < 1 / (1 + Math.exp(-margin)) ? 1 : -1;
    for (let i = 0; i < dimension; i++) records[n * dimension + i] = (label * x[i]) / length;
  }
  return records;
}

const logistic = (t: number): readonly [number, number, number] => {
  const q = 1 / (1 + Math.exp(t));
  return [t > 0 ? Math.log1p(Math.exp(-t)) : Math.log1p(Math.exp(t)) - t, -q, q * (1 - q)];
};

/** The smoothed hinge (½ − t + √((½ − t)² + β²))/2. */
const smoothedHinge =
  (beta: number) =>
  (t: number): readonly [number, number, number] => {
    const s = 0.5 - t;
    const root = Math.hypot(s, beta);
    return [(s + root) / 2, -(1 + s / root) / 2, beta ** 2 / root ** 3 / 2];
  };

describe('ballNewton against closed forms', () => {
  test('solves a quadratic in one step and two evaluations, inside and on the sphere', () => {
    const random = seededRandom('newton quadratics');
    for (const radius of [1e-6, 1, 1e6]) {
      const matrix = matrixOf([3, 1, 0.01], random);
      const linear = vector(0.5, -1, 2);
      const f = quadratic(linear, matrix);
      const objective: CurvedFunction = {
        dimension: 3,
        evaluate(at, gradient, hessian) {
          f.gradient(at, gradient);
          hessian.set(matrix);
          return f.value(at);
        },
      };
      const exact = minimizeBallQuadratic(linear, matrix, radius);
      const found = ballNewton({ objective, radius });
      expect(found.converged).toBe(true);
      expect([found.iterations, found.evaluations]).toEqual([1, 2]);
      expect(Math.abs(found.value - exact.value)).toBeLessThan(1e-13 * (1 + Math.abs(exact.value)));
    }
  });

  test('Σ exp(w_i) − b_i·w_i is least at w_i = log b_i', () => {
    const b = [0.5, 1, 7];
    const objective = separable(3, (w, i) => [Math.exp(w) - b[i] * w, Math.exp(w) - b[i], Math.exp(w)]);
    const { point, converged, evaluations } = ballNewton({ objective, radius: 10, tolerance: 1e-13 });
    expect([...point]).toEqual(b.map((entry) => expect.closeTo(Math.log(entry), 7)));
    expect(converged).toBe(true);
    expect(evaluations).toBeLessThan(12);
  });

  test('a radial function exp(½‖w‖²) − ⟨c, w⟩ is least along c: on the sphere of a small ball, and inside a large one', () => {
    const c = vector(3, -4);
    const objective: CurvedFunction = {
      dimension: 2,
      evaluate(at, gradient, hessian) {
        const e = Math.exp((at[0] ** 2 + at[1] ** 2) / 2);
        for (let i = 0; i < 2; i++) {
          gradient[i] = e * at[i] - c[i];
          for (let j = 0; j < 2; j++) hessian[2 * i + j] = e * (at[i] * at[j] + (i === j ? 1 : 0));
        }
        return e - c[0] * at[0] - c[1] * at[1];
      },
    };
    const small = ballNewton({ objective, radius: 0.5 });
    expect([...small.point]).toEqual([0.3, -0.4].map((x) => expect.closeTo(x, 8)));
    expect(small.converged).toBe(true);
    // Inside r·exp(r²/2) = 5, so r² = W(25) with Lambert's W: r = 1.5325…
    const large = ballNewton({ objective, radius: 4 });
    const r = euclideanNorm(large.point);
    expect(r * Math.exp((r * r) / 2)).toBeCloseTo(5, 8);
    expect(large.point[0] / large.point[1]).toBeCloseTo(-0.75, 8);
    expect(large.converged).toBe(true);
  });

  test('is damped: √(1 + w²) from w = 3, where the full Newton step goes to −27', () => {
    const objective = separable(1, (w) => [Math.sqrt(1 + w * w), w / Math.sqrt(1 + w * w), (1 + w * w) ** -1.5]);
    const { point, converged } = ballNewton({ objective, radius: 1000, start: vector(3), tolerance: 1e-9 });
    expect(point[0]).toBeCloseTo(0, 7);
    expect(converged).toBe(true);
  });

  test('dimension one: at the end of the interval, and inside', () => {
    const objective = separable(1, (w) => [Math.exp(w), Math.exp(w), Math.exp(w)]);
    const { point, gap } = ballNewton({ objective, radius: 2 });
    expect([point[0], gap]).toEqual([-2, 0]);
    const quartic = separable(1, (w) => [(w - 0.5) ** 4, 4 * (w - 0.5) ** 3, 12 * (w - 0.5) ** 2]);
    // No curvature at the minimiser: linear convergence, by ⅔ a step.
    const flat = ballNewton({ objective: quartic, radius: 2, tolerance: 1e-12 });
    expect(flat.converged).toBe(true);
    expect(flat.point[0]).toBeCloseTo(0.5, 3);
  });

  test('a linear function takes one step to the sphere', () => {
    const objective = separable(2, (w, i) => [(i === 0 ? 3 : 4) * w, i === 0 ? 3 : 4, 0]);
    const { point, evaluations, converged } = ballNewton({ objective, radius: 1e-3 });
    expect([...point]).toEqual([-6e-4, -8e-4].map((x) => expect.closeTo(x, 15)));
    expect([evaluations, converged]).toEqual([2, true]);
  });
});

describe('ballNewton on losses of a margin', () => {
  test('logistic regression of 5,000 records in 14 dimensions takes at most 15 passes, on any ball', () => {
    for (const strength of [1, 10]) {
      const objective = ofMargins(population(5000, 14, strength, 'logistic'), 14, logistic);
      for (const radius of [0.01, 1, 10, 1000]) {
        const { converged, evaluations } = ballNewton({ objective, radius });
        expect(converged).toBe(true);
        expect(evaluations).toBeLessThanOrEqual(15);
      }
    }
  });

  test('a smoothed hinge down to β = 0.01 takes at most 20', () => {
    const records = population(5000, 14, 3, 'hinge');
    for (const beta of [0.5, 0.1, 0.01]) {
      for (const radius of [1, 2, 10]) {
        const { converged, evaluations } = ballNewton({
          objective: ofMargins(records, 14, smoothedHinge(beta)),
          radius,
        });
        expect(converged).toBe(true);
        expect(evaluations).toBeLessThanOrEqual(20);
      }
    }
  });

  test('the gap it returns is a certificate: at every stage at least the true gap, and 0 at the end', () => {
    const objective = ofMargins(population(500, 4, 5, 'certificate'), 4, logistic);
    for (const radius of [1, 20]) {
      const best = ballNewton({ objective, radius, tolerance: 0 }).value;
      const stages = [0, 1, 2, 3, 4, 5].map((iterations) => ballNewton({ objective, radius, iterations }));
      for (const stage of stages) expect(stage.gap).toBeGreaterThanOrEqual(stage.value - best - 1e-15);
      expect(stages[0].gap).toBeGreaterThan(0.01);
      expect(stages[5].gap).toBeLessThan(1e-6);
      // Monotone, and the flag is not set while the gap is above the tolerance.
      for (let i = 1; i < 6; i++) expect(stages[i].value).toBeLessThanOrEqual(stages[i - 1].value);
      expect(stages[1].converged).toBe(stages[1].gap <= 1e-10);
    }
  });
});

describe('ballNewton at the edges', () => {
  const parabola = separable(2, (w) => [(w - 1) ** 2 / 2, w - 1, 1]);

  test('no step evaluates the start once and returns it', () => {
    const none = ballNewton({ objective: parabola, radius: 1, iterations: 0 });
    expect(none).toEqual({
      point: new Float64Array(2),
      value: 1,
      gap: Math.SQRT2,
      iterations: 0,
      evaluations: 1,
      converged: false,
    });
    const start = vector(0.5, 0.5);
    expect(ballNewton({ objective: parabola, radius: 1, start }).converged).toBe(true);
    expect([...start]).toEqual([0.5, 0.5]);
  });

  test('a start at the minimiser takes one evaluation', () => {
    const { evaluations, converged, gap } = ballNewton({ objective: parabola, radius: 2, start: vector(1, 1) });
    expect([evaluations, converged, gap]).toEqual([1, true, 0]);
  });

  test('a huge ball, on which rounding of the gradient times R exceeds the tolerance, still ends as converged', () => {
    const objective = ofMargins(population(500, 3, 5, 'huge'), 3, logistic);
    const { converged, gap, evaluations } = ballNewton({ objective, radius: 1e9 });
    expect(converged).toBe(true);
    expect(gap).toBeLessThan(1e-4);
    expect(evaluations).toBeLessThan(15);
  });

  test('a value, gradient or Hessian that is not finite stops it with an error', () => {
    const broken = (where: 'value' | 'gradient' | 'hessian', bad: number, from: number): CurvedFunction => {
      let calls = 0;
      return {
        dimension: 1,
        evaluate(at, gradient, hessian) {
          const now = ++calls >= from;
          gradient[0] = now && where === 'gradient' ? bad : Math.sinh(at[0] - 1);
          hessian[0] = now && where === 'hessian' ? bad : Math.cosh(at[0] - 1);
          return now && where === 'value' ? bad : Math.cosh(at[0] - 1);
        },
      };
    };
    for (const from of [1, 3]) {
      for (const bad of [Number.NaN, Infinity]) {
        const message = (name: string, expected: string) =>
          new RangeError(`"${name}" expected ${expected}, got ${bad}`);
        const run = (where: 'value' | 'gradient' | 'hessian') => () =>
          ballNewton({ objective: broken(where, bad, from), radius: 5 });
        expect(run('value')).toThrow(message('value', 'a finite number'));
        expect(run('gradient')).toThrow(message('gradient', 'finite numbers'));
        expect(run('hessian')).toThrow(message('hessian', 'finite numbers'));
      }
    }
  });

  test('a gradient that contradicts the values ends the run without claiming convergence', () => {
    const objective = separable(1, (w) => [w, -1, 0]);
    const { converged, value, evaluations } = ballNewton({ objective, radius: 1 });
    expect([converged, value]).toEqual([false, 0]);
    expect(evaluations).toBeLessThan(200);
  });

  test('settings that are none are refused', () => {
    expect(() => ballNewton({ objective: parabola, radius: Number.NaN })).toThrow('"radius"');
    expect(() => ballNewton({ objective: parabola, radius: 1, tolerance: -1 })).toThrow('"tolerance"');
    expect(() => ballNewton({ objective: parabola, radius: 1, iterations: -1 })).toThrow('"iterations"');
    expect(() => ballNewton({ objective: parabola, radius: 1, start: vector(1, 1) })).toThrow('"start"');
  });
});
