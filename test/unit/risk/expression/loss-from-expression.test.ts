import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generalizedLinear, lifted } from '../../../../protocols/generalized-linear/index.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { convexMixture, reconstructedValue } from '../../../../src/risk/convex-mixture.ts';
import type { MarginLoss } from '../../../../src/risk/expression/index.ts';
import { lossFromExpression } from '../../../../src/risk/expression/loss-from-expression.ts';
import {
  constantsOn,
  hingeLoss,
  smoothedHinge,
  squaredHingeLoss,
  squaredMarginLoss,
} from '../../../../src/risk/margin-loss.ts';
import { absoluteLoss, exponentialLoss, logisticLoss } from '../../../../src/risk/named-loss.ts';
import { expressions } from './expressions.ts';

// The same cases on every run.
fc.configureGlobal({ seed: 17, numRuns: 400 });

const GRID = Array.from({ length: 201 }, (_, i) => i / 100 - 1);

/** The largest difference of value, derivative and second derivative on the grid. */
function gap(loss: MarginLoss, other: MarginLoss): number {
  return Math.max(
    ...GRID.map((t) =>
      Math.max(
        Math.abs(loss.value(t) - other.value(t)),
        Math.abs(loss.derivative(t) - other.derivative(t)),
        Math.abs(loss.secondDerivative(t) - other.secondDerivative(t)),
      ),
    ),
  );
}

describe('an expression is the loss it says:', () => {
  test.each<[string, MarginLoss, number]>([
    ['log(1 + exp(-t))', logisticLoss(), 1],
    ['log1p(exp(-t))', logisticLoss(), 1],
    ['max(0, 1/2 - t)', hingeLoss(), 1],
    ['(abs(1/2 - t) + 1/2 - t)/2', hingeLoss(), 1],
    ['-min(t - 1/2, 0)', hingeLoss(), 1],
    ['max(0, 1 - t)', hingeLoss({ margin: 1 }), 1],
    ['abs(t - 0.3)', absoluteLoss({ centre: 0.3 }), 1],
    ['max(0, 0.25 - t)^2', squaredHingeLoss({ margin: 0.25 }), 2.5],
    ['(1 - t)^2/2', squaredMarginLoss(), 2],
    ['exp(-t)', exponentialLoss(), 3],
    ['e^(-t)', exponentialLoss(), 3],
    ['1 + expm1(-t)', exponentialLoss(), 3],
    ['(1/2 - t + sqrt((1/2 - t)^2 + 0.04))/2', smoothedHinge({ beta: 0.2 }), 1],
  ])('%s', (text, other, lipschitz) => {
    const loss = lossFromExpression(text, { lipschitz });
    expect(gap(loss, other)).toBeLessThan(1e-12);
    expect(loss.kinks).toEqual(other.kinks);
    expect(loss.name).toBe(text);
    const claimed = constantsOn(other);
    expect(loss.lipschitz).toBeGreaterThanOrEqual(claimed.lipschitz);
    expect(loss.lipschitz).toBeLessThan(claimed.lipschitz * (1 + 1e-12));
    if (other.kinks.length > 0) expect(loss.smoothness).toBe(Infinity);
    // An upper bound, at most 0.1 % and a little above.
    else {
      expect(loss.smoothness).toBeGreaterThanOrEqual(claimed.smoothness * (1 - 1e-12));
      expect(loss.smoothness).toBeLessThan(claimed.smoothness * 1.0011 + 1e-8);
    }
  });

  test('by hand: 2^(-t)/2 has slope −ln 2/2 and curvature (ln 2)²/2 at 0', () => {
    const loss = lossFromExpression(' 2^(-t)/2 ');
    expect([loss.value(0), loss.derivative(0), loss.secondDerivative(0)]).toEqual([
      0.5,
      -Math.LN2 / 2,
      Math.LN2 ** 2 / 2,
    ]);
    expect(loss.lipschitz).toBeCloseTo(Math.LN2, 12);
    expect(loss.name).toBe('2^(-t)/2');
  });

  test('every function and operator may occur', () => {
    const text = 'log(2cosh(t))/4 + sqrt(4 + t^2)/9 + sinh(t)/9 - tanh(t/2)^1/99 + pi/(4 + t)^2 + max(t, -t, e/3)/9';
    const loss = lossFromExpression(text);
    const f = (t: number): number =>
      Math.log(2 * Math.cosh(t)) / 4 +
      Math.sqrt(4 + t * t) / 9 +
      Math.sinh(t) / 9 -
      Math.tanh(t / 2) / 99 +
      Math.PI / (4 + t) ** 2 +
      Math.max(Math.abs(t), Math.E / 3) / 9;
    const step = 1e-5;
    for (const t of [-0.95, -0.4, 0.1, 0.6]) {
      expect(loss.value(t)).toBeCloseTo(f(t), 14);
      expect(loss.derivative(t)).toBeCloseTo((f(t + step) - f(t - step)) / (2 * step), 8);
      expect(loss.secondDerivative(t)).toBeCloseTo((f(t + step) - 2 * f(t) + f(t - step)) / step ** 2, 4);
    }
    expect(loss.kinks.map((kink) => Math.abs(kink))).toEqual([Math.E / 3, Math.E / 3]);
  });
});

describe('kinks', () => {
  test('are where slopes jump, each once, and slopes there are those from the right', () => {
    const loss = lossFromExpression('max(-0.9t - 0.4, -0.2t, 0.7t - 0.3)');
    expect(loss.kinks.length).toBe(2);
    expect(loss.kinks[0]).toBeCloseTo(-4 / 7, 15);
    expect(loss.kinks[1]).toBeCloseTo(1 / 3, 15);
    expect(lossFromExpression('abs(t)/2 + max(0, t)/2').kinks).toEqual([0]);
    expect(lossFromExpression('max(0, 1/4 - t)').derivative(0.25)).toBe(0);
    expect(lossFromExpression('abs(1/4 - t)').derivative(0.25)).toBe(1);
    expect(lossFromExpression('max(t, -t, 0)').derivative(0)).toBe(1);
  });

  test('are not where branches meet without one', () => {
    const squared = lossFromExpression('max(0, t)^2/2');
    expect(squared.kinks).toEqual([]);
    expect(squared.smoothness).toBeCloseTo(1, 12);
    expect(lossFromExpression('abs(t)^3/3').kinks).toEqual([]);
    expect(lossFromExpression('max(t, t/2 - 1)').kinks).toEqual([]);
  });
});

describe('what was proved', () => {
  test('holds on a grid, for every random expression that is accepted', () => {
    let accepted = 0;
    fc.assert(
      fc.property(expressions, (text) => {
        let loss: MarginLoss;
        try {
          loss = lossFromExpression(text, { lipschitz: 50 });
        } catch (error) {
          return error instanceof RangeError;
        }
        accepted++;
        const size = 1 + Math.max(...GRID.map((t) => Math.abs(loss.value(t))));
        return GRID.every((t, i) => {
          if (i === 0) return true;
          const before = loss.derivative(GRID[i - 1]);
          const chord = (loss.value(t) - loss.value(GRID[i - 1])) / (t - GRID[i - 1]);
          const slack = 1e-9 * size;
          return (
            before <= chord + slack &&
            chord <= loss.derivative(t) + slack &&
            Math.abs(chord) <= loss.lipschitz + slack &&
            (loss.kinks.length > 0 || loss.derivative(t) - before <= loss.smoothness * (t - GRID[i - 1]) + slack)
          );
        });
      }),
    );
    expect(accepted).toBeGreaterThan(40);
  });

  test('serves where a built-in loss does: Lemma 13 reconstructs it to 1e-6', () => {
    for (const text of ['log(1 + exp(-t))', 'max(0, 1 - t)', 'abs(t - 0.3)/2 + t^2/4', 'max(0, 0.3 - 1.1t)/2']) {
      const mixture = convexMixture(lossFromExpression(text));
      const errors = GRID.map((t) => Math.abs(reconstructedValue(mixture, t) - mixture.loss.value(t)));
      expect(Math.max(...errors)).toBeLessThan(1e-6);
    }
  });

  test.each([
    ['hinge-1', 'max(0, 1 - t)', {}],
    ['logistic', 'log(1 + exp(-t))', { intercept: 0 }],
  ] as const)(
    'gives a server the model of the built-in loss %s, and no radius beyond its interval',
    (name, text, known) => {
      const { server, player } = generalizedLinear;
      const parameters = lifted({ epsilon: 2, degree: 1, dimension: 2 });
      const tally = server.empty(parameters);
      const random = seededRandom('expression');
      for (let i = 0; i < 400; i++) {
        const record = {
          features: [0.5, i % 2 === 0 ? 0.6 : -0.3],
          label: i % 2 === 0 || i % 4 === 3 ? 1 : -1,
        } as const;
        server.add(parameters, tally, player.randomize(parameters, record, random));
      }
      const found = (loss: string | MarginLoss, radius: number | 'automatic' = 1) =>
        server.estimate(parameters, tally, { ...known, loss, radius });
      const [typed, named] = [found(lossFromExpression(text)), found(name)];
      typed.w.forEach((entry, j) => {
        expect(entry).toBeCloseTo(named.w[j], 3);
      });
      expect(typed.risk).toBeCloseTo(named.risk, 3);
      expect(() => found(lossFromExpression(text), 2)).toThrow(
        '"radius" expected at most 1, within which the loss is known, got 2',
      );
      expect(() => found(lossFromExpression(text), 'automatic')).toThrow('"radius" expected a number for a loss on an');
      expect(found(lossFromExpression(text, { lower: -2, upper: 3 }), 2).w).toHaveLength(2);
    },
  );

  test('is about the interval that was asked for, and the loss is no loss outside', () => {
    const loss = lossFromExpression('exp(-t)/20', { lower: -2, upper: 3 });
    expect(loss.lipschitz).toBeCloseTo(Math.exp(2) / 20, 12);
    expect(loss.value(3)).toBe(Math.exp(-3) / 20);
    // The rounding of an inner product is forgiven.
    expect(loss.value(-2 - 1e-12)).toBeCloseTo(Math.exp(2) / 20, 10);
    for (const evaluate of [loss.value, loss.derivative, loss.secondDerivative]) {
      for (const t of [-2.001, 3.001, Number.NaN]) {
        // Not a word of the margin itself, which is private.
        expect(() => evaluate(t)).toThrow(/^"t" expected a margin in \[-2, 3\], where the expression was checked$/);
      }
    }
    expect(() => constantsOn(loss, 3)).toThrow(RangeError);
    expect(() => lossFromExpression('t', { lower: 1, upper: -1 })).toThrow('"upper" expected');
    expect(() => lossFromExpression('t', { lipschitz: 0 })).toThrow('"lipschitz" expected');
  });
});

describe('an expression that is no such loss is refused with the point:', () => {
  const message = (text: string, options = {}): string => {
    try {
      lossFromExpression(text, options);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      return (error as RangeError).message;
    }
    return 'accepted';
  };

  test.each([
    // Not convex.
    ['-t^2/2', 'a convex function on [-1, 1], got curvature -1 at t = 0'],
    ['log(2 + t)', 'a convex function on [-1, 1], got curvature -0.25 at t = 0'],
    ['t^3/3', 'a convex function on [-1, 1], got curvature -1 at t = -0.5'],
    ['-abs(t)', 'a convex function on [-1, 1], got a slope that falls from 1 to -1 at t = 0'],
    ['min(t, 0.3)', 'a convex function on [-1, 1], got a slope that falls from 1 to 0 at t = 0.3'],
    ['abs(t)/2 - abs(t - 0.7)/4', 'a convex function on [-1, 1], got a slope that falls from 0.75 to 0.25 at t = 0.7'],
    ['tanh(t)', 'a convex function on [-1, 1], got curvature -0.72686'],
    // Too steep.
    ['2t', '|f′| <= 1 on [-1, 1], got slope 2 at t = 1'],
    ['max(0, 1 - t)^2', '|f′| <= 1 on [-1, 1], got slope -4 at t = -1'],
    ['t^2', '|f′| <= 1 on [-1, 1], got slope -2 at t = -1'],
    ['1.00001abs(t)', '|f′| <= 1 on [-1, 1], got slope -1.00001 at t = -1'],
    // Not defined, on a segment or at one point, where a plain evaluation gives NaN or Infinity.
    ['log(t)', 'a function defined on [-1, 1], got a logarithm of a number <= 0 at t = 0'],
    ['-log(1/4 - t)/9', 'a function defined on [-1, 1], got a logarithm of a number <= 0 at t = 0.5'],
    ['t/t', 'a function defined on [-1, 1], got a division by 0 at t = 0'],
    ['0*t/t', 'a function defined on [-1, 1], got a division by 0 at t = 0'],
    ['1/(t - 0.3)^2', 'a function that can be shown to be convex on [-1, 1], got one that cannot at t = 0.3'],
    ['1/abs(t - 0.25)', 'a function defined on [-1, 1], got a division by 0 at t = 0.25'],
    ['t + 0*log(t + 0.7)', 'a function defined on [-1, 1], got a logarithm of a number <= 0 at t = -0.75'],
    ['abs(t)^-1', 'a function defined on [-1, 1], got a division by 0 at t = 0'],
    ['-sqrt(1 - t^2)', 'a function defined on [-1, 1], got a root of a number < 0 nearby at t = -1'],
    ['sqrt(abs(t))', 'a slope bounded on [-1, 1], got one too steep at t = 0'],
    ['exp(1000t)', 'a function bounded on [-1, 1], got one too large at t = 0.75'],
    ['max(0, t)^1.5/2', 'a curvature bounded between the kinks on [-1, 1], got one that is not at t = 0'],
    // Too hard to tell.
    ['log(exp(t))', 'a function that can be shown to be convex on [-1, 1], got one for which'],
    ['max(t, t)', 'abs, max and min of functions that meet at single points, got two that hardly differ near t = -'],
  ])('%s', (text, expected) => {
    expect(message(text)).toContain(`"expression" expected ${expected}`);
  });

  test('a bound and an interval change what is refused', () => {
    expect(message('max(0, 1 - t)^2', { lipschitz: 4 })).toBe('accepted');
    expect(message('t^3/3', { lower: 0 })).toBe('accepted');
    expect(message('log(t)', { lower: 0.5 })).toContain('got curvature');
    expect(message('-log(t)', { lower: 0.5, lipschitz: 2 })).toBe('accepted');
    expect(message('-log(t)', { lower: 0.5, lipschitz: 1.99 })).toContain('got slope -2 at t = 0.5');
  });

  test('a concavity is found however narrow', () => {
    // A bump h/(1 + (1000(t − 0.3))²) has curvature −2e6·h at its top, against the 1 of the parabola.
    expect(message('t^2/2 + 1e-6/(1 + (1000(t - 0.3))^2)')).toMatch(/got curvature -.* at t = 0\.(?:299|3)\d*$/);
    expect(message('t^2/2 + 1e-7/(1 + (1000(t - 0.3))^2)')).toBe('accepted');
  });
});
