import { describe, expect, test } from '@jest/globals';
import { certificate, formatCertificate } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import type { Release } from '../../../src/privacy/totals.ts';
import { releaseOf } from './printed-algorithm.ts';

const totalsOf = (releases: readonly Release[], claimed?: Guarantee) => {
  const input = { protocol: 'coin', variant: 'fresh', releases, alternatives: true };
  const { totals } = certificate(claimed === undefined ? input : { ...input, claimed });
  return Object.fromEntries(totals.map(({ accounting, guarantee }) => [accounting, guarantee]));
};

describe('a certificate of which a player sends one release', () => {
  test('has the weakest of them under every accounting (by hand)', () => {
    const totals = totalsOf([releaseOf(pure(1)), releaseOf(pure(0.3))]);
    expect(totals.pure).toEqual(pure(1));
    expect(totals.basic).toEqual(pure(1));
    // Not the sum: two releases of different players.
    expect(totals.zcdp).toEqual({ kind: 'zcdp', rho: expect.closeTo(0.46211716, 6) });
  });

  test('does not let a Gaussian release vouch for a pure one', () => {
    const totals = totalsOf([releaseOf(pure(1)), releaseOf(gdp(0.2367))], approximate({ epsilon: 1, delta: 1e-6 }));
    expect(totals.gdp).toEqual({ kind: 'gdp', mu: expect.closeTo(1.232035385, 6) });
    expect(totals.pure).toBeUndefined();
    expect(totals.basic).toMatchObject({ kind: 'approximate', delta: 1e-6 });
  });

  test('composes the copies of one release before it compares', () => {
    expect(totalsOf([releaseOf(pure(0.3), 4), releaseOf(pure(1))]).pure).toEqual(pure(1.2));
  });

  test('says nothing under an accounting that one of them lacks', () => {
    const totals = totalsOf([releaseOf(pure(1)), releaseOf(zcdp(0.1))]);
    expect(Object.keys(totals)).toEqual(['zcdp']);
  });

  test('says so', () => {
    const made = certificate({
      protocol: 'coin',
      variant: 'fresh',
      releases: [releaseOf(pure(1))],
      alternatives: true,
    });
    expect(formatCertificate(made).join('\n')).toContain('Of these releases a player sends one');
  });
});
