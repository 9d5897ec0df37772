import type { FoundMean, UserDatum } from '../../../../protocols/user-level-mean/shape.ts';
import { checkInteger, checkRange, RefusedValue } from '../../../check/refusal.ts';
import type { Population } from '../../../simulation/runner.ts';
import {
  type AirportDayChoice,
  chooseOwn,
  DELAY_BOUNDS,
  delayPopulation,
  FLIGHT_CAP,
  flightTruth,
  HOURS,
  LEAST_FLIGHTS,
  meanOfMeans,
  profilePopulation,
  samplePopulation,
  sampleTruth,
  toMinutes,
  UNIT_MINUTES,
} from '../../airport-days.ts';
import { signed, wholeNumber } from '../../print.ts';
import type { PlayerRows } from '../../records.ts';
import { inColumn, type Schema, scaleOf } from '../../schema.ts';

const { hypot, sqrt } = Math;

/** A question to players with several samples, with its non-private answer. */
export interface Question {
  /** The mean delay of the airport-days, the hours of their departures, or the mean of a file. */
  readonly name: 'delay' | 'hours' | 'mean';
  /** A player and a sample, as words: `an airport on a day`, `flight`. */
  readonly player: string;
  readonly sample: string;
  /** Of the coordinates. */
  readonly names: readonly string[];
  readonly title: string;
  /** Of answers, and of errors. */
  readonly unit: string;
  readonly dimension: number;
  /** Whether samples lie in the unit ball. */
  readonly inBall: boolean;
  /** m, the number of samples that every player has at least; plans are made for it. */
  readonly samples: number;
  /** m for variants that derive from it the law of local means, not only the spread, for samples that are dependent. */
  readonly samplesOf?: { readonly [variant: string]: number };
  /** s, the agreed standard deviation of one sample for plans, in the unit of the protocol; absent if there is none. */
  readonly spread?: number;
  /** One unit of the protocol in units of the question. */
  readonly scale: number;
  /** What is public before the collection, in one sentence. */
  readonly agreed: string;
  readonly population: Population<UserDatum>;
  /** Samples of the players, and those beyond the cap, which do not count. */
  readonly records: number;
  readonly leftOut: number;
  /** The mean over players of their local means, in the unit of the question: what is estimated. */
  readonly truth: Float64Array;
  /** The mean over all samples, where players with many samples weigh more: not what is estimated. */
  readonly recordMean: Float64Array;
  /** Answers that need no player, in the unit of the question, and where they come from; the zero baseline first. */
  readonly guesses: { readonly [name: string]: { readonly value: Float64Array; readonly description: string } };
  /** Converts from the unit of the protocol to the unit of the question. */
  fromProtocol(value: number): number;
}

/**
 * m that a plan of `oneBit` is made for. Flights of one airport on one day are late together, so the law of days is as skewed as that
 * of one flight, for any number of flights. That this m is better was found on these flights, which is allowed with public data only.
 */
const ALIKE_SAMPLES = 1;

/** The agreed standard deviation of the delay of one flight, in minutes, for plans that have to know it. */
const DELAY_SPREAD = 30;

/** m that plans for hours are made for: flights of a typical airport on one day, by the public timetables. */
const HOUR_SAMPLES = 14;

/** The same for plans that compute s/√m in the mean square: the harmonic mean of the flights of airport-days, 6.6, rounded down. */
const HARMONIC_HOUR_SAMPLES = 6;

/** The mean delay of an airport-day, in minutes. */
export function delayQuestion(days: PlayerRows, chosen: AirportDayChoice = {}): Question {
  const choice = { ...chosen, least: LEAST_FLIGHTS };
  const population = delayPopulation(days, choice);
  const [low, high] = DELAY_BOUNDS;
  return {
    ...{ name: 'delay', player: 'an airport on a day', sample: 'flight', names: ['delay'] },
    ...{ title: 'mean delay of an airport-day', unit: 'minutes', dimension: 1, inBall: false },
    samples: LEAST_FLIGHTS,
    samplesOf: { oneBit: ALIKE_SAMPLES },
    spread: DELAY_SPREAD / UNIT_MINUTES,
    scale: UNIT_MINUTES,
    agreed:
      `Agreed beforehand: delays are cut off at ${signed(low)} and ${high} minutes, at most ${wholeNumber(FLIGHT_CAP)} flights of a player count, ` +
      `players are the airport-days with ${LEAST_FLIGHTS} departures or more in the timetable, a flight varies by ${DELAY_SPREAD} minutes, and oneBit takes a day for one sample, because flights of one day are late together.`,
    population,
    ...flightTruth(days, 'delay', choice),
    truth: meanOfMeans(population, 1).map(toMinutes),
    guesses: { zero: { value: new Float64Array(1), description: '0 minutes, guessed: flights are on time' } },
    fromProtocol: toMinutes,
  };
}

/** The share of departures in each of the 24 hours of an airport-day. */
export function hoursQuestion(days: PlayerRows, choice: AirportDayChoice = {}): Question {
  const population = profilePopulation(days, choice);
  return {
    ...{ name: 'hours', player: 'an airport on a day', sample: 'flight' },
    names: Array.from({ length: HOURS }, (_, hour) => String(hour)),
    title: 'hourly profile of departures of an airport-day',
    unit: 'share of departures, ℓ₂ over 24 hours',
    ...{ dimension: HOURS, inBall: true },
    samples: HOUR_SAMPLES,
    samplesOf: { twoRound: HARMONIC_HOUR_SAMPLES },
    // The mean squared distance of an indicator from its mean is 1 − ‖mean‖² ≤ 1, over all hours.
    spread: 1 / Math.sqrt(HOURS),
    scale: 1,
    agreed:
      `Agreed beforehand: at most ${wholeNumber(FLIGHT_CAP)} flights of a player count, and plans are made for ${HOUR_SAMPLES} flights ` +
      `a player, for ${HARMONIC_HOUR_SAMPLES} (their harmonic mean) where they are told that a flight varies by at most 1/√24 an hour. A sample is ` +
      'one flight, the indicator of its hour.',
    population,
    ...flightTruth(days, 'hours', choice),
    truth: meanOfMeans(population, HOURS),
    guesses: {
      zero: { value: new Float64Array(HOURS), description: 'no departure in any hour' },
      uniform: { value: new Float64Array(HOURS).fill(1 / HOURS), description: 'as many departures in every hour' },
    },
    fromProtocol: (value) => value,
  };
}

/** What is known about the rows of a file before they are read: the least number of a player, and the deviation of one if it is public. */
interface OwnRows {
  readonly title: string;
  readonly schema: Pick<Schema, 'features' | 'names'>;
  readonly samples: number;
  readonly spread: number | undefined;
  readonly players: number | undefined;
}

/** The mean over the players of a file of their own means, of one coordinate in its unit, of several in units of half the range of each. */
export function ownQuestion(rows: PlayerRows, { title, schema, samples, spread, players }: OwnRows): Question {
  const { features: coordinates, names } = schema;
  const { dimension, offsets } = rows;
  const chosen = chooseOwn(rows, { players, least: samples });
  const values = Float64Array.from(rows.features);
  const population = samplePopulation(chosen, values, dimension);
  const scalar = dimension === 1;
  const scale = scalar ? scaleOf(coordinates[0]) : 1;
  const fromProtocol = (value: number): number => (scalar ? inColumn(coordinates[0], value) : value);
  const { recordMean, ...counts } = sampleTruth(chosen, dimension, (sums, row) => {
    for (let j = 0; j < dimension; j++) sums[j] += values[row * dimension + j];
  });
  const bounds = coordinates.flatMap((one) =>
    'minimum' in one ? [`${one.column} at ${signed(one.minimum)} and ${signed(one.maximum)}`] : [],
  );
  const middle = new Float64Array(dimension).map(fromProtocol);
  return {
    ...{ name: 'mean', player: 'named by the file', sample: 'row', names, title },
    unit: scalar ? names[0] : `half ranges, ℓ₂ over ${dimension} coordinates`,
    ...{ dimension, inBall: false, samples },
    ...(spread === undefined ? {} : { spread: checkRange('spread', spread, 1e-15 * scale, scale) / scale }),
    scale,
    agreed:
      `Agreed beforehand: cut off are ${bounds.join(', ')}; at most ${wholeNumber(FLIGHT_CAP)} rows of a player count, and players have ` +
      `${samples === 1 ? 'one row' : `${samples} rows`} or more${samples === 1 ? '' : `, which ${wholeNumber(offsets.length - 1 - chosen.all)} have not`}.`,
    population,
    ...counts,
    truth: meanOfMeans(population, dimension).map(fromProtocol),
    recordMean: recordMean.map(fromProtocol),
    guesses: { middle: { value: middle, description: 'the middle of the bounds, guessed' } },
    fromProtocol,
  };
}

/** How far estimates are from the truth, in the unit of the samples: root mean squares in ℓ₂. */
export interface MeanErrors {
  readonly error: number;
  /** ℓ₂ norm of the mean estimate less the truth; with its sign in one dimension. The bias itself is noisy. */
  readonly bias: number;
  /** Of estimates from their mean, as of a sample; null for one estimate. */
  readonly deviation: number | null;
  /** Of the standard errors that the estimates report. */
  readonly claimedError: number;
}

export function meanErrors(estimates: readonly FoundMean[], truth: ArrayLike<number>): MeanErrors {
  const count = checkInteger('estimates.length', estimates.length, 1);
  const { length: dimension } = truth;
  const middle = new Float64Array(dimension);
  let squares = 0;
  let claimed = 0;
  for (const { mean, standardError } of estimates) {
    if (mean.length !== dimension) throw new RefusedValue('mean', `${dimension} numbers`, mean.length);
    for (let j = 0; j < dimension; j++) {
      middle[j] += mean[j] / count;
      squares += (mean[j] - truth[j]) ** 2;
      claimed += standardError[j] ** 2;
    }
  }
  let around = 0;
  for (const { mean } of estimates) for (let j = 0; j < dimension; j++) around += (mean[j] - middle[j]) ** 2;
  const off = middle.map((value, j) => value - truth[j]);
  return {
    error: sqrt(squares / count),
    bias: dimension === 1 ? off[0] : hypot(...off),
    deviation: count > 1 ? sqrt(around / (count - 1)) : null,
    claimedError: sqrt(claimed / count),
  };
}
