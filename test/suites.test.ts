import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { jestArguments } from './suites.mjs';

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
const matching = (pattern: string | undefined) => files.filter((file) => new RegExp(pattern ?? '').test(file));

describe('the two suites', () => {
  test('have every test file, each in one of them, and the long ones by their names', () => {
    const [first, long] = [[], ['--long']].map((words) => matching(jestArguments(words).at(-1)));
    expect([...first, ...long].sort()).toEqual([...files].sort());
    expect(long).toEqual(files.filter((file) => file.endsWith('.long.test.ts')));
    expect(Math.min(first.length, long.length)).toBeGreaterThan(5);
  });

  test('give way to paths that are named', () => {
    const words = ['--verbose=false', 'test/a.long.test.ts'];
    expect(jestArguments(words)).toEqual(['--maxWorkers=100%', ...words]);
  });

  test.each(['--maxWorkers=1', '-w=1', '--runInBand', '-i'])('run in every core unless there is %s', (word) => {
    expect(jestArguments([word]).filter((one) => /^(?:--maxWorkers|--runInBand|-[wi])/.test(one))).toEqual([word]);
    expect(jestArguments(['--verbose'])[0]).toBe('--maxWorkers=100%');
  });
});
