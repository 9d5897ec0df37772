import { type Certificate, certificate } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';

/** A release of which only its guarantee and its count matter. */
export const releaseOf = (guarantee: Guarantee, count: number = 1): Release => ({
  what: 'a part',
  count,
  mechanism: 'a mechanism',
  sensitivity: 2,
  scale: 3,
  guarantee,
});

/**
 * The certificate of one player of Algorithm 1 in Wang, Smith, Xu (2020), its noise exactly as printed, with what its
 * proof claims for each release by the classical theorem.
 */
export function printedAlgorithm(budget: { epsilon: number; delta: number }, degree: number): Certificate {
  const { epsilon, delta } = budget;
  const logarithm = Math.log(1.25 / delta);
  const pairs = degree * (degree + 1);
  const names = ['x', 'y'];
  const first = names.map(
    (name): Release =>
      gaussianRelease({
        what: `copy 0 of ${name}`,
        count: 1,
        sensitivity: 2,
        sigma: Math.sqrt((32 * logarithm) / epsilon ** 2),
        claimed: approximate({ epsilon: epsilon / 2, delta }),
      }),
  );
  const others = (degree === 0 ? [] : names).map(
    (name): Release =>
      gaussianRelease({
        what: `the other copies of ${name}`,
        count: pairs / 2,
        sensitivity: 2,
        sigma: Math.sqrt((8 * logarithm * pairs ** 2) / epsilon ** 2),
        claimed: approximate({ epsilon: epsilon / pairs, delta }),
      }),
  );
  return certificate({
    protocol: 'hinge',
    variant: 'printed',
    releases: [...first, ...others],
    claimed: approximate({ epsilon, delta }),
  });
}
