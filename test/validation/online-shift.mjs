// How far the noise of privacy moves averages of logistic streams, for several step sizes and averages: mean and root mean squared error of a
// coordinate, the share of 95 % intervals that hold it, and their mean length. Some minutes, not part of the tests.
//
//   node test/validation/online-shift.mjs [--runs 100] [--players 200000] [--rates 0.1,0.2,0.5,1,2] [--budgets 1,2]
import { normal, uniform } from 'ldpkit/mechanism';
import { onlineSgd, onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';
import { optionsOf } from './kit.mjs';

const options = optionsOf('runs=100 players=200000 rates=0.1,0.2,0.5,1,2 budgets=1,2');
const [runs, players] = [options.runs, options.players].map(Number);
const numbers = (text) => String(text).split(',').map(Number);
const FEATURES = 3;

/** Coefficients and intercept are 1. */
const population = {
  create: () => ({ features: new Float64Array(FEATURES), response: 0 }),
  draw(datum, random) {
    let t = 1;
    for (let j = 0; j < FEATURES; j++) t += datum.features[j] = normal(random);
    datum.response = Number(uniform(random) < 1 / (1 + Math.exp(-t)));
  },
};
const RANDOM_SCALING = { method: 'random scaling' };
const PLUG_IN = { method: 'plug-in', hessianFloor: 0.01 };
const AVERAGES = [
  ['all alike', {}, [RANDOM_SCALING, PLUG_IN]],
  ['suffix 1/2', { average: { kind: 'suffix', share: 0.5 } }, [PLUG_IN]],
  ['polynomial 1', { average: { kind: 'polynomial', power: 1 } }, [PLUG_IN]],
];

console.log(
  '| μ | γ | average | noiseShift | mean error | error | method | holds, % | length |\n|---|---|---|---|---|---|---|---|---|',
);
for (const mu of numbers(options.budgets)) {
  for (const rate of numbers(options.rates)) {
    for (const [name, own, queries] of AVERAGES) {
      const model = { kind: 'logistic', features: FEATURES };
      const plan = onlineSgdPlan({ variant: 'gdp', mu, rate, ...own, model, inference: ['plug-in'] });
      const [inside, length] = [queries.map(() => 0), queries.map(() => 0)];
      let [errors, squares, shift] = [0, 0, 0];
      for (let run = 0; run < runs; run++) {
        const state = streamReplication(onlineSgd, { plan, population, players, seed: `x${run}` });
        queries.forEach((query, k) => {
          const { theta, intervals, noiseShift } = onlineSgd.server.estimate(plan, state, query);
          shift = noiseShift ?? 0;
          intervals.forEach(([low, high], i) => {
            inside[k] += Number(low <= 1 && 1 <= high);
            length[k] += high - low;
            if (k > 0) return;
            errors += theta[i] - 1;
            squares += (theta[i] - 1) ** 2;
          });
        });
      }
      const made = runs * (FEATURES + 1);
      const figures = [shift.toFixed(2), (errors / made).toFixed(3), Math.sqrt(squares / made).toFixed(3)];
      queries.forEach(({ method }, k) => {
        const cells = [method, ((100 * inside[k]) / made).toFixed(1), (length[k] / made).toFixed(3)];
        console.log(`| ${[mu, rate, name, ...figures, ...cells].join(' | ')} |`);
      });
    }
  }
}
