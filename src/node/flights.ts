import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { checkInteger, RefusedValue } from '../check/refusal.ts';
import type { Population } from '../simulation/runner.ts';
import type { PointRecord } from '../simulation/study.ts';
import { readJsonDocument } from './files.ts';
import { parseSchema, type Schema, type SchemaForm } from './schema.ts';
import { readTable } from './table.ts';

const { PI, cos, floor, hypot } = Math;

/** The busier airports of the Pacific and the Mountain time zones. */
const WEST: readonly string[] = 'SEA PDX SMF SFO OAK SJC BUR LAX ONT SNA SAN RNO LAS PHX TUS SLC DEN ABQ'.split(' ');

/**
 * Three million flights within the United States, January to June 2001: is a flight late, given when and where it
 * flies? 45 % are (`delay` > 0, minutes). The file is `data/flights-3m.parquet` of the npm package vega-datasets.
 *
 * Fourteen coordinates. Every bound is a public fact: the calendar, and the longest scheduled domestic flight, Boston
 * to Honolulu, 5,095 miles. *Which* features to use was chosen by looking at these flights, which is allowed with
 * public data; with private data this choice must be made beforehand. Few flights use any one airport, so its indicator
 * is 0 or 2 rather than ±1: a −1 for almost everybody would only repeat the constant.
 */
export function flightsSchema(): Schema {
  return parseSchema({
    title: 'Three million US flights, January to June 2001 (vega-datasets)',
    label: { column: 'delay', above: 0 },
    features: [
      { constant: 0.5 },
      { name: 'hour', column: 'date', part: 'hour', cycle: 24 },
      { name: 'half-day', column: 'date', part: 'hour', cycle: 12 },
      { column: 'date', part: 'month', cycle: 12 },
      { name: 'Thursday or Friday', column: 'date', part: 'weekday', indicator: [4, 5] },
      { name: 'from the West', column: 'origin', indicator: WEST },
      { name: 'to the West', column: 'destination', indicator: WEST },
      // Three of the busiest airports to leave from; the hubs of one carrier; the far corner of the map.
      { column: 'origin', indicator: ['ATL', 'DFW', 'PHX'], range: [0, 2] },
      { column: 'destination', indicator: ['DTW', 'MEM', 'MSP'], range: [0, 2] },
      { column: 'destination', indicator: ['SEA'], range: [0, 2] },
      { column: 'distance', minimum: 0, maximum: 5100, range: [0, 1] },
    ],
    normalize: 'unit',
  });
}

/** The paths of the files of flights and of airports. */
export interface FlightFiles {
  readonly flights?: string | undefined;
  readonly airports?: string | undefined;
}

/** The paths that somebody said. */
let placed: FlightFiles = {};

/** Says where the files of flights are: a worker may have fetched them, each into a folder of its own. */
export function placeFlights(files: FlightFiles): void {
  placed = files;
}

/**
 * The path of the file of flights, in the vega-datasets package that Node finds from the working directory or from this
 * package.
 * @throws RangeError saying what to do if it is not installed.
 */
export function locateFlights(): string {
  if (placed.flights !== undefined) return placed.flights;
  for (const place of [join(process.cwd(), 'package.json'), import.meta.url as string | undefined]) {
    if (place === undefined) continue;
    try {
      // The package exports only its code, which is one folder beside its data.
      const code = createRequire(place).resolve('vega-datasets');
      const path = join(dirname(code), '..', 'data', 'flights-3m.parquet');
      if (existsSync(path)) return path;
    } catch {
      // Not found from here: try the next place.
    }
  }
  throw new RefusedValue(
    '"data" expected a file (--data), or the npm package vega-datasets for the flights, got neither',
  );
}

/** The path of the table of airports, which is beside the flights in vega-datasets. */
export function locateAirports(flights: string = locateFlights()): string {
  return placed.airports ?? join(dirname(flights), 'airports.csv');
}

/** Airports at which airlines of 2001 gathered their connections. */
const HUBS: readonly string[] = 'ATL CLT CVG DEN DFW DTW EWR IAH MSP ORD PHL PHX PIT SLC STL'.split(' ');

/** The delay as a number, as early or late, and in three classes. */
const DELAY_LABELS: { readonly [form in SchemaForm]?: object } = {
  regression: { column: 'delay', minimum: -60, maximum: 240, unit: 15 },
  sides: { column: 'delay', above: 0 },
  classes: { column: 'delay', bands: [0, 15] },
};

/**
 * The delay of the same flights in the order in which they left, from the hour of departure, the distance, and hubs.
 *
 * Every bound is public: the calendar, the longest scheduled domestic flight (5,095 miles), and a delay from one hour
 * early to four hours late, to which it is clipped. The government calls a flight late from 15 minutes on; that is the
 * unit. Features are roughly centred by numbers chosen beforehand: the intercept is then nearly uncorrelated with them,
 * and the stream settles sooner.
 */
export function flightDelaySchema(form: SchemaForm = 'regression'): Schema {
  const json = {
    title: 'Three million US flights, January to June 2001, in the order of their departure (vega-datasets)',
    label: DELAY_LABELS[form],
    order: 'date',
    features: [
      { name: 'hour', column: 'date', part: 'hour', cycle: 24 },
      { name: '1000 miles', column: 'distance', minimum: 0, maximum: 5100, range: [-0.75, 4.35] },
      { name: 'from a hub', column: 'origin', indicator: HUBS, range: [-0.5, 0.5] },
      { name: 'to a hub', column: 'destination', indicator: HUBS, range: [-0.5, 0.5] },
    ],
  };
  return parseSchema(json, form);
}

/** Whether flights of an airport-day are late. Features are few: the error of a descent by signs grows with them. */
export function flightPlayersSchema(): Schema {
  return parseSchema(
    {
      title: 'Flights of an airport-day, January to June 2001 (vega-datasets): is one late?',
      player: ['origin', { column: 'date', part: 'dayOfYear' }],
      label: { column: 'delay', above: 0 },
      features: [{ constant: 1 }, { name: 'hour', column: 'date', part: 'hour', cycle: 24 }],
      normalize: 'unit',
    },
    'players',
  );
}

/**
 * The box of the map in degrees, by public facts: the fifty states, Puerto Rico and the Virgin Islands lie between 17°
 * (St. Croix: 17.6°) and 72° north (Point Barrow: 71.4°) and between 180° and 64° west.
 */
export const UNITED_STATES: { readonly [angle in 'latitude' | 'longitude']: readonly [number, number] } = {
  latitude: [17, 72],
  longitude: [-180, -64],
};

/** The map of the United States onto the unit disc: the corners of their box lie on the circle. */
export interface DiscMap {
  /** (east, north) of a place, in half diagonals of the box; longitudes are scaled as at its middle latitude. */
  toDisc(latitude: number, longitude: number): [number, number];
  /** Latitude and longitude of a point. */
  fromDisc(point: ArrayLike<number>): [number, number];
  /** Length of one unit in km, along a meridian; up to 30 % wrong along parallels far from the middle. */
  readonly kilometres: number;
  /** The north-western corner: as far from nearly all players as the disc allows. */
  readonly farCorner: readonly [number, number];
}

/** km in one degree of latitude. */
const DEGREE = 111.2;

export function discMap(): DiscMap {
  const { latitude, longitude } = UNITED_STATES;
  const [middle, centre] = [latitude, longitude].map(([from, to]) => (from + to) / 2);
  const shrink = cos((middle * PI) / 180);
  const half = hypot(latitude[1] - middle, (longitude[1] - centre) * shrink);
  const toDisc = (north: number, east: number): [number, number] => [
    ((east - centre) * shrink) / half,
    (north - middle) / half,
  ];
  return {
    toDisc,
    fromDisc: (point) => [middle + point[1] * half, centre + (point[0] * half) / shrink],
    kilometres: half * DEGREE,
    farCorner: toDisc(latitude[1], longitude[0]),
  };
}

/** Where flights go: a few places, and for every player its destination among them. */
export interface Destinations {
  /** Place i is entries d·i … d·i + d − 1, d = 2 for the points of the disc. */
  readonly places: Float64Array;
  readonly dimension?: number;
  /** The place of each player, in the order of the file. */
  readonly players: Uint16Array | Uint32Array;
}

/** The flights of vega-datasets as players, each the point of the airport that it flies to (data/airports.csv). */
export async function loadDestinations(map: DiscMap, flights: string = locateFlights()): Promise<Destinations> {
  const known = new Map<string, [number, number]>();
  await readTable(locateAirports(flights), ['iata', 'latitude', 'longitude'], {
    expect: () => {},
    add({ rows, columns: [codes, latitudes, longitudes] }) {
      for (let i = 0; i < rows; i++) {
        known.set(String(codes.values[i]), map.toDisc(Number(latitudes.values[i]), Number(longitudes.values[i])));
      }
    },
  });
  const places: number[] = [];
  const indices = new Map<unknown, number>();
  const indexOf = (code: unknown): number => {
    let index = indices.get(code);
    if (index === undefined) {
      const point = known.get(String(code));
      if (point === undefined || !(hypot(...point) <= 1)) {
        throw new RefusedValue('"destination" expected an airport of the table within the bounds, got another one');
      }
      index = indices.size;
      indices.set(code, index);
      places.push(...point);
    }
    return index;
  };
  let players: Uint16Array = new Uint16Array(0);
  let count = 0;
  await readTable(flights, ['destination'], {
    expect: (rows) => {
      players = new Uint16Array(rows);
    },
    add({ rows, columns: [destinations] }) {
      for (let i = 0; i < rows; i++) players[count++] = indexOf(destinations.values[i]);
    },
  });
  return { places: Float64Array.from(places), players: players.subarray(0, count) };
}

/** The number of players that take part, all by default, and the share of them that report another place, none by default. */
interface Contamination {
  readonly players?: number | undefined;
  readonly share?: number;
  readonly to?: readonly number[];
}

/** Destinations as a population, some of whose players were moved to one place. */
export interface MovedDestinations {
  readonly population: Population<PointRecord>;
  /** All points, the last of them the one that players are moved to, for a non-private reference. */
  readonly points: Float64Array;
  /** How many players are at each of the points after some were moved, and how many would be if nobody had been. */
  readonly counts: Float64Array;
  readonly trueCounts: Float64Array;
}

/** The players of a simulation: an evenly spread choice of the flights. An evenly spread share of them is moved. */
export function moveDestinations(destinations: Destinations, contamination: Contamination): MovedDestinations {
  const { places, players: all, dimension = 2 } = destinations;
  const { players = all.length, share = 0, to = new Array<number>(dimension).fill(0) } = contamination;
  checkInteger('players', players, 1, all.length);
  if (!(share >= 0 && share < 1)) throw new RefusedValue('moved', 'a share from 0 to below 1', share);
  const points = Float64Array.from([...places, ...to]);
  const last = points.length / dimension - 1;
  const rowOf = (i: number): number => all[floor((i * all.length) / players)];
  // Every 1/share-th player, at any position in the file.
  const placeOf = (i: number): number => (floor((i + 1) * share) > floor(i * share) ? last : rowOf(i));
  const counts = new Float64Array(last + 1);
  const trueCounts = new Float64Array(last + 1);
  for (let i = 0; i < players; i++) {
    counts[placeOf(i)]++;
    trueCounts[rowOf(i)]++;
  }
  const point = new Float64Array(dimension);
  const datum = (i: number): PointRecord => {
    const from = placeOf(i) * dimension;
    for (let j = 0; j < dimension; j++) point[j] = points[from + j];
    return { point };
  };
  return { population: { players, datum }, points, counts, trueCounts };
}

type Degrees = readonly [latitude: number, longitude: number];
type Line = readonly Degrees[];

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
    return arcs[arc].map(([right, up]): Degrees => {
      [x, y] = [x + right, y + up];
      return [y * scale[1] + translate[1], x * scale[0] + translate[0]];
    });
  });
  const wide = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
  const extent = (line: Line): number => Math.max(wide(line.map(([y]) => y)), wide(line.map(([, x]) => x)));
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
function distance([y, x]: Degrees, [fromY, fromX]: Degrees, [toY, toX]: Degrees): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length));
  return Math.hypot(x - fromX - share * dx, y - fromY - share * dy);
}
