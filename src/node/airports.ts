import { dirname, join } from 'node:path';
import { refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import type { Population } from '../simulation/population.ts';
import type { PointRecord } from '../simulation/study.ts';
import { locateFlights } from './flights.ts';
import { readTable } from './table.ts';

const { cos, floor, hypot, PI } = Math;

/** A box of the map in degrees, which is mapped into the unit disc. */
export interface MapBounds {
  /** From south to north. */
  readonly latitude: readonly [number, number];
  /** From west to east. */
  readonly longitude: readonly [number, number];
}

/**
 * Public facts: the fifty states, Puerto Rico and the Virgin Islands lie between 17° (St. Croix: 17.6°) and 72° north
 * (Point
 * Barrow: 71.4°) and between 180° and 64° west. Nothing was looked up in the flights.
 */
export const UNITED_STATES: MapBounds = { latitude: [17, 72], longitude: [-180, -64] };

/** The map of a box onto the unit disc: its corners lie on the circle. */
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

/** The map of a box onto the unit disc. */
export function discMap({ latitude, longitude }: MapBounds = UNITED_STATES): DiscMap {
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
  /** d; 2 by default. */
  readonly dimension?: number;
  /** Codes of the places. */
  readonly codes: readonly string[];
  /** The place of each player, in the order of the file. */
  readonly players: Uint16Array | Uint32Array;
}

/**
 * The destinations of the flights in the npm package vega-datasets (data/flights-3m.parquet), as points of the disc.
 * Every player is one flight; its point is the airport it flies to (data/airports.csv).
 *
 * @throws RangeError when the files are not there or an airport is unknown or outside the bounds.
 */
export async function loadDestinations(
  map: DiscMap = discMap(),
  flights: string = locateFlights(),
): Promise<Destinations> {
  const known = new Map<string, [number, number]>();
  await readTable(join(dirname(flights), 'airports.csv'), ['iata', 'latitude', 'longitude'], {
    expect: () => {},
    add({ rows, columns: [codes, latitudes, longitudes] }) {
      for (let i = 0; i < rows; i++) {
        known.set(String(codes.values[i]), map.toDisc(Number(latitudes.values[i]), Number(longitudes.values[i])));
      }
    },
  });
  const places: number[] = [];
  const codes: string[] = [];
  const indices = new Map<unknown, number>();
  const indexOf = (code: unknown): number => {
    let index = indices.get(code);
    if (index === undefined) {
      const point = known.get(String(code));
      if (point === undefined || !(hypot(...point) <= 1)) {
        throw new RefusedValue('"destination" expected an airport of the table within the bounds, got another one');
      }
      index = codes.length;
      indices.set(code, index);
      codes.push(String(code));
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
  return { places: Float64Array.from(places), codes, players: players.subarray(0, count) };
}

/** Which players take part, and which of them lie. */
export interface Contamination {
  /** Number of players, spread evenly over the file; all by default. */
  readonly players?: number | undefined;
  /** The share of the players that report another place; 0 by default. */
  readonly share?: number;
  /** The place that they report. */
  readonly to?: readonly number[];
}

/** Destinations as a population, some of whose players were moved to one place. */
export interface MovedDestinations {
  /** The population. */
  readonly population: Population<PointRecord>;
  /** All points, the last of them the one that players are moved to, for a non-private reference. */
  readonly points: Float64Array;
  /** How many players are at each of the points after some were moved. */
  readonly counts: Float64Array;
  /** How many players would be at each of the points if nobody had been moved. */
  readonly trueCounts: Float64Array;
}

/**
 * The players of a simulation: an evenly spread choice of the flights. An evenly spread share of them is moved.
 *
 * @throws RangeError for more players than flights, or a share outside [0, 1).
 */
export function moveDestinations(destinations: Destinations, contamination: Contamination): MovedDestinations {
  const { places, players: all, dimension = 2 } = destinations;
  const { players = all.length, share = 0, to = new Array<number>(dimension).fill(0) } = contamination;
  if (!(players >= 1 && players <= all.length)) {
    throw new RefusedValue(refusal('players', `a whole number from 1 to ${all.length}`, players));
  }
  if (!(share >= 0 && share < 1)) throw new RefusedValue(refusal('moved', 'a share from 0 to below 1', share));
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
