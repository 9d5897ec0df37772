import { describe, expect, test } from '@jest/globals';
import {
  createRotation,
  fillRotationRow,
  rotate,
  rotateBack,
} from '../../../../../src/protocol/user-level/vector/rotation.ts';
import { normal } from '../../../../../src/random/normal.ts';
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

  test('has other signs for another seed', () => {
    const signs = (seed: string) => Array.from(createRotation(64, seed).signs);
    expect(signs('a')).toEqual(signs('a'));
    expect(signs('a')).not.toEqual(signs('b'));
  });
});
