import { expect, test } from '@jest/globals';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { addMoments, emptyMoments, mergeMoments } from '../../../src/simulation/sum-law.ts';

/** Moments of some vectors, in two parts that are merged. */
function momentsOf(vectors: readonly Float64Array[], degree: number, cut: number) {
  const need = { what: 'vectors', dimension: vectors[0].length, degree, all: true };
  const parts = [
    [0, cut],
    [cut, vectors.length],
  ].map(([from, to]) => {
    const moments = emptyMoments(need);
    addMoments(moments, { vector: (index) => vectors[index], from, to, share: 1 }, seededRandom('coins'));
    return moments;
  });
  mergeMoments(parts[0], parts[1]);
  return parts[0];
}

// Rows of the matrix that end none to three entries after four, and parts that fill the vectors read at once, or do not.
test.each([
  [1, 3, 1],
  [6, 300, 128],
  [11, 257, 40],
])(
  'squares and norms in R^%i of %i vectors have the bits of sums made one after the other',
  (dimension, count, cut) => {
    const random = seededRandom(`squares ${dimension}`);
    const vectors = Array.from({ length: count }, () =>
      Float64Array.from({ length: dimension }, () => uniform(random) - 0.5),
    );
    const moments = momentsOf(vectors, 2, cut);
    const sumOf = (number: (v: Float64Array) => number): number => {
      const [first, second] = [vectors.slice(0, cut), vectors.slice(cut)].map((some) =>
        some.reduce((sum, v) => sum + number(v), 0),
      );
      return first + second;
    };
    for (let i = 0, k = 0; i < dimension; i++) {
      for (let j = 0; j <= i; j++) expect(moments.squares[k++]).toBe(sumOf((v) => v[i] * v[j]));
    }
    const squared = (v: Float64Array): number => v.reduce((sum, entry) => sum + entry * entry, 0);
    expect(moments.norms[0]).toBe(sumOf((v) => squared(v) * squared(v)));
    expect(moments.norms[1]).toBe(sumOf((v) => squared(v) * squared(v) * (squared(v) * squared(v))));
    expect(moments.records).toBe(count);
    expect(moments.chosen).toBe(count);
  },
);
