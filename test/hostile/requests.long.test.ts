import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = resolve(__dirname, '../..');
if (!existsSync(resolve(ROOT, 'dist/protocols'))) throw new Error('there is no dist: "npm run build" makes it');

/** Megabytes of a child: its heap, and all it ever held. A fine request takes about 100 of them, most of it the program. */
const HEAP = 300;
const MEMORY = 600;

/** Seconds of a processor for one request: six times what the dearest takes, a list of a million budgets. Not of a clock. */
const SECONDS = 15;

function play(words: readonly string[]) {
  const script = resolve(__dirname, 'requests.mjs');
  const options = [`--max-old-space-size=${HEAP}`, script, ...words];
  return spawnSync(process.execPath, options, { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 900_000 });
}

const [PLAYED, BUILT] = play([])
  .stdout.trim()
  .split('\n')
  .map((line) => line.split(' '));

test('every protocol is played', () => {
  expect([...PLAYED].sort()).toEqual([...BUILT].sort());
});

describe.each(PLAYED)('hostile requests of %s', (protocol) => {
  const { status, stdout, stderr } = play([protocol]);
  const lines = stdout.trimEnd().split('\n');
  const played = lines.map((line) => {
    const found = /^\d+ (\[.*\]) (\d+) (\d+) (".*")$/.exec(line);
    if (found === null) throw new Error(`the last request was ${line}, and then: ${stderr.slice(0, 500)}`);
    const [variant, change]: readonly [string, string] = JSON.parse(found[1]);
    const outcome: string = JSON.parse(found[4]);
    return {
      name: `${variant}: ${change}`,
      change,
      seconds: Number(found[2]) / 1000,
      memory: Number(found[3]),
      outcome,
    };
  });

  test('are all answered, and the fine ones are not refused', () => {
    expect(status).toBe(0);
    const fine = played.filter(({ change }) => change === 'fine');
    expect(fine.length).toBeGreaterThan(0);
    expect(fine.filter(({ outcome }) => outcome !== 'made')).toEqual([]);
    // Far more are refused than made, or hostility does not reach the variants.
    expect(played.filter(({ outcome }) => outcome === 'refused').length).toBeGreaterThan(played.length / 3);
  });

  test('are made or refused by name, and break nothing', () => {
    expect(played.filter(({ outcome }) => outcome !== 'made' && outcome !== 'refused')).toEqual([]);
  });

  test('cost little memory and time', () => {
    expect(played.filter(({ seconds, memory }) => seconds > SECONDS || memory > MEMORY)).toEqual([]);
  });
});
