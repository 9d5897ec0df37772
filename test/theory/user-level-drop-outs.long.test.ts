import { expect, test } from '@jest/globals';
import type { UserLevelMeanRequest } from '../../protocols/user-level-mean/index.ts';
import { average, normalMeans, rootMeanSquare, runErrors } from './user-level-runs.ts';

const base = { epsilon: 1, players: 6000, samples: 100 };
const RUNS = 120;
const schemes: readonly UserLevelMeanRequest[] = [
  { variant: 'oneBit', ...base },
  { variant: 'oneBit', spread: 0.3, ...base },
  { variant: 'twoRound', ...base },
  { variant: 'twoRound', delta: 1e-6, samePlayers: true, ...base },
  { variant: 'naive', delta: 1e-6, ...base },
];

const run = (request: UserLevelMeanRequest, mean: number, vanishes?: (player: number, round: number) => boolean) =>
  runErrors(request, {
    runs: RUNS,
    seed: 'drop',
    mean: () => mean,
    local: normalMeans(0.03),
    ...(vanishes === undefined ? {} : { vanishes }),
  });

test.each(schemes)('$variant %# is unbiased when two thirds of the players vanish after the first round', (request) => {
  const { errors, standardised } = run(request, 0.23, (player, round) => round > 0 && player % 3 !== 0);
  // Beyond five standard errors: 6e-7.
  expect(Math.abs(average(errors)) / (rootMeanSquare(errors) / Math.sqrt(RUNS))).toBeLessThan(5);
  // And it knows its error: a root mean square of 120 is off by 6.5 %, five of which are a third.
  expect(rootMeanSquare(standardised)).toBeGreaterThan(0.6);
  expect(rootMeanSquare(standardised)).toBeLessThan(1.45);
});

test('the control: players who vanish by what they hold would be found', () => {
  // As if all local means below their mean were missing: the estimate moves by .03·√(2/π) = .024 at most.
  const { errors } = runErrors(schemes[1], {
    runs: 30,
    seed: 'control',
    mean: () => 0.23,
    local: (mean, random) => mean + Math.abs(normalMeans(0.03)(0, random)),
  });
  expect(Math.abs(average(errors)) / (rootMeanSquare(errors) / Math.sqrt(30))).toBeGreaterThan(5);
});
