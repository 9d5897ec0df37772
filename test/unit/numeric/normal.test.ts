import { describe, expect, test } from '@jest/globals';
import {
  logNormalCdf,
  logNormalQuantile,
  normalCdf,
  normalDensity,
  normalQuantile,
} from '../../../src/numeric/normal.ts';

// Computed independently with mpmath at 50 digits, from erfc and its continued fraction: x, φ(x), Φ(x), log Φ(x).
const LAW: readonly (readonly [number, number, number, number])[] = [
  [0, 0.3989422804014327, 0.5, -Math.LN2],
  [1e-10, 0.3989422804014327, 0.5000000000398942, -0.6931471804801569],
  [-1e-10, 0.3989422804014327, 0.49999999996010575, -0.6931471806397338],
  [0.5, 0.35206532676429947, 0.6914624612740131, -0.3689464152886564],
  [-0.5, 0.35206532676429947, 0.3085375387259869, -1.1759117615936185],
  [1, 0.24197072451914334, 0.8413447460685429, -0.17275377902344988],
  [-1, 0.24197072451914334, 0.15865525393145705, -1.8410216450092636],
  [1.8852614614736294, 0.0674719095683118, 0.9703027267450117, -0.030147166746636825],
  [-1.8852614614736294, 0.0674719095683118, 0.02969727325498832, -3.516700046984595],
  [-3.3, 0.0017225689390536812, 0.0004834241423837775, -7.634616148071127],
  [5, 1.4867195147342977e-6, 0.9999997133484281, -2.866516129637636e-7],
  [-5, 1.4867195147342977e-6, 2.866515718791939e-7, -15.064998393988725],
  [8, 5.052271083536892e-15, 0.9999999999999993, -6.220960574271786e-16],
  [-8, 5.052271083536892e-15, 6.220960574271784e-16, -35.01343715991455],
  [-12.34, 3.4251820671485436e-34, 2.7577941516989773e-35, -79.57604711500835],
  [20, 5.520948362159764e-88, 1, -2.7536241186062337e-89],
  [-20, 5.520948362159764e-88, 2.7536241186062337e-89, -203.91715537109727],
  [-30.015625, 9.220716225812412e-197, 3.0685736317071517e-198, -454.7906355742681],
  [37, 2.1200065515246056e-298, 1, -5.725571222524577e-300],
  [-37, 2.1200065515246056e-298, 5.725571222524577e-300, -689.0305855768906],
];

// p, Φ⁻¹(p): Newton's method on the same functions at 50 digits.
const QUANTILES: readonly (readonly [number, number])[] = [
  [1e-300, -37.0470962993612],
  [5e-324, -38.467405617144344],
  [1e-200, -30.20559417957964],
  [1e-100, -21.273453560965326],
  [1e-50, -14.933337534788489],
  [1e-20, -9.262340089798407],
  [1.3e-11, -6.667611456510741],
  [1.5e-11, -6.646570887477113],
  [1e-5, -4.264890793922825],
  [0.01, -2.326347874040841],
  [0.0749, -1.4402382675279637],
  [0.0751, -1.43882539275254],
  [0.25, -0.6744897501960817],
  [0.4999999999, -2.506628482030354e-10],
  [0.6, 0.2533471031357997],
  [0.9249, 1.4388253927525405],
  [0.9251, 1.440238267527964],
  [0.999, 3.090232306167813],
  [0.9999999999999999, 8.209536151601387],
];

// log p, Φ⁻¹(p).
const LOG_QUANTILES: readonly (readonly [number, number])[] = [
  [-1e18, -1414213562.373095],
  [-12345.6789, -157.09680492450556],
  [-1000, -44.6157477319694],
  [-800, -39.88469483825668],
  [-730, -38.09042951601188],
  [-728, -38.03792286348305],
  [-100, -13.888476033003887],
  [-5, -2.4709386372615882],
  [-1, -0.33747496376420244],
  [-0.69, 0.003950629560280057],
  [-0.5, 0.27028802073873587],
  [-0.1, 1.309617799458493],
  [-0.01, 2.328221737537176],
  [-1e-8, 5.612001245039789],
  [-1e-30, 11.464024688443615],
  [-1e-290, 36.420731673207996],
];

const relativeError = (value: number, exact: number): number =>
  exact === 0 ? Math.abs(value) : Math.abs(value / exact - 1);

describe('the standard normal law', () => {
  test.each(LAW)('has its density and distribution function at %p to 1e-14, relative', (x, density, cdf, logCdf) => {
    expect(relativeError(normalDensity(x), density)).toBeLessThan(1e-14);
    expect(relativeError(normalCdf(x), cdf)).toBeLessThan(1e-14);
    expect(relativeError(logNormalCdf(x), logCdf)).toBeLessThan(1e-14);
  });

  test('needs the square split: the density of one exponential misses the tolerance', () => {
    let worst = 0;
    for (let x = 30; x < 37; x += 0.0137) {
      worst = Math.max(worst, relativeError(Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI), normalDensity(x)));
    }
    expect(worst).toBeGreaterThan(2e-14);
  });

  test('has the logarithm of its tail far below the smallest double', () => {
    expect(relativeError(logNormalCdf(-38), -726.5572160188201)).toBeLessThan(1e-14);
    expect(relativeError(logNormalCdf(-40), -804.6084420137538)).toBeLessThan(1e-14);
    expect(relativeError(logNormalCdf(-1000), -500007.8266948122)).toBeLessThan(1e-14);
    expect(relativeError(logNormalCdf(-1e10), -5e19)).toBeLessThan(1e-14);
  });

  test('ends at 0 and 1', () => {
    expect([normalCdf(-Infinity), normalCdf(-39), normalCdf(Infinity)]).toEqual([0, 0, 1]);
    expect([logNormalCdf(-Infinity), logNormalCdf(Infinity)]).toEqual([-Infinity, 0]);
    expect([normalDensity(-Infinity), normalDensity(Infinity)]).toEqual([0, 0]);
  });

  test('is never decreasing, from -39 to 9', () => {
    let worst = Infinity;
    for (let x = -39; x < 9; x += 1 / 256) worst = Math.min(worst, normalCdf(x + 1 / 256) - normalCdf(x));
    expect(worst).toBeGreaterThanOrEqual(0);
  });
});

describe('the normal quantile', () => {
  test.each(QUANTILES)('is right at %p to 1e-14, relative', (p, quantile) => {
    expect(relativeError(normalQuantile(p), quantile)).toBeLessThan(1e-14);
  });

  test.each(LOG_QUANTILES)('is right at exp(%p) to 1e-14, relative, given the logarithm', (logP, quantile) => {
    // Around log ½ the argument itself carries half an ulp of 0.69, which is absolute in the quantile.
    const absolute = 2e-16;
    expect(Math.abs(logNormalQuantile(logP) - quantile)).toBeLessThan(absolute + 1e-14 * Math.abs(quantile));
  });

  test('undoes the distribution function from -37 to 37', () => {
    let worst = 0;
    let worstLog = 0;
    for (let x = -37; x <= 0; x += 0.0137) {
      // A relative error u in p moves x by u·Φ/φ, less than u/|x| in the tail: rounding of x itself is what is left.
      worst = Math.max(worst, Math.abs(normalQuantile(normalCdf(x)) - x) / Math.max(1, -x));
      worstLog = Math.max(worstLog, Math.abs(logNormalQuantile(logNormalCdf(x)) - x) / Math.max(1, -x));
    }
    let worstUpper = 0;
    // Above 0 the logarithm of Φ keeps the upper tail that 1 − Φ loses.
    for (let x = 0; x <= 37; x += 0.0137)
      worstUpper = Math.max(worstUpper, relativeError(logNormalQuantile(logNormalCdf(x)), x));
    expect(worst).toBeLessThan(1e-14);
    expect(worstLog).toBeLessThan(1e-14);
    expect(worstUpper).toBeLessThan(1e-13);
  });

  test('is odd about one half', () => {
    let worst = 0;
    for (let k = 1; k < 1024; k++)
      worst = Math.max(worst, Math.abs(normalQuantile(k / 1024) + normalQuantile(1 - k / 1024)));
    expect(worst).toBe(0);
  });

  test('ends at the infinities', () => {
    expect([normalQuantile(0), normalQuantile(0.5), normalQuantile(1)]).toEqual([-Infinity, 0, Infinity]);
    expect([logNormalQuantile(-Infinity), logNormalQuantile(0)]).toEqual([-Infinity, Infinity]);
  });
});

describe('the normal functions refuse', () => {
  test.each([normalDensity, normalCdf, logNormalCdf, normalQuantile, logNormalQuantile])('not-a-number: %p', (f) => {
    expect(() => f(Number.NaN)).toThrow(RangeError);
  });

  test.each([normalDensity, normalCdf, logNormalCdf, normalQuantile, logNormalQuantile])('text: %p', (f) => {
    for (const value of ['0', '0.5', null, undefined, 1n, [0]]) {
      expect(() => f(value as never)).toThrow(/^"(x|p|logP)" expected a number/);
      expect(() => f(value as never)).toThrow(TypeError);
    }
  });

  test('probabilities outside [0, 1]', () => {
    for (const p of [-1e-300, 1.0000000000000002, Infinity, -Infinity]) {
      expect(() => normalQuantile(p)).toThrow(`"p" expected a number from 0 to 1, got ${p}`);
    }
    expect(() => logNormalQuantile(1e-300)).toThrow('"logP" expected a number <= 0, got 1e-300');
  });
});
