import { canonicalJson, type Json } from '../../../../src/core/request.ts';
import type { ChunkComputer, ChunkTask } from '../../../evidence/engine/chunk-threads.ts';
import type { PaperExperiment } from '../../../evidence/experiment/experiment.ts';

/** A chunk of the toy: its numbers follow from setting, chunk and seed. */
export function toyChunk(setting: Json, chunk: number, seed: string): Json {
  return [(setting as { readonly factor: number }).factor * (chunk + 1), seed.length, 0.1 + chunk / 3];
}

/** A computer of this thread that remembers its tasks. */
export interface Watched extends ChunkComputer {
  readonly tasks: ChunkTask[];
}

/** Computes toys in this thread; `delay` says after how many turns of the event loop a chunk is done, `fail` which chunks fail. */
export function computer(
  delay: (task: ChunkTask) => number = () => 0,
  fail: (task: ChunkTask) => boolean = () => false,
): Watched {
  const tasks: ChunkTask[] = [];
  return {
    threads: 1,
    tasks,
    async compute(task) {
      tasks.push(task);
      for (let turn = 0; turn < delay(task); turn++) await new Promise((done) => setTimeout(done, 0));
      if (fail(task)) throw new RangeError('"x" expected y, but was stopped');
      return { json: canonicalJson(toyChunk(task.setting, task.chunk, task.seed)), seconds: 0.5 };
    },
    close: async () => {},
  };
}

/** A little experiment with two cells, of two and three chunks. The title tries to break out of a page. */
export const TOY: PaperExperiment = {
  name: 'toy',
  title: '<b>Toy</b> & "co"',
  source: 'nowhere',
  summary: 'First.\nSecond.',
  version: 3,
  cells: (scale) => [
    { key: 'one', label: 'one', setting: { factor: 2 }, chunks: scale === 'full' ? 3 : 2 },
    { key: 'two', label: 'two', setting: { factor: 5 }, chunks: 3 },
  ],
  smallRun: (setting) => setting,
  chunk: toyChunk,
  report: (results) => ({
    claims: [{ asked: 'a <i>', measured: '1 & 2', met: results.length === 2 }],
    tables: [
      {
        title: 'Chunks',
        columns: ['cell', 'chunks'],
        rows: results.map(({ cell, chunks }) => [cell.label, JSON.stringify(chunks)]),
        notes: ['a note'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'figure-1',
        title: 'Curves <1>',
        x: { label: 'n', logarithmic: true },
        y: { label: 'error', logarithmic: true },
        curves: [
          {
            name: 'a & b',
            style: 0,
            dashed: false,
            points: [
              { x: 10, y: 1, low: 0.5, high: 2 },
              { x: 1000, y: 0.01 },
            ],
          },
          {
            name: 'law',
            style: 7,
            dashed: true,
            points: [
              { x: 10, y: 1 },
              { x: 1000, y: 0.1 },
            ],
          },
        ],
        levels: [{ name: 'level', value: 0.05 }],
      },
      {
        kind: 'boxes',
        name: 'figure-2',
        title: 'Boxes',
        y: { label: 'y', logarithmic: false },
        groups: [{ name: 'group', boxes: [{ name: 'box', style: 1, five: [1, 2, 3, 4, 5] }] }],
        levels: [],
      },
    ],
    data: results.map(({ chunks }) => chunks),
  }),
};
