import { describe, expect, test } from '@jest/globals';
import { padToSphere, scaleToBall } from '../../../src/mechanism/unit-mechanism.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

describe('completing a vector of the ball to the sphere', () => {
  test.each([
    ['appends what is missing of the norm', [0.36, 0.48], 0.8],
    ['is the last axis for a vector of zeros', [0, 0], 1],
    ['appends 0 to a unit vector', [1, 0], 0],
    ['appends 0 also where rounding made it longer', [1 + 1e-13, 0], 0],
  ])('%s', (_, vector, last) => {
    const target = Float64Array.of(...vector, 7, 7);
    padToSphere(target, 2);
    expect([...target]).toEqual([...vector, expect.closeTo(last, 15), 7]);
  });

  test('always arrives on the sphere', () => {
    const random = seededRandom('complete');
    let worst = 0;
    const target = new Float64Array(6);
    for (let k = 0; k < 1000; k++) {
      for (let i = 0; i < 5; i++) target[i] = (uniform(random) - 0.5) * 0.8;
      padToSphere(target, 5);
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
