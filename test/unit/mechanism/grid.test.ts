import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clipToRadius, quantize, unitGrid } from '../../../src/mechanism/grid.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { proportionTest } from '../../statistics/moments.ts';

const random = seededRandom('grid');

/** Σk² in exact arithmetic. */
function squaredNorm(integers: Iterable<number>): bigint {
  let sum = 0n;
  // BigInt refuses what is not whole.
  for (const k of integers) sum += BigInt(k) ** 2n;
  return sum;
}

/** Quantises anything; undefined if it was refused, as it has to be: by kind, and without a digit of the value. */
function attempt(vector: ArrayLike<number>, dimension: number, radius: number, nearest: boolean): number[] | undefined {
  const grid = unitGrid(dimension, radius, nearest ? 'nearest' : 'random');
  const target = new Float64Array(dimension);
  try {
    quantize(grid, vector, target, random);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    if (/got/.test(error.message)) throw new Error(`the message tells something: ${error.message}`);
    return undefined;
  }
  return Array.from(target);
}

const radius = (dimension: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.integer({ min: Math.ceil(2 * Math.sqrt(dimension)) + 1, max: 2 ** 20 }),
    fc.integer({ min: 2 ** 26 - 2, max: 2 ** 52 - 1 }),
  );
const special = fc.constantFrom(
  Number.NaN,
  Infinity,
  -Infinity,
  1e308,
  -1e154,
  5e-324,
  -2e-308,
  0,
  -0,
  1,
  -1,
  1 + 2 ** -52,
);

describe('the norm bound', () => {
  test('holds in whole numbers for any doubles whatever, or they are refused without their values', () => {
    let accepted = 0;
    let refused = 0;
    const anything = fc.integer({ min: 1, max: 6 }).chain((dimension) =>
      fc.tuple(
        fc.array(fc.oneof(special, fc.double(), fc.double({ min: -0.6, max: 0.6 })), {
          minLength: dimension,
          maxLength: dimension,
        }),
        radius(dimension),
        fc.boolean(),
      ),
    );
    fc.assert(
      fc.property(anything, ([vector, r, nearest]) => {
        const integers = attempt(vector, vector.length, r, nearest);
        if (integers === undefined) {
          refused++;
          return true;
        }
        accepted++;
        return squaredNorm(integers) <= BigInt(r) ** 2n;
      }),
      { numRuns: 5000, seed: 1 },
    );
    expect(accepted).toBeGreaterThan(300);
    expect(refused).toBeGreaterThan(1000);
  });

  test('holds on the sphere and a rounding beyond it, where the clip in whole numbers changes nothing', () => {
    let moved = 0;
    const ball = fc
      .integer({ min: 1, max: 8 })
      .chain((dimension) =>
        fc.tuple(
          fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimension, maxLength: dimension }),
          radius(dimension),
          fc.boolean(),
          fc.constantFrom(1, 1 + 4e-13, 1 - 1e-16, 0.3),
        ),
      );
    fc.assert(
      fc.property(ball, ([direction, r, nearest, norm]) => {
        const length = Math.sqrt(direction.reduce((sum, x) => sum + x * x, 0));
        if (!(length > 1e-100)) return true;
        const vector = direction.map((x) => (x / length) * norm);
        const integers = attempt(vector, vector.length, r, nearest);
        if (integers === undefined) return false;
        const { scale } = unitGrid(vector.length, r, nearest ? 'nearest' : 'random');
        const slack = 2e-12 * r + (nearest ? 0.5 : 1);
        moved += integers.filter((k, i) => !(Math.abs(k - vector[i] * scale) <= slack)).length;
        return squaredNorm(integers) <= BigInt(r) ** 2n;
      }),
      { numRuns: 3000, seed: 2 },
    );
    expect(moved).toBe(0);
  });

  test('holds for an object whose entries change between two readings', () => {
    for (const second of [Number.NaN, Infinity, 1e300, -3, '7', 2 ** 40]) {
      let readings = 0;
      const hostile = {
        length: 2,
        0: 0.5,
        get 1(): number {
          return readings++ === 0 ? 0.5 : (second as number);
        },
      };
      const integers = attemptHostile(hostile);
      if (integers !== undefined) expect(squaredNorm(integers) <= 100n * 100n).toBe(true);
    }
  });

  function attemptHostile(vector: ArrayLike<number>): number[] | undefined {
    const target = new Float64Array(2);
    try {
      quantize(unitGrid(2, 100, 'random'), vector, target, random);
    } catch {
      return undefined;
    }
    return Array.from(target);
  }

  test('the clip in whole numbers keeps what is inside and shrinks anything else to inside', () => {
    const entry = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.maxSafeInteger());
    let clipped = 0;
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 2 ** 53 - 1 }),
        fc.boolean(),
        (given, wide, small) => {
          const r = small ? 1 + (wide % 100) : wide;
          const integers = Float64Array.from(given);
          const inside = squaredNorm(given) <= BigInt(r) ** 2n;
          const changed = clipToRadius(integers, given.length, r);
          if (changed) clipped++;
          if (inside) return !changed && given.every((k, i) => k === integers[i]);
          return changed && squaredNorm(integers) <= BigInt(r) ** 2n;
        },
      ),
      { numRuns: 5000, seed: 3 },
    );
    expect(clipped).toBeGreaterThan(1000);
    expect(() => clipToRadius(Float64Array.of(0.5), 1, 3)).toThrow('"integers" expected whole numbers');
    expect(() => clipToRadius(Float64Array.of(Number.NaN), 1, 3)).toThrow(RangeError);
  });
});

describe('rounding', () => {
  test('at random has no bias: a fraction goes up as often as it is large, and not 5 % more', () => {
    const grid = unitGrid(2, 20, 'random');
    const vector = [0.3, -0.613];
    const target = new Int32Array(2);
    const ups = [0, 0];
    const trials = 100_000;
    const low = vector.map((x) => Math.floor(Math.abs(x) * grid.scale));
    let other = 0;
    for (let t = 0; t < trials; t++) {
      quantize(grid, vector, target, random);
      for (let i = 0; i < 2; i++) {
        const up = Math.abs(target[i]) - low[i];
        if (up === 1) ups[i]++;
        else if (up !== 0) other++;
      }
    }
    expect(other).toBe(0);
    expect(Math.sign(target[1])).toBe(-1);
    for (let i = 0; i < 2; i++) {
      const fraction = Math.abs(vector[i]) * grid.scale - low[i];
      // False alarm with probability 1e-6 each.
      expect(proportionTest(ups[i], trials, fraction)).toBeGreaterThan(1e-6);
      expect(proportionTest(ups[i], trials, 1.05 * fraction)).toBeLessThan(1e-6);
    }
  });

  test('to nearest takes no words and is off by at most a half', () => {
    const grid = unitGrid(3, 1000, 'nearest');
    const target = new Float64Array(3);
    const before = random.next;
    quantize(grid, [0.1234, -0.5, 1e-300], target, random);
    expect(random.next).toBe(before);
    expect(Array.from(target)).toEqual([Math.round(0.1234 * grid.scale), -Math.round(0.5 * grid.scale), 0]);
    expect(Object.is(target[2], 0)).toBe(true);
  });
});

test('the scale leaves room for what rounding moves, and the sensitivity is computed', () => {
  const grid = unitGrid(9, 1003, 'random');
  expect(grid.scale).toBeCloseTo(1000, 8);
  expect(grid.scale).toBeLessThan(1000);
  expect(grid.step).toBe(1 / grid.scale);
  expect(grid.sensitivity).toBe(2006);
  expect(unitGrid(16, 1002, 'nearest').scale).toBeCloseTo(1000, 8);
});

test('a target that is too narrow, and a vector of another length, are refused', () => {
  const wide = unitGrid(1, 2 ** 31, 'random');
  expect(() => quantize(wide, [1], new Int32Array(1), random)).toThrow('"radius" expected');
  expect(() => quantize(wide, [1, 2], new Float64Array(2), random)).toThrow('"vector" expected 1 numbers');
});
