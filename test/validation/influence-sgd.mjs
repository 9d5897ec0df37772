// Held-out accuracy and optimality gap of PIDP-SGD and its comparators against ε, as in figures 1 and 2 of Kang, Li, Liu, Wang, on
// a file of records; logistic regression and a perceptron with one hidden layer. Steps and step sizes of every method are the ones
// with the least risk on a validation share, which is not private (nor is it in the paper). Minutes, not part of the tests.
// With --out the two figures of every model are written there as SVG files, and what they show as JSON.
//
// Without --data and --schema the records are 30 000 of the flights in the package vega-datasets.
//
//   node test/validation/influence-sgd.mjs [--data FILE --schema FILE] [--train 25000] [--runs 3] [--seed TEXT] [--delta 1e-5]
//        [--epsilon 0.01,0.03,0.1,0.3,1,3] [--model logistic,perceptron] [--out FOLDER]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seededRandom } from 'ldpkit';
import { fillNormal, permutation } from 'ldpkit/mechanism';
import {
  accuracy,
  descendNoisily,
  empiricalRisk,
  gradientPerturbation,
  logisticRegression,
  optimum,
  outputPerturbation,
  perturbOutput,
  printed,
  recalibrated,
  splitBudget,
  train,
} from 'ldpkit/protocols/influence-sgd';
import { translated } from '../evidence/translate.mjs';
import { numbers, optionsOf, recordsOf } from './kit.mjs';

const evidence = await translated();
const [{ figureFiles }, { selectRecords }, { perceptron, perceptronStart }] = await Promise.all(
  ['engine/figure.js', 'influence-sgd/records.js', 'influence-sgd/perceptron.js'].map(
    (path) => import(pathToFileURL(join(evidence, path)).href),
  ),
);

const options = optionsOf(
  'data schema train=25000 runs=3 seed=validation delta=1e-5 epsilon=0.01,0.03,0.1,0.3,1,3 model=logistic,perceptron out',
);
const { dataset } = await recordsOf(options);
const runs = Number(options.runs);
const delta = Number(options.delta);
const epsilons = numbers(options.epsilon);
const whole = { ...dataset, records: dataset.players };
// A seeded choice of at most 30 000 records: the flights are a hundred times as many.
const chosenRows = permutation(whole.records, seededRandom(options.seed)).subarray(0, 30_000);
const all = whole.records > 40_000 ? selectRecords(whole, chosenRows) : whole;
const records = Math.min(Number(options.train), Math.floor(0.85 * all.records));
const { dimension } = dataset;
const RADIUS = 10;

const MODELS = {
  logistic: {
    model: logisticRegression({ dimension, ridge: 1e-2, radius: RADIUS }),
    curvature: 1e-2,
    repair: 'refuse',
    singles: { steps: [250, 2500, 25_000, 100_000], sizes: [1, 0.1, 0.01] },
    batches: { steps: [20, 100, 500], sizes: [3, 1, 0.3] },
  },
  perceptron: {
    model: perceptron({ dimension, ridge: 1e-3, radius: RADIUS }),
    // Hessians of a perceptron are indefinite: their eigenvalues are raised to this.
    curvature: 0.05,
    repair: 'raise',
    singles: { steps: [250, 2500, 25_000], sizes: [0.3, 0.03] },
    batches: { steps: [20, 100, 500], sizes: [2, 0.5] },
  },
};

// Every method: the settings it is tried with, and a run that returns θ and, for PIDP-SGD, the share of steps without noise.
function methodsOf({ model, curvature, repair, singles, batches }) {
  const grid = ({ steps, sizes }) => steps.flatMap((count) => sizes.map((step) => ({ steps: count, step })));
  const noisy = (fields) => (epsilon, setting, data, random, start) => {
    const parameters = gradientPerturbation({ epsilon, delta, records, lipschitz: 1, ...fields, ...setting });
    return { theta: descendNoisily(parameters, model, data, random, start) };
  };
  const influence =
    (variant, radius) =>
    (epsilon, { steps, step }, data, random, start) => {
      const parameters = variant({
        ...splitBudget({ epsilon, delta }),
        records,
        ...model.constants,
        lipschitz: 1,
        curvature,
        repair,
        radius,
        step,
        localRounds: steps / 2,
        globalRounds: 2,
      });
      const { theta, skipped } = train(parameters, model, data, random, { start });
      return { theta, share: skipped / steps };
    };
  const output = (epsilon, { passes }, data, random) => ({
    theta: perturbOutput(outputPerturbation({ epsilon, delta, model, records, passes, radius: RADIUS }), data, random),
  });
  return {
    'DP-SGD, moments': [grid(singles), noisy({ accountant: 'moments' })],
    'DP-SGD, moments, batches': [grid(batches), noisy({ accountant: 'moments', batch: Math.floor(records / 20) })],
    'DP-SGD, GDP': [grid(batches), noisy({ accountant: 'gdp', batch: Math.floor(records / 20) })],
    'DP-LSSGD, GDP': [grid(batches), noisy({ accountant: 'gdp', batch: Math.floor(records / 20), smoothing: 1 })],
    ...(model.convex ? { 'output perturbation': [[{ passes: 1 }, { passes: 5 }], output] } : {}),
    'claimed: DP-SGD by (2)': [grid(singles), noisy({ accountant: 'printed' })],
    'claimed: PIDP-SGD, r = 10': [grid(singles), influence(printed, RADIUS)],
    'claimed: PIDP-SGD, r = 1e8': [grid(singles), influence(printed, 1e8)],
    'claimed: recalibrated, r = 10': [grid(singles), influence(recalibrated, RADIUS)],
  };
}

function study(name) {
  const setup = MODELS[name];
  const { model } = setup;
  const methods = methodsOf(setup);
  const cells = new Map();
  let best = { accuracy: 0, risk: 0 };
  for (let run = 0; run < runs; run++) {
    const random = seededRandom(`${options.seed} ${name} ${run}`);
    const order = permutation(all.records, random);
    const half = Math.floor((all.records - records) / 2);
    const data = selectRecords(all, order.subarray(0, records));
    const validation = selectRecords(all, order.subarray(records, records + half));
    const test = selectRecords(all, order.subarray(records + half));
    const start = model.convex
      ? new Float64Array(model.parameters)
      : perceptronStart({ dimension }, (target) => fillNormal(target, random));
    const least = optimum(model, data, { start, tolerance: 1e-6, iterations: 60 });
    best = { accuracy: best.accuracy + accuracy(model, least.theta, test) / runs, risk: best.risk + least.risk / runs };
    for (const [method, [settings, perform]] of Object.entries(methods)) {
      for (const epsilon of epsilons) {
        settings.forEach((setting, s) => {
          const { theta, share = 0 } = perform(epsilon, setting, data, random, start);
          const key = `${method} ${epsilon}`;
          const row = cells.get(key) ?? settings.map(() => ({ validation: 0, accuracy: [], gap: [], share: 0 }));
          row[s].validation += empiricalRisk(model, theta, validation) / runs;
          row[s].accuracy.push(accuracy(model, theta, test));
          row[s].gap.push(empiricalRisk(model, theta, data) - least.risk);
          row[s].share += share / runs;
          cells.set(key, row);
        });
      }
    }
  }
  const chosen = (method, epsilon) => {
    const row = cells.get(`${method} ${epsilon}`);
    return row.reduce((a, b) => (b.validation < a.validation ? b : a));
  };
  const lines = [`${name}: ${runs} runs, n = ${records}, m = ${model.parameters}, delta = ${delta}`];
  lines.push(`without privacy: accuracy ${best.accuracy.toFixed(4)}, risk ${best.risk.toFixed(4)}`);
  const table = (title, show) => {
    lines.push('', title.padEnd(32) + epsilons.map((epsilon) => String(epsilon).padStart(9)).join(''));
    for (const method of Object.keys(methods)) {
      const row = epsilons.map((epsilon) => show(chosen(method, epsilon)).padStart(9));
      lines.push(method.padEnd(32) + row.join(''));
    }
  };
  table('accuracy, epsilon =', (cell) => mean(cell.accuracy).toFixed(4));
  table('optimality gap, epsilon =', (cell) => mean(cell.gap).toFixed(4));
  table('steps without noise, epsilon =', (cell) => cell.share.toFixed(4));
  process.stdout.write(`${lines.join('\n')}\n\n`);
  if (options.out !== undefined) writeFigures(name, Object.keys(methods), chosen, best);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// Figures 1 and 2: the mean over the runs against ε, with bars from the least to the largest run.
function writeFigures(name, methods, chosen, best) {
  const figure = (field, title, label, logarithmic, levels) => ({
    kind: 'curves',
    name: `influence-${field}-${name}`,
    title: `${title}, ${name}`,
    x: { label: 'ε', logarithmic: true },
    y: { label, logarithmic },
    curves: methods
      .map((method, style) => ({
        name: method,
        style,
        dashed: false,
        points: epsilons
          .map((epsilon) => {
            const values = chosen(method, epsilon)[field];
            return { x: epsilon, y: mean(values), low: Math.min(...values), high: Math.max(...values) };
          })
          // A gap of 0 or less, found by luck next to the optimum, has no place on a logarithmic axis; it is in the table.
          .filter(({ low }) => !logarithmic || low > 0),
      }))
      .filter(({ points }) => points.length > 0),
    levels,
  });
  const figures = [
    figure('accuracy', 'Accuracy on held-out records', 'share of labels predicted', false, [
      { name: 'without privacy', value: best.accuracy },
    ]),
    figure('gap', 'Optimality gap on the training records', 'L(θ) − L*', true, []),
  ];
  mkdirSync(options.out, { recursive: true });
  for (const [file, text] of Object.entries(figureFiles(figures))) writeFileSync(join(options.out, file), text);
  const shown = { model: name, runs, records, delta, seed: options.seed, without: best, figures };
  writeFileSync(join(options.out, `influence-${name}.json`), `${JSON.stringify(shown, null, 2)}\n`);
}

for (const name of options.model.split(',')) study(name);
