import { scaleBand, scaleLinear } from 'd3-scale';
import { markerPath } from './legend.ts';
import { element, escapeText, type Markup } from './markup.ts';

/** One place of a profile: what is true there, as a bar, and what was estimated, as a point. */
export interface ProfilePlace {
  readonly name: string;
  readonly value: number;
  readonly estimate: number;
  /** Standard error of the estimate. */
  readonly error: number;
  /** What is shown when one points at it. */
  readonly tip: string;
}

/** Bars with points over them, side by side. */
export interface ProfileChart {
  readonly label: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly places: readonly ProfilePlace[];
  /** Number of the colour and the marker of the points. */
  readonly style: number;
}

const WIDTH = 860;
const HEIGHT = 330;
const LEFT = 66;
const RIGHT = WIDTH - 14;
const TOP = 12;
const BOTTOM = HEIGHT - 50;

/** The chart as SVG. */
export function profileChart({ label, xLabel, yLabel, places, style }: ProfileChart): Markup {
  const all = places.flatMap(({ value, estimate, error }) => [value, estimate - error, estimate + error]);
  const y = scaleLinear([Math.min(0, ...all), Math.max(...all)], [BOTTOM, TOP]).nice(5);
  const names = places.map((_, index) => String(index));
  const x = scaleBand(names, [LEFT, RIGHT]).paddingInner(0.25).paddingOuter(0.15);
  const tickText = y.tickFormat(6);
  const parts: Markup[] = [];
  for (const tick of y.ticks(6)) {
    parts.push(element('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: y(tick), y2: y(tick) }));
    parts.push(element('text', { class: 'tick end', x: LEFT - 8, y: y(tick), dy: '0.32em' }, tickText(tick)));
  }
  places.forEach(({ name, value, estimate, error, tip }, index) => {
    const left = x(names[index]) ?? 0;
    const middle = left + x.bandwidth() / 2;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    const [high, low] = [y(estimate + error), y(estimate - error)].map((at) => at.toFixed(2));
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
      element('text', { class: 'tick middle', x: middle, y: BOTTOM + 19 }, escapeText(name)),
    );
  });
  parts.push(element('line', { class: 'axis', x1: LEFT, x2: RIGHT, y1: y(0), y2: y(0) }));
  parts.push(element('text', { class: 'name middle', x: (LEFT + RIGHT) / 2, y: HEIGHT - 8 }, escapeText(xLabel)));
  const turned = { class: 'name middle', transform: `translate(15 ${(TOP + BOTTOM) / 2}) rotate(-90)` };
  parts.push(element('text', turned, escapeText(yLabel)));
  const frame = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label };
  return element('svg', frame, ...parts);
}
