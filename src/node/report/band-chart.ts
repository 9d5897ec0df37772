import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { powerOfTen } from '../figures.ts';
import { element, escapeText, type Markup, markerPath } from './markup.ts';

/** A value at one x, with the band of its possible values. */
export interface BandPoint {
  readonly x: number;
  readonly value: number;
  /** Ends of the band; null where there is none. */
  readonly band: readonly [low: number, high: number] | null;
  /** The text that is shown when one points at it. */
  readonly tip: string;
}

/** A line with a band around it. */
export interface BandSeries {
  /** Number of the colour. */
  readonly style: number;
  readonly points: readonly BandPoint[];
}

/** Lines with bands against x on a logarithmic axis. The page needs the styles `.band`, `.mask`: {@link BAND_STYLE}. */
export interface BandChart {
  readonly label: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly BandSeries[];
  /** A value that does not depend on x. */
  readonly level?: { readonly value: number; readonly tip: string };
  /** The range of y that is shown; everything beyond it is cut off. */
  readonly window: readonly [low: number, high: number];
  /** Whether y is logarithmic too. */
  readonly logarithmic?: boolean;
}

/** An addition to the style sheet of a page with such charts. */
export const BAND_STYLE = `
.band { fill: var(--series); fill-opacity: 0.16; stroke: none; }
.mask { fill: var(--paper); }
`;

const WIDTH = 560;
const HEIGHT = 300;
const LEFT = 66;
const RIGHT = WIDTH - 14;
const TOP = 12;
const BOTTOM = HEIGHT - 50;

/** The chart as SVG. */
export function bandChart(chart: BandChart): Markup {
  const { label, xLabel, yLabel, series, level, window, logarithmic = false } = chart;
  const places = series.flatMap(({ points }) => points.map(({ x }) => x));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = scaleLog([first, last > first ? last : first * 10], [LEFT + 8, RIGHT - 12]);
  const y = logarithmic ? scaleLog(window, [BOTTOM, TOP]) : scaleLinear(window, [BOTTOM, TOP]).nice(5);
  const parts: Markup[] = [];
  const labels: Markup[] = [];
  for (const [tick, text] of logarithmic ? decades(window) : linearTicks(y.ticks(6), y.tickFormat(6))) {
    parts.push(element('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: y(tick), y2: y(tick) }));
    labels.push(element('text', { class: 'tick end', x: LEFT - 8, y: y(tick), dy: '0.32em' }, escapeText(text)));
  }
  const drawn = series.map(({ style, points }) => {
    const shade = area<BandPoint>(
      (point) => x(point.x),
      (point) => y(point.band?.[0] ?? point.value),
      (point) => y(point.band?.[1] ?? point.value),
    ).digits(2);
    const path = line<BandPoint>(
      (point) => x(point.x),
      (point) => y(point.value),
    ).digits(2);
    const banded = points.filter(({ band }) => band !== null);
    const dots = points.map((point) =>
      element(
        'path',
        {
          class: 'marker',
          d: markerPath(style),
          transform: `translate(${x(point.x).toFixed(2)} ${y(point.value).toFixed(2)}) scale(0.7)`,
        },
        element('title', {}, escapeText(point.tip)),
      ),
    );
    const lines = [element('path', { class: 'line', d: path([...points]) ?? '' }), ...dots];
    return element(
      'g',
      { class: `s${style}` },
      ...(banded.length > 0 ? [element('path', { class: 'band', d: shade(banded) ?? '' })] : []),
      ...lines,
    );
  });
  if (level !== undefined) {
    const ends = { x1: LEFT, x2: RIGHT, y1: y(level.value), y2: y(level.value) };
    drawn.unshift(element('line', { class: 'level solid', ...ends }, element('title', {}, escapeText(level.tip))));
  }
  parts.push(...drawn);
  // Cuts off everything beyond the window, without a reference that a page would have to resolve.
  parts.push(element('rect', { class: 'mask', x: 0, y: -HEIGHT, width: WIDTH, height: HEIGHT + TOP - 4 }));
  parts.push(element('rect', { class: 'mask', x: 0, y: BOTTOM, width: WIDTH, height: HEIGHT }));
  parts.push(...labels);
  parts.push(element('line', { class: 'axis', x1: LEFT, x2: RIGHT, y1: BOTTOM, y2: BOTTOM }));
  for (let exponent = Math.ceil(Math.log10(first)); 10 ** exponent <= last; exponent++) {
    const at = x(10 ** exponent);
    parts.push(element('line', { class: 'axis', x1: at, x2: at, y1: BOTTOM, y2: BOTTOM + 5 }));
    parts.push(element('text', { class: 'tick middle', x: at, y: BOTTOM + 19 }, powerOfTen(exponent)));
  }
  parts.push(element('text', { class: 'name middle', x: (LEFT + RIGHT) / 2, y: HEIGHT - 8 }, escapeText(xLabel)));
  const turned = { class: 'name middle', transform: `translate(15 ${(TOP + BOTTOM) / 2}) rotate(-90)` };
  parts.push(element('text', turned, escapeText(yLabel)));
  return element('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label }, ...parts);
}

function linearTicks(ticks: readonly number[], format: (tick: number) => string): readonly [number, string][] {
  return ticks.map((tick) => [tick, format(tick)]);
}

/** 1, 2 and 5 times powers of ten within a range. */
function decades([low, high]: readonly [number, number]): readonly [number, string][] {
  const ticks: [number, string][] = [];
  for (let exponent = Math.floor(Math.log10(low)); 10 ** exponent <= high; exponent++) {
    for (const digit of [1, 2, 5]) {
      const tick = Number(`${digit}e${exponent}`);
      if (tick >= low && tick <= high) ticks.push([tick, String(tick)]);
    }
  }
  return ticks;
}
