import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { readTable } from '../../src/node/table.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import { areaUnderCurve, areaUnderRounded, fillKeys, scoreMetrics } from '../../src/simulation/metrics.ts';
import { scratchFolder } from '../unit/node/scratch.ts';
import { fixture, uniforms } from './fixture.ts';

const write = scratchFolder();

const figures = fixture<{
  scores: { positives: number; auc: number; logLoss: number; accuracy: number };
  airports: { rows: number; latitudes: number; nameLetters: number; withComma: string[]; withQuote: string[] };
  flights: {
    rows: number;
    delay: number;
    late: number;
    earliest: number;
    latest: number;
  };
}>('tables');

describe('scores with many ties, by scikit-learn', () => {
  const source = uniforms(9);
  const scores = new Float64Array(2000);
  const labels = new Int8Array(2000);
  for (let i = 0; i < 2000; i++) {
    scores[i] = Math.round(16 * source.between(1)) / 16;
    labels[i] = scores[i] + source.bell() > 0.25 ? 1 : -1;
  }

  test('roc_auc_score', () => {
    expect(labels.reduce((sum, label) => sum + (label > 0 ? 1 : 0), 0)).toBe(figures.scores.positives);
    expect(Math.abs(areaUnderCurve(scores, labels) - figures.scores.auc)).toBeLessThan(1e-14);
    const keys = new Uint32Array(2000);
    fillKeys(scores, labels, keys, 0);
    expect(Math.abs(areaUnderRounded(keys, new Uint32Array(2000)) - figures.scores.auc)).toBeLessThan(1e-14);
    // Ties broken one way are another area.
    const broken = scores.map((score, i) => score + (labels[i] > 0 ? 1e-9 : 0));
    expect(areaUnderCurve(broken, labels) - figures.scores.auc).toBeGreaterThan(1e-3);
  });

  test('log_loss and accuracy', () => {
    const dataset = { players: 2000, dimension: 1, features: Float32Array.from(scores), labels };
    const [found, doubled] = scoreMetrics(dataset, [[1], [2]], undefined, logisticLoss());
    expect(Math.abs(found.risk - figures.scores.logLoss)).toBeLessThan(1e-13);
    expect(found.accuracy).toBe(figures.scores.accuracy);
    expect(Math.abs(doubled.risk - figures.scores.logLoss)).toBeGreaterThan(1e-3);
  });
});

describe('files of the npm package vega-datasets', () => {
  const folder = join(__dirname, '../../node_modules/vega-datasets/data');
  const read = async (file: string, columns: readonly string[], each: (values: readonly unknown[]) => void) => {
    await readTable(join(folder, file), columns, {
      expect: () => {},
      add: ({ rows, columns: cells }) => {
        for (let i = 0; i < rows; i++) each(cells.map(({ values }) => values[i]));
      },
    });
  };

  test("airports.csv: what Python's csv reads", async () => {
    const { withComma, withQuote, ...sums } = figures.airports;
    const names: string[] = [];
    let latitudes = 0;
    await read('airports.csv', ['latitude', 'name'], ([latitude, name]) => {
      latitudes += Number(latitude);
      names.push(String(name));
    });
    expect(names.length).toBe(sums.rows);
    expect(Math.abs(latitudes / sums.latitudes - 1)).toBeLessThan(1e-12);
    expect(names.reduce((sum, name) => sum + name.length, 0)).toBe(sums.nameLetters);
    expect(names.filter((name) => name.includes(','))).toEqual(withComma);
    expect(names.filter((name) => name.includes('"'))).toEqual(withQuote);
    // Cut at every comma, names would have none.
    expect(withComma.length + withQuote.length).toBeGreaterThan(0);
  });

  // In a process of its own, where the decompressors are plain modules.
  test('flights-3m.parquet: what pyarrow reads', async () => {
    const program = `
      import { readTable } from './src/node/table.ts';
      const found = { rows: 0, delay: 0, late: 0, earliest: Infinity, latest: -Infinity };
      readTable(process.argv[2], ['delay', 'date'], {
        expect: () => {},
        add: ({ rows, columns: [delays, dates] }) => {
          found.rows += rows;
          for (let i = 0; i < rows; i++) {
            const delay = Number(delays.values[i]);
            const time = Number(dates.values[i]);
            found.delay += delay;
            if (delay > 0) found.late++;
            if (time < found.earliest) found.earliest = time;
            if (time > found.latest) found.latest = time;
          }
        },
      }).then(() => console.log(JSON.stringify(found)));`;
    const resolveDir = join(__dirname, '../..');
    const stdin = { contents: program, resolveDir, loader: 'ts' } as const;
    const { outputFiles } = buildSync({ stdin, bundle: true, platform: 'node', format: 'cjs', write: false });
    const script = write('flights.cjs', outputFiles[0].text);
    const { stdout } = await promisify(execFile)(process.execPath, [script, join(folder, 'flights-3m.parquet')]);
    const found = JSON.parse(stdout);
    expect(found).toEqual(figures.flights);
    // Days in the place of milliseconds, or microseconds, would be another century.
    expect(new Date(found.earliest).toISOString().slice(0, 10)).toBe('2001-01-01');
  });
});
