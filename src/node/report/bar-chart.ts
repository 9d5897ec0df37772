import { scaleBand, scaleLinear, scaleLog } from 'd3-scale';
import { powerOfTen } from '../figures.ts';
import { insideOf, lineAcross, nameBelow, nameBeside, picture, textBelow, textBeside } from './axes.ts';
import { element, escapeText, type Markup, markerPath } from './markup.ts';

/** One bar. */
interface ChartBar {
  readonly name: string;
  /** Number of its colour. */
  readonly style: number;
  /** At least 1. */
  readonly value: number;
  /** The value in words, at the end of the bar. */
  readonly text: string;
  /** The text that is shown when one points at it. */
  readonly tip: string;
}

/** Horizontal bars from 1 on a logarithmic axis. */
interface BarChart {
  readonly label: string;
  readonly xLabel: string;
  readonly bars: readonly ChartBar[];
}

const WIDTH = 760;
const BAR = 34;
const BELOW = 50;
/** Width of one letter of a name: seven pixels at this font size. */
const LETTER = 7.5;
/** Width for the text at the end of the longest bar. */
const TEXT = 210;

/** The chart as SVG. */
export function barChart({ label, xLabel, bars }: BarChart): Markup {
  const left = 16 + LETTER * Math.max(...bars.map(({ name }) => name.length));
  const right = WIDTH - TEXT;
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
    parts.push(element('text', { class: 'tick middle', x: at, y: bottom + 18 }, powerOfTen(exponent)));
  }
  bars.forEach(({ name, style, value, text, tip }, index) => {
    const top = y(names[index]) ?? 0;
    const height = y.bandwidth();
    const middle = top + height / 2;
    const end = x(Math.max(1, value));
    const box = { class: 'bar', x: left, y: top, width: Math.max(1, end - left), height };
    parts.push(
      element(
        'g',
        { class: `s${style}` },
        element('title', {}, escapeText(tip)),
        element('rect', box),
        element('text', { class: 'name end', x: left - 8, y: middle, dy: '0.32em' }, escapeText(name)),
        element('text', { class: 'value', x: end + 8, y: middle, dy: '0.32em' }, escapeText(text)),
      ),
    );
  });
  parts.push(element('line', { class: 'axis', x1: left, x2: left, y1: 6, y2: bottom }));
  parts.push(nameBelow({ left, right, bottom }, xLabel));
  return picture(label, WIDTH, bottom + BELOW, parts);
}

/** One place of a profile: the true value as a bar, and the estimate as a point. */
interface ProfilePlace {
  readonly name: string;
  readonly value: number;
  readonly estimate: number;
  /** Standard error of the estimate, or the ends of its interval. */
  readonly error: number | readonly [lower: number, upper: number];
  /** The text that is shown when one points at it. */
  readonly tip: string;
}

/** Bars with points over them, side by side. */
interface ProfileChart {
  readonly label: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly places: readonly ProfilePlace[];
  /** Number of the colour and the marker of the points. */
  readonly style: number;
}

const PROFILE_WIDTH = 860;
const HEIGHT = 330;
const INSIDE = insideOf(PROFILE_WIDTH, HEIGHT);
const { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM } = INSIDE;

/** Width of one letter, and the most letters of a name that are shown. */
const PROFILE_LETTER = 6.5;
const LONGEST = 24;

/** The chart as SVG. */
export function profileChart({ label, xLabel, yLabel, places, style }: ProfileChart): Markup {
  const ends = places.map(({ estimate, error }) =>
    typeof error === 'number' ? [estimate - error, estimate + error] : error,
  );
  const all = [...places.flatMap(({ value, estimate }) => [value, estimate]), ...ends.flat()];
  const y = scaleLinear([Math.min(0, ...all), Math.max(...all)], [BOTTOM, TOP]).nice(5);
  const names = places.map((_, index) => String(index));
  const x = scaleBand(names, [LEFT, RIGHT]).paddingInner(0.25).paddingOuter(0.15);
  const tickText = y.tickFormat(6);
  const shown = places.map(({ name }) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name));
  const longest = PROFILE_LETTER * Math.max(...shown.map((name) => name.length));
  // Names that do not fit side by side are rotated and need space below.
  const turns = longest > x.step();
  const below = turns ? 0.7 * longest : 0;
  const parts: Markup[] = [];
  for (const tick of y.ticks(6)) {
    parts.push(lineAcross(INSIDE, y(tick), 'grid'), textBeside(INSIDE, y(tick), tickText(tick)));
  }
  places.forEach(({ value, estimate, tip }, index) => {
    const left = x(names[index]) ?? 0;
    const middle = left + x.bandwidth() / 2;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    const [low, high] = ends[index].map((end) => y(end).toFixed(2));
    const at = middle.toFixed(2);
    parts.push(
      element(
        'g',
        {},
        element('title', {}, escapeText(tip)),
        element('rect', { class: 'truth', x: left, y: from, width: x.bandwidth(), height: to - from }),
        element(
          'g',
          { class: `s${style}` },
          element('path', { class: 'error', d: `M${at} ${high}V${low}` }),
          element('path', {
            class: 'marker',
            d: markerPath(style),
            transform: `translate(${at} ${y(estimate).toFixed(2)})`,
          }),
        ),
      ),
      turns
        ? element(
            'text',
            { class: 'tick end', transform: `translate(${middle.toFixed(2)} ${BOTTOM + 14}) rotate(-45)` },
            escapeText(shown[index]),
          )
        : textBelow(INSIDE, middle, shown[index]),
    );
  });
  parts.push(lineAcross(INSIDE, y(0), 'axis'), nameBelow(INSIDE, xLabel, below), nameBeside(INSIDE, yLabel));
  return picture(label, PROFILE_WIDTH, HEIGHT + below, parts);
}
