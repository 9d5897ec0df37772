import { describe, expect, test } from '@jest/globals';
import { addNoise, fitIntervals, type NoisyFit } from '../../protocols/noisy-gradient-descent/curator.ts';
import { type CentralRecord, descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import { boundedModel, meanScore, weightMoment } from '../../protocols/noisy-gradient-descent/model.ts';
import { newton, reweight, reweighted, solve } from '../../protocols/noisy-newton/index.ts';
import { study } from '../../protocols/noisy-newton/protocol.ts';
import {
  privacyError,
  type ReweightedRequest,
  reweightedCovariance,
  theory,
} from '../../protocols/noisy-newton/reweighted.ts';
import { unpackSymmetric } from '../../src/inference/block-sums.ts';
import { bernoulli, fillNormal, normal, type Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { binaryLogisticLoss } from '../../src/risk/named-loss.ts';
import { huberLoss, mallowsWeight, type ResponseLoss } from '../../src/risk/response-loss.ts';

const { hypot, sqrt, SQRT2 } = Math;

const MODEL = { kind: 'huber', features: 4 } as const;
const REQUEST: ReweightedRequest = { mu: 1, records: 2000, model: MODEL };

/** Normal features, noise of deviation 1, and coefficients that are `size` such deviations. */
function truth(size: number): readonly number[] {
  return [size, -size, size / 2, 0, size / 3];
}

function drawRecords(
  count: number,
  size: number,
  seed: string,
  respond = (inner: number, random: Random): number => inner + normal(random),
): readonly CentralRecord[] {
  const random = seededRandom(seed);
  const theta = truth(size);
  return Array.from({ length: count }, () => {
    const features = Float64Array.from({ length: 4 }, () => normal(random));
    const inner = features.reduce((sum, x, j) => sum + theta[j + 1] * x, theta[0]);
    return { features, response: respond(inner, random) };
  });
}

/** The same features with labels 0 and 1, whose log odds have the coefficients of `truth`. */
function drawLabels(count: number, size: number, seed: string): readonly CentralRecord[] {
  return drawRecords(count, size, seed, (odds, random) => Number(bernoulli(1 / (1 + Math.exp(-odds)), random)));
}

/** How many of so many fits come to an end, and the share of their 95 % intervals that hold the coefficients of `truth(size)`. */
function tried(runs: number, size: number, play: (run: number) => NoisyFit) {
  const theta = truth(size);
  let [held, finished] = [0, 0];
  for (let r = 0; r < runs; r++) {
    const found = play(r);
    if (found.region!.finished) finished++;
    fitIntervals(found, { level: 0.95 }).forEach(({ low, high }, j) => {
      if (low <= theta[j] && theta[j] <= high) held++;
    });
  }
  return { coverage: held / (5 * runs), finished };
}

describe('the plan', () => {
  test('gives half of μ² of the steps to the last one, and three tenths of each to its matrix', () => {
    const { steps, early, last, sandwich, hessianFloor } = reweighted(REQUEST);
    expect(steps).toBe(10);
    // The steps have half of μ²; 2B = 2·√2·1.345, and √2·B̄ = 2·√2.
    const mean = (2 * SQRT2 * 1.345) / 2000;
    const matrix = (2 * SQRT2) / 2000;
    expect(last.gradient).toBeCloseTo(mean / sqrt(0.5 * 0.5 * 0.7), 12);
    expect(last.matrix).toBeCloseTo(matrix / sqrt(0.5 * 0.5 * 0.3), 12);
    expect(early.gradient).toBeCloseTo((3 * mean) / sqrt(0.5 * 0.5 * 0.7), 12);
    expect(early.matrix).toBeCloseTo((3 * matrix) / sqrt(0.5 * 0.5 * 0.3), 12);
    expect([early.floor / early.matrix, last.floor / last.matrix]).toEqual([
      expect.closeTo(sqrt(5), 12),
      expect.closeTo(2 * sqrt(5), 12),
    ]);
    expect(hessianFloor).toBeCloseTo(2 * sqrt(5) * sandwich!.hessian, 12);
    expect(sandwich!.hessian).toBeCloseTo(matrix / sqrt(0.2), 12);
  });

  test('takes what is undefined as not given', () => {
    expect(reweighted({ ...REQUEST, steps: undefined } as never)).toEqual(reweighted(REQUEST));
  });

  test('takes a floor for all matrices that is asked for', () => {
    const { early, last, hessianFloor } = reweighted({ ...REQUEST, hessianFloor: 0.03 });
    expect([early.floor, last.floor, hessianFloor]).toEqual([0.03, 0.03, 0.03]);
  });

  test.each<[string, Partial<ReweightedRequest>, number]>([
    ['as it is', {}, 6],
    ['without regions', { regions: false }, 4],
    ['with one step', { steps: 1 }, 4],
    ['with other shares', { lastShare: 0.9, curvatureShare: 0.4, steps: 9 }, 6],
  ])('its releases add up to μ and no more, %s', (_, change, count) => {
    const { totals, releases } = theory.certificate(reweighted({ ...REQUEST, ...change }));
    expect(releases.length).toBe(count);
    const total = totals.find(({ accounting }) => accounting === 'gdp');
    expect(total?.withinClaim).toBe(true);
    expect(total?.guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(1, 12) });
  });

  test.each(['early', 'last'] as const)('control: %s noise that is 5 %% less is not within the claim', (which) => {
    const plan = reweighted(REQUEST);
    for (const what of ['gradient', 'matrix'] as const) {
      const quiet = { ...plan, [which]: { ...plan[which], [what]: 0.95 * plan[which][what] } };
      const { totals } = theory.certificate(quiet);
      expect(totals.find(({ accounting }) => accounting === 'gdp')?.withinClaim).toBe(false);
    }
  });

  test.each<[string, object, RegExp]>([
    [
      'expectile',
      { model: { kind: 'expectile', tau: 0.3, features: 3 } },
      /"model.kind" expected huber or logistic, whose weights are derived/,
    ],
    ['huber-scale', { model: { kind: 'huber-scale', features: 3, leastScale: 1 } }, /"model.kind" expected huber/],
    ['μ = NaN', { mu: Number.NaN }, /"mu"/],
    ['a share of 1', { lastShare: 1 }, /"lastShare"/],
    ['a share of 0', { curvatureShare: 0 }, /"curvatureShare"/],
    ['K = 0', { steps: 0 }, /"steps" expected a whole number from 1/],
    ['a field of another variant', { warmUp: 8 }, /^"request" expected no fields but .*, got "warmUp"/],
    ['too few records', { records: 30 }, /"records" expected at least \d+/],
    ['too few records for a last step with a small share', { lastShare: 0.001 }, /"records" expected at least \d+/],
  ])('%s is refused', (_, change, message) => {
    expect(() => reweighted({ ...REQUEST, ...change } as ReweightedRequest)).toThrow(message);
  });
});

describe('with next to no noise', () => {
  const quiet = { mu: 1e10, records: 400, model: MODEL, steps: 25 };
  const riskAt = (records: readonly CentralRecord[], theta: Float64Array, { value }: ResponseLoss): number =>
    records.reduce((sum, { features, response }) => {
      let [inner, squared] = [theta[0], 1];
      for (let j = 0; j < features.length; j++) {
        inner += theta[j + 1] * features[j];
        squared += features[j] ** 2;
      }
      return sum + mallowsWeight(squared) * value(inner, response);
    }, 0);
  const rises = ({ iterates }: NoisyFit, records: readonly CentralRecord[], loss: ResponseLoss): number => {
    const risks = iterates.map((theta) => riskAt(records, theta, loss));
    return risks.filter((risk, k) => k > 0 && risk > risks[k - 1] * (1 + 1e-9)).length;
  };

  test.each([0.5, 3, 30, 3000])('from 0 the score comes to 0, whatever the signal: %s deviations', (size) => {
    const records = drawRecords(400, size, 'exact');
    // Far away weights are as small as c/|r|: a floor above them would shorten the steps.
    const { theta } = reweight(reweighted({ ...quiet, hessianFloor: 1e-6 }), records, seededRandom('exact'));
    const score = new Float64Array(theta.length);
    meanScore(boundedModel(MODEL), records, theta, score);
    expect(hypot(...score)).toBeLessThan(1e-6);
  });

  test("no step raises the loss, and control: Newton's own steps do", () => {
    const records = drawRecords(400, 2, 'descends');
    expect(rises(reweight(reweighted(quiet), records, seededRandom('a')), records, huberLoss())).toBe(0);
    expect(
      rises(solve(newton({ ...quiet, warmUp: 0 }), records, seededRandom('a')), records, huberLoss()),
    ).toBeGreaterThan(0);
  });

  // A start on the wrong side, where labels are nearly certain: the second derivative is far below the curvature of the way back.
  const start = truth(-4);
  const logistic = { ...quiet, model: { kind: 'logistic', features: 4 }, start } as const;

  test("no step raises the logistic loss, and control: Newton's own steps do", () => {
    const records = drawLabels(400, 1, 'labels');
    const fit = reweight(reweighted({ ...logistic, hessianFloor: 1e-6 }), records, seededRandom('a'));
    expect(rises(fit, records, binaryLogisticLoss())).toBe(0);
    const score = new Float64Array(5);
    meanScore(boundedModel(logistic.model), records, fit.theta, score);
    expect(hypot(...score)).toBeLessThan(1e-6);
    const own = newton({ ...logistic, warmUp: 0, steps: 5, hessianFloor: 1e-6 });
    expect(rises(solve(own, records, seededRandom('a')), records, binaryLogisticLoss())).toBeGreaterThan(0);
  });
});

describe("the weights of the logistic loss, Jaakkola's and Jordan's", () => {
  const model = boundedModel({ kind: 'logistic', features: 1, intercept: false });
  const weightAt = (inner: number): number =>
    weightMoment(model, [{ features: [1], response: 1 }], Float64Array.of(inner))[0];

  test('are tanh(t/2)/(2t): by hand, even, at most ¼ and not below the second derivative', () => {
    expect(weightAt(0)).toBe(0.25);
    expect(weightAt(2)).toBeCloseTo(Math.tanh(1) / 4, 14);
    for (const inner of [1e-9, 1e-5, 9.9e-5, 1.01e-4, 0.01, 1, 5, 50, 800]) {
      const weight = weightAt(inner);
      expect(weightAt(-inner)).toBe(weight);
      expect(weight).toBeLessThanOrEqual(0.25);
      expect(weight).toBeGreaterThanOrEqual(binaryLogisticLoss().secondDerivative(inner, 1) * (1 - 1e-12));
    }
    // The series and the quotient meet.
    expect(weightAt(1.0000001e-4)).toBeCloseTo(weightAt(0.9999999e-4), 12);
  });

  test('the parabola lies above the loss and touches it; control: one of nine tenths of the curvature does not', () => {
    const { value, derivative } = binaryLogisticLoss();
    const below = (share: number): number => {
      let count = 0;
      for (const at of [-6, -2, -0.3, 0, 1, 4]) {
        for (let to = -12; to <= 12; to += 0.25) {
          const parabola =
            value(at, 1) + derivative(at, 1) * (to - at) + 0.5 * share * weightAt(at) * (to - at) * (to - at);
          if (value(to, 1) > parabola + 1e-12) count++;
        }
      }
      return count;
    };
    expect(below(1)).toBe(0);
    expect(below(0.9)).toBeGreaterThan(0);
  });
});

describe('8000 labels whose log odds have deviation 3.5, μ = 1', () => {
  const runs = 24;
  const request = { mu: 1, records: 8000, model: { kind: 'logistic', features: 4 }, force: true } as const;
  const triedWith = (change: object) => {
    const plan = reweighted({ ...request, ...change });
    return tried(runs, 3, (r) => reweight(plan, drawLabels(8000, 3, `labels ${r}`), seededRandom(`label coins ${r}`)));
  };

  test('twenty steps come to an end, and their intervals hold what they say', () => {
    const { coverage, finished } = triedWith({});
    // 120 intervals of .92 or more (what remains is a third of a deviation): sd .025, so that .80 is 4.8 of them below.
    expect(coverage).toBeGreaterThan(0.8);
    expect(finished).toBeGreaterThanOrEqual(runs - 4);
  });

  test('control: six steps hold less than half, and are seen not to have', () => {
    const { coverage, finished } = triedWith({ steps: 6 });
    expect(coverage).toBeLessThan(0.5);
    expect(finished).toBe(0);
  });
});

test('the covariance of the noise is that of the steps near the minimiser', () => {
  const plan = reweighted({ mu: 1, records: 300, model: { kind: 'huber', features: 3 }, force: true });
  // Rows of a rotation, the same for both matrices: H has .6 to .9 of the curvature of W.
  const vectors = Float64Array.of(1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1).map((entry) => entry / 2);
  const weights = { values: Float64Array.of(0.15, 0.2, 0.25, 0.4), vectors };
  const hessian = { values: Float64Array.of(0.09, 0.14, 0.2, 0.36), vectors };
  const matrixOf = (values: Float64Array): readonly number[] =>
    Array.from({ length: 16 }, (_, at) =>
      values.reduce((sum, value, k) => sum + value * vectors[4 * k + (at >> 2)] * vectors[4 * k + (at & 3)], 0),
    );
  // The eigenvectors are the same: W⁻¹H has the ratios of the eigenvalues.
  const inverse = matrixOf(weights.values.map((value) => 1 / value));
  const shrink = matrixOf(hessian.values.map((value, k) => value / weights.values[k]));
  const random = seededRandom('covariance');
  const packed = new Float64Array(10);
  const [normals, step, shaken] = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  const runs = 40_000;
  const squares = new Float64Array(16);
  for (let r = 0; r < runs; r++) {
    const distance = new Float64Array(4);
    for (let k = 0; k < plan.steps; k++) {
      const { gradient, matrix } = k === plan.steps - 1 ? plan.last : plan.early;
      packed.fill(0);
      addNoise(packed, matrix, random);
      const noise = unpackSymmetric(packed, 4);
      fillNormal(normals, random);
      for (let i = 0; i < 4; i++) {
        step[i] = 0;
        for (let j = 0; j < 4; j++) step[i] += shrink[4 * i + j] * distance[j];
      }
      for (let i = 0; i < 4; i++) {
        shaken[i] = -gradient * normals[i];
        for (let j = 0; j < 4; j++) shaken[i] += noise[4 * i + j] * step[j];
      }
      for (let i = 0; i < 4; i++) {
        distance[i] -= step[i];
        for (let j = 0; j < 4; j++) distance[i] += inverse[4 * i + j] * shaken[j];
      }
    }
    for (let i = 0; i < 16; i++) squares[i] += (distance[i >> 2] * distance[i & 3]) / runs;
  }
  const covariance = reweightedCovariance(plan, hessian, weights);
  const size = hypot(...covariance);
  const apart = (of: Float64Array): number => hypot(...of.map((entry, i) => entry - squares[i])) / size;
  // A mean of 40,000 products has relative sd .7 %, heavier tails included, and 16 of them are compared: 4 sd.
  expect(apart(covariance)).toBeLessThan(0.03);
  const steady = { ...plan.early, matrix: 0 };
  expect(apart(reweightedCovariance({ ...plan, early: steady }, hessian, weights))).toBeGreaterThan(0.03);
  expect(privacyError(plan, weights.values) ** 2).toBeLessThan(
    covariance[0] + covariance[5] + covariance[10] + covariance[15],
  );
});

describe('500 records with a signal of twelve deviations, μ = 1', () => {
  const runs = 80;
  const records = Array.from({ length: runs }, (_, r) => drawRecords(500, 12, `far ${r}`));
  const request = { mu: 1, records: 500, model: MODEL, force: true };
  const triedBy = (play: (held: readonly CentralRecord[], random: Random) => NoisyFit) =>
    tried(runs, 12, (r) => play(records[r], seededRandom(`coins ${r}`)));

  test('its intervals hold 95 %, and it is seen to have come to an end', () => {
    const { coverage, finished } = triedBy((held, random) => reweight(reweighted(request), held, random));
    // 400 intervals, of which those of one run are nearly independent: sd .011, 4.5 of them .05.
    expect(Math.abs(coverage - 0.95)).toBeLessThan(0.05);
    expect(finished).toBeGreaterThan(0.8 * runs);
  });

  test('control: steps of gradients and of Newton hold less than half, and are seen not to have', () => {
    const byGradients = triedBy((held, random) => descend(descent(request), held, random));
    const byNewton = triedBy((held, random) => solve(newton(request), held, random));
    for (const { coverage, finished } of [byGradients, byNewton]) {
      expect(coverage).toBeLessThan(0.5);
      expect(finished).toBeLessThan(0.1 * runs);
    }
  });
});

test('with a signal of one deviation gradients, too, are seen to have come to an end', () => {
  const request = { mu: 1, records: 2000, model: MODEL };
  const found = Array.from({ length: 20 }, (_, r) =>
    descend(descent(request), drawRecords(2000, 1, `near ${r}`), seededRandom(`near coins ${r}`)),
  );
  expect(found.filter(({ region }) => region!.finished).length).toBeGreaterThanOrEqual(19);
});

test('the study shows it first, and plans each variant for itself', () => {
  expect(study.variants).toEqual(['reweighted', 'newton']);
  const asked = { epsilon: 1, delta: 1e-6, mu: 1, players: 40_000, samples: 1, dimension: 3 };
  const [weighted, own] = study.variants.map((variant) => study.forecast({ variant, ...asked }).error);
  // √(½·½·.7) for the last step, and √(½·.8·.8/3) for each of three Newton steps.
  expect(own / weighted).toBeCloseTo(sqrt(0.35) / sqrt(0.64 / 3), 9);
});

test('the fit in the clear is the shortest of those that are as good, where a feature is constant', () => {
  const random = seededRandom('constant feature');
  const players = 200;
  const features = new Float32Array(2 * players);
  const responses = new Float64Array(players);
  for (let i = 0; i < players; i++) {
    features.set([normal(random), 0.5], 2 * i);
    responses[i] = 3 + 2 * features[2 * i] + 0.1 * normal(random);
  }
  const held = { players, dimension: 2, features, responses, from: (i: number) => i, until: (i: number) => i + 1 };
  const asked = { variant: 'reweighted', epsilon: 1, delta: 1e-6, mu: 1, players, samples: 1, dimension: 2 };
  const theta = study.play.optimum(held, asked);
  // Of (a, b, c) with a + c/2 = 3 the shortest has a = 2.4 and c = 1.2. The standard error of the intercept is about .01.
  [2.4, 2, 1.2].forEach((expected, j) => {
    expect(Math.abs(theta[j] - expected)).toBeLessThan(0.06);
  });
  // Where no feature is constant nothing is taken away.
  for (let i = 0; i < players; i++) features[2 * i + 1] = normal(random);
  const regular = study.play.optimum(held, asked);
  expect(Math.abs(regular[0] - 3) + Math.abs(regular[1] - 2) + Math.abs(regular[2])).toBeLessThan(0.15);
});
