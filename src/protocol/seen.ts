/** A set of texts that may outgrow one `Set`. */
export interface Seen {
  /** How many there are. */
  readonly size: number;
  /** Whether it is there. */
  has(text: string): boolean;
  /** Adds one that is not there yet. */
  add(text: string): void;
  /** All of them, in the order they were added. */
  values(): Iterable<string>;
}

/** Entries of one `Set`: half of what V8 lets it have, beyond which `add` throws. */
const SEGMENT = 2 ** 23;

/** An empty set; `segment` is for tests. */
export function createSeen(segment: number = SEGMENT): Seen {
  const sets: Set<string>[] = [new Set()];
  return {
    get size() {
      return (sets.length - 1) * segment + sets[sets.length - 1].size;
    },
    has: (text) => sets.some((set) => set.has(text)),
    add(text) {
      if (sets[sets.length - 1].size === segment) sets.push(new Set());
      sets[sets.length - 1].add(text);
    },
    *values() {
      for (const set of sets) yield* set;
    },
  };
}
