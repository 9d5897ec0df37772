import { expect, test } from '@jest/globals';
import { hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { rounds } from './hinge-rounds.ts';

// Frozen rounds: a published seed, a stored report and a stored estimate rely on them. They were recorded from this package,
// so they say that nothing changed, not that it is right. A changed report with the same law, or a changed estimate,
// is "value-breaking" in the change log; a changed law is forbidden: it needs a variant of its own.

const label = (value: number): number => (value > 0 ? 1 : -1);

/** Player i of the round: features on a coarse grid, so that no rounding is in them. */
function player(i: number, dimension: number): { features: number[]; label: number } {
  const features = Array.from(
    { length: dimension },
    (_, j) => (((i * (j + 3) * 37) % 101) - 50) / (60 * Math.sqrt(dimension)),
  );
  return { features, label: label(features[0]) };
}

test.each(rounds)('the report and the round of $request', ({ request, digest, datum, report, estimate }) => {
  const parameters = hingeParameters(request);
  expect(parameters.digest).toBe(digest);

  const bytes = hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, seededRandom('frozen')));
  expect(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(report);

  const tally = hinge.server.empty(parameters);
  const root = seededRandom('frozen round');
  for (let i = 0; i < 50; i++) {
    root.seek(i);
    const drawn = hinge.player.randomize(parameters, player(i, request.dimension), root);
    hinge.server.add(parameters, tally, drawn);
  }
  const { w, degree, coefficients, risk, standardError } = hinge.server.estimate(parameters, tally);
  const now = { w: Array.from(w), degree, coefficients: Array.from(coefficients), risk, standardError };
  const apart = Math.max(
    difference([now.degree], [estimate.degree]),
    difference(now.w, estimate.w),
    difference(now.coefficients, estimate.coefficients),
    difference([now.risk, now.standardError], [estimate.risk, estimate.standardError]),
  );
  // Only where they are apart: all the numbers, so that they can be recorded again.
  expect(apart < 1e-9 ? estimate : now).toEqual(estimate);
});

test('every variant is among the frozen rounds', () => {
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([
    'copies',
    'gaussian',
    'lifted',
    'printed',
  ]);
});
