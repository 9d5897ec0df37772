import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RefusedValue } from '../check/refusal.ts';
import { parseSchema, type Schema, type SchemaForm } from './schema.ts';

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

/** The path of the file of flights, where somebody said it. */
let placed: string | undefined;

/** Says where the file of flights is: a worker may have fetched it. */
export function placeFlights(path: string): void {
  placed = path;
}

/**
 * The path of the file of flights, in the vega-datasets package that Node finds from the working directory or from this
 * package.
 *
 * @throws RangeError saying what to do if it is not installed.
 */
export function locateFlights(): string {
  if (placed !== undefined) return placed;
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
/** Airports at which airlines of 2001 gathered their connections. */
const HUBS: readonly string[] = 'ATL CLT CVG DEN DFW DTW EWR IAH MSP ORD PHL PHX PIT SLC STL'.split(' ');

/** The delay as a number, as early or late, and in three classes. */
const DELAY_LABELS: { readonly [form in SchemaForm]?: object } = {
  regression: { column: 'delay', minimum: -60, maximum: 240, unit: 15 },
  sides: { column: 'delay', above: 0 },
  classes: { column: 'delay', bands: [0, 15] },
};

/**
 * The delay of three million flights within the United States, January to June 2001, in the order in which they left.
 * The model predicts minutes late from the hour of departure, the distance and whether the flight leaves from or goes
 * to a hub.
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

/**
 * Whether flights are late, for players that are an airport on one day. There are few features, because the error of a
 * descent by signs grows with their number; every bound is public.
 */
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
