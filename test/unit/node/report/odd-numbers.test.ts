import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { distanceText } from '../../../../src/node/kinds/points/plane.ts';
import { type SurveyDocument, surveyResult } from '../../../../src/node/kinds/surveys-run.ts';
import { type UserRunDocument, userResult } from '../../../../src/node/kinds/users/result.ts';
import { lineChart, profileChart } from '../../../../src/node/report/charts.ts';
import { ldpkit } from '../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-odd-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The texts beside the upright axis of a chart of some values. */
function ticksOf(values: readonly number[], logarithmic: boolean): readonly string[] {
  const points = values.map((mean, i) => ({ x: 1 + i, mean, tip: '' }));
  const limits = [-Infinity, Infinity] as const;
  const series = [{ name: 'a', style: 0, points }];
  const drawn = lineChart({ label: 'a', yLabel: 'y', limits, series, logarithmic }).parts.join('');
  return [...drawn.matchAll(/class="tick end"[^>]*>([^<]*)</g)].map(([, text]) => text);
}

describe('an axis', () => {
  test('of powers has room for all its ticks, however many powers it has', () => {
    expect(ticksOf([5e-20, 1e8], true)).toEqual([
      '10⁻¹⁸',
      '10⁻¹⁵',
      '10⁻¹²',
      '10⁻⁹',
      '10⁻⁶',
      '0.001',
      '1',
      '1000',
      '10⁶',
    ]);
    expect(ticksOf([0.5, 4e7], true)).toEqual(['1', '10', '100', '1000', '10000', '10⁵', '10⁶', '10⁷']);
    expect(ticksOf([2, 30], true)).toEqual(['2', '5', '10', '20']);
  });

  test('of large numbers shows them by powers of ten, as its margin is narrow', () => {
    expect(ticksOf([-2e68, 2e68], false)).toEqual(['−3×10⁶⁸', '−2×10⁶⁸', '−10⁶⁸', '0', '10⁶⁸', '2×10⁶⁸', '3×10⁶⁸']);
    expect(ticksOf([0, 400_000], false)).toContain('200,000');
  });
});

test('bars of values that are all negative hang from a line at 0 within the picture', () => {
  const place = (value: number) => ({ name: String(value), value, estimate: value, error: 1, tip: '' });
  const drawn = (values: readonly number[]): readonly number[] => {
    const chart = { label: 'a', name: 'a', xLabel: 'x', yLabel: 'y', style: 0, places: values.map(place) };
    const parts = profileChart(chart).parts.join('');
    const [, line] = /<line class="axis" x1="[^"]*" x2="[^"]*" y1="([^"]*)"/.exec(parts) ?? [];
    const bars = [...parts.matchAll(/<rect class="truth"[^>]* y="([^"]*)"/g)].map(([, top]) => Number(top));
    return [Number(line), ...bars];
  };
  expect(drawn([-20, -10])).toEqual([12, 12, 12]);
  // The control: of positive values the line is at the bottom of the picture, and the highest bar the longer one.
  const [line, low, high] = drawn([10, 20]);
  expect([line, low > high && high >= 12]).toEqual([280, true]);
});

test('a distance has the unit that the schema names, and none where it names none', () => {
  const names = ['x', 'y'];
  expect([0.0747, 0].map((value) => distanceText(value, { names, unit: 'm' }))).toEqual(['0.0747 m', '0 m']);
  expect(distanceText(0.0747, { names, unit: 'x, y' })).toBe('0.0747');
  expect(distanceText(112.4, { names, unit: 'km' })).toBe('112 km');
});

test.each([
  [190.2, 187.2, 'mean of age: 190 (0 to 120)', 'An error of 190'],
  [-12.3, 2.5e-17, 'mean of age: −12 (0 to 120)', 'An error of 2.5 × 10⁻¹⁷'],
  [-3.24e9, 3.24e9, 'mean of age: −3.24 × 10⁹ (0 to 120)', 'An error of 3.2 × 10⁹'],
])('an estimate of %d and an error of %d are told in the notation of the pages', (value, error, found, cost) => {
  const quantities = [{ group: 'age', name: 'mean of age', value, lower: 0, upper: 120 }];
  const metrics = { error, guess: 57, guessed: true, widest: 120, held: 1 };
  const run = { variant: 'oneBit', epsilon: 1, repetition: 0, quantities, metrics };
  const shared = { ...run, seconds: 1, guarantee: { kind: 'pure', epsilon: 1 } };
  const more = { summary: 'x', players: 1, confidence: 0.95, truth: [3], estimate: { quantities }, certificates: [] };
  const { verdict } = surveyResult({ ...shared, ...more, runs: [shared] } as unknown as SurveyDocument);
  expect(verdict.learnt).toContain(found);
  expect(verdict.cost).toContain(cost);
});

test('a mean below zero has a minus sign, and a name keeps its hyphen', () => {
  const uncertainty = { level: 0.95, risk: null, effect: [0, 1], what: 'it is', enough: false, playersNeeded: null };
  const run = {
    ...{ variant: 'vector', epsilon: 1, seconds: 1, reportsPerSecond: 1, uncertainty },
    estimate: { mean: [-0.5, -0.25], standardError: [0.1, 0.1] },
    metrics: { error: 0.1, bias: 0, deviation: null, claimedError: 0.1 },
    guarantee: { kind: 'pure', epsilon: 1 },
  };
  const asked = { question: 'mean', player: 'named by the file', sample: 'row', unit: 'm', baselines: {} };
  const names = ['half-day', 'b'];
  const truth = { mean: [-0.25, 0], recordMean: [-0.125, 0] };
  const more = { ...asked, names, truth, summary: 'x', players: 2, certificates: [], repetitions: 1, runs: [run] };
  const textOf = (dimension: number): string => {
    const { about, tiles, parts } = userResult({ ...run, ...more, dimension } as unknown as UserRunDocument);
    const pictures = parts.flatMap(({ pictures = [] }) => pictures);
    const tips = pictures.flatMap(({ parts }) => parts.join('').match(/<title>[^<]*/g));
    return JSON.stringify([about, tiles, tips, pictures.flatMap(({ legend }) => legend.map(({ name }) => name))]);
  };
  expect(textOf(2)).toContain('half-day: −0.2500; vector −0.5000 ± 0.1000');
  expect(textOf(1)).toContain('the mean over them is −0.25 m');
  expect(textOf(1) + textOf(2)).not.toMatch(/-\d/);
});

test('a model that ranks no better than guessing has learnt nothing, whatever its risk', async () => {
  // Of one feature, brought to length 1, nothing is left but a constant: every model guesses.
  const rows = Array.from({ length: 400 }, (_, i) => `${(i % 9) + 1},${'ab'[i % 2]}`);
  writeFileSync(join(folder, 'one.csv'), `x,y\n${rows.join('\n')}\n`);
  const label = { column: 'y', positive: 'a', negative: 'b' };
  const features = [{ column: 'x', minimum: -10, maximum: 10 }];
  writeFileSync(join(folder, 'one.json'), JSON.stringify({ label, features, normalize: 'unit' }));
  const words = 'run hinge --data one.csv --schema one.json --epsilon 8 --variant lifted --degree 1 --threads 1';
  const { status, stdout } = await ldpkit(folder, words.split(' '));
  expect(status).toBe(0);
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /^learnt Hardly anything was learnt .* 50\.0 % of cases; guessing does in 50 %/,
  );
});
