// Lemma 13 of Wang, Smith, Xu 2020: a convex 1-Lipschitz f on [−1, 1] is a mixture of absolute values,
// f(θ) = ((f′(1) − f′(−1))/2)·E|θ − s| + ((f′(1) + f′(−1))/2)·θ + c.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../src/random/seeded.ts';
import {
  type ConvexMixture,
  convexMixture,
  reconstructedValue,
  sampleConvexMixture,
} from '../../src/risk/convex-mixture.ts';
import {
  hingeLoss,
  huberHingeLoss,
  type MarginLoss,
  smoothedHinge,
  squaredHingeLoss,
  squaredMarginLoss,
} from '../../src/risk/margin-loss.ts';
import { absoluteLoss, exponentialLoss, logisticLoss } from '../../src/risk/named-loss.ts';
import { chiSquareTest } from '../statistics/chi-square.ts';
import { kolmogorovTest } from '../statistics/kolmogorov.ts';

/** max(−0.9t − 0.4, −0.2t, 0.7t − 0.3): slopes −0.9, −0.2 and 0.7, kinks at −4/7 and 1/3. */
const pieces: MarginLoss = {
  name: 'three pieces',
  value: (t) => Math.max(-0.9 * t - 0.4, -0.2 * t, 0.7 * t - 0.3),
  derivative: (t) => (t < -4 / 7 ? -0.9 : t < 1 / 3 ? -0.2 : 0.7),
  secondDerivative: () => 0,
  lipschitz: 0.9,
  smoothness: Infinity,
  kinks: [-4 / 7, 1 / 3],
};

/** ½|t − 0.2| + t²/4 + t/10: a density and an atom. */
const both: MarginLoss = {
  name: 'kink and parabola',
  value: (t) => 0.5 * Math.abs(t - 0.2) + 0.25 * t * t + 0.1 * t,
  derivative: (t) => (t < 0.2 ? -0.4 : 0.6) + 0.5 * t,
  secondDerivative: () => 0.5,
  lipschitz: Infinity,
  smoothness: Infinity,
  kinks: [0.2],
};

const straight: MarginLoss = { ...pieces, name: 'line', value: (t) => 0.3 * t + 1, derivative: () => 0.3, kinks: [] };

/** The largest difference between f and the mixture on a grid of [−R, R] that holds no kink. */
function gap(mixture: ConvexMixture): number {
  let largest = 0;
  for (let i = 0; i <= 200; i++) {
    const theta = mixture.radius * (i / 100 - 1);
    largest = Math.max(largest, Math.abs(reconstructedValue(mixture, theta) - mixture.loss.value(theta)));
  }
  return largest;
}

describe('Lemma 13: the reconstruction', () => {
  test.each([logisticLoss(), smoothedHinge({ beta: 0.3 }), smoothedHinge({ beta: 0.05 }), exponentialLoss(), both])(
    'of $name, with a density, is f to 1e-6',
    (loss) => {
      const mixture = convexMixture(loss);
      expect(gap(mixture)).toBeLessThan(1e-6);
      // Control: the other sign of the linear part, and a weight 1 % off, are not f.
      expect(gap({ ...mixture, slope: -mixture.slope })).toBeGreaterThan(0.1);
      expect(gap({ ...mixture, scale: 1.01 * mixture.scale })).toBeGreaterThan(1e-3);
    },
  );

  test.each([squaredHingeLoss({ margin: 0.3 }), huberHingeLoss({ margin: 0.4, width: 0.5 }), squaredMarginLoss()])(
    'of $name, whose density jumps, is f to 1e-6',
    (loss) => {
      expect(gap(convexMixture(loss))).toBeLessThan(1e-6);
    },
  );

  test.each([hingeLoss(), hingeLoss({ margin: 1 }), hingeLoss({ margin: -1 }), absoluteLoss({ centre: 0.7 }), pieces])(
    'of $name, piecewise linear, is f to rounding, and the nodes are the kinks',
    (loss) => {
      const mixture = convexMixture(loss);
      expect(gap(mixture)).toBeLessThan(1e-15);
      expect(mixture.nodes.length).toBeLessThanOrEqual(Math.max(1, loss.kinks.length));
    },
  );

  test('holds on [−R, R] for other R', () => {
    for (const radius of [0.3, 4]) {
      for (const loss of [logisticLoss(), both, pieces]) {
        // Four times the length at as many nodes: sixteen times the error.
        expect(gap(convexMixture(loss, { radius }))).toBeLessThan(radius > 1 ? 1e-5 : 1e-6);
      }
    }
  });

  test('of a straight line is the line, with no mixture at all', () => {
    const mixture = convexMixture(straight);
    expect([mixture.scale, mixture.slope, mixture.constant]).toEqual([0, 0.3, 1]);
    expect([...mixture.nodes, ...mixture.weights]).toEqual([1, 1]);
    expect(sampleConvexMixture(mixture, seededRandom(1))).toBe(1);
    expect(gap(mixture)).toBeLessThan(1e-15);
  });

  test('by hand: Q of the hinge loss is the point ½, with f = ½E|θ − s| − ½θ + ¼', () => {
    const { nodes, weights, scale, slope, constant } = convexMixture(hingeLoss());
    expect([...nodes, ...weights, scale, slope, constant]).toEqual([0.5, 1, 0.5, -0.5, 0.25]);
  });

  test('by hand: three pieces have atoms 7/16 and 9/16', () => {
    const { atoms } = convexMixture(pieces);
    expect(atoms.map(({ point }) => point)).toEqual([-4 / 7, 1 / 3]);
    expect(atoms[0].mass).toBeCloseTo(7 / 16, 14);
    expect(atoms[1].mass).toBeCloseTo(9 / 16, 14);
  });
});

describe('Lemma 13: the sampler', () => {
  // Each p-value is uniform under the law, so the bounds of 1e-4 below cost one false alarm in 10,000 seeds each.
  const draws = 20_000;
  const sample = (loss: MarginLoss, seed: string): Float64Array => {
    const mixture = convexMixture(loss);
    const random = seededRandom(seed);
    return Float64Array.from({ length: draws }, () => sampleConvexMixture(mixture, random));
  };

  test.each([logisticLoss(), smoothedHinge({ beta: 0.2 }), exponentialLoss()])(
    'of $name follows (f′(s) − f′(−1))/(f′(1) − f′(−1)), and not a law 5 % wider',
    (loss) => {
      const law = (s: number): number =>
        (loss.derivative(s) - loss.derivative(-1)) / (loss.derivative(1) - loss.derivative(-1));
      const points = sample(loss, 'smooth');
      expect(kolmogorovTest(points, law)).toBeGreaterThan(1e-4);
      const wider = points.map((s) => Math.max(-1, Math.min(1, 1.05 * s)));
      expect(kolmogorovTest(wider, law)).toBeLessThan(1e-4);
    },
  );

  test('hits the kinks of a piecewise linear loss exactly, with their masses, and not with masses 5 % off', () => {
    const points = sample(pieces, 'pieces');
    const left = points.filter((s) => s === -4 / 7).length;
    const right = points.filter((s) => s === 1 / 3).length;
    expect(left + right).toBe(draws);
    expect(chiSquareTest([left, right], [7 / 16, 9 / 16])).toBeGreaterThan(1e-4);
    expect(chiSquareTest([left, right], [(7 / 16) * 1.05, 1 - (7 / 16) * 1.05])).toBeLessThan(1e-4);
    expect(new Set(sample(hingeLoss(), 'one point'))).toEqual(new Set([0.5]));
  });

  test('of a loss with a density and an atom has both', () => {
    // f′ rises by ½ on each unit of length and by 1 at 0.2: of the total 2, 0.3 left of the atom, ½ in it, 0.2 right.
    const points = sample(both, 'both');
    const counts = [0, 0, 0];
    for (const s of points) counts[s < 0.2 ? 0 : s === 0.2 ? 1 : 2]++;
    expect(chiSquareTest(counts, [0.3, 0.5, 0.2])).toBeGreaterThan(1e-4);
    expect(chiSquareTest(counts, [0.3, 0.525, 0.175])).toBeLessThan(1e-4);
    expect(
      kolmogorovTest(
        points.filter((s) => s < 0.2),
        (s) => (s + 1) / 1.2,
      ),
    ).toBeGreaterThan(1e-4);
  });

  test('takes the largest point where the subgradient is the drawn one', () => {
    // A pool of zeros draws u just above f′(−1): the first kink. A flat piece with slope f′(1) ends at R.
    const zeros = { words: new Uint32Array(64), next: 0, refill: () => {} };
    expect(sampleConvexMixture(convexMixture(pieces), zeros)).toBe(-4 / 7);
    const flat = convexMixture(huberHingeLoss({ margin: 0.5, width: 0.5 }));
    // −1 + 2⁻⁵³ rounds to within 1e-16 of the slope of the straight piece [−1, 0], whose right end is the largest point.
    zeros.next = 0;
    expect(Math.abs(sampleConvexMixture(flat, zeros))).toBeLessThan(1e-15);
  });
});

describe('Lemma 13: the mixture', () => {
  test('expects the same of a smooth function as many draws do', () => {
    const mixture = convexMixture(both);
    let quadrature = 0;
    for (let i = 0; i < mixture.nodes.length; i++) quadrature += mixture.weights[i] * Math.cos(3 * mixture.nodes[i]);
    // ∫ cos(3s)/4 ds over [−1, 1] + ½ cos(0.6).
    expect(quadrature).toBeCloseTo(Math.sin(3) / 6 + Math.cos(0.6) / 2, 12);
    expect(mixture.weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 13);
  });

  test('is refused when f″ and the kinks do not account for the slopes', () => {
    expect(() => convexMixture({ ...pieces, kinks: [1 / 3] })).toThrow(
      '"loss" expected f″ and kinks that account for all of its slope, got a share of 0.56',
    );
    expect(() => convexMixture(logisticLoss(), { radius: 0 })).toThrow('"radius" expected');
    expect(() => convexMixture(logisticLoss(), { panels: 0 })).toThrow('"panels" expected');
  });
});
