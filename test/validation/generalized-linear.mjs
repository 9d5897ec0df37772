// The generalized-linear protocol on a file of labelled records, mean of repeated runs with their own split and coins:
// held-out accuracy under the squared loss with automatic ridge and radius, and held-out excess risk under a second loss at a
// fixed radius, for lifted and gaussian reports. Both losses are asked of one tally. Minutes, not part of the tests.
//
//   node test/validation/generalized-linear.mjs --data FILE --schema FILE [--train 25000] [--runs 20] [--seed TEXT]
//        [--epsilon 0.5,1,2,4,8] [--loss logistic] [--radius 4] [--delta 1e-6] [--degree 1]
import { generalizedLinear, studyOf } from 'ldpkit/protocols/generalized-linear';
import { datasetPopulation, scoreMetrics, simulate, splitRows } from 'ldpkit/simulate';
import { mean, numbers, optionsOf, recordsOf, standardError } from './kit.mjs';

const options = optionsOf(
  'data schema train=25000 runs=20 seed=validation epsilon=0.5,1,2,4,8 loss=logistic radius=4 delta=1e-6 degree=1',
);
const { dataset } = await recordsOf(options, { needed: true });
const runs = Number(options.runs);
const radius = Number(options.radius);
const epsilons = numbers(options.epsilon);
const variants = ['lifted', 'gaussian'];
const squared = studyOf('squared');
const second = studyOf(options.loss);
// Far outside every solution: the ball plays no part.
const FREE = 1e3;

const samples = new Map();
const note = (key, value) => samples.set(key, [...(samples.get(key) ?? []), value]);
for (let run = 0; run < runs; run++) {
  const seed = `${options.seed} ${run}`;
  const { train, test } = splitRows(dataset.players, { train: Number(options.train), seed });
  const measure = (study, w) => scoreMetrics(dataset, [w], test, study.loss)[0];
  const best = measure(second, second.optimum(dataset, radius, train).w).risk;
  note('best', best);
  note('optimum', measure(squared, squared.optimum(dataset, FREE, train).w).accuracy);
  for (const epsilon of epsilons) {
    for (const variant of variants) {
      const request = { variant, epsilon, delta: Number(options.delta), degree: Number(options.degree) };
      const parameters = squared.parameters({ ...request, dimension: dataset.dimension });
      const players = datasetPopulation(dataset, train);
      const tally = simulate(generalizedLinear, parameters, players, { seed: `${seed} ${variant} ${epsilon}` });
      const ask = (query) => generalizedLinear.server.estimate(parameters, tally, query);
      const ridge = ask({ loss: 'squared', radius: 'automatic' });
      note(`accuracy ${variant} ${epsilon}`, measure(squared, ridge.w).accuracy);
      note(`radius ${variant} ${epsilon}`, ridge.radius);
      note(`free ${variant} ${epsilon}`, measure(squared, ask({ loss: 'squared', radius: FREE }).w).accuracy);
      note(`excess ${variant} ${epsilon}`, measure(second, ask({ loss: options.loss, radius }).w).risk - best);
      const chosen = ask({ loss: options.loss, radius: 'automatic' });
      note(`chosen ${variant} ${epsilon}`, measure(second, chosen.w).risk);
      note(`choice ${variant} ${epsilon}`, chosen.radius);
    }
  }
}
const meanOf = (key) => mean(samples.get(key));
const cell = (key) => `${meanOf(key).toFixed(4)} ±${standardError(samples.get(key)).toFixed(4)}`;
const table = [
  `${runs} runs, ${options.train} players; held-out means and their standard errors`,
  '',
  `squared loss, automatic ridge: accuracy (non-private ${cell('optimum')})`,
  'epsilon  variant     automatic radius  (mean R)  no ball',
];
for (const epsilon of epsilons) {
  for (const variant of variants) {
    const key = `${variant} ${epsilon}`;
    const chosen = meanOf(`radius ${key}`).toFixed(2).padEnd(8);
    table.push(
      `${String(epsilon).padEnd(9)}${variant.padEnd(10)}${cell(`accuracy ${key}`)}    ${chosen}  ${cell(`free ${key}`)}`,
    );
  }
}
table.push(
  '',
  `${options.loss} loss, R = ${radius}: excess risk (non-private risk ${cell('best')}), and automatic R: risk`,
);
table.push('epsilon  variant     excess           of gaussian  automatic R: risk  (mean R)');
for (const epsilon of epsilons) {
  for (const variant of variants) {
    const key = `${variant} ${epsilon}`;
    const ratio = (meanOf(`excess ${key}`) / meanOf(`excess gaussian ${epsilon}`)).toFixed(3).padEnd(11);
    const chosen = meanOf(`choice ${key}`).toFixed(2);
    table.push(
      `${String(epsilon).padEnd(9)}${variant.padEnd(10)}${cell(`excess ${key}`)}  ${ratio}  ${cell(`chosen ${key}`)}    ${chosen}`,
    );
  }
}
process.stdout.write(`${table.join('\n')}\n`);
