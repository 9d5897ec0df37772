import { describe, expect, test } from '@jest/globals';
import { completeToSphere, scaleToBall } from '../../../src/mechanism/unit-mechanism.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

describe('completing a vector of the ball to the sphere', () => {
  test('appends what is missing of the norm', () => {
    const target = new Float64Array(4).fill(7);
    completeToSphere([0.36, 0.48], 2, target);
    expect([...target.subarray(0, 2)]).toEqual([0.36, 0.48]);
    expect(target[2]).toBeCloseTo(0.8, 15);
    expect(target[3]).toBe(7);
    completeToSphere([0, 0], 2, target);
    expect([...target]).toEqual([0, 0, 1, 7]);
  });

  test('appends 0 to a unit vector, also where rounding made it longer', () => {
    const target = new Float64Array(3);
    completeToSphere([1, 0], 2, target);
    expect(target[2]).toBe(0);
    completeToSphere([1 + 1e-13, 0], 2, target);
    expect(target[2]).toBe(0);
  });

  test('always arrives on the sphere', () => {
    const random = seededRandom('complete');
    let worst = 0;
    const target = new Float64Array(6);
    const vector = new Float64Array(5);
    for (let k = 0; k < 1000; k++) {
      random.refill();
      for (let i = 0; i < 5; i++) vector[i] = (random.words[random.words.length - 1 - i] / 2 ** 32 - 0.5) * 0.8;
      completeToSphere(vector, 5, target);
      worst = Math.max(worst, Math.abs(target.reduce((sum, entry) => sum + entry * entry, 0) - 1));
    }
    expect(worst).toBeLessThan(1e-15);
  });
});

describe('scaling a vector to the ball', () => {
  test('divides by the bound, bit for bit, and shortens what rounding made too long', () => {
    for (const bound of [1e-100, 0.3, 7, 1e300]) {
      const vector = Float64Array.of(0.5, -0.25, 0, 1e-113, -1e-50).map((entry) => entry * bound);
      const divided = vector.map((entry) => entry / bound);
      scaleToBall(vector, bound);
      expect(vector).toEqual(divided);
      const long = Float64Array.of(bound, 1e-5 * bound);
      scaleToBall(long, bound);
      expect(Math.hypot(...long)).toBeLessThanOrEqual(1);
      expect(long[0]).toBeGreaterThan(1 - 1e-9);
    }
  });

  test('leaves no number that a processor is slow with', () => {
    // A logistic slope and a large clip: the bound makes a number of it that a double holds with few digits.
    for (const [bound, entry] of [
      [1e300, 3e-9],
      [1e300, -1e-20],
      [1, 5e-324],
      [1e-100, -1e-320],
    ]) {
      const vector = Float64Array.of(entry, 0.5 * bound);
      scaleToBall(vector, bound);
      expect([...vector]).toEqual([0, 0.5]);
    }
  });
});

describe('the completion refuses', () => {
  test.each([
    ['outside the ball', [0.8, 0.8]],
    ['of another length', [0.1]],
    ['with a NaN', [Number.NaN, 0]],
  ])('a vector %s, without saying what it is', (_, vector) => {
    expect(() => completeToSphere(vector, 2, new Float64Array(3))).toThrow(/^"vector" expected [^.0]*$/);
  });
});
