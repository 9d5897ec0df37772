import { expect, test } from '@jest/globals';
import { descent, type ErmRequest, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { VARIANTS } from '../../protocols/user-level-erm/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { recorded } from './frozen.ts';

/** One descent as it was recorded. */
interface FrozenDescent {
  readonly request: ErmRequest;
  /** Digest of the plan. */
  readonly digest: string;
  /** The report of player 7 in the first round with the coins of seed `frozen`, in hexadecimal. */
  readonly report: string;
  /** What all players say. */
  readonly estimate: {
    readonly theta: readonly number[];
    readonly gradient: readonly number[];
    readonly gradientError: number;
    readonly distance: number;
  };
}

const descents = recorded<FrozenDescent>('user-level-erm');

/** Player i, on a coarse grid, so that no rounding is in its records. */
function player(i: number, dimension: number): { features: number[]; responses: number[] } {
  const features = Array.from({ length: 2 * dimension }, (_, j) => (((i * (j + 3) * 37) % 101) - 50) / 128);
  return { features, responses: [i % 3 === 0 ? -1 : 1, i % 5 === 0 ? -0.5 : 1] };
}

test.each(descents)('the first report and the descent of $request', ({ request, digest, report, estimate }) => {
  const plan = descent(request);
  expect(plan.digest).toBe(digest);

  const { player: device, report: wire, rounds } = userLevelErm;
  const round = rounds.first(plan);
  const bytes = wire.encode(round, device.randomize(round, player(7, request.dimension), seededRandom('frozen')));
  expect(Buffer.from(bytes).toString('hex')).toBe(report);

  const { players } = request;
  const population = { players, datum: (i: number) => player(i, request.dimension) };
  const { theta, gradient, gradientError, distance } = conduct(userLevelErm, plan, population, {
    seed: 'frozen descent',
  }).estimate;
  const now = { theta: [...theta], gradient: [...gradient], gradientError, distance };
  const apart = Math.max(
    difference(now.theta, estimate.theta),
    difference(now.gradient, estimate.gradient),
    difference([now.gradientError, now.distance], [estimate.gradientError, estimate.distance]),
  );
  // Only where they are apart: all the numbers, so that they can be recorded again.
  expect(apart < 1e-6 ? estimate : now).toEqual(estimate);
});

test('every variant is among the frozen descents', () => {
  expect(VARIANTS).toEqual(['descent']);
  expect(descents.some(({ request }) => request.samePlayers === true)).toBe(true);
});
