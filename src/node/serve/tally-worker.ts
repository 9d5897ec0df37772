import { setTimeout as pause } from 'node:timers/promises';
import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import { checkOneShot } from './cluster-intake.ts';
import type { ClusterLog } from './cluster-log.ts';
import type { Fold } from './fold.ts';
import { refusalOf } from './fold-entries.ts';
import { packed, sealed, unpackedKept, unsealed } from './snapshot.ts';

/** When a worker keeps its state. */
export interface TallyOptions {
  /** Ends the worker, after it has kept its state. */
  readonly signal: AbortSignal;
  /** How often it keeps what is new, in ms. Default: 1000. */
  readonly every?: number;
  /** Told when the cluster does not answer, with the text of the error; it is asked again. */
  readonly failed?: (text: string) => void;
}

/** After so many looks without a new report, the kept state is read again, for it may be damaged. */
const IDLE_LOOKS = 5;

/**
 * Makes the tally of one partition, from the state that was kept last, until it is told to end; the number of reports in it.
 *
 * Law: a kept state is the fold of the first reports of the stream in its order, with the sequence of the last of them, in
 * one write. So whoever is killed and however many workers have the same partition, what is kept is right; who comes later
 * and knows less writes nothing.
 *
 * @throws RangeError for a state that is ahead of its stream; ReportError for a stream that has lost a report.
 */
export async function tallyPartition(
  log: ClusterLog,
  partition: number,
  makeFold: (saved?: Uint8Array) => Fold,
  { signal, every = 1000, failed = () => undefined }: TallyOptions,
): Promise<number> {
  checkOneShot(makeFold());
  const begun = await whenReady(() => Promise.all([log.kept(partition), log.last(partition)]));
  if (begun === undefined) return 0;
  const [kept, last] = begun;
  const found = kept === undefined ? undefined : unsealed(kept);
  if (kept !== undefined && found === undefined) failed(`partition ${partition}: a damaged tally is made again`);
  const begin = found === undefined ? undefined : unpackedKept(found);
  const fold = makeFold(begin?.state);
  let [sequence, counted] = [found?.sequence ?? 0, begin?.counted ?? 0];
  if (sequence > last) {
    throw new RefusedValue(refusal('stream', `at least the ${sequence} reports of its tally`, last));
  }

  /** What the cluster answers, as soon as it does; undefined where the worker is to end before. */
  async function whenReady<Result>(asks: () => Promise<Result>): Promise<Result | undefined> {
    while (!signal.aborted) {
      try {
        return await asks();
      } catch (error) {
        failed(`partition ${partition}: ${(error as Error).message}`);
        await pause(every, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  const keeper = createKeeper(log, partition, failed);
  const keep = (): Promise<void> => keeper(sequence, () => packed(fold, counted, counted));
  const timer = setInterval(() => void keep(), every);
  try {
    for await (const { sequence: at, ...entry } of log.entries(partition, sequence, signal)) {
      if (entry.kind === 'close') continue;
      // What cannot be added was written by somebody else than a collector, and changes nothing.
      if (refusalOf(() => fold.read(entry.bytes)()) === undefined) counted++;
      sequence = at;
    }
  } finally {
    clearInterval(timer);
    await keep();
  }
  return counted;
}

/** Keeps states of a partition, one after the other, unless what is there is whole and knows as much. */
function createKeeper(log: ClusterLog, partition: number, failed: (text: string) => void) {
  let [keptAt, looks] = [0, 0];
  async function keep(sequence: number, state: () => Uint8Array): Promise<void> {
    if (sequence === keptAt && ++looks < IDLE_LOOKS) return;
    looks = 0;
    // At once: more is added while the cluster answers.
    const now = { sequence, state: state() };
    const bytes = await log.kept(partition);
    const there = bytes === undefined ? undefined : unsealed(bytes);
    if (bytes !== undefined && there === undefined) failed(`partition ${partition}: a damaged tally is made again`);
    if (sequence > 0 && (there === undefined || there.sequence < sequence)) await log.keep(partition, sealed(now));
    keptAt = sequence;
  }
  let before = Promise.resolve();
  let busy = 0;
  return (sequence: number, state: () => Uint8Array): Promise<void> => {
    // One waits behind the one that runs, at most.
    if (busy > 1) return before;
    busy++;
    before = before
      .then(() => keep(sequence, state))
      .catch((error: Error) => failed(`partition ${partition}: ${error.message}`))
      .finally(() => {
        busy--;
      });
    return before;
  };
}
