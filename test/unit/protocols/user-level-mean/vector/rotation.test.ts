import { describe, expect, test } from '@jest/globals';
import {
  createRotation,
  fillRotationRow,
  rotate,
  rotateBack,
  rotationBound,
} from '../../../../../protocols/user-level-mean/vector/coordinate-round.ts';
import { normal } from '../../../../../src/random/random.ts';
import { seededRandom } from '../../../../../src/random/seeded.ts';

function drawn(dimension: number): Float64Array {
  const random = seededRandom(dimension);
  return Float64Array.from({ length: dimension }, () => normal(random));
}

describe('the public rotation', () => {
  test.each([1, 2, 3, 8, 13, 64, 100])('in %i dimensions keeps lengths, and turning back undoes it', (dimension) => {
    const rotation = createRotation(dimension, 'seed');
    const vector = drawn(dimension);
    const image = rotate(rotation, vector);
    expect(image.length).toBe(rotation.size);
    expect(Math.log2(rotation.size) % 1).toBe(0);
    expect(rotation.size).toBeLessThan(2 * dimension);
    const norm = (v: Float64Array) => Math.hypot(...v);
    expect(norm(image)).toBeCloseTo(norm(vector), 12);
    const back = rotateBack(rotation, image);
    expect(Math.max(...back.map((x, i) => Math.abs(x - vector[i])))).toBeLessThan(1e-14 * dimension);
  });

  test('has as its rows what the players use of it', () => {
    const rotation = createRotation(13, 'rows');
    const vector = drawn(13);
    const image = rotate(rotation, vector);
    const row = new Float64Array(13);
    let worst = 0;
    for (let j = 0; j < rotation.size; j++) {
      fillRotationRow(rotation, j, row);
      worst = Math.max(worst, Math.abs(row.reduce((sum, w, i) => sum + w * vector[i], 0) - image[j]));
    }
    expect(worst).toBeLessThan(1e-14);
  });

  test('in two dimensions is the matrix written by hand', () => {
    const rotation = createRotation(2, 'by hand');
    const [s, t] = rotation.signs;
    expect(Math.abs(s)).toBeCloseTo(Math.SQRT1_2, 15);
    expect(Array.from(rotate(rotation, [3, 5]))).toEqual([3 * s + 5 * t, 3 * s - 5 * t]);
  });

  test('has fair and independent signs', () => {
    const [seeds, size] = [400, 64];
    const drawn = Array.from({ length: seeds }, (_, seed) => createRotation(size, `fair ${seed}`).signs);
    const count = (holds: (signs: Float64Array, i: number) => boolean): number =>
      drawn.reduce((sum, signs) => sum + signs.filter((_, i) => holds(signs, i)).length, 0) / (seeds * size);
    const plus = count((signs, i) => signs[i] > 0);
    const alike = count((signs, i) => signs[i] === signs[(i + 1) % size]);
    // 25,600 coins: five standard errors are .0156, false alarm 6e-7 each. Were P(+) = ¾ they would be .75 and .625.
    expect(Math.abs(plus - 0.5)).toBeLessThan(0.0156);
    expect(Math.abs(alike - 0.5)).toBeLessThan(0.0156);
  });

  test('makes of a fixed vector coordinates with mean 0 and variance ‖y‖²/D over seeds, whatever the vector', () => {
    const seeds = 4000;
    const vector = [3, 1, 0, 2, 1, 1, 0, 0];
    const [sum, squares] = [new Float64Array(8), new Float64Array(8)];
    for (let seed = 0; seed < seeds; seed++) {
      rotate(createRotation(8, `moments ${seed}`), vector).forEach((entry, i) => {
        sum[i] += entry / seeds;
        squares[i] += (entry * entry) / seeds;
      });
    }
    // ‖y‖² = 16, variance 2; a mean of 4000 is off by .0224, five are .112. Of the squares, with a fourth moment of 3·4 at most, by
    // √8/√4000 = .0447 at most, five are .224. With P(+) = ¾ the first coordinate has the mean ½·8/√8 = 1.4.
    expect(Math.max(...sum.map(Math.abs))).toBeLessThan(0.112);
    expect(Math.max(...squares.map((square) => Math.abs(square - 2)))).toBeLessThan(0.224);
  });

  test('has other signs for another seed', () => {
    const signs = (seed: string) => Array.from(createRotation(64, seed).signs);
    expect(signs('a')).toEqual(signs('a'));
    expect(signs('a')).not.toEqual(signs('b'));
  });
});

test('the bound on a coordinate after a rotation is B·√(2·ln(2Dn/ξ)/D), by hand', () => {
  expect(rotationBound(3, 64, 20, 0.2)).toBeCloseTo(3 * Math.sqrt(Math.log(12_800) / 32), 12);
});
