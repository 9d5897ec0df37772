import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { TheoryItem } from './documentation/theory/item.ts';
import { PAPERS, theoryPage } from './documentation/theory/page.ts';

const root = resolve(__dirname, '..');

/** Every name that the library or a protocol exports, as its sources declare it. */
function exportedNames(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const place of ['src', 'protocols']) {
    for (const file of readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(root, place, file), 'utf8');
      for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const|interface|type) (\w+)/gm))
        names.add(name);
      for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
        for (const part of list.split(','))
          names.add(
            part
              .trim()
              .replace(/^type /, '')
              .split(' as ')
              .at(-1)
              ?.trim() ?? '',
          );
      }
    }
  }
  return names;
}

const names = exportedNames();

/** What is wrong with an item: names that nothing exports, tests that are not there, a claim of coverage without either. */
function wrongs({ number, functions, tests, status }: TheoryItem): string[] {
  const found = [
    ...functions.filter((name) => !names.has(name)).map((name) => `${number}: nothing exports ${name}`),
    ...tests
      .filter((path) => !existsSync(join(root, 'test', `${path}.test.ts`)))
      .map((path) => `${number}: there is no test ${path}`),
  ];
  if (status === 'not covered' && (functions.length > 0 || tests.length > 0))
    found.push(`${number}: covered after all`);
  if (status === 'definition only' && functions.length === 0) found.push(`${number}: no function`);
  if (!['not covered', 'definition only'].includes(status) && tests.length === 0) found.push(`${number}: no test`);
  return found;
}

describe.each(PAPERS.map(({ title, items }) => [title, items] as const))('%s', (_, items) => {
  test('every function and every test of the map exists', () => {
    expect(items.flatMap(wrongs)).toEqual([]);
  });

  test('no item is listed twice, and numbered ones have no gaps', () => {
    const numbers = items.map(({ number, section }) => `${number}, ${section}`);
    expect(numbers.filter((number, at) => numbers.indexOf(number) < at)).toEqual([]);
    const byKind = new Map<string, number[]>();
    for (const { number } of items) {
      const match = /^(Theorem|Lemma|Corollary|Algorithm|Table|Figure) (\d+)$/.exec(number);
      if (match) byKind.set(match[1], [...(byKind.get(match[1]) ?? []), Number(match[2])]);
    }
    const gaps: string[] = [];
    for (const kind of ['Algorithm', 'Table', 'Figure']) {
      const found = byKind.get(kind) ?? [];
      for (let k = 1; k < Math.max(0, ...found); k++) if (!found.includes(k)) gaps.push(`${kind} ${k}`);
    }
    expect(gaps).toEqual([]);
  });
});

test('docs/theory.md is what the map says (node docs/theory.mjs)', () => {
  expect(readFileSync(join(root, 'docs/theory.md'), 'utf8')).toBe(theoryPage());
});

test('the checks catch what is wrong', () => {
  const item = { number: 'Theorem 0', section: '1', about: '', functions: ['noSuchFunction'], tests: ['theory/none'] };
  expect(wrongs({ ...item, status: 'exact' })).toHaveLength(2);
  expect(wrongs({ ...item, functions: [], tests: [], status: 'measured rate' })).toEqual(['Theorem 0: no test']);
  expect(wrongs({ ...item, functions: ['hinge'], tests: [], status: 'not covered' })).toEqual([
    'Theorem 0: covered after all',
  ]);
});
