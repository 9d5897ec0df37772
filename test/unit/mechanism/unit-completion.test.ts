import { describe, expect, test } from '@jest/globals';
import { completeToSphere } from '../../../src/mechanism/unit-mechanism.ts';
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

describe('the completion refuses', () => {
  test.each([
    ['outside the ball', [0.8, 0.8]],
    ['of another length', [0.1]],
    ['with a NaN', [Number.NaN, 0]],
  ])('a vector %s, without saying what it is', (_, vector) => {
    expect(() => completeToSphere(vector, 2, new Float64Array(3))).toThrow(/^"vector" expected [^.0]*$/);
  });
});
