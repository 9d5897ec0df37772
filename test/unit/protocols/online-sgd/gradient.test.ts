import { describe, expect, test } from '@jest/globals';
import { fillDecayPowers, powersAround } from '../../../../protocols/online-sgd/state.ts';
import { normal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { fillGradient } from '../../../../src/risk/regression/gradient.ts';
import { type ModelRequest, onlineModel, responseLossOf } from '../../../../src/risk/regression/model.ts';
import type { OnlineDatum } from '../../../../src/risk/regression/record.ts';
import { huberValue, mallowsWeight } from '../../../../src/risk/response-loss.ts';

const { abs, exp, hypot, log, max } = Math;

/** The weighted loss of one record, from its definition. */
function risk(request: ModelRequest, theta: Float64Array, { features, response }: OnlineDatum): number {
  const model = onlineModel(request);
  const x = model.intercept ? [1, ...Array.from(features)] : Array.from(features);
  const weight = mallowsWeight(x.reduce((sum, entry) => sum + entry * entry, 0));
  const inner = (from: number): number => x.reduce((sum, entry, i) => sum + theta[from + i] * entry, 0);
  if (model.form === 'index') return weight * responseLossOf(model.loss).value(inner(0), response);
  if (model.form === 'scale') {
    const sigma = theta[model.width];
    return weight * (sigma * huberValue((response - inner(0)) / sigma, model.threshold) + 0.5 * model.constant * sigma);
  }
  const scores = Array.from({ length: model.classes }, (_, k) => (k === 0 ? 0 : inner((k - 1) * model.width)));
  return weight * (log(scores.reduce((sum, score) => sum + exp(score), 0)) - scores[response]);
}

const shared = { features: 3 };
const models: readonly ModelRequest[] = [
  { kind: 'huber', ...shared, scale: 0.7 },
  { kind: 'huber', ...shared, intercept: false },
  { kind: 'huber-scale', ...shared },
  { kind: 'logistic', ...shared },
  { kind: 'multinomial', ...shared, classes: 4 },
  { kind: 'expectile', ...shared, tau: 0.75 },
  { kind: 'quantile', ...shared, tau: 0.4, bandwidth: 0.5 },
  { kind: 'margin', ...shared, loss: 'logistic' },
  { kind: 'margin', ...shared, loss: 'huber-hinge' },
];

describe.each(models)('the gradient of %j', (request) => {
  const model = onlineModel(request);
  const { dimension, gradientBound } = model;
  const random = seededRandom(`gradient ${JSON.stringify(request)}`);

  function draw(scale: number): { theta: Float64Array; datum: OnlineDatum } {
    const theta = Float64Array.from({ length: dimension }, () => normal(random));
    if (model.form === 'scale') theta[dimension - 1] = 0.3 + abs(theta[dimension - 1]);
    const features = Array.from({ length: 3 }, () => scale * normal(random));
    const drawn = normal(random);
    const response = {
      number: 3 * drawn,
      binary: drawn > 0 ? 1 : 0,
      sign: drawn > 0 ? 1 : -1,
      class: abs(drawn) > 1 ? 3 : 1,
    };
    return { theta, datum: { features, response: response[model.responses] } };
  }

  test('is that of the weighted loss', () => {
    const h = 1e-6;
    const found = new Float64Array(dimension);
    let apart = 0;
    for (let n = 0; n < 60; n++) {
      const { theta, datum } = draw(1);
      fillGradient(model, theta, datum, found);
      for (let i = 0; i < dimension; i++) {
        const [up, down] = [theta.slice(), theta.slice()];
        up[i] += h;
        down[i] -= h;
        apart = max(apart, abs((risk(request, up, datum) - risk(request, down, datum)) / (2 * h) - found[i]));
      }
    }
    // Beside a threshold the difference quotient is off by half the jump of the second derivative times h.
    expect(apart).toBeLessThan(1e-5);
  });

  test('clipped has the direction of the gradient without weights, and at most the norm asked for', () => {
    const clip = 0.2;
    const clipped = onlineModel({ ...request, clip });
    const large = onlineModel({ ...request, clip: 1e12 });
    const [short, long] = [new Float64Array(dimension), new Float64Array(dimension)];
    let [apart, longest, clippings] = [0, 0, 0];
    for (let n = 0; n < 200; n++) {
      const { theta, datum } = draw(n % 2 ? 1 : 0.02);
      fillGradient(clipped, theta, datum, short);
      fillGradient(large, theta, datum, long);
      const norm = hypot(...long);
      const factor = norm > clip ? clip / norm : 1;
      if (factor < 1) clippings++;
      longest = max(longest, hypot(...short));
      for (let i = 0; i < dimension; i++) apart = max(apart, abs(short[i] - factor * long[i]));
    }
    expect(apart).toBeLessThan(1e-12);
    expect(longest).toBeLessThanOrEqual(clip * (1 + 1e-12));
    expect(clippings).toBeGreaterThan(20);
  });

  test('has a norm of at most B₀, also for records far away', () => {
    const found = new Float64Array(dimension);
    let longest = 0;
    for (let n = 0; n < 2000; n++) {
      const { theta, datum } = draw([1e-3, 0.5, 1, 1e150][n % 4]);
      fillGradient(model, theta, datum, found);
      longest = max(longest, hypot(...found));
    }
    expect(longest).toBeLessThanOrEqual(gradientBound * (1 + 1e-12));
    expect(longest).toBeGreaterThan(0.5 * gradientBound);
  });
});

const decayPower = (index: number, decay: number): number => {
  const powers = powersAround(index, { decay });
  return powers[index % powers.length];
};

test('the power of a step is i^(−α), wherever blocks begin and whatever was asked before', () => {
  let apart = 0;
  for (const alpha of [0.51, 1, 0.501, 2 / 3]) {
    for (const from of [1, 4000, 65_500, 2 ** 20 - 70, 2 ** 31 - 100, 2 ** 40 + 5]) {
      for (let index = from; index < from + 200; index++) {
        const exact = index ** -alpha;
        apart = max(apart, abs(decayPower(index, alpha) / exact - 1));
      }
    }
  }
  expect(apart).toBeLessThan(1e-15);
  const forwards = Array.from({ length: 300 }, (_, i) => decayPower(5000 + i, 0.7));
  const backwards = Array.from({ length: 300 }, (_, i) => decayPower(5299 - i, 0.7)).reverse();
  expect(backwards).toEqual(forwards);
});

test('step sizes in a row are those one by one, whatever blocks they lie in', () => {
  const target = new Float64Array(300);
  const different: string[] = [];
  for (const from of [1, 4001, 4095, 5000]) {
    for (const count of [0, 1, 63, 64, 65, 300]) {
      target.fill(-1);
      fillDecayPowers(target, count, 0.3, from, 0.51);
      const expected = target.map((_, i) => (i < count ? 0.3 * decayPower(from + i, 0.51) : -1));
      if (!target.every((entry, i) => entry === expected[i])) different.push(`${count} from ${from}`);
    }
  }
  expect(different).toEqual([]);
});
