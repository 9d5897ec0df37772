import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import { createLift, fillLift, fillPower, liftSize, MAXIMUM_LIFT, scaleLift } from '../../../src/polynomial/lift.ts';

// The same cases on every run; the properties were also run over 4000 cases of other seeds.
fc.configureGlobal({ seed: 6 });

const entry = fc.double({ min: -1, max: 1, noNaN: true });

/** Two vectors of the unit ball in dimension up to 8. */
const pair = fc.integer({ min: 1, max: 8 }).chain((dimension) => {
  const vector = fc
    .array(entry, { minLength: dimension, maxLength: dimension })
    .map((entries) => entries.map((value) => value / Math.max(1, Math.hypot(...entries))));
  return fc.tuple(vector, vector);
});

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => Array.from(a).reduce((s, x, i) => s + x * b[i], 0);

describe('the lift', () => {
  test('by hand: sym²(1, 2, 3) lists i ≤ j with √2 on mixed products', () => {
    const lift = createLift(3, 2);
    const target = new Float64Array(lift.size);
    fillLift(lift, lift.weight, [1, 2, 3], target);
    const r = Math.SQRT2;
    const expected = [1, 2, 3, 1, 2 * r, 3 * r, 4, 6 * r, 9];
    expect(target.every((value, i) => Math.abs(value - expected[i]) < 1e-15 * 20)).toBe(true);
    expect([...lift.offsets]).toEqual([0, 3, 9]);
  });

  test('by hand: the tables of R² up to power 3', () => {
    const lift = createLift(2, 3);
    // Sequences 0, 1 | 00, 01, 11 | 000, 001, 011, 111.
    expect([...lift.offsets]).toEqual([0, 2, 5, 9]);
    expect([...lift.factor]).toEqual([0, 1, 0, 1, 1, 0, 1, 1, 1]);
    expect([...lift.parent]).toEqual([-1, -1, 0, 0, 1, 2, 2, 3, 4]);
    expect([...lift.grandparent]).toEqual([-1, -1, -1, -1, -1, 0, 0, 0, 1]);
    expect([...lift.multiplicity]).toEqual([1, 1, 2, 1, 2, 3, 1, 2, 3]);
    expect([...lift.weight].map((weight) => Math.round(weight ** 2))).toEqual([1, 1, 1, 2, 1, 1, 3, 3, 1]);
  });

  test('⟨sym^j(a), sym^j(b)⟩ = ⟨a, b⟩^j to 1e-12, dimension up to 8, power up to 4', () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 1, max: 4 }), ([a, b], degree) => {
        const lift = createLift(a.length, degree);
        const left = new Float64Array(lift.size);
        const right = new Float64Array(lift.size);
        fillLift(lift, lift.weight, a, left);
        fillLift(lift, lift.weight, b, right);
        for (let j = 1; j <= degree; j++) {
          const [from, to] = [lift.offsets[j - 1], lift.offsets[j]];
          const product = dot(left.subarray(from, to), right.subarray(from, to));
          if (Math.abs(product - dot(a, b) ** j) > 1e-12) return false;
        }
        return lift.offsets[degree] === lift.size;
      }),
    );
  });

  test('one power alone is that block of the whole lift, and nothing is written after it', () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 1, max: 4 }), ([v], power) => {
        const lift = createLift(v.length, 4);
        const whole = new Float64Array(lift.size);
        fillLift(lift, lift.weight, v, whole);
        const [from, to] = [lift.offsets[power - 1], lift.offsets[power]];
        const target = new Float64Array(lift.size + 1).fill(7);
        fillPower(lift, power, v, new Float64Array(to), target);
        const block = whole.subarray(from, to);
        return (
          block.every((entry, i) => Math.abs(target[i] - entry) < 1e-15) &&
          target.subarray(to - from).every((entry) => entry === 7)
        );
      }),
    );
  });

  test('scaled, its inner product with the plain lift is Σ a_j t^j and its squared norm Σ a_j²‖v‖^{2j}', () => {
    fc.assert(
      fc.property(pair, fc.array(entry, { minLength: 1, maxLength: 4 }), ([v, w], scales) => {
        const lift = createLift(v.length, scales.length);
        const report = new Float64Array(lift.size + 1);
        report[lift.size] = 7;
        const plain = new Float64Array(lift.size);
        fillLift(lift, scaleLift(lift, scales), v, report);
        fillLift(lift, lift.weight, w, plain);
        const inner = evaluatePolynomial([0, ...scales], dot(v, w));
        const squares = evaluatePolynomial([0, ...scales.map((a) => a * a)], dot(v, v));
        const filled = report.subarray(0, lift.size);
        return (
          Math.abs(dot(filled, plain) - inner) < 1e-12 &&
          Math.abs(dot(filled, filled) - squares) < 1e-12 &&
          report[lift.size] === 7
        );
      }),
    );
  });

  test('control: with plain monomials in the place of the weighted ones the identity fails', () => {
    const lift = createLift(3, 2);
    const target = new Float64Array(lift.size);
    fillLift(lift, new Float64Array(lift.size).fill(1), [0.5, 0.5, 0.5], target);
    const block = target.subarray(3);
    expect(Math.abs(dot(block, block) - 0.75 ** 2)).toBeGreaterThan(0.1);
  });
});

describe('the size of a lift', () => {
  test('is C(p + J, J) − 1 and counts what is built', () => {
    expect(liftSize(10, 2)).toBe(65);
    expect(liftSize(1, 5)).toBe(5);
    expect(liftSize(5, 0)).toBe(0);
    for (const [p, j] of [
      [1, 1],
      [3, 4],
      [14, 2],
      [8, 3],
    ]) {
      expect(createLift(p, j).size).toBe(liftSize(p, j));
      expect(createLift(p, j).offsets[j]).toBe(liftSize(p, j));
    }
  });

  test('is exact up to 2⁵³ and Infinity beyond, without rounding on the way', () => {
    expect(liftSize(28, 28)).toBe(7648690600760440 - 1);
    expect(liftSize(29, 29)).toBe(Infinity);
    expect(liftSize(1e9, 1e9)).toBe(Infinity);
    expect(liftSize(2 ** 52, 1)).toBe(2 ** 52);
  });

  test('is refused above the limit, with the degree that would fit', () => {
    expect(() => createLift(50, 4)).toThrow('"degree" expected powers of at most 100000 entries, got 4');
    expect(() => createLift(MAXIMUM_LIFT + 1, 1)).toThrow(
      '"dimension" expected a whole number from 1 to 100000, got 100001',
    );
    expect(createLift(MAXIMUM_LIFT, 1).size).toBe(MAXIMUM_LIFT);
    expect(() => createLift(0, 1)).toThrow(RangeError);
    expect(() => createLift(2, 0)).toThrow(RangeError);
    expect(() => createLift(2.5, 1)).toThrow(RangeError);
  });

  test('scales are checked for number and finiteness', () => {
    const lift = createLift(3, 2);
    expect(() => scaleLift(lift, [1])).toThrow('"scales" expected 2 numbers, got 1');
    expect(() => scaleLift(lift, [1, Number.NaN])).toThrow('"scales[1]" expected a finite number, got NaN');
  });
});
