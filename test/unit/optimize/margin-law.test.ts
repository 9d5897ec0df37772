import { describe, expect, test } from '@jest/globals';
import { isotropicLaw, MARGIN_PLACES, mixedLaw, pathLaw } from '../../../src/optimize/compared-risk.ts';
import { entropicLaw, marginMoments } from '../../../src/optimize/entropic-law.ts';
import { createLift, fillLift } from '../../../src/polynomial/lift.ts';

const prior = isotropicLaw(2, 1, 4);

/** E t^j for j = 1 … count. */
function momentsOf({ points, masses }: typeof prior, count: number): number[] {
  return Array.from({ length: count }, (_, j) => points.reduce((sum, t, i) => sum + masses[i] * t ** (j + 1), 0));
}

describe('laws of margins', () => {
  test('the prior is the normal law of an unknown direction: mean 0, variance R²·E‖v‖²/p', () => {
    const [mean, second] = momentsOf(isotropicLaw(2, 0.25, 4), 2);
    expect(prior.points).toHaveLength(MARGIN_PLACES);
    expect(mean).toBeCloseTo(0, 12);
    // Cut off at four deviations.
    expect(second).toBeCloseTo(0.25, 3);
  });

  test('measured without noise, the law has exactly these moments; two of them make it normal', () => {
    const wanted = Float64Array.of(0.6, 0.5, 0.42, 0.4);
    const law = entropicLaw(prior, wanted, new Float64Array(4));
    momentsOf(law, 4).forEach((moment, j) => {
      expect(moment).toBeCloseTo(wanted[j], 6);
    });
    const normal = entropicLaw(prior, Float64Array.of(0.3, 0.13), new Float64Array(2));
    const [mean, second, third] = momentsOf(normal, 3);
    expect(mean).toBeCloseTo(0.3, 6);
    // A normal law has E t³ = m³ + 3·m·s².
    expect(third).toBeCloseTo(mean ** 3 + 3 * mean * (second - mean ** 2), 4);
  });

  test('what is measured with much noise changes nothing, and in between the law lies in between', () => {
    const wanted = Float64Array.of(0.6);
    const [loud, middle, quiet] = [1e6, 1, 0].map((noise) => momentsOf(entropicLaw(prior, wanted, [noise]), 1)[0]);
    expect(loud).toBeCloseTo(0, 5);
    expect(quiet).toBeCloseTo(0.6, 6);
    // With a normal prior of variance 1, cut off at two deviations, and a measurement of variance 1, less than half of it
    // is believed.
    expect(middle).toBeGreaterThan(0.22);
    expect(middle).toBeLessThan(0.31);
  });

  test('moments that no law has are met as far as their noise allows', () => {
    const law = entropicLaw(prior, Float64Array.of(0.9, 0.2), Float64Array.of(0.05, 0.05));
    const [mean, second] = momentsOf(law, 2);
    expect(second).toBeGreaterThan(mean * mean);
    expect(law.masses.every((mass) => mass >= 0)).toBe(true);
  });

  test('the way to margins that are all at 1 is even from 0 to 1, and a mixture mixes', () => {
    const points = prior.points;
    const at = points.findIndex((t) => t >= 1);
    const law = { points, masses: points.map((_, i) => (i === at ? 1 : 0)) };
    const { masses } = pathLaw(law);
    const inside = masses.filter((_, i) => points[i] > 0 && i <= at);
    expect(Math.max(...inside) - Math.min(...inside)).toBeLessThan(1e-12);
    expect(masses.reduce((sum, mass, i) => sum + (points[i] <= 0 || i > at ? mass : 0), 0)).toBe(0);
    expect(mixedLaw(law, prior, 0.25).masses[at]).toBeCloseTo(0.75 + 0.25 * prior.masses[at], 12);
  });

  test('moments of the margins come from the moments of the records', () => {
    const lift = createLift(3, 3);
    const v = Float64Array.of(0.2, -0.4, 0.5);
    const lifted = new Float64Array(lift.size);
    fillLift(lift, lift.weight, v, lifted);
    const w = Float64Array.of(1, 0.5, -0.25);
    const t = 0.2 - 0.2 - 0.125;
    const found = marginMoments(lift, lifted, w, new Float64Array(lift.size));
    [t, t ** 2, t ** 3].forEach((moment, j) => {
      expect(found[j]).toBeCloseTo(moment, 12);
    });
  });
});
