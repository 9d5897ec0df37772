/** An element of a picture, with its attributes and what is in it. */
export function shape(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...inside: readonly (SVGElement | string)[]
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...inside);
  return element;
}

/** A straight map of an interval to another one. */
export function scale(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  const slope = (to[1] - to[0]) / (from[1] - from[0]);
  return (value) => to[0] + slope * (value - from[0]);
}

/** The points of a broken line, for the attribute `points`. */
export const points = (places: readonly (readonly [number, number])[]): string =>
  places.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

/** A frame with an axis below and one on the left. */
interface Frame {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  /** Lines, numbers and names of both axes. */
  readonly axes: readonly SVGElement[];
}

/** What an axis shows. */
interface Axis {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly (readonly [place: number, text: string])[];
}

/** Size of every picture in its own units; the page makes it as wide as there is room. */
export const WIDTH = 520;
export const HEIGHT = 300;
const LEFT = 60;
const RIGHT = 30;
const TOP = 26;
const BOTTOM = 44;

/** The frame of a picture. */
export function frame(across: Axis, up: Axis): Frame {
  const x = scale([across.from, across.to], [LEFT, WIDTH - RIGHT]);
  const y = scale([up.from, up.to], [HEIGHT - BOTTOM, TOP]);
  const floor = HEIGHT - BOTTOM;
  const axes = [
    ...up.ticks.flatMap(([place, text]) => [
      shape('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: y(place), y2: y(place), class: 'grid' }),
      shape('text', { x: LEFT - 8, y: y(place) + 4, class: 'tick end' }, text),
    ]),
    ...across.ticks.map(([place, text]) => shape('text', { x: x(place), y: floor + 18, class: 'tick middle' }, text)),
    shape('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: floor, y2: floor, class: 'axis' }),
    shape('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, class: 'middle' }, across.name),
    shape('text', { x: 4, y: 14 }, up.name),
  ];
  return { x, y, axes };
}

/** Draws a picture anew, with a sentence for those who cannot see it. */
export function draw(picture: Element, says: string, inside: readonly SVGElement[]): void {
  picture.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', says);
  picture.replaceChildren(...inside);
}
