import { describe, expect, test } from '@jest/globals';
import {
  constantsOn,
  hingeLoss,
  huberHingeLoss,
  type MarginLoss,
  slopesAt,
  smoothedHinge,
  squaredHingeLoss,
  squaredMarginLoss,
} from '../../../src/risk/margin-loss.ts';
import { absoluteLoss, exponentialLoss, LOSS_NAMES, logisticLoss, lossByName } from '../../../src/risk/named-loss.ts';

const losses: readonly MarginLoss[] = [
  ...LOSS_NAMES.map(lossByName),
  smoothedHinge({ beta: 0.2 }),
  squaredHingeLoss({ margin: 0.25 }),
  huberHingeLoss({ margin: 0.4, width: 0.3 }),
  absoluteLoss({ centre: -0.3 }),
];
const cases = losses.map((loss) => [loss.name, loss] as const);
const grid = (radius: number, count = 4001): number[] =>
  Array.from({ length: count }, (_, i) => radius * ((2 * i) / (count - 1) - 1) + 1e-7 * Math.sin(i));

describe('by hand', () => {
  test.each<[MarginLoss, number, number, number, number]>([
    // loss, t, f, f′, f″
    [hingeLoss({ margin: 1 }), 0.25, 0.75, -1, 0],
    [squaredHingeLoss(), 0.5, 0.25, -1, 2],
    [squaredHingeLoss(), -1, 4, -4, 2],
    [squaredHingeLoss(), 1, 0, 0, 0],
    [huberHingeLoss(), 0.5, 0.125, -0.5, 1],
    [huberHingeLoss(), -1, 1.5, -1, 0],
    [huberHingeLoss({ margin: 0.5, width: 0.25 }), 0.375, 0.03125, -0.5, 4],
    [huberHingeLoss({ margin: 0.5, width: 0.25 }), 0, 0.375, -1, 0],
    [squaredMarginLoss(), -1, 2, -2, 1],
    [exponentialLoss(), 0, 1, -1, 1],
    [exponentialLoss(), Math.LN2, 0.5, -0.5, 0.5],
    [absoluteLoss({ centre: 0.25 }), 0, 0.25, -1, 0],
    [absoluteLoss({ centre: 0.25 }), 0.25, 0, 1, 0],
    [logisticLoss(), 0, Math.LN2, -0.5, 0.25],
    [logisticLoss(), Math.log(3), Math.log(4 / 3), -0.25, 0.1875],
  ])('%# %o at %d', (loss, t, value, slope, curvature) => {
    expect(loss.value(t)).toBeCloseTo(value, 14);
    expect(loss.derivative(t)).toBeCloseTo(slope, 14);
    expect(loss.secondDerivative(t)).toBeCloseTo(curvature, 14);
  });

  test('names tell the parameters', () => {
    expect(losses.map(({ name }) => name)).toEqual([
      'hinge',
      'hinge (margin 1)',
      'logistic',
      'squared hinge',
      'Huber hinge',
      'exponential',
      'absolute',
      'squared',
      'smoothed hinge (β 0.2)',
      'squared hinge (margin 0.25)',
      'Huber hinge (margin 0.4, width 0.3)',
      'absolute (centre -0.3)',
    ]);
  });
});

describe.each(cases)('%s', (_, loss) => {
  const smoothAt = (t: number): boolean => {
    const step = 2e-4;
    const jumps = [...loss.kinks];
    if (loss.name.startsWith('squared hinge')) jumps.push(1, 0.25);
    if (loss.name.startsWith('Huber')) jumps.push(0, 1, 0.1, 0.4);
    return jumps.every((jump) => Math.abs(jump - t) > step);
  };

  test('has the derivatives that central differences find', () => {
    const step = 1e-4;
    let worst = 0;
    for (const t of grid(3)) {
      if (!smoothAt(t)) continue;
      const first = (loss.value(t + step) - loss.value(t - step)) / (2 * step);
      const second = (loss.derivative(t + step) - loss.derivative(t - step)) / (2 * step);
      worst = Math.max(worst, Math.abs(first - loss.derivative(t)), Math.abs(second - loss.secondDerivative(t)));
    }
    // Third and fourth derivatives are at most 20 and 375 (smoothed hinge, β = 0.2).
    expect(worst).toBeLessThan(2e-6);
  });

  test('is convex: its derivative ascends', () => {
    const slopes = grid(5).map(loss.derivative);
    expect(slopes.every((slope, i) => i === 0 || slope >= slopes[i - 1] - 1e-15)).toBe(true);
  });

  test.each([0.2, 1, 4])(
    'has on [−%d, %d] the Lipschitz and smoothness constants it says, and no smaller ones',
    (radius) => {
      const { lipschitz, smoothness } = constantsOn(loss, radius);
      const points = grid(radius * (1 - 1e-6), 20_001);
      const steepest = Math.max(...points.map((t) => Math.abs(loss.derivative(t))));
      const most = Math.max(...points.map((t) => loss.secondDerivative(t)));
      expect(steepest).toBeLessThanOrEqual(lipschitz);
      expect(steepest).toBeGreaterThan(0.999 * lipschitz);
      const kinked = loss.kinks.some((kink) => Math.abs(kink) < radius);
      if (kinked) expect(smoothness).toBe(Infinity);
      // f″ of a piecewise loss is constant, of an analytic one continuous: the grid finds its supremum.
      else expect([most <= smoothness * (1 + 1e-12), most >= 0.999 * smoothness]).toEqual([true, true]);
      expect(lipschitz).toBeLessThanOrEqual(loss.lipschitz);
      expect(kinked || smoothness <= loss.smoothness).toBe(true);
    },
  );

  test('neither overflows where it need not nor turns into NaN up to |t| = 1000', () => {
    for (const t of [-1000, -709, -37.5, -1e-300, 0, 1e-300, 37.5, 709, 1000]) {
      const values = [loss.value(t), loss.derivative(t), loss.secondDerivative(t)];
      expect(values.some(Number.isNaN)).toBe(false);
      if (loss.name !== 'exponential') expect(values.every(Number.isFinite)).toBe(true);
    }
  });
});

describe('the logistic loss', () => {
  const loss = logisticLoss();

  test('keeps its digits in both tails', () => {
    // From mpmath with 50 digits.
    expect(loss.value(40) / 4.248354255291589e-18).toBeCloseTo(1, 14);
    expect(loss.derivative(40) / -4.248354255291589e-18).toBeCloseTo(1, 14);
    expect(loss.value(-1000)).toBe(1000);
    expect(loss.derivative(-1000)).toBe(-1);
  });

  test('is .731-Lipschitz on [−1, 1]', () => {
    expect(constantsOn(loss).lipschitz).toBeCloseTo(0.7310585786300049, 15);
  });
});

describe('slopes beside a point', () => {
  test('differ at a kink only', () => {
    expect(slopesAt(hingeLoss(), 0.5)).toEqual({ left: -1, right: 0 });
    expect(slopesAt(hingeLoss(), 0.4)).toEqual({ left: -1, right: -1 });
    expect(slopesAt(absoluteLoss(), 0)).toEqual({ left: -1, right: 1 });
  });

  test('an interval sees the inner side of a kink at its end', () => {
    expect(constantsOn(hingeLoss({ margin: -1 }))).toEqual({ lipschitz: 0, smoothness: 0 });
    expect(constantsOn(hingeLoss({ margin: 1 }))).toEqual({ lipschitz: 1, smoothness: 0 });
  });
});

describe('refuses', () => {
  test('names that are not those of a loss', () => {
    expect(() => lossByName('Hinge')).toThrow('"loss" expected one of hinge, hinge-1, logistic');
    expect(() => lossByName('constructor')).toThrow(RangeError);
    expect(() => lossByName(undefined as unknown as string)).toThrow(TypeError);
  });

  test('parameters that are not numbers of the right kind', () => {
    expect(() => huberHingeLoss({ width: 0 })).toThrow('"width" expected a finite number > 0, got 0');
    expect(() => huberHingeLoss({ margin: Number.NaN })).toThrow(RangeError);
    expect(() => squaredHingeLoss({ margin: Infinity })).toThrow('"margin" expected a finite number, got Infinity');
    expect(() => absoluteLoss({ centre: '0' as unknown as number })).toThrow(TypeError);
    expect(() => constantsOn(hingeLoss(), -1)).toThrow('"radius" expected a finite number > 0, got -1');
  });
});
