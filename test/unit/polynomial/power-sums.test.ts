import { describe, expect, test } from '@jest/globals';
import { createLift, fillLift, liftSize } from '../../../src/polynomial/lift.ts';
import {
  addPowers,
  createPowerBlock,
  flushPowers,
  gatherDegree,
  powerSumLayout,
  productMatrix,
} from '../../../src/polynomial/power-sums.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

function vectors(dimension: number, count: number): Float64Array[] {
  const random = seededRandom(`vectors ${dimension}`);
  return Array.from({ length: count }, () => Float64Array.from({ length: dimension }, () => uniform(random) - 0.4));
}

/** The largest difference between Σ u·uᵀ of entries of the lift by their distinct monomials, and entry by entry. */
function error(dimension: number, degree: number, count: number, block: number | undefined): number {
  const lift = createLift(dimension, degree);
  const layout = powerSumLayout(lift);
  const room = createPowerBlock(layout, block === undefined ? undefined : [2 * block + 2]);
  const sums = new Float64Array(layout.size);
  const from = block === undefined ? 0 : lift.offsets[block];
  const to = block === undefined ? lift.size : lift.offsets[block + 1];
  const length = to - from;
  const direct = new Float64Array(length * length);
  const u = new Float64Array(lift.size);
  for (const v of vectors(dimension, count)) {
    addPowers(layout, v, 1, room, sums);
    fillLift(lift, lift.weight, v, u);
    for (let i = 0; i < length; i++) {
      for (let j = 0; j <= i; j++) direct[i * length + j] += u[from + i] * u[from + j];
    }
  }
  flushPowers(layout, room, sums);
  const found = productMatrix(layout, sums, lift.weight, from, to);
  return found.reduce((most, entry, i) => Math.max(most, Math.abs(entry - direct[i])), 0);
}

describe('sums of the distinct monomials', () => {
  test.each([
    [1, 1, 3],
    [1, 4, 70],
    [2, 3, 64],
    [3, 2, 129],
    [4, 3, 65],
    [6, 1, 10],
  ])('of R^%i up to twice the degree %i make every product of two entries of the lift', (dimension, degree, count) => {
    expect(error(dimension, degree, count, undefined)).toBeLessThan(1e-13 * count);
    for (let block = 0; block < degree; block++) {
      expect(error(dimension, degree, count, block)).toBeLessThan(1e-13 * count);
    }
  });

  test('are as many as there are monomials of degree 1 to 2J', () => {
    for (const [dimension, degree] of [
      [1, 3],
      [5, 2],
      [14, 3],
    ]) {
      expect(powerSumLayout(createLift(dimension, degree)).size).toBe(liftSize(dimension, 2 * degree));
    }
  });

  test('are 0 for the degrees that a block leaves out', () => {
    const lift = createLift(2, 2);
    const layout = powerSumLayout(lift);
    const [all, even] = [undefined, [2, 4]].map((only) => {
      const sums = new Float64Array(layout.size);
      const room = createPowerBlock(layout, only);
      addPowers(layout, [0.5, 0.25], 1, room, sums);
      flushPowers(layout, room, sums);
      return sums;
    });
    expect(all.every((sum) => sum !== 0)).toBe(true);
    // Of degree 1 there are two monomials in two variables, of degree 3 four.
    expect(even.filter((sum) => sum === 0).length).toBe(6);
    expect(even.every((sum, place) => sum === 0 || sum === all[place])).toBe(true);
  });
});

/** Sums of the monomials of vectors with factors, with the kernel or as they are made where there is none. */
function sumsOf(dimension: number, degree: number, count: number, only: number[] | undefined, kernel: boolean) {
  const engine = globalThis.WebAssembly;
  // A layout keeps the kernel of its first block, so each way needs its own.
  if (!kernel) Object.defineProperty(globalThis, 'WebAssembly', { value: undefined, configurable: true });
  try {
    const layout = powerSumLayout(createLift(dimension, degree));
    const room = createPowerBlock(layout, only);
    const sums = new Float64Array(layout.size).fill(0.1);
    vectors(dimension, count).forEach((v, index) => {
      addPowers(layout, v, index - 0.3, room, sums);
    });
    flushPowers(layout, room, sums);
    return sums;
  } finally {
    Object.defineProperty(globalThis, 'WebAssembly', { value: engine, configurable: true, writable: true });
  }
}

describe('sums by the kernel have the bits of those without one', () => {
  // Full and short blocks of 64, lifts with one entry left over in pairs, and rows that end one, two and three numbers after eight.
  test.each([
    [1, 1, 3],
    [1, 4, 70],
    [2, 3, 64],
    [3, 3, 200],
    [5, 2, 129],
    [9, 2, 65],
    [14, 1, 10],
  ])('in R^%i up to twice the degree %i for %i vectors', (dimension, degree, count) => {
    for (const only of [undefined, [2 * degree], [degree], [1, 2 * degree - 1]]) {
      const [fast, slow] = [true, false].map((kernel) => sumsOf(dimension, degree, count, only, kernel));
      expect(fast.findIndex((sum, place) => !Object.is(sum, slow[place]))).toBe(-1);
      expect(fast.some((sum) => sum !== 0.1)).toBe(true);
    }
  });
});

test('multiples of one power are gathered in the order of its lift', () => {
  for (let power = 1; power <= 5; power++) {
    const lift = createLift(3, power);
    const layout = powerSumLayout(createLift(3, Math.ceil(power / 2)));
    const room = createPowerBlock(layout, [power]);
    const sums = new Float64Array(layout.size);
    const from = lift.offsets[power - 1];
    const expected = new Float64Array(lift.size);
    const one = new Float64Array(lift.size);
    vectors(3, 100).forEach((v, index) => {
      addPowers(layout, v, index - 30, room, sums);
      fillLift(lift, new Float64Array(lift.size).fill(1), v, one);
      one.forEach((monomial, entry) => {
        expected[entry] += (index - 30) * monomial;
      });
    });
    flushPowers(layout, room, sums);
    const found = new Float64Array(lift.size - from);
    gatherDegree(layout, sums, lift, power, found);
    found.forEach((sum, entry) => {
      expect(sum).toBeCloseTo(expected[from + entry], 10);
    });
  }
});
