import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSchema, type Schema } from './schema.ts';

/** The busier airports of the Pacific and the Mountain time zones. */
const WEST: readonly string[] = 'SEA PDX SMF SFO OAK SJC BUR LAX ONT SNA SAN RNO LAS PHX TUS SLC DEN ABQ'.split(' ');

/**
 * Three million flights within the United States, January to June 2001: is a flight late, given when and where it
 * flies? 45 % are (`delay` > 0, minutes). The file is `data/flights-3m.parquet` of the npm package vega-datasets.
 *
 * Fourteen coordinates. Every bound is a public fact: the calendar, and the longest scheduled domestic flight, Boston to
 * Honolulu, 5,095 miles. *Which* features to use was chosen by looking at these flights, as one may with public
 * data; whoever has private data must choose beforehand. Few flights touch any one airport, so its indicator
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

/**
 * The path of the flights' file, in the vega-datasets package that can be seen from the working directory or from
 * this package.
 *
 * @throws RangeError saying what to do if it is not installed.
 */
export function locateFlights(): string {
  for (const place of [join(process.cwd(), 'package.json'), import.meta.url as string | undefined]) {
    if (place === undefined) continue;
    try {
      // The package exports only its code, which is one folder beside its data.
      const code = createRequire(place).resolve('vega-datasets');
      const path = join(dirname(code), '..', 'data', 'flights-3m.parquet');
      if (existsSync(path)) return path;
    } catch {
      // Not to be seen from here: look from the next place.
    }
  }
  throw new RangeError(
    '"data" expected a file (--data), or the npm package vega-datasets for the flights, got neither',
  );
}
