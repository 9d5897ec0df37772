import { expect, test } from '@jest/globals';
import { privUnitG, randomizePrivUnitG } from '../../src/mechanism/unit-mechanism.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { chiSquareStatistic, countCells } from '../statistics/chi-square.ts';
import { fixture } from './fixture.ts';

interface Law {
  readonly cuts: number[];
  readonly keep: number;
  readonly mean: number;
}

const figures = fixture<{ reports: { gaussian: Law }; chiSquare: number }>('laws');

// SciPy finds threshold and keep probability from the definition, and cuts the component of a report along its vector into 40 cells
// of equal probability, reports scaled to be unbiased. 1e5 reports; χ² with 39 degrees of freedom exceeds 96.1 with probability 1e-6.
const DRAWS = 100_000;
const gaussian = privUnitG({ epsilon: 2, dimension: 5 });
const law = figures.reports.gaussian;

test('reports of PrivUnitG have the law along their vector that SciPy computes', () => {
  const unit = Float64Array.of(0.6, 0, -0.48, 0, 0.64);
  const random = seededRandom('reports of PrivUnitG');
  const report = new Float64Array(5);
  const along = new Float64Array(DRAWS);
  for (let i = 0; i < DRAWS; i++) {
    randomizePrivUnitG(gaussian, unit, report, random);
    along[i] = 0.6 * report[0] - 0.48 * report[2] + 0.64 * report[4];
  }
  const cells = new Float64Array(40).fill(1 / 40);
  const statistic = (sample: Float64Array): number => chiSquareStatistic(countCells(sample, law.cuts), cells);
  expect(statistic(along)).toBeLessThan(figures.chiSquare);
  expect(statistic(along.map((x) => 1.05 * x))).toBeGreaterThan(figures.chiSquare);
  // The keep probability is flat in the threshold: SciPy's search has it to 1e-8.
  expect(Math.abs(gaussian.keep - law.keep)).toBeLessThan(1e-7);
  expect(Math.abs(gaussian.keep - Math.exp(2) / (1 + Math.exp(2)))).toBeGreaterThan(0.05);
});
