import { expect, test } from '@jest/globals';
import { momentsOf, populationMoments, publicPopulation } from '../../protocols/generalized-linear/index.ts';
import { hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { datasetPopulation, simulate } from '../../src/simulation/index.ts';
import { normalTally } from '../evidence/noninteractive/collections.ts';
import { constantModelRisk, makeFile, RECORDS } from '../evidence/noninteractive/files.ts';
import { type Chunk, defaults } from '../evidence/noninteractive/reproductions/defaults.ts';

test('files have the shares of labels they are made with', () => {
  // 10,000 labels, each turned round with probability .2: the share of positives has mean .1·.8 + .9·.2 = .26 and a
  // deviation of .004; six of them are .024.
  const file = makeFile({ dimension: 3, positive: 0.1, wrong: 0.2 }, 'a');
  const positives = file.labels.filter((label) => label > 0).length / RECORDS;
  expect(Math.abs(positives - 0.26)).toBeLessThan(0.024);
  expect(makeFile({ dimension: 3, positive: 0.1, wrong: 0.2 }, 'a')).toEqual(file);
  const rare = makeFile({ dimension: 3, positive: 0.1, wrong: 0 }, 'a');
  expect(rare.labels.filter((label) => label > 0)).toHaveLength(RECORDS / 10);
  // Nearly the risk of the best constant score, which is the share of the rarer label.
  expect(constantModelRisk(rare, 2)).toBeGreaterThan(0.1);
  expect(constantModelRisk(rare, 2)).toBeLessThan(0.12);
});

test('a cell is as good as the best of what is simpler, up to two standard errors, and its forecast counts within a factor', () => {
  const [cell] = defaults.cells('quick');
  const { setting } = cell;
  const base: Chunk = {
    ...{ degree: 1, best: 0.2, score: 0.3, constant: 0.3, forecast: 0.05 },
    risks: { default: [0.24, 0.26, 0.25, 0.25], mean: [0.3, 0.3, 0.3, 0.3], 'degree 1': [0.25, 0.25, 0.25, 0.25] },
    rival: { name: 'degree 1', risks: [0.25, 0.25, 0.25, 0.25] },
  };
  const measured = (chunk: Chunk): readonly string[] =>
    defaults.report([{ cell: { ...cell, setting }, chunks: [chunk] }]).claims.map((claim) => claim.measured);
  expect(measured(base)).toEqual(['100 % of 1', '100 % of 1', '100 % of 1', '100 % of 1']);
  // The controls: each of them, alone.
  expect(measured({ ...base, rival: { name: 'mean', risks: [0.2, 0.2, 0.2, 0.2] } })[0]).toBe('0 % of 1');
  // What chose the rival does not count.
  expect(measured({ ...base, risks: { ...base.risks, 'degree 1': [0.2, 0.2, 0.2, 0.2] } })[0]).toBe('100 % of 1');
  expect(measured({ ...base, constant: 0.2 })[1]).toBe('0 % of 1');
  expect(measured({ ...base, forecast: 0.08 }).slice(2)).toEqual(['0 % of 1', '100 % of 1']);
  expect(measured({ ...base, forecast: 0.1 })[3]).toBe('0 % of 1');
});

test('the experiment has a row for every cell, and no cell without a number', () => {
  const results = defaults
    .cells('quick')
    .slice(0, 2)
    .map((cell) => {
      const setting = defaults.smallRun(cell.setting);
      return { cell: { ...cell, setting }, chunks: [defaults.chunk(setting, 0, 'small')] };
    });
  const { tables, figures, claims } = defaults.report(results);
  expect(tables.flatMap(({ rows }) => rows)).toHaveLength(results.length);
  expect(tables.flatMap(({ rows }) => rows.flat()).filter((text) => /NaN|Infinity|undefined/.test(text))).toEqual([]);
  expect(figures).toHaveLength(1);
  // Few cells decide nothing.
  expect(claims.every(({ undecided }) => undecided === true)).toBe(true);
});

/** Tallies of each kind that are compared. */
const TALLIES = 500;

test('a drawn tally has the mean and the noise of reports that are made', () => {
  const file = makeFile({ dimension: 8, positive: 0.1, wrong: 0.2 }, 'tally');
  const players = file.players;
  const question = { file, players, epsilon: 1, radius: 2 };
  const at = { dimension: 8, epsilon: 1, degree: 3 };
  for (const parameters of [
    hingeParameters({ ...at, variant: 'direct', shares: [16, 2, 2] }),
    hingeParameters({ ...at, variant: 'sampled', shares: [13, 3, 2, 2] }),
    hingeParameters({ ...at, variant: 'lifted' }),
  ]) {
    if (!('lift' in parameters)) throw new Error('a variant without moments');
    const { lift } = parameters;
    const mean = populationMoments(publicPopulation(file, players), lift);
    const { degree, offsets } = lift;
    const entries = (block: number): number => offsets[block + 1] - offsets[block];
    /** For each power the mean square of what tallies' moments are off, in units of the noise that they state. */
    const squares = (tallied: (seed: string) => Parameters<typeof momentsOf>[1]): Float64Array => {
      const sums = new Float64Array(degree);
      for (let run = 0; run < TALLIES; run++) {
        const { values, noise } = momentsOf(parameters, tallied(`tally ${run}`));
        for (let block = 0; block < degree; block++) {
          const count = TALLIES * entries(block) * noise[block];
          for (let entry = offsets[block]; entry < offsets[block + 1]; entry++) {
            sums[block] += (values[entry] - mean[entry]) ** 2 / count;
          }
        }
      }
      return sums;
    };
    const drawn = squares((seed) => normalTally(parameters, question, seed));
    const made = squares((seed) => simulate(hinge, parameters, datasetPopulation(file), { seed }));
    // Means of TALLIES × entries squares of normal numbers, of deviation √(2/count): five of them are .11 for the 8 entries of
    // the first power, .02 for the 330 of the fourth. One in a million is beyond, and a fifth more noise or less of any power is.
    for (const found of [drawn, made]) {
      for (let block = 0; block < degree; block++) {
        expect(Math.abs(found[block] - 1)).toBeLessThan(5 * Math.sqrt(2 / (TALLIES * entries(block))));
      }
    }
  }
});
