import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import LongestFirst from './environment/longest-first.cjs';
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

describe('the order of the files on a machine that has not seen them', () => {
  const ordered = (files: readonly string[]): string[] => {
    const context = { config: { cache: false }, hasteFS: { getSize: (path: string) => path.length } };
    const sequencer = new LongestFirst({});
    const sorted: readonly { readonly path: string }[] = sequencer.sort(files.map((path) => ({ path, context })));
    return sorted.map(({ path }) => path);
  };

  test('begins with those that are known to take long, all of which there are', () => {
    const known = Object.keys(LongestFirst.SECONDS).map((file) => join('/checkout', file));
    const others = ['/checkout/test/a.test.ts', '/checkout/test/longer.test.ts'];
    expect(ordered([...others, ...known.toReversed()])).toEqual([...known, ...others.toReversed()]);
    const there = files.map((file) => join('test', file));
    expect(Object.keys(LongestFirst.SECONDS).filter((file) => !there.includes(file))).toEqual([]);
  });
});
