import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../src/core/request.ts';
import { budgets } from '../../../evidence/online-sgd/reproductions/budgets.ts';
import { commandHost } from '../../node/command-host.ts';
import { ROOT } from '../../node/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-reproduce-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ldpkit = commandHost();

describe('npm run reproduce', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['a name that is none', ['nothing'], /"name" expected one of budgets, .*coverage-table, .*, got "nothing"/],
    ['another scale', ['budgets', '--scale', 'huge'], /"scale" expected .*quick.*full.*, got "huge"/],
    ['no threads', ['budgets', '--threads', '0'], /"threads" expected .*, got 0/],
    [
      'threads of workers',
      ['budgets', '--workers', 'nats://a', '--threads', '2'],
      /"threads" expected none: workers have their own, got "2"/,
    ],
    ['no address of workers', ['budgets', '--workers', 'a'], /"workers" expected addresses/],
    ['a folder that is a file', ['budgets', '--out', join(ROOT, 'package.json')], /"out" expected a folder/],
    ['an empty seed', ['budgets', '--seed', ''], /"seed" expected a text that is not empty, got ""/],
    ['a scale for a table', ['table-1', '--scale', 'full'], /"scale" expected none: table-1 is computed at once/],
  ])('refuses %s', async (_, words, message) => {
    const { status, stdout, stderr } = await ldpkit(folder, ['reproduce', ...words]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});

describe('worker threads', () => {
  const [cell] = budgets.cells('quick');
  const setting = { ...cell.setting, players: 400, checkpoints: [100, 400], size: 2 };
  const tasks = [0, 1, 2, 3].map((chunk) => ({
    protocol: 'online-sgd',
    experiment: 'budgets',
    setting,
    chunk,
    seed: 's',
  }));
  const compute = (threads: number, asked: readonly object[]): string[] => {
    const script = join(ROOT, 'test/unit/evidence/engine/compute.mjs');
    const { stdout, stderr } = spawnSync(process.execPath, [script, String(threads)], {
      input: JSON.stringify(asked),
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };

  test('compute the same bits as this one, however many there are', () => {
    const here = tasks.map(({ chunk, seed }) => canonicalJson(budgets.chunk(setting, chunk, seed)));
    expect(compute(1, tasks)).toEqual(here);
    expect(compute(2, tasks)).toEqual(here);
  });

  test('pass on what a chunk refuses, and go on with the others', () => {
    const broken = { ...tasks[0], setting: { ...setting, players: 0 } };
    const [refused, whole] = compute(1, [broken, tasks[1]]);
    expect(refused).toMatch(/"players" expected/);
    expect(whole).toMatch(/^\{/);
  });
});
