import { canonicalJson, type Json } from '../../../../src/core/digest.ts';
import type { PartComputer, PartTask } from '../../../evidence/engine/part-threads.ts';
import type { PaperExperiment } from '../../../evidence/experiment/experiment.ts';

/** A part of the toy: its numbers follow from setting, part and seed. */
export function toyPart(setting: Json, part: number, seed: string): Json {
  return [(setting as { readonly factor: number }).factor * (part + 1), seed.length, 0.1 + part / 3];
}

/** A computer of this thread that remembers its tasks. */
export interface Watched extends PartComputer {
  readonly tasks: PartTask[];
}

/** Computes toys in this thread; `delay` says after how many turns of the event loop a part is done, `fail` which parts fail. */
export function computer(
  delay: (task: PartTask) => number = () => 0,
  fail: (task: PartTask) => boolean = () => false,
): Watched {
  const tasks: PartTask[] = [];
  return {
    threads: 1,
    tasks,
    async compute(task) {
      tasks.push(task);
      for (let turn = 0; turn < delay(task); turn++) await new Promise((done) => setTimeout(done, 0));
      if (fail(task)) throw new RangeError('"x" expected y, but was stopped');
      return { json: canonicalJson(toyPart(task.setting, task.part, task.seed)), seconds: 0.5 };
    },
    close: async () => {},
  };
}

/** A little experiment with two cells, of two and three parts. The title tries to break out of a page. */
export const TOY: PaperExperiment = {
  name: 'toy',
  title: '<b>Toy</b> & "co"',
  source: 'nowhere',
  summary: 'First.\nSecond.',
  version: 3,
  cells: (scale) => [
    { key: 'one', label: 'one', setting: { factor: 2 }, parts: scale === 'full' ? 3 : 2 },
    { key: 'two', label: 'two', setting: { factor: 5 }, parts: 3 },
  ],
  probe: (setting) => setting,
  part: toyPart,
  report: (results) => ({
    claims: [{ asked: 'a <i>', measured: '1 & 2', met: results.length === 2 }],
    tables: [
      {
        title: 'Parts',
        columns: ['cell', 'parts'],
        rows: results.map(({ cell, parts }) => [cell.label, JSON.stringify(parts)]),
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
    data: results.map(({ parts }) => parts),
  }),
};
