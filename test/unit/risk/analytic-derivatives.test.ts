import { describe, expect, test } from '@jest/globals';
import {
  hingeLoss,
  huberHingeLoss,
  type MarginLoss,
  smoothedHinge,
  squaredHingeLoss,
  squaredMarginLoss,
} from '../../../src/risk/margin-loss.ts';
import { exponentialLoss, logisticLoss } from '../../../src/risk/named-loss.ts';

function derivatives(loss: MarginLoss, order: number, t: number): Float64Array {
  const target = new Float64Array(order + 1);
  loss.analyticDerivatives!(order)(t, target);
  return target;
}

// Computed independently with mpmath at 50 digits: order n, then f⁽ⁿ⁾ of the logistic loss at 0.7, −2.3 and 30.
const LOGISTIC: readonly (readonly [number, number, number, number])[] = [
  [1, -0.3318122278318339, -0.9088770389851438, -9.357622968839299e-14],
  [2, 0.22171287329310904, 0.08281956699074115, 9.357622968838423e-14],
  [3, -0.07457878844034181, 0.06772603864241201, -9.357622968836672e-14],
  [5, 0.12384214122158325, 0.0004175443100588216, -9.357622968826165e-14],
  [8, 0.15920398069865432, -0.06419038253465606, 9.357622968728091e-14],
  [11, -12.602320153902028, 1.442718592352459, -9.357622967943508e-14],
  [22, 76599529.75472431, 2439793.750121796, 9.35762113246676e-14],
  [32, -6.948676381082479e17, -415379574800897.4, 2.0113077869865492e-13],
];

describe('all derivatives in closed form:', () => {
  test('the logistic loss agrees with 50 digits, to 1e-9 of the largest value up to order 32', () => {
    // sup |f⁽ⁿ⁾|, also from mpmath.
    const largest = new Map(
      [1, 0.25, 0.0962, 0.1277, 1.0625, 22.25, 1.18e9, 2.03e18].map((sup, i) => [LOGISTIC[i][0], sup]),
    );
    let worst = 0;
    let tail = 0;
    for (const [order, ...expected] of LOGISTIC) {
      [0.7, -2.3, 30].forEach((t, i) => {
        const got = derivatives(logisticLoss(), order, t)[order];
        worst = Math.max(worst, Math.abs(got - expected[i]) / largest.get(order)!);
        if (t === 30 && order <= 8) tail = Math.max(tail, Math.abs(got / expected[i] - 1));
      });
    }
    expect(tail).toBeLessThan(1e-13);
    expect(worst).toBeLessThan(1e-9);
  });

  test('the smoothed hinge loss (β = 0.3) agrees with mpmath to order 9, near the kink and far to its right', () => {
    const near = [0.45, -0.9, 0.36, 1.728, 9.504, 51.1488, 166.30272, -1983.356928, -64536.2049024, -1168064.3874816];
    const far = [
      0.008967831201417156, -0.0035615807565389764, 0.002818893232297255, -0.0033346528773232514, 0.005240769916348403,
      -0.01025808367784086, 0.02400557318709673, -0.06529325778816711, 0.20218230545221538, -0.7015394448936996,
    ];
    const loss = smoothedHinge({ beta: 0.3 });
    const gap = (t: number, expected: readonly number[]): number =>
      Math.max(...derivatives(loss, 9, t).map((value, n) => Math.abs(value / expected[n] - 1)));
    expect(gap(0.1, near)).toBeLessThan(1e-12);
    expect(gap(3, far)).toBeLessThan(1e-11);
  });

  test.each([logisticLoss(), smoothedHinge({ beta: 0.5 }), exponentialLoss(), squaredMarginLoss()])(
    '$name: each is the slope of the one before, and the first three are those of the loss itself',
    (loss) => {
      const step = 1e-4;
      let worst = 0;
      for (const t of [-2, -0.3, 0, 0.55, 1.7]) {
        const here = derivatives(loss, 7, t);
        worst = Math.max(
          worst,
          Math.abs(here[0] - loss.value(t)),
          Math.abs(here[1] - loss.derivative(t)),
          Math.abs(here[2] - loss.secondDerivative(t)),
        );
        expect(worst).toBeLessThan(1e-14);
        const after = derivatives(loss, 7, t + step);
        const before = derivatives(loss, 7, t - step);
        for (let n = 0; n < 7; n++) {
          const size = 1 + Math.max(...here.map(Math.abs));
          expect(Math.abs((after[n] - before[n]) / (2 * step) - here[n + 1]) / size).toBeLessThan(1e-6);
        }
      }
    },
  );

  test('low orders write only as many entries as they are', () => {
    for (const loss of [logisticLoss(), smoothedHinge({ beta: 1 }), exponentialLoss(), squaredMarginLoss()]) {
      const target = new Float64Array(3).fill(7);
      loss.analyticDerivatives!(0)(0.2, target);
      expect(target[0]).toBeCloseTo(loss.value(0.2), 14);
      expect([target[1], target[2]]).toEqual([7, 7]);
    }
  });

  test('a loss with a piece has none, and orders beyond 32 are refused', () => {
    expect([hingeLoss(), squaredHingeLoss(), huberHingeLoss()].map((loss) => loss.analyticDerivatives)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for (const loss of [logisticLoss(), smoothedHinge({ beta: 1 }), exponentialLoss(), squaredMarginLoss()]) {
      expect(() => loss.analyticDerivatives!(33)).toThrow('"order" expected a whole number from 0 to 32, got 33');
    }
  });
});
