// The supplement of table 1 of the inference paper: designs, truths, and claims that few replications leave open.
import { describe, expect, test } from '@jest/globals';
import { normal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { expectileLoss } from '../../../../src/risk/response-loss.ts';
import { claimLine } from '../../../evidence/engine/text.ts';
import { coverageModels } from '../../../evidence/online-sgd/reproductions/coverage-models.ts';
import { coverageTruth } from '../../../evidence/online-sgd/reproductions/coverage-models-report.ts';
import { correlatedPopulation, expectileOfNormal } from '../../../evidence/online-sgd/reproductions/population.ts';

describe('correlated features', () => {
  test('have variance 1 and correlation 0.5^|j − k|', () => {
    const random = seededRandom('design');
    const population = correlatedPopulation('linear', { features: 4, correlation: 0.5, deviation: 0.5 });
    const record = population.create();
    const count = 100_000;
    const sums = new Float64Array(16);
    for (let i = 0; i < count; i++) {
      population.draw(record, random);
      for (let k = 0; k < 16; k++) sums[k] += (record.features[k >> 2] * record.features[k & 3]) / count;
    }
    // Each has a standard error of at most √2/√100000 = 0.0045; the largest of ten beyond 0.025 has probability 3e-7.
    const far = (correlation: number): number =>
      Math.max(...Array.from(sums, (entry, k) => Math.abs(entry - correlation ** Math.abs((k >> 2) - (k & 3)))));
    expect(far(0.5)).toBeLessThan(0.025);
    expect(far(0.55)).toBeGreaterThan(0.04);
  });
});

describe('the expectile of normal noise', () => {
  test('is 0 for τ = ½, and odd in τ', () => {
    expect(expectileOfNormal(0.5, 0.5, 1.345)).toBeCloseTo(0, 9);
    expect(expectileOfNormal(0.2, 0.5, 1.345)).toBeCloseTo(-expectileOfNormal(0.8, 0.5, 1.345), 9);
  });

  test('makes the mean score of the model 0, which a tenth more does not', () => {
    const random = seededRandom('expectile');
    const { derivative } = expectileLoss({ tau: 0.8, threshold: 1.345 });
    const truth = expectileOfNormal(0.8, 0.5, 1.345);
    const count = 400_000;
    const sums = [0, 0];
    for (let i = 0; i < count; i++) {
      const y = 0.5 * normal(random);
      sums[0] += derivative(truth, y) / count;
      sums[1] += derivative(1.1 * truth, y) / count;
    }
    // Scores have deviation below 0.3: five standard errors are 0.0024.
    expect(Math.abs(sums[0])).toBeLessThan(0.0024);
    expect(Math.abs(sums[1])).toBeGreaterThan(0.006);
  });

  test('is what the intercept of the truth has on top of 1', () => {
    const cells = coverageModels.cells('quick');
    const expectile = cells.find(({ key }) => key === 'expectile-p3-identity-mu-1');
    const linear = cells.find(({ key }) => key === 'linear-p3-correlated-mu-1');
    expect(linear && coverageTruth(linear.setting)).toEqual([1, 1, 1, 1]);
    expect(expectile && coverageTruth(expectile.setting)[0]).toBeGreaterThan(1.2);
  });
});

describe('claims of coverage', () => {
  const [cell] = coverageModels.cells('full');
  /** So many replications, of which a share holds every coefficient and the others none. */
  const claimOf = (count: number, share: number) => {
    const chunk = Array.from({ length: count }, (_, i) => ({
      theta: coverageTruth(cell.setting).map((entry) => entry + (i < share * count ? 0 : 1)),
      halves: [0, 1, 2, 3].map(() => [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]),
    }));
    return coverageModels.report([{ cell, chunks: [chunk] }]).claims[0];
  };

  test('are met or missed by 200 replications, and left open by ten that are near', () => {
    expect(claimOf(200, 0.95)).toMatchObject({ met: true });
    expect(claimOf(200, 0.95)).not.toHaveProperty('undecided');
    expect(claimOf(200, 0.7)).toMatchObject({ met: false });
    expect(claimOf(200, 0.7)).not.toHaveProperty('undecided');
    expect(claimOf(10, 0.9)).toMatchObject({ met: false, undecided: true });
    expect(claimOf(10, 1)).toMatchObject({ met: false, undecided: true });
    // Ten replications that hold nothing are enough.
    expect(claimOf(10, 0)).not.toHaveProperty('undecided');
  });

  test('say so in a line', () => {
    expect(claimLine(claimOf(10, 0.9))).toMatch(/^open {3}linear, p = 5/);
    expect(claimLine(claimOf(200, 0.95))).toMatch(/^met {4}/);
    expect(claimLine(claimOf(200, 0.7))).toMatch(/^MISSED /);
  });
});
