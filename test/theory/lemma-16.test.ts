// Lemma 16 of Wang, Smith, Xu 2020, with the right constant: ‖x‖ = C·E|⟨u, x⟩| for u uniform on the sphere of R^p. That it is 1/E|⟨u, e₁⟩|,
// and the printed one is not, is in test/errata/lemma-16-constant.test.ts; random directions are the validation euclidean-median-lemma-16.
import { expect, test } from '@jest/globals';
import { sphereConstant } from '../../src/risk/convex-mixture.ts';

// Computed independently with SciPy and mpmath.
const GOLDEN: readonly (readonly [number, number])[] = [
  [1, 1],
  [2, 1.5707963267948966],
  [3, 2],
  [4, 2.356194490192345],
  [5, 2.6666666666666665],
  [20, 5.535393641535147],
  [1000, 39.62336589790364],
  [1_000_000, 1253.3138239870052],
];

test.each(GOLDEN)('Lemma 16: for p = %d the constant is %d', (dimension, expected) => {
  expect(Math.abs(sphereConstant(dimension) / expected - 1)).toBeLessThan(1e-14);
});

test('Lemma 16: a dimension that is none is refused', () => {
  expect(() => sphereConstant(0)).toThrow('"dimension" expected a whole number from 1');
  expect(() => sphereConstant(2.5)).toThrow(RangeError);
});
