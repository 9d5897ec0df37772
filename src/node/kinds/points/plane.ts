import { scaleLinear } from 'd3-scale';
import type { Uncertainty } from '../../../inference/model-interval.ts';
import { discMap, readStates } from '../../flights.ts';
import { compact, signed, wholeNumber } from '../../print.ts';
import {
  element,
  type LegendEntry,
  type Markup,
  marked,
  markerAt,
  type Picture,
  STYLES,
  WIDE,
  words,
} from '../../report/markup.ts';
import type { EpsilonHead } from '../../report/result.ts';

/** One run of a protocol on points: distances, in the document's unit, from the median of the points before a share moved. */
export interface PointRun {
  readonly variant: string;
  readonly epsilon: number;
  readonly moved: number;
  /** From 0. */
  readonly repetition: number;
  /** Of the private median, and of the private mean from the same reports. */
  readonly median: number;
  readonly mean: number;
  /** Of the non-private median (by Weiszfeld) and mean of the points as moved, and of the middle of the bounds. */
  readonly weiszfeld: number;
  readonly plainMean: number;
  readonly centre: number;
  /** The private median: latitude and longitude, or the coordinates of the file. */
  readonly place: readonly number[];
  readonly degree: number;
  readonly risk: number;
  readonly standardError: number;
  /** What the noise of the reports leaves open, in the unit of the protocol, from the reports alone. */
  readonly uncertainty: Uncertainty;
}

/**
 * What `ldpkit run` of a protocol on points reports: the headline run (first variant, ε closest to 1, first share and
 * repetition), then every run. `metrics` and `baselines` are computed from the points without privacy; only estimates
 * are private.
 */
export interface PointRunDocument extends EpsilonHead {
  readonly dimension: number;
  /** Of the coordinates of a place. */
  readonly names: readonly string[];
  /** Of distances, and how many such units are 1 in the protocol. */
  readonly unit: string;
  readonly scale: number;
  readonly degree: number;
  readonly delta: number;
  readonly radius: number;
  /** Who the players are, and what was public beforehand. */
  readonly who: string;
  readonly agreed: string;
  readonly estimate: Pick<PointRun, 'place' | 'degree' | 'risk' | 'standardError' | 'uncertainty'>;
  readonly metrics: { readonly distance: number };
  readonly baselines: {
    /** The median of the points before moving, and its distance from the median of the points as moved. */
    readonly nonPrivate: { readonly place: readonly number[]; readonly distance: number };
    readonly mean: { readonly distance: number };
    readonly plainMean: { readonly distance: number };
    readonly centre: { readonly distance: number };
  };
  readonly runs: readonly PointRun[];
}

const MARGIN = 50;
const TOP = 12;
const HEIGHTS = [260, 620] as const;

export type Place = readonly number[];

type At = (place: Place) => readonly [left: number, top: number];

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
async function groundOf({ names }: PointRunDocument, onMap: boolean): Promise<Ground> {
  if (!onMap) return { across: 0, up: 1, steps: [1, 1], lines: [], equal: false };
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
  const nameOf = ({ epsilon, moved }: PointRun): string =>
    `private median, ε = ${epsilon}${moved === 0 ? '' : `, ${100 * moved} % moved`}`;
  const drawn = runs.filter((run) => run.variant === variant && (run.moved === 0 || run.epsilon === headline));
  return Array.from(new Set(drawn.map(nameOf)), (name, style) => {
    const all = drawn.filter((run) => nameOf(run) === name);
    const error = Math.hypot(...all.map(({ median }) => median)) / Math.sqrt(all.length);
    return { name, style: style % STYLES, place: all[0].place, error };
  });
}

/** Where estimates, the true median and some of the points are; the flights on a map. */
export async function planePicture(
  document: PointRunDocument,
  points: readonly Place[],
  onMap: boolean,
): Promise<Picture> {
  const { baselines, names } = document;
  const ground = await groundOf(document, onMap);
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
  const at: At = (place) => [x(place[across]), y(place[up])];
  const inFrame = (place: Place): boolean => {
    const [left, top] = at(place);
    return left >= MARGIN && left <= WIDE - 14 && top >= TOP && top <= height - MARGIN;
  };
  const disc = ({ style, place, error, name }: Estimate): Markup => {
    const [cx, cy] = at(place);
    const rx = Math.abs(x(error * steps[across]) - x(0));
    const ry = Math.abs(y(error * steps[up]) - y(0));
    const tip = `${name}: ${placeText(place, names)}; error ${distanceText(error, document)}`;
    const ring = (kind: string): Markup => element('ellipse', { class: kind, cx, cy, rx, ry });
    return marked(tip, `s${style}`, ring('band'), ring('error'), markerAt(style, [cx, cy], 1.1));
  };
  const truth = marked(`true median: ${placeText(nonPrivate.place, names)}`, 'true', cross(at(nonPrivate.place)));
  const legend: LegendEntry[] = [
    ...estimates.map(({ name, style }) => ({ name, style })),
    { name: 'true median, of all points in the clear (cross)', style: 'solid' },
  ];
  return {
    label: ground.equal ? 'Map of the points and their median' : 'Points and medians',
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

/** A distance in its unit, but for the names of the coordinates, which stand for a unit that the schema does not name. */
export function distanceText(value: number, { unit, names }: Pick<PointRunDocument, 'unit' | 'names'>): string {
  if (unit === 'km' && value >= 10) return `${wholeNumber(value)} km`;
  const text = value === 0 ? '0' : compact(value);
  return unit === names.join(', ') ? text : `${text} ${unit}`;
}

export function placeText(place: Place, names: readonly string[]): string {
  return place.map((value, j) => `${names[j]} ${signed(Number(value.toFixed(2)))}`).join(', ');
}

const pixels = (place: Place): string => place.map((value) => value.toFixed(1)).join(' ');

function crowd(points: readonly Place[], at: At): Markup[] {
  const counts = new Map<string, number>();
  for (const place of points) {
    const key = pixels(at(place));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from(counts, ([key, count]) => {
    const [cx, cy] = key.split(' ').map(Number);
    return element('circle', { class: 'crowd', cx, cy, r: 3, style: `fill-opacity:${(1 - 0.8 ** count).toFixed(2)}` });
  });
}

const cross = ([left, top]: readonly [number, number]): Markup =>
  element('path', { class: 'level', d: `M${(left - 7).toFixed(2)} ${top.toFixed(2)}h14m-7 -7v14` });

function pieces(line: readonly Place[], inFrame: (place: Place) => boolean, at: At): Markup[] {
  let d = '';
  let drawing = false;
  for (const place of line) {
    const inside = inFrame(place);
    if (inside) d += `${drawing ? 'L' : 'M'}${pixels(at(place))}`;
    drawing = inside;
  }
  return d === '' ? [] : [element('path', { class: 'land', d })];
}

type Scale = ReturnType<typeof scaleLinear<number>>;

function frame(x: Scale, y: Scale, height: number, [across, up]: readonly string[]): Markup[] {
  const middle = (TOP + height - MARGIN) / 2;
  return [
    ...x.ticks(8).map((tick) => words('tick middle', { x: x(tick), y: height - 30 }, signed(tick))),
    ...y.ticks(6).map((tick) => words('tick end', { x: MARGIN - 8, y: y(tick), dy: '0.32em' }, signed(tick))),
    words('name middle', { x: WIDE / 2, y: height - 8 }, across),
    words('name middle', { transform: `translate(12 ${middle.toFixed(0)}) rotate(-90)` }, up),
  ];
}
