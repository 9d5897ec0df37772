import { describe, expect, test } from '@jest/globals';
import { study } from '../../../protocols/online-sgd/protocol.ts';
import { fitRegression, regressionRisk } from '../../../protocols/online-sgd/regression-fit.ts';
import { playStream } from '../../../protocols/online-sgd/streams.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { fillGradient, type OnlineDatum } from '../../../src/risk/regression/gradient.ts';
import { type IndexModel, type MultinomialModel, onlineModel } from '../../../src/risk/regression/model.ts';
import type { Population } from '../../../src/simulation/runner.ts';

const FEATURES = 2;

// y = 0.5 + x₁ − x₂ + ξ, all normal; player i is the same whenever it is asked for.
function linear(players: number, seed: string = 'linear'): Population<OnlineDatum> {
  const random = seededRandom(seed);
  const drawn = new Float64Array(FEATURES + 1);
  return {
    players,
    datum(index) {
      random.seek(index);
      fillNormal(drawn, random, 0, FEATURES + 1);
      return { features: drawn.slice(0, FEATURES), response: 0.5 + drawn[0] - drawn[1] + drawn[2] };
    },
  };
}

const { protocol } = study;

describe('a stream of given players', () => {
  const plan = study.plan({ variant: 'gdp', features: FEATURES, mu: 1 });
  const population = linear(3000);

  test('ends in the same state, bit for bit, however it is cut', () => {
    const whole = protocol.server.save(plan, playStream(protocol, { plan, population, seed: 's' }));
    let state = protocol.server.start(plan);
    let from = 0;
    for (const to of [1, 17, 1024, 3000]) {
      const part = { ...population, players: to };
      state = playStream(protocol, { plan, population: part, seed: 's', state, from });
      // Through bytes, as after a restart.
      state = protocol.server.restore(plan, protocol.server.save(plan, state));
      from = to;
    }
    expect(protocol.server.save(plan, state)).toEqual(whole);
    const other = playStream(protocol, { plan, population, seed: 't' });
    expect(protocol.server.save(plan, other)).not.toEqual(whole);
  });

  test('is looked at where it was asked for, and at its end', () => {
    const seen: number[] = [];
    const look = (players: number): unknown => seen.push(players);
    playStream(protocol, { plan, population, seed: 's', checkpoints: [1, 500, 3000, 9000], look });
    expect(seen).toEqual([1, 500, 3000]);
    seen.length = 0;
    const state = playStream(protocol, { plan, population: linear(600), seed: 's' });
    playStream(protocol, { plan, population, seed: 's', state, from: 600, checkpoints: [500, 700], look });
    expect(seen).toEqual([700, 3000]);
  });

  test('begins at a player of the population', () => {
    expect(() => playStream(protocol, { plan, population, seed: 's', from: 3001 })).toThrow(
      '"from" expected a whole number from 0 to 3000, got 3001',
    );
  });
});

describe('the fit in the clear', () => {
  const population = linear(4000);
  const model = study.plan({ variant: 'nonPrivate', features: FEATURES }).model as IndexModel;
  const fit = fitRegression(model, population);

  // The mean of what players send without noise, by the protocol's own code.
  function meanGradient(theta: Float64Array): Float64Array {
    const sum = new Float64Array(theta.length);
    const gradient = new Float64Array(theta.length);
    for (let i = 0; i < population.players; i++) {
      fillGradient(model, theta, population.datum(i), gradient);
      for (let j = 0; j < sum.length; j++) sum[j] += gradient[j] / population.players;
    }
    return sum;
  }

  test('is where the mean gradient of the players is 0', () => {
    expect(Math.hypot(...meanGradient(fit.theta))).toBeLessThan(1e-9);
    const moved = fit.theta.map((value) => value + 0.01);
    expect(Math.hypot(...meanGradient(moved))).toBeGreaterThan(1e-3);
  });

  test('has the least risk, and standard errors that hold the truth', () => {
    expect(fit.risk).toBeCloseTo(regressionRisk(model, population, fit.theta), 12);
    expect(
      regressionRisk(
        model,
        population,
        fit.theta.map((value) => value + 0.01),
      ),
    ).toBeGreaterThan(fit.risk);
    [0.5, 1, -1].forEach((truth, i) => {
      expect(fit.standardErrors[i]).toBeGreaterThan(0.01);
      // Four standard errors: three false alarms in 16,000 seeds.
      expect(Math.abs(fit.theta[i] - truth)).toBeLessThan(4 * fit.standardErrors[i]);
    });
  });

  test('of the intercept alone has no other coordinate and a larger risk', () => {
    const constant = fitRegression(model, population, { coordinates: 1 });
    expect(Array.from(constant.theta.subarray(1))).toEqual([0, 0]);
    expect(constant.risk).toBeGreaterThan(fit.risk + 0.2);
  });

  test('of the squared loss is that of least squares, whose residuals say nothing of any feature', () => {
    const squared = onlineModel({ kind: 'response', loss: 'squared', features: FEATURES, clip: 2 }) as IndexModel;
    const { theta, risk } = fitRegression(squared, population);
    const sums = new Float64Array(3);
    let squares = 0;
    for (let i = 0; i < population.players; i++) {
      const { features, response } = population.datum(i);
      const residual = response - theta[0] - theta[1] * features[0] - theta[2] * features[1];
      for (const [j, x] of [1, features[0], features[1]].entries()) sums[j] += (residual * x) / population.players;
      squares += (residual * residual) / population.players;
    }
    // Newton's method on a square ends after one step, but for rounding.
    for (const sum of sums) expect(Math.abs(sum)).toBeLessThan(1e-9);
    expect(risk).toBeCloseTo(squares / 2, 9);
  });

  test('of several classes is where the mean of what players send without noise is 0', () => {
    const classes = onlineModel({ kind: 'multinomial', classes: 3, features: FEATURES }) as MultinomialModel;
    const sorted: Population<OnlineDatum> = {
      players: 3000,
      datum(index) {
        const { features, response } = population.datum(index);
        return { features, response: response < 0 ? 0 : response < 1 ? 1 : 2 };
      },
    };
    const fit = fitRegression(classes, sorted);
    const gradient = new Float64Array(classes.dimension);
    const sum = new Float64Array(classes.dimension);
    for (let i = 0; i < sorted.players; i++) {
      fillGradient(classes, fit.theta, sorted.datum(i), gradient);
      for (let j = 0; j < sum.length; j++) sum[j] += gradient[j] / sorted.players;
    }
    for (const entry of sum) expect(Math.abs(entry)).toBeLessThan(1e-9);
    // Any other model has a larger risk, and so has the best that sees no feature.
    const moved = fit.theta.map((entry, j) => (j === 1 ? entry + 0.01 : entry));
    expect(regressionRisk(classes, sorted, moved)).toBeGreaterThan(fit.risk);
    const constant = fitRegression(classes, sorted, { coordinates: 1 });
    const shares = [0, 0, 0];
    for (let i = 0; i < sorted.players; i++) {
      const { features, response } = sorted.datum(i);
      shares[response] += Math.min(1, 2 / (1 + features[0] ** 2 + features[1] ** 2));
    }
    // Without features its odds are those of the weighted shares.
    expect([constant.theta[0], constant.theta[3]]).toEqual(
      [1, 2].map((k) => expect.closeTo(Math.log(shares[k] / shares[0]), 9)),
    );
    expect(constant.risk).toBeGreaterThan(fit.risk);
  });

  test('is refused for features that say the same', () => {
    const twice: Population<OnlineDatum> = {
      players: 500,
      datum(index) {
        const { features, response } = population.datum(index);
        return { features: [features[0], features[0]], response };
      },
    };
    expect(() => fitRegression(model, twice)).toThrow('"features" expected columns that are no combinations');
    expect(() => fitRegression(model, twice, { names: ['a', 'b'] })).toThrow(/ of 1: "[ab]" is one$/);
    const constant: Population<OnlineDatum> = {
      players: 500,
      datum: (index) => ({ features: [population.datum(index).features[0], 0.25], response: 0 }),
    };
    expect(() => fitRegression(model, constant, { names: ['a', 'b'] })).toThrow(/ of 1: "b" is one$/);
    expect(() => regressionRisk(model, population, new Float64Array(2))).toThrow('"theta" expected 3 numbers, got 2');
  });

  test('is found where the best constant is next to 0, for which only rounding is left of a gradient', () => {
    const each = (kind: object, response: (place: number) => number) => {
      const random = seededRandom('balanced');
      const features = new Float64Array(30_000);
      fillNormal(features, random, 0, features.length);
      const one = onlineModel({ ...kind, features: 1 } as Parameters<typeof onlineModel>[0]) as IndexModel;
      const people = {
        players: features.length,
        datum: (i: number) => ({ features: [features[i]], response: response(i) }),
      };
      return fitRegression(one, people, { coordinates: 1 }).theta[0];
    };
    // Labels of the two halves; every other; every third: refused in two of these.
    expect(each({ kind: 'logistic' }, (i) => Number(i < 15_010))).toBeCloseTo(0, 1);
    expect(each({ kind: 'logistic' }, (i) => i % 2)).toBeCloseTo(0, 1);
    expect(each({ kind: 'multinomial', classes: 3 }, (i) => i % 3)).toBeCloseTo(0, 1);
  });

  test('is refused where records have no model of least risk, which is not for their features', () => {
    const labelled = (model: IndexModel | MultinomialModel, label: (x: number, place: number) => number) =>
      fitRegression(model, {
        players: 500,
        datum(index) {
          const { features } = population.datum(index);
          return { features, response: label(features[0], index) };
        },
      });
    const logistic = onlineModel({ kind: 'logistic', features: FEATURES }) as IndexModel;
    const classes = onlineModel({ kind: 'multinomial', classes: 3, features: FEATURES }) as MultinomialModel;
    const message = '"data" expected records with a model of least risk';
    // One label, labels that a feature tells apart, a class that nobody has.
    expect(() => labelled(logistic, () => 1)).toThrow(message);
    expect(() => labelled(logistic, (x) => Number(x > 0))).toThrow(message);
    expect(() => labelled(classes, (_, i) => i % 2)).toThrow(message);
    expect(labelled(logistic, (_, i) => i % 2).risk).toBeGreaterThan(0.4);
    const alike = { players: 500, datum: (index: number) => ({ features: [0.5, index % 7], response: index % 3 }) };
    expect(() => fitRegression(classes, alike, { names: ['a', 'b'] })).toThrow(/ of 1: "a" is one$/);
  });
});
