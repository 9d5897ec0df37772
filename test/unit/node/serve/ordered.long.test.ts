import { describe, expect, test } from '@jest/globals';
import { privUnit } from '../../../../protocols/online-sgd/parameters.ts';
import { onlineSgd } from '../../../../protocols/online-sgd/protocol.ts';
import { oneBit, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { createOrderedIntake } from '../../../../src/node/serve/cluster-intake.ts';
import { allEntries, type ClusterLog } from '../../../../src/node/serve/cluster-log.ts';
import { foldEntries, restoreFold, type Served } from '../../../../src/node/serve/fold.ts';
import { admitAll, type Engine } from '../../../../src/node/serve/intake.ts';
import { unsealed } from '../../../../src/node/serve/log.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { memoryCluster, memoryJournal, sameTally } from './memory-cluster.ts';

const plan = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
const makeFold = (saved?: Uint8Array) => restoreFold(userLevelMean as unknown as Served, plan, saved);
const settings = () => ({
  admission: admitAll(),
  journal: memoryJournal(),
  confirming: { tell: () => undefined, every: 1 },
});
const coins = seededRandom('rounds in a cluster');

/** A report of the round that a collector publishes now. */
function reportOf(engine: Engine): Uint8Array {
  const round = userLevelMean.rounds.remake(plan, engine.asked());
  return userLevelMean.report.encode(round, userLevelMean.player.randomize(round, { samples: [0.2, 0.4] }, coins));
}
const open = (log: ClusterLog) => createOrderedIntake(log, makeFold, settings());
async function send(engine: Engine, player: string, bytes = reportOf(engine)) {
  const [{ outcome }] = await engine.receive([{ player, bytes }]);
  return outcome;
}
const turns = async (count = 50) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A cluster whose reports wait on their way while it is shut. */
function slowly(log: ClusterLog) {
  let opened: () => void = () => undefined;
  let way = Promise.resolve();
  return {
    log: { ...log, append: (all: Parameters<typeof log.append>[0]) => way.then(() => log.append(all)) },
    shut(): void {
      way = new Promise((resolve) => {
        opened = resolve;
      });
    },
    open: () => opened(),
  };
}

describe('collectors of a plan in rounds', () => {
  test('end a round once, whoever tries, and give the state of the stream in one process', async () => {
    const cluster = memoryCluster(1);
    const both = await Promise.all([open(cluster.log), open(cluster.log)]);
    const [one, other] = both;
    let player = 0;
    while (one.asked() !== undefined) {
      await Promise.all(Array.from({ length: 60 }, () => send(both[player % 2], `player ${player++}`)));
      const { round } = await one.standing();
      // Both at once; and one that ends a round without reports changes nothing.
      await Promise.all([one.close(), other.close()]);
      await turns();
      // One who names the round, and asks again because of a lost answer, ends no other one.
      await other.close(round as number);
      await turns();
      if (one.asked() !== undefined) await expect(one.close()).rejects.toThrow('players');
      expect((await one.standing()).round).toBe(one.asked() === undefined ? undefined : (round as number) + 1);
    }
    const here = await foldEntries(makeFold, allEntries(cluster.log));
    const [{ standing, saved }, second] = [await one.tallied(), await other.tallied()];
    expect(standing).toMatchObject({ counted: player, countedInRound: 0, round: undefined, rounds: true, waiting: 0 });
    expect(sameTally(saved(), here.save()) && sameTally(second.saved(), here.save())).toBe(true);
    expect(await cluster.log.last(0)).toBe(player + plan.shares.length);
    // Control: a fold that leaves out one report is another one.
    async function* without() {
      for await (const entry of allEntries(cluster.log)) if (entry.sequence !== 7) yield entry;
    }
    expect(sameTally(saved(), (await foldEntries(makeFold, without())).save())).toBe(false);
    for (const engine of both) await engine.shut();
  });

  test('a report that reaches the stream after the end of its round is late for all, and its player stays so', async () => {
    const cluster = memoryCluster(1);
    const slow = slowly(cluster.log);
    const [one, other] = [await open(slow.log), await open(cluster.log)];
    for (let i = 0; i < 40; i++) expect(await send(other, `in time ${i}`)).toBe('counted');
    slow.shut();
    const [onItsWay, again] = [reportOf(other), reportOf(other)];
    const straggler = send(one, 'straggler', onItsWay);
    await turns();
    await other.close();
    slow.open();
    expect(await straggler).toBe('late');
    await turns();
    // The same bytes again, and another answer of the same person: the server has one of hers, and counts none.
    expect(await send(other, 'straggler', onItsWay)).toBe('late');
    expect(await send(other, 'straggler')).toBe('late');
    expect(await send(other, 'somebody else', again)).toBe('late');
    expect(await send(other, 'in time 3')).toBe('duplicate');
    expect(await other.standing()).toMatchObject({ counted: 40, countedInRound: 0, round: 1 });
    // A collector that begins at a kept state knows it too.
    for (const engine of [one, other]) await engine.shut();
    expect(unsealed(cluster.states[0] as Uint8Array)?.sequence).toBe(42);
    const third = await open(cluster.log);
    expect(await send(third, 'straggler')).toBe('late');
    expect(await send(third, 'in time 4')).toBe('duplicate');
    expect(await send(third, 'new')).toBe('counted');
    await third.shut();
  });

  test('one that has not heard of a round reads on before it refuses a report of it', async () => {
    const cluster = memoryCluster(1);
    let gate: Promise<void> = Promise.resolve();
    let release: () => void = () => undefined;
    const behind: ClusterLog = {
      ...cluster.log,
      async *entries(partition, after, signal) {
        for await (const entry of cluster.log.entries(partition, after, signal)) {
          await gate;
          yield entry;
        }
      },
    };
    const [one, other] = [await open(behind), await open(cluster.log)];
    gate = new Promise((resolve) => {
      release = resolve;
    });
    for (let i = 0; i < 40; i++) await send(other, `player ${i}`);
    await other.close();
    const early = reportOf(other);
    expect(await one.standing()).toMatchObject({ round: 0 });
    const receipt = send(one, 'of the next round', early);
    await turns();
    release();
    expect(await receipt).toBe('counted');
    expect(await one.standing()).toMatchObject({ round: 1, counted: 41, countedInRound: 1 });
    expect((await one.receive([{ player: 'hostile', bytes: early.map((byte) => byte ^ 1) }]))[0].outcome).toBe(
      'refused',
    );
    for (const engine of [one, other]) await engine.shut();
  });

  test('give no receipt where the cluster did not answer, or the stream is not read on', async () => {
    const cluster = memoryCluster(1);
    const engine = await open(cluster.log);
    cluster.loseAnswers(1);
    const bytes = reportOf(engine);
    await expect(engine.receive([{ player: 'lost', bytes }])).rejects.toThrow('no answer');
    expect(await send(engine, 'lost', bytes)).toBe('duplicate');
    await expect(createOrderedIntake(failing(cluster.log), makeFold, settings())).rejects.toThrow('a gap');
    await engine.shut();
  });
});

/** A cluster whose stream lacks an entry. */
function failing(log: ClusterLog): ClusterLog {
  return {
    ...log,
    kept: async () => undefined,
    entries: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('a gap')) }) }),
  };
}

test('collectors of a stream count the reports of the open step, in one order for all', async () => {
  const stream = privUnit({ epsilon: 4, grade: 'deployment', model: { kind: 'huber', features: 2 } });
  const makeStream = (saved?: Uint8Array) => restoreFold(onlineSgd as unknown as Served, stream, saved);
  const cluster = memoryCluster(1);
  const both = await Promise.all([0, 1].map(() => createOrderedIntake(cluster.log, makeStream, settings())));
  const outcomes: string[] = [];
  for (let i = 0; i < 30; i++) {
    // Two who answer the same step: the second one that arrives is stale, at whichever collector.
    const pair = both.map((engine, side) => {
      const step = onlineSgd.player.remake(stream, engine.asked());
      const report = onlineSgd.player.randomize(step, { features: [1, 0.5], response: 0.7 }, coins);
      return engine.receive([{ player: `${i} ${side}`, bytes: onlineSgd.report.encode(stream, report) }]);
    });
    outcomes.push(...(await Promise.all(pair)).flat().map(({ outcome }) => outcome));
    await turns();
  }
  expect(outcomes.filter((outcome) => outcome === 'counted')).toHaveLength(30);
  expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(30);
  const here = await foldEntries(makeStream, allEntries(cluster.log));
  for (const engine of both) {
    const { saved, standing } = await engine.tallied();
    expect(Buffer.compare(saved(), here.save())).toBe(0);
    expect(standing.counted).toBe(30);
    await expect(engine.close()).rejects.toThrow('a protocol with rounds');
    await engine.shut();
  }
});
