// Coverage of the intervals that `ldpkit run hinge` states, on a file of records: every collection makes all reports anew, and risk
// and effect of its model are measured on the players' records. A collection of too few players is made again with as many as
// it was told would do. Without a file the records are made up. Minutes, not part of the tests.
//
//   node test/validation/model-intervals.mjs [--data FILE --schema FILE] [--players 833,5000,25000] [--runs 60] [--epsilon 1] [--degree 1]
import { seededRandom } from 'ldpkit';
import { normal, uniform } from 'ldpkit/mechanism';
import { study } from 'ldpkit/protocols/hinge';
import { datasetPopulation, scoreMetrics, simulate, splitRows } from 'ldpkit/simulate';
import { numbers, optionsOf, recordsOf } from './kit.mjs';

const options = optionsOf('data schema players=833,5000,25000 runs=60 epsilon=1 degree=1 variant=lifted');

async function recordsOfFile() {
  const { schema, dataset } = await recordsOf(options);
  const at = schema.features.findIndex((one) => one.kind === 'constant');
  return { dataset, intercept: at < 0 ? undefined : at };
}

/** A constant, three normal coordinates, a rare indicator and a skewed amount; labels are logistic, three in ten positive. */
function recordsMadeUp() {
  const [players, dimension] = [200_000, 6];
  const random = seededRandom('made-up file');
  const features = new Float64Array(players * dimension);
  const labels = new Int8Array(players);
  for (let i = 0; i < players; i++) {
    const [a, b, c] = [normal(random), normal(random), normal(random)];
    const rare = uniform(random) < 0.3 ? 1 : 0;
    const amount = uniform(random) ** 3;
    const score = -1.1 + 1.4 * a - 0.8 * b + 0.9 * rare + 1.2 * (amount - 0.25);
    labels[i] = uniform(random) < 1 / (1 + Math.exp(-score)) ? 1 : -1;
    const record = [1, a / 2, b / 2, c / 2, rare - 0.5, amount];
    const norm = Math.hypot(...record);
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = record[j] / norm;
  }
  return { dataset: { players, dimension, features, labels }, intercept: 0 };
}

const madeUp = options.data === undefined && options.schema === undefined;
const { dataset, intercept } = madeUp ? recordsMadeUp() : await recordsOfFile();
const { dimension, features, labels } = dataset;
const request = {
  variant: options.variant,
  epsilon: Number(options.epsilon),
  delta: 1e-6,
  degree: Number(options.degree),
  dimension,
};
const parameters = study.parameters(request);
const runs = Number(options.runs);

/** The effect as the interval means it. */
function effectOf(w, rows) {
  const sides = { 1: [0, 0], '-1': [0, 0] };
  for (const row of rows) {
    let score = 0;
    for (let j = 0; j < dimension; j++) score += w[j] * features[row * dimension + j];
    const side = sides[labels[row]];
    side[0] += score;
    side[1]++;
  }
  const [positive, negative] = [sides[1], sides['-1']];
  return intercept === undefined
    ? (positive[0] - negative[0]) / rows.length
    : positive[0] / positive[1] - negative[0] / negative[1];
}

const inside = ([low, high], value) => low <= value && value <= high;

/** One collection of so many players, and what its intervals hold. */
function collection(players, run) {
  const rows = splitRows(dataset.players, { train: players, seed: `intervals ${run}` }).train;
  const tally = simulate(study.protocol, parameters, datasetPopulation(dataset, rows), { seed: `coins ${run}` });
  const query = { radius: 1, variant: options.variant, intercept };
  const estimate = study.protocol.server.estimate(parameters, tally, study.query(query));
  const found = study.uncertainty(parameters, tally, estimate, query);
  const [{ risk, auc }] = scoreMetrics(dataset, [estimate.w], rows);
  const held = { risk: inside(found.risk, risk), effect: inside(found.effect, effectOf(estimate.w, rows)) };
  return { ...found, held, auc };
}

console.log(
  'players  risk held  effect held  length of each    said enough  with as many as told  AUC, least and most',
);
for (const players of numbers(options.players)) {
  const sums = { risk: 0, effect: 0, riskLength: 0, effectLength: 0, enough: 0, told: 0, after: 0 };
  const aucs = [];
  for (let run = 0; run < runs; run++) {
    const { risk, effect, enough, playersNeeded, held, auc } = collection(players, run);
    sums.risk += held.risk;
    sums.effect += held.effect;
    sums.riskLength += (risk[1] - risk[0]) / runs;
    sums.effectLength += (effect[1] - effect[0]) / runs;
    sums.enough += enough;
    aucs.push(auc);
    if (playersNeeded === null || playersNeeded > dataset.players) continue;
    sums.told++;
    sums.after += collection(Math.ceil(playersNeeded), `${run} again`).enough;
  }
  const lengths = `${sums.riskLength.toFixed(3)} ${sums.effectLength.toFixed(3)}`;
  const range = [Math.min(...aucs), Math.max(...aucs)].map((auc) => auc.toFixed(2)).join(' ');
  console.log(
    `${String(players).padEnd(8)} ${sums.risk}/${runs}      ${sums.effect}/${runs}        ${lengths}       ${sums.enough}/${runs}        ${sums.after}/${sums.told}                ${range}`,
  );
}
