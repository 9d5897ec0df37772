import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const docs = resolve(__dirname, '../docs');
const page = readFileSync(join(docs, 'algorithm-1.md'), 'utf8');

// Lengths to a tenth of a pixel: processors differ in the last bits of logarithms.
const rounded = (svg: string): string => svg.replace(/-?\d+\.\d+/g, (text) => Number(text).toFixed(1));

test('the figures of docs/algorithm-1.md are those that node docs/algorithm-1.mjs writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'algorithm-1-'));
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(docs, 'algorithm-1.mjs'), folder], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const names = readdirSync(folder).sort();
    const drawn = readdirSync(join(docs, 'figures')).filter((name) => name.startsWith('algorithm-1-'));
    expect(drawn.sort()).toEqual(names);
    for (const name of names) {
      const read = (place: string): string => rounded(readFileSync(join(place, name), 'utf8'));
      expect(read(join(docs, 'figures'))).toBe(read(folder));
      expect(page).toContain(`](figures/${name})`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
