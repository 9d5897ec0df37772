import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../../src/random/seeded.ts';
import { truncatedNormal } from '../../../src/random/truncated-normal.ts';
import { normalLaw } from '../../statistics/incomplete-gamma.ts';
import { kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { scripted } from './scripted.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 10 of them.
const ALARM = 1e-6;

describe('the inverse', () => {
  // Lower, upper, the two words of the uniform, and the quantile, computed independently with mpmath at 60 digits.
  const quantiles: [number, number, number, number, number][] = [
    [0.4, Infinity, 0x0, 0x0, 8.336515574197838],
    [0.4, Infinity, 0x40000000, 0x0, 1.3648852172331771],
    [0.4, Infinity, 0x9abcdef0, 0x12345000, 0.8124092763135407],
    [0.4, Infinity, 0xfffffff0, 0x0, 0.40000000348563153],
    [-Infinity, 0.4, 0x0, 0x0, -8.260114446956871],
    [-Infinity, 0.4, 0x40000000, 0x0, -0.9787351272813232],
    [-Infinity, 0.4, 0x9abcdef0, 0x12345000, -0.2632835266282161],
    [-Infinity, 0.4, 0xfffffff0, 0x0, 0.39999999336998604],
    [-1, 2, 0x0, 0x0, 1.9999999999999982],
    [-1, 2, 0x40000000, 0x0, 0.7474407239640589],
    [-1, 2, 0x9abcdef0, 0x12345000, -0.04399321899407265],
    [-1, 2, 0xfffffff0, 0x0, -0.9999999873972255],
    [30, Infinity, 0x0, 0x0, 31.19928480317169],
    [30, Infinity, 0x40000000, 0x0, 30.046123260403522],
    [30, Infinity, 0x9abcdef0, 0x12345000, 30.016758262801424],
    [30, Infinity, 0xfffffff0, 0x0, 30.00000000012404],
    [30, 31, 0x0, 0x0, 30.999934934407293],
    [30, 31, 0x40000000, 0x0, 30.04612326040352],
    [30, 31, 0x9abcdef0, 0x12345000, 30.016758262801424],
    [30, 31, 0xfffffff0, 0x0, 30.00000000012404],
    [40, Infinity, 0x0, 0x0, 40.907563906503476],
    [40, Infinity, 0x40000000, 0x0, 40.03462077485517],
    [40, Infinity, 0x9abcdef0, 0x12345000, 40.012576311861366],
    [40, Infinity, 0xfffffff0, 0x0, 40.000000000093074],
    [40, 40.001, 0x0, 0x0, 40.001],
    [40, 40.001, 0x40000000, 0x0, 40.0007462250098],
    [40, 40.001, 0x9abcdef0, 0x12345000, 40.00039078727067],
    [40, 40.001, 0xfffffff0, 0x0, 40.00000000000365],
    [-Infinity, -100, 0x0, 0x0, -100.36665921920476],
    [-Infinity, -100, 0x40000000, 0x0, -100.01386059734374],
    [-Infinity, -100, 0x9abcdef0, 0x12345000, -100.0050338252642],
    [-Infinity, -100, 0xfffffff0, 0x0, -100.00000000003725],
    [10000, Infinity, 0x0, 0x0, 10000.003673679345],
    [10000, Infinity, 0x40000000, 0x0, 10000.000138629433],
    [10000, Infinity, 0x9abcdef0, 0x12345000, 10000.000050344552],
    [10000, Infinity, 0xfffffff0, 0x0, 10000.0],
    [300000000.0, Infinity, 0x0, 0x0, 300000000.0000001],
    [300000000.0, Infinity, 0x40000000, 0x0, 300000000.0],
    [300000000.0, Infinity, 0x9abcdef0, 0x12345000, 300000000.0],
    [300000000.0, Infinity, 0xfffffff0, 0x0, 300000000.0],
    [-8, 5, 0x0, 0x0, -7.9797553089422495],
    [-8, 5, 0x40000000, 0x0, -0.6744899757095525],
    [-8, 5, 0x9abcdef0, 0x12345000, 0.26486759093365875],
    [-8, 5, 0xfffffff0, 0x0, 4.997509853234668],
    [-Infinity, Infinity, 0x0, 0x0, -8.209536151601387],
    [-Infinity, Infinity, 0x40000000, 0x0, -0.6744897501960814],
    [-Infinity, Infinity, 0x9abcdef0, 0x12345000, 0.2648680407493535],
    [-Infinity, Infinity, 0xfffffff0, 0x0, 5.780439329492479],
    [0.5, 0.5000001, 0x0, 0x0, 0.5000001],
    [0.5, 0.5000001, 0x40000000, 0x0, 0.5000000749999995],
    [0.5, 0.5000001, 0x9abcdef0, 0x12345000, 0.5000000395555553],
    [0.5, 0.5000001, 0xfffffff0, 0x0, 0.5000000000000003],
    [-1e-9, 1e-9, 0x0, 0x0, -9.999999999999999e-10],
    [-1e-9, 1e-9, 0x40000000, 0x0, -4.999999999999998e-10],
    [-1e-9, 1e-9, 0x9abcdef0, 0x12345000, 2.0888888094160297e-10],
    [-1e-9, 1e-9, 0xfffffff0, 0x0, 9.999999925494197e-10],
    [8, Infinity, 0x0, 0x0, 11.693169781421483],
    [8, Infinity, 0x40000000, 0x0, 8.168964358662926],
    [8, Infinity, 0x9abcdef0, 0x12345000, 8.061758762044072],
    [8, Infinity, 0xfffffff0, 0x0, 8.000000000458702],
    [-2, Infinity, 0x0, 0x0, 8.212299026061523],
    [-2, Infinity, 0x40000000, 0x0, 0.6924975339695967],
    [-2, Infinity, 0x9abcdef0, 0x12345000, -0.22932863285602412],
    [-2, Infinity, 0xfffffff0, 0x0, -1.9999999325713294],
  ];

  test('agrees with 60-digit quantiles to 4 units in the last place, from the body to 3e8 standard deviations', () => {
    const worst = quantiles.map(([lower, upper, high, low, expected]) => {
      const x = truncatedNormal(lower, upper, scripted(high, low));
      // Beside the middle the probability itself, near ½, is known to 1e-16 only.
      return Math.abs(x - expected) / Math.max(Math.abs(expected), 0.3) / 2 ** -52;
    });
    expect(Math.max(...worst)).toBeLessThan(4);
  });

  test('stays within its bounds for the extreme words', () => {
    const bounds: [number, number][] = [
      [-1, 2],
      [30, 30.0000001],
      [0.1, 0.1 + 1e-15],
      [-1e-17, 1e-17],
      [1e9, 2e9],
      [40, 41],
    ];
    for (const [lower, upper] of bounds) {
      for (const word of [0, 1, 0x7fffffff, 0xffffffff]) {
        const x = truncatedNormal(lower, upper, scripted(word, word));
        const y = truncatedNormal(-upper, -lower, scripted(word, word));
        expect([x >= lower && x <= upper, y >= -upper && y <= -lower]).toEqual([true, true]);
      }
    }
    expect(truncatedNormal(1e300, Infinity, scripted(0, 0))).toBe(1e300);
    expect(truncatedNormal(-Infinity, -1e200, scripted(0, 0))).toBe(-1e200);
  });

  test('knows its outer bound even where the interval is a few doubles wide', () => {
    // At 1e8, two doubles of width 2⁻²⁶ are 2.98 mean lengths of the tail. u = 0.1 lies 1.92 of them in: 1.3 doubles.
    const double = 2 ** -26;
    expect(truncatedNormal(1e8, 1e8 + 2 * double, scripted(0x1999999a, 0))).toBe(1e8 + double);
    // Without the outer bound it would be 2.30 of them, 1.55 doubles.
    expect(truncatedNormal(1e8, Infinity, scripted(0x1999999a, 0))).toBe(1e8 + 2 * double);
  });

  test('takes exactly two words, however improbable the interval', () => {
    const random = scripted(1, 2, 3);
    truncatedNormal(35, 36, random);
    expect(random.words.length - random.next).toBe(1);
  });
});

describe('the law', () => {
  test.each([
    [-Infinity, Infinity],
    [0.4, Infinity],
    [-Infinity, 0.4],
    [-1, 2],
    [3, 3.5],
    [-30.5, -30],
  ])('is the normal law between %d and %d', (lower, upper) => {
    const random = seededRandom(`truncated ${lower} ${upper}`);
    const sample = Float64Array.from({ length: 50_000 }, () => truncatedNormal(lower, upper, random));
    // From the left for an interval on the left, and mirrored for one on the right.
    const side = lower > 0 ? -1 : 1;
    const [a, b] = lower > 0 ? [-upper, -lower] : [lower, upper];
    const mass = normalLaw(b) - normalLaw(a);
    const law = (x: number): number => (normalLaw(x) - normalLaw(a)) / mass;
    const mirrored = sample.map((x) => side * x);
    expect(kolmogorovTest(mirrored, law)).toBeGreaterThan(ALARM);
  });

  test('a scale off by 5 % is rejected, and so are bounds off by 0.05', () => {
    const random = seededRandom('controls');
    const above = normalLaw(-0.4);
    const law = (x: number): number => 1 - normalLaw(-Math.max(x, 0.4)) / above;
    const sample = Float64Array.from({ length: 50_000 }, () => truncatedNormal(0.4, Infinity, random));
    expect(kolmogorovTest(sample, law)).toBeGreaterThan(ALARM);
    expect(
      kolmogorovTest(
        sample.map((x) => 1.05 * x),
        law,
      ),
    ).toBeLessThan(ALARM);
    const shifted = sample.map(() => truncatedNormal(0.35, Infinity, random));
    expect(kolmogorovTest(shifted, law)).toBeLessThan(ALARM);
  });

  test('far out it is exponential with the rate of the bound: at 1000, 1000·(x − 1000) to order 1e-6', () => {
    const random = seededRandom('far');
    const sample = Float64Array.from({ length: 50_000 }, () => 1000 * (truncatedNormal(1000, Infinity, random) - 1000));
    const law = (x: number): number => -Math.expm1(-x);
    expect(kolmogorovTest(sample, law)).toBeGreaterThan(ALARM);
    expect(
      kolmogorovTest(
        sample.map((x) => 1.05 * x),
        law,
      ),
    ).toBeLessThan(ALARM);
  });
});

test.each([
  [1, 1],
  [2, 1],
  [Number.NaN, 1],
  [0, Number.NaN],
  [Infinity, Infinity],
])('the bounds %d, %d are refused with a RangeError', (lower, upper) => {
  expect(() => truncatedNormal(lower, upper, scripted(1, 2))).toThrow(RangeError);
  expect(() => truncatedNormal(lower, upper, scripted(1, 2))).toThrow('"lower" expected a number below "upper"');
});
