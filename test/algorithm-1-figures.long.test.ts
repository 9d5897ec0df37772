import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const docs = resolve(__dirname, '../docs');

// Lengths to a tenth of a pixel: processors differ in the last bits of logarithms.
const rounded = (svg: string): string => svg.replace(/-?\d+\.\d+/g, (text) => Number(text).toFixed(1));

test.each(['algorithm-1', 'waves'])('the figures of docs/%s.md are those that its script writes', (subject) => {
  const page = readFileSync(join(docs, `${subject}.md`), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), `${subject}-`));
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(docs, `${subject}.mjs`), folder], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const names = readdirSync(folder).sort();
    const drawn = readdirSync(join(docs, 'figures')).filter((name) => name.startsWith(`${subject}-`));
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
