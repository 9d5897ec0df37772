/** One thing that a server may have changed in what it sends. */
export interface Lie {
  /** Which field, and to what. */
  readonly what: string;
  /** The whole object with that change. */
  readonly sent: unknown;
}

/** What a field is changed to. */
const HOSTILE: readonly unknown[] = [
  0,
  -1,
  1,
  0.5,
  1e9,
  1e308,
  2 ** 53,
  Number.NaN,
  Infinity,
  '7',
  null,
  {},
  undefined,
];

/**
 * Everything that a server may change in one field of an object: each field at any depth becomes each of a list of hostile values,
 * or is missing. Of arrays the first and the last entry are changed, and the length.
 */
export function* liesAbout(honest: object): Iterable<Lie> {
  for (const path of pathsIn(honest)) {
    for (const value of HOSTILE) {
      const sent = structuredClone(honest);
      if (change(sent, path, value)) yield { what: `${path.join('.')} = ${String(value)}`, sent };
    }
  }
}

/** Whole answers that are no object of the kind at all. */
export const STRANGERS: readonly Lie[] = [null, undefined, 7, 'x', [], {}, () => 0].map((sent) => ({
  what: `all of it: ${String(sent)}`,
  sent,
}));

function* pathsIn(value: unknown, path: readonly string[] = []): Iterable<readonly string[]> {
  if (path.length > 0) yield path;
  if (value === null || typeof value !== 'object' || path.length > 5) return;
  const names = isList(value) ? ends(value.length) : Object.keys(value);
  for (const name of names) yield* pathsIn((value as Record<string, unknown>)[name], [...path, name]);
}

function isList(value: object): value is ArrayLike<unknown> & object {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function ends(length: number): string[] {
  return [...new Set([0, length - 1])].filter((index) => index >= 0).map(String);
}

/** Whether the change could be made: a typed array holds numbers only, and keeps its length. */
function change(target: unknown, path: readonly string[], value: unknown): boolean {
  let holder = target as Record<string, unknown>;
  for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>;
  const name = path[path.length - 1];
  if (ArrayBuffer.isView(holder) && typeof value !== 'number') return false;
  if (value === undefined) delete holder[name];
  else holder[name] = value;
  return true;
}
