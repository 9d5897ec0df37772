import { setTimeout as pause } from 'node:timers/promises';
import { checkOneShot } from './cluster-intake.ts';
import { type ClusterLog, isOfStream, keptTally } from './cluster-log.ts';
import type { Fold } from './fold.ts';
import { addEntry } from './fold-entries.ts';
import { packed, sealed } from './snapshot.ts';

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
 * and knows less writes nothing. A state that is damaged, or of reports that the stream has lost, is made again.
 *
 * @throws ReportError for a stream that lacks a report between others.
 */
export async function tallyPartition(
  log: ClusterLog,
  partition: number,
  makeFold: (saved?: Uint8Array) => Fold,
  options: TallyOptions,
): Promise<number> {
  checkOneShot(makeFold());
  const { signal, every = EVERY, failed = () => undefined } = options;
  const tell = (text: string): void => failed(`partition ${partition}: ${text}`);
  let counted = 0;
  while (!signal.aborted) {
    const kept = await keptTally(log, partition).catch((error: Error) => tell(error.message));
    if (kept === undefined) {
      await pause(every, undefined, { signal }).catch(() => undefined);
      continue;
    }
    if (kept.damaged) tell(DAMAGED);
    const begin = kept.tally ?? { sequence: 0, counted: 0, time: 0, state: undefined };
    counted = await follow(log, partition, { ...begin, fold: makeFold(begin.state) }, { signal, every, tell });
  }
  return counted;
}

const EVERY = 1000;
const DAMAGED = 'a damaged tally is made again';

/** A tally as it grows. */
interface Growing {
  readonly fold: Fold;
  sequence: number;
  counted: number;
  time: number;
}

interface Following {
  readonly signal: AbortSignal;
  readonly every: number;
  readonly tell: (text: string) => void;
}

/** Adds to a tally what comes, and keeps it, until `signal` or until the stream has lost what is in it. */
async function follow(log: ClusterLog, partition: number, tally: Growing, { signal, every, tell }: Following) {
  const lost = new AbortController();
  let [keptAt, looks] = [0, 0];
  /** Keeps the state, unless what is there is whole and knows as much. */
  async function keep(): Promise<void> {
    if (lost.signal.aborted || tally.sequence === 0 || (tally.sequence === keptAt && ++looks < IDLE_LOOKS)) return;
    looks = 0;
    // At once: more is added while the cluster answers.
    const { fold, sequence, counted, time } = tally;
    const state = packed(fold, counted, counted, time);
    if (!(await isOfStream(log, partition, { sequence, time }))) {
      lost.abort();
      return;
    }
    const { tally: there, damaged } = await keptTally(log, partition);
    if (damaged) tell(DAMAGED);
    if (there === undefined || there.sequence < sequence) await log.keep(partition, sealed({ sequence, state }));
    keptAt = sequence;
  }
  let keeping: Promise<void> | undefined;
  const keepOnce = (): Promise<void> => {
    keeping ??= keep()
      .catch((error: Error) => tell(error.message))
      .finally(() => {
        keeping = undefined;
      });
    return keeping;
  };
  const timer = setInterval(() => void keepOnce(), every);
  const until = AbortSignal.any([signal, lost.signal]);
  try {
    for await (const entry of log.entries(partition, tally.sequence, until)) {
      // What cannot be added was written by somebody else than a collector, and changes nothing.
      if (addEntry(tally.fold, entry).outcome === 'counted') tally.counted++;
      const { sequence, time } = entry;
      Object.assign(tally, { sequence, time });
    }
    // It ends by itself where the stream has lost what it gave, and then nothing of it may be kept.
    if (!until.aborted) lost.abort();
    if (lost.signal.aborted) tell('the stream has lost reports');
  } finally {
    clearInterval(timer);
    await keeping;
    if (!lost.signal.aborted) await keepOnce();
  }
  return tally.counted;
}
