import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Certificate, certificate } from '../../../src/privacy/certificate.ts';
import { gdpDelta, gdpEpsilon } from '../../../src/privacy/gaussian.ts';
import { approximate, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { type Accounting, gaussianRelease, type Release, type Total } from '../../../src/privacy/totals.ts';
import { powerOfTen } from './powers-of-ten.ts';
import { printedAlgorithm, releaseOf } from './printed-algorithm.ts';

const totalsOf = (given: Certificate, accounting: Accounting): Total[] =>
  given.totals.filter((total) => total.accounting === accounting);

const pureRelease = releaseOf(pure(1));

describe('The certificate of Algorithm 1 as printed', () => {
  test('holds each release to its classical claim: copy 0 to (ε/2, δ), the others to (ε/(d(d+1)), δ)', () => {
    const { releases } = printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 2);
    expect(releases.map(({ count, claimHolds }) => [count, claimHolds])).toEqual([
      [1, true],
      [1, true],
      [3, true],
      [3, true],
    ]);
    // Each is the classical mechanism at its own ε′, so μ = ε′/√(2·ln(1.25/δ)).
    const root = Math.sqrt(2 * Math.log(1.25e6));
    for (const { claimed, guarantee } of releases) {
      const epsilon = claimed?.kind === 'approximate' ? claimed.epsilon : 0;
      const mu = guarantee.kind === 'gdp' ? guarantee.mu : 0;
      expect(mu).toBeCloseTo(epsilon / root, 14);
      expect(gdpDelta(mu, epsilon)).toBeLessThan(1e-6);
    }
  });

  test('adds up to 2ε and (d(d+1) + 2)·δ by basic composition: not what is claimed', () => {
    for (const degree of [1, 2, 3, 5]) {
      const [claims] = totalsOf(printedAlgorithm({ epsilon: 0.7, delta: 1e-5 }, degree), 'basic');
      const { guarantee } = claims;
      expect(guarantee.kind).toBe('approximate');
      if (guarantee.kind !== 'approximate') continue;
      expect(guarantee.epsilon).toBeCloseTo(1.4, 14);
      expect(guarantee.delta).toBeCloseTo((degree * (degree + 1) + 2) * 1e-5, 18);
      expect(claims.withinClaim).toBe(false);
      expect(claims.epsilonAtDelta).toBeNull();
    }
  });

  test('adds up to μ² = ε²/(4L) + ε²/(2L·d(d+1)) by Gaussian composition', () => {
    for (const degree of [1, 2, 3, 5]) {
      const [total] = totalsOf(printedAlgorithm({ epsilon: 0.7, delta: 1e-5 }, degree), 'gdp');
      const logarithm = Math.log(1.25e5);
      const squared = 0.49 / (4 * logarithm) + 0.49 / (2 * logarithm * degree * (degree + 1));
      expect(total.guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(Math.sqrt(squared), 14) });
    }
  });

  test('is within its claim by Gaussian composition for every ε up to 1, every δ and every degree', () => {
    fc.assert(
      fc.property(
        powerOfTen(-3, 0),
        powerOfTen(-18, -0.1),
        fc.integer({ min: 0, max: 12 }),
        (epsilon, delta, degree) => {
          const given = printedAlgorithm({ epsilon, delta }, degree);
          const [total] = totalsOf(given, 'gdp');
          return (
            total.withinClaim === true &&
            (total.epsilonAtDelta ?? Infinity) <= epsilon &&
            given.releases.every((release) => release.claimHolds)
          );
        },
      ),
      { seed: 1, numRuns: 60, endOnFailure: true },
    );
  });

  test('is not within its claim at (8, 1e-3) and degree 1, where it is the classical mechanism used once', () => {
    const [total] = totalsOf(printedAlgorithm({ epsilon: 8, delta: 1e-3 }, 1), 'gdp');
    expect(total.withinClaim).toBe(false);
    // .472060 instead of .480014: μ = 1/.472060, ε = 8.1787 at δ = 1e-3.
    expect(total.guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(1 / 0.47206, 5) });
    expect(total.epsilonAtDelta).toBeCloseTo(8.1787, 4);
  });

  test('has copy 0 alone at degree 0: μ² = ε²/(4L)', () => {
    const given = printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 0);
    expect(given.releases).toHaveLength(2);
    const [total] = totalsOf(given, 'gdp');
    expect(total.guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(1 / Math.sqrt(4 * Math.log(1.25e6)), 14) });
    expect(totalsOf(given, 'basic')[0].guarantee).toEqual(approximate({ epsilon: 1, delta: 2e-6 }));
  });

  test('adds up the exact guarantees as well, each at an even share of δ, and is still outside', () => {
    const given = printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 2);
    const [, exact] = totalsOf(given, 'basic');
    const mu = (claimed: number): number => claimed / Math.sqrt(2 * Math.log(1.25e6));
    const sum = 2 * gdpEpsilon(mu(1 / 2), 1e-6 / 8) + 6 * gdpEpsilon(mu(1 / 6), 1e-6 / 8);
    expect(exact.epsilonAtDelta).toBeCloseTo(sum, 12);
    expect(exact.guarantee).toEqual(approximate({ epsilon: exact.epsilonAtDelta!, delta: 1e-6 }));
    expect(exact.withinClaim).toBe(false);
  });

  test('orders the accountings as theory says: Gaussian below concentrated below basic', () => {
    const given = printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 3);
    const [gaussian, concentrated, exact] = [
      totalsOf(given, 'gdp')[0],
      totalsOf(given, 'zcdp')[0],
      totalsOf(given, 'basic')[1],
    ].map((total) => total.epsilonAtDelta!);
    expect(gaussian).toBeLessThan(concentrated);
    expect(concentrated).toBeLessThan(exact);
  });
});

describe('A certificate', () => {
  test('of one pure release has a pure, a basic, a Gaussian and a concentrated total', () => {
    const given = certificate({ protocol: 'hinge', variant: 'lifted', releases: [pureRelease], claimed: pure(1) });
    expect(given.totals.map(({ accounting, withinClaim }) => [accounting, withinClaim])).toEqual([
      ['pure', true],
      ['basic', true],
      ['gdp', false],
      ['zcdp', false],
    ]);
    expect(given.totals[0].guarantee).toEqual(pure(1));
    expect(given.totals[1].guarantee).toEqual(pure(1));
    expect(given.totals[2].guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(1.232035385344901, 12) });
    expect(given.totals[3].guarantee).toEqual({ kind: 'zcdp', rho: expect.closeTo(0.46211715726, 10) });
    expect(given.totals.some((total) => 'epsilonAtDelta' in total)).toBe(false);
    expect(given.silent).toEqual([]);
    expect(given.neighbouring).toBe('replace-one: any two data of one player');
  });

  test('reads every total at the δ it is asked for, before that of the claim', () => {
    const releases = [gaussianRelease({ what: 'v', count: 4, sensitivity: 2, sigma: 8 })];
    const claimed = approximate({ epsilon: 3, delta: 1e-6 });
    const given = certificate({ protocol: 'p', variant: 'm', releases, claimed, reportDelta: 1e-9 });
    expect(given.reportDelta).toBe(1e-9);
    expect(totalsOf(given, 'gdp')[0].epsilonAtDelta).toBe(gdpEpsilon(0.5, 1e-9));
    expect(totalsOf(given, 'gdp')[0].withinClaim).toBe(true);
    const plain = certificate({ protocol: 'p', variant: 'm', releases });
    expect(plain.totals.every((total) => !('withinClaim' in total) && !('epsilonAtDelta' in total))).toBe(true);
    expect(plain.silent.map(({ accounting }) => accounting)).toEqual(['pure', 'basic']);
  });

  test('is plain data: JSON gives it back unchanged', () => {
    for (const given of [
      printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 2),
      certificate({ protocol: 'hinge', variant: 'lifted', releases: [pureRelease], reportDelta: 1e-6 }),
    ]) {
      expect(JSON.parse(JSON.stringify(given))).toEqual(given);
    }
  });

  test('says which claim for a release does not hold, and does not build on it', () => {
    const claimed = approximate({ epsilon: 1, delta: 1e-6 });
    const releases = [gaussianRelease({ what: 'the mean', count: 1, sensitivity: 2, sigma: 2, claimed })];
    const given = certificate({ protocol: 'p', variant: 'm', releases, claimed });
    expect(given.releases[0].claimHolds).toBe(false);
    expect(given.silent).toContainEqual({
      accounting: 'basic',
      reason: 'the claim for the mean does not hold (approximate, ε = 1, δ = 1e-6)',
    });
    // What remains of basic composition is the exact line.
    expect(totalsOf(given, 'basic').map((total) => total.epsilonAtDelta)).toEqual([gdpEpsilon(1, 1e-6)]);
    expect(given.totals.every((total) => total.withinClaim === false)).toBe(true);
  });

  test('is silent, with the reason, where an accounting does not apply', () => {
    const stated = { ...pureRelease, guarantee: approximate({ epsilon: 1, delta: 0.3 }), count: 4 };
    const given = certificate({ protocol: 'p', variant: 'm', releases: [stated] });
    expect(given.totals).toEqual([]);
    expect(given.silent).toEqual([
      { accounting: 'pure', reason: 'not every release is pure' },
      { accounting: 'basic', reason: 'the δ of the releases add up to 1 or more' },
      { accounting: 'gdp', reason: 'a release has no Gaussian guarantee' },
      { accounting: 'zcdp', reason: 'a release has no concentrated guarantee' },
    ]);
    const mixed = certificate({
      protocol: 'p',
      variant: 'm',
      releases: [
        { ...stated, count: 1 },
        { ...pureRelease, guarantee: zcdp(0.1) },
      ],
      reportDelta: 1e-6,
    });
    expect(mixed.totals).toEqual([]);
    expect(mixed.silent).toContainEqual({
      accounting: 'basic',
      reason: 'a release has a δ above an even share of the δ reported at',
    });
  });

  test('spends no share of δ on pure releases', () => {
    const releases = [pureRelease, gaussianRelease({ what: 'v', count: 2, sensitivity: 1, sigma: 10 })];
    const given = certificate({ protocol: 'p', variant: 'm', releases, reportDelta: 1e-6 });
    const [exact] = totalsOf(given, 'basic');
    expect(exact.epsilonAtDelta).toBeCloseTo(1 + 2 * gdpEpsilon(0.1, 5e-7), 12);
  });

  test('refuses what is not a transcript', () => {
    const make = (releases: Release[], rest: object = {}): (() => Certificate) => {
      return () => certificate({ protocol: 'p', variant: 'm', releases, ...rest });
    };
    expect(make([])).toThrow('"releases" expected at least one entry, got none');
    expect(make(undefined as never)).toThrow('"releases" expected a list of one or more entries, got undefined');
    expect(make([{ ...pureRelease, count: 0 }])).toThrow('"releases[0].count" expected a whole number >= 1, got 0');
    expect(make([{ ...pureRelease, scale: 0 }])).toThrow('"releases[0].scale"');
    expect(make([{ ...pureRelease, sensitivity: Number.NaN }])).toThrow('"releases[0].sensitivity"');
    expect(make([{ ...pureRelease, what: '' }])).toThrow('"releases[0].what"');
    expect(make([{ ...pureRelease, guarantee: { kind: 'gdp', mu: -1 } }])).toThrow(RangeError);
    expect(make([pureRelease], { reportDelta: 0 })).toThrow('"reportDelta"');
    expect(make([pureRelease], { claimed: { kind: 'pure', epsilon: 0 } })).toThrow(RangeError);
    expect(make([pureRelease], { protocol: '' })).toThrow('"protocol"');
    expect(() => gaussianRelease({ what: 'v', count: 1, sensitivity: 1, sigma: 0 })).toThrow('"sigma"');
  });

  test('takes the guarantee of a Gaussian release from its sensitivity and its noise', () => {
    expect(gaussianRelease({ what: 'v', count: 3, sensitivity: 2, sigma: 8 })).toEqual({
      what: 'v',
      count: 3,
      mechanism: 'Gaussian',
      sensitivity: 2,
      scale: 8,
      guarantee: gdp(0.25),
    });
  });
});
