import { expect, test } from '@jest/globals';
import { hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { VARIANTS } from '../../protocols/hinge/parameters.ts';
import { coarseRecord, expectRound } from './frozen-round.ts';
import { rounds } from './hinge-rounds.ts';

test.each(rounds)('the report and the round of $request', (round) => {
  const { request } = round;
  expectRound(hinge, hingeParameters(request), round, (i) => coarseRecord(i, request.dimension), 1e-9);
});

test('every variant is among the frozen rounds', () => {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...VARIANTS].sort());
});
