// Held-out accuracy and hinge risk of the lifted hinge protocol on a file of records, mean of repeated runs with their own
// split and coins, for several ε and radii: the automatic choice beside degree 0 and degree 1. Minutes, not part of the tests.
//
//   node test/validation/hinge-records.mjs --data FILE --schema FILE [--train 25000] [--runs 20] [--seed TEXT]
//        [--epsilon 0.5,1,2,4,8] [--radius 1,2,4] [--degree 1] [--variant lifted]
import { study } from 'ldpkit/protocols/hinge';
import { datasetPopulation, hingeOptimum, scoreMetrics, simulate, splitRows } from 'ldpkit/simulate';
import { numbers, optionsOf, recordsOf } from './kit.mjs';

const options = optionsOf(
  'data schema train=25000 runs=20 seed=validation epsilon=0.5,1,2,4,8 radius=1,2,4 degree=1 variant=lifted',
);
const { dataset } = await recordsOf(options, { needed: true });
const runs = Number(options.runs);
const degree = Number(options.degree);
const radii = numbers(options.radius);
const epsilons = numbers(options.epsilon);

// Sums over runs, by column: accuracy and risk of each model.
const sums = new Map();
const add = (key, metrics) => {
  const row = sums.get(key) ?? metrics.map(() => [0, 0]);
  metrics.forEach(({ accuracy, risk }, k) => {
    row[k][0] += accuracy / runs;
    row[k][1] += risk / runs;
  });
  sums.set(key, row);
};
let majority = 0;
for (let run = 0; run < runs; run++) {
  const seed = `${options.seed} ${run}`;
  const { train, test } = splitRows(dataset.players, { train: Number(options.train), seed });
  majority += test.reduce((count, row) => count + (dataset.labels[row] < 0 ? 1 : 0), 0) / test.length / runs;
  for (const radius of radii) {
    const { w } = hingeOptimum(dataset, radius, train);
    add(`optimum ${radius}`, scoreMetrics(dataset, [w], test));
  }
  for (const epsilon of epsilons) {
    const request = { variant: options.variant, epsilon, delta: 1e-6, dimension: dataset.dimension };
    const tallied = (highest, coins) => {
      const parameters = study.parameters({ ...request, degree: highest });
      const tally = simulate(study.protocol, parameters, datasetPopulation(dataset, train), {
        seed: `${seed} ${coins}`,
      });
      return (query) => study.protocol.server.estimate(parameters, tally, query).w;
    };
    const lifted = tallied(degree, `lift ${epsilon}`);
    const alone = tallied(0, `mean ${epsilon}`);
    for (const radius of radii) {
      const models = [
        lifted({ radius }),
        lifted({ radius, degree: 0 }),
        ...(degree >= 1 ? [lifted({ radius, degree: 1 })] : []),
        alone({ radius }),
      ];
      add(`${radius} ${epsilon}`, scoreMetrics(dataset, models, test));
    }
  }
}
const cell = ([accuracy, risk]) => `${accuracy.toFixed(4)} ${risk.toFixed(4)}`;
const table = [
  `${runs} runs, ${options.train} players, held-out accuracy and risk; negative labels ${majority.toFixed(4)}`,
];
for (const radius of radii) {
  table.push('', `R = ${radius}: non-private ${cell(sums.get(`optimum ${radius}`)[0])}`);
  table.push('epsilon  automatic      degree 0       degree 1       degree 0 alone');
  for (const epsilon of epsilons) {
    table.push(`${String(epsilon).padEnd(9)}${sums.get(`${radius} ${epsilon}`).map(cell).join('  ')}`);
  }
}
process.stdout.write(`${table.join('\n')}\n`);
