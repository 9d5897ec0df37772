import { describe, expect, test } from '@jest/globals';
import { incompleteBeta, inverseIncompleteBeta } from '../../../src/numeric/beta.ts';

// Computed independently with mpmath at 40 digits: x, a, b, I_x(a, b), log I_x(a, b).
const VALUES: readonly (readonly [number, number, number, number, number])[] = [
  [1e-12, 0.5, 0.5, 6.366197723676875e-7, -14.267093263253562],
  [0.1, 0.5, 0.5, 0.20483276469913345, -1.5855614147303534],
  [0.5, 0.5, 0.5, 0.5, -Math.LN2],
  [0.9, 0.5, 0.5, 0.7951672353008665, -0.22920282758111513],
  [0.3, 1, 1, 0.3, -1.2039728043259361],
  [0.01, 2, 3, 0.00059203, -7.431953248688561],
  [0.4, 2, 3, 0.5248, -0.6447380413522577],
  [0.99, 2, 3, 0.99999603, -3.970007880470867e-6],
  [1e-8, 0.5, 32.5, 0.0006408057450347637, -7.352784196840258],
  [0.01, 0.5, 32.5, 0.5792682442841187, -0.5459896197752877],
  [0.3, 0.5, 32.5, 0.9999983896627186, -1.6103385779543666e-6],
  [0.5, 32.5, 0.5, 2.262507107980462e-11, -24.51196248469867],
  [0.99, 32.5, 0.5, 0.42073175571588106, -0.865759808192098],
  [0.999999, 32.5, 0.5, 0.9935920091607089, -0.006428610145337933],
  [1e-10, 0.5, 4999.5, 0.0007978245847845015, -7.133621803243895],
  [0.0001, 0.5, 4999.5, 0.6826652932497427, -0.38175059333406935],
  [0.003, 0.5, 4999.5, 0.9999999576901989, -4.230980196759157e-8],
  [0.9, 4999.5, 0.5, 4.3349781218702295e-231, -530.4304399182629],
  [0.998, 4999.5, 0.5, 7.675577599293602e-6, -11.777467010085745],
  [0.99999, 4999.5, 0.5, 0.7518470352360136, -0.28522238631344465],
  [0.9999999999, 4999.5, 0.5, 0.9992021753822093, -0.0007981430492305772],
  [0.02, 49.5, 0.5, 6.431463605480325e-86, -196.16111586375914],
  [0.97, 49.5, 0.5, 0.08324862524496085, -2.4859236638319784],
  [0.8, 123.456, 3.7, 1.7022223207679288e-9, -20.1913311920778],
  [0.97, 123.456, 3.7, 0.41057777537054796, -0.8901899030649908],
  [0.995, 123.456, 3.7, 0.9929769052759716, -0.007047872734140346],
  [0.49, 100000, 100000, 1.8571347290404196e-19, -43.13008193516077],
  [0.4999, 100000, 100000, 0.4643650813520244, -0.7670842228724907],
  [0.5, 100000, 100000, 0.5, -Math.LN2],
  [0.503, 100000, 100000, 0.996355047635286, -0.003651611389728387],
  [0.999, 100000, 0.5, 1.9865718783973844e-45, -102.92991870567725],
  [0.99999, 100000, 0.5, 0.1572986881624258, -1.8496088086702536],
  [0.003, 499.5, 100000, 1.0952123348379123e-25, -57.47367906728741],
  [0.005, 499.5, 100000, 0.5592166413520504, -0.5812183292920813],
  [0.007, 499.5, 100000, 0.9999999999999998, -1.7225885511839567e-16],
  [0.9933678343675577, 100000, 499.5, 4.955666373117076e-12, -26.030489472200582],
  [0.996, 100000, 499.5, 0.9999985586336814, -1.4413673573721e-6],
  [0.71, 49999.5, 20000.25, 0.006191443772421317, -5.084586976764988],
  [0.7142, 49999.5, 20000.25, 0.48057825861992454, -0.7327651946973684],
];

const relativeError = (value: number, exact: number): number => Math.abs(value / exact - 1);

/** What the doc comment promises. */
const tolerance = (log: number): number => 1.1e-14 + 4e-16 * Math.abs(log);

describe('the regularized incomplete beta function', () => {
  test.each(VALUES)('at x = %p with a = %p, b = %p is right to 1e-14, relative', (x, a, b, value, log) => {
    expect(relativeError(incompleteBeta(x, a, b), value)).toBeLessThan(tolerance(log));
  });

  test('adds up to 1 with its complement', () => {
    let worst = 0;
    for (const a of [0.5, 1, 7.25, 4999.5]) {
      for (const b of [0.5, 3, 100, 1e5]) {
        // Dyadic points: 1 − x is exact.
        for (let k = 1; k < 64; k++) {
          worst = Math.max(worst, Math.abs(incompleteBeta(k / 64, a, b) + incompleteBeta(1 - k / 64, b, a) - 1));
        }
      }
    }
    expect(worst).toBeLessThan(1e-14);
  });

  test('is a binomial tail for whole numbers', () => {
    // P(Binomial(10, ¼) ≥ 4), by counting: Σ C(10, k) 3^(10−k) / 4^10.
    const choose = [1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1];
    let count = 0;
    for (let k = 4; k <= 10; k++) count += choose[k] * 3 ** (10 - k);
    expect(relativeError(incompleteBeta(0.25, 4, 7), count / 4 ** 10)).toBeLessThan(1e-14);
  });

  test('is an arcsine law for a = b = ½', () => {
    let worst = 0;
    for (let k = 1; k < 100; k++) {
      const exact = (2 / Math.PI) * Math.asin(Math.sqrt(k / 100));
      worst = Math.max(worst, relativeError(incompleteBeta(k / 100, 0.5, 0.5), exact));
    }
    expect(worst).toBeLessThan(1e-14);
  });

  test('ends at 0 and 1', () => {
    expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1]);
  });
});

describe('the quantile of the beta law', () => {
  test.each(VALUES.filter(([, , , , log]) => log < -1e-3))(
    'finds x = %p with a = %p, b = %p again',
    (x, a, b, value) => {
      // Errors of 1 + |log I| units in the last place of I, divided by the slope d log I/d log x ≥ ½ of these points.
      expect(relativeError(inverseIncompleteBeta(value, a, b), x)).toBeLessThan(4e-14);
    },
  );

  test('undoes the distribution function for every shape, in both tails', () => {
    let worst = 0;
    for (const a of [0.5, 1, 4.75, 49.5, 4999.5, 1e5]) {
      for (const b of [0.5, 1, 4.75, 49.5, 4999.5, 1e5]) {
        for (const p of [1e-120, 1e-30, 1e-9, 1e-3, 0.1, 0.3, 0.5]) {
          const x = inverseIncompleteBeta(p, a, b);
          // The small side only, where x carries all of its digits: the other is the same call with a and b exchanged.
          if (x > 0.5 || x < 1e-290) continue;
          worst = Math.max(worst, relativeError(incompleteBeta(x, a, b), p) / (1 + 0.04 * Math.abs(Math.log(p))));
          const y = inverseIncompleteBeta(1 - p, b, a);
          // 1 − p carries half an ulp, which 1/slope of the density turns into an absolute error of y.
          if (p >= 0.1) worst = Math.max(worst, Math.abs(1 - y - x) / 10);
        }
      }
    }
    // A rounding of x moves the value by d log I/d log x ≤ 2·√(1e5·log 1e120) ulps: 1e4 × 1.1e-16.
    expect(worst).toBeLessThan(1.2e-12);
  });

  test('is right against values found by bisection at 40 digits', () => {
    // Computed independently with mpmath: p, a, b, x.
    const quantiles = [
      [1e-100, 0.5, 4999.5, 1.5710319796277562e-204],
      [0.001, 0.5, 4999.5, 1.571032802095329e-10],
      [0.5, 0.5, 4999.5, 4.549943218598111e-5],
      [0.999, 0.5, 4999.5, 0.0010823329034521207],
      [1e-10, 4999.5, 0.5, 0.9958259626366458],
      [0.01, 49.5, 0.5, 0.9348617985272173],
      [0.3, 32.5, 0.5, 0.9834844090980966],
      [1e-50, 100000, 100000, 0.4833086532385799],
      [0.2, 100000, 100000, 0.49905903851214695],
      [0.5, 499.5, 3.25, 0.994177431912484],
      [1e-20, 100000, 0.5, 0.9995642851946599],
      [0.75, 2, 700, 0.0038364987500609203],
    ];
    const errors = quantiles.map(([p, a, b, x]) => relativeError(inverseIncompleteBeta(p, a, b), x));
    expect(Math.max(...errors)).toBeLessThan(1e-13);
  });

  test('stays in [0, 1] for shapes near 0, where nearly all of the law is at the ends', () => {
    // Computed independently with mpmath at 40 digits: I at the result, and its slope, give the distance of the quantile.
    const quantiles = [
      [0.37, 0.01, 0.02, 2.602055096261847e-26],
      [0.5, 0.01, 0.02, 3.105592827577239e-13],
      [0.3, 0.05, 0.02, 0.7439651409926974],
    ];
    for (const [p, a, b, x] of quantiles) expect(relativeError(inverseIncompleteBeta(p, a, b), x)).toBeLessThan(1e-11);
    expect(inverseIncompleteBeta(0.9542448525103949, 0.18566270817054642, 0.010695069882995609)).toBe(1);
    expect(inverseIncompleteBeta(0.054, 0.00116, 0.0229)).toBe(0);
  });

  test('ends at 0 and 1, and underflows to 0', () => {
    expect([inverseIncompleteBeta(0, 2, 3), inverseIncompleteBeta(1, 2, 3)]).toEqual([0, 1]);
    expect(inverseIncompleteBeta(1e-300, 0.5, 3)).toBe(0);
  });
});

describe('the beta functions refuse', () => {
  test('a text or null for a probability', () => {
    for (const p of ['0.5', null]) {
      expect(() => inverseIncompleteBeta(p as unknown as number, 1, 1)).toThrow(TypeError);
    }
  });

  test.each([incompleteBeta, inverseIncompleteBeta])('bad arguments: %p', (f) => {
    for (const x of [-0.1, 1.1, Number.NaN]) expect(() => f(x, 1, 1)).toThrow(RangeError);
    for (const a of [0, -1, Infinity, Number.NaN]) {
      expect(() => f(0.5, a, 1)).toThrow(RangeError);
      expect(() => f(0.5, 1, a)).toThrow(RangeError);
    }
  });
});
