// Wang, Smith, Xu 2020, algorithm 3: three misprints. Independent u_k with an independent u_0 outside make the expected
// gradient exactly 0 (one u per gradient holds: test/theory/theorem-17.long.test.ts); the sum from j = 1 drops c_0 (from j = 0 holds; harmless only because E u = 0);
// the constant of lemma 16 is p/(p − 1) times too large (test/errata/lemma-16-constant.test.ts).
import { describe, expect, test } from '@jest/globals';
import {
  directionGradient,
  euclideanMedianParameters,
  productSecondMoment,
} from '../../protocols/euclidean-median/index.ts';
import type { CopiesParameters } from '../../protocols/euclidean-median/parameters.ts';
import { transcriptMu } from '../../protocols/euclidean-median/server.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { printedSphereConstant, sphereConstant } from '../../src/risk/convex-mixture.ts';
import { printedMu } from '../evidence/shared/oracle-quality.ts';

const w = Float64Array.of(-0.3, 0.2);

function parametersOf(variant: 'printed' | 'copies'): CopiesParameters {
  const parameters = euclideanMedianParameters({ variant, epsilon: 200, delta: 1e-3, degree: 3, dimension: 2 });
  if (!('copies' in parameters)) throw new Error('copies');
  return parameters;
}

describe('errata: the sum of algorithm 3', () => {
  // One report, one seed: the same directions with another c_0.
  const gradientOf = (variant: 'printed' | 'copies', c: readonly number[]): number[] => {
    const parameters = parametersOf(variant);
    const values = Float64Array.from({ length: parameters.length }, (_, i) => Math.cos(i) / 3);
    const target = new Float64Array(2);
    directionGradient(parameters, c, values, 0, w, seededRandom('sum'), target);
    return Array.from(target);
  };

  test('from j = 1, as printed, does not see c_0', () => {
    expect(gradientOf('printed', [0.5, 0.7])).toEqual(gradientOf('printed', [9, 0.7]));
  });

  test('from j = 0 it does: without c_0 the second moment is larger by C²(½ − c_0)²-terms', () => {
    expect(gradientOf('copies', [0.5, 0.7])).not.toEqual(gradientOf('copies', [9, 0.7]));
    // c_0 = ½ and −½ cancel; the printed sum keeps C²/4 of pure noise.
    const corrected = productSecondMoment(parametersOf('copies'), [0.5, 0, 0], 1);
    expect(corrected).toBe(0);
    expect(productSecondMoment(parametersOf('printed'), [0.5, 0, 0], 1)).toBeCloseTo(
      printedSphereConstant(2) ** 2 / 4,
      12,
    );
  });
});

test('errata: the constant in algorithm 3 is the printed one for `printed` only', () => {
  const lengthOf = (variant: 'printed' | 'copies'): number => {
    const target = new Float64Array(2);
    // Without factors only C·(c_0 − ½)·u or −½C·u is left.
    directionGradient(parametersOf(variant), [0], new Float64Array(12), 0, w, seededRandom('constant'), target);
    return 2 * Math.hypot(...target);
  };
  expect(lengthOf('printed')).toBeCloseTo(printedSphereConstant(2), 12);
  expect(lengthOf('copies')).toBeCloseTo(sphereConstant(2), 12);
});

test('the noise printed spends μ = ε/√(2L·ln(1.25/δ)): less than the budget allows', () => {
  for (const degree of [1, 2, 5]) {
    const request = { epsilon: 1, delta: 1e-6, degree };
    const [printed, copies] = (['printed', 'copies'] as const).map((variant) => {
      const parameters = euclideanMedianParameters({ variant, dimension: 2, ...request });
      if (!('copies' in parameters)) throw new Error('copies');
      return parameters;
    });
    expect(transcriptMu(printed) / printedMu(request)).toBeCloseTo(1, 12);
    expect(transcriptMu(copies)).toBeGreaterThan(transcriptMu(printed));
  }
});
