import { describe, expect, test } from '@jest/globals';
import { study } from '../../../protocols/user-level-mean/index.ts';
import type { UserStudy } from '../../../protocols/user-level-mean/protocol.ts';
import {
  delayPopulation,
  FLIGHT_CAP,
  flightTruth,
  HOURS,
  LEAST_FLIGHTS,
  loadAirportDays,
  meanOfMeans,
  profilePopulation,
  toMinutes,
  toUnit,
  UNIT_MINUTES,
} from '../../../src/node/airport-days.ts';
import type { Question } from '../../../src/node/kinds/users/question.ts';
import { checkWorth } from '../../../src/node/kinds/users/run.ts';
import type { PlayerRows } from '../../../src/node/records.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const csv = (name: string, rows: readonly string[]): string => write(name, `date,origin,delay\n${rows.join('\n')}\n`);

// Three players: AAA on the first and on the second day, BBB on the first; lines in disorder.
const FILE = csv('flights.csv', [
  '2001-01-01 06:10,AAA,30',
  '2001-01-02 00:00,AAA,-75',
  '2001-01-01 23:59,BBB,10',
  '2001-01-01 06:55,AAA,400',
  '2001-01-01 12:00,AAA,-60',
]);

const samplesOf = (days: PlayerRows, index: number): number[] =>
  Array.from(delayPopulation(days).datum(index).samples, toMinutes);

describe('airport-days', () => {
  test('are one player for each airport and day, with all its flights in the order of the file', async () => {
    const days = await loadAirportDays(FILE);
    expect(days.players).toBe(3);
    expect(Array.from(days.offsets)).toEqual([0, 3, 4, 5]);
    // 400 and −75 minutes are beyond the public bounds.
    expect(Array.from(days.responses)).toEqual([30, 240, -60, -60, 10]);
    expect(Array.from(days.features)).toEqual([6, 6, 12, 0, 23]);
  });

  test.each([
    ['no record', [], '"data" expected a file with one or more records'],
    [
      'a date without a time',
      ['2001-01-01,AAA,1'],
      '"date" expected a date and time such as 2001-01-31 09:30 in row 1',
    ],
    [
      'a delay that is missing',
      ['2001-01-01 06:10,AAA,1', '2001-01-01 06:10,AAA,'],
      '"delay" expected a value in row 2',
    ],
  ])('are refused with %s', async (what, rows, message) => {
    const path = rows.length === 0 ? write('none.csv', 'date,origin,delay\n') : csv(`${what.length}.csv`, rows);
    await expect(loadAirportDays(path)).rejects.toThrow(message);
  });
});

describe('delays as players', () => {
  test('lie in [−1, 1], and come back in minutes', async () => {
    const days = await loadAirportDays(FILE);
    const values = Array.from(delayPopulation(days).datum(0).samples);
    [30, 240, -60].forEach((minutes, i) => {
      expect(values[i]).toBeCloseTo((minutes - 90) / 150, 15);
      expect(toMinutes(toUnit(minutes))).toBeCloseTo(minutes, 12);
    });
    expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(1);
    expect(UNIT_MINUTES).toBe(150);
    expect(samplesOf(days, 2)[0]).toBeCloseTo(10, 12);
  });

  test('count once each: the mean of means, and the mean over flights, by hand', async () => {
    const days = await loadAirportDays(FILE);
    // (30 + 240 − 60)/3 = 70, −60 and 10.
    expect(toMinutes(meanOfMeans(delayPopulation(days), 1)[0])).toBeCloseTo((70 - 60 + 10) / 3, 12);
    const { records: flights, leftOut, recordMean } = flightTruth(days, 'delay');
    expect([flights, leftOut]).toEqual([5, 0]);
    expect(recordMean[0]).toBeCloseTo(160 / 5, 12);
  });

  test('are those with enough flights, and the truth is of these', async () => {
    const days = await loadAirportDays(FILE);
    const busy = delayPopulation(days, { least: 2 });
    expect([busy.players, busy.datum(0).samples.length]).toEqual([1, 3]);
    expect(flightTruth(days, 'delay', { least: 2 })).toEqual({
      records: 3,
      leftOut: 0,
      recordMean: Float64Array.of(70),
    });
    expect(delayPopulation(days, { least: 1 }).players).toBe(3);
    // The question itself takes 20, which no day of this file has.
    expect(LEAST_FLIGHTS).toBe(20);
  });

  test('are not asked in two rounds where one is as near by forecast', async () => {
    const plan = { protocol: 'user-level-mean', variants: ['twoRound'], epsilon: [1], delta: 1e-6 };
    const whole = { ...plan, grade: 'simulation', repetitions: 1, seed: '' } as const;
    const common = { dimension: 1, inBall: false, population: { players: 17_079 } };
    const asked = (samples: number, spread: number, variant = 'twoRound') =>
      checkWorth(
        study as unknown as UserStudy,
        whole,
        { ...common, samples, spread } as unknown as Question,
        variant,
        1,
      );
    expect(() => asked(20, 0.2)).not.toThrow();
    // One sample a player, or a spread that is the range: the interval is all of it.
    expect(() => asked(1, 0.2)).toThrow('"variant" expected another than twoRound at epsilon = 1');
    expect(() => asked(20, 1)).toThrow('whose forecast is no better than that of naive');
    expect(() => asked(1, 0.2, 'oneBit')).not.toThrow();
  });

  test('end at the cap, where the mean over flights does not', async () => {
    const days = await loadAirportDays(FILE);
    const capped = delayPopulation(days, { cap: 2 });
    expect(Array.from(capped.datum(0).samples, toMinutes).map(Math.round)).toEqual([30, 240]);
    expect(flightTruth(days, 'delay', { cap: 2 })).toEqual({ records: 5, leftOut: 1, recordMean: Float64Array.of(32) });
    expect(FLIGHT_CAP).toBe(1000);
  });

  test('are spread evenly over the file where fewer take part', async () => {
    const rows = Array.from({ length: 10 }, (_, i) => `2001-01-${String(i + 1).padStart(2, '0')} 06:00,AAA,${i}`);
    // The first of the ten days has a second flight.
    const days = await loadAirportDays(csv('ten.csv', [...rows, '2001-01-01 07:00,AAA,99']));
    const five = delayPopulation(days, { players: 5 });
    const first = Array.from({ length: 5 }, (_, i) => Math.round(toMinutes(five.datum(i).samples[0])));
    expect(first).toEqual([0, 2, 4, 6, 8]);
    expect(() => delayPopulation(days, { players: 11 })).toThrow(
      '"players" expected a whole number from 1 to 10, got 11',
    );
    expect(() => delayPopulation(days, { cap: 0 })).toThrow('"cap" expected a whole number >= 1, got 0');
  });
});

describe('hourly profiles as players', () => {
  test('are the shares of the hours, in the unit ball, and their mean is that of the indicators', async () => {
    const days = await loadAirportDays(FILE);
    const population = profilePopulation(days);
    const [one, two, three] = [0, 1, 2].map((i) => Float64Array.from(population.datum(i).samples));
    expect(one).toHaveLength(HOURS);
    expect([one[6], one[12], two[0], three[23]]).toEqual([expect.closeTo(2 / 3, 15), expect.closeTo(1 / 3, 15), 1, 1]);
    for (const profile of [one, two, three]) {
      expect(profile.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 14);
      expect(Math.hypot(...profile)).toBeLessThanOrEqual(1);
    }
    const mean = meanOfMeans(population, HOURS);
    expect([mean[0], mean[6], mean[12], mean[23]]).toEqual(
      [1 / 3, 2 / 9, 1 / 9, 1 / 3].map((share) => expect.closeTo(share, 14)),
    );
    const { recordMean } = flightTruth(days, 'hours');
    expect(Array.from(recordMean).filter((share) => share > 0)).toEqual([0.2, 0.4, 0.2, 0.2]);
  });
});
