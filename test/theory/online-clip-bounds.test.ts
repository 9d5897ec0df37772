import { describe, expect, test } from '@jest/globals';
import { onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import { fillSphere, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillGradient } from '../../src/risk/regression/gradient.ts';
import { type IndexModel, type ModelRequest, onlineModel } from '../../src/risk/regression/model.ts';

const BOUNDS = { features: 0.8, response: 3, radius: 2 };
const FEATURES = 3;

/** Models with their possible responses, and the largest slope within the bounds where records have the norm x. */
const CASES: readonly (readonly [ModelRequest, readonly [number, number], (x: number) => number])[] = [
  [{ kind: 'response', loss: 'squared', features: FEATURES }, [-3, 3], (x) => 2 * x + 3],
  [{ kind: 'response', loss: 'absolute', features: FEATURES }, [-3, 3], () => 1],
  [{ kind: 'huber', features: FEATURES }, [-3, 3], () => 1.345],
  [{ kind: 'huber', features: FEATURES, threshold: 100 }, [-3, 3], (x) => 2 * x + 3],
  [{ kind: 'logistic', features: FEATURES, intercept: false }, [0, 1], (x) => 1 / (1 + Math.exp(-2 * x))],
  [{ kind: 'margin', loss: 'hinge', features: FEATURES }, [-1, 1], () => 1],
  [{ kind: 'margin', loss: 'squared', features: FEATURES, intercept: false }, [-1, 1], (x) => 1 + 2 * x],
];

describe('a clip that is chosen from public bounds', () => {
  test.each(CASES)('is the largest gradient of a record within them: %p', (request, [low, high], slope) => {
    const model = onlineModel({ ...request, clip: 'bounds', bounds: BOUNDS }) as IndexModel;
    const norm = Math.hypot(BOUNDS.features, model.intercept ? 1 : 0);
    expect(model.clip).toBeCloseTo(slope(norm) * norm, 12);
    expect(model.sensitivity).toBe(2 * model.gradientBound);
    // The same model with a clip that cuts nothing.
    const free = onlineModel({ ...request, clip: 1e6 });
    const random = seededRandom('within bounds');
    const { dimension } = model;
    const [cut, whole] = [new Float64Array(dimension), new Float64Array(dimension)];
    let [largest, apart] = [0, 0];
    for (let trial = 0; trial < 2000; trial++) {
      const features = new Float64Array(FEATURES);
      fillSphere(features, random);
      // Every other record lies on the edge, and the coefficients along it.
      const edge = trial % 2 === 0;
      const length = BOUNDS.features * (edge ? 1 : uniform(random));
      for (let i = 0; i < FEATURES; i++) features[i] *= length;
      const theta = new Float64Array(dimension);
      if (edge) {
        const from = model.intercept ? 1 : 0;
        const sign = trial % 4 === 0 ? 1 : -1;
        if (from === 1) theta[0] = (sign * BOUNDS.radius) / norm;
        for (let i = 0; i < FEATURES; i++) theta[from + i] = (sign * BOUNDS.radius * features[i]) / norm;
      } else {
        fillSphere(theta, random);
        for (let i = 0; i < dimension; i++) theta[i] *= BOUNDS.radius * uniform(random);
      }
      const datum = { features, response: trial % 8 < 4 ? low : high };
      fillGradient(model, theta, datum, cut);
      fillGradient(free, theta, datum, whole);
      for (let i = 0; i < dimension; i++) apart = Math.max(apart, Math.abs(cut[i] - whole[i]));
      largest = Math.max(largest, Math.hypot(...whole));
    }
    expect(apart).toBeLessThan(1e-12);
    // No smaller clip would do: one of .8 of it cuts the records at the edge.
    expect(largest / model.gradientBound).toBeGreaterThan(1 - 1e-9);
  });

  test('is left to Mallows weights where their bound is smaller', () => {
    // Records of norm √5 with an intercept: 1.345·√5 > 1.345·√2.
    const model = onlineModel({ kind: 'huber', features: 2, clip: 'bounds', bounds: { features: 2 } });
    expect(model.clip).toBeUndefined();
    expect(model.gradientBound).toBe(onlineModel({ kind: 'huber', features: 2 }).gradientBound);
    const several = onlineModel({
      kind: 'multinomial',
      features: 2,
      classes: 3,
      clip: 'bounds',
      bounds: { features: 2 },
    });
    expect(several.clip).toBeUndefined();
    const near = { features: 0.5 } as const;
    const multinomial = { kind: 'multinomial', features: 2, classes: 3, clip: 'bounds', bounds: near } as const;
    expect(onlineModel(multinomial).clip).toBeCloseTo(Math.SQRT2 * Math.hypot(0.5, 1), 12);
  });

  test('travels as it was asked for, and makes the same plan on a device', () => {
    const model: ModelRequest = { kind: 'response', loss: 'squared', features: 2, clip: 'bounds', bounds: BOUNDS };
    for (const request of [
      { variant: 'privUnit', epsilon: 2, model },
      { variant: 'gdp', mu: 1, model },
    ] as const) {
      const plan = onlineSgdPlan(request);
      expect(onlineSgdPlan(JSON.parse(JSON.stringify(plan.request))).digest).toBe(plan.digest);
      const other = { ...request, model: { ...model, bounds: { ...BOUNDS, radius: 2.5 } } };
      expect(onlineSgdPlan(other).digest).not.toBe(plan.digest);
    }
  });

  test.each([
    [{ clip: 'bounds' }, '"model.bounds" expected an object with public bounds, for the clip bounds'],
    [{ clip: 'bounds', bounds: { features: 0 } }, '"model.bounds.features" expected a finite number > 0, got 0'],
    [
      { clip: 'bounds', bounds: { features: 1, response: 1 } },
      '"model.bounds.radius" expected a number, since the slope',
    ],
    [
      { clip: 'bounds', bounds: { features: 1, radius: 1 } },
      '"model.bounds.response" expected a number, since the slope',
    ],
    [{ clip: 2, bounds: BOUNDS }, '"model.bounds" expected nothing unless the clip is bounds'],
    [{ clip: 'automatic' }, '"model.clip" expected a number from 1e-100 to 1e300'],
    [{ kind: 'huber-scale', clip: 'bounds', bounds: BOUNDS }, '"model.clip" expected a number for huber-scale'],
  ])('refuses %j', (change, message) => {
    const request = { kind: 'response', loss: 'squared', features: 2, ...change } as unknown as ModelRequest;
    expect(() => onlineModel(request)).toThrow(message);
  });
});
