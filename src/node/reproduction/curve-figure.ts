import { line } from 'd3-shape';
import type { CurveFigure, FigureCurve, FigurePoint } from '../../simulation/figure.ts';
import { compact } from '../figures.ts';
import { markerPath } from '../report/legend.ts';
import { element, escapeText, type Markup } from '../report/markup.ts';
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
  ticksOf,
  verticalAxis,
} from './figure-frame.ts';

/** Curves with more points than this have no marks. */
const MARKED = 24;

/** Curves as SVG. */
export function curveFigure({ title, x: across, y: up, curves, levels }: CurveFigure): Markup {
  const points = curves.flatMap((curve) => curve.points);
  const xs = points.map((point) => point.x);
  const values = points.flatMap(({ y, low = y, high = y }) => [low, y, high]);
  const [left, right] = extentOf(across, xs, 0.02);
  const [low, high] = extentOf(up, [...values, ...levels.map(({ value }) => value)]);
  const x = placeOn(across, left, right, [LEFT, RIGHT]);
  const y = placeOn(up, low, high, [BOTTOM, TOP]);
  const ticks = ticksOf(across, left, right).map(({ value, text }) =>
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
    ...curves.map((curve) => drawn(curve, x, y)),
  );
}

function drawn({ name, style, dashed, points }: FigureCurve, x: Place, y: Place): Markup {
  const path = line<FigurePoint>(
    (point) => x(point.x),
    (point) => y(point.y),
  ).digits(2)(points);
  const parts = [
    element('title', {}, escapeText(name)),
    element('path', { class: dashed ? 'line dashed' : 'line', d: path ?? '' }),
  ];
  if (!dashed) for (const point of points) parts.push(pointMark(point, name, style, points.length <= MARKED, x, y));
  return element('g', { class: `s${style}` }, ...parts);
}

function pointMark(point: FigurePoint, name: string, style: number, marked: boolean, x: Place, y: Place): Markup {
  const { low, high } = point;
  const at = x(point.x).toFixed(2);
  const parts: Markup[] = [];
  if (low !== undefined && high !== undefined) {
    const [bottom, top] = [y(low).toFixed(2), y(high).toFixed(2)];
    parts.push(element('path', { class: 'error', d: `M${at} ${top}V${bottom}` }));
  }
  if (marked) {
    const place = `translate(${at} ${y(point.y).toFixed(2)})`;
    const tip = element('title', {}, escapeText(`${name}, ${compact(point.x)}: ${shown(point.y)}`));
    parts.push(element('path', { class: 'marker', d: markerPath(style), transform: place }, tip));
  }
  return parts.join('');
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)));
}
