import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../src/core/request.ts';
import { runExperimentCells } from '../../../evidence/engine/experiment-run.ts';
import { COLOURS, figureFaults } from '../../../evidence/engine/figure-faults.ts';
import { NOTHING_KEPT } from '../../../evidence/engine/kept-chunks.ts';
import { experimentLines } from '../../../evidence/engine/text.ts';
import type { CurveFigure, Figure } from '../../../evidence/experiment/figure.ts';
import { withoutScript } from '../../node/page-text.ts';
import { caller, unbalanced } from './call.ts';
import { TOY, toyChunk } from './experiment.ts';

const call = caller();
const svgOf = async (figure: Figure): Promise<string> => (await call(['figure', 'figureSvg', figure]))[0] as string;

const LINEAR = { label: '', logarithmic: false };
const LOGARITHMIC = { label: '', logarithmic: true };

interface Tick {
  readonly value: number;
  readonly text: string;
}

const { figures } = TOY.report([]);

const document = runExperimentCells(
  { protocol: 'toys', experiment: TOY, scale: 'quick', seed: '<s>', version: '1', command: 'npm run reproduce -- toy' },
  {
    computer: {
      threads: 1,
      compute: async ({ setting, chunk, seed }) => ({
        json: canonicalJson(toyChunk(setting, chunk, seed)),
        seconds: 0,
      }),
      close: async () => {},
    },
    kept: NOTHING_KEPT,
    progress: { begin() {}, advance() {}, end() {} },
  },
);

describe('axes', () => {
  test('have the values on them, with some air, and are never empty', async () => {
    const [linear, logarithmic, one, two] = (await call(
      ['figure-frame', 'extentOf', LINEAR, [1, 3]],
      ['figure-frame', 'extentOf', LOGARITHMIC, [0.001, 1000]],
      ['figure-frame', 'extentOf', LINEAR, [2, 2]],
      ['figure-frame', 'extentOf', LOGARITHMIC, [2, 2]],
    )) as [number, number][];
    const inside = (values: readonly number[], [low, high]: readonly [number, number]): boolean =>
      values.every((value) => low < value && value < high);
    expect([inside([1, 3], linear), inside([0.001, 1000], logarithmic)]).toEqual([true, true]);
    expect([inside([2], one), inside([2], two), logarithmic[0] > 0]).toEqual([true, true, true]);
  });

  test('that are logarithmic have ticks at 1, 2 and 5, or at powers of ten where these are many', async () => {
    const [near, far] = (await call(
      ['ticks', 'ticksOf', LOGARITHMIC, 0.9, 60],
      ['ticks', 'ticksOf', LOGARITHMIC, 1e-4, 2e3],
    )) as Tick[][];
    expect(near.map(({ value }) => value)).toEqual([1, 2, 5, 10, 20, 50]);
    expect(near.map(({ text }) => text)).toEqual(['1', '2', '5', '10', '20', '50']);
    expect(far.map(({ text }) => text)).toEqual(['10⁻⁴', '10⁻³', '10⁻²', '10⁻¹', '10⁰', '10¹', '10²', '10³']);
  });

  test('have one notation and at least three ticks or two decades, of which there are not too many', async () => {
    const ends: readonly (readonly [number, number])[] = [
      [450, 2100],
      [2.1, 4.4],
      [0.98, 1.03],
      [9e4, 1.1e5],
      [3e5, 4e6],
      [1e-40, 1],
      [0.0012, 0.6],
    ];
    const axes = (await call(
      ...ends.map(([low, high]) => ['ticks', 'ticksOf', LOGARITHMIC, low, high] as const),
    )) as Tick[][];
    const texts = axes.map((ticks) => ticks.map(({ text }) => text));
    expect(texts[0]).toEqual(['500', '1,000', '2,000']);
    expect(texts[4]).toEqual(['5·10⁵', '10⁶', '2·10⁶']);
    axes.forEach((ticks, i) => {
      expect(ticks.length).toBeGreaterThanOrEqual(ends[i][1] / ends[i][0] > 10 ** 2.5 ? 2 : 3);
      expect(ticks.length).toBeLessThanOrEqual(9);
      expect(new Set(texts[i]).size).toBe(ticks.length);
      expect(ticks.every(({ value }) => ends[i][0] <= value && value <= ends[i][1])).toBe(true);
      expect(new Set(texts[i].map((text) => text.includes('10⁻') || /10[⁰¹²³⁴-⁹]/.test(text))).size).toBe(1);
    });
  });

  test('of whole numbers have no ticks between them', async () => {
    const [degrees, counts, single] = (await call(
      ['ticks', 'ticksOf', LINEAR, -0.08, 4.08, true],
      ['ticks', 'ticksOf', LINEAR, 980, 21_000, true],
      ['ticks', 'ticksOf', LINEAR, 1.9, 2.1, true],
    )) as Tick[][];
    expect(degrees.map(({ text }) => text)).toEqual(['0', '1', '2', '3', '4']);
    expect(counts.map(({ text }) => text)).toEqual(['5,000', '10,000', '15,000', '20,000']);
    expect(single.map(({ text }) => text)).toEqual(['2']);
  });
});

describe('a figure that cannot be drawn', () => {
  const [curves, boxes] = figures;
  const withPoint = (x: number, y: number): Figure => ({
    ...(curves as CurveFigure),
    curves: [{ name: 'c', style: 0, dashed: false, points: [{ x, y }] }],
  });

  test.each<[string, Figure, RegExp]>([
    ['zero on a logarithmic axis', withPoint(1, 0), /^figure figure-1: 0 on the logarithmic axis y$/],
    ['a negative place on a logarithmic axis', withPoint(-2, 1), /: -2 on the logarithmic axis x$/],
    ['a number that is none', withPoint(1, Number.NaN), /: NaN on the logarithmic axis y$/],
    ['an infinite level', { ...boxes, levels: [{ name: 'l', value: Infinity }] }, /: Infinity on the axis y$/],
    [
      'a style without a colour',
      { ...boxes, groups: [{ name: 'g', boxes: [{ name: 'b', style: 8, five: [1, 2, 3, 4, 5] }] }] } as Figure,
      /: b has the style 8/,
    ],
    ['nothing in it', { ...boxes, groups: [] } as Figure, /: there is nothing in it$/],
    ['a name that is no name of a file', { ...boxes, name: 'a/b' }, /^figure a\/b: its name is not/],
  ])('is told: %s', (_, figure, fault) => {
    const faults = figureFaults([figure]);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test('is none of the sound ones, and names are distinguished', () => {
    expect(figureFaults(figures)).toEqual([]);
    expect(figureFaults([curves, boxes, curves])).toEqual(['figure figure-1: its name is taken']);
  });

  test('has a colour for every style, and no further one', async () => {
    const svg = await svgOf(curves);
    const colours = new Set(Array.from(svg.matchAll(/\.s(\d) \{/g), ([, style]) => Number(style)));
    expect([...colours].sort()).toEqual(Array.from({ length: COLOURS }, (_, style) => style));
  });
});

describe('a figure', () => {
  test.each(figures.map((figure): [string, Figure] => [figure.kind, figure]))(
    'of %s is well-formed in its file',
    async (_, figure) => {
      const svg = await svgOf(figure);
      expect(unbalanced(svg)).toEqual([]);
      expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"');
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    },
  );

  test('draws every curve, level and mark', async () => {
    const svg = await svgOf(figures[0]);
    expect(svg.match(/class="line dashed dash\d" d="M/g)).toHaveLength(1);
    expect(svg.match(/class="line" d="M/g)).toHaveLength(1);
    // Two marks on the solid curve, one in the legend; the error bar where one is given.
    expect(svg.match(/class="marker"/g)).toHaveLength(3);
    expect(svg.match(/class="error"/g)).toHaveLength(1);
    expect(svg).toContain('level: 0.05');
  });

  test('tells claims apart without colours, and hides nothing under another', async () => {
    const points = [
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ];
    const curve = (name: string, style: number, dashed: boolean) => ({ name, style, dashed, points });
    const curves = [curve('a', 0, true), curve('m', 0, false), curve('b', 4, true), curve('c', 1, true)];
    const svg = await svgOf({ ...(figures[0] as CurveFigure), curves });
    const drawn = Array.from(svg.matchAll(/class="line dashed dash(\d)" d=/g), ([, dash]) => dash);
    expect(drawn).toEqual(['0', '1', '2']);
    const shown = Array.from(svg.matchAll(/class="line dashed dash(\d)" x1=/g), ([, dash]) => dash);
    expect(shown).toEqual(drawn);
    const places = ['class="line" d=', 'class="line halo dash0"', 'class="line dashed dash2" d=', 'class="marker"'];
    const order = places.map((text) => svg.indexOf(text));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
  });

  test('draws a box from quarter to quarter, larger values higher', async () => {
    const svg = await svgOf(figures[1]);
    const [, y, height] = /class="box" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/.exec(svg) ?? [];
    const [, median] = /class="median" x1="[\d.]+" x2="[\d.]+" y1="([\d.]+)"/.exec(svg) ?? [];
    expect(Number(median)).toBeCloseTo(Number(y) + Number(height) / 2, 1);
  });

  test('has every name in its legend once, escaped', async () => {
    const markup = (await call(['figure', 'figureInPage', figures[0]]))[0] as string;
    expect(unbalanced(markup)).toEqual([]);
    expect(markup.match(/<li>/g)).toHaveLength(3);
    expect(markup).toContain('a &amp; b');
    expect(markup).toContain('Curves &lt;1&gt;');
  });
});

describe('what is said of an experiment', () => {
  test('is one page that escapes everything, loads nothing and runs nothing', async () => {
    const page = (await call(['page', 'experimentPage', await document]))[0] as string;
    expect(page.match(/&lt;b&gt;Toy&lt;\/b&gt; &amp; &quot;co&quot;/g)).not.toBeNull();
    expect(withoutScript(page)).not.toMatch(/<b>Toy|<i>|<script|src=|href=/);
    expect(page).toContain('default-src &#39;none&#39;');
    expect(unbalanced(withoutScript(page).replace(/<style[^>]*>.*?<\/style>/gs, ''))).toEqual([]);
    expect(page).toContain('seed “&lt;s&gt;”');
    expect(page).toContain('<p>Second.</p>');
  });

  test('is aligned lines on a terminal, claims last', async () => {
    const lines = experimentLines(await document);
    expect(lines[0]).toBe(TOY.title);
    expect(lines).toContain('a note');
    expect(lines[lines.length - 1]).toBe('met    a <i>: 1 & 2');
    expect(lines.some((line) => line.startsWith('one   '))).toBe(true);
  });

  test('is plain data that survives JSON', async () => {
    const found = await document;
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});
