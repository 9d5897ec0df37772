import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deltaAt, pureToGdpMu, pureToZcdpRho, toApproximate } from '../../../src/privacy/conversion.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { compose } from '../../../src/privacy/totals.ts';
import { powerOfTen } from './powers-of-ten.ts';
import { answersDelta } from './randomized-response.ts';

describe('Composition by hand', () => {
  test('of Gaussian guarantees is Pythagoras', () => {
    expect(compose([gdp(3), gdp(4)]).gdp).toEqual(gdp(5));
    expect(compose([gdp(1)], [9]).gdp).toEqual(gdp(3));
    expect(compose([gdp(1), gdp(2)], [5, 1]).gdp).toEqual(gdp(3));
  });

  test('of concentrated guarantees is the sum', () => {
    expect(compose([zcdp(0.5), zcdp(0.25)]).zcdp).toEqual(zcdp(0.75));
    expect(compose([zcdp(0.5)], [4]).zcdp).toEqual(zcdp(2));
  });

  test('by the basic theorem adds ε and adds δ, and stays pure when all are pure', () => {
    expect(compose([pure(1), pure(0.5)]).basic).toEqual(pure(1.5));
    const mixed = [pure(1), approximate({ epsilon: 0.5, delta: 0.25 })];
    expect(compose(mixed).basic).toEqual(approximate({ epsilon: 1.5, delta: 0.25 }));
    expect(compose(mixed, [1, 2]).basic).toEqual(approximate({ epsilon: 2, delta: 0.5 }));
  });

  test('of mixed kinds gives every accounting that applies, and no other', () => {
    const { pure: p, basic, gdp: g, zcdp: z } = compose([pure(1), pure(1)]);
    expect([p, basic]).toEqual([pure(2), pure(2)]);
    expect(g?.mu).toBeCloseTo(Math.SQRT2 * pureToGdpMu(1), 14);
    expect(z?.rho).toBeCloseTo(2 * pureToZcdpRho(1), 14);

    expect(Object.keys(compose([pure(1), gdp(1)]))).toEqual(['gdp', 'zcdp']);
    expect(compose([gdp(3), gdp(4)])).toEqual({ gdp: gdp(5), zcdp: zcdp(12.5) });
    expect(compose([gdp(1), zcdp(1)])).toEqual({ zcdp: zcdp(1.5) });
    expect(compose([gdp(1), approximate({ epsilon: 1, delta: 0.1 })])).toEqual({});
    expect(Object.keys(compose([pure(1), approximate({ epsilon: 1, delta: 0.1 })]))).toEqual(['basic']);
    // Σδ ≥ 1 promises nothing.
    expect(compose([approximate({ epsilon: 1, delta: 0.5 })], [2])).toEqual({});
  });

  test('refuses empty lists, bad numbers and counts that do not match', () => {
    for (const none of [undefined, null, 3, {}, 'pure']) {
      expect(() => compose(none as never)).toThrow(/^"guarantees" expected a list of one or more entries, got /);
      if (none !== undefined) expect(() => compose([gdp(1)], none as never)).toThrow('"counts" expected a list');
    }
    expect(() => compose([])).toThrow('"guarantees" expected at least one entry, got none');
    // biome-ignore lint/suspicious/noSparseArray: a hole, over which `map` passes
    expect(() => compose([gdp(1), , gdp(1)] as never)).toThrow('"guarantees[1]" expected an entry, got a hole');
    expect(() => compose([gdp(1)], [1, 2])).toThrow('"counts" expected 1 entries, got 2');
    expect(() => compose([gdp(1)], [0])).toThrow('"counts[0]"');
    expect(() => compose([gdp(1)], [1.5])).toThrow(RangeError);
    expect(() => compose([pure(1), { kind: 'gdp', mu: -1 }])).toThrow('"mu" expected a finite number > 0, got -1');
    expect(() => compose([{ kind: 'pure', epsilon: 0 }])).toThrow(RangeError);
    expect(() => compose([{ kind: 'zcdp', rho: Number.NaN }])).toThrow('"rho"');
  });
});

describe('Composition against the exact curve of randomized response', () => {
  test('never claims more privacy than k answers have, under any accounting', () => {
    fc.assert(
      fc.property(
        powerOfTen(-2, 0.7),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1.1, noNaN: true }),
        (epsilon0, k, share) => {
          const epsilon = share * k * epsilon0;
          const exact = answersDelta(epsilon0, k, epsilon);
          const total = compose([pure(epsilon0)], [k]);
          // 1e-15 is the rounding of the enumeration, a sum of 41 terms that add up to at most 1.
          return Object.values(total).every((guarantee) => deltaAt(guarantee, epsilon) >= exact - 1e-15);
        },
      ),
      { seed: 1, numRuns: 1500, endOnFailure: true },
    );
  });

  test('is an inequality with little room: the total of one answer is not one of three answers', () => {
    const one = compose([pure(1)]);
    const caught = (guarantee: Guarantee | undefined, epsilon: number): boolean =>
      deltaAt(guarantee!, epsilon) < answersDelta(1, 3, epsilon);
    expect([caught(one.pure, 2), caught(one.gdp, 0), caught(one.zcdp, 2.5)]).toEqual([true, true, true]);
  });
});

describe('Which accounting is best', () => {
  const epsilonAt = (guarantee: Guarantee | undefined): number => toApproximate(guarantee!, 1e-6).epsilon;

  test('for Gaussian releases: the Gaussian one', () => {
    const { gdp: g, zcdp: z } = compose([gdp(0.3), gdp(0.4)]);
    expect(epsilonAt(g)).toBeLessThan(epsilonAt(z));
  });

  test('for one pure release: the pure one', () => {
    const { pure: p, gdp: g, zcdp: z } = compose([pure(1)]);
    expect(epsilonAt(p)).toBeLessThan(epsilonAt(z));
    expect(epsilonAt(p)).toBeLessThan(epsilonAt(g));
  });

  test('for a thousand small pure releases: concentrated, then Gaussian, then the sum', () => {
    const { pure: p, gdp: g, zcdp: z } = compose([pure(0.05)], [1000]);
    expect(epsilonAt(z)).toBeLessThan(epsilonAt(g));
    expect(epsilonAt(g)).toBeLessThan(epsilonAt(p));
    // ½ε² against (1.2533·ε)²/2 = .785·ε²
    expect(compose([pure(1e-4)]).gdp!.mu ** 2 / 2).toBeCloseTo(0.7854e-8, 11);
  });
});

describe('The order and the grouping of a composition', () => {
  test('do not matter, and more releases never cost less', () => {
    const list = fc.array(powerOfTen(-3, 1), { minLength: 2, maxLength: 8 });
    const muOf = (mus: readonly number[]): number => compose(mus.map(gdp)).gdp!.mu;
    fc.assert(
      fc.property(list, (mus) => {
        const whole = muOf(mus);
        const backwards = muOf([...mus].reverse());
        const grouped = muOf([muOf(mus.slice(0, 1)), muOf(mus.slice(1))]);
        const close = (x: number, y: number): boolean => Math.abs(x / y - 1) < 1e-14;
        return close(whole, backwards) && close(whole, grouped) && whole >= Math.max(...mus) * (1 - 1e-15);
      }),
      { seed: 2, numRuns: 500, endOnFailure: true },
    );
    const rhoOf = (rhos: readonly number[]): number => compose(rhos.map(zcdp)).zcdp!.rho;
    fc.assert(
      fc.property(list, (values) => {
        const sum = rhoOf(values);
        return sum >= Math.max(...values) && sum >= rhoOf(values.slice(1));
      }),
      { seed: 3, numRuns: 500, endOnFailure: true },
    );
  });

  test('adds up guarantees so small that their squares are no doubles', () => {
    const { gdp: gaussian, zcdp: concentrated } = compose([pure(5e-324), pure(1e-200)], [2, 3]);
    // A ρ or μ below 1e-290 is stated as 1e-290, which is weaker.
    expect(concentrated?.rho).toBeGreaterThanOrEqual(5e-290);
    expect(gaussian?.mu).toBeGreaterThanOrEqual(Math.sqrt((3 * Math.PI) / 2) * 1e-200);
  });
});
