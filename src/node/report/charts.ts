import { scaleBand, scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { powerOfTen } from '../print.ts';
import {
  decimalText,
  decimalTicks,
  element,
  HALF,
  linearText,
  type Markup,
  marked,
  markerAt,
  type Picture,
  tipOf,
  WIDE,
  words,
} from './markup.ts';

/** The inside of a chart in pixels; the texts of its axes stand to the left of it and below. */
export interface Inside {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The inside of a chart of this size. */
export function insideOf(width: number, height: number): Inside {
  return { left: 66, right: width - 14, top: 12, bottom: height - 50 };
}

/** A line across the inside at one height, as part of the grid or as an axis. */
export function lineAcross({ left, right }: Inside, y: number, kind: 'grid' | 'axis'): Markup {
  return element('line', { class: kind, x1: left, x2: right, y1: y, y2: y });
}

/** A line of the grid with the text of its tick on the upright axis. */
export function gridLine(inside: Inside, y: number, text: string): readonly Markup[] {
  return [lineAcross(inside, y, 'grid'), words('tick end', { x: inside.left - 8, y, dy: '0.32em' }, text)];
}

export function tickBelow({ bottom }: Inside, x: number): Markup {
  return element('line', { class: 'axis', x1: x, x2: x, y1: bottom, y2: bottom + 5 });
}

export function textBelow({ bottom }: Inside, x: number, text: string): Markup {
  return words('tick middle', { x, y: bottom + 19 }, text);
}

/** The name of the axis at the bottom; `lower` is how much lower it stands than usual. */
export function nameBelow({ left, right, bottom }: Omit<Inside, 'top'>, name: string, lower: number = 0): Markup {
  return words('name middle', { x: (left + right) / 2, y: bottom + 42 + lower }, name);
}

export function nameBeside({ top, bottom }: Inside, name: string): Markup {
  return words('name middle', { transform: `translate(15 ${(top + bottom) / 2}) rotate(-90)` }, name);
}

/** A value at one x, with its standard deviation, or with the band of its possible values. */
export interface ChartPoint {
  readonly x: number;
  readonly mean: number;
  /** Absent where there is none. */
  readonly deviation?: number | null;
  /** Ends of the band; absent where there is none. */
  readonly band?: readonly [low: number, high: number] | null;
  /** The text that is shown when one points at it. */
  readonly tip: string;
}

/** One line of a chart. */
interface ChartSeries {
  /** In the legend. */
  readonly name: string;
  /** Number of the colour and the marker. */
  readonly style: number;
  readonly points: readonly ChartPoint[];
}

/** A value that does not depend on x. */
interface ChartLevel {
  /** In the legend. */
  readonly name: string;
  readonly kind: 'solid' | 'dashed';
  readonly value: number;
  readonly tip: string;
}

/** A chart of values against x on a logarithmic axis. */
interface LineChart {
  readonly label: string;
  /** By default that x is the ε of one player. */
  readonly xLabel?: string;
  readonly yLabel: string;
  /** The possible range of y, at which error bars end; by default y is positive. */
  readonly limits?: readonly [low: number, high: number];
  /** For many points along one course: the range of y that is shown; bands end at its edges, and points beyond it are left out. */
  readonly window?: readonly [low: number, high: number];
  readonly series: readonly ChartSeries[];
  readonly levels?: readonly ChartLevel[];
  /** Whether y is logarithmic too; then everything drawn is positive. */
  readonly logarithmic?: boolean;
  /** Whether it is as wide as the page; by default it stands beside another one. */
  readonly wide?: boolean;
  /** Stands above it. */
  readonly caption?: string;
}

const HEIGHT = 330;

/** Pixels between the same x of two series, so that their error bars stand side by side. */
const DODGE = 7;

/** Pixels that the text of one tick on the x axis needs. */
const TICK_WIDTH = 34;

/** The chart as a picture. */
export function lineChart(chart: LineChart): Picture {
  const { label, xLabel = 'ε of one player (logarithmic)', yLabel, series, levels = [], window, caption } = chart;
  const { limits = [window === undefined ? 0 : -Infinity, Infinity], logarithmic = false, wide = false } = chart;
  const width = wide ? WIDE : HALF;
  const inside = insideOf(width, HEIGHT);
  const { left, right, top, bottom } = inside;
  const places = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const [first, last] = [places[0], places[places.length - 1]];
  const air = window === undefined ? 30 : 10;
  const x = scaleLog([first, last], [left + air, right - air]);
  // A single ε has no extent on the axis: it goes in the middle.
  const place = (value: number): number => (places.length > 1 ? x(value) : (left + right) / 2);
  const bounded = (value: number): number => Math.min(limits[1], Math.max(limits[0], value));
  const range = window ?? extent(series, levels, logarithmic).map(bounded);
  const y = logarithmic ? scaleLog(range, [bottom, top]) : scaleLinear(range, [bottom, top]).nice(5);
  const [low, high] = y.domain();
  const within = (value: number): number => y(Math.min(high, Math.max(low, bounded(value))));
  const tickText = logarithmic ? decimalText : linearText(y);
  const parts: Markup[] = [];
  const manyDecades = high / low > 3000 || low < 1e-4;
  for (const tick of logarithmic ? decimalTicks(low, high, manyDecades) : y.ticks(6)) {
    parts.push(...gridLine(inside, y(tick), tickText(tick)));
  }
  parts.push(lineAcross(inside, bottom, 'axis'));
  let free = -Infinity;
  for (const value of window === undefined ? places : decimalTicks(first, last, true)) {
    const at = place(value);
    parts.push(tickBelow(inside, at));
    if (at < free) continue;
    parts.push(textBelow(inside, at, window === undefined ? String(value) : powerOfTen(Math.log10(value))));
    free = at + TICK_WIDTH;
  }
  for (const { kind, value, tip } of levels) {
    const ends = { x1: left, x2: right, y1: y(value), y2: y(value) };
    parts.push(element('line', { class: `level ${kind}`, ...ends }, tipOf(tip)));
  }
  series.forEach(({ style, points }, index) => {
    const shift = window === undefined ? (index - (series.length - 1) / 2) * DODGE : 0;
    const at = (point: ChartPoint): number => place(point.x) + shift;
    const shown = ({ mean }: ChartPoint): boolean => mean >= low && mean <= high;
    const sorted = [...points].sort((a, b) => a.x - b.x);
    const banded = sorted.filter(({ band }) => band != null);
    const shade = area<ChartPoint>(
      at,
      ({ band }) => within(band![0]),
      ({ band }) => within(band![1]),
    ).digits(2);
    const path = line<ChartPoint>(at, ({ mean }) => y(mean))
      .defined(shown)
      .digits(2);
    const size = window === undefined ? 1 : 0.7;
    if (banded.length > 0) parts.push(element('path', { class: `band s${style}`, d: shade(banded) ?? '' }));
    parts.push(element('path', { class: `line s${style}`, d: path(sorted) ?? '' }));
    for (const point of sorted.filter(shown)) parts.push(pointMark(point, style, at(point), within, size));
  });
  parts.push(nameBelow(inside, xLabel), nameBeside(inside, yLabel));
  return {
    ...{ label, width, height: HEIGHT, parts, ...(caption === undefined ? {} : { caption }) },
    legend: [...series, ...levels.map(({ name, kind }) => ({ name, style: kind }))],
    rows: [
      ['series', xLabel, yLabel, ...(window === undefined ? ['standard deviation'] : ['low', 'high'])],
      ...series.flatMap(({ name, points }) =>
        points.map(({ x, mean, deviation, band }) => [
          ...[name, x, mean],
          ...(window === undefined ? [deviation ?? ''] : (band ?? ['', ''])),
        ]),
      ),
      ...levels.map(({ name, value }) => [name, '', value, '', ...(window === undefined ? [] : [''])]),
    ],
  };
}

function pointMark(
  { mean, deviation, tip }: ChartPoint,
  style: number,
  at: number,
  y: (value: number) => number,
  size: number,
): Markup {
  const parts: Markup[] = [];
  if (deviation != null) {
    const [high, low] = [y(mean + deviation), y(mean - deviation)];
    const d = `M${at} ${high}V${low}M${at - 4} ${high}H${at + 4}M${at - 4} ${low}H${at + 4}`;
    parts.push(element('path', { class: 'error', d: d.replace(/\d+\.\d+/g, (part) => Number(part).toFixed(2)) }));
  }
  return marked(tip, `s${style}`, ...parts, markerAt(style, [at, y(mean)], size));
}

/** From the lowest to the highest drawn value, with a margin; never empty. */
function extent(series: readonly ChartSeries[], levels: readonly ChartLevel[], logarithmic: boolean): [number, number] {
  const values = levels.map(({ value }) => value);
  for (const { mean, deviation } of series.flatMap(({ points }) => points)) {
    values.push(mean - (deviation ?? 0), mean + (deviation ?? 0));
  }
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (logarithmic) return [low / 1.25, high * 1.25];
  const air = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - air, high + air];
}

/** Horizontal bars from 1 on a logarithmic axis, each with its value in words at the end. */
interface BarChart {
  readonly label: string;
  readonly xLabel: string;
  readonly bars: readonly Readonly<Record<'name' | 'text' | 'tip', string> & Record<'style' | 'value', number>>[];
}

const BAR = 34;
const BELOW = 50;
/** Width of one letter of a name: seven pixels at this font size. */
const NAME_LETTER = 7.5;
/** Width for the text at the end of the longest bar. */
const TEXT = 210;

export function barChart({ label, xLabel, bars }: BarChart): Picture {
  const left = 16 + NAME_LETTER * Math.max(...bars.map(({ name }) => name.length));
  const right = WIDE - TEXT;
  const bottom = 6 + bars.length * BAR;
  const highest = Math.max(10, ...bars.map(({ value }) => value));
  const x = scaleLog([1, highest], [left, right]);
  const names = bars.map((_, index) => String(index));
  const y = scaleBand(names, [6, bottom]).paddingInner(0.35).paddingOuter(0.175);
  const parts: Markup[] = [];
  const decades = Math.floor(Math.log10(highest));
  const step = Math.ceil((decades + 1) / 8);
  for (let exponent = 0; exponent <= decades; exponent += step) {
    const at = x(10 ** exponent);
    parts.push(element('line', { class: 'grid', x1: at, x2: at, y1: 6, y2: bottom }));
    parts.push(words('tick middle', { x: at, y: bottom + 18 }, powerOfTen(exponent)));
  }
  bars.forEach(({ name, style, value, text, tip }, index) => {
    const top = y(names[index]) ?? 0;
    const height = y.bandwidth();
    const middle = top + height / 2;
    const end = x(Math.max(1, value));
    const box = { class: 'bar', x: left, y: top, width: Math.max(1, end - left), height };
    parts.push(
      marked(
        tip,
        `s${style}`,
        element('rect', box),
        words('name end', { x: left - 8, y: middle, dy: '0.32em' }, name),
        words('value', { x: end + 8, y: middle, dy: '0.32em' }, text),
      ),
    );
  });
  parts.push(element('line', { class: 'axis', x1: left, x2: left, y1: 6, y2: bottom }));
  parts.push(nameBelow({ left, right, bottom }, xLabel));
  return {
    ...{ label, width: WIDE, height: bottom + BELOW, parts, legend: [] },
    rows: [['name', xLabel], ...bars.map(({ name, value }) => [name, value])],
  };
}

/** True values as bars with estimates as points over them, side by side; the name says in the legend what the points are. */
interface ProfileChart extends Pick<LineChart, 'label' | 'yLabel'>, Pick<ChartSeries, 'name' | 'style'> {
  readonly xLabel: string;
  readonly places: readonly {
    readonly name: string;
    readonly value: number;
    readonly estimate: number;
    /** Standard error of the estimate, or the ends of its interval. */
    readonly error: number | readonly [lower: number, upper: number];
    readonly tip: string;
  }[];
}

const INSIDE = insideOf(WIDE, HEIGHT);
const { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM } = INSIDE;

/** Width of one letter, and the most letters of a name that are shown. */
const LETTER = 6.5;
const LONGEST = 24;

export function profileChart({ label, name, xLabel, yLabel, places, style }: ProfileChart): Picture {
  const ends = places.map(({ estimate, error }) =>
    typeof error === 'number' ? [estimate - error, estimate + error] : error,
  );
  const all = [...places.flatMap(({ value, estimate }) => [value, estimate]), ...ends.flat()];
  const y = scaleLinear([Math.min(0, ...all), Math.max(0, ...all)], [BOTTOM, TOP]).nice(5);
  const names = places.map((_, index) => String(index));
  const x = scaleBand(names, [LEFT, RIGHT]).paddingInner(0.25).paddingOuter(0.15);
  const tickText = linearText(y);
  const shown = places.map(({ name }) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name));
  const longest = LETTER * Math.max(...shown.map((name) => name.length));
  // Names that do not fit side by side are rotated and need space below.
  const turns = longest > x.step();
  const below = turns ? 0.7 * longest : 0;
  const parts: Markup[] = [];
  for (const tick of y.ticks(6)) parts.push(...gridLine(INSIDE, y(tick), tickText(tick)));
  places.forEach(({ value, estimate, tip }, index) => {
    const left = x(names[index]) ?? 0;
    const middle = left + x.bandwidth() / 2;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    const [low, high] = ends[index].map((end) => y(end).toFixed(2));
    const at = middle.toFixed(2);
    const bar = element('rect', { class: 'truth', x: left, y: from, width: x.bandwidth(), height: to - from });
    const error = element('path', { class: 'error', d: `M${at} ${high}V${low}` });
    const point = element('g', { class: `s${style}` }, error, markerAt(style, [middle, y(estimate)]));
    const turned = { transform: `translate(${at} ${BOTTOM + 14}) rotate(-45)` };
    parts.push(
      marked(tip, undefined, bar, point),
      turns ? words('tick end', turned, shown[index]) : textBelow(INSIDE, middle, shown[index]),
    );
  });
  parts.push(lineAcross(INSIDE, y(0), 'axis'), nameBelow(INSIDE, xLabel, below), nameBeside(INSIDE, yLabel));
  return {
    ...{ label, width: WIDE, height: HEIGHT + below, parts, legend: [{ name, style }] },
    rows: [
      [xLabel, 'value in the clear', 'estimate', 'from', 'to'],
      ...places.map((one, index) => [one.name, one.value, one.estimate, ...ends[index]]),
    ],
  };
}
