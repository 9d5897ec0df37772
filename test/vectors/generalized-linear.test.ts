import { expect, test } from '@jest/globals';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { VARIANTS } from '../../protocols/generalized-linear/parameters.ts';
import { coarseRecord, expectRound } from './frozen-round.ts';
import { rounds } from './generalized-linear-rounds.ts';

test.each(rounds)('the report and the round of $request', (round) => {
  const { request } = round;
  expectRound(
    generalizedLinear,
    generalizedLinearParameters(request),
    round,
    (i) => coarseRecord(i, request.dimension),
    1e-9,
  );
});

test('every variant is among the frozen rounds', () => {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...VARIANTS].sort());
});
