import { describe, expect, test } from '@jest/globals';
import { canonicalJson, type Json } from '../../../src/core/request.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { noisyCoverageExperiment } from '../../evidence/noisy-fit/coverage.ts';
import { drawRegression, type NoisyAlgorithm, squaredDistance } from '../../evidence/noisy-fit/population.ts';
import { noisyTrajectoryExperiment } from '../../evidence/noisy-fit/trajectory.ts';
import { experiments as ofDescent } from '../../evidence/noisy-gradient-descent/reproductions/index.ts';
import { experiments as ofNewton } from '../../evidence/noisy-newton/reproductions/index.ts';

const { abs, max, sqrt } = Math;
const all = [...ofDescent, ...ofNewton];

describe('the experiments of both noisy algorithms', () => {
  test('have different names, and keys and settings that can be kept', () => {
    expect(all.map(({ name }) => name)).toEqual([
      'gradient-descent-coverage',
      'gradient-descent-trajectories',
      'newton-coverage',
      'newton-trajectories',
    ]);
    for (const experiment of all) {
      const full = experiment.cells('full');
      expect(new Set(full.map(({ key }) => key)).size).toBe(full.length);
      expect(full.filter(({ key }) => !/^[a-z0-9-]+$/.test(key))).toEqual([]);
      // Quick chunks are among the full ones.
      expect(experiment.cells('quick').map(({ key, setting }) => canonicalJson([key, setting]))).toEqual(
        full.map(({ key, setting }) => canonicalJson([key, setting])),
      );
    }
  });

  test.each(all.map((experiment) => [experiment.name, experiment] as const))(
    '%s has chunks that follow from the seed, and a report with as many rows as settings',
    (_, experiment) => {
      const cells = experiment.cells('quick');
      const results = cells.map((cell) => {
        const setting = experiment.smallRun(cell.setting);
        const chunk = experiment.chunk(setting, 1, 'seed');
        expect(canonicalJson(experiment.chunk(setting, 1, 'seed'))).toBe(canonicalJson(chunk));
        expect(canonicalJson(experiment.chunk(setting, 2, 'seed'))).not.toBe(canonicalJson(chunk));
        return { cell, chunks: [chunk, experiment.chunk(setting, 2, 'seed')] };
      });
      const { tables, figures, claims, data } = experiment.report(results);
      expect(tables[0].rows.length).toBe(cells.length);
      expect(tables[0].rows.every((row) => row.length === tables[0].columns.length)).toBe(true);
      expect(figures.length).toBeGreaterThan(0);
      expect(claims.length).toBeGreaterThan(0);
      expect(() => canonicalJson(data as Json)).not.toThrow();
    },
  );
});

/** An algorithm that knows the truth, with intervals that hold it or not. */
function oracle(off: number, width: number): NoisyAlgorithm {
  const diagonal = Float64Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? width * width : 0));
  return {
    name: 'an oracle',
    key: 'oracle',
    summary: '',
    run(mu) {
      const theta = new Float64Array(4).fill(1 + off / mu);
      const region = {
        hessian: diagonal,
        scores: diagonal,
        sampling: diagonal,
        injected: diagonal,
        covariance: diagonal,
        finished: true,
        raisedHessian: 0,
        raisedScores: 0,
      };
      return { theta, iterates: [new Float64Array(4), theta], region };
    },
  };
}

describe('reports', () => {
  const coverageOf = (algorithm: NoisyAlgorithm) => {
    const experiment = noisyCoverageExperiment(algorithm);
    return experiment.report(
      experiment
        .cells('quick')
        .map((cell) => ({ cell, chunks: [experiment.chunk({ ...cell.setting, size: 2 }, 0, 's')] })),
    );
  };

  test('claim nothing of intervals that always or never hold the truth', () => {
    for (const [off, width, share] of [
      [0, 1, '1.000'],
      [5, 1, '0.000'],
    ] as const) {
      const { claims, tables } = coverageOf(oracle(off, width));
      expect(claims.map(({ met }) => met)).toEqual([false, false, false, false]);
      expect(tables[0].rows.map((row) => row[1])).toEqual([share, share, share, share]);
    }
  });

  test('have the error √E‖θ − θ₀‖² and the length of intervals', () => {
    const [, , , , , length, error] = coverageOf(oracle(0.5, 0.1)).tables[0].rows[0];
    expect([length, error]).toEqual(['0.392', '1.000']);
  });

  test('of trajectories begin at the start, whose distance is 2', () => {
    const experiment = noisyTrajectoryExperiment(oracle(0.25, 1));
    const results = experiment
      .cells('quick')
      .map((cell) => ({ cell, chunks: [experiment.chunk(cell.setting, 0, 's')] }));
    const { tables, figures } = experiment.report(results);
    expect(tables[0].rows[0]).toEqual(['n = 1000, μ = 0.5', '2.000', '1.000', '1.000']);
    expect(figures.length).toBe(2);
  });
});

test('the population has the covariance [1 .5 0; .5 2 0; 0 0 2] and coefficients 1', () => {
  const count = 40_000;
  const records = drawRegression(count, seededRandom('population'));
  const moments = new Float64Array(9);
  let squares = 0;
  for (const { features, response } of records) {
    let residual = response - 1;
    for (let i = 0; i < 3; i++) {
      residual -= features[i];
      for (let j = 0; j < 3; j++) moments[3 * i + j] += (features[i] * features[j]) / count;
    }
    squares += (residual * residual) / count;
  }
  // Variances of at most 2·2² = 8 for a product of features and 2·4² = 32 for a squared residual: sd .014 and .028; 5 of each.
  const worst = max(...moments.map((entry, k) => abs(entry - [1, 0.5, 0, 0.5, 2, 0, 0, 0, 2][k])));
  expect(worst).toBeLessThan(0.071);
  expect(abs(squares - 4)).toBeLessThan(0.142);
  expect(sqrt(squaredDistance(Float64Array.of(0, 0, 0, 0)))).toBe(2);
});
