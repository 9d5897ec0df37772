// A server that goes on from finished rounds, or a device that computes the next one, is handed rounds by somebody. One that was forged
// with care keeps every rule of its own: right number, numbers that the plan allows, the digest of what it says. Only the plan and the
// tallies before it tell that it was never asked.
import { describe, expect, test } from '@jest/globals';
import type { ErmRound } from '../../../protocols/user-level-erm/gradients.ts';
import { descent, userLevelErm } from '../../../protocols/user-level-erm/index.ts';
import { oneBit, userLevelMean, vector } from '../../../protocols/user-level-mean/index.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import type { FinishedRound, RoundParameters, RoundsProtocol } from '../../../src/core/interactive.ts';
import { conduct, type Population } from '../../../src/simulation/runner.ts';
import { populationOf } from '../../evidence/user-level-erm/validations/records.ts';
import { drawRecords, smallRequest } from '../../protocols/user-level-erm-cases.ts';

/** Plays a plan, forges its second round with the digest that belongs to it, and tells what comes after each of the two pasts. */
function pasts<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report, Tally, Estimate>(
  protocol: RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate>,
  plan: Plan,
  population: Population<Datum>,
  forge: (round: Round) => unknown,
): { readonly honest: () => unknown; readonly forged: () => unknown; readonly estimated: () => unknown } {
  const { finished } = conduct(protocol, plan, population, { seed: 1 });
  const forged = protocol.rounds.remake(plan, forge(finished[1].round));
  const lie: FinishedRound<Round, Tally> = {
    round: forged,
    tally: { ...finished[1].tally, digest: forged.digest },
  };
  const [first, second] = structuredClone(finished.slice(0, 2));
  return {
    honest: () => protocol.rounds.next(plan, [first, second]),
    forged: () => protocol.rounds.next(plan, [first, lie]),
    estimated: () => protocol.rounds.estimate(plan, [first, lie, ...finished.slice(2)]),
  };
}

const samples = Float64Array.from({ length: 60 }, (_, i) => 0.3 + 0.2 * Math.sin(i));
const asked = { epsilon: 2, players: 3000, samples: 20 };
const records = drawRecords({ loss: 'logistic', players: 3000, samples: 4, truth: [0.5, 0.3, 0.1], seed: 'forged' });

describe.each([
  [
    'an interval of oneBit',
    pasts(userLevelMean, oneBit(asked), { players: 3000, datum: () => ({ samples }) }, (round) => ({
      ...round,
      question: { lower: -0.75, upper: 0.25 },
    })),
  ],
  [
    'a threshold of vector',
    pasts(
      userLevelMean,
      vector({ ...asked, dimension: 3, form: 'sign' }),
      { players: 3000, datum: () => ({ samples }) },
      (round) => ({
        ...round,
        thresholds: (round as unknown as { thresholds: Float64Array }).thresholds.map((threshold) => threshold / 2),
      }),
    ),
  ],
  [
    'an iterate of the descent, within the ball',
    pasts(userLevelErm, descent(smallRequest('logistic')), populationOf(records, 3000), (round) => ({
      ...round,
      theta: Float64Array.of(0.5, -0.5, 0.5),
      asked: (round as ErmRound).asked,
    })),
  ],
])('finished rounds with a forged one: %s', (_, { honest, forged, estimated }) => {
  test('nothing is asked on its ground, and nothing estimated', () => {
    expect(honest()).toBeDefined();
    for (const call of [forged, estimated]) {
      expect(call).toThrow(RangeError);
      expect(call).toThrow(/^"finished\[1\]\.round\.digest" expected that of the round which plan and tallies give/);
    }
  });
});
