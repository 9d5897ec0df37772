import type { Json } from '../../src/core/request.ts';
import type { Control } from './controls.ts';
import type { Change } from './run.ts';

/** What a chunk holds: numbers, or lists of them. */
type Numbers = Readonly<Record<string, number | readonly number[]>>;

/** A field of a setting, or of its request. */
export function fieldOf(setting: Json, field: string): number {
  const { request, ...own } = setting as Readonly<Record<string, Json>>;
  return Number(own[field] ?? (request as Readonly<Record<string, Json>>)[field]);
}

/** Multiplies all numbers of one list, or one number, of the chunks whose cell has such a key. */
export function times(entry: string, cells: RegExp, factor: (setting: Json) => number): Change {
  return (chunk, setting, key) => {
    const numbers = chunk as Numbers;
    if (!cells.test(key) || !(entry in numbers)) return chunk;
    const value = numbers[entry];
    const by = factor(setting);
    return { ...numbers, [entry]: typeof value === 'number' ? value * by : value.map((x) => x * by) };
  };
}

/** A power of a field: squares with it are errors with half of it. */
export const power =
  (field: string, exponent: number) =>
  (setting: Json): number =>
    fieldOf(setting, field) ** exponent;

/** Squared errors whose exponent in n, m or ε is wrong by a quarter. */
export const QUARTERS: readonly Control[] = [
  ['n^¼ more', /error in n/, times('squares', /^n-/, power('players', 0.5))],
  ['m^¼ more', /error in m/, times('squares', /^m-/, power('samples', 0.5))],
  ['ε^¼ more', /error times √n in ε/, times('squares', /^epsilon-/, power('epsilon', 0.5))],
];

/** Every fifth run is a thousand times as far off. Runs have as many squares as there are dimensions. */
export const LOST: Control = [
  'a fifth of the runs that are lost',
  /^runs that are off/,
  (chunk, setting) => {
    const numbers = chunk as { readonly squares: readonly number[] };
    const dimension = fieldOf(setting, 'dimension');
    const squares = numbers.squares.map((square, i) => (Math.floor(i / dimension) % 5 === 0 ? 1e6 : 1) * square);
    return { ...numbers, squares };
  },
];
