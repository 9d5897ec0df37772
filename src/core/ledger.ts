import { checkFinite, checkInteger, checkPositive } from '../check/number.ts';
import { compose } from '../privacy/composition.ts';
import { CLAIM_TOLERANCE, deltaAt, implies } from '../privacy/conversion.ts';
import { checkGuarantee, describeGuarantee, type Guarantee } from '../privacy/guarantee.ts';

/** Where a ledger is kept: one text, in a place that outlives the program. Both calls are synchronous. */
export interface LedgerStore {
  /** The text that was written last; nothing where there is none. */
  read(): string | null | undefined;
  /** Keeps the text. When it returns, the text must survive the end of the program. */
  write(text: string): void;
}

/** What one transcript has spent. */
export interface LedgerEntry {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Digest of the parameters or the plan. */
  readonly digest: string;
  /** Which occasion the parameters were used on; see `DeviceOptions`. */
  readonly occasion: string;
  /** What the whole transcript guarantees, all its rounds together. */
  readonly guarantee: Guarantee;
  /** The rounds that were answered, in order. */
  readonly rounds: readonly number[];
  /** When it answered last, by the clock of the ledger; absent without one. */
  readonly at?: number;
}

/** An answer that is about to be given. */
export interface Charge extends Pick<LedgerEntry, 'protocol' | 'digest' | 'occasion' | 'guarantee'> {
  /** Which round is answered; 0 where there is one. */
  readonly round: number;
  /** How many rounds of this plan one player answers at most. */
  readonly answers: number;
}

/** How a ledger is asked to be. */
export interface LedgerOptions {
  /** How much all answers may tell together. */
  readonly cap: Cap;
  /** Where it is kept. */
  readonly store: LedgerStore;
  /** Length of the period that the cap is for, in the units of `now`; the lifetime of the data where it is left out. */
  readonly period?: number;
  /** A clock; needed where there is a period. A clock that was set back makes answers count for longer, never shorter. */
  readonly now?: () => number;
}

/**
 * The privacy ledger of one data set: what was answered about it, to whomever, and whether one more answer is within the cap.
 */
export interface Ledger {
  /**
   * Writes an answer down, before it is given.
   *
   * @throws TypeError or RangeError, with nothing changed, for a round that is no whole number ≥ 0, for what is no guarantee, for a clock that tells no finite
   * number, when the transcript has had its answers, or this round or a later one was answered already, or the cap would be exceeded;
   * Error when the store does not give back what it was given, or holds something else.
   */
  charge(charge: Charge): void;
  /** Everything that was spent. */
  entries(): readonly LedgerEntry[];
}

const SCHEMA = 'ldpkit-ledger-1';

/**
 * A ledger over a store. The store is read at every charge, so that several programs of one device may share it one after the
 * other. A store that was damaged, or gives back something else than was written, stops all answers. A store that is put back
 * to an older state, or copied, forgets: that is for whoever keeps it to prevent.
 *
 * @throws TypeError or RangeError for a period that is not a finite number > 0 or that has no clock.
 */
export function createLedger({ cap, store, period, now }: LedgerOptions): Ledger {
  if (period !== undefined) {
    checkPositive('period', period);
    if (typeof now !== 'function') throw new TypeError('"now" expected a clock, which a period needs');
  }
  const entries = (): readonly LedgerEntry[] => parsed(store.read());
  return Object.freeze({
    entries,
    charge({ protocol, digest, occasion, guarantee: stated, round, answers }: Charge): void {
      checkInteger('round', round, 0);
      checkInteger('answers', answers, 1);
      // A protocol of somebody's own may state anything: less than nothing would be given back to the cap.
      const guarantee = checkGuarantee('guarantee', stated);
      const all = entries();
      const same = (entry: LedgerEntry): boolean =>
        entry.protocol === protocol && entry.digest === digest && entry.occasion === occasion;
      const rounds = all.find(same)?.rounds ?? [];
      if (rounds.length >= answers || rounds.some((answered) => answered >= round)) {
        throw new RangeError('"report" expected to be asked for once: this player has answered');
      }
      const at = now === undefined ? undefined : checkFinite('now', now());
      const others = all.filter((entry) => !same(entry));
      const counted = others.filter((entry) => period === undefined || !(entry.at! <= at! - period));
      if (!cap.covers([...counted.map((entry) => entry.guarantee), guarantee])) {
        throw new RangeError(`"cap" expected to be kept: this answer and those before it would exceed ${cap.allows}`);
      }
      const entry = {
        protocol,
        digest,
        occasion,
        guarantee,
        rounds: [...rounds, round],
        ...(at === undefined ? {} : { at }),
      };
      const text = JSON.stringify({ schema: SCHEMA, entries: [...others, entry] });
      store.write(text);
      if (store.read() !== text) throw new Error('"store" expected to give back what was written');
    },
  });
}

/** A store in memory: for simulations and tests. It forgets when the program ends, and so protects nobody for longer. */
export function memoryStore(): LedgerStore {
  let kept: string | undefined;
  return {
    read: () => kept,
    write(text) {
      kept = text;
    },
  };
}

/** The entries of a text that was written here. Anything else stops all answers: what was spent would be forgotten. */
function parsed(text: unknown): readonly LedgerEntry[] {
  if (text === null || text === undefined) return [];
  try {
    const { schema, entries } = JSON.parse(text as string) as { schema: unknown; entries: LedgerEntry[] };
    if (schema === SCHEMA) return entries.map(checkedEntry);
  } catch {
    // Told below, in one way: a part of the text may be what was damaged.
  }
  throw new Error('"store" expected a ledger that was written here');
}

function checkedEntry({ protocol, digest, occasion, guarantee, rounds, at }: LedgerEntry): LedgerEntry {
  const texts = [protocol, digest, occasion].every((text) => typeof text === 'string');
  const numbers = rounds.every((round) => Number.isSafeInteger(round)) && rounds.length > 0;
  if (!(texts && numbers && (at === undefined || typeof at === 'number'))) throw new TypeError('"entries"');
  const kept = { protocol, digest, occasion, guarantee: checkGuarantee('guarantee', guarantee), rounds: [...rounds] };
  return at === undefined ? kept : { ...kept, at };
}

/** How much the owner of a device allows all answers about one data set to tell together. */
export interface Cap {
  /** The allowance in one line, for messages. */
  readonly allows: string;
  /** Whether guarantees of transcripts on the same data stay within it together; no guarantee at all does. */
  covers(spent: readonly Guarantee[]): boolean;
}

/**
 * A cap on the sum of pure ε, and nothing else: transcripts that are only (ε, δ) or Gaussian are refused. Small, for pages.
 *
 * Source: basic composition (Dwork, Roth 2014, Theorem 3.14).
 *
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
 * A cap of any kind: the transcripts together, under the best accounting that applies to them, must imply this guarantee. For
 * (ε, δ) caps, transcripts that are (ε, δ) themselves are added up, and the others are read at the ε that is left.
 *
 * Source: basic, Gaussian and concentrated composition; see `compose`.
 *
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
