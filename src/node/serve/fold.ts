import { deserialize, serialize } from 'node:v8';
import { RefusedValue, ReportError } from '../../check/refusal.ts';
import type { SentReceipt } from '../../client/collector-client.ts';
import type { PublicParameters } from '../../core/contract.ts';
import { reads } from '../../core/door.ts';
import type { FinishedRound, RoundParameters } from '../../core/interactive.ts';
import type { AnyOneShot, AnyRounds, AnyStream } from '../../core/open.ts';
import { checkQuery } from '../../core/request.ts';
import { BLOCK } from '../../simulation/runner.ts';
import { refusedBy } from '../refused.ts';
import type { Entry } from './log.ts';

/** What becomes of reports in the order of the log. Every program that reads the same log has the same bits. */
export interface Fold {
  /** The open round, from 0; always 0 for protocols without rounds; undefined after the last round. */
  readonly round: number | undefined;
  /** Whether a player answers once in each round, and not once in the plan. */
  readonly repeats: boolean;
  /** Whether rounds are closed one after the other. */
  readonly rounds: boolean;
  /** What a player receives besides the plan, a round or a step; undefined for one-shot protocols. */
  asked(): unknown;
  /** A received report, read without changing anything; the function adds it. Either refuses what is none. */
  read(bytes: Uint8Array): () => void;
  /** Whether the bytes are a report of a round that is over. */
  late(bytes: Uint8Array): boolean;
  /** Ends the open round. Where none is open or the protocol needs more reports, it refuses and changes nothing. */
  close(): void;
  /** What the reports say about the population; refused where there are too few, or rounds are open. */
  estimate(query?: unknown): unknown;
  /** The whole state as bytes, for {@link restoreFold}. */
  save(): Uint8Array;
  /** Adds a saved state of the same plan, as if its reports had been added; refused where the order of all reports matters. */
  merge(saved: Uint8Array): void;
}

/** Whether the order of all reports matters: in rounds, and in streams. */
export function isOrdered(fold: Fold): boolean {
  return fold.rounds || fold.asked() !== undefined;
}

export type Served = AnyOneShot | AnyRounds | AnyStream;

/** The state after the log that `saved` came from, or the state before the first report. */
export function restoreFold(protocol: Served, plan: PublicParameters, saved?: Uint8Array): Fold {
  const fold =
    'rounds' in protocol
      ? roundsFold(protocol, plan, saved)
      : 'accept' in protocol.server
        ? streamFold(protocol as AnyStream, plan, saved)
        : oneShotFold(protocol as AnyOneShot, plan, saved);
  const { estimate } = fold;
  fold.estimate = (query) => {
    checkQuery(protocol, query);
    return estimate(query);
  };
  return fold;
}

/** What all folds without rounds have in common. */
const ONE_ROUND = {
  round: 0,
  repeats: false,
  rounds: false,
  late: () => false,
  close(): void {
    throw new RefusedValue('round', 'a protocol with rounds', 'none');
  },
} as const;

/** What a protocol with rounds or a stream answers to the tally of a part of its players. */
function noMerge(): never {
  const expected = 'one whose players all answer once and at any time: rounds and streams have one log';
  throw new RefusedValue(`"protocol" expected ${expected}`);
}

/** What is saved of a one-shot protocol: the tally of all full blocks, that of the reports since then, and their number. */
interface SavedBlocks {
  readonly total: unknown;
  readonly block: unknown;
  readonly held: number;
}

/** Adds reports in blocks, merged in order, as a simulation does: so simulated players leave the same bits. */
function oneShotFold({ report: wire, server }: AnyOneShot, plan: PublicParameters, saved?: Uint8Array): Fold {
  const total = server.empty(plan);
  let block = server.empty(plan);
  let held = 0;
  if (saved !== undefined) {
    const parts = unpacked(saved) as SavedBlocks;
    // A tally of another plan is refused by merge.
    server.merge(plan, total, parts.total);
    server.merge(plan, block, parts.block);
    held = parts.held;
  }
  const together = (parts: Pick<SavedBlocks, 'total' | 'block'>): unknown => {
    const tally = server.empty(plan);
    server.merge(plan, tally, parts.total);
    server.merge(plan, tally, parts.block);
    return tally;
  };
  return {
    ...ONE_ROUND,
    asked: () => undefined,
    read(bytes) {
      const report = wire.decode(plan, bytes);
      return () => {
        server.add(plan, block, report);
        held++;
        if (held < BLOCK) return;
        server.merge(plan, total, block);
        block = server.empty(plan);
        held = 0;
      };
    },
    estimate: (query) => server.estimate(plan, together({ total, block }), query),
    save: () => serialize({ total, block, held } satisfies SavedBlocks),
    merge: (other) => server.merge(plan, total, together(unpacked(other) as SavedBlocks)),
  };
}

function streamFold({ report: wire, server }: AnyStream, plan: PublicParameters, saved?: Uint8Array): Fold {
  const state = saved === undefined ? server.start(plan) : server.restore(plan, new Uint8Array(saved));
  return {
    ...ONE_ROUND,
    asked: () => server.step(plan, state),
    read(bytes) {
      const report = wire.decode(plan, bytes);
      return () => void server.accept(plan, state, report);
    },
    estimate: (query) => server.estimate(plan, state, query),
    save: () => server.save(plan, state),
    merge: noMerge,
  };
}

/** What is saved of rounds: the tallies, and whether the last of them is over. */
interface SavedRounds {
  readonly tallies: readonly unknown[];
  readonly over: boolean;
}

function roundsFold({ report: wire, server, rounds }: AnyRounds, plan: PublicParameters, saved?: Uint8Array): Fold {
  type Round = FinishedRound<RoundParameters, unknown>;
  let finished: readonly Round[] = [];
  let open: Round | undefined;
  const advance = (): void => {
    const over = open === undefined ? finished : [...finished, open];
    const round = over.length === 0 ? rounds.first(plan) : rounds.next(plan, over);
    finished = over;
    open = round === undefined ? undefined : { round, tally: server.empty(round) };
  };
  advance();
  if (saved !== undefined) {
    const { tallies, over } = unpacked(saved) as SavedRounds;
    tallies.forEach((tally, at) => {
      if (at > 0) advance();
      if (open === undefined) throw new ReportError('"saved" expected as many rounds as the plan has');
      server.merge(open.round, open.tally, tally);
    });
    if (over) advance();
  }
  return {
    get round() {
      return open?.round.round;
    },
    repeats: rounds.answers(plan) > 1,
    rounds: true,
    asked: () => open?.round,
    read(bytes) {
      const now = open;
      if (now === undefined) throw new ReportError('"report" expected a round that is open, and the last is over');
      const report = wire.decode(now.round, bytes);
      return () => server.add(now.round, now.tally, report);
    },
    late: (bytes) => finished.some(({ round }) => reads(wire, round, bytes)),
    close() {
      if (open === undefined) throw new RefusedValue('"round" expected one that is open, and the last is over');
      advance();
    },
    estimate(query) {
      if (open !== undefined) throw new RefusedValue('round', 'the last to be over', `round ${open.round.round} open`);
      return rounds.estimate(plan, finished, query);
    },
    save() {
      const all = open === undefined ? finished : [...finished, open];
      return serialize({ tallies: all.map(({ tally }) => tally), over: open === undefined } satisfies SavedRounds);
    },
    merge: noMerge,
  };
}

function unpacked(saved: Uint8Array): unknown {
  try {
    return deserialize(saved);
  } catch {
    throw new ReportError('"saved" expected the bytes that were saved for the same plan');
  }
}

/**
 * The state after entries of a log: that of each partition by itself, and these together in their order. `refused` is told why a report is
 * not counted, where it is not that it is late.
 */
export async function foldEntries(
  makeFold: (saved?: Uint8Array) => Fold,
  entries: AsyncIterable<Entry>,
  refused: (reason: string) => void = () => undefined,
): Promise<Fold> {
  const before: Uint8Array[] = [];
  let fold = makeFold();
  let now = 0;
  for await (const entry of entries) {
    const { partition = 0 } = entry;
    if (partition !== now) {
      before.push(fold.save());
      fold = makeFold();
      now = partition;
    }
    const added = addEntry(fold, entry);
    if ('reason' in added && entry.kind === 'report') refused(added.reason);
  }
  return before.length === 0 ? fold : mergedFold(makeFold, [...before, fold.save()]);
}

/** The state of all partitions together, from theirs in their order. Sums are rounded in that order. */
export function mergedFold(makeFold: (saved?: Uint8Array) => Fold, states: readonly Uint8Array[]): Fold {
  const fold = makeFold();
  for (const state of states) fold.merge(state);
  return fold;
}

export type Added = SentReceipt | { readonly outcome: 'ended' };

/** Adds an entry of a log to a state, and says what became of it. Only what is counted or ended changes something. */
export function addEntry(fold: Fold, entry: Entry): Added {
  const isReport = entry.kind === 'report';
  const reason = refusalOf(() => (isReport ? fold.read(entry.bytes)() : fold.close()), !isReport);
  if (reason === undefined) return { outcome: isReport ? 'counted' : 'ended' };
  return isReport && fold.late(entry.bytes) ? { outcome: 'late' } : { outcome: 'refused', reason };
}

/** Why a report cannot be counted, or with `any` why something else is refused; undefined where it was done. */
export function refusalOf(does: () => void, any: boolean = false): string | undefined {
  try {
    does();
    return undefined;
  } catch (error) {
    if (error instanceof ReportError || (any && refusedBy(error) !== undefined)) return (error as Error).message;
    throw error;
  }
}
