import { describe, expect, test } from '@jest/globals';
import { fillNormal } from '../../../src/random/random.ts';
import { secureRandom } from '../../../src/random/secure.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { cellProbabilities, chiSquareTest, countCells } from '../../statistics/chi-square.ts';
import { normalLaw } from '../../statistics/incomplete-gamma.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { centralMomentTest, correlationTest, meanTest } from '../../statistics/moments.ts';
import { layerEdges } from './layer-edges.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 16 of them, and one at 1e-4.
const ALARM = 1e-6;

/** Drawn once: the tests below look at it from different sides. */
const sample = new Float64Array(5_000_000);
fillNormal(sample, seededRandom('five million normals'));

describe('the law of five million normals', () => {
  test('χ² over 1022 cells: cut at each layer edge and in the middle of each wedge', () => {
    const cuts: number[] = [];
    let inner = 0;
    for (const outer of layerEdges().slice(1).reverse()) {
      cuts.push((inner + outer) / 2, outer);
      inner = outer;
    }
    const all = [...cuts.map((x) => -x).reverse(), 0, ...cuts];
    const probabilities = cellProbabilities(all, normalLaw);
    expect(probabilities.length).toBe(1022);
    expect(chiSquareTest(countCells(sample, all), probabilities)).toBeGreaterThan(ALARM);
    // On a tenth of them a scale off by 5 % moves χ² by 2500, 55 standard deviations.
    const wrong = sample.subarray(0, sample.length / 10).map((x) => 1.05 * x);
    expect(chiSquareTest(countCells(wrong, all), probabilities)).toBeLessThan(ALARM);
  });

  test('Kolmogorov on 200 000, and a scale off by 5 % is rejected', () => {
    const part = sample.subarray(0, 200_000);
    expect(kolmogorovTest(part, normalLaw)).toBeGreaterThan(ALARM);
    const [wider, moved] = [part.map((x) => 1.05 * x), part.map((x) => x + 0.05)];
    expect(kolmogorovTest(wider, normalLaw)).toBeLessThan(ALARM);
    expect(kolmogorovTest(moved, normalLaw)).toBeLessThan(ALARM);
  });

  test('moments 1 to 6 are 0, 1, 0, 3, 0, 15', () => {
    expect(meanTest(sample, 0, 1)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 2, 1, 3)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 3, 0, 15)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 4, 3, 105)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 5, 0, 945)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 6, 15, 10395)).toBeGreaterThan(ALARM);
    const wrong = sample.map((x) => 1.05 * x);
    expect(centralMomentTest(wrong, 0, 4, 3, 105)).toBeLessThan(ALARM);
  });

  test('successive normals are independent: 32 × 32 cells of pairs, and correlations at lags 1 to 4', () => {
    const cuts = Array.from({ length: 31 }, (_, i) => quantile((i + 1) / 32));
    const counts = new Float64Array(1024);
    for (let i = 0; i < sample.length; i += 2) counts[32 * cell(sample[i], cuts) + cell(sample[i + 1], cuts)]++;
    expect(chiSquareTest(counts, new Float64Array(1024).fill(1 / 1024))).toBeGreaterThan(ALARM);
    for (let lag = 1; lag <= 4; lag++) {
      const p = correlationTest(sample.subarray(0, sample.length - lag), sample.subarray(lag));
      expect(p).toBeGreaterThan(ALARM);
    }
    const mixed = sample.slice(1);
    for (let i = 0; i < mixed.length; i++) mixed[i] = 0.05 * sample[i] + Math.sqrt(1 - 0.0025) * sample[i + 1];
    expect(correlationTest(sample.subarray(0, mixed.length), mixed)).toBeLessThan(ALARM);
  });

  test('the sign, the layer and the point in it are independent of the last bits of the number', () => {
    // The last 4 of 53 bits of numbers in [½, 1) and [1, 2), against eight cells of the absolute value in each.
    const counts = new Float64Array(16 * 16);
    const probabilities = new Float64Array(16 * 16);
    const cuts = Array.from({ length: 17 }, (_, i) => (i <= 8 ? 0.5 + i / 16 : 1 + (i - 8) / 8));
    const mass = normalLaw(2) - normalLaw(0.5);
    for (let i = 0; i < 16; i++) {
      probabilities.fill((normalLaw(cuts[i + 1]) - normalLaw(cuts[i])) / mass / 16, 16 * i, 16 * i + 16);
    }
    for (let i = 0; i < sample.length; i++) {
      const size = Math.abs(sample[i]);
      if (size < 0.5 || size >= 2) continue;
      const row = size < 1 ? Math.floor((size - 0.5) * 16) : 8 + Math.floor((size - 1) * 8);
      counts[16 * row + ((size * (size < 1 ? 2 ** 53 : 2 ** 52)) % 16)]++;
    }
    expect(chiSquareTest(counts, probabilities)).toBeGreaterThan(ALARM);
  });
});

describe('the tail beyond 3.654', () => {
  const TAIL = 3.654152885361009;
  const batch = new Float64Array(1_000_000);
  const random = seededRandom('tail');
  const beyond: number[] = [];
  let negative = 0;
  const draws = 80 * batch.length;
  for (let round = 0; round < 80; round++) {
    fillNormal(batch, random);
    for (let i = 0; i < batch.length; i++) {
      if (Math.abs(batch[i]) > TAIL) {
        beyond.push(Math.abs(batch[i]));
        if (batch[i] < 0) negative++;
      }
    }
  }
  const mass = normalLaw(-TAIL);

  test('has its share, 2.58e-4, on both sides alike', () => {
    const share = Float64Array.of(negative, beyond.length - negative, draws - beyond.length);
    expect(chiSquareTest(share, [mass, mass, 1 - 2 * mass])).toBeGreaterThan(ALARM);
    // A tail begun 0.5 % too far out has 7 % less of a share.
    const wrong = normalLaw(-1.005 * TAIL);
    expect(chiSquareTest(share, [wrong, wrong, 1 - 2 * wrong])).toBeLessThan(ALARM);
  });

  test('has the conditional law φ(x)/Φ(−3.654), and an excess off by 5 % is rejected', () => {
    const excesses = Float64Array.from(beyond, (x) => x - TAIL);
    const law = (x: number): number => 1 - normalLaw(-TAIL - x) / mass;
    // 20 000 of them: 5 % moves √n·D by 2.7, for a p-value of about 1e-6.
    expect(kolmogorovTest(excesses, law)).toBeGreaterThan(1e-4);
    const wrong = excesses.map((x) => 1.05 * x);
    expect(kolmogorovTest(wrong, law)).toBeLessThan(1e-4);
    // A plain exponential of rate 3.654, which is Marsaglia's proposal before its rejection.
    const proposal = (x: number): number => 1 - Math.exp(-TAIL * x);
    expect(kolmogorovTest(excesses, proposal)).toBeLessThan(ALARM);
  });
});

test('follows the law from a secure source too (not seeded: a false alarm once in 10⁹ runs)', () => {
  const part = new Float64Array(200_000);
  fillNormal(part, secureRandom());
  expect(kolmogorovTest(part, normalLaw)).toBeGreaterThan(1e-9);
});

/** Φ⁻¹ by bisection. */
function quantile(p: number): number {
  let low = -10;
  let high = 10;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalLaw(middle) < p) low = middle;
    else high = middle;
  }
  return low;
}

function cell(x: number, cuts: number[]): number {
  let low = 0;
  for (let step = 16; step >= 1; step /= 2) if (x > cuts[low + step - 1]) low += step;
  return low;
}
