import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { isTest } from './documentation/test-file.ts';
import { itemsIn, type TheoryItem } from './documentation/theory/item.ts';
import { type MappedPaper, theoryMap, theoryPage } from './documentation/theory/page.ts';
import { collectTags, countMentions, functionsOf, type TheoremTag, tagsIn } from './documentation/theory/tags.ts';
import { type NamedValidation, validationModules, validationsOf } from './documentation/theory/validations.ts';
import { PAPERS, type TheoremValidation } from './evidence/experiment/experiment.ts';

const root = resolve(__dirname, '..');
const MAP = theoryMap(root);
const tags = collectTags(root);

/** What is wrong with an item: tests that are not there, a claim of coverage without a function or a test. */
function wrongsOf({ number, tests, status }: TheoryItem, functions: readonly string[]): string[] {
  const found = tests.filter((path) => !isTest(root, path)).map((path) => `${number}: there is no test ${path}`);
  const names = functions.length > 0;
  if (status === 'not covered') return names || tests.length > 0 ? [...found, `${number}: covered after all`] : found;
  if (!names) found.push(`${number}: no function`);
  if (status !== 'definition only' && tests.length === 0) found.push(`${number}: no test`);
  return found;
}

/** What is wrong with tags: papers and items that the map does not have, and comments of nothing that is exported. */
function wrongTags(found: readonly TheoremTag[], map: readonly MappedPaper[]): string[] {
  return found.flatMap(({ paper, number, name, place }) => {
    const items = map.find(({ key }) => key === paper)?.items;
    if (items === undefined) return [`${place}: no paper ${paper}`];
    if (!items.some((item) => item.number === number)) return [`${place}: ${paper} has no ${number}`];
    return name === undefined ? [`${place}: nothing exported follows`] : [];
  });
}

/** The items of validations that the map does not have, or says not to be covered. */
function wrongValidations(all: readonly NamedValidation[], map: readonly MappedPaper[]): string[] {
  return all.flatMap(({ name, paper, theorems }) => {
    const items = map.find(({ key }) => key === paper)?.items ?? [];
    const found = theorems.flatMap((number) => {
      const item = items.find((one) => one.number === number);
      if (item === undefined) return [`${name}: ${paper} has no ${number}`];
      return item.status === 'not covered' ? [`${name}: ${paper} ${number} is covered after all`] : [];
    });
    return theorems.length === 0 ? [`${name}: measures nothing`] : found;
  });
}

/** What a page lacks of what the map, the tags and the validations say of each item, below that item of its paper. */
function missingFrom(
  page: string,
  all: readonly TheoremTag[],
  validations: readonly NamedValidation[],
): readonly string[] {
  return MAP.flatMap(({ key, title, items }) => {
    const [, ...parts] = (page.split('\n## ').find((text) => text.startsWith(`${title}\n`)) ?? '').split('\n### ');
    return items.flatMap(({ number, section, about, tests, status, note }) => {
      const part = parts.find((text) => text.startsWith(`${number}\n`));
      if (part === undefined) return [`${key} ${number}: not there`];
      const said = [
        `${about.slice(1)} (${section}). **${status}**${note === undefined ? '' : `: ${note}`}`,
        ...functionsOf(all, key, number).map((name) => `\`${name}\``),
        ...validationsOf(validations, key, number).map((name) => `*${name}*`),
      ];
      const paths = part.split(/[\s,]+/);
      return [...said.filter((text) => !part.includes(text)), ...tests.filter((path) => !paths.includes(path))].map(
        (text) => `${key} ${number}: ${text.trim()}`,
      );
    });
  });
}

describe.each(MAP.map(({ key, title, items }) => [title, key, items] as const))('%s', (_, key, items) => {
  test('every item has the functions and the tests that its status asks for', () => {
    expect(items.flatMap((item) => wrongsOf(item, functionsOf(tags, key, item.number)))).toEqual([]);
  });

  test('no item is listed twice, and numbered ones have no gaps', () => {
    const numbers = items.map(({ number }) => number);
    expect(numbers.filter((number, at) => numbers.indexOf(number) < at)).toEqual([]);
    const byKind = new Map<string, number[]>();
    for (const number of numbers) {
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

test('every tag names a paper, an item of it, and stands at something exported', () => {
  expect(MAP.map(({ key }) => key)).toEqual([...PAPERS]);
  expect(wrongTags(tags, MAP)).toEqual([]);
  const twice = tags.map(({ paper, number, name, place }) => `${place.split(':')[0]} ${name} ${paper} ${number}`);
  expect(twice.filter((tag, at) => twice.indexOf(tag) < at)).toEqual([]);
  expect(tags).toHaveLength(countMentions(root));
});

describe('with the validations of all protocols', () => {
  const validations: TheoremValidation[] = [];

  beforeAll(async () => {
    for (const path of validationModules(root)) {
      const found = (await import(path)) as { readonly validations: readonly TheoremValidation[] };
      validations.push(...found.validations);
    }
  });

  test('every validation measures items of the map', () => {
    expect(wrongValidations(validations, MAP)).toEqual([]);
  });

  test('the page that is made has each item once, with its functions, its tests and the validations that measure it', () => {
    const page = theoryPage(MAP, tags, validations);
    const headings = page.split('\n').filter((line) => /^##/.test(line));
    expect(headings).toEqual(
      MAP.flatMap(({ title, items }) => [`## ${title}`, ...items.map(({ number }) => `### ${number}`)]),
    );
    expect(missingFrom(page, tags, validations)).toEqual([]);
  });

  test('and one that lacks a function, a test, a validation or a status, or puts it with another item, is caught', () => {
    const page = theoryPage(MAP, tags, validations);
    const [, below] = /\n### Lemma 6(\n[^#]*)/.exec(page)!;
    for (const part of ['`ellipseRate`', 'theory/lemma-6', '*hinge-lemma-6*', '**proved constant**']) {
      expect(below).toContain(part);
      expect(missingFrom(page.replace(below, below.replace(part, '')), tags, validations)).toHaveLength(1);
    }
    const exchanged = page
      .replace('### Lemma 6\n', '### Lemma X\n')
      .replace('### Lemma 8\n', '### Lemma 6\n')
      .replace('### Lemma X\n', '### Lemma 8\n');
    expect(missingFrom(exchanged, tags, validations).length).toBeGreaterThanOrEqual(6);
    // What a tag or a validation says anew is in the page as soon as it is made.
    const tag: TheoremTag = { paper: 'noninteractive', number: 'Lemma 6', name: 'newBound', place: 'a.ts:1' };
    const one: NamedValidation = { name: 'new-lemma-6', paper: 'noninteractive', theorems: ['Lemma 6'] };
    expect(missingFrom(page, [...tags, tag], validations)).toEqual(['noninteractive Lemma 6: `newBound`']);
    expect(missingFrom(page, tags, [...validations, one])).toEqual(['noninteractive Lemma 6: *new-lemma-6*']);
    const anew = [
      [...tags, tag],
      [...validations, one],
    ] as const;
    expect(missingFrom(theoryPage(MAP, ...anew), ...anew)).toEqual([]);
  });
});

describe('the checks catch', () => {
  const item: TheoryItem = { number: 'Theorem 0', section: '1', about: '', tests: ['theory/lemma-6'], status: 'exact' };
  const map: readonly MappedPaper[] = [{ key: 'slides', title: '', items: [item] }];
  const source = (tag: string, below: string): string => `/**\n * What it is.\n *\n * ${tag}\n */\n${below}\n`;
  const wrongs = (tag: string, below = 'export const sphereConstant = 1;') =>
    wrongTags(tagsIn(source(tag, below), 'a.ts'), map);

  test('an item without a function, without a test, or with a test that is not there', () => {
    expect(wrongsOf(item, ['bound'])).toEqual([]);
    expect(wrongsOf(item, [])).toEqual(['Theorem 0: no function']);
    expect(wrongsOf({ ...item, tests: [] }, ['bound'])).toEqual(['Theorem 0: no test']);
    expect(wrongsOf({ ...item, tests: ['theory/none'] }, ['bound'])).toEqual([
      'Theorem 0: there is no test theory/none',
    ]);
    expect(wrongsOf({ ...item, tests: [], status: 'definition only' }, [])).toEqual(['Theorem 0: no function']);
  });

  test('an item that is said not to be covered and is', () => {
    expect(wrongsOf({ ...item, tests: [], status: 'not covered' }, [])).toEqual([]);
    expect(wrongsOf({ ...item, tests: [], status: 'not covered' }, ['bound'])).toEqual([
      'Theorem 0: covered after all',
    ]);
    expect(wrongsOf({ ...item, status: 'not covered' }, [])).toEqual(['Theorem 0: covered after all']);
  });

  test('a tag of an unknown paper, of an unknown item, or without one', () => {
    expect(wrongs('@theorem slides Theorem 0')).toEqual([]);
    expect(wrongs('@theorem slide Theorem 0')).toEqual(['a.ts:4: no paper slide']);
    expect(wrongs('@theorem slides Theorem 00')).toEqual(['a.ts:4: slides has no Theorem 00']);
    expect(wrongs('@theorem slides')).toEqual(['a.ts:4: slides has no ']);
    expect(wrongs('@theorem')).toEqual(['a.ts:4: no paper ']);
  });

  test('a tag at something that is not exported, or not directly above it', () => {
    const nothing = ['a.ts:4: nothing exported follows'];
    expect(wrongs('@theorem slides Theorem 0', 'export async function audit() {}')).toEqual([]);
    expect(wrongs('@theorem slides Theorem 0', 'function bound() {}')).toEqual(nothing);
    expect(wrongs('@theorem slides Theorem 0', '\nexport const bound = 1;')).toEqual(nothing);
    const inner =
      '/** Out. */\nexport interface Out {\n  /** @theorem slides Theorem 0 */\n  readonly inner: number;\n}\n';
    expect(wrongTags(tagsIn(inner, 'a.ts'), map)).toEqual(['a.ts:3: nothing exported follows']);
  });

  test('a tag outside a doc comment, as a number of tags that is not the number of mentions', () => {
    expect(tagsIn('// @theorem slides Theorem 0\nexport const bound = 1;\n', 'a.ts')).toEqual([]);
  });

  test('a validation of an item that no paper has, and finds those of one that has', () => {
    const one: NamedValidation = { name: 'one', paper: 'slides', theorems: ['Theorem 0'] };
    expect(wrongValidations([one], map)).toEqual([]);
    expect(wrongValidations([{ ...one, theorems: ['Theorem 0', 'Theorem 9'] }], map)).toEqual([
      'one: slides has no Theorem 9',
    ]);
    expect(wrongValidations([{ ...one, theorems: [] }], map)).toEqual(['one: measures nothing']);
    expect(wrongValidations([{ ...one, paper: 'influence' }], map)).toEqual(['one: influence has no Theorem 0']);
    const uncovered: readonly MappedPaper[] = [{ ...map[0], items: [{ ...item, status: 'not covered' }] }];
    expect(wrongValidations([one], uncovered)).toEqual(['one: slides Theorem 0 is covered after all']);
    expect(validationsOf([one], 'slides', 'Theorem 0')).toEqual(['one']);
    expect(validationsOf([one], 'influence', 'Theorem 0')).toEqual([]);
  });

  test('a table with another status, a cell less or more, or without rows; a bar in a cell is none', () => {
    const head = 'Author.\n\n| item | section | about | status | tests | note |\n|---|---|---|---|---|---|\n';
    expect(itemsIn(`${head}| Lemma 1 | 2 | bound of \\|a\\| | exact | theory/a, unit/b | |\n`)).toEqual([
      { number: 'Lemma 1', section: '2', about: 'bound of |a|', tests: ['theory/a', 'unit/b'], status: 'exact' },
    ]);
    for (const row of [
      '| Lemma 1 | 2 | a | sure | | |',
      '| Lemma 1 | 2 | a | exact | |',
      '| L | 2 | a | exact | | | |',
    ]) {
      expect(() => itemsIn(head + row)).toThrow('expected six cells with a status');
    }
    expect(() => itemsIn(head)).toThrow('expected rows below');
    expect(() => itemsIn('| Lemma 1 | 2 | a | exact | | |')).toThrow('expected rows below');
  });
});
