import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { lifted, marginSums } from '../../../protocols/hinge/index.ts';
import { study } from '../../../protocols/hinge/protocol.ts';
import type { RunDocument } from '../../../src/node/kinds/records/summary.ts';
import { loadDataset } from '../../../src/node/records.ts';
import { interceptOf, parseSchema } from '../../../src/node/schema.ts';
import { datasetPopulation, splitRows } from '../../../src/simulation/runner.ts';
import { dataMoments, simulateSum } from '../../../src/simulation/sum-law.ts';
import { ldpkit, PEOPLE_SCHEMA, peopleCsv } from './command-line.ts';
import { withoutMath } from './page-text.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const data = write('people.csv', peopleCsv(6000));
write('people.json', JSON.stringify(PEOPLE_SCHEMA));
const folder = dirname(data);
const people = ['run', 'hinge', '--data', 'people.csv', '--schema', 'people.json'];

async function documentOf(...words: readonly string[]): Promise<RunDocument> {
  const { status, stdout, stderr } = await ldpkit(folder, [...people, ...words, '--json']);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('ldpkit run --law sum', () => {
  test('draws what the library draws, on any number of threads, and says that no report was made', async () => {
    const words = ['--law', 'sum', '--variant', 'lifted', '--copies', '1000'];
    const [one, two] = await Promise.all(['1', '2'].map((threads) => documentOf(...words, '--threads', threads)));
    expect(two.estimate).toEqual(one.estimate);
    const { players, copies, runs, momentsSeconds } = one;
    expect({ players, copies }).toEqual({ players: 5_000_000, copies: 1000 });
    expect(runs[0]).toMatchObject({ law: 'sum', reports: 0, distance: 0, reportsPerSecond: null });
    expect(momentsSeconds).toBeGreaterThan(0);

    const schema = parseSchema(PEOPLE_SCHEMA);
    const dataset = await loadDataset({ data, schema });
    const { train } = splitRows(6000, { train: 5 / 6, seed: 'ldpkit split' });
    const population = datasetPopulation(dataset, train.sort());
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 3 });
    const moments = dataMoments(marginSums, parameters, population);
    const seed = 'ldpkit lifted 1 1';
    const { tally } = simulateSum(marginSums, parameters, { population, moments }, { seed, copies: 1000 });
    const { w } = study.protocol.server.estimate(
      parameters,
      tally,
      study.query({ radius: 1, intercept: interceptOf(schema), unitNorm: true }),
    );
    expect(one.estimate.w).toEqual(Array.from(w));
  });

  test('says so in the terminal and on the page, without a speed', async () => {
    const words = [...people, '--law', 'sum', '--variant', 'sampled,lifted', '--copies', '40', '--out', 'drawn'];
    const { status, stdout } = await ldpkit(folder, words);
    expect(status).toBe(0);
    const note = 'no reports were made for sampled at ε = 1 (1 of 1 run; within 0.00';
    expect(stdout).toContain(`Law of sums: ${note}`);
    expect(stdout).toContain('lifted at ε = 1 (1 of 1 run; exact)');
    expect(stdout).toContain('Each record stands for 40 of the 200,000 players.');
    const page = readFileSync(join(folder, 'drawn/report.html'), 'utf8');
    expect(withoutMath(page)).toContain(note);
    expect(page).toContain('Each of 200,000 players would send one randomized report');
    expect(page).not.toContain('reports per second');
  });

  test('headline makes the reports of the first run, and of runs that have no such law', async () => {
    const words = [
      '--law',
      'headline',
      '--variant',
      'lifted,gaussian,copies',
      '--epsilon',
      '1,4',
      '--repetitions',
      '2',
    ];
    const [mixed, all] = await Promise.all([documentOf(...words), documentOf(...words.slice(2))]);
    expect(mixed.runs.map(({ variant, law }) => `${variant} ${law}`)).toEqual([
      ...['lifted reports', 'lifted sum', 'gaussian sum', 'gaussian sum', 'copies reports', 'copies reports'],
      ...['lifted sum', 'lifted sum', 'gaussian sum', 'gaussian sum', 'copies reports', 'copies reports'],
    ]);
    expect(mixed.estimate).toEqual(all.estimate);
    expect(mixed.runs[1].estimate).not.toEqual(all.runs[1].estimate);
    expect(mixed.runs[4].estimate).toEqual(all.runs[4].estimate);
    expect(all.momentsSeconds).toBeNull();
    expect(
      all.runs.every(({ law, reports, reportsPerSecond }) => law === 'reports' && reports === 5000 && reportsPerSecond),
    ).toBe(true);
  });

  test.each([
    [
      ['--law', 'sum', '--variant', 'gaussian', '--degree', '2'],
      '"degree" expected 0 or 1 for the law of sums of gaussian',
    ],
    [['--law', 'sum', '--variant', 'copies'], '"variant" expected direct, lifted, sampled or gaussian'],
    [['--law', 'sum', '--grade', 'deployment'], '"grade" expected simulation'],
    [['--copies', '2'], '"copies" expected 1 where reports are made'],
    [['--law', 'headline', '--copies', '2'], '"copies" expected 1 where reports are made'],
    [['--law', 'both'], '"law" expected one of reports, sum, headline'],
  ])('%p is refused by name', async (words, message) => {
    const { status, stderr } = await ldpkit(folder, [...people, ...words]);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
