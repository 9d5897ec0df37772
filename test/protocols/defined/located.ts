import { checkInteger, checkPositive, defineRounds } from 'ldpkit';
import { COIN_UNITS, clipNumber, exactCoin, randomizedResponse, randomizeResponse, twoLevels } from 'ldpkit/mechanism';
import { pure } from 'ldpkit/privacy';

const { abs, floor, max, min, round, sqrt } = Math;

/** How many outputs a report has: a cell of the pilot, or a bit. */
const BIT = 2;

/**
 * The mean of numbers in [0, 1] that lie close together. A pilot group reports in which of a few cells its number is;
 * the others report one bit about where theirs is in the three cells around the most frequent one.
 */
export const located = defineRounds({
  name: 'located-mean',
  version: 1,
  make(request) {
    const epsilon = checkPositive('epsilon', request.epsilon);
    const cells = checkInteger('cells', request.cells ?? 16, 4, 1024);
    return { epsilon, cells, keep: twoLevels(epsilon, 1, 1).keep };
  },
  rounds: {
    count: () => 2,
    // The pilot needs fewer players than the mean.
    share: (_, index) => (index === 0 ? 0.25 : 0.75),
    first: () => ({ low: 0, high: 1 }),
    next({ cells, epsilon }, finished) {
      const { hit, stray } = randomizedResponse({ epsilon, categories: cells });
      const [{ tally }] = finished as readonly [(typeof finished)[number]];
      const counts = Array.from(tally.sums.counts, (count) => (count - tally.players * stray) / (hit - stray));
      const cell = counts.indexOf(max(...counts));
      return { low: max(0, cell - 1) / cells, high: min(cells, cell + 2) / cells };
    },
    accepts({ cells }, _, { low, high }) {
      const from = round(low * cells);
      const to = round(high * cells);
      return (
        low === from / cells && high === to / cells && from >= 0 && to <= cells && to - from >= 2 && to - from <= 3
      );
    },
  },
  datum: {
    expected: 'a number from 0 to 1',
    accepts: (_, value): value is number => typeof value === 'number' && value >= 0 && value <= 1,
    clip: (_, value) => max(0, clipNumber(value, 1)),
  },
  report: {
    values: 'uint32',
    length: () => 1,
    accepts: ({ round: index, cells }, [value = 0]) => value < (index === 0 ? cells : BIT),
  },
  channel: {
    deployment({ round: index, epsilon, cells, keep, asked }, datum, random, report) {
      if (index === 0) {
        const mechanism = randomizedResponse({ epsilon, categories: cells });
        report[0] = randomizeResponse(mechanism, min(cells - 1, floor(datum * cells)), random);
        return;
      }
      // 1 with a probability from 1 − p at the low end to p at the high end, in units of 2⁻⁵³.
      const place = min(1, max(0, (datum - asked.low) / (asked.high - asked.low)));
      report[0] = exactCoin(COIN_UNITS - keep + floor((2 * keep - COIN_UNITS) * place), random) ? 1 : 0;
    },
  },
  tally: {
    sums: ({ round: index, cells }) => ({ counts: index === 0 ? cells : BIT }),
    add(_, { counts }, [value = 0]) {
      counts[value] = (counts[value] ?? 0) + 1;
    },
  },
  estimate({ keep }, finished) {
    const [pilot, last] = finished as readonly [(typeof finished)[number], (typeof finished)[number]];
    const { low, high } = last.round.asked;
    const p = keep / COIN_UNITS;
    const share = (last.tally.sums.counts[1] ?? 0) / last.tally.players;
    const mean = low + ((high - low) * (share - (1 - p))) / (2 * p - 1);
    const standardError = ((high - low) * sqrt(1 / (4 * last.tally.players))) / (2 * p - 1);
    return { players: pilot.tally.players + last.tally.players, mean, standardError };
  },
  privacy: {
    guarantee: ({ epsilon }) => pure(epsilon),
    // Every player answers in one of the two rounds.
    releases: ({ epsilon }) => [
      {
        what: 'a cell or a bit',
        count: 1,
        mechanism: 'randomized response',
        sensitivity: 1,
        scale: 1 / epsilon,
        guarantee: pure(epsilon),
      },
    ],
    neighbourDistance: () => 1,
  },
  audit: {
    pairs: () => [
      { name: 'ends', first: 0, second: 1 },
      { name: 'middle and end', first: 0.5, second: 1 },
    ],
    channel({ round: index, epsilon, cells, keep, asked }, datum) {
      if (index === 0) {
        const { hit, stray } = randomizedResponse({ epsilon, categories: cells });
        const own = min(cells - 1, floor(datum * cells));
        return Array.from({ length: cells }, (_, cell) => (cell === own ? hit : stray));
      }
      const place = min(1, max(0, (datum - asked.low) / (asked.high - asked.low)));
      const one = (COIN_UNITS - keep + floor((2 * keep - COIN_UNITS) * place)) / COIN_UNITS;
      return [1 - one, one];
    },
  },
  forecast({ cells, keep }, { players }) {
    const width = 3 / cells;
    const error = (width * sqrt(1 / (3 * players))) / (2 * (keep / COIN_UNITS) - 1);
    return {
      what: 'standard error of the mean',
      assumption: 'all numbers within one cell of the centre',
      error,
      floor: 0,
    };
  },
});

/** How far an estimate is off, in its own standard errors. */
export const off = (
  { mean, standardError }: { readonly mean: number; readonly standardError: number },
  truth: number,
) => abs(mean - truth) / standardError;
