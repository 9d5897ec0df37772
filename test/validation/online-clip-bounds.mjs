// Gradients clipped at numbers, bounded by Mallows weights, and clipped at what public bounds make the largest: root mean squared
// distance of the average from the coefficients, on records within the bounds. A minute or two, not part of the tests.
//
//   node test/validation/online-clip-bounds.mjs [--runs 20] [--players 100000] [--seed TEXT]
import { normal, uniform } from 'ldpkit/mechanism';
import { onlineSgd, onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';
import { optionsOf } from './kit.mjs';

const options = optionsOf('runs=20 players=100000 seed=bounds');
const [runs, players] = [options.runs, options.players].map(Number);
const FEATURES = 3;
/** Coefficients without an intercept, of norm 2. */
const TRUTH = [1, 1.2, -1.2489996];
const BOUNDS = { features: 1, response: 3, radius: 3 };

/** Features uniform in the unit ball; responses within ±.8 of the model, or labels 0 and 1. */
const population = (labels) => ({
  create: () => ({ features: new Float64Array(FEATURES), response: 0 }),
  draw(datum, random) {
    const { features } = datum;
    let squared = 0;
    for (let j = 0; j < FEATURES; j++) {
      features[j] = normal(random);
      squared += features[j] ** 2;
    }
    const length = uniform(random) ** (1 / FEATURES) / Math.sqrt(squared);
    let t = 0;
    for (let j = 0; j < FEATURES; j++) t += TRUTH[j] * (features[j] *= length);
    const noise = uniform(random);
    datum.response = labels ? Number(noise < 1 / (1 + Math.exp(-t))) : t + 1.6 * noise - 0.8;
  },
});

const own = { features: FEATURES, intercept: false };
const bounded = { ...own, clip: 'bounds', bounds: BOUNDS };
const squared = { kind: 'response', loss: 'squared' };
const MODELS = {
  'squared, clip 0.5': { ...squared, ...own, clip: 0.5 },
  'squared, clip 2': { ...squared, ...own, clip: 2 },
  'squared, clip 20': { ...squared, ...own, clip: 20 },
  'squared, bounds': { ...squared, ...bounded },
  'Huber, Mallows': { kind: 'huber', ...own },
  'Huber, bounds': { kind: 'huber', ...bounded },
  'logistic, clip 0.3': { kind: 'logistic', ...own, clip: 0.3 },
  'logistic, Mallows': { kind: 'logistic', ...own },
  'logistic, bounds': { kind: 'logistic', ...bounded },
};
const MECHANISMS = {
  'gdp, mu = 1': { variant: 'gdp', mu: 1 },
  'privUnit, epsilon = 4': { variant: 'privUnit', epsilon: 4 },
};

console.log('| model | bound of a gradient | gdp, mu = 1 | privUnit, epsilon = 4 | no noise |\n|---|---|---|---|---|');
for (const [name, model] of Object.entries(MODELS)) {
  const cells = [];
  let bound = 0;
  for (const mechanism of [...Object.values(MECHANISMS), { variant: 'nonPrivate' }]) {
    const plan = onlineSgdPlan({ ...mechanism, model, rate: 1, inference: [] });
    bound = plan.model.gradientBound;
    const distances = [];
    for (let run = 0; run < runs; run++) {
      const people = population(name.startsWith('logistic'));
      const state = streamReplication(onlineSgd, { plan, population: people, players, seed: `${options.seed} ${run}` });
      const { theta } = onlineSgd.server.estimate(plan, state, { method: 'none' });
      distances.push(theta.reduce((sum, value, i) => sum + (value - TRUTH[i]) ** 2, 0));
    }
    cells.push(Math.sqrt(distances.reduce((sum, square) => sum + square / runs, 0)).toPrecision(3));
  }
  console.log(`| ${[name, bound.toPrecision(4), ...cells].join(' | ')} |`);
}
