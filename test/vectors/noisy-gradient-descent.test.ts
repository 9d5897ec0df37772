import { expect, test } from '@jest/globals';
import { descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import type { NoisyGradientDescentRequest } from '../../protocols/noisy-gradient-descent/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { frozenRecords, numbersOf, RECORDS } from './noisy-fits.ts';
import { fits } from './noisy-gradient-descent-fits.ts';

// Frozen fits: a published seed and a stored estimate rely on them. They were recorded from this package, so they say that nothing
// changed, not that it is right. A changed estimate with the same law is "value-breaking" in the change log; a changed law is
// forbidden: it needs a variant of its own.

test.each(fits)('the fit of $request', ({ request, ...stored }) => {
  const plan = descent({ ...request, records: RECORDS, force: true } as unknown as NoisyGradientDescentRequest);
  const fit = descend(plan, frozenRecords(request.model.kind), seededRandom('frozen'));
  const { noise, step, sandwich, steps } = plan;
  const now = { noise: [steps, step, noise, ...Object.values(sandwich ?? {})], fit: [...numbersOf(fit)] };
  // Only where they are apart: all the numbers, so that they can be recorded again.
  const same = difference(now.noise, stored.noise) < 1e-12 && difference(now.fit, stored.fit) < 1e-9;
  expect(same ? stored : now).toEqual(stored);
});

test('control: coins of another seed give another fit', () => {
  const [{ request, fit }] = fits;
  const plan = descent({ ...request, records: RECORDS, force: true } as unknown as NoisyGradientDescentRequest);
  const other = descend(plan, frozenRecords(request.model.kind), seededRandom('other'));
  expect(difference(numbersOf(other), fit)).toBeGreaterThan(1e-3);
});
