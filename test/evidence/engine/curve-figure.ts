import { line } from 'd3-shape';
import { compact, element, escapeText, type Markup, markerPath } from 'ldpkit/node';
import type { CurveFigure, FigureCurve, FigurePoint } from '../experiment/figure.ts';
import {
  BOTTOM,
  extentOf,
  figureElement,
  HEIGHT,
  LEFT,
  levelLines,
  type Place,
  placeOn,
  RIGHT,
  TOP,
  verticalAxis,
} from './figure-frame.ts';
import { ticksOf } from './ticks.ts';

/** Curves with more points than this have no marks. */
const MARKED = 24;

/** Patterns of dashes. */
const DASHES = 4;

/** What a curve of claims is drawn with, by its name: the pattern of its style, or the next where an earlier curve has that. */
export function dashesOf(curves: readonly FigureCurve[]): ReadonlyMap<string, number> {
  const patterns = new Map<string, number>();
  for (const { name, style, dashed } of curves) {
    if (!dashed || patterns.has(name)) continue;
    const taken = new Set(patterns.values());
    let pattern = style % DASHES;
    if (taken.size < DASHES) while (taken.has(pattern)) pattern = (pattern + 1) % DASHES;
    patterns.set(name, pattern);
  }
  return patterns;
}

/** Curves as SVG. */
export function curveFigure({ title, x: across, y: up, curves, levels }: CurveFigure): Markup {
  const points = curves.flatMap((curve) => curve.points);
  const measured = curves.filter(({ dashed }) => !dashed);
  const patterns = dashesOf(curves);
  const xs = points.map((point) => point.x);
  const values = points.flatMap(({ y, low = y, high = y }) => [low, y, high]);
  const [left, right] = extentOf(across, xs, 0.02);
  const [low, high] = extentOf(up, [...values, ...levels.map(({ value }) => value)]);
  const x = placeOn(across, left, right, [LEFT, RIGHT]);
  const y = placeOn(up, low, high, [BOTTOM, TOP]);
  const ticks = ticksOf(across, left, right, xs.every(Number.isInteger)).map(({ value, text }) =>
    [
      element('line', { class: 'axis', x1: x(value), x2: x(value), y1: BOTTOM, y2: BOTTOM + 5 }),
      element('text', { class: 'tick middle', x: x(value), y: BOTTOM + 19 }, escapeText(text)),
    ].join(''),
  );
  return figureElement(
    title,
    verticalAxis(up, low, high, y),
    ...ticks,
    element('text', { class: 'name middle', x: (LEFT + RIGHT) / 2, y: HEIGHT - 8 }, escapeText(across.label)),
    levelLines(levels, y),
    ...measured.map((curve) => lineOf(curve, x, y)),
    ...curves.filter(({ dashed }) => dashed).map((curve) => claimOf(curve, patterns.get(curve.name) ?? 0, x, y)),
    ...measured.map((curve) => marksOf(curve, x, y)),
  );
}

function pathOf(points: readonly FigurePoint[], x: Place, y: Place): string {
  const path = line<FigurePoint>(
    (point) => x(point.x),
    (point) => y(point.y),
  ).digits(2)([...points]);
  return path ?? '';
}

function lineOf({ name, style, points }: FigureCurve, x: Place, y: Place): Markup {
  const errors = points.map(({ x: across, low, high }) => {
    if (low === undefined || high === undefined) return '';
    return element('path', {
      class: 'error',
      d: `M${x(across).toFixed(2)} ${y(high).toFixed(2)}V${y(low).toFixed(2)}`,
    });
  });
  const path = element('path', { class: 'line', d: pathOf(points, x, y) });
  return element('g', { class: `s${style}` }, element('title', {}, escapeText(name)), path, ...errors);
}

// Above what is measured, with an edge of the colour of the page: neither hides the other, not even in one colour.
function claimOf({ name, style, points }: FigureCurve, pattern: number, x: Place, y: Place): Markup {
  const d = pathOf(points, x, y);
  return element(
    'g',
    { class: `s${style}` },
    element('title', {}, escapeText(name)),
    element('path', { class: `line halo dash${pattern}`, d }),
    element('path', { class: `line dashed dash${pattern}`, d }),
  );
}

function marksOf({ name, style, points }: FigureCurve, x: Place, y: Place): Markup {
  if (points.length > MARKED) return '';
  const marks = points.map((point) => {
    const place = `translate(${x(point.x).toFixed(2)} ${y(point.y).toFixed(2)})`;
    const tip = element('title', {}, escapeText(`${name}, ${compact(point.x)}: ${shown(point.y)}`));
    return element('path', { class: 'marker', d: markerPath(style), transform: place }, tip);
  });
  return element('g', { class: `s${style}` }, ...marks);
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}
