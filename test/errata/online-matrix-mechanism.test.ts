// docs/errata.md, matrix mechanism of the inference paper. Printed: noise of scale 2B₁/(μn) on the mean of matrices m·mᵀ with ‖m‖² ≤ B₁.
// What holds: two of them are at most √2·B₁ apart in Frobenius norm, and exactly that far where they are orthogonal, so that
// √2·B₁/(μn) is enough; and on a *mean* it is a central mechanism. The local one has √2·B₁/μ on every player's own matrix.

import { expect, test } from '@jest/globals';
import { gdp } from '../../protocols/online-sgd/parameters.ts';
import { certificate, guarantee } from '../../protocols/online-sgd/theory.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { hessianSensitivity } from '../evidence/online-sgd/bounds.ts';
import { printedPlugIn } from '../evidence/online-sgd/printed-plug-in.ts';

const { max, sqrt } = Math;

test('the largest distance of two matrices m·mᵀ is √2·B₁, not 2B₁', () => {
  const random = seededRandom('matrices');
  const dimension = 3;
  const bound = 1.7;
  const vector = (): number[] => {
    const drawn = Array.from({ length: dimension }, () => normal(random));
    const scale = sqrt(bound) / Math.hypot(...drawn);
    return drawn.map((entry) => entry * scale);
  };
  const distance = (a: readonly number[], b: readonly number[]): number => {
    let sum = 0;
    for (let i = 0; i < dimension; i++) for (let j = 0; j < dimension; j++) sum += (a[i] * a[j] - b[i] * b[j]) ** 2;
    return sqrt(sum);
  };
  let largest = distance([sqrt(bound), 0, 0], [0, sqrt(bound), 0]);
  const { exact, printed } = hessianSensitivity(bound);
  expect(largest).toBeCloseTo(exact, 12);
  for (let n = 0; n < 20_000; n++) largest = max(largest, distance(vector(), vector()));
  expect(largest).toBeLessThanOrEqual(exact * (1 + 1e-12));
  expect(printed / largest).toBeGreaterThan(1.41);
});

test('the local release has √2·B₁/μ_A for each player, and its budget is in the certificate', () => {
  const plan = gdp({ model: { kind: 'huber', features: 3 }, mu: 1, hessianMu: 0.75 });
  // Huber with Mallows weights: ‖m‖² = w(x)‖x‖² ≤ 2.
  expect(plan.hessian?.mechanism.sigma).toBeCloseTo((sqrt(2) * 2) / 0.75, 12);
  expect(guarantee(plan)).toEqual({ kind: 'gdp', mu: 1.25 });
  const { releases, totals } = certificate(plan);
  expect(releases.map(({ mechanism }) => mechanism)).toEqual(['Gaussian', 'Gaussian']);
  expect(totals.some(({ withinClaim }) => withinClaim === true)).toBe(true);
});

test('the printed mechanism adds symmetric noise of scale 2B₁/(nμ) to the mean Hessian: a fifth more or less is noticed', () => {
  // With S = I, no gradient to speak of and A = 1 the covariance is 1/(1 + w)², so that w = 1/√covariance − 1 can be read off it.
  const random = seededRandom('printed Hessian');
  const draws = 4000;
  const given = { steps: 40, mu: 2.5, gradientBound: 1e-9, hessianBound: 1.5, hessianFloor: 1e-3, gradientFloor: 1e-3 };
  let squares = 0;
  for (let draw = 0; draw < draws; draw++) {
    const one = Float64Array.of(1);
    const { covariance } = printedPlugIn({ ...given, dimension: 1, hessian: one, gradient: one }, random);
    squares += (1 / sqrt(covariance[0]) - 1) ** 2 / draws;
  }
  // 2·1.5/(40·2.5) = .03; the relative deviation of a sample variance is √(2/4000) = .022, five of them are .112.
  expect(Math.abs(squares / 0.03 ** 2 - 1)).toBeLessThan(0.112);
  // √2·B₁ would do: half of that variance.
  expect(Math.abs((2 * squares) / 0.03 ** 2 - 1)).toBeGreaterThan(0.5);

  // In two dimensions A⁻¹SA⁻¹ with S = I is A⁻², whose inverse root is A: noise off the diagonal is the same on both sides.
  let [mixed, mean] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const identity = Float64Array.of(1, 0, 0, 1);
    const { covariance } = printedPlugIn({ ...given, dimension: 2, hessian: identity, gradient: identity }, random);
    // To first order the entry is −2w.
    mixed += (covariance[1] / 2) ** 2 / draws;
    mean += covariance[1] / 2 / draws;
  }
  // Terms of second order are 3·.03² of it.
  expect(Math.abs(mixed / 0.03 ** 2 - 1)).toBeLessThan(0.15);
  expect(Math.abs(mean)).toBeLessThan((6 * 0.03) / sqrt(draws));
});

test('the printed plug-in by hand, coin by coin: (Q + 2B₀²/(nμ)·w₂ + 4B₀²/μ²)/(A + 2B₁/(nμ)·w₁)²', () => {
  const given = { dimension: 1, steps: 10, mu: 0.4, gradientBound: 1.5, hessianBound: 0.7 };
  const floors = { hessianFloor: 1e-3, gradientFloor: 1e-3 };
  const matrices = { hessian: Float64Array.of(2), gradient: Float64Array.of(3) };
  const { covariance, guarantee: found } = printedPlugIn({ ...given, ...floors, ...matrices }, seededRandom('coins'));
  const random = seededRandom('coins');
  const [first, second] = [normal(random), normal(random)];
  // 2·.7/4 = .35, 2·2.25/4 = 1.125 and (3/.4)² = 56.25.
  expect(covariance[0]).toBeCloseTo((3 + 1.125 * second + 56.25) / (2 + 0.35 * first) ** 2, 10);
  expect(found).toEqual({ kind: 'gdp', mu: expect.closeTo(sqrt(2) * 0.4, 12) });
});
