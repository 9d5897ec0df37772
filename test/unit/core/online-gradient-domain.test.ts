import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { onlineSgd, onlineSgdPlan } from '../../../protocols/online-sgd/index.ts';
import { budgetsOf, laplaceNoise } from '../../../protocols/online-sgd/noise.ts';
import { gdp } from '../../../protocols/online-sgd/parameters.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { LOSS_NAMES, RESPONSE_LOSS_NAMES } from '../../../src/risk/named-loss.ts';
import { fillGradient } from '../../../src/risk/regression/gradient.ts';
import { type ModelRequest, type OnlineModel, onlineModel } from '../../../src/risk/regression/model.ts';

const { abs, max, sqrt } = Math;
const { player } = onlineSgd;

const bounded: readonly ModelRequest[] = [
  { kind: 'huber', features: 2, scale: 0.7 },
  { kind: 'huber-scale', features: 2 },
  { kind: 'logistic', features: 2 },
  { kind: 'multinomial', features: 2, classes: 3 },
  { kind: 'expectile', features: 2, tau: 0.75 },
  { kind: 'quantile', features: 2, tau: 0.4, bandwidth: 0.5 },
  { kind: 'margin', features: 2, loss: 'huber-hinge' },
  { kind: 'response', features: 2, loss: 'absolute' },
];
const clipped: readonly ModelRequest[] = [
  ...bounded,
  ...LOSS_NAMES.map((loss): ModelRequest => ({ kind: 'margin', features: 2, loss })),
  ...RESPONSE_LOSS_NAMES.map((loss): ModelRequest => ({ kind: 'response', features: 2, loss })),
];
const requests = [
  ...bounded,
  ...clipped.flatMap((request) => [1, 0.03, 1e200].map((clip) => ({ ...request, clip }))),
].flatMap((request) => [true, false].map((intercept) => ({ ...request, intercept })));

/** ‖v‖ by its largest entry: NaN if there is one. */
function length(v: Float64Array): number {
  const largest = v.reduce((a, b) => max(a, abs(b)), 0);
  return largest === 0 ? 0 : largest * sqrt(v.reduce((sum, entry) => sum + (entry / largest) ** 2, 0));
}

/** Numbers of all magnitudes from 1e-320 to 1e300, 0 and the largest double. */
const anyNumber = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(0, 1, -1, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: -320, max: 299 }), fc.double({ min: 1, max: 10, noNaN: true }), fc.boolean())
      .map(([power, digits, plus]) => (plus ? digits : -digits) * 10 ** power),
  },
);
// Features whose squares overflow are outside the domain.
const squarable = (number: number): number => max(-5e153, Math.min(5e153, number));
const within = (number: number): number => max(-1e100, Math.min(1e100, number));

function responseOf({ responses }: OnlineModel, number: number): number {
  return { number, binary: number > 0 ? 1 : 0, sign: number > 0 ? 1 : -1, class: number > 1 ? 2 : 0 }[responses];
}

test.each(requests)('a record of numbers of any magnitude has a gradient of norm at most B₀: %j', (request) => {
  const model = onlineModel(request);
  const { dimension, gradientBound, form } = model;
  const found = new Float64Array(dimension);
  const excess = (features: number[], response: number, theta: Float64Array): number => {
    if (form === 'scale') theta[dimension - 1] = abs(theta[dimension - 1]) || 1;
    fillGradient(model, theta, { features, response: responseOf(model, response) }, found);
    return length(found) / gradientBound;
  };
  // Drawn with a fixed seed: no run differs from another.
  fc.assert(
    fc.property(
      fc.array(anyNumber, { minLength: 2, maxLength: 2 }),
      anyNumber,
      fc.array(anyNumber, { minLength: dimension, maxLength: dimension }),
      (features, response, theta) =>
        excess(features.map(squarable), response, Float64Array.from(theta, within)) <= 1 + 1e-9,
    ),
    { numRuns: 300, seed: 14 },
  );
});

describe('a clip', () => {
  const kinds: readonly ModelRequest[] = [
    { kind: 'huber', features: 2 },
    { kind: 'huber-scale', features: 2 },
    { kind: 'multinomial', features: 2, classes: 3 },
    { kind: 'margin', features: 2, loss: 'exponential' },
    { kind: 'response', features: 2, loss: 'squared' },
  ];
  const clips = [1e-100, 3e-77, 1e-30, 7e-5, 1, 1e30, 1e150, 1e299, 1e300];
  const numbers = [5e-324, 1e-310, 3e-160, 1e-154, 1e-77, 0.3, 1e77, 1e140, 1.1e153, -5e153];
  const cases = kinds.flatMap((kind) => [true, false].map((intercept) => ({ ...kind, intercept })));

  test.each(cases)(
    'holds from the least that is accepted to the largest, for records made to break it: %j',
    (request) => {
      let worst = 0;
      for (const clip of clips) {
        const model = onlineModel({ ...request, clip });
        const { dimension, form } = model;
        const found = new Float64Array(dimension);
        const at = (features: readonly number[], response: number, theta: Float64Array): number => {
          if (form === 'scale') theta[dimension - 1] = abs(theta[dimension - 1]) || 1;
          fillGradient(model, theta, { features, response: responseOf(model, response) }, found);
          return length(found) / clip;
        };
        for (const x of numbers) {
          for (const y of numbers) {
            for (const entry of [0, 1e-100, -1, 1e100]) {
              worst = max(worst, at([x, y], x < y ? 1e300 : -y, new Float64Array(dimension).fill(entry)));
            }
          }
        }
        fc.assert(
          fc.property(
            fc.array(anyNumber, { minLength: 2, maxLength: 2 }),
            anyNumber,
            fc.array(anyNumber, { minLength: dimension, maxLength: dimension }),
            (x, response, theta) => at(x.map(squarable), response, Float64Array.from(theta, within)) <= 1 + 1e-12,
          ),
          { numRuns: 50, seed: 14 },
        );
      }
      expect(worst).toBeLessThanOrEqual(1 + 1e-12);
      // They do reach it.
      expect(worst).toBeGreaterThan(1 - 1e-12);
    },
  );

  test.each([...kinds, { kind: 'logistic', features: 1 } as const])(
    'outside of that range is refused: %j',
    (request) => {
      for (const clip of [5e-324, 1e-310, 1e-300, 9.9e-101, 1.01e300, Number.MAX_VALUE, Infinity, NaN, 0, -1]) {
        const expected = /^"model[.]clip" expected a number from 1e-100 to 1e300/;
        expect(() => onlineModel({ ...request, clip })).toThrow(expected);
      }
    },
  );

  test('and so is a threshold that bounds gradients by such a number', () => {
    for (const threshold of [1e-101, 1e-300, 1e301]) {
      const request = { kind: 'huber', features: 2, threshold } as const;
      expect(() => onlineModel(request)).toThrow(/^"model[.]gradientBound" expected a number from 1e-100/);
      expect(() => onlineModel({ ...request, kind: 'huber-scale' })).toThrow(/^"model[.]gradientBound" expected/);
    }
  });
});

describe('a gradient that is beyond doubles before it is clipped', () => {
  const at = (request: ModelRequest, features: number[], response: number, theta: number[]): number[] => {
    const model = onlineModel({ ...request, intercept: false });
    const found = new Float64Array(model.dimension);
    fillGradient(model, Float64Array.from(theta), { features, response }, found);
    return Array.from(found);
  };
  const close = (found: number[], expected: number[]): void => {
    expect(max(...found.map((entry, i) => abs(entry - expected[i])))).toBeLessThan(1e-12);
  };

  test('has its direction and the norm asked for', () => {
    const squared: ModelRequest = { kind: 'response', loss: 'squared', features: 2, clip: 1 };
    close(at(squared, [3e-170, 4e-170], -1e200, [0, 0]), [0.6, 0.8]);
    // Short enough: −1e308·x.
    close(at(squared, [3e-310, 4e-310], 1e308, [0, 0]), [-0.03, -0.04]);
    close(at(squared, [3e150, 4e150], 1e300, [0, 0]), [-0.6, -0.8]);
    close(at({ kind: 'margin', loss: 'exponential', features: 2, clip: 1 }, [3e3, 4e3], 1, [-1, -1]), [-0.6, -0.8]);
    close(at({ kind: 'huber-scale', features: 2, clip: 1 }, [3e150, 4e150], 1, [0, 0, 1]), [-0.6, -0.8, 0]);
    close(at({ kind: 'multinomial', classes: 2, features: 2, clip: 1 }, [3e150, 4e150], 0, [0, 0]), [0.6, 0.8]);
  });
});

describe('whether a player answers', () => {
  const plan = gdp({ mu: 1, model: { kind: 'huber', features: 2 } });
  const joint = gdp({ mu: 1, model: { kind: 'huber-scale', features: 2 } });
  const step = { plan, index: 1, place: 1, iterate: new Float64Array(3) };
  const random = seededRandom('answers');
  // A datum that notices who looks at it.
  const untouched = new Proxy(
    { features: [0, 0], response: 0 },
    {
      get(): never {
        throw new Error('the datum was looked at');
      },
    },
  );

  test.each([NaN, Infinity, -Infinity, 1.01e100, -1e300])(
    'does not depend on the record at the iterate %p',
    (entry) => {
      const asked = { ...step, iterate: Float64Array.of(0, entry, 0) };
      expect(() => player.randomize(asked, untouched, random)).toThrow(/^"iterate" expected numbers at which/);
    },
  );

  test.each([0, -1])('nor at the scale %p', (scale) => {
    const asked = { ...step, plan: joint, iterate: Float64Array.of(0, 0, 0, scale) };
    expect(() => player.randomize(asked, untouched, random)).toThrow(/^"iterate" expected a scale > 0/);
  });

  test.each([0, -1, 1.5, NaN, Infinity, 2 ** 60, '1', undefined])('nor at the step or place %p', (number) => {
    const [index, place] = [
      { ...step, index: number as number },
      { ...step, place: number as number },
    ];
    expect(() => player.randomize(index, untouched, random)).toThrow(/^"step\.index" expected a whole number/);
    expect(() => player.randomize(place, untouched, random)).toThrow(/^"step\.place" expected a whole number/);
  });

  test.each([
    { variant: 'gdp', mu: 1, hessianMu: 1, model: { kind: 'logistic', features: 2 } },
    { variant: 'gdp', mu: 1, model: { kind: 'margin', loss: 'exponential', features: 2, clip: 1 } },
    {
      variant: 'privUnit',
      epsilon: 2,
      model: { kind: 'response', loss: 'squared', features: 2, clip: 1, intercept: false },
    },
    {
      variant: 'gaussian',
      epsilon: 2,
      delta: 1e-6,
      grade: 'deployment',
      model: { kind: 'multinomial', classes: 3, features: 2, clip: 1 },
    },
  ] as const)('nor on the record at any other one: %j', (request) => {
    const extreme = onlineSgdPlan(request);
    const iterate = new Float64Array(extreme.model.dimension).fill(-1e100);
    const sizes = [0, 5e-324, -1e-200, 1, 5e153, -1e150];
    let answers = 0;
    for (const a of sizes) {
      for (const b of sizes) {
        for (const y of [...sizes, 1e300, -Number.MAX_VALUE]) {
          const datum = { features: [a, b], response: responseOf(extreme.model, y) };
          const { values } = player.randomize({ plan: extreme, index: 1, place: 1, iterate }, datum, random);
          if (Array.from(values).every(Number.isFinite)) answers++;
        }
      }
    }
    expect(answers).toBe(sizes.length ** 2 * (sizes.length + 2));
  });

  test.each([[[NaN, 0]], [[Infinity, 0]], [[0, -Infinity]]])('a record that is none is refused: %j', (features) => {
    expect(() => player.randomize(step, { features, response: 0 }, random)).toThrow(/^"features" expected finite/);
  });
});

describe('budgets', () => {
  test.each([
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is refused.
    [[1, , 2], '"budgets.mus[1]" expected a finite number > 0, got undefined'],
    [[1, Infinity], '"budgets.mus[1]" expected a finite number > 0, got Infinity'],
    [[NaN], '"budgets.mus[0]" expected a finite number > 0, got NaN'],
    [[1, 1e-300], '"budgets.mus[1]" expected a number from 1e-9 to 1e100, got 1e-300'],
  ])('with a hole or beyond finite numbers are refused: %p', (mus, message) => {
    expect(() => budgetsOf({ rule: 'list', mus: mus as number[] })).toThrow(message);
  });

  test('whose noise or whose square is no double are refused by the name of the end', () => {
    const uniform = (low: number, high: number) => () => budgetsOf({ rule: 'uniform', low, high });
    expect(uniform(1e-320, 1)).toThrow('"budgets.low" expected a number from 1e-9 to 1e100');
    expect(uniform(1, 1e308)).toThrow('"budgets.high" expected a number from 1e-9 to 1e100');
    expect(() => laplaceNoise({} as never, { epsilon: 1e-300 })).toThrow(
      '"epsilon" expected a number from 1e-9 to 1e100',
    );
  });
});

test('a threshold whose square is beyond doubles is refused: the gradient of the scale would be NaN, clipped or not', () => {
  const request = { kind: 'huber-scale', features: 2, clip: 1 } as const;
  for (const threshold of [1e155, 1e300, Number.MAX_VALUE]) {
    expect(() => onlineModel({ ...request, threshold })).toThrow(/^"model.threshold" expected/);
  }
  const model = onlineModel({ ...request, threshold: 9e153 });
  for (const scale of [5e-324, 1e-300, 1e100]) {
    for (const response of [0, 1, -Number.MAX_VALUE]) {
      const target = new Float64Array(model.dimension);
      fillGradient(model, Float64Array.of(0, 1, -1, scale), { features: [0.5, 0.5], response }, target);
      expect(length(target)).toBeLessThanOrEqual(1 + 1e-12);
    }
  }
});
