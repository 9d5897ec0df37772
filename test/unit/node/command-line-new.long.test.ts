import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PlainRunDocument } from '../../../src/node/kinds/plain-run.ts';
import { commandHost } from './command-host.ts';
import { ROOT } from './command-line.ts';

// Below the root, where Node finds the package by its own name.
let place: string;
let folder: string;

const ldpkit = commandHost();
beforeAll(async () => {
  mkdirSync(join(ROOT, 'out'), { recursive: true });
  place = mkdtempSync(join(ROOT, 'out', 'new-'));
  expect(await ldpkit(place, ['new', 'blood-types'])).toMatchObject({ status: 0, stderr: '' });
  folder = join(place, 'blood-types');
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (words: string) => ldpkit(folder, words.split(' '));

describe('ldpkit new', () => {
  test('writes a protocol, its broken twin, tests and a README', () => {
    expect(readdirSync(folder).sort()).toEqual(['README.md', 'blood-types.mjs', 'blood-types.test.mjs', 'broken.mjs']);
  });

  test.each(['class', 'coin', 'define-protocol'])(
    'also by a name that the language or a file has: %s',
    async (name) => {
      expect((await ldpkit(place, ['new', name])).status).toBe(0);
      const { status, stdout } = await ldpkit(join(place, name), ['certify', `./${name}.mjs`]);
      expect([status, stdout.split('\n')[0]]).toEqual([
        0,
        `Certificate of ${name} (defined): one player's whole transcript`,
      ]);
    },
  );

  test('but not by that of the twin, whose file would take its place', async () => {
    const { status, stderr } = await ldpkit(place, ['new', 'broken']);
    expect([status, stderr]).toEqual([
      2,
      'ldpkit: "name" expected another one than that of the broken twin, got "broken"\n',
    ]);
  });

  test('whose audit finds nothing, and of the twin the mistake', async () => {
    const [sound, broken] = await Promise.all([
      run('audit ./blood-types.mjs --trials 200000'),
      run('audit ./broken.mjs --trials 200000'),
    ]);
    expect([sound.status, sound.stdout.includes('Verdict: consistent')]).toEqual([0, true]);
    expect([broken.status, broken.stdout.includes('Verdict: VIOLATION')]).toEqual([3, true]);
  });

  test('whose own tests pass, and fail for a protocol that is broken', () => {
    const tests = () => spawnSync(process.execPath, ['--test'], { cwd: folder, encoding: 'utf8' });
    expect(tests()).toMatchObject({ status: 0 });
    const path = join(folder, 'blood-types.mjs');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('=> twoLevels(epsilon, 1, 1, 2)', '=> twoLevels(epsilon, 1, 1)'));
    const failed = tests();
    writeFileSync(path, text);
    expect(failed.status).toBe(1);
    expect(failed.stdout).toMatch(/not ok \d+ - an audit refutes nothing/);
  });

  test('which certifies, verifies and forecasts by its own request, and by another', async () => {
    const { status, stdout } = await run('certify ./blood-types.mjs --json');
    expect(status).toBe(0);
    writeFileSync(join(folder, 'certificate.json'), stdout);
    expect((await run('verify certificate.json --protocol ./blood-types.mjs')).status).toBe(0);
    expect((await run('forecast ./blood-types.mjs')).stdout).toContain('standard error of one frequency');
    const other = await run('forecast ./blood-types.mjs --request {"epsilon":2,"categories":4}');
    expect(other.stdout).toContain('{"epsilon":2,"categories":4}');
  });

  test('and runs: the error is what is forecast, and falls at its rate', async () => {
    const { status, stdout } = await run('run ./blood-types.mjs --players 8000 --repetitions 60 --out out');
    expect(status).toBe(0);
    expect(stdout).toContain('The mean square error falls like a power of the number of players, −');
    const document: PlainRunDocument = JSON.parse(readFileSync(join(folder, 'out/result.json'), 'utf8'));
    expect(document.rows.map(({ players }) => players)).toEqual([500, 2000, 8000]);
    // A mean square of 60 runs of 12 numbers is off by 4.5 of its standard errors, about a fifth of it, for one seed in
    // a thousand at most; the forecast leaves out at most a tenth (categories that are not rare).
    for (const { squared, forecast } of document.rows) {
      expect(Math.abs(squared.mean - forecast! ** 2)).toBeLessThan(4.5 * squared.error + 0.1 * forecast! ** 2);
    }
    expect(Math.abs(document.slope!.slope + 1)).toBeLessThan(4.5 * document.slope!.error);
    // The control: the rate of a root would be refused.
    expect(Math.abs(document.slope!.slope + 0.5)).toBeGreaterThan(4.5 * document.slope!.error);
    const page = readFileSync(join(folder, 'out/report.html'), 'utf8');
    expect(page).toMatch(/<svg viewBox="[^"]*" role="img"/);
    expect(page.match(/NaN|Infinity|undefined/g)).toBeNull();
  });

  test.each([
    ['blood-types', '"name" expected a folder that is not there yet'],
    ['Blood', '"name" expected at most 40 lower-case letters'],
    ['../up', '"name" expected at most 40 lower-case letters'],
    ['a'.repeat(41), '"name" expected at most 40 lower-case letters'],
  ])('refuses the name %s', async (name, message) => {
    const { status, stderr } = await ldpkit(place, ['new', name]);
    expect([status, stderr.includes(message)]).toEqual([2, true]);
    expect(existsSync(join(place, 'Blood'))).toBe(false);
  });

  test('a trial whose numbers have no names is refused', async () => {
    const text = readFileSync(join(folder, 'blood-types.mjs'), 'utf8');
    writeFileSync(join(folder, 'unnamed.mjs'), text.replace(/names: .*/, "names: () => ['one'],"));
    const { status, stderr } = await run('run ./unnamed.mjs');
    expect([status, stderr.includes('"trial.truth" expected 1 finite numbers')]).toEqual([2, true]);
  });

  test('a module without a trial has no run', async () => {
    writeFileSync(join(folder, 'bare.mjs'), "export { default } from './blood-types.mjs';\n");
    const { status, stderr } = await run('run ./bare.mjs');
    expect([status, stderr.includes('one that can be played: a study of records')]).toEqual([2, true]);
  });
});

describe.each(['rounds', 'stream'])('ldpkit new --kind %s', (kind) => {
  const name = `own-${kind}`;
  const there = (words: string) => ldpkit(join(place, name), words.split(' '));
  beforeAll(async () => {
    expect(await ldpkit(place, ['new', name, '--kind', kind])).toMatchObject({ status: 0, stderr: '' });
  });

  test('whose audit finds nothing, and of the twin the mistake', async () => {
    const [sound, broken] = [
      await there(`audit ./${name}.mjs --trials 50000`),
      await there('audit ./broken.mjs --trials 50000'),
    ];
    expect([sound.status, sound.stdout.includes('Verdict: consistent')]).toEqual([0, true]);
    expect([broken.status, broken.stdout.includes('Verdict: VIOLATION')]).toEqual([3, true]);
  });

  test('whose own tests pass, and fail for an estimate that is off', () => {
    const tests = () => spawnSync(process.execPath, ['--test'], { cwd: join(place, name), encoding: 'utf8' });
    expect(tests()).toMatchObject({ status: 0 });
    const path = join(place, name, `${name}.mjs`);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text
        .replace('const mean = low +', 'const mean = 0.1 + low +')
        .replace(': sums.path[0] / steps', ': 0.2 + sums.path[0] / steps'),
    );
    const failed = tests();
    writeFileSync(path, text);
    expect(failed.status).toBe(1);
    expect(failed.stdout).toMatch(/not ok \d+ - devices and a collector find/);
  });

  test('which certifies, verifies, forecasts and runs', async () => {
    const { status, stdout } = await there(`certify ./${name}.mjs --json`);
    expect(status).toBe(0);
    writeFileSync(join(place, name, 'certificate.json'), stdout);
    expect((await there(`verify certificate.json --protocol ./${name}.mjs`)).status).toBe(0);
    expect((await there(`forecast ./${name}.mjs`)).stdout).toContain('standard error of the');
    const run = await there(`run ./${name}.mjs --players 320 --repetitions 4 --out none --json`);
    expect(run.status).toBe(0);
    const { rows, answers } = JSON.parse(run.stdout) as PlainRunDocument;
    expect([rows.map(({ players }) => players), answers]).toEqual([[20, 80, 320], 1]);
  });
});

test('ldpkit new refuses another kind', async () => {
  const { status, stderr } = await ldpkit(place, ['new', 'other', '--kind', 'batch']);
  expect([status, stderr.includes('"kind" expected one of one-shot, rounds, stream')]).toEqual([2, true]);
});
