import type { UserDatum } from '../../protocols/user-level-mean/shape.ts';
import { checkInteger } from '../check/number.ts';
import type { Population } from '../simulation/population.ts';
import { type AirportDays, DELAY_BOUNDS, HOURS } from './airport-days.ts';

const { floor, min } = Math;

/**
 * Public cap on the flights of one player: of a day with more, the first ones in the file count. No player weighs more for having
 * more flights than that, and no device works longer.
 */
export const FLIGHT_CAP = 1000;

/** Which of the players, and which of their flights. */
export interface AirportDayChoice {
  /** Number of players, spread evenly over the file; all by default. */
  readonly players?: number | undefined;
  /** Flights of one player that count at most; {@link FLIGHT_CAP} by default. */
  readonly cap?: number;
  /** Flights that an airport-day has at least, to be a player; 1 by default. Public: how many there are is in the timetable. */
  readonly least?: number;
}

/** The choice as ranges of flights: those of player i are `from(i)` to `until(i) − 1`. */
interface Chosen {
  readonly players: number;
  from(index: number): number;
  until(index: number): number;
}

function choose(days: AirportDays, { players: asked, cap = FLIGHT_CAP, least = 1 }: AirportDayChoice): Chosen {
  const { offsets } = days;
  const rows: number[] = [];
  for (let row = 0; row < days.players; row++) if (offsets[row + 1] - offsets[row] >= least) rows.push(row);
  const all = rows.length;
  const players = asked === undefined ? all : checkInteger('players', asked, 1, all);
  checkInteger('cap', cap, 1);
  const rowOf = (index: number): number => rows[floor((index * all) / players)];
  return {
    players,
    from: (index) => offsets[rowOf(index)],
    until: (index) => min(offsets[rowOf(index) + 1], offsets[rowOf(index)] + cap),
  };
}

/**
 * The delays as players of a user-level protocol, brought from {@link DELAY_BOUNDS} to [−1, 1]. One datum object is used for every
 * call.
 *
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

/** Minutes to the unit interval of the protocol. */
export function toUnit(minutes: number): number {
  const [low, high] = DELAY_BOUNDS;
  return (2 * minutes - low - high) / (high - low);
}

/** And back. */
export function toMinutes(value: number): number {
  const [low, high] = DELAY_BOUNDS;
  return (low + high + value * (high - low)) / 2;
}

/** Minutes in one unit of the protocol. */
export const UNIT_MINUTES: number = (DELAY_BOUNDS[1] - DELAY_BOUNDS[0]) / 2;

/**
 * The hourly profiles of departures as players of a user-level protocol in 24 dimensions: a sample is one flight, the indicator
 * of its hour, so that the local mean is the share of the day's flights that leave in each hour. Players hand over that mean as
 * their one sample: what they send depends on nothing else.
 *
 * @throws RangeError for more players than there are.
 */
export function profilePopulation(days: AirportDays, choice: AirportDayChoice = {}): Population<UserDatum> {
  const { players, from, until } = choose(days, choice);
  const profiles = new Float64Array(players * HOURS);
  for (let i = 0; i < players; i++) {
    const share = 1 / (until(i) - from(i));
    for (let flight = from(i); flight < until(i); flight++) profiles[i * HOURS + days.hours[flight]] += share;
    // Rounding of the sum must not lead out of the box.
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

/** What the flights say in the clear, for comparison. */
export interface AirportDayTruth {
  /** Flights of the players chosen, all of them. */
  readonly flights: number;
  /** Flights beyond the cap. */
  readonly leftOut: number;
  /** Mean over all flights of the players: a flight counts once, and those beyond the cap count too. */
  readonly flightMean: Float64Array;
}

/** The mean over flights, of delays in minutes or of the indicators of hours. */
export function flightTruth(
  days: AirportDays,
  what: 'delay' | 'hours',
  choice: AirportDayChoice = {},
): AirportDayTruth {
  const { players, from, until } = choose(days, choice);
  const uncapped = choose(days, { ...choice, cap: Number.MAX_SAFE_INTEGER });
  const flightMean = new Float64Array(what === 'delay' ? 1 : HOURS);
  let flights = 0;
  let counted = 0;
  for (let i = 0; i < players; i++) {
    counted += until(i) - from(i);
    for (let flight = from(i); flight < uncapped.until(i); flight++, flights++) {
      if (what === 'delay') flightMean[0] += days.delays[flight];
      else flightMean[days.hours[flight]]++;
    }
  }
  return { flights, leftOut: flights - counted, flightMean: flightMean.map((sum) => sum / flights) };
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
