import { describe, expect, test } from '@jest/globals';
import { completeToSphere, randomSignToSphere } from '../../../src/mechanism/unit-completion.ts';
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

describe('a random sign', () => {
  /** How often the sign is positive, over 40,000 draws. */
  function positive(vector: readonly number[]): number {
    const random = seededRandom('sign');
    const target = new Float64Array(2);
    let count = 0;
    for (let k = 0; k < 40_000; k++) {
      randomSignToSphere(vector, 2, target, random);
      if (target[0] > 0) count++;
    }
    return count;
  }

  test('makes a unit vector whose mean is the vector', () => {
    // ‖u‖ = ½: a binomial count with probability ¾, standard deviation √(40000·3/16) = 86.6; beyond 4: 6.3e-5.
    const count = positive([0.3, 0.4]);
    expect(Math.abs(count - 30_000)).toBeLessThan(4 * 86.6);
    // The control: a probability of ½(1 + 1.05‖u‖).
    expect(Math.abs(count - 30_500)).toBeGreaterThan(4 * 86.6);
    const target = new Float64Array(2);
    randomSignToSphere([0.3, 0.4], 2, target, seededRandom(1));
    expect([...target].map(Math.abs).map((x) => x.toFixed(15))).toEqual(['0.600000000000000', '0.800000000000000']);
  });

  test('is fair for the zero vector and certain on the sphere', () => {
    // Standard deviation 100.
    expect(Math.abs(positive([0, 0]) - 20_000)).toBeLessThan(400);
    expect(positive([0.6, 0.8])).toBe(40_000);
    const target = Float64Array.of(5, 5, 5);
    randomSignToSphere([0, 0], 2, target, seededRandom(1));
    expect([Math.abs(target[0]), target[1], target[2]]).toEqual([1, 0, 5]);
  });
});

describe('both completions refuse', () => {
  test.each([
    ['outside the ball', [0.8, 0.8]],
    ['of another length', [0.1]],
    ['with a NaN', [Number.NaN, 0]],
  ])('a vector %s, without saying what it is', (_, vector) => {
    expect(() => completeToSphere(vector, 2, new Float64Array(3))).toThrow(/^"vector" expected [^.0]*$/);
    expect(() => randomSignToSphere(vector, 2, new Float64Array(3), seededRandom(1))).toThrow(RangeError);
  });
});
