import { describe, expect, test } from '@jest/globals';
import { fillNormal, type NormalKernel, normal } from '../../../src/random/normal.ts';
import { bits } from '../../../src/random/random.ts';
import { secureRandom } from '../../../src/random/secure.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { uniform } from '../../../src/random/uniform.ts';
import { cellProbabilities, chiSquareTest, countCells } from '../../statistics/chi-square.ts';
import { normalLaw } from '../../statistics/incomplete-gamma.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { centralMomentTest, correlationTest, meanTest } from '../../statistics/moments.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes about 25 of them.
const ALARM = 1e-6;

/** The edges x₁ > x₂ > … > x₂₅₅ of the layers, stacked again here, and the width of the base before them. */
function layerEdges(): number[] {
  const tail = 3.654152885361009;
  const height = (x: number): number => Math.exp(-0.5 * x * x);
  // One layer is the rectangle up to the tail, and the tail.
  const area = tail * height(tail) + Math.sqrt(2 * Math.PI) * normalLaw(-tail);
  const edges = [area / height(tail), tail];
  while (edges.length < 256) {
    const outer = edges[edges.length - 1];
    edges.push(Math.sqrt(-2 * Math.log(height(outer) + area / outer)));
  }
  return edges;
}

/** Drawn once: the tests below look at it from different sides. */
const sample = new Float64Array(5_000_000);
fillNormal(sample, seededRandom('five million normals'));

describe('the ziggurat', () => {
  const edges = layerEdges();

  test('closes: the last of 256 layers of equal area ends at the top of the curve', () => {
    const last = edges[255];
    expect(Math.exp(-0.5 * last * last) + (edges[0] * Math.exp(-0.5 * edges[1] ** 2)) / last).toBeCloseTo(1, 12);
  });

  test('the low byte picks the layer, the other word and 21 further bits the point in it', () => {
    let worst = 0;
    for (let layer = 0; layer < 256; layer++) {
      for (const [high, low] of [
        [0, 0],
        [0x12345678, 0x1fffff],
        [-1, 0],
        [-0x23456789, 0x155555],
      ]) {
        // Two more words for the top layer, all of which is wedge: height 0 in it, which is kept.
        const x = normal(scripted(((low << 11) | 0x700 | layer) >>> 0, high >>> 0, 0, 0));
        const expected = ((high + (low + 0.5) * 2 ** -21) * edges[layer]) / 2 ** 31;
        worst = Math.max(worst, Math.abs(x / expected - 1));
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('no word gives 0, and opposite words give opposite numbers', () => {
    expect(normal(scripted(5, 0))).toBe(-normal(scripted(0xfffff805, 0xffffffff)));
    expect(normal(scripted(5, 0))).toBeGreaterThan(0);
  });

  test('a point in a wedge is kept below the curve and refused above it', () => {
    // Layer 100 spans (x₁₀₁, x₁₀₀); its right end is above the curve nearly everywhere.
    const words = [100 | (7 << 11), 0x7fffff00] as const;
    const point = normal(scripted(...words, 0, 0));
    expect(point).toBeGreaterThan(edges[101]);
    expect(point).toBeLessThan(edges[100]);
    // Height at the top of the layer: refused, and the next pair of words decides.
    expect(normal(scripted(...words, 0xffffffff, 0xffffffff, 100, 0))).toBe(normal(scripted(100, 0)));
  });

  test('a point of the base beyond the tail edge is replaced by a draw from the tail, with its sign', () => {
    const u = [0x80000000, 0] as const;
    const excess = -Math.log(uniform(scripted(...u))) / edges[1];
    expect(normal(scripted(0, 0x7fffffff, ...u, ...u))).toBe(3.654152885361009 + excess);
    expect(normal(scripted(0, 0x80000000, ...u, ...u))).toBe(-3.654152885361009 - excess);
    // −2·log(1 − 2⁻⁵³) is too small for the first try, so another pair is drawn.
    const again = [...u, 0xffffffff, 0xffffffff, ...u, ...u];
    expect(normal(scripted(0, 0x7fffffff, ...again))).toBe(3.654152885361009 + excess);
  });
});

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
    expect(
      kolmogorovTest(
        part.map((x) => 1.05 * x),
        normalLaw,
      ),
    ).toBeLessThan(ALARM);
    expect(
      kolmogorovTest(
        part.map((x) => x + 0.05),
        normalLaw,
      ),
    ).toBeLessThan(ALARM);
  });

  test('moments 1 to 6 are 0, 1, 0, 3, 0, 15', () => {
    expect(meanTest(sample, 0, 1)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 2, 1, 3)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 3, 0, 15)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 4, 3, 105)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 5, 0, 945)).toBeGreaterThan(ALARM);
    expect(centralMomentTest(sample, 0, 6, 15, 10395)).toBeGreaterThan(ALARM);
    expect(
      centralMomentTest(
        sample.map((x) => 1.05 * x),
        0,
        4,
        3,
        105,
      ),
    ).toBeLessThan(ALARM);
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
  const draws = 40 * batch.length;
  for (let round = 0; round < 40; round++) {
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
    expect(kolmogorovTest(excesses, law)).toBeGreaterThan(1e-3);
    expect(
      kolmogorovTest(
        excesses.map((x) => 1.05 * x),
        law,
      ),
    ).toBeLessThan(1e-3);
    // A plain exponential of rate 3.654, which is Marsaglia's proposal before its rejection.
    const proposal = (x: number): number => 1 - Math.exp(-TAIL * x);
    expect(kolmogorovTest(excesses, proposal)).toBeLessThan(ALARM);
  });
});

describe('fillNormal', () => {
  test('draws exactly what that many calls of normal draw, from seeded sources at any place of the pool', () => {
    const one = seededRandom('kernel');
    const two = seededRandom('kernel');
    const filled = new Float64Array(100_000);
    const called = new Float64Array(100_000);
    let from = 0;
    for (let round = 0; from < filled.length; round++) {
      const to = Math.min(filled.length, from + ((round * round) % 977));
      fillNormal(filled, one, from, to);
      for (let i = from; i < to; i++) called[i] = normal(two);
      // An odd word now and then, so that pairs straddle the refills.
      if (round % 5 === 0 && bits(one) !== bits(two)) throw new Error('the sources have parted');
      from = to;
    }
    expect(filled).toEqual(called);
    expect(bits(one)).toBe(bits(two));
  });

  test('touches nothing outside its range, and draws nothing for an empty one', () => {
    const target = new Float64Array(10).fill(9);
    fillNormal(target, seededRandom('range'), 3, 7);
    expect(Array.from(target.slice(0, 3))).toEqual([9, 9, 9]);
    expect(Array.from(target.slice(7))).toEqual([9, 9, 9]);
    expect(target.slice(3, 7).every((x) => x !== 9)).toBe(true);
    fillNormal(target, scripted(), 4, 4);
    fillNormal(new Float64Array(0), scripted());
  });

  test('has the type of a kernel, which another may replace', () => {
    const kernel: NormalKernel = fillNormal;
    const target = new Float64Array(2);
    kernel(target, seededRandom('type'), 0, 2);
    expect(target.every((x) => x !== 0)).toBe(true);
  });

  test.each([
    [-1, 2],
    [0.5, 2],
    [0, 4],
    [Number.NaN, 2],
    [0, Number.NaN],
  ])('the range %d … %d is refused', (from, to) => {
    expect(() => fillNormal(new Float64Array(3), scripted(), from, to)).toThrow(RangeError);
  });

  test('follows the law from a secure source too (not seeded: a false alarm once in 10⁹ runs)', () => {
    const part = new Float64Array(200_000);
    fillNormal(part, secureRandom());
    expect(kolmogorovTest(part, normalLaw)).toBeGreaterThan(1e-9);
  });
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
