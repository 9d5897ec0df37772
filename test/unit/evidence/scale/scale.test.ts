import { tmpdir } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { figuresOf, tableOf } from '../../../evidence/scale/measure.ts';
import { WAYS } from '../../../evidence/scale/work.ts';
import type { ScalePoint } from '../../../evidence/scale/worker.ts';
import { commandHost } from '../../node/command-host.ts';

const ldpkit = commandHost();

const POINTS: readonly ScalePoint[] = [
  { way: 'reports', players: 1e6, threads: 1, seconds: 4, processorSeconds: 2, memory: 105e6 },
  { way: 'sums', players: 1e9, threads: 1, seconds: 50, processorSeconds: 40, memory: 106e6 },
  { way: 'reports', players: 1e6, threads: 2, seconds: 2.5, processorSeconds: 2.2, memory: 140e6 },
];

describe('npm run reproduce -- scale', () => {
  test('compares two threads with one by the clock on the wall, and counts nanoseconds of processors', () => {
    expect(tableOf(POINTS).rows).toEqual([
      ['reports, made and tallied', '1000000', '1', '4.00', '2.00', '2000', '105', ''],
      ['law of sums', '1000000000', '1', '50.00', '40.00', '40', '106', ''],
      ['reports, made and tallied', '1000000', '2', '2.50', '2.20', '2200', '140', '1.60'],
    ]);
  });

  test('draws what one thread took: its time, and its memory', () => {
    const [time, memory] = figuresOf(POINTS);
    expect(time.curves.map(({ points }) => points)).toEqual([[{ x: 1e6, y: 2 }], [{ x: 1e9, y: 40 }]]);
    expect(memory.curves.map(({ points }) => points)).toEqual([[{ x: 1e6, y: 105 }], [{ x: 1e9, y: 106 }]]);
  });

  test('plays every player once, in parts or at once', () => {
    const play = WAYS.reports(3000);
    expect([play(0, 1000), play(1000, 3000)]).toEqual([1000, 2000]);
    expect(WAYS.sums(1000)(0, 1000)).toBe(1000);
  });

  test.each(['--threads', '--seed'])('refuses %s', async (option) => {
    const { status, stderr } = await ldpkit(tmpdir(), ['reproduce', 'scale', option, '2']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('times and memory are measured') });
  });
});
