import { describe, expect, test } from '@jest/globals';
import { logGamma, stirlingCorrection } from '../../../src/numeric/beta.ts';

// Computed independently with mpmath at 40 digits: x, log Γ(x), log Γ(x) − (x − ½) log x + x − ½ log 2π.
const VALUES: readonly (readonly [number, number, number])[] = [
  [1e-12, 27.63102111592797, 12.896572024787655],
  [0.01, 4.599479878042022, 1.4340079537031842],
  [0.5, 0.5723649429247001, 0.15342640972002736],
  [0.999, 0.0005780385328913802, 0.08113875499467682],
  [0.9999999999990905, 5.249745890089625e-13, 0.08106146679539748],
  [1.001, -0.0005763935982833062, 0.08098432353016904],
  [1.4616321449683622, -0.12148629053584961, 0.056216264449475584],
  [1.0000000000009095, -5.249745890076018e-13, 0.08106146679525703],
  [1.999, -0.0004224618006921073, 0.04136106877275885],
  [2.0000000000009095, 3.8452011276491285e-13, 0.04134069595539078],
  [2.5, 0.2846828704729192, 0.03316287351993629],
  [3.25, 0.9358019311087253, 0.025562157964525795],
  [7.5, 7.534364236758733, 0.011104559758206917],
  [8.99, 10.583202365866665, 0.009265749036830829],
  [9.9999, 12.801602305348396, 0.00833064668458729],
  [10, 12.801827480081469, 0.00833056343336287],
  [33.3, 82.60372358165495, 0.002502427296421092],
  [1000, 5905.220423209181, 8.333333055555635e-5],
  [100000, 1051287.7089736569, 8.333333333305556e-7],
  [123456.5, 1323898.630662737, 6.750015862522514e-7],
  [1000000000000, 26631021115915.652, 8.333333333333344e-14],
];

describe('the logarithm of the gamma function', () => {
  test.each(VALUES)('is right at %p to 2e-15, relative', (x, value, correction) => {
    expect(Math.abs(logGamma(x) / value - 1)).toBeLessThan(2e-15);
    expect(Math.abs(stirlingCorrection(x) - correction)).toBeLessThan(1e-14 * Math.max(1, correction));
  });

  test('vanishes at 1 and 2 and is the logarithm of a factorial above', () => {
    expect([logGamma(1), logGamma(2)]).toEqual([0, 0]);
    let factorial = 1;
    let worst = 0;
    for (let n = 3; n < 60; n++) {
      factorial *= n - 1;
      worst = Math.max(worst, Math.abs(logGamma(n) / Math.log(factorial) - 1));
    }
    expect(worst).toBeLessThan(2e-15);
  });

  test('obeys the recurrence across the joints at 1, 3 and 10', () => {
    let worst = 0;
    for (let x = 0.05; x < 14; x += 0.05) {
      worst = Math.max(worst, Math.abs(logGamma(x + 1) - logGamma(x) - Math.log(x)) / Math.max(1, logGamma(x + 1)));
    }
    expect(worst).toBeLessThan(3e-15);
  });

  test('refuses what is not a finite number above 0', () => {
    for (const x of [0, -1, Infinity, Number.NaN]) {
      expect(() => logGamma(x)).toThrow(`"x" expected a finite number > 0, got ${x}`);
      expect(() => stirlingCorrection(x)).toThrow(RangeError);
    }
  });
});
