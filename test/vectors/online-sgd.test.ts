import { expect, test } from '@jest/globals';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import { VARIANTS } from '../../protocols/online-sgd/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { recorded } from './frozen.ts';

/** A frozen stream of 60 players, recorded from this package; at least one for each variant. */
interface FrozenStream {
  readonly request: { readonly variant: string; readonly [field: string]: unknown };
  readonly digest: string;
  /** The bytes of the first report. */
  readonly report: string;
  /** Average, last iterate and intervals. */
  readonly estimate: readonly number[];
}

const rounds = recorded<FrozenStream>('online-sgd');

/** Player i of the stream: features on a coarse grid, so that no rounding is in them. */
function player(i: number, kind: string): { features: number[]; response: number } {
  const features = [0, 1].map((j) => (((i * (j + 3) * 37) % 101) - 50) / 25);
  const response = features[0] - features[1];
  if (kind === 'huber' || kind === 'huber-scale') return { features, response };
  return { features, response: response > 0 ? 1 : 0 };
}

const hexadecimal = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test.each(rounds)('the report and the stream of $request', ({ request, ...stored }) => {
  const plan = onlineSgdPlan(request as unknown as OnlineSgdRequest);
  const { kind } = plan.model;
  const state = onlineSgd.server.start(plan);
  const random = seededRandom('frozen');
  let report = '';
  for (let i = 0; i < 60; i++) {
    const answer = onlineSgd.player.randomize(onlineSgd.server.step(plan, state), player(i, kind), random);
    if (i === 0) report = hexadecimal(onlineSgd.report.encode(plan, answer));
    onlineSgd.server.accept(plan, state, answer);
  }
  const { theta, last, intervals } = onlineSgd.server.estimate(plan, state);
  const estimate = [...theta, ...last, ...intervals.flat()];
  const now = { digest: plan.digest, report, estimate };
  // Only where they are apart: all the numbers, so that they can be recorded again.
  const same = now.digest === stored.digest && report === stored.report && difference(estimate, stored.estimate) < 1e-9;
  expect(same ? stored : now).toEqual(stored);
});

test('every variant is among the frozen streams', () => {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...VARIANTS].sort());
});
