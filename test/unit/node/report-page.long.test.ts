import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RunDocument } from '../../../src/node/kinds/records/summary.ts';
import { ldpkit, PEOPLE_SCHEMA, peopleCsv } from './command-line.ts';
import { withoutMath, withoutScript } from './page-text.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('people.csv', peopleCsv(3000)));
write('people.json', JSON.stringify(PEOPLE_SCHEMA));

// Many ε close together, some far apart, and a variant whose points lie far from the others.
const EPSILONS = '0.1,1,1.05,1.1,1.15,1.2,8';
let page = '';
let single = '';
let document: RunDocument;

beforeAll(async () => {
  const people = ['run', 'hinge', '--data', 'people.csv', '--schema', 'people.json'];
  const endings = await Promise.all([
    ldpkit(folder, [
      ...people,
      '--epsilon',
      EPSILONS,
      '--variant',
      'lifted,printed',
      '--repetitions',
      '2',
      '--out',
      'many',
    ]),
    ldpkit(folder, [...people, '--out', 'one']),
  ]);
  expect(endings.map(({ status }) => status)).toEqual([0, 0]);
  page = readFileSync(join(folder, 'many/report.html'), 'utf8');
  single = readFileSync(join(folder, 'one/report.html'), 'utf8');
  document = JSON.parse(readFileSync(join(folder, 'many/result.json'), 'utf8'));
});

/** Every element is closed, in order; returns what is wrong. */
function brokenTags(html: string): string[] {
  const open: string[] = [];
  const broken: string[] = [];
  const body = html.replace(/^<!doctype html>/, '').replace(/<style[^>]*>[^<]*<\/style>/g, '');
  for (const [tag, closing, name, attributes] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)((?: [^<>]*)?)>/gi)) {
    if (!/^(?: [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*$/.test(attributes)) broken.push(tag);
    if (closing === '/') {
      if (open.pop() !== name) broken.push(tag);
    } else if (!/^(?:meta|br)$/.test(name)) {
      open.push(name);
    }
  }
  // What is left without its tags and entities has no mark-up characters.
  const rest = body.replace(/<\/?[a-z][^<>]*>/gi, '').replace(/&(?:amp|lt|gt|quot|#39);/g, '');
  return [...broken, ...open, ...(rest.match(/[<>&]/g) ?? [])];
}

const chartsOf = (html: string): string[] => html.match(/<svg viewBox="[^"]*" role="img".*?<\/svg>/gs) ?? [];

/** Numbers of one attribute of all elements of a class, in order of appearance. */
function numbers(svg: string, pattern: RegExp): number[] {
  return Array.from(svg.matchAll(pattern), ([, value]) => Number(value));
}

describe('the report page', () => {
  test('is well-formed, and the check of that catches what is not', () => {
    expect(brokenTags(withoutScript(page))).toEqual([]);
    expect(brokenTags(withoutScript(single))).toEqual([]);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en"><head><meta charset="utf-8">/);
    for (const wrong of ['<p><b></p></b>', '<p>', '<p class="a"b">', '<p>a < b</p>', '<p>a & b</p>']) {
      expect(brokenTags(wrong)).not.toEqual([]);
    }
  });

  test('loads nothing, and runs nothing but the one script that its policy names', () => {
    expect(withoutScript(page)).not.toMatch(
      /https?:|\/\/[a-z]|<script|<link|<img|<iframe|<object|@import|url\(|\b(?:src|href|on\w+)=/i,
    );
    const [, script] = /<script>(.*)<\/script>/s.exec(page) ?? [];
    expect(script).toMatch(/\.svg/);
    expect(script).not.toMatch(/https?:|fetch|XMLHttp|WebSocket|import|eval|Function\(|innerHTML|document\.write/);
    expect(() => withoutScript(page.replace('save as SVG', 'save'))).toThrow('policy');
  });

  test('opens with a verdict, and its first tile is what went furthest towards the optimum', () => {
    const text = withoutMath(page).replace(/<[^>]*>/g, '\n');
    const order = ['learnt', 'without privacy', 'the cost', 'the promise', 'What was done', 'Results'];
    const places = order.map((words) => text.indexOf(`\n${words}\n`));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(text).toContain('changes the odds between any two data of a player by a factor of at most e^ε = 2.72.');
    const { metrics, baselines } = document;
    const { nonPrivate, constant } = baselines;
    const mean = (key: 'risk' | 'accuracy'): number => {
      const runs = document.runs.filter(({ variant, epsilon }) => variant === 'lifted' && epsilon === 1);
      return runs.reduce((sum, run) => sum + run.metrics[key], 0) / runs.length;
    };
    const share = (key: 'risk' | 'accuracy'): number => (mean(key) - constant[key]) / (nonPrivate[key] - constant[key]);
    expect(metrics.auc).not.toBeNull();
    const tiles = Array.from(page.matchAll(/<dt>([^<,]*)[^/]*<\/dt><dd class="figure">/g), ([, name]) => name);
    const places2 = ['accuracy', 'hinge risk'].map((name) => tiles.findIndex((tile) => tile.startsWith(name)));
    expect(places2[0] < places2[1]).toBe(share('accuracy') > share('risk'));
  });

  test('says where the server uses that all records have norm 1, and of which reports', () => {
    const told = new Set(document.runs.map(({ variant, estimate }) => `${variant} ${estimate.pooled}`));
    expect([...told].sort()).toEqual(['lifted true', 'printed undefined']);
    expect(page).toContain(
      'By the schema all records have norm 1, and the server uses it: what reports of lifted say of one power it pools',
    );
  });

  test('gives the numbers of every picture, a row for each point', () => {
    const csv = Array.from(page.matchAll(/data-name="([a-z0-9-]+)" data-csv="([^"]*)"/g), ([, name, text]) => ({
      name,
      lines: text.replaceAll('&quot;', '"').split('␊').slice(0, -1),
    }));
    expect(csv.map(({ name }) => name)).toEqual([
      'hinge-risk-against-epsilon',
      'auc-against-epsilon',
      'players-needed-for-the-same-variance',
    ]);
    const [{ lines }] = csv;
    expect(lines[0]).toBe('series,ε of one player (logarithmic),hinge risk,standard deviation');
    const [first] = document.runs.filter(({ variant, epsilon }) => variant === 'printed' && epsilon === 8);
    const cells = lines
      .find((line) => line.startsWith('printed,8,'))!
      .split(',')
      .map(Number);
    const [a, b] = document.runs
      .filter(({ variant, epsilon }) => variant === 'printed' && epsilon === 8)
      .map(({ metrics }) => metrics.risk);
    expect(first.metrics.risk).toBe(a);
    expect(cells[2]).toBeCloseTo((a + b) / 2, 12);
    expect(cells[3]).toBeCloseTo(Math.abs(a - b) / Math.SQRT2, 12);
  });

  test('escapes what the schema says', () => {
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; people');
    expect(page).toContain('&lt;b&gt;job&lt;/b&gt; ∈ {x&amp;&#39;y}');
    expect(page).not.toContain('alert("1")');
  });

  test('holds the table, the guarantees, the command and the seed', () => {
    const text = withoutMath(page).replace(/<[^>]*>/g, '\n');
    expect(text).toContain('\nGaussian, μ = ');
    expect(text).toContain('\npure, ε = 0.1\n');
    expect(text).toContain('replace-one: any two data of one player');
    expect(text).toContain(`ldpkit run hinge --data people.csv --schema people.json --epsilon ${EPSILONS}`);
    expect(text).toContain('seed “ldpkit”');
    expect(text).toContain(`\n${document.baselines.constant.risk.toFixed(5)}\n`);
    expect(text).toContain('held out by a seeded split');
    for (const [index, name] of document.features.entries()) {
      expect(page).toContain(
        `${name.replace(/[<>&']/g, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[sign] ?? '&#39;')}</td><td class="number">${document.estimate.w[index].toFixed(4)}`,
      );
    }
  });

  test('draws points, error bars and levels on one scale', () => {
    const [risk] = chartsOf(page);
    const [optimum, constant] = numbers(risk, /<line class="level[^>]* y1="([\d.]+)"/g);
    const { nonPrivate, constant: best } = document.baselines;
    const pixels = (constant - optimum) / (best.risk - nonPrivate.risk);
    const lifted = document.runs.filter(({ variant }) => variant === 'lifted').map(({ metrics }) => metrics.risk);
    const series = risk.slice(risk.indexOf('<path class="line s0"'), risk.indexOf('<path class="line s6"'));
    const drawn = numbers(series, /class="marker"[^>]*translate\([\d.]+ ([\d.]+)\)/g);
    const ends = Array.from(
      series.matchAll(/class="error" d="M[\d.]+ ([\d.]+)V([\d.]+)/g),
      ([, a, b]) => Number(b) - Number(a),
    );
    expect([drawn.length, ends.length]).toEqual([7, 7]);
    let largest = 0;
    for (let i = 0; i < 7; i++) {
      const [a, b] = [lifted[2 * i], lifted[2 * i + 1]];
      largest = Math.max(largest, Math.abs(drawn[i] - optimum - pixels * ((a + b) / 2 - nonPrivate.risk)));
      // Of two numbers the standard deviation is their distance over √2; the bar is two of them long.
      largest = Math.max(largest, Math.abs(ends[i] - Math.abs(pixels * (a - b)) * Math.SQRT2));
    }
    // Coordinates have two digits.
    expect(largest).toBeLessThan(0.05);
    expect(Math.abs(pixels)).toBeGreaterThan(100);
  });

  test('keeps the texts of an axis apart, and everything in the frame', () => {
    for (const svg of [...chartsOf(page), ...chartsOf(single)]) {
      const [width, height] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).slice(1).map(Number);
      const across = numbers(svg, /class="tick middle" x="([\d.]+)"/g);
      const down = numbers(svg, /class="tick end" x="[\d.]+" y="([\d.]+)"/g).sort((a, b) => a - b);
      const gaps = (places: readonly number[]): number[] => places.slice(1).map((place, i) => place - places[i]);
      expect(across.length).toBeGreaterThan(0);
      expect(Math.min(Infinity, ...gaps(across))).toBeGreaterThan(28);
      expect(Math.min(Infinity, ...gaps(down))).toBeGreaterThan(14);
      const places = (axis: string) => numbers(svg, new RegExp(` ${axis}[12]?="(-?[\\d.]+)"`, 'g'));
      expect(Math.min(...places('x'), ...places('y'))).toBeGreaterThanOrEqual(0);
      expect(Math.max(...places('x'))).toBeLessThanOrEqual(width);
      expect(Math.max(...places('y'))).toBeLessThanOrEqual(height);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
    expect(chartsOf(page)).toHaveLength(3);
  });

  test('shows the players each variant needs, on a logarithmic axis', () => {
    const bars = chartsOf(page)[2];
    const widths = numbers(bars, /<rect class="bar"[^>]* width="([\d.]+)"/g);
    const { playersForSameVariance: needed } = document;
    expect(needed.map(({ variant }) => variant)).toEqual([
      'lifted',
      'gaussian',
      'direct',
      'sampled',
      'copies',
      'printed',
    ]);
    expect(needed[0].players).toBe(document.players);
    const perDecade = widths.map((width, i) => width / Math.log10(needed[i].players));
    expect(Math.max(...perDecade) - Math.min(...perDecade)).toBeLessThan(0.05);
  });
});
