import type { UserDatum } from '../../protocols/user-level-mean/shape.ts';
import { checkInteger, RefusedValue } from '../check/refusal.ts';
import type { Population } from '../simulation/runner.ts';
import { locateFlights } from './flights.ts';
import { loadPlayers, type PlayerRows } from './records.ts';
import { ownedBy, parseSchema } from './schema.ts';

const { floor, min } = Math;

/** Hours of a day, the coordinates of a profile. */
export const HOURS = 24;

/** Public bounds of a delay in minutes, fixed before any data are seen; player and truth are clipped to them alike. */
export const DELAY_BOUNDS: readonly [number, number] = [-60, 240];

/** The half year of flights of vega-datasets as players: all that left an airport on a day, with the hour, 0 … 23. */
export function loadAirportDays(data: string = locateFlights()): Promise<PlayerRows> {
  const [minimum, maximum] = DELAY_BOUNDS;
  const json = {
    label: { column: 'delay', minimum, maximum, unit: 1 },
    features: [{ column: 'date', part: 'hour', minimum: 0, maximum: HOURS - 1, range: [0, HOURS - 1] }],
  };
  const player = [
    { column: 'origin', part: undefined },
    { column: 'date', part: 'dayOfYear' },
  ] as const;
  return loadPlayers({ data, schema: ownedBy(parseSchema(json, 'regression'), player) });
}

/** Public cap on the flights of a player, the first in the file: a larger one weighs no more and works no longer. */
export const FLIGHT_CAP = 1000;

/** Where plans rely on a number of samples, players have at least so many departures by the public timetable. */
export const LEAST_FLIGHTS = 20;

/** Which players take part, and which of their flights count. */
export interface AirportDayChoice {
  /** Number of players, spread evenly over the file; all by default. */
  readonly players?: number | undefined;
  /** The largest number of flights of one player that count; {@link FLIGHT_CAP} by default. */
  readonly cap?: number;
  /** The least number of flights of an airport-day that plays; 1 by default. Public: the timetable shows it. */
  readonly least?: number;
}

/** The choice as ranges: player i has samples `from(i)` to `until(i) − 1`, or to `end(i) − 1` without the cap. */
export interface Chosen {
  readonly players: number;
  /** How many players have at least as many samples as required. */
  readonly all: number;
  from(index: number): number;
  until(index: number): number;
  end(index: number): number;
}

/** The players of a choice; refused for more players than there are. */
export function choose(
  { players: every, offsets }: Pick<PlayerRows, 'players' | 'offsets'>,
  { players: asked, cap = FLIGHT_CAP, least = 1 }: AirportDayChoice,
): Chosen {
  const rows: number[] = [];
  for (let row = 0; row < every; row++) if (offsets[row + 1] - offsets[row] >= least) rows.push(row);
  const all = rows.length;
  const players = asked === undefined ? all : checkInteger('players', asked, 1, all);
  checkInteger('cap', cap, 1);
  const rowOf = (index: number): number => rows[floor((index * all) / players)];
  const end = (index: number): number => offsets[rowOf(index) + 1];
  const from = (index: number): number => offsets[rowOf(index)];
  return { players, all, from, end, until: (index) => min(end(index), from(index) + cap) };
}

/** The same for the records of a file, which needs two or more players. */
export function chooseOwn(rows: Pick<PlayerRows, 'players' | 'offsets'>, choice: AirportDayChoice): Chosen {
  const chosen = choose(rows, { ...choice, players: undefined });
  const { least = 1 } = choice;
  if (chosen.all < 2) throw new RefusedValue('samples', 'a number that two or more players have', least);
  return choose(rows, choice);
}

export function totals({ players, from, until, end }: Chosen): readonly [all: number, counted: number] {
  let [all, counted] = [0, 0];
  for (let i = 0; i < players; i++) {
    all += end(i) - from(i);
    counted += until(i) - from(i);
  }
  return [all, counted];
}

/** Ranges of values as players of a user-level protocol, so many numbers a sample. Every call uses the same datum object. */
export function samplePopulation(
  { players, from, until }: Pick<Chosen, 'players' | 'from' | 'until'>,
  values: Float64Array,
  dimension: number = 1,
): Population<UserDatum> {
  const datum = { samples: values };
  return {
    players,
    datum(index) {
      datum.samples = values.subarray(from(index) * dimension, until(index) * dimension);
      return datum;
    },
  };
}

/** The delays as players of a user-level protocol, mapped from {@link DELAY_BOUNDS} to [−1, 1]. */
export function delayPopulation(days: PlayerRows, choice: AirportDayChoice = {}): Population<UserDatum> {
  return samplePopulation(choose(days, choice), days.responses.map(toUnit));
}

export function toUnit(minutes: number): number {
  const [low, high] = DELAY_BOUNDS;
  return (2 * minutes - low - high) / (high - low);
}

export function toMinutes(value: number): number {
  const [low, high] = DELAY_BOUNDS;
  return (low + high + value * (high - low)) / 2;
}

export const UNIT_MINUTES: number = (DELAY_BOUNDS[1] - DELAY_BOUNDS[0]) / 2;

/**
 * The hourly profiles of departures as players of a user-level protocol in 24 dimensions. A sample is one flight: the
 * indicator of its hour. So the local mean is the share of the day's flights that leave in each hour. Players provide
 * that mean as their one sample: what they send depends on nothing else.
 */
export function profilePopulation(days: PlayerRows, choice: AirportDayChoice = {}): Population<UserDatum> {
  const { players, from, until } = choose(days, choice);
  const profiles = new Float64Array(players * HOURS);
  for (let i = 0; i < players; i++) {
    const share = 1 / (until(i) - from(i));
    for (let flight = from(i); flight < until(i); flight++) profiles[i * HOURS + days.features[flight]] += share;
    // Rounding of the sum must not leave the box.
    for (let j = i * HOURS; j < (i + 1) * HOURS; j++) profiles[j] = min(1, profiles[j]);
  }
  return samplePopulation({ players, from: (index) => index, until: (index) => index + 1 }, profiles, HOURS);
}

/** What samples say without privacy, for comparison. */
interface SampleTruth {
  readonly records: number;
  readonly leftOut: number;
  /** Mean over all samples of the players: each sample counts once, also those beyond the cap. */
  readonly recordMean: Float64Array;
}

/** The mean over samples, of which `add` adds one to a sum, by its row. */
export function sampleTruth(
  chosen: Chosen,
  dimension: number,
  add: (sums: Float64Array, row: number) => void,
): SampleTruth {
  const sums = new Float64Array(dimension);
  for (let i = 0; i < chosen.players; i++) for (let row = chosen.from(i); row < chosen.end(i); row++) add(sums, row);
  const [records, counted] = totals(chosen);
  return { records, leftOut: records - counted, recordMean: sums.map((sum) => sum / records) };
}

/** The mean over flights, either of delays in minutes or of the indicators of hours. */
export function flightTruth(days: PlayerRows, what: 'delay' | 'hours', choice: AirportDayChoice = {}): SampleTruth {
  const { features, responses } = days;
  return sampleTruth(choose(days, choice), what === 'delay' ? 1 : HOURS, (sums, flight) => {
    if (what === 'delay') sums[0] += responses[flight];
    else sums[features[flight]]++;
  });
}

/** The mean over players of their local means, d numbers in the unit of the samples: each player counts once. */
export function meanOfMeans(population: Population<UserDatum>, dimension: number): Float64Array {
  const mean = new Float64Array(dimension);
  for (let i = 0; i < population.players; i++) {
    const { samples } = population.datum(i);
    const weight = dimension / samples.length / population.players;
    for (let j = 0; j < samples.length; j++) mean[j % dimension] += weight * samples[j];
  }
  return mean;
}
