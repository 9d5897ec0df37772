import { checkFinite, checkInteger, checkPositive, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { deltaAt, implies } from '../privacy/conversion.ts';
import { CLAIM_TOLERANCE, checkGuarantee, describeGuarantee, type Guarantee } from '../privacy/guarantee.ts';
import { compose } from '../privacy/totals.ts';

/** Where a ledger is kept: one text, in a place that outlives the program. Both calls are synchronous. */
export interface LedgerStore {
  /** The text that was written last; null or undefined if there is none. */
  read(): string | null | undefined;
  /** Keeps the text. When it returns, the text must survive the end of the program. */
  write(text: string): void;
}

/** What one transcript has spent. */
export interface LedgerEntry {
  readonly protocol: string;
  readonly digest: string;
  /** The occasion on which the parameters were used; see `DeviceOptions`. */
  readonly occasion: string;
  /** What the whole transcript guarantees, all its rounds together. */
  readonly guarantee: Guarantee;
  readonly rounds: readonly number[];
  /** When it answered last, by the clock of the ledger; absent without one. */
  readonly at?: number | undefined;
}

/** An answer that is about to be given. */
export interface Charge extends Pick<LedgerEntry, 'protocol' | 'digest' | 'occasion' | 'guarantee'> {
  /** Which round is answered; 0 where there is only one. */
  readonly round: number;
  /** The largest number of rounds of this plan that one player answers. */
  readonly answers: number;
}

/** Settings of a ledger. */
export interface LedgerOptions {
  /** How much all answers together may reveal. */
  readonly cap: Cap;
  readonly store: LedgerStore;
  /** Length of the period for which the cap holds, in the units of `now`. Default: the lifetime of the data. */
  readonly period?: number;
  /** A clock; required with a period. If it is set back, answers count for a longer time, never a shorter one. */
  readonly now?: () => number;
}

/** The privacy ledger of one data set: what was answered, to any server, and whether one more is within the cap. */
export interface Ledger {
  /**
   * Writes an answer down, before it is given.
   * @throws TypeError or RangeError, with nothing changed, for a round that is no whole number ≥ 0, for something that
   * is no guarantee, or for a clock that gives no finite number. Also when the transcript has all its answers, when
   * this round or a later one was answered already, or when the cap would be exceeded. Error when the store does not
   * return what was written, or holds something else.
   */
  charge(charge: Charge): void;
  /** Everything that was spent. */
  entries(): readonly LedgerEntry[];
}

const SCHEMA = 'ldpkit-ledger-1';

/**
 * A ledger over a store. The store is read at every charge, so several programs of one device may use it one after the
 * other. A store that is damaged, or returns something else than what was written, stops all answers. A store that is
 * reset to an older state, or copied, forgets answers; whoever keeps the store must prevent that.
 * @throws TypeError or RangeError for what is no cap or no store, and for a period that is not a finite number > 0 or that has no clock.
 *
 * @example
 * ```ts
 * import { createLedger, memoryStore, pureCap } from 'ldpkit';
 * // In a page: { read: () => localStorage.getItem('ledger'), write: (text) => localStorage.setItem('ledger', text) }.
 * const ledger = createLedger({ cap: pureCap(2), store: memoryStore() });
 * console.log(ledger.entries().length); // 0
 * ```
 */
export function createLedger({ cap, store, period, now }: LedgerOptions): Ledger {
  if (!cap?.covers) throw new RefusedKind('cap', 'a cap', cap);
  if (!store?.read || !store.write) throw new RefusedKind('store', 'a store', store);
  if (period !== undefined) {
    checkPositive('period', period);
    if (typeof now !== 'function') throw new RefusedKind('"now" expected a clock, which a period needs');
  }
  const entries = (): readonly LedgerEntry[] => parsed(store.read());
  return Object.freeze({
    entries,
    charge({ protocol, digest, occasion, guarantee: stated, round, answers }: Charge): void {
      checkInteger('round', round, 0);
      checkInteger('answers', answers, 1);
      // A user's own protocol may state anything: a negative number would give privacy budget back to the cap.
      const guarantee = checkGuarantee('guarantee', stated);
      const all = entries();
      const same = (entry: LedgerEntry): boolean =>
        entry.protocol === protocol && entry.digest === digest && entry.occasion === occasion;
      // The last one has all rounds.
      const rounds = all.findLast(same)?.rounds ?? [];
      if (rounds.length >= answers || rounds.some((answered) => answered >= round)) {
        throw new RefusedValue('"report" expected to be asked for once: this player has answered');
      }
      const at = now === undefined ? undefined : checkFinite('now', now());
      // A program that has changed between two rounds, and states another guarantee, spends that beside the first one.
      const text = JSON.stringify(guarantee);
      const others = all.filter((entry) => !(same(entry) && JSON.stringify(entry.guarantee) === text));
      const counted = others.filter((entry) => period === undefined || !(entry.at! <= at! - period));
      if (!cap.covers([...counted.map((entry) => entry.guarantee), guarantee])) {
        throw new RefusedValue(`"cap" expected to be kept: this answer and those before it would exceed ${cap.allows}`);
      }
      // JSON leaves out a time that is undefined.
      const entry = { protocol, digest, occasion, guarantee, rounds: [...rounds, round], at };
      const written = JSON.stringify({ schema: SCHEMA, entries: [...others, entry] });
      store.write(written);
      if (store.read() !== written) throw new Error('"store" expected to keep what was written');
    },
  });
}

/** A store in memory: for simulations and tests. It forgets when the program ends, and protects nobody after that. */
export function memoryStore(): LedgerStore {
  let kept: string | undefined;
  return {
    read: () => kept,
    write(text) {
      kept = text;
    },
  };
}

/** The entries of a text that this file wrote. Any other text stops all answers: spending would be forgotten. */
function parsed(text: unknown): readonly LedgerEntry[] {
  if (text === null || text === undefined) return [];
  try {
    const { schema, entries } = JSON.parse(text as string) as { schema: unknown; entries: LedgerEntry[] };
    if (schema === SCHEMA) return entries.map(checkedEntry);
  } catch {
    // Reported below, with one message for every kind of damage.
  }
  throw new Error('"store" expected a ledger that was written here');
}

function checkedEntry({ protocol, digest, occasion, guarantee, rounds, at }: LedgerEntry): LedgerEntry {
  const texts = [protocol, digest, occasion].every((text) => typeof text === 'string');
  const numbers = rounds.every(Number.isSafeInteger) && rounds.length > 0;
  if (!(texts && numbers && (at === undefined || typeof at === 'number'))) throw new RefusedKind('"entries"');
  return { protocol, digest, occasion, guarantee: checkGuarantee('guarantee', guarantee), rounds, at };
}

/** How much the owner of a device allows all answers about one data set to reveal together. */
export interface Cap {
  readonly allows: string;
  /** Whether guarantees of transcripts on the same data stay within the cap together; an empty list does. */
  covers(spent: readonly Guarantee[]): boolean;
}

/**
 * A cap on the sum of pure ε, and nothing else: transcripts that are only (ε, δ) or Gaussian are refused. Its code is
 * small, for web pages.
 *
 * Source: basic composition (Dwork, Roth 2014, Theorem 3.14).
 * @throws TypeError or RangeError unless ε is a finite number > 0.
 */
export function pureCap(epsilon: number): Cap {
  const most = checkPositive('epsilon', epsilon) * (1 + CLAIM_TOLERANCE);
  return Object.freeze({
    allows: `pure epsilon of at most ${epsilon}`,
    covers: (spent: readonly Guarantee[]) =>
      spent.reduce((sum, given) => sum + (given.kind === 'pure' ? given.epsilon : Infinity), 0) <= most,
  });
}

/**
 * A cap of any kind: under the best accounting that applies to them, the transcripts together must imply this
 * guarantee. For (ε, δ) caps, transcripts that are (ε, δ) themselves are added up, and the others are read at the ε
 * that is left.
 *
 * Guarantee: each accounting holds also for plans that a server chooses after earlier answers. Where its choice ends under
 * the Gaussian accounting after some answers and under the concentrated one after others, an (ε, δ) cap is kept as (ε, 2δ):
 * each of the two keeps its own δ.
 *
 * Source: basic, Gaussian and concentrated composition; see `compose`. For plans chosen later Rogers, Roth, Ullman, Vadhan
 * (2016), Smith, Thakurta (2022), and Feldman, Zrnic (2021).
 * @throws TypeError or RangeError for something that is not a guarantee.
 */
export function guaranteeCap(most: Guarantee): Cap {
  const cap = checkGuarantee('most', most);
  return Object.freeze({
    allows: describeGuarantee(cap),
    covers(spent: readonly Guarantee[]): boolean {
      const stated = spent.filter((given) => given.kind === 'approximate');
      const others = spent.filter((given) => given.kind !== 'approximate');
      if (stated.length === 0) return others.length === 0 || totals(others).some((total) => implies(total, cap));
      if (cap.kind !== 'approximate') return false;
      const loose = 1 + CLAIM_TOLERANCE;
      const epsilon = stated.reduce((left, given) => left - given.epsilon, cap.epsilon * loose);
      const delta = stated.reduce((left, given) => left - given.delta, cap.delta * loose);
      if (!(epsilon >= 0 && delta >= 0)) return false;
      return others.length === 0 || totals(others).some((total) => deltaAt(total, epsilon) <= delta);
    },
  });
}

function totals(guarantees: readonly Guarantee[]): Guarantee[] {
  const { basic, gdp, zcdp } = compose(guarantees);
  return [basic, gdp, zcdp].filter((total) => total !== undefined);
}
