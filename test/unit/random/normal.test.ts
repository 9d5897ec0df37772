import { describe, expect, test } from '@jest/globals';
import { bits, fillNormal, normal, uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { layerEdges } from './layer-edges.ts';
import { scripted } from './scripted.ts';

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

  test('a point of the base just short of the tail edge, where whole words cannot tell, is kept', () => {
    const word = Math.floor((edges[1] / edges[0]) * 2 ** 31);
    const x = normal(scripted(0, word));
    expect(x).toBeLessThan(3.654152885361009);
    expect(x).toBeCloseTo(3.654152885361009, 8);
    expect(normal(scripted(0, ~word >>> 0, 0x80000000, 0, 0x80000000, 0))).toBeLessThan(-3.654152885361009);
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
    const kernel = fillNormal;
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
});
