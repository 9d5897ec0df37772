import { expect, test } from '@jest/globals';
import { oneBit, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { refusedBy } from '../../../../src/node/refused.ts';
import { restoreFold, type Served } from '../../../../src/node/serve/fold.ts';
import { admitAll, createIntake } from '../../../../src/node/serve/intake.ts';
import type { Entry, Offered, ReportLog } from '../../../../src/node/serve/log.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';

const plan = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
const fold = (saved?: Uint8Array) => restoreFold(userLevelMean as unknown as Served, plan, saved);

/** A log in memory, each of whose answers waits until it is let go. */
function slowLog() {
  const waiting: (() => void)[] = [];
  const offered: Offered[] = [];
  let [last, round] = [0, 0];
  const later = <Result>(does: () => Result): Promise<Result> =>
    new Promise((resolve) => waiting.push(() => resolve(does())));
  const log: ReportLog = {
    append: (offers) =>
      later(() => {
        offered.push(...offers);
        return offers.map((one) =>
          one.round === round ? { outcome: 'taken', sequence: ++last } : { outcome: 'closed' },
        );
      }),
    close: () =>
      later(() => {
        round++;
        return ++last;
      }),
    after: () => [],
    keep: async () => {},
    kept: () => undefined,
    shut: async () => {},
  };
  const letGo = async (): Promise<void> => {
    waiting.shift()?.();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return { log, letGo, offered };
}

test('a report that was read in a round and is written after its end is late, and in no tally', async () => {
  const { log, letGo, offered } = slowLog();
  const intake = createIntake(log, fold, { admission: admitAll() });
  const round = userLevelMean.rounds.first(plan);
  const random = seededRandom('late');
  const bytesOf = () =>
    userLevelMean.report.encode(round, userLevelMean.player.randomize(round, { samples: [0.2, 0.4] }, random));
  const send = (player: string) => intake.receive([{ player, bytes: bytesOf() }]);

  const counted = Array.from({ length: 40 }, (_, i) => send(`in time ${i}`));
  await letGo();
  await letGo();
  expect((await Promise.all(counted)).flat().every(({ outcome }) => outcome === 'counted')).toBe(true);
  // The round is being closed; one report is on its way to the disk, and another one waits behind it.
  const closing = intake.close();
  await Promise.resolve();
  const first = send('first');
  const second = send('second');
  await letGo();
  await closing;
  await letGo();
  await letGo();
  expect((await Promise.all([first, second])).flat()).toEqual([{ outcome: 'late' }, { outcome: 'late' }]);
  expect(offered.slice(40).map((one) => one.round)).toEqual([0, 0]);
  expect(await intake.standing()).toMatchObject({ round: 1, counted: 40, countedInRound: 0 });
});

test('a log with a report that is none of its plan is refused, and not folded without it', async () => {
  const { log } = slowLog();
  const damaged: ReportLog = { ...log, after: () => [{ kind: 'report', sequence: 1, bytes: new Uint8Array(60) }] };
  expect(() => createIntake(damaged, fold, { admission: admitAll() })).toThrow(
    /^"folder" expected one whose reports are not damaged: "report" expected/,
  );
});

test('a report that is damaged while a collector serves is a failure of its store, and no refusal of what is asked', async () => {
  const log = sharedLog();
  const intake = createIntake(log, fold, { admission: admitAll() });
  await log.append([{ round: 0, mark: new Uint8Array(18), bytes: new Uint8Array(60) }], Infinity);
  const failure: unknown = await intake.receive([]).catch((error: unknown) => error);
  expect(String(failure)).toMatch(/"folder" expected one whose reports are not damaged/);
  expect(refusedBy(failure)).toBeUndefined();
});

/** A log in memory that several collectors share. */
function sharedLog(): ReportLog {
  const entries: Entry[] = [];
  let round = 0;
  return {
    append: async (offers) =>
      offers.map((one) => {
        if (one.round !== round) return { outcome: 'closed' };
        entries.push({ kind: 'report', sequence: entries.length + 1, bytes: one.bytes });
        return { outcome: 'taken', sequence: entries.length };
      }),
    async close() {
      round++;
      entries.push({ kind: 'close', sequence: entries.length + 1 });
      return entries.length;
    },
    after: (sequence) => entries.slice(sequence),
    keep: () => Promise.reject(new Error('no space left on device')),
    kept: () => undefined,
    shut: async () => {},
  };
}

test('a collector follows another one on the same log, and a state that the disk does not take stops neither', async () => {
  const log = sharedLog();
  const [first, second] = [0, 1].map(() => createIntake(log, fold, { admission: admitAll() }));
  const random = seededRandom('two collectors');
  const send = async (intake: typeof first, players: number, name: string) => {
    const round = second.asked() as ReturnType<typeof userLevelMean.rounds.first>;
    const reports = Array.from({ length: players }, (_, i) => {
      const report = userLevelMean.player.randomize(round, { samples: [0.2, 0.4] }, random);
      return { player: `${name} ${i}`, bytes: userLevelMean.report.encode(round, report) };
    });
    return new Set((await intake.receive(reports)).map(({ outcome }) => outcome));
  };
  expect(await send(first, 40, 'first')).toEqual(new Set(['counted']));
  expect(await second.standing()).toMatchObject({ round: 0, counted: 40 });
  await first.close();
  // It was asked nothing meanwhile: what the open round is, it reads from the log.
  expect(await send(second, 40, 'second')).toEqual(new Set(['counted']));
  expect(await first.standing()).toMatchObject({ round: 1, counted: 80, countedInRound: 40 });
  expect((await first.tallied()).saved()).toEqual((await second.tallied()).saved());
  await first.shut();
});
