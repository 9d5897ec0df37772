import { describe, expect, test } from '@jest/globals';
import { openJournal, type Receipted } from '../../../../src/node/serve/journal.ts';
import { newFolder } from './collector.ts';

const plan = 'plan of this test';
const report = (partition: number, at: number): Receipted => ({
  partition,
  mark: Uint8Array.from({ length: 18 }, (_, i) => (i === 0 ? at : 255 - partition)),
  bytes: Uint8Array.of(at, partition, at),
});
const plain = ({ partition, mark, bytes }: Receipted) => [partition, [...mark], [...bytes]];

describe('the journal of a collector', () => {
  test('has each report once, in the order of the marks of a partition, also when it is opened again', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan);
    const reports = Array.from({ length: 30 }, (_, i) => report(i % 3, (7 * i) % 30));
    await Promise.all([journal.write(reports.slice(0, 20)), journal.write(reports.slice(10)), journal.write([])]);
    // Other bytes of a player who is there change nothing.
    await journal.write([{ ...reports[4], bytes: Uint8Array.of(9) }]);
    await journal.shut();
    const again = await openJournal(folder, plan);
    for (const partition of [0, 1, 2]) {
      const mine = reports.filter((one) => one.partition === partition).sort((a, b) => a.mark[0] - b.mark[0]);
      expect(again.count(partition)).toBe(10);
      const found: Receipted[] = [];
      for (let last: Uint8Array | undefined; ; last = found[found.length - 1].mark) {
        const some = again.after(partition, last, 4);
        if (some.length === 0) break;
        found.push(...some);
      }
      expect(found.map(plain)).toEqual(mine.map(plain));
    }
    // Control: who skips one has another list.
    expect(again.after(0, again.after(0, undefined, 1)[0].mark, 10)).toHaveLength(9);
    await again.write([report(1, 200)]);
    expect(again.count(1)).toBe(11);
    await again.shut();
  });

  test('belongs to one plan', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan);
    await journal.shut();
    await expect(openJournal(folder, 'another plan')).rejects.toThrow('expected one of the plan another plan');
  });
});
