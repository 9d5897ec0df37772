import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../src/core/request.ts';
import { normal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { huberScore, mallowsWeight, sigmoid } from '../../../../src/risk/response-loss.ts';
import { fiveNumbers, jackknifeSlope } from '../../../evidence/experiment/statistics.ts';
import { clippedLogisticRoot } from '../../../evidence/online-sgd/reproductions/clipped-root.ts';
import { experiments } from '../../../evidence/online-sgd/reproductions/index.ts';
import { insuranceTask, leastSquares, testError } from '../../../evidence/online-sgd/reproductions/insurance-fit.ts';
import {
  chargeScale,
  fillInsuranceFeatures,
  INSURANCE_COLUMNS,
  insuranceTable,
  toStandardisedCoefficients,
} from '../../../evidence/online-sgd/reproductions/insurance-table.ts';
import { batchEnds, batchMeansOf } from '../../../evidence/online-sgd/reproductions/known-horizon-batches.ts';
import { huberMoments } from '../../../evidence/online-sgd/reproductions/mallows-moments.ts';
import { logisticPopulation } from '../../../evidence/online-sgd/reproductions/population.ts';
import {
  createLossDistance,
  logarithmicGrid,
  type TrajectorySetting,
  trajectoryChunk,
} from '../../../evidence/online-sgd/reproductions/trajectory.ts';

describe('the experiments of online SGD', () => {
  test('have different names, and their cells different keys that can be names of files', () => {
    const names = experiments.map(({ name }) => name);
    expect(names).toEqual([
      'coverage-table',
      'coverage-models',
      'convergence-rates',
      'mechanism-comparison',
      'clipping-bias',
      'budgets',
      'insurance',
      'insurance-figures',
      'sensitivity',
    ]);
    for (const experiment of experiments) {
      const keys = experiment.cells('full').map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.filter((key) => !/^[a-z0-9-]+$/.test(key))).toEqual([]);
    }
  });

  test('have settings that are plain data, and quick chunks that are among the full ones', () => {
    for (const experiment of experiments) {
      const full = new Map(experiment.cells('full').map((cell) => [cell.key, cell]));
      const strays = experiment.cells('quick').filter(({ key, setting, chunks }) => {
        const larger = full.get(key);
        return (
          larger === undefined || canonicalJson(larger.setting) !== canonicalJson(setting) || larger.chunks < chunks
        );
      });
      expect(strays).toEqual([]);
    }
  });

  test('have a small run of every setting that is over at once and made of finite numbers', () => {
    // Different experiments may have a stream in common.
    const marks = experiments.flatMap((experiment) =>
      experiment
        .cells('quick')
        .map(
          ({ setting }) => experiment.name + canonicalJson(experiment.chunk(experiment.smallRun(setting), 0, 'probe')),
        ),
    );
    expect(new Set(marks).size).toBe(marks.length);
  });

  test('ask for 400 replications of the coverage table in full', () => {
    const cells = experiments[0].cells('full').slice(0, 3);
    expect(cells.map(({ chunks, setting }) => chunks * (setting as { size: number }).size)).toEqual([400, 400, 400]);
  });
});

const SETTING: TrajectorySetting = {
  request: { variant: 'gdp', mu: 2, model: { kind: 'logistic', features: 2 }, inference: [] },
  model: 'logistic',
  features: 2,
  deviation: 0,
  players: 500,
  checkpoints: [100, 500],
  lossRecords: 50,
  size: 2,
};

describe('a chunk of a trajectory', () => {
  test('is a function of setting, chunk and seed, and chunks share no replication', () => {
    const first = trajectoryChunk(SETTING, 0, 's');
    expect(trajectoryChunk(SETTING, 0, 's')).toEqual(first);
    expect(trajectoryChunk({ ...SETTING, size: 1 }, 1, 's').last[0]).toEqual(first.last[1]);
    const all = [first, trajectoryChunk(SETTING, 1, 's'), trajectoryChunk(SETTING, 0, 't')].flatMap(({ last }) => last);
    expect(new Set(all.map((row) => row[1])).size).toBe(6);
  });

  test('has errors of last iterate and average, of parameters and loss, at every checkpoint', () => {
    const chunk = trajectoryChunk(SETTING, 0, 's');
    for (const rows of [chunk.last, chunk.average, chunk.lastLoss, chunk.averageLoss]) {
      expect(rows.map((row) => row.length)).toEqual([2, 2]);
      expect(rows.flat().every((error) => error > 0 && error < Infinity)).toBe(true);
    }
  });
});

describe('slopes', () => {
  const checkpoints = logarithmicGrid(100, 10_000, 9);

  test('of a power law are its exponent, whatever its factor in each replication', () => {
    const rows = [1, 2, 7].map((factor) => checkpoints.map((n) => factor * n ** -0.75));
    const { slope, error } = jackknifeSlope(checkpoints, rows, 100);
    expect(slope).toBeCloseTo(-0.75, 12);
    expect(error).toBeLessThan(1e-12);
  });

  test('look at the checkpoints asked for only', () => {
    const rows = [checkpoints.map((n) => (n < 1000 ? 1 : n ** -0.5))];
    expect(jackknifeSlope(checkpoints, rows, 1000).slope).toBeCloseTo(-0.5, 12);
  });

  test('have a jackknife error that is the spread of slopes over repeated studies', () => {
    const random = seededRandom('slopes');
    const study = () => {
      const rows = Array.from({ length: 20 }, () => checkpoints.map((n) => n ** -0.5 * Math.exp(0.5 * normal(random))));
      return jackknifeSlope(checkpoints, rows, 100);
    };
    const studies = Array.from({ length: 300 }, study);
    const mean = studies.reduce((sum, { slope }) => sum + slope, 0) / 300;
    const spread = Math.sqrt(studies.reduce((sum, { slope }) => sum + (slope - mean) ** 2, 0) / 299);
    const claimed = studies.reduce((sum, { error }) => sum + error, 0) / 300;
    // The spread of 300 slopes is known to 4 %: four standard errors are 17 %.
    expect(Math.abs(claimed / spread - 1)).toBeLessThan(0.17);
  });
});

test('five numbers of 0 … 100 are their percentiles', () => {
  expect(fiveNumbers(Array.from({ length: 101 }, (_, i) => 100 - i))).toEqual([5, 25, 50, 75, 95]);
});

describe('the moments of weighted Huber regression', () => {
  test('are those of simulated records, and not those of another deviation', () => {
    const random = seededRandom('moments');
    const count = 200_000;
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < count; i++) {
      const z = [normal(random), normal(random), normal(random)];
      const noise = 0.5 * normal(random);
      const weight = mallowsWeight(1 + z[0] ** 2 + z[1] ** 2 + z[2] ** 2);
      const inside = Math.abs(noise) < 1.345 ? weight : 0;
      const score = (huberScore(noise, 1.345) * weight) ** 2;
      sums[0] += inside / count;
      sums[1] += (inside * z[1] ** 2) / count;
      sums[2] += score / count;
      sums[3] += (score * z[1] ** 2) / count;
    }
    const far = (deviation: number): number => {
      const { hessian, gradient } = huberMoments(3, deviation, 1.345);
      const exact = [hessian[0], hessian[2], gradient[0], gradient[2]];
      return Math.max(...exact.map((entry, i) => Math.abs(sums[i] / entry - 1)));
    };
    // Each mean has a relative standard error below 0.5 %: the largest of four beyond 2.5 % has probability 2e-6.
    expect(far(0.5)).toBeLessThan(0.025);
    expect(far(0.55)).toBeGreaterThan(0.1);
  });

  test('agree with closed forms where weights are simple', () => {
    // One feature: A₀ + A₁ = E[w(x)(1 + z²)] = E min(1 + z², 2) = P(|z| < 1) + E[z²; |z| < 1] + 2·P(|z| > 1).
    const inside = 0.682689492137086;
    const secondInside = inside - 2 * 0.241970724519143;
    const { hessian } = huberMoments(1, 1e-3, 1.345);
    expect(hessian[0] + hessian[1]).toBeCloseTo(inside + secondInside + 2 * (1 - inside), 9);
  });
});

describe('batch means with a known horizon', () => {
  test('have M + 1 ends, the last at n, in the proportions of Chen et al.', () => {
    const ends = batchEnds(40_000, 0.5, 3);
    expect(ends).toEqual([2500, 10_000, 22_500, 40_000]);
  });

  test('of independent entries estimate their covariance without bias, and leave the first batch out', () => {
    const random = seededRandom('batches');
    const ends = batchEnds(2000, 0.51, 20);
    const rounds = 400;
    const mean = [0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      const sums = new Map<number, Float64Array>();
      const sum = new Float64Array(2);
      for (let i = 1; i <= 2000; i++) {
        const [a, b] = [normal(random), normal(random)];
        // What happens in the first batch is far away.
        sum[0] += i <= ends[0] ? 1000 : 2 * a;
        sum[1] += i <= ends[0] ? -1000 : a + b;
        if (ends.includes(i)) sums.set(i, sum.slice());
      }
      const covariance = batchMeansOf(ends, sums);
      [0, 1, 3].forEach((k, i) => {
        mean[i] += covariance[k] / rounds;
      });
    }
    // The estimate divides by M where M − 1 would be unbiased; its relative deviation is √(2/19)/√400 = 1.6 %, four of them 6.5 %.
    const expected = [4, 2, 2].map((entry) => (entry * 19) / 20);
    expect(Math.max(...mean.map((entry, i) => Math.abs(entry / expected[i] - 1)))).toBeLessThan(0.09);
  });

  test('refuse a sum that is missing', () => {
    expect(() => batchMeansOf([1, 2], new Map([[1, new Float64Array(1)]]))).toThrow('"sums" expected one at 2');
  });
});

describe('the limit of clipped logistic descent', () => {
  test('is the truth where nothing is clipped', () => {
    const [intercept, slope] = clippedLogisticRoot(3, 1e6);
    expect(intercept).toBeCloseTo(1, 3);
    expect(slope).toBeCloseTo(1, 3);
  });

  test('makes the mean clipped gradient of simulated records 0, which the truth does not', () => {
    const [intercept, slope] = clippedLogisticRoot(3, 1);
    const random = seededRandom('clipped');
    const population = logisticPopulation(3);
    const record = population.create();
    const count = 400_000;
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < count; i++) {
      population.draw(record, random);
      const [a, b, c] = record.features;
      const norm = Math.sqrt(1 + a * a + b * b + c * c);
      [
        [intercept, slope],
        [1, 1],
      ].forEach(([first, others], at) => {
        const residual = sigmoid(first + others * (a + b + c)) - record.response;
        const factor = residual * Math.min(1, 1 / (norm * Math.abs(residual)));
        sums[2 * at] += factor / count;
        sums[2 * at + 1] += (factor * (a + b + c)) / count / Math.sqrt(3);
      });
    }
    // Entries of a vector of norm at most 1: standard errors below 1/√400000 = 0.0016, four of them 0.0064.
    expect(Math.max(Math.abs(sums[0]), Math.abs(sums[1]))).toBeLessThan(0.0064);
    expect(Math.max(Math.abs(sums[2]), Math.abs(sums[3]))).toBeGreaterThan(0.015);
  });

  test('needs two features', () => {
    expect(() => clippedLogisticRoot(1, 1)).toThrow('"features" expected at least 2, got 1');
  });
});

test('the distance of losses is 0 at the truth and grows in every direction from it', () => {
  const distance = createLossDistance(2, 500, 's');
  expect(distance(Float64Array.of(1, 1, 1))).toBe(0);
  const random = seededRandom('directions');
  let least = Infinity;
  for (let i = 0; i < 100; i++) {
    const direction = Float64Array.from({ length: 3 }, () => normal(random));
    const near = distance(direction.map((entry) => 1 + 0.1 * entry));
    least = Math.min(least, near, distance(direction.map((entry) => 1 + 0.2 * entry)) - near);
  }
  expect(least).toBeGreaterThan(0);
});

describe('the insurance table', () => {
  const table = insuranceTable(20_000, 's');
  const task = insuranceTask(table, 16_000);

  test('stays within the published ranges and categories, charges too', () => {
    const strays: string[] = [];
    for (let row = 0; row < table.rows; row++) {
      INSURANCE_COLUMNS.forEach(({ name, low, high }, j) => {
        const value = table.values[row * INSURANCE_COLUMNS.length + j];
        if (!(value >= low && value <= high && (name === 'bmi' || Number.isInteger(value)))) strays.push(name);
      });
      if (!(table.charges[row] >= 3445.01 && table.charges[row] <= 32561.56)) strays.push('charges');
    }
    expect(strays).toEqual([]);
  });

  test('is a function of the seed', () => {
    expect(insuranceTable(100, 's').charges).toEqual(table.charges.slice(0, 100));
    expect(insuranceTable(100, 't').charges).not.toEqual(table.charges.slice(0, 100));
  });

  test('gives back the printed coefficients and the printed test error by least squares', () => {
    const theta = leastSquares(task);
    const truth = [0, ...INSURANCE_COLUMNS.map(({ coefficient }) => coefficient)];
    // All standard errors are 0.246/√16000 = 0.0019; five of them, false alarm 6e-6 for eleven.
    expect(Math.max(...truth.map((entry, j) => Math.abs(entry - theta[j])))).toBeLessThan(0.0098);
    // √(2/4000) = 2.2 % is the relative standard error of a test error over 4000 rows; five of them.
    expect(Math.abs(testError(task, theta, 'standardised') / 0.0607 - 1)).toBeLessThan(0.11);
    expect(testError(task, new Float64Array(11), 'standardised')).toBeGreaterThan(0.9);
  });

  test('has charges whose standardised mean is about 0', () => {
    const { centre, unit } = chargeScale();
    const mean = table.charges.reduce((sum, charge) => sum + (charge - centre) / unit, 0) / table.rows;
    // Variance 0.999: five standard errors of a mean of 20,000.
    expect(Math.abs(mean)).toBeLessThan(0.036);
  });

  test('has three classes of a third each', () => {
    const counts = [0, 0, 0];
    for (let row = 0; row < task.train; row++) counts[task.classes[row]]++;
    expect(counts.map((count) => Number((count / task.train).toFixed(3)))).toEqual([0.33, 0.33, 0.34]);
  });

  test('means the same by coefficients of either encoding', () => {
    const random = seededRandom('encodings');
    const theta = Float64Array.from({ length: 11 }, () => normal(random));
    const standardised = toStandardisedCoefficients(theta, 'codes');
    const x = new Float64Array(10);
    const value = (coefficients: Float64Array): number =>
      x.reduce((sum, entry, j) => sum + coefficients[j + 1] * entry, coefficients[0]);
    let gap = 0;
    for (let row = 0; row < 50; row++) {
      fillInsuranceFeatures(table, row, 'codes', x);
      const codes = value(theta);
      fillInsuranceFeatures(table, row, 'standardised', x);
      gap = Math.max(gap, Math.abs(codes - value(standardised)));
    }
    expect(gap).toBeLessThan(1e-12);
    const same = toStandardisedCoefficients(theta, 'standardised');
    expect(Math.max(...same.map((entry, j) => Math.abs(entry - theta[j])))).toBeLessThan(1e-15);
  });
});
