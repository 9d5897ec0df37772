import { expect, test } from '@jest/globals';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { VARIANTS } from '../../protocols/generalized-linear/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { player } from './generalized-linear-player.ts';
import { rounds } from './generalized-linear-rounds.ts';

// Frozen rounds, recorded from this package: see hinge.test.ts for what a change of them means.

test.each(rounds)('the report and the round of $request', ({ request, digest, datum, report, estimate }) => {
  const parameters = generalizedLinearParameters(request);
  expect(parameters.digest).toBe(digest);

  const drawn = generalizedLinear.player.randomize(parameters, datum, seededRandom('frozen'));
  const bytes = generalizedLinear.report.encode(parameters, drawn);
  expect(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(report);

  const tally = generalizedLinear.server.empty(parameters);
  const root = seededRandom('frozen round');
  for (let i = 0; i < 50; i++) {
    root.seek(i);
    const theirs = generalizedLinear.player.randomize(parameters, player(i, request.dimension), root);
    generalizedLinear.server.add(parameters, tally, theirs);
  }
  const { w, degree, coefficients, risk, standardError } = generalizedLinear.server.estimate(parameters, tally);
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
  expect([...new Set(rounds.map(({ request }) => request.variant))].sort()).toEqual([...VARIANTS].sort());
});
