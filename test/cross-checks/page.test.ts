import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isTest } from '../documentation/test-file.ts';

const root = join(__dirname, '../..');

/** Cells of all table rows of docs/cross-checks.md. */
const rows = readFileSync(join(root, 'docs/cross-checks.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

/** Tests named in a page: `folder/name, other` stands for two files of one folder unless the second has a folder. */
function missing(cells: readonly string[][]): string[] {
  return cells.flat().flatMap((cell) => {
    if (!/^(cross-checks|unit|theory|vectors)\//.test(cell)) return [];
    let folder = '';
    return cell.split(', ').flatMap((name) => {
      const path = name.includes('/') ? name : `${folder}/${name}`;
      folder = path.slice(0, path.lastIndexOf('/'));
      return isTest(root, path) ? [] : [path];
    });
  });
}

test('every floor has a row, and every test that is named is there', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const listed = rows.map((cells) => cells[1]);
  expect(folders.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([]);
  expect(folders.length).toBeGreaterThanOrEqual(13);
  expect(missing(rows)).toEqual([]);
  expect(missing([['unit/numeric/normal, attic', 'cross-checks/random']])).toEqual(['unit/numeric/attic']);
});
