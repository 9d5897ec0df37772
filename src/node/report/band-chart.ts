import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { powerOfTen } from '../figures.ts';
import { decimalTicks, insideOf, lineAcross, nameBelow, nameBeside, textBelow, textBeside, tickBelow } from './axes.ts';
import { HALF, type Picture, WIDE } from './figure.ts';
import { element, escapeText, type Markup, markerPath } from './markup.ts';

/** A value at one x, with the band of its possible values. */
interface BandPoint {
  readonly x: number;
  readonly value: number;
  /** Ends of the band; null where there is none. */
  readonly band: readonly [low: number, high: number] | null;
  /** The text that is shown when one points at it. */
  readonly tip: string;
}

/** A line with a band around it. */
interface BandSeries {
  /** In the legend. */
  readonly name: string;
  /** Number of the colour. */
  readonly style: number;
  readonly points: readonly BandPoint[];
}

/** Lines with bands against x on a logarithmic axis. */
interface BandChart {
  readonly label: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly BandSeries[];
  /** A value that does not depend on x. */
  readonly level?: { readonly name: string; readonly value: number; readonly tip: string };
  /** The range of y that is shown: bands end at its edges, and points beyond it are left out. */
  readonly window: readonly [low: number, high: number];
  /** Whether y is logarithmic too. */
  readonly logarithmic?: boolean;
  /** Whether it is as wide as the page; by default it stands beside another one. */
  readonly wide?: boolean;
  /** Stands above it. */
  readonly caption?: string;
}

const HEIGHT = 320;

/** The chart as a picture. */
export function bandChart(chart: BandChart): Picture {
  const { label, xLabel, yLabel, series, level, window, logarithmic = false, wide = false, caption } = chart;
  const width = wide ? WIDE : HALF;
  const inside = insideOf(width, HEIGHT);
  const { left, right, top, bottom } = inside;
  const places = series.flatMap(({ points }) => points.map(({ x }) => x));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = scaleLog([first, last > first ? last : first * 10], [left + 8, right - 12]);
  const y = logarithmic ? scaleLog(window, [bottom, top]) : scaleLinear(window, [bottom, top]).nice(5);
  const [low, high] = y.domain();
  const within = (value: number): number => y(Math.min(high, Math.max(low, value)));
  const shown = ({ value }: BandPoint): boolean => value >= low && value <= high;
  const parts: Markup[] = [];
  const tickText = logarithmic ? String : y.tickFormat(6);
  for (const tick of logarithmic ? decimalTicks(...window) : y.ticks(6)) {
    parts.push(lineAcross(inside, y(tick), 'grid'), textBeside(inside, y(tick), tickText(tick)));
  }
  const drawn = series.map(({ style, points }) => {
    const shade = area<BandPoint>(
      (point) => x(point.x),
      (point) => within(point.band?.[0] ?? point.value),
      (point) => within(point.band?.[1] ?? point.value),
    ).digits(2);
    const path = line<BandPoint>(
      (point) => x(point.x),
      (point) => y(point.value),
    )
      .defined(shown)
      .digits(2);
    const banded = points.filter(({ band }) => band !== null);
    const dots = points.filter(shown).map((point) =>
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
    const ends = { x1: left, x2: right, y1: y(level.value), y2: y(level.value) };
    drawn.unshift(element('line', { class: 'level solid', ...ends }, element('title', {}, escapeText(level.tip))));
  }
  parts.push(...drawn);
  parts.push(lineAcross(inside, bottom, 'axis'));
  for (let exponent = Math.ceil(Math.log10(first)); 10 ** exponent <= last; exponent++) {
    const at = x(10 ** exponent);
    parts.push(tickBelow(inside, at), textBelow(inside, at, powerOfTen(exponent)));
  }
  parts.push(nameBelow(inside, xLabel), nameBeside(inside, yLabel));
  return {
    ...{ label, width, height: HEIGHT, parts, ...(caption === undefined ? {} : { caption }) },
    legend: [...series, ...(level === undefined ? [] : [{ name: level.name, style: 'solid' as const }])],
    rows: [
      ['series', xLabel, yLabel, 'low', 'high'],
      ...series.flatMap(({ name, points }) => points.map((one) => [name, one.x, one.value, ...(one.band ?? ['', ''])])),
      ...(level === undefined ? [] : [[level.name, '', level.value, '', '']]),
    ],
  };
}
