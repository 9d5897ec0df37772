import { describe, expect, test } from '@jest/globals';
import { gdp, nonPrivate } from '../../../../protocols/online-sgd/parameters.ts';
import { coverageReport } from '../../../evidence/online-sgd/reproductions/coverage-report.ts';
import {
  CLEAR_METHODS,
  type CoverageRow,
  coverageRows,
  PRIVATE_METHODS,
} from '../../../evidence/online-sgd/reproductions/coverage-stream.ts';
import { coverageTable } from '../../../evidence/online-sgd/reproductions/coverage-table.ts';

const MODEL = { kind: 'huber', features: 3 } as const;
const STREAM = { deviation: 0.5, checkpoints: [2000, 20_000], batches: 20, seed: 's' };

/** Half-lengths in the mean over coordinates, by method, at the last checkpoint. */
function lengths(rows: readonly CoverageRow[]): readonly number[] {
  return rows[rows.length - 1].halves.map((halves) => halves.reduce((sum, half) => sum + half, 0) / halves.length);
}

describe('a replication of the coverage table', () => {
  const clear = coverageRows({ ...STREAM, plan: nonPrivate({ model: MODEL }) });
  const noisy = coverageRows({ ...STREAM, plan: gdp({ model: MODEL, mu: 2, hessianMu: 2 }) });

  test('has a finite interval of every method for every coordinate at every checkpoint', () => {
    const shapes = [clear, noisy].map((rows) => rows.map(({ theta, halves }) => [theta.length, halves.length]));
    expect(shapes).toEqual([
      [1, 2].map(() => [4, CLEAR_METHODS.length]),
      [1, 2].map(() => [4, PRIVATE_METHODS.length]),
    ]);
    const halves = [...clear, ...noisy].flatMap((row) => row.halves.flat());
    expect(halves.every((half) => half > 0 && half < 10)).toBe(true);
  });

  test('has plug-in intervals of the length of the sandwich formula without privacy', () => {
    // z·√(Σ_jj/n), Σ = S/A² with the moments of `huberMoments(3, 0.5, 1.345)`, computed in that test.
    const cell = { ...coverageTable.cells('quick')[0], chunks: 1 };
    const budget = { cell, chunks: [[[...clear, ...clear, ...clear.slice(0, 1)]]] };
    const private1 = { cell: coverageTable.cells('quick')[1], chunks: [[[...noisy, ...noisy, ...noisy.slice(0, 1)]]] };
    const { tables } = coverageReport([budget, private1], [], { features: 3, deviation: 0.5, threshold: 1.345 });
    const limit = tables[1].rows.find(([, method]) => method.startsWith('limit')) ?? [];
    // The limit of the table's n = 200,000 at the stream's n = 20,000.
    const expected = (Number(limit[6]) / 200) * Math.sqrt(10);
    expect(Math.abs(lengths(clear)[1] / expected - 1)).toBeLessThan(0.05);
  });

  test('has a printed plug-in close to that with released Hessians, since the noise on both averages out', () => {
    const [, , released, printed] = lengths(noisy);
    expect(Math.abs(printed / released - 1)).toBeLessThan(0.1);
  });

  test('meets the same people under every plan, and others with another seed', () => {
    const other = coverageRows({ ...STREAM, seed: 't', plan: nonPrivate({ model: MODEL }) });
    expect(other[0].theta).not.toEqual(clear[0].theta);
    expect(coverageRows({ ...STREAM, plan: nonPrivate({ model: MODEL }) })).toEqual(clear);
  });
});

test('coverage counts intervals that hold the truth, in the mean over coordinates', () => {
  const [first, second] = coverageTable.cells('quick');
  const row = (theta: number): CoverageRow => ({
    theta: [theta, 1],
    halves: CLEAR_METHODS.map((_, m) => [0.1 * (m + 1), 0.1]),
  });
  const rows = (theta: number) => first.setting.checkpoints.map(() => row(theta));
  // 1.15 is held by half-lengths of 0.2 and more, 1 by all.
  const chunks = [[rows(1.15), rows(1)]];
  const noisy = [[first.setting.checkpoints.map(() => ({ theta: [1], halves: PRIVATE_METHODS.map(() => [1]) }))]];
  const { tables, claims } = coverageReport(
    [
      { cell: first, chunks },
      { cell: second, chunks: noisy },
    ],
    [],
    { features: 3, deviation: 0.5, threshold: 1.345 },
  );
  const shown = tables[0].rows.slice(0, CLEAR_METHODS.length).map((cells) => cells[2].split(' ')[0]);
  expect(shown).toEqual(['75.00', '100.00', '100.00', '100.00']);
  expect(claims[0].met).toBe(false);
});
