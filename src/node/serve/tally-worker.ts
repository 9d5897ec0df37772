import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterEntry, type ClusterLog, isOfStream, type KeptTally, keptTally } from './cluster-log.ts';
import { type Added, addEntry, type Fold, isOrdered } from './fold.ts';
import { NOTHING, packed, sealed } from './log.ts';

export interface TallyOptions {
  readonly signal: AbortSignal;
  /** How often it keeps what is new, in ms. Default: 1000. */
  readonly every?: number;
  /** Told when the cluster does not answer, with the text of the error; it is asked again. */
  readonly failed?: (text: string) => void;
  /** Told the tally that it begins with, also when it has to be made again. */
  readonly begun?: (tally: Growing) => void;
  /** Told what became of an entry, after it was added. */
  readonly grown?: (sequence: number, added: Added) => void;
}

/** After so many looks without a new report, the kept state is read again, for it may be damaged. */
const IDLE_LOOKS = 5;

/**
 * Makes the tally of one partition, from the state that was kept last, until it is told to end; the number of counted reports in it.
 *
 * Law: a kept state is the fold of the first reports of the stream in its order, with the sequence of the last of them, in
 * one write. So whoever is killed and however many workers have the same partition, what is kept is right; who comes later
 * and knows less writes nothing. A state that is damaged, or of reports that the stream has lost, is made again. Where servers agree
 * on a stream, it is that of one leader: at each start, and when another server may lead, the stream is read from its first report.
 * A stream that lacks a report between others is refused.
 */
export async function tallyPartition(
  log: ClusterLog,
  partition: number,
  makeFold: (saved?: Uint8Array) => Fold,
  options: TallyOptions,
): Promise<number> {
  const { signal, every = EVERY, failed = () => undefined, begun = () => undefined } = options;
  const { grown = () => undefined } = options;
  const tell = (text: string): void => failed(`partition ${partition}: ${text}`);
  // A server that leads may have lost what another one had, so its stream is read from the beginning. Where the order of all
  // reports matters, what devices were asked rests on what was read, and stays.
  const once = log.replicas > 1 && !isOrdered(makeFold());
  let counted = 0;
  while (!signal.aborted) {
    const start = async () => [await keptTally(log, partition), await log.leader(partition)] as const;
    const known = await start().catch((error: Error) => tell(error.message));
    if (known === undefined) {
      await pause(every, undefined, { signal }).catch(() => undefined);
      continue;
    }
    const [kept, leader] = known;
    if (kept.damaged) tell(DAMAGED);
    const begin = (once ? undefined : kept.tally) ?? NOTHING;
    const tally = { ...begin, leader, fold: makeFold(begin.state), late: new Set(begin.late) };
    begun(tally);
    counted = await grow(log, partition, tally, { signal, every, tell, grown, once });
    if (once && !signal.aborted) await pause(every, undefined, { signal }).catch(() => undefined);
  }
  return counted;
}

const EVERY = 1000;
const DAMAGED = 'a damaged tally is made again';
const ANEW = 'the stream has lost reports or its leader, and is read from the beginning';

/** A tally as it grows: what will be kept of it. */
export interface Growing extends Pick<KeptTally, 'leader'> {
  readonly fold: Fold;
  sequence: number;
  time: number;
  counted: number;
  countedInRound: number;
  end: number;
  readonly late: Set<number>;
}

interface Telling extends Required<Pick<TallyOptions, 'signal' | 'every' | 'grown'>> {
  readonly tell: (text: string) => void;
  /** Whether it ends where another server may lead. */
  readonly once: boolean;
}

/** Adds to a tally what comes, and keeps it, until `signal` or until the stream has lost what is in it. */
async function grow(log: ClusterLog, partition: number, tally: Growing, { signal, every, tell, grown, once }: Telling) {
  const lost = new AbortController();
  let [keptAt, looks] = [0, 0];
  let ours = false;
  /** Keeps the state, unless what is there is whole and knows as much. */
  async function keep(): Promise<void> {
    if (lost.signal.aborted || tally.sequence === 0 || (tally.sequence === keptAt && ++looks < IDLE_LOOKS)) return;
    looks = 0;
    // At once: more is added while the cluster answers.
    const { fold, sequence, time, late } = tally;
    const state = packed(fold, { ...tally, late: [...late] });
    const led = !once || (await log.leader(partition)) === tally.leader;
    if (!(led && (await isOfStream(log, partition, { sequence, time })))) {
      lost.abort();
      return;
    }
    const { tally: there, damaged } = await keptTally(log, partition);
    if (damaged) tell(DAMAGED);
    // One that was folded before this one began may be of what another server had: this one takes its place when it has as much.
    const older = once && !ours && there !== undefined && there.sequence <= sequence;
    if (there === undefined || there.sequence < sequence || older) {
      await log.keep(partition, sealed({ sequence, state }));
      ours = true;
    }
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
    for await (const entry of log.entries(partition, tally.sequence, until, once ? tally.leader : undefined)) {
      grown(entry.sequence, add(tally, entry));
    }
    // It ends by itself where the stream has lost what it gave or another server leads, and then nothing of it may be kept.
    if (!until.aborted) lost.abort();
    if (lost.signal.aborted) tell(once ? ANEW : 'the stream has lost reports');
  } finally {
    clearInterval(timer);
    await keeping;
    if (!lost.signal.aborted) await keepOnce();
  }
  return tally.counted;
}

/** Adds an entry to a tally. What cannot be added, because it is late or no collector wrote it, changes nothing of the state. */
function add(tally: Growing, entry: ClusterEntry): Added {
  const added = addEntry(tally.fold, entry);
  if (added.outcome === 'counted') {
    tally.counted++;
    tally.countedInRound++;
  }
  if (entry.kind === 'report' && added.outcome !== 'counted') tally.late.add(entry.sequence);
  if (added.outcome === 'ended') tally.countedInRound = 0;
  if (entry.kind === 'close') tally.end = entry.sequence;
  tally.sequence = entry.sequence;
  tally.time = entry.time;
  return added;
}
