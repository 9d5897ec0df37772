import { join } from 'node:path';
import type { Database } from 'lmdb';
import { type Snapshot, sealed, unsealed } from './snapshot.ts';
import { openStore } from './store.ts';

/** A report that may be written into the log. */
export interface Offered {
  /** The round that it is for. */
  readonly round: number;
  /** The mark of its player, which is in the log at most once. */
  readonly mark: Uint8Array;
  /** The report as it arrived. */
  readonly bytes: Uint8Array;
}

/** What the log says of an offered report. */
export type Appended =
  | { readonly outcome: 'taken'; readonly sequence: number }
  | { readonly outcome: 'duplicate' | 'full' | 'closed' };

/** An entry of the log. `close` ends a round. Its partition is 0 where it is absent, and sequences are those of a partition. */
export type Entry = { readonly sequence: number; readonly partition?: number } & (
  | { readonly kind: 'report'; readonly bytes: Uint8Array }
  | { readonly kind: 'close' }
);

/**
 * The accepted reports of one plan, in the order in which they were accepted. It alone decides who is counted: report,
 * mark and count are one transaction, which is on the disk before `append` answers.
 */
export interface ReportLog {
  /** Writes the reports for the open round, at most so many in a round and each player once. The answers are in the order of the offers. */
  append(offers: readonly Offered[], most: number): Promise<readonly Appended[]>;
  /** Ends a round: its number in the log, or undefined where that round is not open any more. */
  close(round: number): Promise<number | undefined>;
  /** The entries after a number, in their order. */
  after(sequence: number): Iterable<Entry>;
  /** Keeps a state, in the place of the one before. */
  keep(snapshot: Snapshot): Promise<void>;
  /** The state that was kept last; undefined where there is none, or its bytes are damaged. */
  kept(): Snapshot | undefined;
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

const REPORT = 0;
const CLOSE = 1;

/**
 * The log in a folder, made if it is not there. It belongs to one plan for ever.
 *
 * @throws ReportError for the folder of another plan; Error where the package `lmdb` is not installed.
 */
export async function openLog(folder: string, plan: string): Promise<ReportLog> {
  const first = { last: 0, round: 0, counted: 0 } satisfies State;
  const store = await openStore(join(folder, 'reports'), plan, (meta) => {
    meta.put('state', first);
  });
  const { root, meta, written } = store;
  const entries: Database<Buffer, number> = root.openDB({ name: 'entries', keyEncoding: 'uint32', encoding: 'binary' });
  const marks: Database<Buffer, Buffer> = root.openDB({ name: 'marks', keyEncoding: 'binary', encoding: 'binary' });
  const stateNow = (): State => meta.get('state') as State;
  const file = (kind: number, bytes: Uint8Array): Buffer => {
    const value = Buffer.allocUnsafe(1 + bytes.length);
    value[0] = kind;
    value.set(bytes, 1);
    return value;
  };
  return {
    append: (offers, most) =>
      written(() => {
        const state = { ...stateNow() };
        const answers = offers.map(({ round, mark, bytes }): Appended => {
          if (state.round !== round) return { outcome: 'closed' };
          const key = Buffer.from(mark);
          if (marks.doesExist(key)) return { outcome: 'duplicate' };
          if (state.counted >= most) return { outcome: 'full' };
          state.counted++;
          const sequence = ++state.last;
          marks.put(key, Buffer.alloc(0));
          entries.put(sequence, file(REPORT, bytes));
          return { outcome: 'taken', sequence };
        });
        meta.put('state', state);
        return answers;
      }),
    close: (round) =>
      written(() => {
        const state = stateNow();
        if (state.round !== round) return undefined;
        const last = state.last + 1;
        entries.put(last, file(CLOSE, new Uint8Array(0)));
        meta.put('state', { last, round: round + 1, counted: 0 } satisfies State);
        return last;
      }),
    *after(sequence) {
      for (const { key, value } of entries.getRange({ start: sequence + 1 })) {
        // A copy: the value is memory of the store.
        const bytes = new Uint8Array(value.subarray(1));
        yield value[0] === CLOSE ? { sequence: key, kind: 'close' } : { sequence: key, kind: 'report', bytes };
      }
    },
    async keep(snapshot) {
      await written(() => {
        entries.put(0, sealed(snapshot));
      });
    },
    kept() {
      const value = entries.get(0);
      return value === undefined ? undefined : unsealed(value);
    },
    shut: () => store.shut(),
  };
}

/** What the log knows besides its entries. */
interface State {
  readonly last: number;
  readonly round: number;
  readonly counted: number;
}
