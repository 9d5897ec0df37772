import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { study } from '../../../protocols/hinge/protocol.ts';
import type { RunDocument } from '../../../src/node/kinds/records/summary.ts';
import { loadDataset } from '../../../src/node/records.ts';
import type { Origin } from '../../../src/node/run-program.ts';
import { parseSchema } from '../../../src/node/schema.ts';
import { type Dataset, datasetPopulation, simulate, splitRows } from '../../../src/simulation/runner.ts';
import { ldpkit, PEOPLE_SCHEMA, peopleCsv, ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const data = write('people.csv', peopleCsv(6000));
write('people.json', JSON.stringify(PEOPLE_SCHEMA));
const folder = dirname(data);
const people = ['run', 'hinge', '--data', 'people.csv', '--schema', 'people.json'];

/** The document a run prints; it must be all there is on the standard output. */
async function documentOf(...words: readonly string[]): Promise<RunDocument> {
  const { status, stdout, stderr } = await ldpkit(folder, [...words, '--json']);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** A document without what depends on the clock and on how it was asked for. */
const lasting = (document: RunDocument): unknown =>
  JSON.parse(
    JSON.stringify(document, (key, value) =>
      /^(?:seconds|momentsSeconds|reportsPerSecond|command)$/.test(key) ? undefined : value,
    ),
  );

/** Risk, accuracy and AUC by their definitions, pair by pair. */
function metricsOf({ dimension, features, labels }: Dataset, rows: Uint32Array, w: ArrayLike<number>) {
  const scores = Array.from(rows, (row) => {
    let score = 0;
    for (let j = 0; j < dimension; j++) score += w[j] * features[row * dimension + j];
    return score;
  });
  let [risk, right, won, pairs] = [0, 0, 0, 0];
  for (let i = 0; i < rows.length; i++) {
    const margin = labels[rows[i]] * scores[i];
    risk += Math.max(0, 0.5 - margin);
    right += margin > 0 ? 1 : 0;
    for (let k = 0; k < rows.length && labels[rows[i]] > 0; k++) {
      if (labels[rows[k]] > 0) continue;
      pairs++;
      won += scores[i] > scores[k] ? 1 : scores[i] === scores[k] ? 0.5 : 0;
    }
  }
  return { risk: risk / rows.length, accuracy: right / rows.length, auc: won / pairs };
}

describe('ldpkit run --json on a file', () => {
  const running = documentOf(...people);

  test('prints one document with what it promises, and writes nothing', async () => {
    const document = await running;
    const { protocol, variant, players, dimension, degree, guarantee, evaluatedOn, seconds, features } = document;
    expect({ protocol, variant, players, dimension, degree, guarantee }).toEqual({
      protocol: 'hinge',
      variant: 'direct',
      players: 5000,
      dimension: 3,
      degree: 1,
      guarantee: { kind: 'pure', epsilon: 1 },
    });
    expect(evaluatedOn).toMatchObject({ records: 1000, heldOut: true });
    expect(features).toEqual(['constant', 'age', "<b>job</b> ∈ {x&'y}"]);
    expect(document.estimate.w).toHaveLength(3);
    expect(Math.hypot(...document.estimate.w)).toBeLessThanOrEqual(1 + 1e-9);
    expect(seconds).toBeGreaterThan(0);
    expect(document.runs).toHaveLength(1);
    expect(document.runs[0]).toMatchObject({ variant, epsilon: 1, repetition: 1, metrics: document.metrics });
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('estimates what the library estimates from the same players with the same coins', async () => {
    const { estimate, baselines, metrics } = await running;
    const dataset = await loadDataset({ data, schema: parseSchema(PEOPLE_SCHEMA) });
    const { train, test: rows } = splitRows(6000, { seed: 'ldpkit split' });
    expect([train.length, rows.length]).toEqual([5000, 1000]);
    const parameters = study.parameters({ variant: 'direct', epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 });
    const population = datasetPopulation(dataset, train.slice().sort());
    const tally = simulate(study.protocol, parameters, population, { seed: 'ldpkit direct 1 1' });
    const query = { radius: 1, intercept: 0, unitNorm: true };
    const { w, risk, standardError } = study.protocol.server.estimate(parameters, tally, query);
    expect(estimate).toMatchObject({ w: [...w], risk, standardError, degree: 1 });

    const found = metricsOf(dataset, rows, w);
    expect(metrics.risk).toBeCloseTo(found.risk, 10);
    expect(metrics.accuracy).toBeCloseTo(found.accuracy, 10);
    expect(metrics.auc).toBeCloseTo(found.auc, 10);
    expect(metrics.excessRisk).toBeCloseTo(found.risk - baselines.nonPrivate.risk, 10);

    const { w: mean } = study.protocol.server.estimate(parameters, tally, { radius: 1, degree: 0 });
    expect(baselines.meanOnly.risk).toBeCloseTo(metricsOf(dataset, rows, mean).risk, 10);
    const optimum = study.optimum(dataset, 1, train.slice().sort());
    expect(baselines.nonPrivate.risk).toBeCloseTo(metricsOf(dataset, rows, optimum.w).risk, 10);
    // The best constant is chosen by the players' labels and does equally badly on every record of a kind.
    const happy = (chosen: Uint32Array): number => chosen.filter((row) => dataset.labels[row] > 0).length;
    const share = happy(rows) / 1000;
    expect(happy(train)).toBeGreaterThan(2500);
    expect(baselines.constant.risk).toBeCloseTo(1 - share, 10);
    expect(baselines.constant).toMatchObject({ accuracy: share, auc: 0.5 });
  });

  test('is the same for the same seed, and another for another', async () => {
    const [again, other] = await Promise.all([documentOf(...people), documentOf(...people, '--seed', 'other')]);
    expect(lasting(again)).toEqual(lasting(await running));
    expect(other.estimate.w).not.toEqual(again.estimate.w);
    expect(other.baselines.nonPrivate).not.toEqual(again.baselines.nonPrivate);
  });

  test('takes lists, numbers of players and of training records, a radius, a degree', async () => {
    const words = ['--epsilon', '0.5,4', '--variant', 'gaussian,lifted', '--repetitions', '2', '--train', '4800'];
    const document = await documentOf(...people, ...words, '--players', '4000', '--radius', '2', '--degree', '2');
    const { variant, epsilon, guarantee, players, radius, degree, evaluatedOn, runs } = document;
    // The headline: the first variant, the ε closest to 1.
    expect({ variant, epsilon, players, radius, degree }).toEqual({
      variant: 'gaussian',
      epsilon: 0.5,
      players: 4000,
      radius: 2,
      degree: 2,
    });
    expect(guarantee).toEqual({ kind: 'approximate', epsilon: 0.5, delta: 1e-6 });
    expect(evaluatedOn.records).toBe(1200);
    expect(runs.map((run) => `${run.variant} ${run.epsilon} ${run.repetition}`)).toEqual([
      'gaussian 0.5 1',
      'gaussian 0.5 2',
      'lifted 0.5 1',
      'lifted 0.5 2',
      'gaussian 4 1',
      'gaussian 4 2',
      'lifted 4 1',
      'lifted 4 2',
    ]);
    expect(new Set(runs.map(({ estimate }) => JSON.stringify(estimate.w))).size).toBe(8);
    const [lifted, gaussian] = document.playersForSameVariance;
    expect(lifted).toMatchObject({ variant: 'lifted', ratio: 1, players: 4000 });
    expect(gaussian.ratio).toBeGreaterThan(1);
  });

  test('compares variants at the degree that was planned, which the page names', async () => {
    const { variant, collectedDegree, playersForSameVariance } = await documentOf(...people, '--epsilon', '8');
    expect(variant).toBe('direct');
    expect(collectedDegree).toBeGreaterThan(1);
    const varianceAt = (degree: number): number =>
      study.gradientVariance({ variant: 'gaussian', epsilon: 8, delta: 1e-6, degree, dimension: 3 });
    const found = playersForSameVariance.find((one) => one.variant === 'gaussian')!.variance;
    expect(found).toBe(varianceAt(collectedDegree));
    // Control: another degree has another variance.
    expect(found).toBeGreaterThan(2 * varianceAt(1));
  });

  test('knows every variant', async () => {
    const document = await documentOf(...people, '--variant', 'printed,copies', '--players', '500', '--epsilon', '8');
    expect(document.runs.map(({ variant, guarantee }) => [variant, guarantee.kind])).toEqual([
      ['printed', 'gdp'],
      ['copies', 'approximate'],
    ]);
  });

  test('takes a server of noisy copies, and the estimate names it', async () => {
    const words = ['--variant', 'copies', '--epsilon', '20', '--players', '3000'];
    const dataset = await loadDataset({ data, schema: parseSchema(PEOPLE_SCHEMA) });
    const rows = splitRows(6000, { seed: 'ldpkit split' }).train.subarray(0, 3000).slice().sort();
    const parameters = study.parameters({ variant: 'copies', epsilon: 20, delta: 1e-6, degree: 1, dimension: 3 });
    const tally = simulate(study.protocol, parameters, datasetPopulation(dataset, rows), {
      seed: 'ldpkit copies 20 1',
    });
    for (const server of ['sigm', 'average', 'newton'] as const) {
      const { estimate, metrics } = await documentOf(...people, ...words, '--server', server);
      const { w, plan } = study.protocol.server.estimate(parameters, tally, { server, decoder: 'signs' });
      expect(estimate).toMatchObject({ w: [...w], server });
      expect(estimate.plan).toEqual(plan);
      expect(plan === undefined).toBe(server === 'newton');
      // At this ε each of them is better than a coin and than w = 0.
      expect(metrics.accuracy).toBeGreaterThan(0.6);
      expect(metrics.risk).toBeLessThan(0.5);
    }
    const product = await documentOf(...people, ...words, '--server', 'sigm', '--decoder', 'product');
    expect(product.estimate).toMatchObject({ server: 'sigm', plan: { start: 0 } });
    const others = [
      'run',
      'generalized-linear',
      ...people.slice(2),
      ...words,
      '--server',
      'average',
      '--loss',
      'logistic',
    ];
    expect((await documentOf(...others)).estimate).toMatchObject({ server: 'average', loss: 'logistic' });
    const { stdout } = await ldpkit(folder, [...people, ...words, '--server', 'sigm', '--out', 'results/copies']);
    expect(stdout).toContain('copies at ε = 20: model by server sigm.');
    expect(stdout).toContain('copies at ε = 20: approximate, ε = 20, δ = 1e-6');
  });

  test('leaves a record to measure on, also of two and of three', async () => {
    for (const records of [2, 3]) {
      write('few.csv', peopleCsv(records));
      const document = await documentOf('run', 'hinge', '--data', 'few.csv', '--schema', 'people.json');
      expect([document.players, document.evaluatedOn.records]).toEqual([records - 1, 1]);
    }
  });

  test('has null and no NaN where all labels are the same', async () => {
    write('same.csv', `age,<b>job</b>,happy\n${'40,z,yes\n'.repeat(60)}`);
    const document = await documentOf('run', 'hinge', '--data', 'same.csv', '--schema', 'people.json');
    expect(document.metrics.auc).toBeNull();
    expect(document.baselines.nonPrivate).toMatchObject({ accuracy: 1, auc: null });
  });
});

test('a result does not depend on the number of threads', async () => {
  // More than two blocks of players, so that threads have something to share.
  write('many.csv', peopleCsv(170_000));
  const words = ['run', 'hinge', '--data', 'many.csv', '--schema', 'people.json', '--variant', 'lifted,gaussian'];
  const one = await documentOf(...words, '--threads', '1');
  expect(one.players).toBeGreaterThan(2 * 65_536);
  for (const threads of ['2', '3']) {
    expect(lasting(await documentOf(...words, '--threads', threads))).toEqual(lasting(one));
  }
});

test('without --json there is a table, and two files are written', async () => {
  const { status, stdout } = await ldpkit(folder, [...people, '--out', 'results/deep']);
  expect(status).toBe(0);
  for (const word of ['non-private optimum', 'best constant', 'mean only (direct)', 'hinge risk', 'reports/s']) {
    expect(stdout).toContain(word);
  }
  expect(stdout).toContain('measured on 1,000 records held out by a seeded split of 6,000');
  expect(readdirSync(join(folder, 'results/deep')).sort()).toEqual(['report.html', 'result.json']);
  const document: RunDocument & Origin = JSON.parse(readFileSync(join(folder, 'results/deep/result.json'), 'utf8'));
  expect(lasting(document)).toEqual(lasting(await documentOf(...people)));
  expect(document.command).toBe('ldpkit run hinge --data people.csv --schema people.json --out results/deep');
  // The table shows what the document holds.
  expect(stdout).toContain(document.metrics.risk.toFixed(5));
  expect(stdout).toContain(document.baselines.constant.risk.toFixed(5));
});

test('on the flights the two best variants are compared three times at three ε; all records are measured', async () => {
  const { status, stdout } = await ldpkit(ROOT, ['run', 'hinge', '--players', '20000', '--json']);
  expect(status).toBe(0);
  const document: RunDocument = JSON.parse(stdout);
  const { runs, players, evaluatedOn, baselines, epsilon, variant } = document;
  expect({ players, epsilon, variant }).toEqual({ players: 20_000, epsilon: 1, variant: 'direct' });
  expect(evaluatedOn).toMatchObject({ records: 20_000, heldOut: false });
  expect(runs).toHaveLength(3 * 2 * 3);
  expect([...new Set(runs.map((run) => run.epsilon))]).toEqual([0.5, 1, 4]);
  expect([...new Set(runs.map((run) => run.variant))]).toEqual(['lifted', 'gaussian', 'direct']);
  expect(baselines.nonPrivate.risk).toBeLessThan(baselines.constant.risk);
  // On the records it was fitted to, nothing in the same ball beats the optimum.
  expect(Math.min(...runs.map(({ metrics }) => metrics.excessRisk))).toBeGreaterThan(-1e-6);
});
