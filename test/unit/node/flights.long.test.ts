import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const root = join(__dirname, '../../..');
const flights = join(root, 'node_modules/vega-datasets/data/flights-3m.parquet');

// The three million flights are loaded by a process of their own: its peak memory is then that of the loading, and the
// decompressors are plain modules there.
const program = `
import { loadDataset } from './src/node/records.ts';
import { flightsSchema, locateFlights } from './src/node/flights.ts';
import { readTable } from './src/node/table.ts';
import { parseSchema } from './src/node/schema.ts';
import { peakMemory } from './test/environment/peak-memory.mjs';

const message = (action) => Promise.resolve().then(action).then(() => 'accepted', (error) => String(error));
const none = { expect: () => {}, add: () => {} };

async function main() {
  const damaged = process.argv[2];
  const data = locateFlights();
  let batches = 0;
  const { players, dimension, features, labels } = await loadDataset({ data, schema: flightsSchema() }, () => batches++);
  const peak = peakMemory() / 2 ** 20;
  let positives = 0;
  let largest = 0;
  const sums = new Float64Array(dimension);
  for (let i = 0; i < players; i++) {
    if (labels[i] > 0) positives++;
    let squared = 0;
    for (let j = 0; j < dimension; j++) {
      const value = features[i * dimension + j];
      squared += value * value;
      sums[j] += value;
    }
    if (!(squared <= largest)) largest = squared;
  }
  const timesOnly = { column: 'date', minimum: 0, maximum: 1 };
  const label = { column: 'delay', above: 0 };
  const under = (feature) => parseSchema({ label, features: [feature], normalize: 'unit' });
  process.chdir('/');
  console.log(JSON.stringify({
    data, players, dimension, batches, peak, positives, largest, sums: [...sums],
    first: [...features.subarray(0, dimension)], label: labels[0],
    missing: await message(() => readTable(data, ['delay', 'airline'], none)),
    damaged: await message(() => readTable(damaged, ['delay'], none)),
    untimed: await message(() => loadDataset({ data, schema: under(timesOnly) })),
    listed: await message(() => loadDataset({ data, schema: under({ column: 'date', indicator: ['a'] }) })),
    short: await message(() => loadDataset({ data, schema: under({ column: 'distance', minimum: 0, maximum: 2200 }) })),
    outside: await message(() => locateFlights()),
  }));
}
main();
`;

// Garbage is collected late on a busy machine. The limit makes the peak that of what is really needed, so that it can be
// tested: whoever would hold the whole table would run out of memory.
const HEAP = '--max-old-space-size=120';

interface Result {
  readonly [key: string]: unknown;
  readonly first: readonly number[];
  readonly sums: readonly number[];
  readonly peak: number;
  readonly largest: number;
  readonly batches: number;
}

describe('the three million flights', () => {
  let result: Result;

  beforeAll(async () => {
    const { outputFiles } = buildSync({
      stdin: { contents: program, resolveDir: root, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'silent',
      write: false,
    });
    const script = write('flights.cjs', outputFiles[0].contents);
    const whole = readFileSync(flights);
    const damaged = write('damaged.parquet', whole.subarray(0, whole.length / 2));
    const { stdout } = await promisify(execFile)(process.execPath, [HEAP, script, damaged], { cwd: root });
    result = JSON.parse(stdout);
  });

  test('are found beside the code of vega-datasets, and read group by group', () => {
    expect(result).toMatchObject({ data: flights, players: 3_000_000, dimension: 14, batches: 11 });
    expect(result.positives).toBe(1_342_676);
  });

  test('take at most 400 MB, 171 of which are the result', () => {
    expect(result.peak).toBeGreaterThan(171);
    expect(result.peak).toBeLessThan(400);
  });

  test('begin with the record that one computes by hand', () => {
    // Monday, 1 January 2001, 00:01, Las Vegas to Philadelphia, 2176 miles, 33 minutes late.
    const distance = 2176 / 5100;
    const plain = [0.5, 0, 1, 0, 1, 0.5, Math.sqrt(0.75), -1, 1, -1, 0, 0, 0, distance];
    const norm = Math.sqrt(6.25 + distance * distance);
    expect(Math.max(...plain.map((value, j) => Math.abs(value / norm - result.first[j])))).toBeLessThan(1e-6);
    expect(result.label).toBe(1);
  });

  test('all lie in the unit ball and use every coordinate', () => {
    expect(result.largest).toBeLessThanOrEqual(1);
    expect(result.largest).toBeGreaterThan(1 - 1e-6);
    const means = result.sums.map((sum) => sum / 3_000_000);
    expect(means.every((mean) => Number.isFinite(mean) && mean !== 0)).toBe(true);
    // More flights leave in the afternoon (a negative sine), and nearly all by day (a negative cosine).
    expect(means[1]).toBeLessThan(-0.02);
    expect(means[2]).toBeLessThan(-0.02);
  });

  test('are refused where the schema does not fit, without a value', () => {
    expect(result.missing).toBe(`RangeError: "data" expected a column named "airline", got "${flights}"`);
    expect(result.damaged).toMatch(
      /^RangeError: "data" expected a Parquet file that is not damaged, got ".*\.parquet"$/,
    );
    expect(result.untimed).toBe(
      'RangeError: "date" expected a number, not a point in time (name a "part" in the schema)',
    );
    expect(result.listed).toBe('RangeError: "date" expected a text, not a point in time (name a "part" in the schema)');
    expect(result.short).toMatch(
      /^RangeError: "distance" expected a number from 0 to 2200 \(or "clip" in the schema\) in rows \d+(, \d+){8} and \d+; rows after these were not looked at$/,
    );
  });

  test('that are not installed are asked for', () => {
    expect(result.outside).toBe(
      'RangeError: "data" expected a file (--data), or the npm package vega-datasets for the flights, got neither',
    );
  });
});
