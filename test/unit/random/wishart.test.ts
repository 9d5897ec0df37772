import { describe, expect, test } from '@jest/globals';
import { wishart } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { zPValue } from '../../statistics/moments.ts';

// Fixed seeds. Each test asks of at most 32 p-values that none is below 1e-6: a false alarm has a probability below 4e-5.
const LEVEL = 1e-6;
const DRAWS = 20_000;

/** The smallest p-value of the means and variances of the entries, and of the mean of the determinant, for so many vectors. */
function worst(p: number, drawn: number, vectors: number): number {
  const random = seededRandom(`wishart ${p} ${drawn}`);
  const size = (p * (p + 1)) / 2;
  const [sums, squares] = [new Float64Array(size), new Float64Array(size)];
  const determinants = { sum: 0, squares: 0 };
  for (let draw = 0; draw < DRAWS; draw++) {
    const products = wishart(p, drawn, random);
    products.forEach((entry, i) => {
      sums[i] += entry;
      squares[i] += entry * entry;
    });
    const [a, b, c] = products;
    const determinant = a * c - b * b;
    determinants.sum += determinant;
    determinants.squares += determinant * determinant;
  }
  const pValues: number[] = [];
  for (let i = 0, entry = 0; i < p; i++) {
    for (let j = 0; j <= i; j++, entry++) {
      // χ² with n degrees of freedom on the diagonal: mean n, variance 2n, fourth central moment 12n² + 48n; beside it mean
      // 0, variance n, fourth moment 3n² + 6n.
      const n = vectors;
      const [mean, variance, fourth] = i === j ? [n, 2 * n, 12 * n * n + 48 * n] : [0, n, 3 * n * n + 6 * n];
      const found = squares[entry] / DRAWS - (2 * mean * sums[entry]) / DRAWS + mean * mean;
      pValues.push(zPValue((sums[entry] / DRAWS - mean) / Math.sqrt(variance / DRAWS)));
      pValues.push(zPValue((found - variance) / Math.sqrt((fourth - variance * variance) / DRAWS)));
    }
  }
  if (p > 1) {
    // The determinant of the first two coordinates has the mean n(n − 1).
    const mean = determinants.sum / DRAWS;
    const deviation = Math.sqrt((determinants.squares / DRAWS - mean * mean) / DRAWS);
    const expected = vectors * (vectors - 1);
    pValues.push(
      deviation === 0 || expected === 0 ? Number(Math.abs(mean) < 1e-9) : zPValue((mean - expected) / deviation),
    );
  }
  return Math.min(...pValues);
}

describe('the law of Wishart', () => {
  test.each([
    [1, 1],
    [1, 7],
    [2, 1],
    [3, 3],
    [3, 4],
    [4, 40],
  ])('has the moments of products of vectors of R^%i, %i of them', (p, vectors) => {
    expect(worst(p, vectors, vectors)).toBeGreaterThan(LEVEL);
    // One vector more or less is another law.
    expect(worst(p, vectors, vectors + 1)).toBeLessThan(LEVEL);
    expect(worst(p, vectors + 1, vectors)).toBeLessThan(LEVEL);
  });

  test('of no vector is 0, and of 10¹² of them as near to its mean as it should be', () => {
    expect(wishart(3, 0, seededRandom(1))).toEqual(new Float64Array(6));
    const products = wishart(2, 1e12, seededRandom(1));
    // Six deviations: √(2n), and √n beside the diagonal.
    expect(Math.abs(products[0] - 1e12)).toBeLessThan(6 * Math.sqrt(2e12));
    expect(Math.abs(products[1])).toBeLessThan(6e6);
    expect(Math.abs(products[2] - 1e12)).toBeLessThan(6 * Math.sqrt(2e12));
  });
});
