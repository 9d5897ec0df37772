import { describe, expect, test } from '@jest/globals';
import { lastAccepted } from '../../../src/privacy/rounding.ts';

describe('The last accepted number', () => {
  test('is the square root of two, found from either side to the last place', () => {
    const below = lastAccepted((x) => x * x <= 2, 1, 2);
    const above = lastAccepted((x) => x * x >= 2, 2, 1);
    expect(below * below).toBeLessThanOrEqual(2);
    expect(above * above).toBeGreaterThanOrEqual(2);
    expect(Math.abs(below - Math.SQRT2)).toBeLessThan(1e-15);
    expect(Math.abs(above - Math.SQRT2)).toBeLessThan(1e-15);
  });

  test('bridges six hundred orders of magnitude in few steps', () => {
    let steps = 0;
    const found = lastAccepted(
      (x) => {
        steps++;
        return x <= 3e-200;
      },
      1e-300,
      1e300,
    );
    expect(found).toBeLessThanOrEqual(3e-200);
    expect(found).toBeGreaterThan(3e-200 * (1 - 1e-15));
    expect(steps).toBeLessThan(80);
  });

  test('was itself accepted, even by a test that changes its mind near the boundary', () => {
    const seen = new Map<number, boolean>();
    const erratic = (x: number): boolean => {
      const answer = x < 0.7 || (x < 0.7000001 && Math.floor(x * 1e12) % 3 === 0);
      seen.set(x, answer);
      return answer;
    };
    const found = lastAccepted(erratic, 0.5, 1);
    expect(found === 0.5 || seen.get(found)).toBe(true);
    expect(found).toBeGreaterThan(0.699999);
  });
});
