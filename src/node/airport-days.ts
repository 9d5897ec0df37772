import type { UserDatum } from '../../protocols/user-level-mean/shape.ts';
import { checkInteger, RefusedValue } from '../check/refusal.ts';
import type { Population } from '../simulation/runner.ts';
import { fileRefusal } from './files.ts';
import { locateFlights } from './flights.ts';
import { gathered } from './records.ts';
import { readNumbers, readTable, readTimes } from './table.ts';

const { floor, max, min } = Math;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hours of a day, the coordinates of a profile. */
export const HOURS = 24;

/**
 * Public bounds of a delay in minutes, fixed before any data are seen: an hour early, four hours late. The player clips
 * a delay to these bounds; the truth that an estimate is compared with is clipped in the same way.
 */
export const DELAY_BOUNDS: readonly [number, number] = [-60, 240];

/** Flights grouped by the airport they leave from and by the day: every pair is one player. */
export interface AirportDays {
  /** Number of players, in the order of their first flight in the file. */
  readonly players: number;
  /** The flights of player i are entries `offsets[i]` to `offsets[i + 1] − 1` of `delays` and `hours`. */
  readonly offsets: Uint32Array;
  /** Minutes late, within {@link DELAY_BOUNDS}. */
  readonly delays: Float64Array;
  /** Hour of the departure, 0 … 23. */
  readonly hours: Uint8Array;
}

/**
 * The flights in the npm package vega-datasets (data/flights-3m.parquet) as players with several samples each: the
 * delays of all flights that left one airport on one day.
 * @throws RangeError when the file is not there, lacks a column or has no record.
 */
export async function loadAirportDays(flights: string = locateFlights()): Promise<AirportDays> {
  let expected = 0;
  let rows = 0;
  let player = new Uint32Array(0);
  let late = new Float64Array(0);
  let hour = new Uint8Array(0);
  const codes = new Map<string, number>();
  const known = new Map<number, number>();
  await readTable(flights, ['date', 'origin', 'delay'], {
    expect(atMost) {
      expected = atMost;
      player = new Uint32Array(atMost);
      late = new Float64Array(atMost);
      hour = new Uint8Array(atMost);
    },
    add({ rows: count, columns: [dates, origins, delays] }) {
      if (rows + count > expected) throw fileRefusal('data', 'a file that does not change while it is read', flights);
      const times = new Float64Array(count);
      readTimes(dates, 0, count, { column: 'date', row: rows + 1 }, true, times);
      readNumbers(delays, 0, count, { column: 'delay', row: rows + 1 }, late.subarray(rows));
      for (let i = 0; i < count; i++, rows++) {
        const code = String(origins.values[i]);
        let place = codes.get(code);
        if (place === undefined) codes.set(code, (place = codes.size));
        const day = floor(times[i] / DAY);
        // Both are far below 2²⁶.
        const key = day * 2 ** 20 + place;
        let index = known.get(key);
        if (index === undefined) known.set(key, (index = known.size));
        player[rows] = index;
        late[rows] = max(DELAY_BOUNDS[0], min(DELAY_BOUNDS[1], late[rows]));
        hour[rows] = floor((times[i] - day * DAY) / HOUR);
      }
    },
  });
  if (rows === 0) throw fileRefusal('data', 'a file with one or more records', flights);
  const players = known.size;
  const { offsets, places } = gathered(player.subarray(0, rows), players);
  return {
    players,
    offsets,
    delays: Float64Array.from(places, (place) => late[place]),
    hours: Uint8Array.from(places, (place) => hour[place]),
  };
}

/**
 * Public cap on the flights of one player: where a day has more, only the first ones in the file count. A player with
 * more flights than that weighs no more and its device works no longer.
 */
export const FLIGHT_CAP = 1000;

/**
 * Where plans rely on a number of samples of every player, the players are the airport-days with at least so many
 * departures. The timetable shows which these are, so the set of players is public.
 */
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

/**
 * The players of a choice.
 * @throws RangeError for more players than there are.
 */
export function choose(
  { players: every, offsets }: Pick<AirportDays, 'players' | 'offsets'>,
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

/**
 * The same for the records of a file, which needs two or more players.
 * @throws RangeError also where fewer than two players have as many samples as required.
 */
export function chooseOwn(rows: Pick<AirportDays, 'players' | 'offsets'>, choice: AirportDayChoice): Chosen {
  const chosen = choose(rows, { ...choice, players: undefined });
  const { least = 1 } = choice;
  if (chosen.all < 2) throw new RefusedValue('samples', 'a number that two or more players have', least);
  return choose(rows, choice);
}

/** How many samples the players of a choice have, and how many of them count. */
export function totals({ players, from, until, end }: Chosen): readonly [all: number, counted: number] {
  let [all, counted] = [0, 0];
  for (let i = 0; i < players; i++) {
    all += end(i) - from(i);
    counted += until(i) - from(i);
  }
  return [all, counted];
}

/**
 * The delays as players of a user-level protocol, mapped from {@link DELAY_BOUNDS} to [−1, 1]. Every call uses the same
 * datum object.
 * @throws RangeError for more players than there are.
 */
export function delayPopulation(days: AirportDays, choice: AirportDayChoice = {}): Population<UserDatum> {
  const { players, from, until } = choose(days, choice);
  const scaled = days.delays.map(toUnit);
  const datum = { samples: scaled };
  return {
    players,
    datum(index) {
      datum.samples = scaled.subarray(from(index), until(index));
      return datum;
    },
  };
}

/** Maps minutes to the unit interval of the protocol. */
export function toUnit(minutes: number): number {
  const [low, high] = DELAY_BOUNDS;
  return (2 * minutes - low - high) / (high - low);
}

/** Maps a value of the protocol back to minutes. */
export function toMinutes(value: number): number {
  const [low, high] = DELAY_BOUNDS;
  return (low + high + value * (high - low)) / 2;
}

/** Minutes in one unit of the protocol. */
export const UNIT_MINUTES: number = (DELAY_BOUNDS[1] - DELAY_BOUNDS[0]) / 2;

/**
 * The hourly profiles of departures as players of a user-level protocol in 24 dimensions. A sample is one flight: the
 * indicator of its hour. So the local mean is the share of the day's flights that leave in each hour. Players provide
 * that mean as their one sample: what they send depends on nothing else.
 * @throws RangeError for more players than there are.
 */
export function profilePopulation(days: AirportDays, choice: AirportDayChoice = {}): Population<UserDatum> {
  const { players, from, until } = choose(days, choice);
  const profiles = new Float64Array(players * HOURS);
  for (let i = 0; i < players; i++) {
    const share = 1 / (until(i) - from(i));
    for (let flight = from(i); flight < until(i); flight++) profiles[i * HOURS + days.hours[flight]] += share;
    // Rounding of the sum must not leave the box.
    for (let j = i * HOURS; j < (i + 1) * HOURS; j++) profiles[j] = min(1, profiles[j]);
  }
  const datum = { samples: profiles };
  return {
    players,
    datum(index) {
      datum.samples = profiles.subarray(index * HOURS, (index + 1) * HOURS);
      return datum;
    },
  };
}

/** What the flights say without privacy, for comparison. */
export interface AirportDayTruth {
  /** All flights of the chosen players. */
  readonly records: number;
  /** Flights beyond the cap. */
  readonly leftOut: number;
  /** Mean over all flights of the players: each flight counts once, also those beyond the cap. */
  readonly recordMean: Float64Array;
}

/** The mean over flights, either of delays in minutes or of the indicators of hours. */
export function flightTruth(
  days: AirportDays,
  what: 'delay' | 'hours',
  choice: AirportDayChoice = {},
): AirportDayTruth {
  const chosen = choose(days, choice);
  const { players, from, end } = chosen;
  const sums = new Float64Array(what === 'delay' ? 1 : HOURS);
  for (let i = 0; i < players; i++) {
    for (let flight = from(i); flight < end(i); flight++) {
      if (what === 'delay') sums[0] += days.delays[flight];
      else sums[days.hours[flight]]++;
    }
  }
  const [records, counted] = totals(chosen);
  return { records, leftOut: records - counted, recordMean: sums.map((sum) => sum / records) };
}

/**
 * The mean over players of their local means: each player counts once.
 *
 * Shape: d numbers, in the unit of the samples.
 */
export function meanOfMeans(population: Population<UserDatum>, dimension: number): Float64Array {
  const mean = new Float64Array(dimension);
  for (let i = 0; i < population.players; i++) {
    const { samples } = population.datum(i);
    const weight = dimension / samples.length / population.players;
    for (let j = 0; j < samples.length; j++) mean[j % dimension] += weight * samples[j];
  }
  return mean;
}
