import { describe, expect, test } from '@jest/globals';
import {
  averageCopies,
  averagedNoise,
  type CopiesRequest,
  calibratedCopies,
  MAXIMUM_COPIES_DEGREE,
  type NoisyCopies,
  printedCopies,
  randomizeCopies,
} from '../../../src/mechanism/added-noise.ts';
import { gdpMu } from '../../../src/privacy/gaussian.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { centralMomentTest, meanTest } from '../../statistics/moments.ts';

const { hypot, log, sqrt } = Math;

const requests: readonly CopiesRequest[] = [0.1, 1, 4, 16].flatMap((epsilon) =>
  [0, 1, 2, 3, 6].flatMap((degree) => [1, 5, 40].map((dimension) => ({ epsilon, delta: 1e-6, degree, dimension }))),
);

/** √Σ(2/σ)² over every copy of x and of y, from the layout alone: what Gaussian composition gives (by hand). */
function composed(copies: NoisyCopies): number {
  let sum = 0;
  for (let copy = 0; copy <= copies.further; copy++) {
    const noise = copy === 0 ? copies.firstNoise : copies.furtherNoise;
    sum += (2 / noise.features) ** 2 + (2 / noise.label) ** 2;
  }
  return sqrt(sum);
}

/** log of the variance of the leading monomial at ‖w‖ = ‖x‖ = |y| = 1, y⟨w, x⟩ = ½, written out. */
function leading({ degree, dimension, firstNoise, furtherNoise }: NoisyCopies): number {
  const gradient = (1 + firstNoise.label ** 2) * (1 + dimension * firstNoise.features ** 2);
  const factor = (1 + furtherNoise.label ** 2) * (0.25 + furtherNoise.features ** 2);
  return log(gradient) + degree * log(factor);
}

/** The copies with all noise multiplied so that the transcript is μ-Gaussian. */
function scaledTo(mu: number, copies: NoisyCopies): NoisyCopies {
  const factor = composed(copies) / mu;
  const scaled = ({ features, label }: { features: number; label: number }) => ({
    features: factor * features,
    label: factor * label,
  });
  return { ...copies, firstNoise: scaled(copies.firstNoise), furtherNoise: scaled(copies.furtherNoise) };
}

describe('printed copies', () => {
  test('have the noise of algorithm 1, lines 3, 5 and 6 (by hand at ε = 2, δ = 1e-5, d = 3)', () => {
    const { firstNoise, furtherNoise, further, length } = printedCopies({
      epsilon: 2,
      delta: 1e-5,
      degree: 3,
      dimension: 4,
    });
    const logarithm = log(1.25e5);
    expect(firstNoise.features ** 2).toBeCloseTo((32 * logarithm) / 4, 10);
    expect(firstNoise.label).toBe(firstNoise.features);
    expect(furtherNoise.features ** 2).toBeCloseTo((8 * logarithm * 9 * 16) / 4, 9);
    expect(furtherNoise.label).toBe(furtherNoise.features);
    expect([further, length]).toEqual([6, 35]);
  });

  test('of degree 0 are one copy', () => {
    const { further, length } = printedCopies({ epsilon: 1, delta: 1e-5, degree: 0, dimension: 4 });
    expect([further, length]).toEqual([0, 5]);
  });
});

describe('calibrated copies', () => {
  test('compose to exactly the μ of the budget', () => {
    let worst = 0;
    for (const request of requests) {
      worst = Math.max(worst, Math.abs(composed(calibratedCopies(request)) / gdpMu(request) - 1));
    }
    expect(worst).toBeLessThan(1e-9);
  });

  test('have a leading monomial no noisier than an equal split, the printed split, and a thousand others at the same μ', () => {
    const random = seededRandom('splits');
    let worst = -Infinity;
    for (const request of requests) {
      const best = calibratedCopies(request);
      const mu = gdpMu(request);
      const one = { features: 1, label: 1 };
      const rivals = [
        scaledTo(mu, { ...best, firstNoise: one, furtherNoise: one }),
        scaledTo(mu, printedCopies(request)),
      ];
      for (let i = 0; i < 1000 / requests.length + 20; i++) {
        const draw = () => ({ features: 10 ** (4 * uniform(random) - 2), label: 10 ** (4 * uniform(random) - 2) });
        rivals.push(scaledTo(mu, { ...best, firstNoise: draw(), furtherNoise: draw() }));
      }
      // Neighbours of the split itself: the search has found its bottom.
      for (const step of [0.999, 1.001]) {
        const { firstNoise, furtherNoise } = best;
        rivals.push(
          scaledTo(mu, { ...best, firstNoise: { ...firstNoise, label: step * firstNoise.label } }),
          scaledTo(mu, { ...best, firstNoise: { ...firstNoise, features: step * firstNoise.features } }),
          ...(best.degree === 0
            ? []
            : [scaledTo(mu, { ...best, furtherNoise: { ...furtherNoise, label: step * furtherNoise.label } })]),
        );
      }
      for (const rival of rivals) worst = Math.max(worst, leading(best) - leading(rival));
    }
    // To rounding in the logarithm of a variance up to 1e40.
    expect(worst).toBeLessThan(1e-9);
  });

  test('gain over the printed split at the same μ (ε = 1, p = 5): nothing at degree 1, 10 at degree 2, 1800 at degree 3', () => {
    const [first, second, third] = [1, 2, 3].map((degree) => {
      const request = { epsilon: 1, delta: 1e-6, degree, dimension: 5 };
      const best = calibratedCopies(request);
      return Math.exp(leading(scaledTo(composed(best), printedCopies(request))) - leading(best));
    });
    // At degree 1 the printed noise is the same on both copies, which is all but the best split where noise is all.
    expect(Math.abs(first - 1)).toBeLessThan(1e-4);
    expect(Math.abs(second / 10 - 1)).toBeLessThan(0.01);
    expect(Math.abs(third / 1786 - 1)).toBeLessThan(0.01);
  });
});

describe.each([
  ['printed', printedCopies],
  ['calibrated', calibratedCopies],
])('a request for %s copies', (_, make) => {
  const request: CopiesRequest = { epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 };

  test.each([
    ['epsilon', 0],
    ['delta', 1],
    ['degree', -1],
    ['degree', MAXIMUM_COPIES_DEGREE + 1],
    ['degree', 0.5],
    ['dimension', 0],
    ['dimension', 1e7],
  ])('with a wrong %s (%p) is refused by name', (field, value) => {
    expect(() => make({ ...request, [field]: value })).toThrow(new RegExp(`^"${field}" expected `));
  });
});

describe('randomizeCopies', () => {
  // Different noise for every kind of entry, so that a mix-up would show.
  const copies: NoisyCopies = {
    dimension: 2,
    degree: 2,
    further: 3,
    firstNoise: { features: 0.5, label: 1 },
    furtherNoise: { features: 2, label: 4 },
    length: 12,
  };
  const features = [0.6, -0.8];
  const label = -1;
  const deviations = [0.5, 0.5, 1, 2, 2, 4, 2, 2, 4, 2, 2, 4];
  const means = [0.6, -0.8, -1, 0.6, -0.8, -1, 0.6, -0.8, -1, 0.6, -0.8, -1];
  const DRAWS = 40_000;
  const columns = Array.from({ length: 12 }, () => new Float64Array(DRAWS));
  const random = seededRandom('copies');
  const report = new Float64Array(12);
  for (let i = 0; i < DRAWS; i++) {
    randomizeCopies(copies, features, label, report, random);
    for (let k = 0; k < 12; k++) columns[k][i] = report[k];
  }
  const pValues = (scale: number): number[] =>
    columns.flatMap((column, k) => {
      const variance = (scale * deviations[k]) ** 2;
      return [
        meanTest(column, means[k], variance),
        centralMomentTest(column, means[k], 2, variance, 3 * variance * variance),
      ];
    });

  test('writes x and y with the noise of its place, copy after copy', () => {
    // 24 tests at 1e-7: a false alarm in fewer than 1 of 400,000 seeds.
    expect(Math.min(...pValues(1))).toBeGreaterThan(1e-7);
  });

  test('control: noise 5 % larger or smaller is rejected in every place', () => {
    for (const scale of [1.05, 1 / 1.05]) {
      const p = pValues(scale);
      expect(Math.max(...p.filter((_, i) => i % 2 === 1))).toBeLessThan(1e-7);
    }
  });

  test('with independent noise in all places', () => {
    let strongest = 0;
    for (let a = 0; a < 12; a++) {
      for (let b = 0; b < a; b++) {
        let sum = 0;
        for (let i = 0; i < DRAWS; i++) sum += (columns[a][i] - means[a]) * (columns[b][i] - means[b]);
        strongest = Math.max(strongest, Math.abs(sum / (deviations[a] * deviations[b])));
      }
    }
    // 66 correlations, each beyond 6 standard errors with probability 2e-9.
    expect(strongest / sqrt(DRAWS)).toBeLessThan(6);
  });

  test('averaged, keeps the mean and has the stated variance', () => {
    const noise = averagedNoise(copies);
    expect(noise.features).toBeCloseTo(1 / sqrt(4 + 3 / 4), 14);
    expect(noise.label).toBeCloseTo(1 / sqrt(1 + 3 / 16), 14);
    const target = new Float64Array(2);
    const averages = [new Float64Array(DRAWS), new Float64Array(DRAWS), new Float64Array(DRAWS)];
    const offset = 5;
    const stored = new Float64Array(offset + 12 + 3).fill(NaN);
    for (let i = 0; i < DRAWS; i++) {
      for (let k = 0; k < 12; k++) stored[offset + k] = columns[k][i];
      averages[2][i] = averageCopies(copies, stored, offset, target);
      averages[0][i] = target[0];
      averages[1][i] = target[1];
    }
    const p = averages.flatMap((sample, k) => {
      const variance = (k === 2 ? noise.label : noise.features) ** 2;
      return [
        meanTest(sample, means[k], variance),
        centralMomentTest(sample, means[k], 2, variance, 3 * variance ** 2),
      ];
    });
    // Six tests at 1e-7.
    expect(Math.min(...p)).toBeGreaterThan(1e-7);
  });
});

describe('averageCopies', () => {
  test('of copies that agree is that copy, whatever the noise', () => {
    const copies = calibratedCopies({ epsilon: 1, delta: 1e-6, degree: 3, dimension: 2 });
    const values = Float64Array.from({ length: copies.length }, (_, k) => [0.3, -0.7, 0.9][k % 3]);
    const target = new Float64Array(2);
    expect(averageCopies(copies, values, 0, target)).toBeCloseTo(0.9, 14);
    expect(target[0]).toBeCloseTo(0.3, 14);
    expect(target[1]).toBeCloseTo(-0.7, 14);
  });

  test('of one copy is that copy, exactly', () => {
    const copies = calibratedCopies({ epsilon: 1, delta: 1e-6, degree: 0, dimension: 2 });
    const target = new Float64Array(2);
    expect(averageCopies(copies, [0.3, -0.7, 0.9], 0, target)).toBe(0.9);
    expect(Array.from(target)).toEqual([0.3, -0.7]);
    expect(averagedNoise(copies)).toEqual(copies.firstNoise);
  });

  test('no other weighting has a smaller variance: it is the weighting by precision', () => {
    const copies = calibratedCopies({ epsilon: 1, delta: 1e-6, degree: 2, dimension: 2 });
    const { firstNoise, furtherNoise, further } = copies;
    const variance = (weight: number): number =>
      (weight * firstNoise.features) ** 2 + ((1 - weight) * furtherNoise.features) ** 2 / further;
    let least = Infinity;
    for (let i = 0; i <= 10_000; i++) least = Math.min(least, variance(i / 10_000));
    expect(averagedNoise(copies).features).toBeLessThanOrEqual(sqrt(least));
    expect(averagedNoise(copies).features).toBeCloseTo(sqrt(least), 5);
    expect(hypot(...Object.values(averagedNoise(copies)))).toBeGreaterThan(0);
  });
});
