import { scaleBand } from 'd3-scale';
import { element, escapeText, type Markup } from 'ldpkit/node';
import type { BoxFigure, FigureBox } from '../experiment/figure.ts';
import {
  BOTTOM,
  extentOf,
  figureElement,
  LEFT,
  levelLines,
  type Place,
  placeOn,
  RIGHT,
  TOP,
  verticalAxis,
} from './figure-frame.ts';

/** A box plot as SVG: boxes from quarter to quarter, whiskers to the 5 % and 95 % points. */
export function boxFigure({ title, y: up, groups, levels }: BoxFigure): Markup {
  const values = groups.flatMap(({ boxes }) => boxes.flatMap(({ five }) => [...five]));
  const [low, high] = extentOf(up, [...values, ...levels.map(({ value }) => value)]);
  const y = placeOn(up, low, high, [BOTTOM, TOP]);
  const places = scaleBand(
    groups.map((_, index) => String(index)),
    [LEFT, RIGHT],
  )
    .paddingInner(0.25)
    .paddingOuter(0.12);
  const parts = groups.map(({ name, boxes }, index) => {
    const from = places(String(index)) ?? LEFT;
    const width = places.bandwidth() / boxes.length;
    const label = { class: 'tick middle', x: from + places.bandwidth() / 2, y: BOTTOM + 19 };
    return [
      ...boxes.map((box, place) => drawn(box, from + width * (place + 0.5), 0.34 * width, y)),
      element('text', label, escapeText(name)),
    ].join('');
  });
  return figureElement(title, verticalAxis(up, low, high, y), levelLines(levels, y), ...parts);
}

function drawn({ name, style, five }: FigureBox, at: number, half: number, y: Place): Markup {
  const [least, first, median, third, most] = five.map((value) => Number(y(value).toFixed(2)));
  const left = Number((at - half).toFixed(2));
  const right = Number((at + half).toFixed(2));
  const centre = Number(at.toFixed(2));
  const tip = `${name}: median ${Number(five[2].toPrecision(4))}`;
  return element(
    'g',
    { class: `s${style}` },
    element('title', {}, escapeText(tip)),
    element('path', { class: 'error', d: `M${centre} ${least}V${first}M${centre} ${third}V${most}` }),
    element('rect', { class: 'box', x: left, y: third, width: right - left, height: Math.max(0.5, first - third) }),
    element('line', { class: 'median', x1: left, x2: right, y1: median, y2: median }),
  );
}
