import { expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import { VARIANTS } from '../../protocols/euclidean-median/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { rounds } from './euclidean-median-rounds.ts';

// Frozen rounds: a published seed, a stored report and a stored estimate rely on them. They were recorded from this package,
// so they say that nothing changed, not that it is right. A changed report with the same law, or a changed estimate,
// is "value-breaking" in the change log; a changed law is forbidden: it needs a variant of its own.

/** Player i of the round, on a coarse grid, so that no rounding is in the point. */
function player(i: number, dimension: number): { point: number[] } {
  return {
    point: Array.from({ length: dimension }, (_, j) => (((i * (j + 3) * 37) % 101) - 50) / (60 * Math.sqrt(dimension))),
  };
}

test.each(rounds)('the report and the round of $request', ({ request, digest, datum, report, estimate }) => {
  const parameters = euclideanMedianParameters(request);
  expect(parameters.digest).toBe(digest);

  const { player: device, report: wire, server } = euclideanMedian;
  const bytes = wire.encode(parameters, device.randomize(parameters, datum, seededRandom('frozen')));
  expect(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(report);

  const tally = server.empty(parameters);
  const root = seededRandom('frozen round');
  for (let i = 0; i < 50; i++) {
    root.seek(i);
    server.add(parameters, tally, device.randomize(parameters, player(i, request.dimension), root));
  }
  const { w, mean, degree, coefficients, risk, standardError } = server.estimate(parameters, tally);
  const now = { w: [...w], mean: [...mean], degree, coefficients: [...coefficients], risk, standardError };
  const apart = Math.max(
    difference([now.degree], [estimate.degree]),
    difference(now.w, estimate.w),
    difference(now.mean, estimate.mean),
    difference(now.coefficients, estimate.coefficients),
    difference([now.risk, now.standardError], [estimate.risk, estimate.standardError]),
  );
  // Only where they are apart: all the numbers, so that they can be recorded again.
  expect(apart < 1e-6 ? estimate : now).toEqual(estimate);
});

test('every variant is among the frozen rounds', () => {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...VARIANTS].sort());
});
