import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { powerOfTen } from '../figures.ts';
import {
  decimalTicks,
  insideOf,
  lineAcross,
  nameBelow,
  nameBeside,
  picture,
  textBelow,
  textBeside,
  tickBelow,
} from './axes.ts';
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
  /** Number of the colour. */
  readonly style: number;
  readonly points: readonly BandPoint[];
}

/** Lines with bands against x on a logarithmic axis. The page needs the styles `.band`, `.mask`: {@link BAND_STYLE}. */
interface BandChart {
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
const INSIDE = insideOf(WIDTH, HEIGHT);
const { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM } = INSIDE;

/** The chart as SVG. */
export function bandChart(chart: BandChart): Markup {
  const { label, xLabel, yLabel, series, level, window, logarithmic = false } = chart;
  const places = series.flatMap(({ points }) => points.map(({ x }) => x));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = scaleLog([first, last > first ? last : first * 10], [LEFT + 8, RIGHT - 12]);
  const y = logarithmic ? scaleLog(window, [BOTTOM, TOP]) : scaleLinear(window, [BOTTOM, TOP]).nice(5);
  const parts: Markup[] = [];
  const labels: Markup[] = [];
  const tickText = logarithmic ? String : y.tickFormat(6);
  for (const tick of logarithmic ? decimalTicks(...window) : y.ticks(6)) {
    parts.push(lineAcross(INSIDE, y(tick), 'grid'));
    labels.push(textBeside(INSIDE, y(tick), tickText(tick)));
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
  parts.push(lineAcross(INSIDE, BOTTOM, 'axis'));
  for (let exponent = Math.ceil(Math.log10(first)); 10 ** exponent <= last; exponent++) {
    const at = x(10 ** exponent);
    parts.push(tickBelow(INSIDE, at), textBelow(INSIDE, at, powerOfTen(exponent)));
  }
  parts.push(nameBelow(INSIDE, xLabel), nameBeside(INSIDE, yLabel));
  return picture(label, WIDTH, HEIGHT, parts);
}
