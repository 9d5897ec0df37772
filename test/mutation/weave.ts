import type { Mutant } from './mutants.ts';

/** A mutant and the number that switches it on. */
export interface Switched {
  readonly id: number;
  readonly mutant: Mutant;
}

/**
 * One text that is the original, and any one of its mutants where `globalThis.$mutant` is its number when the module is loaded.
 * Where that is 0 it marks in `globalThis.$visited` the numbers of the places that it comes by.
 */
export function weave(text: string, mutants: readonly Switched[]): string {
  const places = new Map<string, Switched[]>();
  for (const one of mutants) {
    const key = `${one.mutant.start}:${one.mutant.end}`;
    places.set(key, [...(places.get(key) ?? []), one]);
  }
  // Outer places before inner ones: places are nodes of one tree, so that they lie apart or within each other.
  const sorted = [...places.values()].sort(([{ mutant: a }], [{ mutant: b }]) => a.start - b.start || b.end - a.end);
  let next = 0;
  const part = (from: number, to: number): string => {
    let at = from;
    let out = '';
    while (next < sorted.length && sorted[next][0].mutant.start < to) {
      const place = sorted[next++];
      const { start, end } = place[0].mutant;
      out += text.slice(at, start);
      const original = part(start, end);
      out += switched(place, original);
      at = end;
    }
    return out + text.slice(at, to);
  };
  return `const { $mutant, $visited } = globalThis;${part(0, text.length)}`;
}

function switched(place: readonly Switched[], original: string): string {
  const marks = place.map(({ id }) => `$visited[${id}] = `).join('');
  const cases = place.map(({ id, mutant }) => `$mutant === ${id} ? (${mutant.replacement}) : `);
  return `($mutant === 0 && (${marks}1), ${cases.join('')}(${original}))`;
}
