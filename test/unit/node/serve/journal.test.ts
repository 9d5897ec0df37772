import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Journal, type Journaled, openJournal, type Receipted } from '../../../../src/node/serve/journal.ts';
import { openStore } from '../../../../src/node/serve/log.ts';
import { newFolder } from './collector.ts';

const plan = 'plan of this test';
const PARTITIONS = 3;
/** The report of a mark whose last bytes are the number of its partition. */
const report = (partition: number, at: number, duplicate = false): Receipted => ({
  mark: Uint8Array.from({ length: 18 }, (_, i) => [at, ...Array(13).fill(7), partition][i] ?? 0),
  bytes: Uint8Array.of(at, partition, at),
  sequence: 1 + at * 2 ** 32,
  duplicate,
});
const plain = ({ mark, bytes, sequence }: Journaled) => [[...mark], [...bytes], sequence];
const files = (folder: string) => readdirSync(join(folder, 'journal')).filter((name) => name.startsWith('reports-'));
const marks = async (journal: Journal) => {
  const all: number[] = [];
  for await (const { reports } of journal.read(new Set([0]), 9)) all.push(...reports.map(({ mark }) => mark[0]));
  return all;
};

describe('the journal of a collector', () => {
  test('has its reports in their order, partition by partition, also when it is opened again', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan, PARTITIONS);
    const reports = Array.from({ length: 30 }, (_, i) => report(i % 3, (7 * i) % 30));
    await Promise.all([journal.write(reports.slice(0, 20)), journal.write([])]);
    await journal.shut();
    const again = await openJournal(folder, plan, PARTITIONS);
    await again.write(reports.slice(20));
    const groups = new Map<number, (readonly Journaled[])[]>([0, 1, 2].map((partition) => [partition, []]));
    for await (const { partition, reports: some } of again.read(new Set([0, 2]), 4)) groups.get(partition)?.push(some);
    expect([0, 1, 2].map((partition) => groups.get(partition)?.map(({ length }) => length))).toEqual([
      [4, 4, 2],
      [],
      [4, 4, 2],
    ]);
    for (const partition of [0, 2]) {
      expect(again.count(partition)).toBe(10);
      const mine = reports.filter((_, i) => i % 3 === partition);
      expect(groups.get(partition)?.flat().map(plain)).toEqual(mine.map(plain));
    }
    // A file for each process that wrote; one that only reads makes none.
    await again.shut();
    await (await openJournal(folder, plan, PARTITIONS)).shut();
    expect(files(folder)).toEqual(['reports-00000001', 'reports-00000002']);
  });

  test('does not grow by duplicates of the same player, however often they come', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan, PARTITIONS);
    await journal.write([report(0, 1), report(0, 2)]);
    for (let time = 0; time < 5; time++)
      await journal.write([report(0, 1, true), report(0, 3, true), report(1, 3, true)]);
    expect([0, 1, 2].map(journal.count)).toEqual([4, 1, 0]);
    expect(await marks(journal)).toEqual([1, 2, 1, 3]);
    // What comes later stands after the last in order, and not after a duplicate.
    await journal.write([report(0, 4)]);
    expect(await marks(journal)).toEqual([1, 2, 4, 1, 3]);
    await journal.shut();
  });

  test('has all whole writes and no part of one, wherever its file was cut off; and goes on after it', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan, PARTITIONS);
    for (const at of [1, 2, 3]) await journal.write([report(0, at)]);
    const path = join(folder, 'journal', 'reports-00000001');
    const whole = readFileSync(path);
    await journal.shut();
    const size = whole.length / 3;
    for (let length = 0; length <= whole.length; length++) {
      // Every place of the last write, those around an end of the others, and every seventh beside them.
      const near = length % size < 3 || size - (length % size) < 3;
      if (length < 2 * size && !near && length % 7 !== 0) continue;
      writeFileSync(path, whole.subarray(0, length));
      const cut = await openJournal(folder, plan, PARTITIONS);
      const left = [1, 2, 3].slice(0, Math.floor(length / size));
      expect(await marks(cut)).toEqual(left);
      expect(cut.count(0)).toBe(left.length);
      await cut.shut();
    }
    // A byte that is another one ends it where it is in the last write, and is not read as a report; before that, the journal is refused.
    const changed = (place: number): Buffer => {
      const other = Buffer.from(whole);
      other[place] ^= 1;
      return other;
    };
    writeFileSync(path, changed(2 * size + 20));
    const next = await openJournal(folder, plan, PARTITIONS);
    expect(await marks(next)).toEqual([1, 2]);
    await next.write([report(0, 4)]);
    expect(await marks(next)).toEqual([1, 2, 4]);
    await next.shut();
    writeFileSync(path, changed(size + 20));
    await expect(openJournal(folder, plan, PARTITIONS)).rejects.toThrow('a frame is damaged');
  });

  test('of another form is refused, and not taken for an empty one', async () => {
    const folder = newFolder();
    const { shut } = await openStore(join(folder, 'journal'), plan, 'another form');
    await shut();
    await expect(openJournal(folder, plan, PARTITIONS)).rejects.toThrow('a store of this version');
  });

  test('belongs to one plan', async () => {
    const folder = newFolder();
    const journal = await openJournal(folder, plan, PARTITIONS);
    await journal.shut();
    await expect(openJournal(folder, 'another plan', PARTITIONS)).rejects.toThrow(
      'expected one of the plan another plan',
    );
  });
});
