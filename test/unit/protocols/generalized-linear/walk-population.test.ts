import { describe, expect, test } from '@jest/globals';
import {
  estimatedMargins,
  populationGradient,
  populationLoss,
  referenceMargins,
} from '../../../../protocols/generalized-linear/margin/walk-model.ts';
import { copies } from '../../../../protocols/hinge/parameters.ts';
import { hingeWalk } from '../../../../protocols/hinge/server.ts';
import { normalCdf, normalDensity } from '../../../../src/numeric/normal.ts';
import { createLift, setMomentMatrix } from '../../../../src/polynomial/lift.ts';

const population = { mean: Float64Array.of(0.3, -0.2), second: Float64Array.of(0.5, 0.1, 0.1, 0.4) };
const w = Float64Array.of(0.5, 0.25);
// c = .3·.5 − .2·.25, E t² = .25·.5 + 2·.125·.1 + .0625·.4, both by hand.
const [centre, deviation] = [0.1, Math.sqrt(0.175 - 0.01)];

describe('a population as far as two moments tell', () => {
  test('its gradients at degree 0 and 1 are c₀m and c₁Sw, at degree 2 those of a normal record', () => {
    const target = new Float64Array(2);
    populationGradient(population, Float64Array.of(-0.7), w, target);
    expect(Array.from(target)).toEqual([-0.7 * 0.3, -0.7 * -0.2]);
    populationGradient(population, Float64Array.of(0, 2), w, target);
    // S·w = (.275, .15).
    expect(target[0]).toBeCloseTo(2 * 0.275, 14);
    expect(target[1]).toBeCloseTo(2 * 0.15, 14);
    // In one dimension E v³ = m³ + 3m(s − m²).
    const one = new Float64Array(1);
    const line = { mean: Float64Array.of(0.4), second: Float64Array.of(0.3) };
    populationGradient(line, Float64Array.of(0, 0, 1), Float64Array.of(0.5), one);
    expect(one[0]).toBeCloseTo(0.25 * (0.064 + 3 * 0.4 * (0.3 - 0.16)), 14);
    // E v⁴ = m⁴ + 6m²q + 3q², q = s − m².
    populationGradient(line, Float64Array.of(0, 0, 0, 1), Float64Array.of(0.5), one);
    expect(one[0]).toBeCloseTo(0.125 * (0.0256 + 6 * 0.16 * 0.14 + 3 * 0.14 ** 2), 14);
  });

  test('its hinge risk is the one of a normal margin in closed form', () => {
    const model = hingeWalk(copies({ epsilon: 8, delta: 1e-6, degree: 1, dimension: 2 }))(10, {
      server: 'sigm',
      decoder: 'signs',
    });
    const z = (0.5 - centre) / deviation;
    const exact = (0.5 - centre) * normalCdf(z) + deviation * normalDensity(z);
    expect(populationLoss(population, model, w)).toBeCloseTo(exact, 3);
    // Margins are at most R: at R = 1e-3 the risk is that of w = 0, to R.
    expect(Math.abs(populationLoss(population, { ...model, radius: 1e-3 }, w) - 0.5)).toBeLessThan(1e-3);
  });

  test('the reference has E|u₁| of the sphere, and I/p', () => {
    expect(referenceMargins(3, 0.5).mean[0]).toBeCloseTo(0.25, 12);
    expect(referenceMargins(2, 1).mean[0]).toBeCloseTo(2 / Math.PI, 12);
    const target = new Float64Array(2);
    populationGradient(referenceMargins(2, 1), Float64Array.of(0, 1), w, target);
    expect(Array.from(target)).toEqual([0.25, 0.125]);
  });

  test('an estimated mean is as long as its noise leaves it, and never turns', () => {
    const lift = createLift(2, 2);
    const values = new Float64Array(lift.size);
    values.set([0.3, -0.4]);
    setMomentMatrix(lift, population.second, values);
    const at = (noise: number) => estimatedMargins({ lift, values, noise: Float64Array.of(noise, noise), players: 1 });
    // .25 less 2·.08 is .09: three fifths of the length.
    expect(Array.from(at(0.08).mean, (x) => x.toFixed(12))).toEqual(['0.180000000000', '-0.240000000000']);
    expect(Array.from(at(0.2).mean, Math.abs)).toEqual([0, 0]);
    at(0.08).second?.forEach((entry, i) => {
      expect(entry).toBeCloseTo(population.second[i], 12);
    });
  });
});
