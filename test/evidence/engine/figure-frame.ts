import { scaleLinear, scaleLog } from 'd3-scale';
import { element, escapeLines, escapeText, type Markup, PICTURE_STYLE } from 'ldpkit/node';
import type { FigureAxis, FigureLevel } from '../experiment/figure.ts';
import { ticksOf } from './ticks.ts';

/** Size of a figure, and its inner edges. */
export const WIDTH = 600;
export const HEIGHT = 370;
export const LEFT = 70;
export const RIGHT: number = WIDTH - 24;
export const TOP = 12;
export const BOTTOM: number = HEIGHT - 50;

/** What figures need besides the style sheet of all pages: further colours, dashes, boxes. */
export const FIGURE_STYLE = `
:root { --s5: #5a6dc8; --s6: #3d8bb0; --s7: #7a5230; }
@media (prefers-color-scheme: dark) { :root { --s5: #9aa6f0; --s6: #7cc4e0; --s7: #c99b6d; } }
.s5 { --series: var(--s5); }
.s6 { --series: var(--s6); }
.s7 { --series: var(--s7); }
.line.dashed { stroke-width: 1.6; }
.line.halo { stroke: var(--paper); stroke-width: 4.5; }
.dash0 { stroke-dasharray: 8 5; }
.dash1 { stroke-dasharray: 2 4; }
.dash2 { stroke-dasharray: 12 4 2 4; }
.dash3 { stroke-dasharray: 18 5; }
.box { fill: var(--series); fill-opacity: 0.28; stroke: var(--series); stroke-width: 1.5; }
.median { stroke: var(--series); stroke-width: 2.5; }
figure .legend { margin: 4px 0 0 66px; }
figure .legend svg { width: 30px; height: 16px; }
figure .legend li { white-space: nowrap; }
.plot svg { min-width: 30rem; }
.claims td { white-space: normal; overflow-wrap: anywhere; }
.asked td:first-child { overflow-wrap: normal; }
.claims .met { color: var(--s2); font-weight: 600; }
.claims .missed { color: var(--s1); font-weight: 600; }
@media (max-width: 640px) {
  main { padding: 20px 14px 32px; }
  th, td { padding-right: 12px; }
  .claims th { white-space: normal; }
  .claims td:last-child:not(.number), .asked td:nth-child(2) { min-width: 6.5rem; }
  figure .legend { margin-left: 0; }
  figure .legend li { white-space: normal; }
  figure .legend svg { flex: none; min-width: 0; }
}
`;

/** A number's place on an axis, in pixels. */
export type Place = (value: number) => number;

/** Where numbers between `low` and `high` go. */
export function placeOn(axis: FigureAxis, low: number, high: number, ends: readonly [number, number]): Place {
  return axis.logarithmic ? scaleLog([low, high], ends) : scaleLinear([low, high], ends);
}

/** From the least to the largest value with some air, and never empty. */
export function extentOf({ logarithmic }: FigureAxis, values: readonly number[], air: number = 0.05): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (logarithmic) {
    const factor = low < high ? (high / low) ** air : 1.25;
    return [low / factor, high * factor];
  }
  const room = air * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - room, high + room];
}

/** Lines and texts of the vertical axis. */
export function verticalAxis(axis: FigureAxis, low: number, high: number, y: Place): Markup {
  const parts = ticksOf(axis, low, high).map(({ value, text }) =>
    [
      element('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value) }),
      element('text', { class: 'tick end', x: LEFT - 8, y: y(value), dy: '0.32em' }, escapeText(text)),
    ].join(''),
  );
  const turned = { class: 'name middle', transform: `translate(15 ${(TOP + BOTTOM) / 2}) rotate(-90)` };
  return [
    ...parts,
    element('line', { class: 'axis', x1: LEFT, x2: RIGHT, y1: BOTTOM, y2: BOTTOM }),
    element('text', turned, escapeText(axis.label)),
  ].join('');
}

/** Values to compare with, across the figure. */
export function levelLines(levels: readonly FigureLevel[], y: Place): Markup {
  return levels
    .map(({ name, value }) => {
      const ends = { x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value) };
      return element('line', { class: 'level dashed', ...ends }, element('title', {}, escapeText(`${name}: ${value}`)));
    })
    .join('');
}

/** A figure's outermost element. */
export function figureElement(title: string, ...content: readonly Markup[]): Markup {
  return element('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title }, ...content);
}

/** Pixels of one line of the legend below a figure in a file of its own. */
const LINE = 20;

/** An entry below a figure in a file of its own. */
export interface FileLegendEntry {
  readonly name: string;
  readonly mark: Markup;
}

/** A figure as a file of its own: with its style, a title above and a legend below. */
export function figureFile(title: string, figure: Markup, entries: readonly FileLegendEntry[]): string {
  const height = 34 + HEIGHT + LINE * entries.length + 12;
  const legend = entries.map(({ name, mark }, index) =>
    element(
      'g',
      { transform: `translate(${LEFT} ${34 + HEIGHT + LINE * index})` },
      mark,
      element('text', { x: 38, y: 8, dy: '0.32em' }, escapeText(name)),
    ),
  );
  const inner = figure.replace('<svg ', `<svg x="0" y="30" width="${WIDTH}" height="${HEIGHT}" `);
  const svg = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height },
    element('style', {}, escapeLines(PICTURE_STYLE + FIGURE_STYLE)),
    element('rect', { width: WIDTH, height, style: 'fill: var(--paper)' }),
    element('text', { class: 'middle', x: WIDTH / 2, y: 20, style: 'font-weight: 600' }, escapeText(title)),
    inner,
    ...legend,
  );
  return `${svg}\n`;
}
