// docs/errata.md, algorithm 1, budget. Printed: the transcript is (ε, δ) by the sum of its releases. What holds: they sum to 2ε
// and (d(d + 1) + 2)·δ; by composition of Gaussian DP the same noise is within (ε, δ), up to an ε that depends on δ and d.
import { describe, expect, test } from '@jest/globals';
import { hingeParameters } from '../../protocols/hinge/index.ts';
import { hinge } from '../../protocols/hinge/protocol.ts';
import { printedCopies } from '../../src/mechanism/added-noise.ts';
import { gdpDelta } from '../../src/privacy/gaussian.ts';
import type { Total } from '../../src/privacy/totals.ts';
import { printedBudget } from '../evidence/shared/oracle-quality.ts';

const log = Math.log;

const totalsOf = (epsilon: number, delta: number, degree: number): readonly Total[] =>
  hinge.theory.certificate(hingeParameters({ variant: 'printed', epsilon, delta, degree, dimension: 5 })).totals;

/** What the proof gives the whole: the sum of the (ε_k, δ) of every release, each read off its printed noise. */
function summed(epsilon: number, delta: number, degree: number): { epsilon: number; delta: number } {
  const { further, firstNoise, furtherNoise } = printedCopies({ epsilon, delta, degree, dimension: 5 });
  // The classical theorem: noise σ on a release of sensitivity 2 is (2√(2 ln(1.25/δ))/σ, δ).
  const spent = (sigma: number): number => (2 * Math.sqrt(2 * log(1.25 / delta))) / sigma;
  const others = further === 0 ? 0 : further * (spent(furtherNoise.features) + spent(furtherNoise.label));
  return {
    epsilon: spent(firstNoise.features) + spent(firstNoise.label) + others,
    delta: (2 * further + 2) * delta,
  };
}

describe('by basic composition', () => {
  test.each([1, 2, 3, 6])(
    'the releases of degree %i add up to 2ε and (d(d + 1) + 2)δ: the printed ε and δ fail',
    (degree) => {
      for (const [epsilon, delta] of [
        [0.1, 1e-6],
        [1, 1e-5],
      ]) {
        const sum = summed(epsilon, delta, degree);
        const { basicEpsilon, basicDelta } = printedBudget({ epsilon, delta, degree });
        expect(sum.epsilon).toBeGreaterThan(1.99 * epsilon);
        expect(sum.delta).toBeGreaterThan(3.99 * delta);
        expect(Math.abs(sum.epsilon / basicEpsilon - 1)).toBeLessThan(1e-12);
        expect(Math.abs(sum.delta / basicDelta - 1)).toBeLessThan(1e-12);
        expect(basicEpsilon).toBe(2 * epsilon);
        expect(basicDelta).toBe((degree * (degree + 1) + 2) * delta);
        // The certificate has that line, and says that it is not within the claim.
        const lines = totalsOf(epsilon, delta, degree).filter(({ accounting }) => accounting === 'basic');
        const line = lines.find(({ guarantee }) => guarantee.kind === 'approximate' && guarantee.delta > delta);
        expect(line?.withinClaim).toBe(false);
        expect(
          line?.guarantee.kind === 'approximate' && Math.abs(line.guarantee.epsilon / basicEpsilon - 1),
        ).toBeLessThan(1e-12);
        expect(line?.guarantee.kind === 'approximate' && Math.abs(line.guarantee.delta / basicDelta - 1)).toBeLessThan(
          1e-12,
        );
        // Reading every release exactly, at an even share of δ, does not save the proof.
        expect(lines.every(({ withinClaim }) => withinClaim === false)).toBe(true);
      }
    },
  );

  test('at degree 0 they add up to ε and 2δ: the printed δ fails', () => {
    const sum = summed(0.5, 1e-6, 0);
    const { basicEpsilon, basicDelta } = printedBudget({ epsilon: 0.5, delta: 1e-6, degree: 0 });
    expect(sum.epsilon).toBeCloseTo(basicEpsilon, 13);
    expect(sum.delta).toBe(basicDelta);
    expect([basicEpsilon, basicDelta]).toEqual([0.5, 2e-6]);
  });
});

describe('by composition of Gaussian DP', () => {
  // Where δ_μ(ε) > δ first; the noise is too little from there on. Computed independently with mpmath.
  test.each([
    [1, 1e-3, 7.46347437012],
    [1, 1e-6, 8.78209175222],
    [2, 1e-6, 24.7382024469],
    [3, 1e-6, 32.3538084386],
  ])('at degree %i and δ = %p it stops being enough at ε = %p', (degree, delta, first) => {
    const within = (epsilon: number): boolean =>
      gdpDelta(printedBudget({ epsilon, delta, degree }).mu, epsilon) <= delta;
    let [below, above] = [1, 100];
    for (let step = 0; step < 60; step++) {
      const middle = (below + above) / 2;
      if (within(middle)) below = middle;
      else above = middle;
    }
    expect(Math.abs(below / first - 1)).toBeLessThan(1e-9);
    const gdp = (epsilon: number): Total | undefined =>
      totalsOf(epsilon, delta, degree).find(({ accounting }) => accounting === 'gdp');
    expect(gdp(below * 0.999)?.withinClaim).toBe(true);
    expect(gdp(above * 1.001)?.withinClaim).toBe(false);
  });

  test('a wrong request is refused by name', () => {
    expect(() => printedBudget({ epsilon: 0, delta: 1e-6, degree: 1 })).toThrow('"epsilon" expected ');
    expect(() => printedBudget({ epsilon: 1, delta: 1, degree: 1 })).toThrow('"delta" expected ');
    expect(() => printedBudget({ epsilon: 1, delta: 1e-6, degree: 0.5 })).toThrow('"degree" expected ');
  });
});
