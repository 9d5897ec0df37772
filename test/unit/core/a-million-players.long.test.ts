import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';

// Beside the modules that it needs.
const folder = join(__dirname, '../../../out/a-million-players', String(process.pid));
const program = join(folder, 'program.mjs');
mkdirSync(folder, { recursive: true });
buildSync({
  entryPoints: [join(__dirname, 'a-million-players.ts')],
  outfile: program,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Megabytes of the heap of the engine: room for a few requests of a megabyte, not for a hundred. */
const HEAP = 48;

/** Plays so many players in a process whose heap is bounded; undefined where it ends without an answer. */
function play(kind: string, players: number, cut: number) {
  const words = ['--expose-gc', `--max-old-space-size=${HEAP}`, program, kind, String(players), String(cut)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout) as { counted: number; each: number; peak: number };
  // Nothing else may have gone wrong.
  expect(stderr).toMatch(/heap out of memory|heap limit/);
  return undefined;
}

const MILLION = 1_000_000;
const CUT = 500;

test.each([
  ['once', 43],
  ['sequential', 43],
  ['rounds', 43],
  // A mark for the player and one for the report.
  ['replays', 86],
])('a million players, 500 of them with ids cut from a request of a megabyte, fit a small heap: %s', (kind, bytes) => {
  const played = play(kind, MILLION, CUT);
  expect(played?.counted).toBe(MILLION + MILLION / 1000);
  // Besides the marks, some 100 kB for the tables themselves.
  expect(played?.each).toBeGreaterThan(16);
  expect(played?.each).toBeLessThan(bytes + 1);
  // What the process of a server takes anyway, garbage of requests included, is 150 MB at most.
  expect(played?.peak).toBeLessThan(150e6 + MILLION * bytes);
});

test('ids kept as they come do not: neither a million, nor a few hundred that were cut from requests', () => {
  expect(play('ids', MILLION, 0)).toBeUndefined();
  expect(play('ids', CUT, CUT)).toBeUndefined();
  expect(play('ids', 1000, 0)?.counted).toBe(1001);
});
