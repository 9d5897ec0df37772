import { describe, expect, test } from '@jest/globals';
import { type Journaled, openJournal, type Receipted } from '../../../../src/node/serve/journal.ts';
import { newFolder } from './collector.ts';

const plan = 'plan of this test';
const report = (partition: number, at: number, duplicate = false): Receipted => ({
  partition,
  mark: Uint8Array.from({ length: 18 }, (_, i) => (i === 0 ? at : 255 - partition)),
  bytes: Uint8Array.of(at, partition, at),
  duplicate,
});
const plain = ({ mark, bytes }: Pick<Journaled, 'mark' | 'bytes'>) => [[...mark], [...bytes]];

describe('the journal of a collector', () => {
  test('has its reports in their order, partition by partition, also when it is opened again', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan);
    const reports = Array.from({ length: 30 }, (_, i) => report(i % 3, (7 * i) % 30));
    await Promise.all([journal.write(reports.slice(0, 20)), journal.write([])]);
    await journal.shut();
    const again = await openJournal(folder, plan);
    await again.write(reports.slice(20));
    for (const partition of [0, 1, 2]) {
      const mine = reports.filter((one) => one.partition === partition);
      expect(again.count(partition)).toBe(10);
      const found: Journaled[] = [];
      for (let last: Uint8Array | undefined; ; last = found[found.length - 1].key) {
        const some = again.after(partition, last, 4);
        if (some.length === 0) break;
        found.push(...some);
      }
      expect(found.map(plain)).toEqual(mine.map(plain));
    }
    // Control: who skips one has another list.
    expect(again.after(0, again.after(0, undefined, 1)[0].key, 10)).toHaveLength(9);
    await again.shut();
  });

  test('does not grow by duplicates of the same player, however often they come', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan);
    await journal.write([report(0, 1), report(0, 2)]);
    for (let time = 0; time < 5; time++)
      await journal.write([report(0, 1, true), report(0, 3, true), report(1, 3, true)]);
    expect([0, 1, 2].map(journal.count)).toEqual([4, 1, 0]);
    const marks = journal.after(0, undefined, 9).map(({ mark }) => mark[0]);
    expect(marks).toEqual([1, 2, 1, 3]);
    // What comes later stands after the last in order, and not after a duplicate.
    await journal.write([report(0, 4)]);
    expect(journal.after(0, undefined, 9).map(({ mark }) => mark[0])).toEqual([1, 2, 4, 1, 3]);
    await journal.shut();
  });

  test('belongs to one plan', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan);
    await journal.shut();
    await expect(openJournal(folder, 'another plan')).rejects.toThrow('expected one of the plan another plan');
  });
});
