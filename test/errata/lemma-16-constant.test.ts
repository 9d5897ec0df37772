// Wang, Smith, Xu 2020, lemma 16 and algorithm 3: the printed constant √π·p·Γ((p − 1)/2)/(2Γ(p/2)) is too large by the
// factor p/(p − 1). What holds is √π·Γ((p + 1)/2)/Γ(p/2).
import { describe, expect, test } from '@jest/globals';
import { printedSphereConstant, sphereConstant } from '../../src/risk/convex-mixture.ts';
import { logGamma } from '../statistics/incomplete-gamma.ts';

/**
 * C from the definition, 1/E|⟨u, e₁⟩|: the first coordinate has the density (1 − c²)^((p−3)/2) up to a factor. Midpoint rule
 * in the angle φ of c = cos φ, where both integrands are smooth: sin^(p−2)φ and |cos φ|·sin^(p−2)φ.
 */
function measured(dimension: number): number {
  let mass = 0;
  let mean = 0;
  for (let i = 0; i < 20_000; i++) {
    const angle = ((i + 0.5) * Math.PI) / 20_000;
    const weight = Math.sin(angle) ** (dimension - 2);
    mass += weight;
    mean += weight * Math.abs(Math.cos(angle));
  }
  return mass / mean;
}

const holds = (constant: (dimension: number) => number, dimension: number): boolean =>
  Math.abs(constant(dimension) / measured(dimension) - 1) < 1e-6;

describe.each([2, 3, 5, 20])('errata: the constant of lemma 16 in dimension %d', (dimension) => {
  test('corrected, it gives the norm', () => {
    expect(holds(sphereConstant, dimension)).toBe(true);
  });

  test('as printed, it does not: it is p/(p − 1) times too large', () => {
    expect(holds(printedSphereConstant, dimension)).toBe(false);
    expect(printedSphereConstant(dimension) / measured(dimension)).toBeCloseTo(dimension / (dimension - 1), 5);
  });

  test('the function is the printed formula', () => {
    const p = dimension;
    const printed = (Math.sqrt(Math.PI) * p * Math.exp(logGamma((p - 1) / 2) - logGamma(p / 2))) / 2;
    expect(printedSphereConstant(p) / printed).toBeCloseTo(1, 12);
  });

  test('theorem 17 prints another C, √π·p·Γ((p − 1)/2 + 1)/(2Γ(p/2 + 1)), which is the right one', () => {
    const p = dimension;
    const printed = (Math.sqrt(Math.PI) * p * Math.exp(logGamma((p - 1) / 2 + 1) - logGamma(p / 2 + 1))) / 2;
    expect(holds(() => printed, dimension)).toBe(true);
    expect(printedSphereConstant(p) / printed).toBeCloseTo(p / (p - 1), 10);
    // Read with √(πp) for √π·p it is √p times too small, and not of the order √p that is printed beside it.
    expect(printed / Math.sqrt(p) / measured(p)).toBeCloseTo(1 / Math.sqrt(p), 5);
  });
});

test('errata: the printed formula is not defined in dimension 1', () => {
  expect(() => printedSphereConstant(1)).toThrow('"dimension" expected a whole number from 2');
});
