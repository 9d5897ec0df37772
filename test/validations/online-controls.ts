import type { Json } from '../../src/core/request.ts';
import type { Change } from './run.ts';

/** A number anywhere in plain data, with the indices and names that lead to it. */
type Entry = (value: number, path: readonly (string | number)[], setting: Record<string, Json>) => number;

function walked(
  value: Json,
  path: readonly (string | number)[],
  entry: (value: number, path: readonly (string | number)[]) => number,
): Json {
  if (typeof value === 'number') return entry(value, path);
  if (Array.isArray(value)) return value.map((item, k) => walked(item, [...path, k], entry));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walked(item, [...path, key], entry)]));
  }
  return value;
}

/** Every number of the chunks, changed; `fits` chooses cells by their keys. */
export function everyNumber(entry: Entry, fits: (key: string) => boolean = () => true): Change {
  return (chunk, setting, key) =>
    fits(key) ? walked(chunk, [], (value, path) => entry(value, path, setting as Record<string, Json>)) : chunk;
}

/** The numbers under one name, changed. */
export function under(name: string, entry: Entry, fits?: (key: string) => boolean): Change {
  return everyNumber((value, path, setting) => (path.includes(name) ? entry(value, path, setting) : value), fits);
}

/** The numbers under one name, times a factor. */
export function scaled(name: string, factor: number, fits?: (key: string) => boolean): Change {
  return under(name, (value) => value * factor, fits);
}

/** The numbers under one name, times n to a power; their last index is that of the checkpoint. */
export function slower(name: string, power: number, fits?: (key: string) => boolean): Change {
  return under(
    name,
    (value, path, setting) => value * (setting.checkpoints as number[])[path[path.length - 1] as number] ** power,
    fits,
  );
}
