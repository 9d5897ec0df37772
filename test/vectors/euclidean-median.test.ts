import { expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import { VARIANTS } from '../../protocols/euclidean-median/parameters.ts';
import { rounds } from './euclidean-median-rounds.ts';
import { coarsePoint, expectRound } from './frozen-round.ts';

test.each(rounds)('the report and the round of $request', (round) => {
  const { request } = round;
  expectRound(
    euclideanMedian,
    euclideanMedianParameters(request),
    round,
    (i) => ({ point: coarsePoint(i, request.dimension) }),
    1e-6,
  );
});

test('every variant is among the frozen rounds', () => {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...VARIANTS].sort());
});
