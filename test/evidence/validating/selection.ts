import { RefusedValue } from 'ldpkit';
import type { FoundValidation } from '../engine/experiments.ts';
import { PAPERS } from '../experiment/experiment.ts';

/** How many close names a refusal tells. */
const SUGGESTED = 4;

/**
 * The validations that are asked for, in the order in which they were found: a word is the key of a paper, a protocol, the name of
 * a validation, or an item as `npm run theory` calls it, of whichever paper or, with its key before it, of that one. Upper and lower
 * case are the same. Without words all of them.
 *
 * @throws RangeError for a word that nothing answers to, with the names that come close.
 */
export function selectValidations(
  found: readonly FoundValidation[],
  asked: readonly string[] | undefined,
): readonly FoundValidation[] {
  if (asked === undefined) return found;
  const chosen = new Set<FoundValidation>();
  for (const words of asked) {
    const key = folded(words);
    const answering = found.filter((one) => namesOf(one).some((name) => folded(name) === key));
    if (answering.length === 0) throw unknown(words, found);
    for (const one of answering) chosen.add(one);
  }
  return found.filter((one) => chosen.has(one));
}

/** Everything that a validation answers to. */
function namesOf({ protocol, experiment: { paper, name, theorems } }: FoundValidation): readonly string[] {
  return [paper, protocol, name, ...theorems, ...theorems.map((theorem) => `${paper} ${theorem}`)];
}

function folded(words: string): string {
  return words.trim().replace(/\s+/g, ' ').toLowerCase();
}

function unknown(words: string, found: readonly FoundValidation[]): RefusedValue {
  const close = closest(words, [...new Set(found.flatMap(namesOf))]);
  const hints = [
    `a paper (${PAPERS.join(', ')}), a protocol, or a validation or an item that --list names`,
    ...(isItem(words, found) ? ['no validation measures this item; npm run theory names the test of each'] : []),
    ...(words.includes(',') ? ['several are apart by spaces, each in quotes'] : []),
    ...(close.length === 0 ? [] : [`close are ${close.map((name) => JSON.stringify(name)).join(', ')}`]),
  ];
  return new RefusedValue('only', hints.join('; '), words);
}

/** Whether a paper may have such an item: a number, and before it a word that items of validations have before theirs. */
function isItem(words: string, found: readonly FoundValidation[]): boolean {
  const kind = (item: string): string | undefined => /^(.*?)\s*\(?\d[\d.]*\)?$/.exec(folded(item))?.[1];
  const asked = kind(words);
  if (asked === undefined) return false;
  return found.some(({ experiment: { paper, theorems } }) =>
    theorems.some((item) => [kind(item), `${paper} ${kind(item)}`].includes(asked)),
  );
}

/** The names that share the most words with this one; of those the shortest. */
function closest(words: string, names: readonly string[]): readonly string[] {
  const asked = new Set(piecesOf(words));
  return names
    .map((name) => ({ name, shared: new Set(piecesOf(name).filter((piece) => asked.has(piece))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared || a.name.length - b.name.length)
    .slice(0, SUGGESTED)
    .map(({ name }) => name);
}

function piecesOf(name: string): readonly string[] {
  return folded(name).match(/[\p{L}\p{N}]+/gu) ?? [];
}
