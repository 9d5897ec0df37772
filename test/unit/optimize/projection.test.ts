import { describe, expect, test } from '@jest/globals';
import { euclideanDistance, euclideanNorm, innerProduct, projectBall } from '../../../src/numeric/matrix.ts';
import { ballStart } from '../../../src/optimize/ball.ts';

const vector = (...entries: number[]): Float64Array => Float64Array.from(entries);

describe('projectBall', () => {
  test('scales a point outside to the sphere and leaves a point inside as it is, bit for bit', () => {
    expect([...projectBall(vector(3, 4), 2.5)]).toEqual([1.5, 2]);
    expect([...projectBall(vector(0.1, -0.2), 1)]).toEqual([0.1, -0.2]);
    expect([...projectBall(vector(0, 1), 1)]).toEqual([0, 1]);
  });

  test('works in place', () => {
    const point = vector(3, 4);
    expect(projectBall(point, 1)).toBe(point);
    expect([...point]).toEqual([0.6000000000000001, 0.8].map((x) => expect.closeTo(x, 15)));
  });

  test('is the nearest point of the ball: no grid point of the disc is nearer', () => {
    const point = vector(1.3, -0.9);
    const nearest = euclideanDistance(projectBall(point.slice(), 0.7), point);
    let least = Infinity;
    for (let ring = 0; ring <= 20; ring++) {
      const r = (0.7 * ring) / 20;
      for (let a = 0; a < 6.3; a += 0.01) {
        least = Math.min(least, euclideanDistance(vector(r * Math.cos(a), r * Math.sin(a)), point));
      }
    }
    expect(nearest).toBeLessThanOrEqual(least + 1e-15);
    expect(least).toBeLessThan(nearest + 1e-4);
  });

  test('neither overflows nor underflows: radii and points from 1e-200 to 1e300', () => {
    expect([...projectBall(vector(3e300, 4e300), 5)]).toEqual([3, 4].map((x) => expect.closeTo(x, 14)));
    const tiny = projectBall(vector(3, 4), 1e-200);
    expect(tiny[0] / 6e-201).toBeCloseTo(1, 14);
    expect([...projectBall(vector(3e-200, 4e-200), 1e-200)].map((x) => x / 1e-201)).toEqual(
      [6, 8].map((x) => expect.closeTo(x, 13)),
    );
  });

  test('refuses a NaN and an infinity', () => {
    expect(() => projectBall(vector(1, Number.NaN), 1)).toThrow(
      new RangeError('"point" expected a finite norm, got NaN'),
    );
    expect(() => projectBall(vector(-Infinity, 1), 1)).toThrow(
      new RangeError('"point" expected a finite norm, got Infinity'),
    );
  });
});

test('norm, distance and inner product agree with a hand calculation, also where squares leave the range', () => {
  expect(innerProduct(vector(1, 2, 3), vector(4, -5, 6))).toBe(12);
  expect(euclideanNorm(vector(2, -3, 6))).toBe(7);
  expect(euclideanNorm(vector(0, 0))).toBe(0);
  expect(euclideanNorm(vector(3e200, -4e200)) / 5e200).toBeCloseTo(1, 15);
  expect(euclideanNorm(vector(3e-200, 4e-200)) / 5e-200).toBeCloseTo(1, 15);
  expect(euclideanNorm(vector(1, Number.NaN))).toBeNaN();
  expect(euclideanDistance(vector(1, 1), vector(4, 5))).toBe(5);
});

describe('ballStart', () => {
  test('is the origin if nothing is given, and a copy of what is given', () => {
    expect([...ballStart(3, 1)]).toEqual([0, 0, 0]);
    const start = vector(0, 1 + 1e-13);
    const copy = ballStart(2, 1, start);
    expect([...copy]).toEqual([...start]);
    expect(copy).not.toBe(start);
  });

  test('refuses another length, a point outside the ball, a NaN, and a dimension or radius that is none', () => {
    expect(() => ballStart(3, 1, vector(0, 0))).toThrow(new RangeError('"start" expected 3 numbers, got 2'));
    expect(() => ballStart(2, 1, vector(1, 0.001))).toThrow(/"start" expected a norm of at most the radius 1, got 1.0/);
    expect(() => ballStart(1, 1, vector(Number.NaN))).toThrow(RangeError);
    expect(() => ballStart(1, 1, [0] as unknown as Float64Array)).toThrow(
      new TypeError('"start" expected a Float64Array, got an array'),
    );
    expect(() => ballStart(0, 1)).toThrow(RangeError);
    expect(() => ballStart(1, 0)).toThrow(RangeError);
    expect(() => ballStart(1, Infinity)).toThrow(RangeError);
  });
});
