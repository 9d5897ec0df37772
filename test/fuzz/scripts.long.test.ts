import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const run = (script: string, ...options: readonly string[]): string =>
  execFileSync(process.execPath, [join(__dirname, script), ...options], { encoding: 'utf8' });

test('the long run of mutated reports works, and finds nothing in a short one', () => {
  const printed = run('long.mjs', '--reports', '11000', '--protocol', 'hinge');
  expect(printed).toMatch(/hinge lifted, deployment, uint32 +1000 tried, \d+ accepted/);
  expect(printed).toContain('11000 mutated reports');
  expect(printed).not.toContain('FOUND');
});

test('the guided run keeps what reaches something new, and finds nothing in a short one', () => {
  const printed = run('guided.mjs', '--seconds', '0.2', '--protocol', 'hinge', '--from', 'honest');
  const corpora = Array.from(printed.matchAll(/corpus (\d+) /g), ([, size]) => Number(size));
  expect(corpora.length).toBe(11);
  expect(Math.min(...corpora)).toBeGreaterThan(1);
  expect(printed).not.toContain('FOUND');
});
