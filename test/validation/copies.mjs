// Noisy copies of features and label beside lifted reports: the hinge protocol on a file of records, or on the flights, with every
// server of the copies. Excess hinge risk, AUC, accuracy and time in one table, mean ± standard error of repeated runs with their
// own split and coins. Minutes, not part of the tests.
//
//   node test/validation/copies.mjs [--data FILE --schema FILE] [--runs 5] [--seed TEXT] [--epsilon 1,4] [--radius 1]
//        [--delta 1e-6] [--degree 1] [--train 0.8333] [--all]
//
// The records of a file are split, 5/6 of them play and models are measured on the others; all flights play and measure.
import { study } from 'ldpkit/protocols/hinge';
import { datasetPopulation, hingeOptimum, scoreMetrics, simulate, splitRows } from 'ldpkit/simulate';
import { mean, numbers, optionsOf, recordsOf, standardError } from './kit.mjs';

const options = optionsOf('data schema train=0.8333 runs=5 seed=validation epsilon=1,4 radius=1 delta=1e-6 degree=1', [
  'all',
]);
const { dataset } = await recordsOf(options);
const [runs, radius, delta, degree] = ['runs', 'radius', 'delta', 'degree'].map((name) => Number(options[name]));

// What is asked of the tally of each variant: a name, and the query of the study; with --all also what was tried besides.
const tried = [
  ['newton, averaged', { server: 'newton', decoder: 'averaged' }],
  ['sigm from the origin', { server: 'sigm', start: 0 }],
  ['sigm, averaged', { server: 'sigm', decoder: 'averaged' }],
];
const asked = {
  lifted: [['', {}]],
  gaussian: [['', {}]],
  copies: [
    ...['newton', 'sigm', 'average'].map((server) => [server, { server }]),
    ['sigm, product', { server: 'sigm', decoder: 'product' }],
    ...(options.all ? tried : []),
  ],
  printed: [['', {}]],
};
const COLUMNS = ['excess', 'auc', 'accuracy', 'seconds'];
const samples = new Map();
const note = (key, values) => {
  const row = samples.get(key) ?? COLUMNS.map(() => []);
  COLUMNS.forEach((name, k) => {
    row[k].push(values[name]);
  });
  samples.set(key, row);
};
const plans = new Map();
for (let run = 0; run < runs; run++) {
  const seed = `${options.seed} ${run}`;
  const { train, test } =
    options.data === undefined ? {} : splitRows(dataset.players, { train: Number(options.train), seed });
  const players = datasetPopulation(dataset, train);
  const measure = (w) => scoreMetrics(dataset, [w], test)[0];
  const best = measure(hingeOptimum(dataset, radius, train).w);
  note('non-private', { excess: 0, auc: best.auc, accuracy: best.accuracy, seconds: 0 });
  note('w = 0', { excess: 0.5 - best.risk, auc: 0.5, accuracy: 0.5, seconds: 0 });
  for (const epsilon of numbers(options.epsilon)) {
    for (const [variant, queries] of Object.entries(asked)) {
      const request = { variant, epsilon, delta, degree, dimension: dataset.dimension };
      const parameters = study.parameters(request);
      const began = performance.now();
      const tally = simulate(study.protocol, parameters, players, { seed: `${seed} ${variant} ${epsilon}` });
      const collected = performance.now() - began;
      for (const [name, { start, ...query }] of queries) {
        const from = performance.now();
        const question = { ...study.query({ radius, variant, ...query }), ...(start === undefined ? {} : { start }) };
        const { w, plan } = study.protocol.server.estimate(parameters, tally, question);
        const seconds = (collected + performance.now() - from) / 1000;
        const { risk, auc, accuracy } = measure(w);
        const key = `${epsilon}\t${name === '' ? variant : `${variant}: ${name}`}`;
        note(key, { excess: risk - best.risk, auc, accuracy, seconds });
        if (plan !== undefined) plans.set(key, plan);
      }
    }
  }
}
const cell = (values, digits) => `${mean(values).toFixed(digits)} ± ${standardError(values).toFixed(digits)}`;
process.stdout.write(
  `${runs} runs, ${dataset.players} records, R = ${radius}; mean ± standard error\n\n` +
    '| ε | reports and server | excess hinge risk | AUC | accuracy | seconds |\n|---|---|---|---|---|---|\n',
);
for (const [key, [excess, auc, accuracy, seconds]] of samples) {
  const [epsilon, name] = key.includes('\t') ? key.split('\t') : ['', key];
  const cells = [cell(excess, 4), cell(auc, 3), cell(accuracy, 3), mean(seconds).toFixed(1)];
  process.stdout.write(`| ${epsilon} | ${name} | ${cells.join(' | ')} |\n`);
}
process.stdout.write('\nplans by forecast:\n');
for (const [key, plan] of plans) process.stdout.write(`${key.replace('\t', ' ')}: ${JSON.stringify(plan)}\n`);
