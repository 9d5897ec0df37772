import { tmpdir } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { ldpkit as ldpkitIn } from './command-line.ts';

const ldpkit = (...words: readonly string[]) => ldpkitIn(tmpdir(), words);
const small = '--dimension 2 --trials 40000';

describe('ldpkit audit', () => {
  test('finds most of the privacy loss of a pure report, and prints what was claimed, proved and done', async () => {
    const { status, stdout, stderr } = await ldpkit(...`audit hinge --epsilon 2 ${small} --json`.split(' '));
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'attacking hinge (lifted)\n' });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      protocol: 'hinge',
      variant: 'lifted',
      grade: 'simulation',
      claimed: { kind: 'pure', epsilon: 2 },
      confidence: 0.99,
      trials: 40_000,
      verdict: 'consistent',
      method: 'likelihood ratio',
    });
    // The bound is below the truth with probability .99, whatever it is; this seed is fixed, and so is what it finds.
    expect(result.lowerBound).toBeGreaterThan(1.7);
    expect(result.lowerBound).toBeLessThanOrEqual(2);
    expect(result.pair).toMatch(/^antipodal/);
  });

  test('ends with 3 when a claim is refuted: algorithm 1 as printed promises too much at a large δ', async () => {
    const command = 'audit hinge --variant printed --epsilon 6 --delta 0.45 --dimension 2 --trials 100000';
    const { status, stdout } = await ldpkit(...command.split(' '));
    expect(status).toBe(3);
    expect(stdout).toMatch(/^Claimed: approximate, ε = 6, δ = 0\.45; lower bound 6\.\d+: REFUTED$/m);
    // What Gaussian composition says of the same noise is true.
    expect(stdout).toMatch(/^Claimed: Gaussian, μ = 4\.19745; lower bound 4\.\d+: not refuted$/m);
    expect(stdout).toMatch(/^Verdict: VIOLATION/m);
  });

  test('gives the same result for every number of threads, and another for another seed', async () => {
    const command = `audit euclidean-median ${small} --grade deployment --json`;
    const [one, two, other] = await Promise.all(
      ['--threads 1', '--threads 2', '--seed other'].map((word) => ldpkit(...`${command} ${word}`.split(' '))),
    );
    expect(one.status).toBe(0);
    expect(two.stdout).toBe(one.stdout);
    expect(JSON.parse(one.stdout).lastBits).toBe(true);
    expect(JSON.parse(other.stdout).lowerBound).not.toBe(JSON.parse(one.stdout).lowerBound);
  });

  test.each([
    ['hinge --trials 10', '"trials" expected a whole number >= 2000, got 10'],
    ['hinge --trials many', '"trials" expected a number, got "many"'],
    ['hinge --confidence 1', '"confidence" expected a number strictly between 0 and 1, got 1'],
    ['hinge --epsilon 0', '"epsilon" expected a finite number > 0, got 0'],
    [
      'hinge --variant best',
      '"variant" expected one of lifted, gaussian, direct, sampled, copies, printed, got "best"',
    ],
    [
      'hinge --variant copies --grade deployment',
      '"grade" expected simulation (variant copies has no deployment form)',
    ],
    ['hinge --threads 0', '"threads" expected a whole number from 1 to 256, got 0'],
  ])('refuses %s', async (words, message) => {
    const { status, stdout, stderr } = await ldpkit('audit', ...words.split(' '));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
