import { describe, expect, test } from '@jest/globals';
import { oneBit, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { createClusterIntake, createOrderedIntake } from '../../../../src/node/serve/cluster-intake.ts';
import { allEntries } from '../../../../src/node/serve/cluster-log.ts';
import { confirm } from '../../../../src/node/serve/confirming.ts';
import { foldEntries, restoreFold, type Served } from '../../../../src/node/serve/fold.ts';
import { admitAll } from '../../../../src/node/serve/intake.ts';
import { keptOf, unsealed } from '../../../../src/node/serve/log.ts';
import { tallyPartition } from '../../../../src/node/serve/tally-worker.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { memoryCluster, memoryJournal, sameTally } from './memory-cluster.ts';
import { makeFold, reportsOf } from './sending.ts';

const reports = reportsOf('reports that are lost', 200).map((bytes, i) => ({ player: `player ${i}`, bytes }));
const admission = admitAll();
const marks = reports.map(({ player }) => Buffer.concat([Buffer.alloc(2), admission(player) as Uint8Array]));

/** A collector before a cluster, its journal, and what it told. */
function collecting(cluster: ReturnType<typeof memoryCluster>, journal = memoryJournal(cluster.log.partitions)) {
  const told: string[] = [];
  const confirming = { tell: (text: string) => void told.push(text), every: 1 };
  return { journal, told, engine: createClusterIntake(cluster.log, makeFold, { admission, journal, confirming }) };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await holds())) {
    if (performance.now() - begun > PATIENCE) throw new Error(`it did not come: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** How long something may take, in ms; it takes a few. */
const PATIENCE = 60_000;

/** The numbers of players without a report in the cluster. */
async function missing({ log }: ReturnType<typeof memoryCluster>): Promise<number[]> {
  const found = await Promise.all(marks.map((mark) => log.find(mark)));
  return found.flatMap((one, at) => (one === undefined ? [at] : []));
}

describe('what a cluster has lost', () => {
  test('is offered again by who gave the receipts, when a server leads again; everybody is counted once', async () => {
    const cluster = memoryCluster(2, 3);
    const both = [collecting(cluster), collecting(cluster)];
    await both[0].engine.receive(reports.slice(0, 120));
    await both[1].engine.receive(reports.slice(100));
    const all = async () =>
      (await Promise.all(both.map(({ engine }) => engine.standing()))).map((one) => one.unconfirmed);
    await until(() => both.every(({ engine }) => engine.busy === false));
    cluster.lead(0, undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    cluster.loseReports(0, 30);
    expect(await missing(cluster)).toHaveLength(30);
    cluster.lead(0, 'another');
    await until(async () => (await missing(cluster)).length === 0);
    await until(async () => (await all()).every((count) => count === 0));
    const sizes = await Promise.all([0, 1].map((partition) => cluster.log.last(partition)));
    expect(sizes[0] + sizes[1]).toBe(200);
    for (const [at, mark] of marks.entries()) {
      expect(Buffer.compare((await cluster.log.find(mark))?.bytes as Uint8Array, reports[at].bytes)).toBe(0);
    }
    const again = both.flatMap(({ told }) => told.filter((text) => text.includes('offered again')));
    const offered = again.reduce((sum, text) => sum + Number(/(\d+) reports/.exec(text)?.[1]), 0);
    // Those whom both gave a receipt are offered by whoever is first, or by both at once.
    expect(offered).toBeGreaterThanOrEqual(30);
    for (const { engine } of both) await engine.shut();
  });

  test('control: what is in no journal stays lost', async () => {
    const cluster = memoryCluster(1, 3);
    const forgetful = collecting(cluster, { ...memoryJournal(), write: async () => undefined });
    await forgetful.engine.receive(reports);
    cluster.loseReports(0, 5);
    cluster.lead(0, 'another');
    const { engine, told } = collecting(cluster, forgetful.journal);
    await until(async () => (await engine.standing()).unconfirmed === 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await missing(cluster)).toHaveLength(5);
    expect(told).toEqual([]);
    for (const one of [engine, forgetful.engine]) await one.shut();
  });

  test('at the start a collector finds it too, and until then says that it does not know', async () => {
    const cluster = memoryCluster(1, 3);
    const first = collecting(cluster);
    await first.engine.receive(reports);
    await first.engine.shut();
    cluster.loseReports(0, 7);
    cluster.lead(0, undefined);
    const later = collecting(cluster, first.journal);
    await until(() => later.told.includes('partition 0: no leader'));
    cluster.lead(0, 'another');
    expect((await later.engine.standing()).unconfirmed).toBe(200);
    await until(async () => (await missing(cluster)).length === 0);
    expect(later.told).toContain('partition 0: missing, and offered again: 7 reports with a receipt');
    await later.engine.shut();
  });

  test('was in a journal before there was a receipt, also for a duplicate: the bytes that stand there', async () => {
    const cluster = memoryCluster(1, 3);
    const [one, other] = [collecting(cluster), collecting(cluster)];
    one.journal.full = true;
    await expect(one.engine.receive(reports.slice(0, 3))).rejects.toThrow('no space');
    expect(one.engine.outcomes.counted).toBe(0);
    // It stands in the cluster by now, and in no journal.
    expect(one.journal.reports).toEqual([]);
    const [receipt] = await other.engine.receive([{ player: 'player 1', bytes: reports[9].bytes }]);
    expect(receipt.outcome).toBe('duplicate');
    expect(other.journal.reports.map(({ bytes }) => Buffer.compare(bytes, reports[1].bytes))).toEqual([0]);
    // Nothing is said of a player whom the leader does not know, though somebody else says that she is there.
    const torn = { ...cluster, log: { ...cluster.log, append: async () => [undefined] } };
    const between = collecting(torn);
    await expect(between.engine.receive([reports[50]])).rejects.toThrow('have not agreed');
    expect(between.journal.reports).toEqual([]);
    for (const { engine } of [one, other, between]) await engine.shut();
  });
});

describe('a journal beside the stream', () => {
  const all = reports.map(({ bytes }, at) => ({ mark: marks[at], bytes }));

  /** How many reports are asked for until all are confirmed, and what is told, where the journal has them so many places away. */
  async function confirming(away = 0, loses: (cluster: ReturnType<typeof memoryCluster>) => void = () => undefined) {
    const [cluster, journal, told] = [memoryCluster(1, 3), memoryJournal(), [] as string[]];
    const sequences = await cluster.log.append(all);
    await journal.write(all.map((one, at) => ({ ...one, sequence: Number(sequences[at]) + away, duplicate: false })));
    loses(cluster);
    const counted: number[] = [];
    const isCounted = async (sequence: number) => counted.push(sequence) !== 7;
    const held = confirm(cluster.log, journal, { tell: (text) => void told.push(text), every: 1, isCounted });
    expect(held.unconfirmed).toBe(200);
    // The seventh is said to be counted no more.
    await until(() => held.unconfirmed === 1);
    await held.stop();
    const { finds } = cluster;
    expect(await missing(cluster)).toEqual([]);
    return { finds, told: told.filter((text) => !text.includes('lost, since')), counted: counted.length };
  }

  test('asks for what is missing alone: the others are read in their order', async () => {
    const found = 'partition 0: missing, and offered again: 3 reports with a receipt';
    expect(await confirming()).toEqual({ finds: 0, told: [], counted: 200 });
    expect(await confirming(5)).toEqual({ finds: 0, told: [], counted: 200 });
    expect(await confirming(0, (cluster) => cluster.loseReports(0, 3))).toEqual({
      finds: 3,
      told: [found],
      counted: 200,
    });
    // Control: what stands far from where it stood is asked for, one by one, and not taken for lost.
    expect(await confirming(5000)).toEqual({ finds: 200, told: [], counted: 200 });
  });

  test('finds a report that was lost between others, and players who are there with another one', async () => {
    const other = Buffer.from(reports[0].bytes);
    const { finds, told } = await confirming(0, (cluster) => {
      cluster.replaceReport(0, 5, new Uint8Array(18).fill(9), other);
      cluster.replaceReport(0, 9, marks[8], other);
    });
    expect(finds).toBe(1);
    expect(told).toEqual([
      'partition 0: missing, and offered again: 1 report with a receipt',
      'partition 0: there with another report of theirs: 1 player',
    ]);
  });
});

test('what is written into the journal only after another server leads is looked for then', async () => {
  const cluster = memoryCluster(1, 3);
  let [opened, begun] = [() => {}, false];
  const gate = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const journal = memoryJournal();
  const slow = {
    ...journal,
    async write(all: Parameters<typeof journal.write>[0]) {
      begun = true;
      await gate;
      await journal.write(all);
    },
  };
  const { engine, told } = collecting(cluster, slow);
  await until(async () => (await engine.standing()).unconfirmed === 0);
  const receipt = engine.receive(reports.slice(0, 1));
  await until(() => begun);
  // Accepted, lost, and another server has been looked through, before it is in the journal.
  cluster.lead(0, undefined);
  await until(() => told.includes('partition 0: no leader'));
  cluster.loseReports(0, 1);
  cluster.lead(0, 'another');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await cluster.log.find(marks[0])).toBeUndefined();
  opened();
  expect((await receipt)[0].outcome).toBe('counted');
  await until(async () => (await cluster.log.find(marks[0])) !== undefined);
  expect(told).toContain('partition 0: missing, and offered again: 1 report with a receipt');
  await engine.shut();
});

describe('a worker of servers that agree', () => {
  /** The tally that a worker keeps of a partition whose second report was replaced, after another server leads. */
  async function isTallyOfStream(replicas: number) {
    const cluster = memoryCluster(1, replicas);
    const { engine } = collecting(cluster);
    await engine.receive(reports.slice(0, 40));
    const work = async () => {
      const ending = new AbortController();
      const working = tallyPartition(cluster.log, 0, makeFold, { signal: ending.signal, every: 1 });
      await cluster.read(0, working);
      ending.abort();
      await working;
    };
    await work();
    cluster.replaceReport(0, 2, marks[150], reports[150].bytes);
    cluster.lead(0, 'another');
    await work();
    const snapshot = unsealed(cluster.states[0] as Uint8Array);
    const kept = snapshot === undefined ? undefined : keptOf(snapshot).state;
    const here = (await foldEntries(makeFold, allEntries(cluster.log))).save();
    await engine.shut();
    return sameTally(kept as Uint8Array, here);
  }

  test('reads the stream of a new one from its first report, so that its tally is that of the stream it has', async () => {
    expect(await isTallyOfStream(3)).toBe(true);
    // Control: who looks at the last report alone does not see it, which on one server nobody has to fear.
    expect(await isTallyOfStream(1)).toBe(false);
  });

  test('begins again while it works, where the leader changes or is gone for a while', async () => {
    const cluster = memoryCluster(1, 3);
    const { engine } = collecting(cluster);
    await engine.receive(reports.slice(0, 40));
    const [ending, begun] = [new AbortController(), [] as number[]];
    const options = {
      signal: ending.signal,
      every: 1,
      begun: ({ sequence }: { sequence: number }) => begun.push(sequence),
    };
    const working = tallyPartition(cluster.log, 0, makeFold, options);
    await cluster.read(0, working);
    cluster.replaceReport(0, 3, marks[151], reports[151].bytes);
    cluster.lead(0, 'another');
    await engine.receive(reports.slice(40, 50));
    // Ten more, and the third one, which its collector offers again.
    await until(async () => begun.length === 2 && (await cluster.log.last(0)) === 51);
    await cluster.read(0, working);
    ending.abort();
    expect(await working).toBe(51);
    expect(begun).toEqual([0, 0]);
    const kept = keptOf(unsealed(cluster.states[0] as Uint8Array) as never);
    const here = (await foldEntries(makeFold, allEntries(cluster.log))).save();
    expect(sameTally(kept.state, here)).toBe(true);
    await engine.shut();
  });
});

test('a report of a round that is over, and that the cluster lost, is said to be lost, also by the next collector', async () => {
  const plan = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
  const makeRounds = (saved?: Uint8Array) => restoreFold(userLevelMean as unknown as Served, plan, saved);
  const cluster = memoryCluster(1, 3);
  const journal = memoryJournal();
  const open = async (told: string[]) => {
    const confirming = { tell: (text: string) => void told.push(text), every: 1 };
    return createOrderedIntake(cluster.log, makeRounds, { admission, journal, confirming });
  };
  const told: string[] = [];
  const random = seededRandom('a report that is lost');
  const engine = await open(told);
  const round = userLevelMean.rounds.remake(plan, engine.asked());
  for (let i = 0; i < 40; i++) {
    const report = userLevelMean.player.randomize(round, { samples: [0.2, 0.4] }, random);
    const bytes = userLevelMean.report.encode(round, report);
    expect((await engine.receive([{ player: `player ${i}`, bytes }]))[0].outcome).toBe('counted');
  }
  await engine.close();
  await until(async () => (await engine.standing()).unconfirmed === 0);
  // The stream still has every entry, but the servers do not know the player of the first one any more.
  const [{ mark, bytes }] = journal.reports;
  const { sequence } = (await cluster.log.find(mark)) as { sequence: number };
  cluster.replaceReport(0, sequence, new Uint8Array(18).fill(9), bytes);
  cluster.lead(0, 'another');
  const lost = 'partition 0: lost, since the round or step is over: 1 report with a receipt';
  await until(() => told.includes(lost));
  expect((await engine.standing()).unconfirmed).toBe(1);
  await engine.shut();
  const later: string[] = [];
  const next = await open(later);
  await until(() => later.includes(lost));
  expect((await next.standing()).unconfirmed).toBe(1);
  await next.shut();
});
