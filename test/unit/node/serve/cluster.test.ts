import { serialize } from 'node:v8';
import { describe, expect, test } from '@jest/globals';
import { createClusterIntake } from '../../../../src/node/serve/cluster-intake.ts';
import { allEntries, partitionOf } from '../../../../src/node/serve/cluster-log.ts';
import { type Fold, foldEntries, mergedFold } from '../../../../src/node/serve/fold.ts';
import { admitAll, type Engine } from '../../../../src/node/serve/intake.ts';
import { keptOf, unsealed } from '../../../../src/node/serve/log.ts';
import { tallyPartition } from '../../../../src/node/serve/tally-worker.ts';
import { memoryCluster, memoryJournal, sameTally } from './memory-cluster.ts';
import { makeFold, reportsOf } from './sending.ts';

const reports = reportsOf('reports to a cluster', 400).map((bytes, i) => ({ player: `player ${i}`, bytes }));
const admission = admitAll();
const settings = (partitions = 1) => ({
  admission,
  journal: memoryJournal(partitions),
  confirming: { tell: () => undefined, every: 1 },
});
/** The same for a collector that does not look for what is lost while a test lasts: else it would be offered again at any moment. */
const unlooked = () => ({ ...settings(), confirming: { tell: () => undefined, every: 1e9 } });
const words = async (engine: Engine, sent: readonly { player: string; bytes: Uint8Array }[]) =>
  (await engine.receive(sent)).map(({ outcome }) => outcome);

/** The tally of all partitions, folded here in the order of the streams. */
async function foldHere(cluster: ReturnType<typeof memoryCluster>): Promise<Fold> {
  return foldEntries(makeFold, allEntries(cluster.log));
}

/** A worker of a partition until it has all that is there. */
async function work(cluster: ReturnType<typeof memoryCluster>, partition: number, told: string[] = []): Promise<void> {
  const ending = new AbortController();
  const failed = (text: string): void => void told.push(text);
  const working = tallyPartition(cluster.log, partition, makeFold, { signal: ending.signal, every: 1, failed });
  await cluster.read(partition, working);
  ending.abort();
  await working;
}

describe('a collector before a cluster', () => {
  test('counts each player once, whichever collector it asks, and believes nothing that its plan cannot have produced', async () => {
    const { log } = memoryCluster(3);
    const [one, other] = [0, 1].map(() => createClusterIntake(log, makeFold, settings(3)));
    const [at, again] = await Promise.all([words(one, reports), words(other, reports)]);
    at.forEach((word, i) => {
      expect([word, again[i]].sort()).toEqual(['counted', 'duplicate']);
    });
    const [first] = reports;
    const strangers = [
      { player: 'stranger', bytes: first.bytes.slice(1) },
      { player: 'x'.repeat(257), bytes: first.bytes },
      { player: 'twice', bytes: first.bytes },
      { player: 'twice', bytes: first.bytes },
    ];
    expect(await words(one, strangers)).toEqual(['refused', 'forbidden', 'counted', 'duplicate']);
    expect(one.outcomes.counted + other.outcomes.counted).toBe(401);
    const streams = await Promise.all([0, 1, 2].map((partition) => log.last(partition)));
    expect(streams.reduce((sum, count) => sum + count, 0)).toBe(401);
  });

  test('gives no receipt where the cluster did not answer, and the same bytes count once when they are sent again', async () => {
    const cluster = memoryCluster(2);
    const engine = createClusterIntake(cluster.log, makeFold, settings(2));
    // Written, and the answer lost.
    cluster.loseAnswers(1);
    await expect(engine.receive(reports.slice(0, 10))).rejects.toThrow('no answer');
    expect(engine.outcomes.counted).toBe(0);
    expect(await words(engine, reports.slice(0, 11))).toEqual([...Array(10).fill('duplicate'), 'counted']);
    expect(engine.busy).toBe(false);
  });

  test('takes no more than can be on the way', async () => {
    const { log } = memoryCluster(1);
    const never: typeof log = { ...log, append: () => new Promise(() => undefined) };
    const engine = createClusterIntake(never, makeFold, { ...settings(), mostWaiting: 1000 });
    void engine.receive(reports.slice(0, 1));
    expect(engine.busy).toBe(false);
    void engine.receive(reports.slice(1));
    expect(engine.busy).toBe(true);
  });
});

describe('workers of a cluster', () => {
  test('killed anywhere, and two on a partition, keep the fold of the streams to the bit', async () => {
    const cluster = memoryCluster(2);
    const engine = createClusterIntake(cluster.log, makeFold, settings(2));
    for (let from = 0; from < reports.length; from += 100) {
      await engine.receive(reports.slice(from, from + 100));
      // Of two workers one is cut off before it may keep anything more; the next one begins from what is kept.
      const dead = cluster.deadWorker();
      const killed = new AbortController();
      const dying = tallyPartition(dead, 0, makeFold, { signal: killed.signal, every: 1 });
      await Promise.all([work(cluster, 0), work(cluster, 0), work(cluster, 1)]);
      killed.abort();
      await dying;
    }
    const here = await foldHere(cluster);
    const { standing, saved } = await engine.tallied();
    expect(standing).toMatchObject({ counted: 400, countedInRound: 400, round: 0, rounds: false, waiting: 0 });
    expect(sameTally(saved(), here.save())).toBe(true);
    expect(engine.asked()).toBeUndefined();
    // Control: one report more is another tally.
    here.read(reports[0].bytes)();
    expect(sameTally(saved(), here.save())).toBe(false);
  });

  test('notice a flipped bit wherever it is, and make the tally again', async () => {
    const cluster = memoryCluster(1);
    const engine = createClusterIntake(cluster.log, makeFold, settings());
    await engine.receive(reports.slice(0, 50));
    await work(cluster, 0);
    const kept = cluster.states[0] as Uint8Array;
    for (let at = 0; at < kept.length; at += 7) {
      const flipped = kept.slice();
      flipped[at] ^= 1 << (at % 8);
      expect(unsealed(flipped)).toBeUndefined();
    }
    for (const damaged of [kept.slice(0, 20), kept.slice(1), kept.map((byte, at) => (at === 60 ? byte ^ 4 : byte))]) {
      cluster.states[0] = damaged;
      const told: string[] = [];
      await work(cluster, 0, told);
      expect(told).toContain('partition 0: a damaged tally is made again');
      expect(unsealed(cluster.states[0] as Uint8Array)).toEqual(unsealed(kept));
    }
  });

  test('while a tally is damaged, estimates are of the one before, and of what is whole', async () => {
    const cluster = memoryCluster(1);
    const engine = createClusterIntake(cluster.log, makeFold, settings());
    await engine.receive(reports.slice(0, 50));
    expect(await engine.standing()).toMatchObject({ counted: 0, waiting: 50 });
    await work(cluster, 0);
    const later = createClusterIntake(cluster.log, makeFold, settings());
    expect(await later.standing()).toMatchObject({ counted: 50, waiting: 0 });
    cluster.states[0] = cluster.states[0]?.slice(1);
    expect(await createClusterIntake(cluster.log, makeFold, settings()).standing()).toMatchObject({
      counted: 0,
      waiting: 50,
    });
    expect((await later.tallied()).standing.counted).toBe(50);
  });

  test('who knows less writes nothing', async () => {
    const cluster = memoryCluster(1);
    await createClusterIntake(cluster.log, makeFold, settings()).receive(reports.slice(0, 40));
    await work(cluster, 0);
    const all = cluster.states[0];
    // One that begins before there is anything, and stands still when it has half; then it looks at what is kept by now.
    async function slowly(): Promise<number> {
      let looks = 0;
      const ending = new AbortController();
      const slow = {
        ...cluster.log,
        kept: async () => (looks++ === 0 ? undefined : cluster.states[0]),
        async *entries(partition: number, after: number, signal: AbortSignal) {
          for await (const entry of cluster.log.entries(partition, after, signal)) {
            yield entry;
            while (entry.sequence === 20 && !signal.aborted) await new Promise((resolve) => setImmediate(resolve));
          }
        },
      };
      const working = tallyPartition(slow, 0, makeFold, { signal: ending.signal, every: 1 });
      while (looks < 2) await new Promise((resolve) => setImmediate(resolve));
      ending.abort();
      return working;
    }
    expect(await slowly()).toBeLessThanOrEqual(20);
    expect(cluster.states[0]).toBe(all);
    // Control: it does keep what it has where nothing is kept.
    cluster.states[0] = undefined;
    await slowly();
    expect(unsealed(cluster.states[0] ?? new Uint8Array(0))?.sequence).toBeLessThanOrEqual(20);
  });

  test('a tally of reports that the stream has lost is no tally of it, and is made again', async () => {
    const cluster = memoryCluster(1);
    const engine = createClusterIntake(cluster.log, makeFold, unlooked());
    await engine.receive(reports.slice(0, 40));
    await work(cluster, 0);
    expect((await engine.standing()).counted).toBe(40);
    cluster.loseReports(0, 10);
    // Fewer than its tally has; then as many again, which are others.
    for (const from of [100, 120]) {
      await createClusterIntake(cluster.log, makeFold, settings()).receive(reports.slice(from, from + 5));
      const later = createClusterIntake(cluster.log, makeFold, settings());
      expect((await later.standing()).counted).toBe(from === 100 ? 0 : 35);
      const told: string[] = [];
      await work(cluster, 0, told);
      expect(told.includes('partition 0: a damaged tally is made again')).toBe(from === 100);
      const { saved } = await createClusterIntake(cluster.log, makeFold, settings()).tallied();
      expect(sameTally(saved(), mergedFold(makeFold, [(await foldHere(cluster)).save()]).save())).toBe(true);
    }
  });

  test('a worker at whose side the stream loses reports begins again', async () => {
    const cluster = memoryCluster(1);
    const engine = createClusterIntake(cluster.log, makeFold, unlooked());
    await engine.receive(reports.slice(0, 40));
    const ending = new AbortController();
    const told: string[] = [];
    const failed = (text: string): void => void told.push(text);
    const working = tallyPartition(cluster.log, 0, makeFold, { signal: ending.signal, every: 1, failed });
    await cluster.read(0, working);
    cluster.loseReports(0, 10);
    await engine.receive(reports.slice(200, 250));
    while (!told.includes('partition 0: the stream has lost reports'))
      await new Promise((resolve) => setImmediate(resolve));
    await cluster.read(0, working);
    ending.abort();
    expect(await working).toBe(80);
    const snapshot = unsealed(cluster.states[0] as Uint8Array);
    const kept = snapshot === undefined ? undefined : keptOf(snapshot);
    expect(kept?.counted).toBe(80);
    expect(sameTally(kept?.state ?? Buffer.alloc(0), (await foldHere(cluster)).save())).toBe(true);
  });

  test('a message that no collector wrote changes nothing', async () => {
    const cluster = memoryCluster(1);
    await cluster.log.append([{ mark: new Uint8Array(18), bytes: new Uint8Array(5) }]);
    await cluster.log.append([{ mark: new Uint8Array(18).fill(1), bytes: reports[0].bytes }]);
    await work(cluster, 0);
    const snapshot = unsealed(cluster.states[0] as Uint8Array);
    expect(snapshot?.sequence).toBe(2);
    expect(snapshot === undefined ? 0 : keptOf(snapshot).counted).toBe(1);
  });
});

describe('partitions', () => {
  test('one after the other give the tally of the cluster, to the bit', async () => {
    const cluster = memoryCluster(3);
    const engine = createClusterIntake(cluster.log, makeFold, settings(3));
    await engine.receive(reports);
    for (const partition of [0, 1, 2]) await work(cluster, partition);
    const fold = await foldEntries(makeFold, allEntries(cluster.log));
    const { saved } = await engine.tallied();
    expect(sameTally(fold.save(), saved())).toBe(true);
    // Sums are rounded in the order of the partitions: another order need not give the same bits, one order always does.
    const states = cluster.states.map((bytes) => {
      const snapshot = unsealed(bytes as Uint8Array);
      return snapshot === undefined ? serialize(undefined) : keptOf(snapshot).state;
    });
    expect(sameTally(mergedFold(makeFold, states).save(), saved())).toBe(true);
  });

  test('that lose reports while they are exported are no whole export', async () => {
    const cluster = memoryCluster(1);
    await createClusterIntake(cluster.log, makeFold, unlooked()).receive(reports.slice(0, 20));
    const reading = async () => {
      for await (const { sequence } of allEntries(cluster.log)) if (sequence === 5) cluster.loseReports(0, 18);
    };
    await expect(reading()).rejects.toThrow('"stream" expected 20 reports of partition 0, got 5');
  });

  test('are chosen by the mark alone, all of about one size', () => {
    const mark = Uint8Array.from({ length: 18 }, (_, at) => at);
    // The last four bytes, little-endian: 0x11100f0e = 286265102.
    expect([1, 4, 7, 1000].map((count) => partitionOf(mark, count))).toEqual([0, 2, 286265102 % 7, 102]);
    const sizes = [0, 0, 0, 0];
    for (let i = 0; i < 4000; i++) sizes[partitionOf(admission(`player ${i}`) as Uint8Array, 4)]++;
    // A fair choice leaves [850, 1150] with probability below 1e-7 (5.4 standard deviations of 27).
    expect(sizes.every((size) => size > 850 && size < 1150)).toBe(true);
  });
});
