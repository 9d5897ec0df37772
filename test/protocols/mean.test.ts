import { describe, expect, test } from '@jest/globals';
import { mean } from '../../protocols/mean/index.ts';
import { noiseOf } from '../../protocols/mean/parameters.ts';
import { meanPlayer } from '../../protocols/mean/player.ts';
import type { MeanDatum } from '../../protocols/mean/record.ts';
import { audit } from '../../src/audit/audit.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { deployedPlayer } from '../../src/core/device.ts';
import { createLedger, memoryStore, pureCap } from '../../src/core/ledger.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { assertContract, assertControls } from '../../src/testing/index.ts';
import { collected, meanCase } from './survey-cases.ts';

const BOX = [
  [-60, 240],
  [0, 5100],
  [-1, 1],
];

const PLANE = [
  [1, 5],
  [-2, 3],
];

// Small budgets and several coordinates: three reports of a datum have to differ.
const REQUESTS: readonly PlainRequest[] = [
  { variant: 'oneBit', epsilon: 0.1, bounds: BOX.concat(BOX, BOX, BOX) },
  { variant: 'kClosest', epsilon: 1, bounds: BOX },
  { variant: 'kClosest', epsilon: 1, bounds: [[0, 10]] },
  { variant: 'kClosest', epsilon: 1, dimension: 5, radius: 3 },
  { variant: 'oneBit', epsilon: 0.1, dimension: 30, radius: 3 },
  { variant: 'oneBit', epsilon: 3, bounds: BOX.concat(BOX, BOX, BOX), grade: 'deployment' },
  { epsilon: 4, bounds: BOX, grade: 'deployment' },
];

describe('mean', () => {
  test('keeps the contract under every variant, in boxes and balls, in both grades', () => {
    assertContract(mean, REQUESTS.map(meanCase));
  });

  test('has cases that notice every control', () => {
    assertControls(mean, REQUESTS.slice(-2).map(meanCase));
  });

  test.each([
    [{ epsilon: 0, bounds: BOX }, '"epsilon" expected a number from 1e-9 to 500, got 0'],
    [{ epsilon: 1 }, '"bounds" expected a list of 1 to 4096 pairs, no dimension or radius, got undefined'],
    [{ epsilon: 1, radius: 3 }, '"dimension" expected a whole number from 2 to 4096, got undefined'],
    [{ epsilon: 1, dimension: 3 }, '"radius" expected'],
    [{ epsilon: 1, dimension: 3, radius: 1e200 }, '"radius" expected a number from 1e-100 to 1e100, got 1e+200'],
    [{ epsilon: 1, dimension: 3, radius: 1e-160 }, '"radius" expected a number from 1e-100 to 1e100, got 1e-160'],
    [{ epsilon: 1, bounds: BOX, radius: 1 }, '"bounds" expected a list of 1 to 4096 pairs, no dimension or'],
    [{ epsilon: 1, bounds: [] }, '"bounds" expected a list of 1 to 4096 pairs'],
    [{ epsilon: 1, bounds: [3] }, '"bounds[0]" expected a pair [lower, upper], got 3'],
    [
      {
        epsilon: 1,
        bounds: [
          [0, 1],
          [2, 2],
        ],
      },
      '"bounds[1][0]" expected a number below 2, got 2',
    ],
    [{ epsilon: 1, bounds: [[-1e308, 1e308]] }, '"bounds[0][0]" expected a number below'],
    [{ epsilon: 1, bounds: [[0, '1']] }, '"bounds[0]" expected a finite number'],
    [{ epsilon: 1, bounds: BOX, variant: 'laplace' }, '"variant" expected one of oneBit, kClosest'],
  ])('refuses %j by name', (request, message) => {
    expect(() => mean.make(request as never)).toThrow(message);
  });

  test('refuses a query by name', () => {
    const parameters = mean.make({ epsilon: 1, bounds: BOX });
    const tally = { ...mean.server.empty(parameters), players: 3 };
    expect(() => mean.server.estimate(parameters, tally, { confidence: 0 })).toThrow('"confidence" expected');
    expect(() => mean.server.estimate(parameters, tally, { of: 'all' as never })).toThrow('"of" expected one of');
  });

  test('chooses the variant whose largest variance is the smaller one', () => {
    const chosen = (epsilon: number, place: PlainRequest): string => mean.make({ epsilon, ...place }).variant;
    expect([0.5, 1, 2, 4].map((epsilon) => chosen(epsilon, { bounds: [[0, 1]] }))).toEqual([
      'oneBit',
      'oneBit',
      'kClosest',
      'kClosest',
    ]);
    expect(chosen(1, { bounds: BOX })).toBe('oneBit');
    // In a ball every coordinate would cost d times the variance of one; the vector costs about d/d of it.
    expect(chosen(1, { dimension: 10, radius: 1 })).toBe('kClosest');
  });

  test.each([
    [{ bounds: [[1, 5]] }, 7, 5],
    [{ bounds: [[1, 5]] }, Number.NaN, 1],
    [{ bounds: [[1, 5]] }, 'x', 1],
    [{ bounds: [[1, 5]] }, undefined, 1],
    [{ bounds: [[1, 5]] }, 2.5, 2.5],
    [{ bounds: PLANE }, [9, -9], [5, -2]],
    [{ bounds: PLANE }, [2], [2, 0]],
    [{ bounds: PLANE }, 4, [4, 3]],
    [{ dimension: 2, radius: 10 }, [30, -40], [6, -8]],
    [{ dimension: 2, radius: 10 }, 5, [0, 0]],
  ])('under %j a device plays for %j what its rule says', (place, given, played) => {
    const clipped = mean.player.clip(mean.make({ epsilon: 1, ...(place as PlainRequest) }), given);
    if (typeof played === 'number') expect(clipped).toBe(played);
    else expect(Array.from(clipped as Float64Array)).toEqual(played.map((entry) => expect.closeTo(entry, 12)));
  });

  test('takes both ends of its bounds, however they are rounded', () => {
    for (const bounds of [[[0.1, 0.7]], [[1e16, 1e16 + 2]], [[-5e-324, 5e-324]], [[-1e-3, 1e5]]]) {
      const parameters = mean.make({ epsilon: 1, bounds });
      for (const datum of bounds[0])
        expect(() => mean.player.randomize(parameters, datum, seededRandom('end'))).not.toThrow();
    }
  });

  test('has the same reports from a device without a server', () => {
    for (const epsilon of [1, 4]) {
      const agreed = mean.make({ epsilon, bounds: BOX, grade: 'deployment' });
      expect(meanPlayer.make(agreed.request!)).toEqual(agreed);
      const ledger = createLedger({ cap: pureCap(4), store: memoryStore() });
      const device = deployedPlayer(meanPlayer, { request: agreed.request!, digest: agreed.digest }, { ledger });
      expect(() => mean.report.decode(agreed, device.report([6, 700, 0.5]))).not.toThrow();
    }
  });
});

test('one-bit reports are counted by hand', () => {
  const parameters = mean.make({
    epsilon: Math.log(3),
    bounds: [
      [0, 10],
      [-1, 1],
    ],
    variant: 'oneBit',
  });
  // p = 3/4, so that a bit stands for ±2, and for ±4 as one of two coordinates.
  const tally = mean.server.empty(parameters);
  for (const word of [1, 1, 0, 3]) mean.server.add(parameters, tally, Uint32Array.of(word));
  const { unbiased: found, standardErrors, players } = mean.server.estimate(parameters, tally);
  expect(players).toBe(4);
  // Shares (4 + 4 − 4)/4 = 1 and 4/4 = 1 of the half range.
  expect(Array.from(found)).toEqual([expect.closeTo(10, 9), expect.closeTo(1, 9)]);
  // Two coordinates and scale 2: 2·4, less the square of the share.
  expect(Array.from(standardErrors)).toEqual([
    expect.closeTo(5 * Math.sqrt(7 / 4), 9),
    expect.closeTo(Math.sqrt(7 / 4), 9),
  ]);
});

describe('an estimate of few players', () => {
  test('is the nearest point of the box; the unbiased one, which lies outside, stands beside it', () => {
    const parameters = mean.make({ epsilon: Math.log(3), bounds: [[0, 10]], variant: 'oneBit' });
    const tally = mean.server.empty(parameters);
    // Two bits of 1 stand for 2 each, where half of the range is 1.
    for (const word of [1, 1]) mean.server.add(parameters, tally, Uint32Array.of(word));
    const { mean: found, unbiased, intervals } = mean.server.estimate(parameters, tally);
    expect([found[0], unbiased[0]]).toEqual([10, expect.closeTo(15, 9)]);
    expect(intervals[0].lower).toBeGreaterThanOrEqual(0);
    expect(intervals[0].upper).toBe(10);
  });

  test('is the nearest point of the ball, along the same direction, also with the longest of radii', () => {
    for (const radius of [2, 1e100]) {
      const parameters = mean.make({ epsilon: 1, dimension: 3, radius, variant: 'kClosest' });
      const tally = collected(mean, parameters, 5, () => [radius, 0, 0], seededRandom('few in a ball'));
      const { mean: found, unbiased } = mean.server.estimate(parameters, tally);
      const length = Math.hypot(...unbiased.map((entry) => entry / radius));
      expect(length).toBeGreaterThan(1.1);
      found.forEach((entry, j) => {
        expect(entry / radius).toBeCloseTo(unbiased[j] / radius / length, 12);
      });
    }
  });

  test('and is the unbiased one where that lies inside', () => {
    const parameters = mean.make({ epsilon: 1, dimension: 2, radius: 1, variant: 'kClosest' });
    const tally = collected(mean, parameters, 2000, () => [0.1, 0], seededRandom('many in a ball'));
    const { mean: found, unbiased } = mean.server.estimate(parameters, tally);
    expect(Array.from(found)).toEqual(Array.from(unbiased));
  });
});

interface Population {
  readonly what: string;
  readonly request: PlainRequest;
  readonly truth: readonly number[];
  /** Variance of a coordinate where half of the range is 1. */
  readonly spread: number;
  draw(random: ReturnType<typeof seededRandom>): MeanDatum;
}

/** A uniform number of [0, 4] has mean 2 and, in halves of the range [0, 10], the variance (4/5)²/12. */
const few = (variant: string, epsilon: number): Population => ({
  what: `${variant}, a number`,
  request: { variant, epsilon, bounds: [[0, 10]] },
  truth: [2],
  spread: 0.64 / 12,
  draw: (random) => 4 * uniform(random),
});

const several = (variant: string, epsilon: number): Population => ({
  what: `${variant}, a box`,
  request: { variant, epsilon, bounds: BOX },
  truth: [15, 1275, 0.5],
  spread: 1 / 12,
  // Each coordinate is uniform over half of its range.
  draw: (random) => [150 * uniform(random) - 60, 2550 * uniform(random), uniform(random)],
});

const ball = (variant: string, epsilon: number): Population => ({
  what: `${variant}, a ball`,
  request: { variant, epsilon, dimension: 4, radius: 2 },
  truth: [0.5, 0.5, 0.5, 0.5],
  spread: 1 / 48,
  draw: (random) => Array.from({ length: 4 }, () => uniform(random)),
});

describe.each([
  few('oneBit', 1),
  few('kClosest', 2),
  several('oneBit', 1),
  several('kClosest', 2),
  ball('oneBit', 1),
  ball('kClosest', 1),
])('many collections under $what', ({ what, request, truth, spread, draw }) => {
  const parameters = mean.make(request);
  const { lower, upper } = parameters;
  const players = 250;
  const collections = 1000;
  const half = (j: number): number => (upper[j] - lower[j]) / 2;
  const random = seededRandom(`many ${what}`);
  const found = Array.from({ length: collections }, () =>
    mean.server.estimate(
      parameters,
      collected(mean, parameters, players, () => draw(random), random),
    ),
  );

  test('the mean is unbiased: five standard errors, with probability 6e-7 for each coordinate; not moved by a fifth', () => {
    truth.forEach((exact, j) => {
      const values = found.map((one) => one.unbiased[j]);
      const average = values.reduce((sum, value) => sum + value, 0) / collections;
      const error = Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0)) / collections;
      expect(Math.abs(average - exact)).toBeLessThan(5 * error);
      // The control, a scale too large by a fifth, moves what is not the middle of its range.
      const middle = (lower[j] + upper[j]) / 2;
      if (Math.abs(exact - middle) > 0.4 * half(j)) {
        expect(Math.abs(middle + 1.2 * (average - middle) - exact)).toBeGreaterThan(5 * error);
      }
    });
  });

  test('the stated variance is the true one, and that of the mechanism with the spread; not a fifth more or less', () => {
    truth.forEach((exact, j) => {
      const squares = found.map((one) => (one.unbiased[j] - exact) ** 2);
      const measured = squares.reduce((sum, square) => sum + square, 0) / collections;
      const stated = found.reduce((sum, one) => sum + one.standardErrors[j] ** 2, 0) / collections;
      // A mean of 1000 squares of nearly normal errors has the relative deviation √(2/1000) = .045: 4.4 of it are .2.
      expect(Math.abs(measured / stated - 1)).toBeLessThan(0.2);
      const share = (exact - (lower[j] + upper[j]) / 2) / half(j);
      const oneBit = noiseOf(parameters) - share * share;
      const claimed = parameters.mechanism.name === 'k-closest' ? noiseOf(parameters) + spread : oneBit;
      // The largest noise of the encoding is at most a tenth above that of these data.
      const ratio = (stated * players) / half(j) ** 2 / claimed;
      expect(ratio).toBeGreaterThan(parameters.mechanism.name === 'k-closest' ? 0.88 : 0.98);
      expect(ratio).toBeLessThan(1.02);
    });
  });

  test('all intervals hold at once as often as they say, and not with a variance smaller by two fifths (control)', () => {
    let widest = 0;
    const misses = (factor: number): number =>
      found.filter(({ unbiased: centres, standardErrors, intervals }) =>
        intervals.some((interval, j) => {
          const reach = Math.max(interval.upper - centres[j], centres[j] - interval.lower);
          widest = Math.max(widest, reach / standardErrors[j]);
          return Math.abs(centres[j] - truth[j]) > factor * reach;
        }),
      ).length;
    // At most 50 of 1000 on average, with a standard deviation of 6.9: 85 are five of them, with probability below 1e-6.
    expect(misses(1)).toBeLessThan(85);
    expect(misses(Math.sqrt(0.6))).toBeGreaterThan(85);
    expect(widest).toBeLessThan(6);
  });
});

test.each([
  // With the standard error of the estimate in the place of that of the mean .36, .26, .77 and .60 of them missed.
  [12, 20, -0.9],
  [4, 20, -0.9],
  [12, 5, -0.9],
  [12, 20, 0.95],
])('bits of few players, by the law of their count: ε = %d, %d players, a mean of %d', (epsilon, players, centre) => {
  const parameters = mean.make({ variant: 'oneBit', epsilon, bounds: [[-1, 1]] });
  const { scale } = parameters.mechanism as { readonly scale: number };
  const up = (1 + centre / scale) / 2;
  let [p, miss] = [(1 - up) ** players, 0];
  for (let count = 0; count <= players; count++) {
    const tally = { ...mean.server.empty(parameters), players };
    tally.sums.sums[0] = scale * (2 * count - players);
    const { lower, upper } = mean.server.estimate(parameters, tally).intervals[0];
    if (centre < lower || centre > upper) miss += p;
    p *= ((players - count) / (count + 1)) * (up / (1 - up));
  }
  // Of .05 asked a count that is whole leaves up to .09.
  expect(miss).toBeLessThan(0.09);
});

test.each([
  ['kClosest', 1, 12, 20, 0.95],
  ['kClosest', 1, 12, 2, 0.95],
  ['kClosest', 3, 12, 20, 0.95],
  ['oneBit', 16, 12, 5, 0.9],
])('few reports: %s of %d at ε = %d, %d players, a mean of %d', (variant, d, epsilon, players, at) => {
  const parameters = mean.make({ variant, epsilon, bounds: new Array(d).fill([0, 1]) });
  const random = seededRandom(`few ${variant} ${d} ${players}`);
  const critical = normalCriticalValue(1 - 0.05 / d);
  let [missed, normal] = [0, 0];
  for (let i = 0; i < 300; i++) {
    const drawn = () => Array.from({ length: d }, () => (uniform(random) < at ? 1 : 0));
    const tally = collected(mean, parameters, players, drawn, random);
    const { intervals, unbiased, standardErrors } = mean.server.estimate(parameters, tally);
    if (intervals.some(({ lower, upper }) => lower > at || upper < at)) missed++;
    if (unbiased.some((centre, j) => Math.abs(centre - at) > critical * standardErrors[j])) normal++;
  }
  // At most 15 of 300 on average, with a standard deviation of 3.8: 36 are more than five of them, with probability below 1e-6.
  expect(missed).toBeLessThan(36);
  // The control: intervals of z standard errors.
  expect(normal).toBeGreaterThan(36);
});

test.each([
  // With the variance of the reports alone .45 and .84 of them missed.
  [8, 12, 5],
  [8, 12, 2],
])(
  'the mean of few players who answered, all in the middle: %d coordinates, ε = %d, %d players',
  (d, epsilon, players) => {
    const parameters = mean.make({ variant: 'kClosest', epsilon, bounds: new Array(d).fill([-1, 1]) });
    const random = seededRandom(`few answered ${d} ${players}`);
    const datum = new Array<number>(d).fill(0);
    let missed = 0;
    for (let i = 0; i < 300; i++) {
      const tally = collected(mean, parameters, players, () => datum, random);
      const { intervals } = mean.server.estimate(parameters, tally, { of: 'players' });
      if (intervals.some(({ lower, upper }) => lower > 0 || upper < 0)) missed++;
    }
    // At most .11 of them, 33 of 300 with a standard deviation of 5.4: 58 are 4.6 of them, with probability below 1e-5.
    expect(missed).toBeLessThan(58);
  },
);

test('for the players who answered the interval is narrower where the noise is small', () => {
  const parameters = mean.make({ epsilon: 8, bounds: [[0, 1]] });
  const tally = collected(mean, parameters, 1000, (i) => i % 2, seededRandom('players'));
  const [all, answered] = (['population', 'players'] as const).map((of) =>
    mean.server.estimate(parameters, tally, { of }),
  );
  // Half 0 and half 1: sampling has variance 1 in halves of the range, the noise at most .013.
  expect(all.standardErrors[0]).toBeCloseTo(0.5 / Math.sqrt(1000), 3);
  expect(answered.standardErrors[0] / all.standardErrors[0]).toBeLessThan(0.15);
  expect(Math.abs(answered.mean[0] - 0.5)).toBeLessThan(5 * answered.standardErrors[0]);
});

describe('an audit', () => {
  // Bounds hold with probability .99: a sound player is refuted with probability .01 at most; the seed is fixed.
  test.each(['oneBit', 'kClosest'])('of %s refutes nothing, and comes near what is claimed', (variant) => {
    const parameters = mean.make({ variant, epsilon: 1, bounds: [[0, 10]], grade: 'deployment' });
    const attack = { trials: 200_000, random: seededRandom(`audit ${variant}`) };
    const { verdict, lowerBound } = audit({ ...mean, parameters }, attack);
    expect(verdict).toBe('consistent');
    expect(lowerBound).toBeGreaterThan(0.9);
  });

  test('refutes a claim that is too small by a fifth (control)', () => {
    const parameters = mean.make({ epsilon: 1, bounds: [[0, 10]] });
    const quiet = { ...parameters, mechanism: { ...parameters.mechanism, guarantee: { kind: 'pure', epsilon: 0.8 } } };
    const attack = { trials: 200_000, random: seededRandom('control') };
    expect(audit({ ...mean, parameters: quiet as never }, attack).verdict).toBe('violation');
  });
});
