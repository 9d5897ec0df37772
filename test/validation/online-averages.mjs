// The averages of online-sgd beside each other, on streams that start far from their minimiser: root mean squared error of a
// coordinate, and the share of 95 % plug-in intervals that hold it, with their mean length. One or two minutes, not part of the tests.
//
//   node test/validation/online-averages.mjs [--runs 40] [--players 20000] [--start 3] [--seed TEXT]
import { normal, uniform } from 'ldpkit/mechanism';
import { onlineSgd, onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';
import { optionsOf } from './kit.mjs';

const options = optionsOf('runs=40 players=20000 start=3 seed=averages');
const [runs, players, start] = [options.runs, options.players, options.start].map(Number);
const FEATURES = 3;

/** Coefficients and intercept are 1; responses with normal noise of deviation .5, or labels 0 and 1 of a logistic model. */
const population = (labels) => ({
  create: () => ({ features: new Float64Array(FEATURES), response: 0 }),
  draw(datum, random) {
    let t = 1;
    for (let j = 0; j < FEATURES; j++) t += datum.features[j] = normal(random);
    const noise = labels ? uniform(random) : normal(random);
    datum.response = labels ? Number(noise < 1 / (1 + Math.exp(-t))) : t + 0.5 * noise;
  },
});

const SETTINGS = {
  'linear, gdp, mu = 1': { variant: 'gdp', mu: 1, model: { kind: 'huber', features: FEATURES } },
  'logistic, privUnit, epsilon = 4': {
    variant: 'privUnit',
    epsilon: 4,
    rate: 2,
    model: { kind: 'logistic', features: FEATURES },
  },
};
const AVERAGES = {
  'all alike': {},
  'burn-in of a tenth': { burnIn: players / 10 },
  'suffix 1/2': { average: { kind: 'suffix', share: 0.5 } },
  'suffix 1/4': { average: { kind: 'suffix', share: 0.25 } },
  'polynomial 1': { average: { kind: 'polynomial', power: 1 } },
  'polynomial 3': { average: { kind: 'polynomial', power: 3 } },
};

console.log('| setting | average | start | error | intervals that hold, % | mean length |\n|---|---|---|---|---|---|');
for (const [setting, request] of Object.entries(SETTINGS)) {
  for (const far of [0, start]) {
    for (const [name, own] of Object.entries(AVERAGES)) {
      const from = new Array(FEATURES + 1).fill(1 - far);
      const plan = onlineSgdPlan({ ...request, ...own, start: from, inference: ['plug-in'] });
      let [squares, inside, length, made] = [0, 0, 0, 0];
      for (let run = 0; run < runs; run++) {
        const seed = `${options.seed} ${run}`;
        const people = population(setting.startsWith('logistic'));
        const state = streamReplication(onlineSgd, { plan, population: people, players, seed });
        const query = { method: 'plug-in', hessianFloor: 0.01 };
        const { theta, intervals } = onlineSgd.server.estimate(plan, state, query);
        for (let i = 0; i <= FEATURES; i++) {
          squares += (theta[i] - 1) ** 2;
          const [low, high] = intervals[i];
          if (low <= 1 && 1 <= high) inside++;
          length += high - low;
          made++;
        }
      }
      const cells = [Math.sqrt(squares / made).toPrecision(3), ((100 * inside) / made).toFixed(1)];
      console.log(`| ${[setting, name, `${far} away`, ...cells, (length / made).toPrecision(3)].join(' | ')} |`);
    }
  }
}
