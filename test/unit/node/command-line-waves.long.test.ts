import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { records } from '../../protocols/hinge-cases.ts';
import { ldpkit as ldpkitIn } from './command-line.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ldpkit-waves-'));
  const rows = records(6000, 2, 'rows').map(({ features: { 0: a, 1: b } }) => `${a},${b},${a > 0.3 * b ? 1 : 0}`);
  writeFileSync(join(folder, 'rows.csv'), ['a,b,y', ...rows].join('\n'));
  const number = (column: string) => ({ column, minimum: -1, maximum: 1 });
  const label = { column: 'y', positive: '1', negative: '0' };
  const schema = { title: 'Rows', label, features: [number('a'), number('b')], normalize: 'ball' };
  writeFileSync(join(folder, 'rows.json'), JSON.stringify(schema));
});
afterAll(() => rmSync(folder, { recursive: true }));
const ldpkit = (words: string) => ldpkitIn(folder, words.split(' '));
const OWN = '--data rows.csv --schema rows.json';

describe('ldpkit, of gradient-waves', () => {
  test.each(['simulation', 'deployment'])('certifies one report for any number of waves, %s', async (grade) => {
    const { status, stdout } = await ldpkit(`certify gradient-waves --waves 50 --grade ${grade} --variant logistic`);
    expect(status).toBe(0);
    expect(stdout).toContain('Claimed: pure, ε = 1');
    expect(stdout).toMatch(/^1 +the gradient of the loss at one public point/m);
  });

  test('audits the transcript: consistent with ε, and close to it', async () => {
    const words = 'audit gradient-waves --waves 3 --radius 2 --dimension 2 --players 3000 --trials 40000 --json';
    const { status, stdout } = await ldpkit(words);
    expect(status).toBe(0);
    const [{ lowerBound }] = JSON.parse(stdout).rounds;
    expect(lowerBound).toBeLessThanOrEqual(1);
    expect(lowerBound).toBeGreaterThan(0.8);
  });

  test('forecasts every loss, and less error from more players', async () => {
    const rows = async (players: string): Promise<readonly { readonly variant: string; readonly error: number }[]> =>
      JSON.parse((await ldpkit(`forecast gradient-waves --waves 20 --dimension 3 --players ${players} --json`)).stdout)
        .rows;
    const [few, many] = [await rows('3e4'), await rows('3e6')];
    expect(few.map(({ variant }) => variant)).toEqual(['hinge', 'logistic', 'absolute', 'median']);
    for (const [i, { error }] of few.entries()) expect(error).toBeGreaterThan(3 * many[i].error);
  });

  test.each(['hinge', 'logistic', 'absolute', 'median'])('runs on records of a file, %s', async (variant) => {
    const words = `run gradient-waves --variant ${variant} ${OWN} --epsilon 8 --radius 2 --waves 8 --repetitions 2 --out ${variant}`;
    const { status, stdout } = await ldpkit(words);
    expect(status).toBe(0);
    expect(stdout).toContain('6,000 players, each with one record, answer in rounds');
    const { runs, baselines, notes, guarantee } = JSON.parse(
      readFileSync(join(folder, variant, 'result.json'), 'utf8'),
    );
    expect(notes).toContain('8 waves of fresh players; ‖w‖ ≤ 2.');
    expect(guarantee).toEqual({ kind: 'pure', epsilon: 8 });
    for (const { metrics } of runs) {
      // Nothing is below the least risk, and 750 players a wave at ε = 8 do better than nobody.
      expect(metrics.excessRisk).toBeGreaterThan(-1e-4);
      if (variant !== 'median') expect(metrics.excessRisk).toBeLessThan(baselines.zero.excessRisk / 3);
    }
    expect(readFileSync(join(folder, variant, 'report.html'), 'utf8')).toContain('gradient-waves');
  });

  test('refuses several losses in a run, and options of other protocols', async () => {
    const several = await ldpkit(`run gradient-waves --variant hinge,median ${OWN}`);
    expect(several.status).not.toBe(0);
    expect(several.stderr).toContain('"variant" expected one loss for each run, got "hinge,median"');
    const other = await ldpkit('certify noisy-newton --waves 3');
    expect(other.stderr).toContain('"waves" expected none: noisy-newton has no waves, got "3"');
  });
});
