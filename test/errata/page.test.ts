// docs/errata.md itself: every row has its parts, and what it names exists.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isTest } from '../documentation/test-file.ts';

const root = resolve(__dirname, '../..');
const COLUMNS = ['where', 'printed', 'what holds', 'effect', 'functions', 'test'];

/** The rows of all tables of the page, cell by cell, without headings. */
function rowsOf(page: string): string[][] {
  const lines = page.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('|---'));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Every name that a source file exports. */
function exportedNames(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const place of ['src', 'protocols', 'test/evidence']) {
    for (const file of readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(root, place, file), 'utf8');
      for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const|interface|type) (\w+)/gm)) {
        names.add(name);
      }
    }
  }
  return names;
}

const names = exportedNames();
// Models and options that a variant is told; commands.
const WORDS = ['logistic', 'margin', 'hessianMu'];

/** What is wrong with a row. */
function wrongs(row: readonly string[]): string[] {
  const [where, printed, holds, effect, functions, tests] = row;
  if (row.length !== COLUMNS.length) return [`${where}: ${row.length} cells`];
  const found: string[] = [];
  if ([where, printed, holds, effect, functions, tests].some((cell) => cell === ''))
    found.push(`${where}: a cell is empty`);
  if (!/\d/.test(effect)) found.push(`${where}: an effect without a number`);
  const named = [...functions.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  if (named.length === 0) found.push(`${where}: no function`);
  for (const name of named) {
    if (!names.has(name) && !WORDS.includes(name) && !/^(?:ldpkit|npm run) /.test(name))
      found.push(`${where}: nothing exports ${name}`);
  }
  for (const path of tests.split(', ')) {
    if (!isTest(root, path)) found.push(`${where}: there is no test ${path}`);
  }
  return found;
}

const rows = rowsOf(readFileSync(join(root, 'docs/errata.md'), 'utf8'));
const headings = rows.filter(([first]) => first === 'where');
const items = rows.filter(([first]) => first !== 'where');

describe('docs/errata.md', () => {
  test('every table has the printed form, what holds, the effect, the functions and the test', () => {
    expect(headings.length).toBeGreaterThan(0);
    for (const heading of headings) expect(heading).toEqual(COLUMNS);
    expect(items.flatMap(wrongs)).toEqual([]);
    expect(items.length).toBeGreaterThan(35);
  });

  test('no place stands there twice', () => {
    const places = items.map(([where, printed]) => `${where}: ${printed}`);
    expect(places.filter((place, at) => places.indexOf(place) < at)).toEqual([]);
  });

  test('every test of test/errata is named by a row', () => {
    const files = readdirSync(join(root, 'test/errata')).map(
      (file) => `errata/${file.replace(/(\.long)?\.test\.ts$/, '')}`,
    );
    const named = new Set(items.flatMap(([, , , , , tests]) => tests.split(', ')));
    expect(files.filter((file) => file !== 'errata/page' && !named.has(file))).toEqual([]);
  });
});

test('the checks catch a row with a cell missing, empty, without a number, or with names of nothing', () => {
  const row = ['Lemma 0', 'x', 'y', '2 times', '`sphereConstant`', 'errata/budget'];
  expect(wrongs(row)).toEqual([]);
  const change = (at: number, cell: string): string[] => wrongs(row.map((was, i) => (i === at ? cell : was)));
  expect(wrongs(row.slice(1))).toHaveLength(1);
  expect(change(2, '')).toEqual(['Lemma 0: a cell is empty']);
  expect(change(3, 'much larger')).toEqual(['Lemma 0: an effect without a number']);
  expect(change(4, 'none')).toEqual(['Lemma 0: no function']);
  expect(change(4, '`noSuchFunction`')).toEqual(['Lemma 0: nothing exports noSuchFunction']);
  expect(change(5, 'errata/none')).toEqual(['Lemma 0: there is no test errata/none']);
});
