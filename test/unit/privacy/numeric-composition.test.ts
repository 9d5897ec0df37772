import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { certificate, formatCertificate } from '../../../src/privacy/certificate.ts';
import { gdpDelta, gdpEpsilon } from '../../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { composeNumeric } from '../../../src/privacy/numeric-composition.ts';
import { gaussianRelease, type Release, type Total } from '../../../src/privacy/totals.ts';
import { powerOfTen } from './powers-of-ten.ts';
import { releaseOf } from './printed-algorithm.ts';
import { answersDelta } from './randomized-response.ts';

/** The exact δ of the worst mechanisms: every outcome of the (ε, δ) and pure ones, and one Gaussian curve at what is left. */
function exactDelta(budgets: readonly { epsilon: number; delta?: number }[], mu: number, at: number): number {
  let hidden = 1;
  for (const { delta = 0 } of budgets) hidden *= 1 - delta;
  let sum = 0;
  for (let lies = 0; lies < 2 ** budgets.length; lies++) {
    let probability = hidden;
    let loss = 0;
    budgets.forEach(({ epsilon }, i) => {
      const lie = Math.floor(lies / 2 ** i) % 2 === 1;
      probability /= 1 + Math.exp(lie ? epsilon : -epsilon);
      loss += lie ? -epsilon : epsilon;
    });
    const rest = at - loss;
    // (P − e^r·P′)₊ for r < 0 by symmetry: 1 − e^r + e^r·δ(−r).
    const curve = (r: number): number => (mu > 0 ? gdpDelta(mu, r) : 0);
    sum += probability * (rest >= 0 ? curve(rest) : 1 - Math.exp(rest) + Math.exp(rest) * curve(-rest));
  }
  return 1 - hidden + sum;
}

/** The ε at which a decreasing curve reaches δ. */
function solve(curve: (epsilon: number) => number, delta: number, most: number): number {
  let [low, high] = [0, most];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (curve(middle) <= delta) high = middle;
    else low = middle;
  }
  return high;
}

describe('Numeric composition', () => {
  test('of k equal pure releases is the optimal composition of Kairouz, Oh and Viswanath, rounded up', () => {
    const excess: number[] = [];
    for (const [epsilon, count] of [
      [1, 2],
      [1, 10],
      [0.1, 100],
      [0.5, 50],
      [4, 5],
      [8, 3],
      [0.01, 400],
    ]) {
      const numeric = composeNumeric([pure(epsilon)], [count]);
      for (const share of [0, 0.05, 0.2, 0.5, 0.9, 0.99]) {
        const at = share * epsilon * count;
        const exact = answersDelta(epsilon, count, at);
        if (exact > 1e-18) excess.push(numeric.deltaAt(at) / exact - 1);
      }
    }
    // The reference itself adds up k + 1 rounded terms.
    expect(Math.min(...excess)).toBeGreaterThan(-1e-13);
    expect(Math.max(...excess)).toBeLessThan(1e-8);
    expect(excess.length).toBeGreaterThan(30);
  });

  test('of k equal (ε, δ) releases has 1 − (1 − δ)^k on top, exactly', () => {
    const excess: number[] = [];
    for (const [epsilon, delta, count] of [
      [0.5, 1e-6, 20],
      [1, 1e-3, 4],
      [2, 0.1, 3],
    ]) {
      const numeric = composeNumeric([approximate({ epsilon, delta })], [count]);
      for (const share of [0, 0.2, 0.6, 0.95, 1, 2]) {
        const at = share * epsilon * count;
        const lost = -Math.expm1(count * Math.log1p(-delta));
        excess.push(numeric.deltaAt(at) / (lost + (1 - lost) * answersDelta(epsilon, count, at)) - 1);
      }
    }
    expect(Math.min(...excess)).toBeGreaterThan(-1e-13);
    expect(Math.max(...excess)).toBeLessThan(1e-8);
  });

  test('of Gaussian releases is Gaussian composition, at most 1e-4 above and never below, from δ = .1 to 1e-18', () => {
    const excess: number[] = [];
    for (const [mu, count] of [
      [1, 1],
      [0.1, 100],
      [5, 2],
      [0.001, 10],
      [30, 1],
    ]) {
      const numeric = composeNumeric([gdp(mu)], [count]);
      for (const delta of [0.1, 1e-3, 1e-6, 1e-12, 1e-18]) {
        const exact = gdpEpsilon(mu * Math.sqrt(count), delta);
        const value = numeric.epsilonAt(delta) ?? Infinity;
        if (exact > 0) excess.push(value / exact - 1);
        else expect(value).toBe(0);
      }
    }
    expect(Math.min(...excess)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...excess)).toBeLessThan(1e-4);
  });

  test('of unequal releases of all three kinds lies on the exact curve, at most 1e-3 above and never below', () => {
    const budget = fc.record({
      epsilon: powerOfTen(-2, 0.6),
      delta: fc.constantFrom(0, 0, 1e-9, 1e-7),
    });
    const mus = fc.constantFrom(0, 0.01, 0.3, 2);
    fc.assert(
      fc.property(fc.array(budget, { minLength: 1, maxLength: 7 }), mus, (budgets, mu) => {
        const guarantees = budgets.map(
          ({ epsilon, delta }): Guarantee => (delta ? approximate({ epsilon, delta }) : pure(epsilon)),
        );
        const numeric = composeNumeric(mu > 0 ? [...guarantees, gdp(mu)] : guarantees);
        const most = budgets.reduce((sum, { epsilon }) => sum + epsilon, 0) + 10 * mu + mu * mu;
        return [1e-2, 1e-4, 1e-6].every((delta) => {
          const exact = solve((at) => exactDelta(budgets, mu, at), delta, most);
          const value = numeric.epsilonAt(delta) ?? Infinity;
          return value >= exact * (1 - 1e-9) && value <= exact * 1.001 + 1e-6;
        });
      }),
      { seed: 5, numRuns: 40, endOnFailure: true },
    );
  });

  test('control: one release fewer is below the exact curve, and one in a thousand less noise is seen', () => {
    expect(composeNumeric([pure(0.5)], [19]).deltaAt(2.5)).toBeLessThan(answersDelta(0.5, 20, 2.5));
    const fewer = composeNumeric([pure(1), gdp(0.5)]).deltaAt(2);
    expect(fewer).toBeLessThan(exactDelta([{ epsilon: 1 }, { epsilon: 0.05 }], 0.5, 2));
    expect(composeNumeric([pure(1), gdp(0.4995)]).deltaAt(2)).toBeLessThan(exactDelta([{ epsilon: 1 }], 0.5, 2));
  });

  test('tends to Gaussian privacy for very many small pure releases', () => {
    for (const count of [1e4, 1e8]) {
      const numeric = composeNumeric([pure(1 / Math.sqrt(count))], [count]);
      expect((numeric.epsilonAt(1e-6) ?? 0) / gdpEpsilon(1, 1e-6)).toBeCloseTo(1, 3);
    }
  });

  test('counts a release as often as it is listed, in any order', () => {
    const listed = composeNumeric([pure(1), gdp(0.5), pure(1), gdp(0.5), pure(0.2)]);
    const counted = composeNumeric([pure(0.2), gdp(0.5), pure(1)], [1, 2, 2]);
    for (const epsilon of [0, 1, 2, 3]) expect(listed.deltaAt(epsilon) / counted.deltaAt(epsilon)).toBeCloseTo(1, 12);
  });

  test('is certain beyond the largest loss, and knows where it certifies nothing', () => {
    const numeric = composeNumeric([pure(1), approximate({ epsilon: 0.5, delta: 1e-4 })], [2, 1]);
    expect(numeric.largestLoss).toBe(2.5);
    expect(numeric.deltaAt(2.5)).toBeCloseTo(1e-4, 15);
    expect(numeric.epsilonAt(9.9e-5)).toBeNull();
    expect(numeric.epsilonAt(1.01e-4)).toBeLessThanOrEqual(2.5);
    expect(composeNumeric([pure(1)], [3]).deltaAt(3)).toBe(0);
    expect(composeNumeric([pure(1)], [3]).epsilonAt(0.95)).toBe(0);
    expect(composeNumeric([approximate({ epsilon: 0, delta: 1e-3 })], [2]).deltaAt(0)).toBeCloseTo(1.999e-3, 12);
    expect(composeNumeric([gdp(1)]).largestLoss).toBe(Infinity);
  });

  test('refuses what has no dominating pair, and what is not a transcript', () => {
    expect(() => composeNumeric([pure(1), zcdp(0.1)])).toThrow('"guarantees[1]" expected one with a dominating pair');
    expect(() => composeNumeric([])).toThrow('"guarantees" expected at least one entry, got none');
    for (const none of [null, undefined, {}, { length: 1 }]) {
      expect(() => composeNumeric(none as never)).toThrow('"guarantees" expected a list of one or more entries, got ');
    }
    expect(() => composeNumeric([pure(1)], { length: 1, 0: 1 } as never)).toThrow('"counts" expected a list');
    expect(() => composeNumeric([pure(1)], [1, 2])).toThrow('"counts" expected 1 entries, got 2');
    expect(() => composeNumeric([pure(1)], [0])).toThrow('"counts[0]"');
    expect(() => composeNumeric([pure(1)], [1e10])).toThrow('"counts[0]"');
    expect(() => composeNumeric([pure(1)]).deltaAt(-1)).toThrow('"epsilon"');
    expect(() => composeNumeric([pure(1)]).epsilonAt(0)).toThrow('"delta"');
  });
});

describe('The numeric line of a certificate', () => {
  const gaussian = gaussianRelease({ what: 'v', count: 2, sensitivity: 1, sigma: 4 });
  const make = (releases: Release[], rest: object = { reportDelta: 1e-6 }): ReturnType<typeof certificate> =>
    certificate({ protocol: 'p', variant: 'm', releases, ...rest });
  const line = (releases: Release[], rest?: object): Total | undefined =>
    make(releases, rest).totals.find(({ accounting }) => accounting === 'numeric');

  test('is the least of all totals for a mixed transcript, and is held against the claim', () => {
    const claimed = approximate({ epsilon: 2.6, delta: 1e-6 });
    const given = make([releaseOf(pure(0.5), 2), gaussian, releaseOf(approximate({ epsilon: 0.1, delta: 1e-8 }))], {
      claimed,
    });
    const numeric = given.totals.find(({ accounting }) => accounting === 'numeric');
    const others = given.totals.filter(({ accounting }) => accounting !== 'numeric');
    expect(others.length).toBeGreaterThan(0);
    for (const { epsilonAtDelta } of others) expect(numeric?.epsilonAtDelta).toBeLessThan(epsilonAtDelta ?? 0);
    expect(numeric?.withinClaim).toBe(true);
    expect(numeric?.guarantee).toEqual(approximate({ epsilon: numeric?.epsilonAtDelta ?? 0, delta: 1e-6 }));
    expect(JSON.parse(JSON.stringify(given))).toEqual(given);
    expect(formatCertificate(given).some((text) => /^numeric +approximate, ε = 2[.]/.test(text))).toBe(true);
  });

  test('counts a Gaussian release whose μ² is no double, and refuses a μ beyond 1e150', () => {
    const tiny = composeNumeric([pure(1), gdp(1e-200)]);
    expect(tiny.largestLoss).toBe(Infinity);
    expect(tiny.deltaAt(1)).toBeGreaterThan(0);
    expect(composeNumeric([gdp(1e-200)], [3]).epsilonAt(1e-6)).toBe(0);
    expect(composeNumeric([gdp(1e-200)]).deltaAt(0)).toBeGreaterThan(4e-201);
    expect(() => composeNumeric([gdp(1e155)])).toThrow('"guarantees" expected a joint μ <= 1e+150');
  });

  test('never states a δ above 1', () => {
    const { deltaAt } = composeNumeric([approximate({ epsilon: 0, delta: 0.9 })], [1e9]);
    expect(deltaAt(0)).toBe(1);
  });

  test('is there for several pure releases, below the sum of their ε', () => {
    expect(line([releaseOf(pure(0.1), 100)])?.epsilonAtDelta).toBeCloseTo(4.774567588, 6);
  });

  test('has a sum in its place where δ is too small for it, of the pure releases and of the Gaussian ones together', () => {
    const reportDelta = 1e-100;
    const given = make([releaseOf(pure(0.125), 4), gaussian], {
      reportDelta,
      claimed: approximate({ epsilon: 9, delta: reportDelta }),
    });
    const reason = 'the δ reported at is too small for sums of losses in doubles';
    expect(given.silent).toContainEqual({ accounting: 'numeric', reason });
    const [shares, together] = given.totals.filter(({ accounting }) => accounting === 'basic');
    // The two Gaussian releases of μ = 1/4 are one of √2/4.
    expect(together.epsilonAtDelta).toBeCloseTo(0.5 + gdpEpsilon(Math.SQRT2 / 4, reportDelta), 9);
    expect(together.epsilonAtDelta).toBeLessThan(shares.epsilonAtDelta ?? 0);
    expect([shares.withinClaim, together.withinClaim]).toEqual([false, true]);
    // Not of one Gaussian release, which the even shares cover, not with releases that have a δ of their own, nor where the sums of losses
    // tell more; but where their grid is coarse.
    const one = make([releaseOf(pure(0.125), 4), { ...gaussian, count: 1 }], { reportDelta });
    expect(one.totals.filter(({ accounting }) => accounting === 'basic')).toHaveLength(1);
    const mixed = make([releaseOf(approximate({ epsilon: 1, delta: 1e-101 })), gaussian], { reportDelta });
    expect(mixed.totals.filter(({ accounting }) => accounting === 'basic')).toHaveLength(1);
    expect(mixed.silent).toContainEqual({ accounting: 'numeric', reason });
    const names = (releases: Release[]): string[] => make(releases).totals.map(({ accounting }) => accounting);
    expect(names([releaseOf(pure(0.125), 4), gaussian])).toEqual(['basic', 'gdp', 'zcdp', 'numeric']);
    expect(names([releaseOf(pure(25), 4), { ...gaussian, guarantee: gdp(8) }])).toEqual([
      'basic',
      'gdp',
      'zcdp',
      'basic',
      'numeric',
    ]);
  });

  test('is left out where it would add nothing: one release, Gaussian ones only, no δ', () => {
    expect(line([releaseOf(pure(1))])).toBeUndefined();
    expect(line([gaussian])).toBeUndefined();
    expect(line([releaseOf(pure(1)), gaussian], {})).toBeUndefined();
    expect(make([gaussian]).silent.map(({ accounting }) => accounting)).not.toContain('numeric');
  });

  test('is silent, with the reason, where no composition is known', () => {
    const reasons = (releases: Release[]): string[] =>
      make(releases)
        .silent.filter(({ accounting }) => accounting === 'numeric')
        .map(({ reason }) => reason);
    expect(reasons([releaseOf(zcdp(0.1), 2)])).toEqual([expect.stringContaining('a concentrated guarantee only')]);
    expect(reasons([releaseOf(approximate({ epsilon: 1, delta: 1e-6 }), 2)])).toEqual([
      'the δ of the releases together reach the δ reported at',
    ]);
    expect(reasons([releaseOf(pure(1e-6), 1e10)])).toEqual(['there are more than 1e9 releases']);
  });
});
