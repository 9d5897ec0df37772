// docs/errata.md, examples 2 and 3 of the non-asymptotic paper as variants: `printedGaussian` and `printedGdp` carry the printed
// claim beside what holds, and the certificate says where it does not.

import { expect, test } from '@jest/globals';
import { gaussian, gdp, printedGaussian, printedGdp } from '../../protocols/online-sgd/parameters.ts';
import { certificate, guarantee } from '../../protocols/online-sgd/theory.ts';
import type { Guarantee } from '../../src/privacy/guarantee.ts';

const model = { kind: 'huber', features: 3 } as const;
const muOf = (held: Guarantee): number => (held.kind === 'gdp' ? held.mu : Number.NaN);

test('printed example 3 guarantees √μ: less privacy than claimed for μ < 1, and more noise than needed above', () => {
  for (const mu of [0.25, 1, 4]) expect(muOf(guarantee(printedGdp({ model, mu })))).toBeCloseTo(Math.sqrt(mu), 12);
  const within = (mu: number): (boolean | undefined)[] =>
    certificate(printedGdp({ model, mu })).totals.map(({ withinClaim }) => withinClaim);
  expect(within(0.25)).not.toContain(true);
  expect(within(4)).toContain(true);
  expect(certificate(gdp({ model, mu: 0.25 })).totals.map(({ withinClaim }) => withinClaim)).toContain(true);
});

test('printed example 2 is within its claim for ε = 1 and not for ε = .05; the analytic noise is for both', () => {
  const within = (make: typeof gaussian, epsilon: number): boolean =>
    certificate(make({ model, epsilon, delta: 1e-3 })).totals.some(({ withinClaim }) => withinClaim === true);
  expect(within(printedGaussian, 1)).toBe(true);
  expect(within(printedGaussian, 0.05)).toBe(false);
  expect(within(gaussian, 1)).toBe(true);
  expect(within(gaussian, 0.05)).toBe(true);
});
