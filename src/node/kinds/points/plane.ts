import { dirname, join } from 'node:path';
import { scaleLinear } from 'd3-scale';
import { readJsonDocument } from '../../files.ts';
import { discMap, locateFlights } from '../../flights.ts';
import { compact, signed, wholeNumber } from '../../print.ts';
import {
  element,
  escapeText,
  type LegendEntry,
  type Markup,
  markerPath,
  type Picture,
  STYLES,
  WIDE,
} from '../../report/markup.ts';
import type { PointRun, PointRunDocument } from './document.ts';

const MARGIN = 50;
const TOP = 12;
const HEIGHTS = [260, 620] as const;

type Place = readonly number[];

/** What is drawn below the points: where it is, and how long its units are. */
interface Ground {
  /** The coordinates that go across and up. */
  readonly across: number;
  readonly up: number;
  /** Length of a unit of distance along each coordinate. */
  readonly steps: readonly number[];
  /** The box that is shown at least, in the order of the coordinates; undefined: that of all points. */
  readonly box?: readonly (readonly [number, number])[];
  /** Lines in coordinates. */
  readonly lines: readonly (readonly Place[])[];
  /** Whether a step across and one up have the same number of pixels. */
  readonly equal: boolean;
}

/** The contiguous states: nearly all flights go there. */
const CONTIGUOUS = [
  [24, 50],
  [-125.5, -66],
] as const;

/** The flights on the map of the states, or the points of a file on nothing. */
async function groundOf({ names, unit }: PointRunDocument): Promise<Ground> {
  if (unit !== 'km') return { across: 0, up: 1, steps: [1, 1], lines: [], equal: false };
  const { fromDisc, kilometres } = discMap();
  const [from, to] = [fromDisc([0, 0]), fromDisc([1 / kilometres, 1 / kilometres])];
  const lines = await readStates();
  const up = names.indexOf('latitude');
  return { across: 1 - up, up, steps: to.map((end, j) => end - from[j]), box: CONTIGUOUS, lines, equal: true };
}

/** An estimate with the circle of its error. */
interface Estimate {
  readonly name: string;
  readonly style: number;
  readonly place: Place;
  /** Root mean squared distance of all runs of its kind from the true median, in the unit of the document. */
  readonly error: number;
}

/** The headline variant: every ε with nobody moved, and the headline ε with players moved. */
function estimatesOf({ runs, variant, epsilon: headline }: PointRunDocument): readonly Estimate[] {
  const kinds = new Map<string, PointRun[]>();
  for (const run of runs) {
    if (run.variant !== variant || (run.moved > 0 && run.epsilon !== headline)) continue;
    const moved = run.moved === 0 ? '' : `, ${100 * run.moved} % moved`;
    const name = `private median, ε = ${run.epsilon}${moved}`;
    kinds.set(name, [...(kinds.get(name) ?? []), run]);
  }
  return Array.from(kinds, ([name, all], style) => ({
    name,
    style: style % STYLES,
    place: all[0].place,
    error: Math.hypot(...all.map(({ median }) => median)) / Math.sqrt(all.length),
  }));
}

/** Where estimates, the true median and some of the points are; the flights on a map. */
export async function planePicture(document: PointRunDocument, points: readonly Place[]): Promise<Picture> {
  const { baselines, names } = document;
  const ground = await groundOf(document);
  const { across, up, steps } = ground;
  const estimates = estimatesOf(document);
  const { nonPrivate } = baselines;
  const shown = [nonPrivate.place, ...estimates.map(({ place }) => place), ...(ground.box === undefined ? points : [])];
  const extent = (j: number): [number, number] => {
    const values = [...shown.map((place) => place[j]), ...(ground.box?.[j] ?? [])];
    return [Math.min(...values), Math.max(...values)];
  };
  const [xs, ys] = [extent(across), extent(up)];
  const inner = WIDE - MARGIN - 14;
  const ratio = ((ys[1] - ys[0]) * steps[across]) / ((xs[1] - xs[0]) * steps[up]);
  const upright = ground.equal ? ratio * inner : Math.max(HEIGHTS[0], Math.min(HEIGHTS[1], ratio * inner));
  const height = upright + TOP + MARGIN;
  const x = scaleLinear(xs, [MARGIN, WIDE - 14]);
  const y = scaleLinear(ys, [height - MARGIN, TOP]);
  const at = (place: Place): readonly [number, number] => [x(place[across]), y(place[up])];
  const inFrame = (place: Place): boolean => {
    const [left, top] = at(place);
    return left >= MARGIN && left <= WIDE - 14 && top >= TOP && top <= height - MARGIN;
  };
  const disc = ({ style, place, error, name }: Estimate): Markup => {
    const [cx, cy] = at(place);
    const rx = Math.abs(x(error * steps[across]) - x(0));
    const ry = Math.abs(y(error * steps[up]) - y(0));
    const tip = `${name}: ${placeText(place, names)}; error ${distanceText(error, document)}`;
    return element(
      'g',
      { class: `s${style}` },
      element('title', {}, escapeText(tip)),
      element('ellipse', { class: 'band', cx, cy, rx, ry }),
      element('ellipse', { class: 'error', cx, cy, rx, ry }),
      marker(style, [cx, cy]),
    );
  };
  const truth = element(
    'g',
    { class: 'true' },
    element('title', {}, escapeText(`true median: ${placeText(nonPrivate.place, names)}`)),
    cross(at(nonPrivate.place)),
  );
  const legend: LegendEntry[] = [
    ...estimates.map(({ name, style }) => ({ name, style })),
    { name: 'true median, of all points in the clear (cross)', style: 'solid' },
  ];
  return {
    label: names[up] === 'latitude' && ground.equal ? 'Map of the points and their median' : 'Points and medians',
    width: WIDE,
    height,
    parts: [
      ...ground.lines.flatMap((line) => pieces(line, inFrame, at)),
      ...frame(x, y, height, [names[across], names[up]]),
      ...crowd(points.filter(inFrame), at),
      // The larger below the smaller.
      ...[...estimates].sort((a, b) => b.error - a.error).map(disc),
      truth,
    ],
    legend,
    rows: [
      ['what', ...names, `error, ${document.unit}`],
      ...estimates.map(({ name, place, error }) => [name, ...place, error]),
      ['true median', ...nonPrivate.place, 0],
    ],
  };
}

/** A distance in the unit of the document. */
export function distanceText(value: number, { unit }: Pick<PointRunDocument, 'unit'>): string {
  return unit === 'km' ? `${wholeNumber(value)} km` : value === 0 ? '0' : compact(value);
}

/** A place in the coordinates that texts show. */
export function placeText(place: Place, names: readonly string[]): string {
  return place.map((value, j) => `${names[j]} ${signed(Number(value.toFixed(2)))}`).join(', ');
}

/** Some of the points: the more of them are at one place, the darker it is. */
function crowd(points: readonly Place[], at: (place: Place) => readonly [number, number]): Markup[] {
  const counts = new Map<string, number>();
  for (const place of points) {
    const key = at(place)
      .map((value) => value.toFixed(1))
      .join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from(counts, ([key, count]) => {
    const [cx, cy] = key.split(' ').map(Number);
    return element('circle', { class: 'crowd', cx, cy, r: 3, style: `fill-opacity:${(1 - 0.8 ** count).toFixed(2)}` });
  });
}

const marker = (style: number, [left, top]: readonly [number, number]): Markup =>
  element('path', {
    class: 'marker',
    d: markerPath(style),
    transform: `translate(${left.toFixed(2)} ${top.toFixed(2)}) scale(1.1)`,
  });

const cross = ([left, top]: readonly [number, number]): Markup =>
  element('path', {
    class: 'level',
    d: `M${(left - 7).toFixed(2)} ${top.toFixed(2)}h14m-7 -7v14`,
  });

/** The parts of a line within the frame. */
function pieces(
  line: readonly Place[],
  inFrame: (place: Place) => boolean,
  at: (place: Place) => readonly [number, number],
): Markup[] {
  let d = '';
  let drawing = false;
  for (const place of line) {
    const inside = inFrame(place);
    if (inside)
      d += `${drawing ? 'L' : 'M'}${at(place)
        .map((value) => value.toFixed(1))
        .join(' ')}`;
    drawing = inside;
  }
  return d === '' ? [] : [element('path', { class: 'land', d })];
}

type Scale = ReturnType<typeof scaleLinear<number>>;

function frame(x: Scale, y: Scale, height: number, [across, up]: readonly string[]): Markup[] {
  const middle = (TOP + height - MARGIN) / 2;
  return [
    ...x.ticks(8).map((tick) => element('text', { class: 'tick middle', x: x(tick), y: height - 30 }, signed(tick))),
    ...y
      .ticks(6)
      .map((tick) => element('text', { class: 'tick end', x: MARGIN - 8, y: y(tick), dy: '0.32em' }, signed(tick))),
    element('text', { class: 'name middle', x: WIDE / 2, y: height - 8 }, escapeText(across)),
    element(
      'text',
      { class: 'name middle', transform: `translate(12 ${middle.toFixed(0)}) rotate(-90)` },
      escapeText(up),
    ),
  ];
}

/** A point as (latitude, longitude), in degrees. */
type Position = readonly [latitude: number, longitude: number];
type Line = readonly Position[];

/** A topology: the arcs of which shapes are made, each as whole steps on a grid. */
interface Topology {
  readonly arcs: readonly (readonly (readonly [number, number])[])[];
  readonly transform: { readonly scale: readonly [number, number]; readonly translate: readonly [number, number] };
  readonly objects: { readonly states: { readonly geometries: readonly { readonly arcs?: readonly unknown[] }[] } };
}

/** How far a simplified line may be from the border, and how small an island is left out, in degrees. */
const TOLERANCE = 0.04;
const SMALLEST = 0.3;

/**
 * The borders and coasts of the states, from the file us-10m.json beside that of the flights: a topology of boundaries that the U.S.
 * Census Bureau publishes. Every border is simplified once (Douglas, Peucker 1973), so that neighbours keep one line.
 */
export async function readStates(): Promise<readonly Line[]> {
  const path = join(dirname(locateFlights()), 'us-10m.json');
  const { arcs, transform, objects } = (await readJsonDocument('data', path)) as Topology;
  const { scale, translate } = transform;
  const numbers = objects.states.geometries.flatMap(({ arcs = [] }) => arcs.flat(Infinity) as number[]);
  const lines = Array.from(new Set(numbers.map((arc) => (arc < 0 ? ~arc : arc))), (arc) => {
    let [x, y] = [0, 0];
    return arcs[arc].map(([right, up]): Position => {
      [x, y] = [x + right, y + up];
      return [y * scale[1] + translate[1], x * scale[0] + translate[0]];
    });
  });
  return joined(lines)
    .map(simplified)
    .filter((line) => String(line[0]) !== String(line[line.length - 1]) || extent(line) >= SMALLEST);
}

/** The same lines, joined where two of them meet and no third does: arcs end wherever counties do. */
function joined(arcs: readonly Line[]): readonly Line[] {
  const ends = new Map<string, Set<Line>>();
  const last = (line: Line): string => String(line[line.length - 1]);
  for (const arc of arcs) {
    for (const end of [String(arc[0]), last(arc)]) ends.set(end, (ends.get(end) ?? new Set()).add(arc));
  }
  const left = new Set(arcs);
  const extended = (start: Line): Line => {
    for (let line = start; ; ) {
      const meeting = ends.get(last(line))!;
      const next = [...meeting].find((arc) => left.has(arc));
      if (meeting.size !== 2 || next === undefined) return line;
      left.delete(next);
      line = [...line, ...(String(next[0]) === last(line) ? next : next.toReversed()).slice(1)];
    }
  };
  return arcs.flatMap((arc) => (left.delete(arc) ? [extended(extended(arc).toReversed())] : []));
}

/** The points of a line that are needed to stay within the tolerance. */
function simplified(points: Line): Line {
  const end = points.length - 1;
  let [far, most] = [0, 0];
  for (let i = 1; i < end; i++) {
    const apart = distance(points[i], points[0], points[end]);
    if (apart > most) [far, most] = [i, apart];
  }
  if (most <= TOLERANCE) return [points[0], points[end]];
  return [...simplified(points.slice(0, far + 1)), ...simplified(points.slice(far)).slice(1)];
}

/** From a point to a segment, which may be a point itself. */
function distance([y, x]: Position, [fromY, fromX]: Position, [toY, toX]: Position): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length));
  return Math.hypot(x - fromX - share * dx, y - fromY - share * dy);
}

function extent(line: Line): number {
  const wide = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
  return Math.max(wide(line.map(([y]) => y)), wide(line.map(([, x]) => x)));
}
