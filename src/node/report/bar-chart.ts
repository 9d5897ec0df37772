import { scaleBand, scaleLog } from 'd3-scale';
import { powerOfTen } from '../figures.ts';
import { nameBelow } from './axes.ts';
import { type Picture, WIDE } from './figure.ts';
import { element, escapeText, type Markup } from './markup.ts';

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

const BAR = 34;
const BELOW = 50;
/** Width of one letter of a name: seven pixels at this font size. */
const LETTER = 7.5;
/** Width for the text at the end of the longest bar. */
const TEXT = 210;

/** The chart as a picture. */
export function barChart({ label, xLabel, bars }: BarChart): Picture {
  const left = 16 + LETTER * Math.max(...bars.map(({ name }) => name.length));
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
  return {
    ...{ label, width: WIDE, height: bottom + BELOW, parts, legend: [] },
    rows: [['name', xLabel], ...bars.map(({ name, value }) => [name, value])],
  };
}
