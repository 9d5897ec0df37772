import { describe, expect, test } from '@jest/globals';
import {
  randomizeSphericalLaplace,
  type SphericalLaplace,
  sphericalLaplace,
} from '../../../src/mechanism/added-noise.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { upperGamma } from '../../statistics/incomplete-gamma.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';

const DRAWS = 30_000;

/** A number of each of many reports of one vector: of the noise on it. */
function noiseOf(parameters: SphericalLaplace, seed: string, number: (noise: Float64Array) => number): Float64Array {
  const random = seededRandom(seed);
  const vector = Float64Array.from({ length: parameters.dimension }, (_, i) => (i === 0 ? 0.6 : 0.1));
  const report = new Float64Array(parameters.dimension);
  return Float64Array.from({ length: DRAWS }, () => {
    randomizeSphericalLaplace(parameters, vector, report, random);
    for (let i = 0; i < report.length; i++) report[i] -= vector[i];
    return number(report);
  });
}

describe('the spherical Laplace mechanism', () => {
  test('says what it guarantees and how far off it is', () => {
    expect(sphericalLaplace({ epsilon: 2, dimension: 3 })).toEqual({
      name: 'spherical Laplace',
      dimension: 3,
      noiseDimension: 3,
      sensitivity: 2,
      rate: 1,
      guarantee: { kind: 'pure', epsilon: 2 },
      densityRatio: Math.exp(2),
      squaredError: 12,
      coordinateVariance: 4,
    });
  });

  test('draws the noise of an even dimension in one more, and keeps what is seen of it', () => {
    const { noiseDimension, rate, squaredError } = sphericalLaplace({ epsilon: 1, dimension: 4, sensitivity: 0.5 });
    expect([noiseDimension, rate, squaredError]).toEqual([5, 2, 6]);
  });

  // Every p-value below is uniform under the law: bounds of 1e-4 cost one false alarm in 10,000 seeds each.
  test.each([1, 3, 9])('has in dimension %d a length of law gamma(p, 1/κ), and not one 5 %% longer', (dimension) => {
    const parameters = sphericalLaplace({ epsilon: 3, dimension });
    const lengths = noiseOf(parameters, `length ${dimension}`, (noise) => Math.hypot(...noise));
    const law = (x: number): number => 1 - upperGamma(dimension, 1.5 * x);
    expect(kolmogorovTest(lengths, law)).toBeGreaterThan(1e-4);
    const wrong = lengths.map((x) => 1.05 * x);
    expect(kolmogorovTest(wrong, law)).toBeLessThan(1e-4);
  });

  test('has in dimension 3 a uniform direction: each cosine is uniform on [−1, 1]', () => {
    const parameters = sphericalLaplace({ epsilon: 3, dimension: 3 });
    for (let i = 0; i < 3; i++) {
      const cosines = noiseOf(parameters, 'direction', (noise) => noise[i] / Math.hypot(...noise));
      expect(kolmogorovTest(cosines, (c) => (1 + c) / 2)).toBeGreaterThan(1e-4);
    }
  });

  test('has in dimension 2 the coordinates of the noise in dimension 3: density (1 + κ|x|)·exp(−κ|x|)·κ/4', () => {
    const parameters = sphericalLaplace({ epsilon: 4, dimension: 2 });
    const coordinates = noiseOf(parameters, 'plane', (noise) => noise[1]);
    const tail = (x: number): number => ((2 + 2 * x) * Math.exp(-2 * x)) / 4;
    const law = (x: number): number => (x < 0 ? tail(-x) : 1 - tail(x));
    expect(kolmogorovTest(coordinates, law)).toBeGreaterThan(1e-4);
    const wider = coordinates.map((x) => 1.05 * x);
    expect(kolmogorovTest(wider, law)).toBeLessThan(1e-4);
  });

  test.each([2, 3, 8])('has in dimension %d the squared error it says', (dimension) => {
    const parameters = sphericalLaplace({ epsilon: 2, dimension });
    const squares = noiseOf(parameters, `error ${dimension}`, (noise) => noise.reduce((sum, x) => sum + x * x, 0));
    const mean = squares.reduce((sum, x) => sum + x, 0) / DRAWS;
    // The standard error from the sample itself; beyond 4 of them with probability 6.3e-5.
    const spread = Math.sqrt(squares.reduce((sum, x) => sum + (x - mean) ** 2, 0) / DRAWS / DRAWS);
    expect(Math.abs(mean - parameters.squaredError) / spread).toBeLessThan(4);
    expect(Math.abs(mean - 1.1 * parameters.squaredError) / spread).toBeGreaterThan(4);
  });

  test('keeps the ratio of densities within e^ε, also when a coordinate is not reported, and comes near it', () => {
    // Noise of dimension 3 seen in 2 coordinates, κ = 1: its density at distance r is ∫ exp(−√(r² + s²)) ds up to a factor.
    const density = (r: number): number => {
      let sum = 0;
      for (let i = -4000; i < 4000; i++) sum += Math.exp(-Math.hypot(r, (i + 0.5) / 80) + r) / 80;
      return sum * Math.exp(-r);
    };
    let largest = 0;
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [0.7, 2],
      [3, 0.5],
      [40, 0],
    ]) {
      largest = Math.max(largest, density(Math.hypot(x - 1, y)) / density(Math.hypot(x + 1, y)));
    }
    const { densityRatio } = sphericalLaplace({ epsilon: 2, dimension: 2 });
    expect(largest).toBeLessThan(densityRatio);
    expect(largest).toBeGreaterThan(0.95 * densityRatio);
  });

  test('works in place, in single precision and within longer vectors', () => {
    const parameters = sphericalLaplace({ epsilon: 1, dimension: 4 });
    const place = new Float64Array(6).fill(0.25);
    const single = new Float32Array(6).fill(0.25);
    randomizeSphericalLaplace(parameters, place.slice(), single, seededRandom(3));
    randomizeSphericalLaplace(parameters, place, place, seededRandom(3));
    expect([...place.subarray(4)]).toEqual([0.25, 0.25]);
    expect([...single]).toEqual([...place].map(Math.fround));
    expect(new Set(place.subarray(0, 4)).size).toBe(4);
  });

  test('refuses what is not a budget, a dimension or a sensitivity', () => {
    expect(() => sphericalLaplace({ epsilon: 0, dimension: 3 })).toThrow(
      '"epsilon" expected a finite number > 0, got 0',
    );
    expect(() => sphericalLaplace({ epsilon: 1, dimension: 0 })).toThrow('"dimension" expected');
    expect(() => sphericalLaplace({ epsilon: 1, dimension: 2, sensitivity: -1 })).toThrow('"sensitivity" expected');
  });

  test('refuses a sensitivity for which its noise would be 0 or infinite', () => {
    for (const [epsilon, sensitivity] of [
      [1, 1e-310],
      [1, 5e-324],
      [1, 1e200],
      [5e-324, 2],
    ]) {
      expect(() => sphericalLaplace({ epsilon, dimension: 2, sensitivity })).toThrow('"sensitivity" expected');
    }
    // Who gave no sensitivity is told of ε.
    for (const epsilon of [1e-300, 1e300]) {
      expect(() => sphericalLaplace({ epsilon, dimension: 2 })).toThrow('"epsilon" expected');
    }
    expect(sphericalLaplace({ epsilon: 1, dimension: 2, sensitivity: 1e-150 }).coordinateVariance).toBeGreaterThan(0);
  });
});
