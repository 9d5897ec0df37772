import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  above,
  below,
  isBounded,
  LINE,
  negated,
  plus,
  point,
  reciprocal,
  type Span,
  squared,
  times,
  wholePower,
} from '../../../../src/risk/expression/formula.ts';

// The same cases on every run.
fc.configureGlobal({ seed: 13, numRuns: 2000 });

/** A double as an exact fraction n/2^k, with k ≥ 0. */
function exact(x: number): { readonly n: bigint; readonly k: number } {
  let k = 0;
  let scaled = x;
  while (!Number.isInteger(scaled) && k < 1100) {
    scaled *= 2;
    k++;
  }
  return { n: BigInt(scaled), k };
}

/** The sign of x − y for fractions. */
function compare(x: { n: bigint; k: number }, y: { n: bigint; k: number }): number {
  const left = x.n << BigInt(Math.max(0, y.k - x.k));
  const right = y.n << BigInt(Math.max(0, x.k - y.k));
  return left < right ? -1 : left > right ? 1 : 0;
}

const sum = (x: number, y: number) => {
  const [a, b] = [exact(x), exact(y)];
  const k = Math.max(a.k, b.k);
  return { n: (a.n << BigInt(k - a.k)) + (b.n << BigInt(k - b.k)), k };
};
const product = (x: number, y: number) => {
  const [a, b] = [exact(x), exact(y)];
  return { n: a.n * b.n, k: a.k + b.k };
};
const holds = (span: Span, value: { n: bigint; k: number }): boolean =>
  compare(exact(span.low), value) <= 0 && compare(value, exact(span.high)) <= 0;

// Numbers of which the exact arithmetic above can be done quickly, the awkward ones among them.
const number = fc.oneof(
  fc.double({ min: -1e3, max: 1e3, noNaN: true }).filter((x) => x === 0 || Math.abs(x) > 1e-30),
  fc.constantFrom(0, 1, -1, 0.1, 0.2, 1 / 3, 2 ** -60, 1 + 2 ** -52, 1 - 2 ** -53),
);

describe('a span computed with outward rounding holds the exact', () => {
  test('sum, which a point does not', () => {
    fc.assert(fc.property(number, number, (x, y) => holds(plus(point(x), point(y)), sum(x, y))));
    // Control: the sum rounded to nearest.
    expect(holds(point(0.1 + 0.2), sum(0.1, 0.2))).toBe(false);
  });

  test('product, square and whole powers', () => {
    fc.assert(
      fc.property(number, number, (x, y) => {
        const cube = product(x, x);
        const third = { n: cube.n * exact(x).n, k: cube.k + exact(x).k };
        return (
          holds(times(point(x), point(y)), product(x, y)) &&
          holds(squared(point(x)), product(x, x)) &&
          holds(wholePower(point(x), 3), third)
        );
      }),
    );
    expect(holds(point(0.1 * 0.1), product(0.1, 0.1))).toBe(false);
  });

  test('reciprocal', () => {
    const one = { n: 1n, k: 0 };
    fc.assert(
      fc.property(
        number.filter((x) => x > 0),
        (x) => {
          const { low, high } = reciprocal(point(x));
          return compare(product(low, x), one) <= 0 && compare(product(high, x), one) >= 0;
        },
      ),
    );
  });

  test('result of any two members', () => {
    const span = fc.tuple(number, number).map(([a, b]) => ({ low: Math.min(a, b), high: Math.max(a, b) }));
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const member = ({ low, high }: Span, at: number): number => Math.min(high, Math.max(low, low + at * (high - low)));
    fc.assert(
      fc.property(span, span, share, share, (a, b, i, j) => {
        const [x, y] = [member(a, i), member(b, j)];
        return (
          holds(plus(a, b), sum(x, y)) &&
          holds(times(a, b), product(x, y)) &&
          holds(squared(a), product(x, x)) &&
          holds(negated(a), exact(-x))
        );
      }),
    );
  });
});

describe('by hand', () => {
  test('what is exact stays exact: adding 0, multiplying by 0, 1 and −1', () => {
    expect(plus(point(0), point(0.3))).toEqual(point(0.3));
    expect(times(point(-1), point(0.3))).toEqual(point(-0.3));
    expect(times(point(0), LINE)).toEqual(point(0));
    expect(times({ low: 0, high: 1 }, { low: 0, high: Infinity })).toEqual({ low: 0, high: Infinity });
  });

  test('even powers are not negative, odd ones keep the sign', () => {
    expect(squared({ low: -2, high: 1 }).low).toBe(0);
    expect(squared({ low: -2, high: 1 }).high).toBeCloseTo(4, 14);
    expect(wholePower({ low: -2, high: 1 }, 4).low).toBe(0);
    expect(wholePower({ low: -2, high: 1 }, 3).low).toBeCloseTo(-8, 13);
    expect(wholePower(LINE, 0)).toEqual(point(1));
  });

  test('the reciprocal of what holds 0 is everything', () => {
    expect(reciprocal({ low: -1, high: 1 })).toEqual(LINE);
    expect(reciprocal(point(0))).toEqual(LINE);
    expect(isBounded(LINE)).toBe(false);
    expect(isBounded({ low: Number.NaN, high: 1 })).toBe(false);
  });

  test('one step down and up is beyond the nearest double, at both ends of the range too', () => {
    for (const x of [1, -1, 0.1, 2 - 2 ** -52, 1e-320, 0, 1e308]) {
      expect(below(x)).toBeLessThan(x);
      expect(above(x)).toBeGreaterThan(x);
    }
    expect([below(Infinity), above(-Infinity)]).toEqual([Number.MAX_VALUE, -Number.MAX_VALUE]);
    expect([above(Infinity), below(-Infinity)]).toEqual([Infinity, -Infinity]);
  });
});
