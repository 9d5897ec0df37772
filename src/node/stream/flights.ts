import { parseRegressionSchema, type RegressionSchema } from './schema.ts';

/** Airports at which airlines of 2001 gathered their connections. */
const HUBS: readonly string[] = 'ATL CLT CVG DEN DFW DTW EWR IAH MSP ORD PHL PHX PIT SLC STL'.split(' ');

/**
 * The delay of three million flights within the United States, January to June 2001, in the order in which they left: minutes
 * late, given the hour of the departure, the distance and whether the flight leaves from or goes to a hub.
 *
 * Every bound is public: the calendar, the longest scheduled domestic flight (5,095 miles), and a delay of an hour early to four
 * hours late, beyond which it is cut off. A unit of 15 minutes is what the government calls late. Features are about centred, by
 * numbers chosen beforehand: the intercept is then hardly correlated with them, and the stream settles sooner.
 */
export function flightDelaySchema(): RegressionSchema {
  return parseRegressionSchema({
    title: 'Three million US flights, January to June 2001, in the order of their departure (vega-datasets)',
    label: { column: 'delay', minimum: -60, maximum: 240, unit: 15 },
    order: 'date',
    features: [
      { name: 'hour', column: 'date', part: 'hour', cycle: 24 },
      { name: '1000 miles', column: 'distance', minimum: 0, maximum: 5100, range: [-0.75, 4.35] },
      { name: 'from a hub', column: 'origin', indicator: HUBS, range: [-0.5, 0.5] },
      { name: 'to a hub', column: 'destination', indicator: HUBS, range: [-0.5, 0.5] },
    ],
  });
}
