import { describe, expect, test } from '@jest/globals';
import { checkInteger, checkPositive, defineProtocol, type Random } from 'ldpkit';
import { oneBitMean, randomizeOneBitMean } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';
import { assertContract, assertControls, checkContract } from 'ldpkit/testing';

const DAY = 86_400_000;

/** A date as a text, such as 2010-05-05: an object without a number in it. */
interface Day {
  readonly day: string;
}

/** The number of the day of a datum; NaN for anything else. */
function dayOf(datum: unknown): number {
  const { day } = (datum ?? {}) as Partial<Day>;
  return typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) / DAY : Number.NaN;
}

const named = (day: number): Day => ({ day: new Date(DAY * day).toISOString().slice(0, 10) });

/** The mean of dates between the beginnings of two years, from one bit: a report that two of three seeds often share. */
const dates = defineProtocol({
  name: 'mean-date',
  version: 1,
  make(request) {
    const epsilon = checkPositive('epsilon', request.epsilon);
    const from = checkInteger('from', request.from, 1970, 2100);
    const to = checkInteger('to', request.to, from + 1, 2101);
    return { epsilon, lower: Date.UTC(from) / DAY, upper: Date.UTC(to) / DAY, mechanism: oneBitMean({ epsilon }) };
  },
  datum: {
    expected: 'a date between the two years',
    accepts: ({ lower, upper }, value): value is Day => dayOf(value) >= lower && dayOf(value) <= upper,
    clip({ lower, upper }, value) {
      const day = dayOf(value);
      return named(Number.isNaN(day) ? lower : Math.min(upper, Math.max(lower, day)));
    },
  },
  report: { values: 'uint32', length: () => 1, accepts: (_, [bit]) => bit < 2 },
  channel: {
    deployment({ lower, upper, mechanism }, datum, random, report) {
      const place = (2 * (dayOf(datum) - lower)) / (upper - lower) - 1;
      report[0] = randomizeOneBitMean(mechanism, Math.max(-1, Math.min(1, place)), random) > 0 ? 1 : 0;
    },
  },
  tally: {
    sums: () => ({ ones: 1 }),
    add(_, { ones }, [bit]) {
      ones[0] += bit;
    },
  },
  estimate({ lower, upper, mechanism }, { players, sums }) {
    const place = mechanism.scale * ((2 * sums.ones[0]) / players - 1);
    return { players, day: lower + ((place + 1) / 2) * (upper - lower) };
  },
  privacy: {
    guarantee: ({ epsilon }) => pure(epsilon),
    releases: ({ mechanism: { name, scale, guarantee } }) => [
      { what: 'a bit', count: 1, mechanism: name, sensitivity: 2, scale, guarantee },
    ],
    neighbourDistance: () => 2,
  },
  audit: {
    pairs: ({ lower, upper }) => [{ name: 'the two ends', first: named(lower), second: named(upper) }],
  },
  forecast: ({ mechanism }, { players }) => ({
    what: 'standard error of the place between −1 and 1',
    assumption: 'dates in the middle',
    error: mechanism.scale / Math.sqrt(players),
    floor: 0,
  }),
});

const request = { epsilon: 1, from: 2000, to: 2020, grade: 'deployment' };
const days = [
  '2000-01-01',
  '2003-03-09',
  '2008-02-29',
  '2010-10-10',
  '2011-05-06',
  '2013-07-07',
  '2016-12-24',
  '2019-12-31',
];
const cases = [
  {
    name: 'dates of twenty years',
    make: () => dates.make(request),
    others: [dates.make({ ...request, epsilon: 2 }), dates.make({ ...request, to: 2021 })],
    data: days.map((day) => ({ day })),
    refused: {
      null: null,
      'a text': '3.16227766',
      'a number': 1234567.5,
      'a list': [5.55512345],
      later: { day: '2020-06-01' },
    },
  },
];

describe('a protocol whose report is one bit of a date', () => {
  test('keeps all laws, though three seeds often give the same bit', () => {
    assertContract(dates, cases);
  });

  test('breaks them where the bit follows from the datum', () => {
    const told = {
      ...dates,
      player: {
        ...dates.player,
        randomize(parameters: ReturnType<typeof dates.make>, datum: Day, random: Random) {
          const report = dates.player.randomize(parameters, datum, random);
          report[0] = dayOf(datum) > (parameters.lower + parameters.upper) / 2 ? 1 : 0;
          return report;
        },
      },
    } as typeof dates;
    const broken = checkContract(told, cases).map(({ found }) => found.join());
    expect(broken.join('; ')).toContain('report 0 is the same for three seeds');
  });

  test('shows every mistake that is made on purpose', () => {
    assertControls(dates, cases);
  });
});
