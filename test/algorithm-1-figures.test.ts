import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { algorithmFigures } from './documentation/algorithm-1.ts';

const folder = resolve(__dirname, '../docs/figures');
const page = readFileSync(resolve(__dirname, '../docs/algorithm-1.md'), 'utf8');

// Lengths to a hundredth of a pixel: processors differ in the last bits of logarithms.
const rounded = (svg: string): string =>
  svg.replace(/-?\d+\.\d+/g, (text) => (Math.round(100 * Number(text)) / 100).toString());

test('the figures of docs/algorithm-1.md are those that node docs/algorithm-1.mjs writes', () => {
  const figures = algorithmFigures();
  expect(readdirSync(folder).sort()).toEqual(Object.keys(figures).sort());
  for (const [name, svg] of Object.entries(figures)) {
    expect(rounded(readFileSync(join(folder, name), 'utf8'))).toBe(rounded(svg));
    expect(page).toContain(`](figures/${name})`);
  }
});
