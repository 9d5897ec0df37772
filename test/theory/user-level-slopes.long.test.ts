import { expect, test } from '@jest/globals';
import type { UserLevelMeanRequest } from '../../protocols/user-level-mean/index.ts';
import { oneBitError } from '../../protocols/user-level-mean/scalar/one-bit.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { normalMeans, rootMeanSquare, runErrors } from './user-level-runs.ts';

const spread = 0.3;
const SAMPLES = [50, 800];

/** RMSE of a scheme at n and m. */
function error(request: object, players: number, samples: number): number {
  const runs = players > 10_000 ? 80 : 160;
  const full = { epsilon: 1, players, samples, ...request } as UserLevelMeanRequest;
  const mean = (run: number): number => 0.5 * Math.sin(1.7 * run);
  const local = normalMeans(spread / Math.sqrt(samples));
  return rootMeanSquare(runErrors(full, { runs, seed: `slopes ${players} ${samples}`, mean, local }).errors);
}

// The logarithm of an RMSE over 160 runs has the standard deviation 1/√320 = .056, over 80 .079. Between two points a factor 16 apart the
// slope has at most √(.056² + .079²)/ln 16 = .035: it is off by .175, five deviations, once in 1.7 million.
const TOLERANCE = 0.175;

// Those without a public s or without δ; the others are measured by the validations user-level-one-bit-error and -two-round-error.
const schemes: readonly [string, object][] = [
  ['oneBit', { variant: 'oneBit' }],
  ['pure twoRound', { variant: 'twoRound', spread, share: 0.4 }],
];

test.each(schemes)('the error of %s falls with 1/√m', (_, request) => {
  const found = exactSlope(
    SAMPLES,
    SAMPLES.map((samples) => error(request, 3000, samples)),
  );
  expect(Math.abs(found + 0.5)).toBeLessThan(TOLERANCE);
});

test.each(schemes)('the error of %s falls with 1/√n', (_, request) => {
  const players = [1500, 24000];
  const found = exactSlope(
    players,
    players.map((count) => error(request, count, 100)),
  );
  expect(Math.abs(found + 0.5)).toBeLessThan(TOLERANCE);
});

test('control of the slopes in m: the error of naive is flat', () => {
  const errors = SAMPLES.map((samples) => error({ variant: 'naive', delta: 1e-6 }, 3000, samples));
  expect(Math.abs(exactSlope(SAMPLES, errors))).toBeLessThan(TOLERANCE);
});

test('the error of oneBit is the closed form of a sign at the right centre, but for the share that searches', () => {
  const players = 5000;
  const ratios = [100, 1000].map(
    (samples) => error({ variant: 'oneBit' }, players, samples) / oneBitError({ players, samples, spread }, 1),
  );
  // The last round has .6 of the players, the others say less: between 1 and 1/√.6 = 1.29, by measurement 1.24 and 1.29. The mean of two
  // ratios of 160 runs each is off by 1.27·.056/√2 = .05, and by .22 with probability 1e-5: a constant that is off by a fifth is found.
  expect(Math.abs((ratios[0] + ratios[1]) / 2 - 1.27)).toBeLessThan(0.22);
});
