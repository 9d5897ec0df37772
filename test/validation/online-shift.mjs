// How far the noise of privacy moves averages of streams, for several step sizes and averages: mean and root mean squared error of a
// coordinate, the share of 95 % intervals that hold it, and their mean length. Some minutes, not part of the tests.
//
//   node test/validation/online-shift.mjs [--runs 100] [--players 200000] [--rates 0.1,0.2,0.5,1,2] [--budgets 1,2]
//     [--model logistic] [--tau 0.8]     quantile (of bandwidth .5) and expectile have normal errors
import { normal, uniform } from 'ldpkit/mechanism';
import { onlineSgd, onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';
import { optionsOf } from './kit.mjs';

const options = optionsOf('runs=100 players=200000 rates=0.1,0.2,0.5,1,2 budgets=1,2 model=logistic tau=0.8');
const [runs, players] = [options.runs, options.players].map(Number);
const numbers = (text) => String(text).split(',').map(Number);
const FEATURES = 3;

const TAU = Number(options.tau);
const MODELS = {
  logistic: {},
  quantile: { tau: TAU, bandwidth: 0.5, slope: (t) => 1 / (1 + Math.exp(-t / 0.5)) - TAU },
  expectile: { tau: TAU, slope: (t) => (t > 0 ? 1 - TAU : TAU) * Math.max(-1.345, Math.min(1.345, t)) },
};
const { slope, ...own } = MODELS[options.model];
const model = { kind: options.model, features: FEATURES, ...own };

/** The quantile or expectile of a normal error, by bisection: what the intercept has to be less for its best value to be 1. */
function centre() {
  let [low, high] = [-5, 5];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    let pull = 0;
    for (let e = -8; e <= 8; e += 1e-3) pull += Math.exp((-e * e) / 2) * slope(middle - e);
    if (pull > 0) high = middle;
    else low = middle;
  }
  return low;
}
const shift = slope === undefined ? 0 : centre();

/** Coefficients and intercept are 1. */
const population = {
  create: () => ({ features: new Float64Array(FEATURES), response: 0 }),
  draw(datum, random) {
    let t = 1;
    for (let j = 0; j < FEATURES; j++) t += datum.features[j] = normal(random);
    datum.response =
      slope === undefined ? Number(uniform(random) < 1 / (1 + Math.exp(-t))) : t + normal(random) - shift;
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
      const plan = onlineSgdPlan({ variant: 'gdp', mu, rate, ...own, model, inference: ['plug-in'] });
      const [inside, length] = [queries.map(() => 0), queries.map(() => 0)];
      let [errors, squares, told] = [0, 0, 0];
      for (let run = 0; run < runs; run++) {
        const state = streamReplication(onlineSgd, { plan, population, players, seed: `x${run}` });
        queries.forEach((query, k) => {
          const { theta, intervals, noiseShift } = onlineSgd.server.estimate(plan, state, query);
          told = noiseShift ?? 0;
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
      const figures = [told.toFixed(2), (errors / made).toFixed(3), Math.sqrt(squares / made).toFixed(3)];
      queries.forEach(({ method }, k) => {
        const cells = [method, ((100 * inside[k]) / made).toFixed(1), (length[k] / made).toFixed(3)];
        console.log(`| ${[mu, rate, name, ...figures, ...cells].join(' | ')} |`);
      });
    }
  }
}
