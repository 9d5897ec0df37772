import { createContext, runInContext } from 'node:vm';
import { expect, test } from '@jest/globals';

// A million look-ups of the global `Math`, and as many calls without one.
const LOOK_UPS = 'let s = 0; for (let i = 0; i < 1e6; i++) s = (s + Math.imul(i, 3)) | 0; return s;';
const CALLS = 'const { imul } = Math; let s = 0; for (let i = 0; i < 1e6; i++) s = (s + imul(i, 3)) | 0; return s;';

/**
 * Processor time of the fastest of nine runs in microseconds: what others take of the machine does not count. How it divides into that of the
 * program and of the system is guessed by ticks, which are longer than a run: only their sum is measured.
 */
function fastest(run: () => number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 9; i++) {
    const before = process.cpuUsage();
    expect(run()).not.toBe(1);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, user + system);
  }
  return Math.max(best, 1);
}

/** How many times slower look-ups make a loop; `make` compiles a function where it is to run. */
function slowdown(make: (body: string) => () => number): number {
  return fastest(make(LOOK_UPS)) / fastest(make(CALLS));
}

test('number loops run at full speed in the test environment', () => {
  expect(slowdown((body) => new Function(body) as () => number)).toBeLessThan(8);
});

test('they would not in an ordinary contextified global (control)', () => {
  const context = createContext({});
  expect(slowdown((body) => runInContext(`(() => { ${body} })`, context))).toBeGreaterThan(16);
});
