import { expect, test } from '@jest/globals';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import { VARIANTS } from '../../protocols/user-level-mean/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { recorded } from './frozen.ts';

/** A plan played by 400 players as it was recorded. */
interface FrozenPlan {
  readonly request: UserLevelMeanRequest;
  /** Digest of the plan. */
  readonly digest: string;
  /** Digests of its rounds. */
  readonly rounds: readonly string[];
  /** In each round the bytes of player 7's report with the coins of seed `frozen`, in hexadecimal. */
  readonly reports: readonly string[];
  /** What the rounds say. */
  readonly estimate: { readonly players: number; readonly mean: number; readonly standardError: number };
}

const plans = recorded<FrozenPlan>('user-level-mean');

/** Player i, on a coarse grid, so that no rounding is in the samples: two samples in one dimension, one in three. */
const datumIn =
  (dimension: number) =>
  (i: number): { samples: number[] } => {
    const two = [0.25 + (((i * 37) % 101) - 50) / 200, 0.25 + (((i * 53) % 97) - 48) / 200];
    return { samples: dimension === 1 ? two : [...two, (((i * 29) % 89) - 44) / 100] };
  };

test.each(plans)('the reports and the rounds of $request', ({ request, digest, rounds, reports, estimate }) => {
  const plan = userLevelMeanPlan(request);
  const datum = datumIn(plan.dimension);
  expect(plan.digest).toBe(digest);
  const played = conduct(userLevelMean, plan, { players: 400, datum }, { seed: 'frozen' });
  expect(played.finished.map(({ round }) => round.digest)).toEqual(rounds);
  const sent = played.finished.map(({ round }) => {
    const report = userLevelMean.player.randomize(round, datum(7), seededRandom('frozen'));
    return Buffer.from(userLevelMean.report.encode(round, report)).toString('hex');
  });
  expect(sent).toEqual(reports);
  // Frozen when the mean was not yet projected on the range.
  const { players, unprojected: mean, standardError } = played.estimate;
  const now = { players, mean: mean[0], standardError: standardError[0] };
  const apart = difference([players, mean[0], standardError[0]], Object.values(estimate));
  // Only where they are apart: all the numbers, so that they can be recorded again.
  expect(apart < 1e-9 ? estimate : now).toEqual(estimate);
});

test('every variant but vector and coordinates is among the frozen plans, those of two rounds in several dimensions too', () => {
  const others = ['vector', 'coordinates'];
  expect([...new Set([...plans.map(({ request }) => request.variant), ...others])].sort()).toEqual(
    [...VARIANTS].sort(),
  );
  const several = plans.filter(({ request: { dimension = 1 } }) => dimension > 1);
  expect([...new Set(several.map(({ request }) => request.variant))].sort()).toEqual(['printed', 'twoRound']);
});
