import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const docs = resolve(__dirname, '../docs');

// Lengths to a pixel: processors differ in the last bits of logarithms, of which millions are added up.
const rounded = (svg: string): string => svg.replace(/-?\d+\.\d+/g, (text) => Number(text).toFixed(0));

test('the figures of docs/gallery.md are those that its commands make', () => {
  const page = readFileSync(join(docs, 'gallery.md'), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    const words = [join(docs, 'gallery.mjs'), folder];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const names = readdirSync(folder).sort();
    const shown = Array.from(page.matchAll(/\]\(figures\/(.*?)\)/g), ([, name]) => name);
    expect([...shown].sort()).toEqual(names);
    const kept = readdirSync(join(docs, 'figures')).filter((name) => name.startsWith('gallery-'));
    expect(kept.sort()).toEqual(names);
    for (const name of names) {
      const read = (place: string): string => rounded(readFileSync(join(place, name), 'utf8'));
      expect(read(join(docs, 'figures')) === read(folder) ? '' : name).toBe('');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
