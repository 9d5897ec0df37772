import { describe, expect, test } from '@jest/globals';
import { type PrivUnitG, privUnitG, randomizePrivUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { normalCdf, normalDensity, normalQuantile } from '../../../src/numeric/normal.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { fraction } from '../privacy/fixed-point.ts';
import { atMostExponential } from './finite-channel.ts';
import { type Kernel, measure } from './measured.ts';

const kernelOf =
  (mechanism: PrivUnitG): Kernel =>
  (unit, target, random) =>
    randomizePrivUnitG(mechanism, unit, target, random);

/** ε from 0.01 to 16 in 60 steps, and the ends of the range. */
const BUDGETS: readonly number[] = [
  1e-9,
  1e-4,
  ...Array.from({ length: 61 }, (_, i) => 0.01 * 1600 ** (i / 60)),
  100,
  500,
];

/** The probabilities of 20 equal cells of (0, 1). */
const EQUAL = new Float64Array(20).fill(0.05);

describe('the constants of PrivUnitG', () => {
  // Computed independently with SciPy and mpmath: ε, p, γ, q, m, squared error per dimension.
  test.each([
    [0.1, 0.5090829723285739, 0.03989267550856998, 0.48408934527694814, 0.03989272986226711, 628.3657248107725],
    [0.5, 0.5452292446172702, 0.19928446245463521, 0.42102011628850355, 0.19928444810222815, 25.17985260189644],
    [1, 0.5893257263912935, 0.3974630147967737, 0.34551302750279067, 0.3974630104671866, 6.330041608088824],
    [2, 0.6703231830265531, 0.7864802610690108, 0.21579308934848662, 0.7864802550028832, 1.6166810665416087],
    [4, 0.790945801329789, 1.5156376761657215, 0.06480549738549499, 1.5156376591667688, 0.43532060555524876],
    [5, 0.8311866420392865, 1.8506444501747223, 0.03211036025193922, 1.8506444290878639, 0.2919806234502207],
    [8, 0.9010232088499713, 2.7429448277946444, 0.0030445457638599875, 2.7429447906355446, 0.13291251239153457],
    [10, 0.9246665562974493, 3.2600602406131056, 0.0005569427641097752, 3.2600602416289934, 0.09409114409366187],
  ])('at ε = %p are those of an independent search', (epsilon, p, gamma, q, m, error) => {
    const { keep, threshold, cap, mean, coordinateVariance, squaredError } = privUnitG({ epsilon, dimension: 7 });
    expect(Math.abs(keep - p)).toBeLessThan(1e-6);
    expect(Math.abs(threshold - gamma)).toBeLessThan(1e-6);
    expect(Math.abs(cap / q - 1)).toBeLessThan(1e-6);
    // m is flat at its maximum, so it is known to more digits than where it is attained.
    expect(Math.abs(mean / m - 1)).toBeLessThan(1e-13);
    expect(Math.abs(coordinateVariance / error - 1)).toBeLessThan(1e-12);
    expect(Math.abs(squaredError / (7 * error) - 1)).toBeLessThan(1e-12);
  });

  test('are the best: no keep probability on a grid has a larger mean', () => {
    let worst = -Infinity;
    for (const epsilon of [0.01, 0.5, 1, 4, 16]) {
      const best = privUnitG({ epsilon, dimension: 1 }).mean;
      for (let k = 1; k < 2000; k++) {
        const p = 0.5 + k / 4000;
        const q = p / (p + Math.exp(epsilon) * (1 - p));
        const mean = normalDensity(normalQuantile(q)) * (p / q - (1 - p) / (1 - q));
        worst = Math.max(worst, mean / best - 1);
      }
    }
    expect(worst).toBeLessThan(1e-12);
  });

  test('make the covariance a multiple of the identity: the threshold is the mean', () => {
    let worst = 0;
    for (const epsilon of BUDGETS.filter((e) => e >= 0.01)) {
      const { threshold, mean, coordinateVariance, alongVariance } = privUnitG({ epsilon, dimension: 3 });
      worst = Math.max(worst, Math.abs(threshold / mean - 1), Math.abs(alongVariance / coordinateVariance - 1));
    }
    expect(worst).toBeLessThan(1e-10);
  });

  test('have the mean and variance of α that quadrature finds', () => {
    let worst = 0;
    for (const epsilon of [0.3, 1, 4]) {
      const { keep, cap, threshold, mean, alongVariance } = privUnitG({ epsilon, dimension: 1 });
      // Midpoints on each side of the jump of the density; the second derivative leaves (1/2000)²-sized errors.
      let first = 0;
      let second = 0;
      const step = 1 / 4000;
      for (let k = 0; k < 40000; k++) {
        const above = threshold + (k + 0.5) * step;
        const below = threshold - (k + 0.5) * step;
        const heavy = (normalDensity(above) * keep * step) / cap;
        const light = (normalDensity(below) * (1 - keep) * step) / (1 - cap);
        first += above * heavy + below * light;
        second += above * above * heavy + below * below * light;
      }
      worst = Math.max(
        worst,
        Math.abs(first / mean - 1),
        Math.abs((second - first * first) / mean ** 2 / alongVariance - 1),
      );
    }
    expect(worst).toBeLessThan(1e-6);
  });
});

/** keep·(1 − cap)/(cap·(1 − keep)), for exactly these doubles. */
function ratioOf(keep: number, cap: number): readonly [above: bigint, below: bigint] {
  const [[p, pUnit], [q, qUnit]] = [fraction(keep), fraction(cap)];
  return [p * (qUnit - q), q * (pUnit - p)];
}

describe('the privacy of PrivUnitG', () => {
  test('is on the safe side of ε in exact arithmetic, for every ε', () => {
    const failures = BUDGETS.filter((epsilon) => {
      const { keep, cap, densityRatio } = privUnitG({ epsilon, dimension: 2 });
      const [above, below] = ratioOf(keep, cap);
      const [stated, unit] = fraction(densityRatio);
      // The ratio is at most the one that is stated, and this at most e^ε.
      return !(above * unit <= stated * below && atMostExponential(stated, unit, epsilon));
    });
    expect(failures).toEqual([]);
  });

  test('wastes nothing: a cap smaller by 1e-13 would be caught', () => {
    const caught = BUDGETS.filter((epsilon) => {
      const { keep, cap } = privUnitG({ epsilon, dimension: 2 });
      return !atMostExponential(...ratioOf(keep, cap * (1 - 1e-13)), epsilon);
    });
    expect(caught).toEqual(BUDGETS);
  });

  test('shows in reports of u and −u: no interval along u is more than e^ε times likelier', () => {
    const epsilon = 1;
    const mechanism = privUnitG({ epsilon, dimension: 2 });
    const random = seededRandom('ratio');
    const reports = 200_000;
    // Cells along u that end at ±γ; in the outermost pair the ratio is e^ε exactly.
    const edges = [-mechanism.threshold, 0, mechanism.threshold];
    const counts = [new Float64Array(4), new Float64Array(4)];
    const report = new Float64Array(2);
    for (const sign of [0, 1]) {
      const unit = Float64Array.of(sign === 0 ? 0.6 : -0.6, sign === 0 ? 0.8 : -0.8);
      for (let k = 0; k < reports; k++) {
        randomizePrivUnitG(mechanism, unit, report, random);
        const along = (0.6 * report[0] + 0.8 * report[1]) * mechanism.mean;
        counts[sign][along < edges[0] ? 0 : along < edges[1] ? 1 : along < edges[2] ? 2 : 3]++;
      }
    }
    const ratios = [...counts[0]].map((count, i) => Math.log(count / counts[1][i]));
    // A cell of probability P ≥ 0.15 has a log-count of standard error √(1/(P·N)) ≤ 0.0058; for a ratio 0.0082, and 5 of
    // those are exceeded once in 1.7e6 cells. ε smaller by 5 % is 6 standard errors away.
    const tolerance = 0.041;
    expect(Math.max(...ratios.map(Math.abs))).toBeLessThan(epsilon + tolerance);
    expect(Math.abs(ratios[3] - epsilon)).toBeLessThan(tolerance);
    expect(Math.abs(ratios[0] + epsilon)).toBeLessThan(tolerance);
    expect(Math.abs(ratios[3] - 0.95 * epsilon)).toBeGreaterThan(tolerance);
  });
});

describe('reports of PrivUnitG', () => {
  // Four deviations a case, each beyond 4 standard errors with probability 6.3e-5: 0.2 % over the eight cases, once for
  // all since the seeds are fixed.
  test.each([
    [0.01, 1],
    [0.01, 4],
    [1, 1],
    [1, 2],
    [1, 66],
    [4, 3],
    [16, 1],
    [16, 5],
  ])('at ε = %p in dimension %p are unbiased, with the error claimed', (epsilon, dimension) => {
    const mechanism = privUnitG({ epsilon, dimension });
    const deviations = measure(mechanism, kernelOf(mechanism), 100_000, seededRandom(`${epsilon} ${dimension}`));
    expect(Math.max(...Object.values(deviations).map(Math.abs))).toBeLessThan(4);
  });

  test('that are 5 % too long are rejected', () => {
    const mechanism = privUnitG({ epsilon: 4, dimension: 3 });
    const deviations = measure(mechanism, kernelOf(mechanism), 100_000, seededRandom('4 3'), 1.05);
    expect(Math.min(...[deviations.along, deviations.error, deviations.variance].map(Math.abs))).toBeGreaterThan(4);
  });

  /** Counts of the distribution function of the law of α, for a given keep probability, at ⟨mz, u⟩: uniform if right. */
  function counts(mechanism: PrivUnitG, keep: number): Float64Array {
    const { dimension, cap, threshold, mean } = mechanism;
    const random = seededRandom('alpha');
    const unit = new Float64Array(dimension);
    const report = new Float64Array(dimension);
    fillSphere(unit, random);
    const cells = new Float64Array(20);
    for (let k = 0; k < 100_000; k++) {
      randomizePrivUnitG(mechanism, unit, report, random);
      let alpha = 0;
      for (let i = 0; i < dimension; i++) alpha += report[i] * unit[i] * mean;
      const below =
        alpha < threshold ? ((1 - keep) * normalCdf(alpha)) / (1 - cap) : 1 - (keep * normalCdf(-alpha)) / cap;
      cells[Math.min(19, Math.max(0, Math.floor(20 * below)))]++;
    }
    return cells;
  }

  test('have a component along u of exactly the two-piece law', () => {
    const mechanism = privUnitG({ epsilon: 2, dimension: 3 });
    // A false alarm has probability 1e-4.
    expect(chiSquareTest(counts(mechanism, mechanism.keep), EQUAL)).toBeGreaterThan(1e-4);
    // The control: the same reports against a keep probability 5 % smaller.
    expect(chiSquareTest(counts(mechanism, mechanism.keep * 0.95), EQUAL)).toBeLessThan(1e-4);
  });

  test('are the same in single precision, and touch nothing beyond the dimension', () => {
    const mechanism = privUnitG({ epsilon: 1, dimension: 3 });
    const unit = Float64Array.of(0.6, 0, 0.8, 9, 9);
    const wide = new Float64Array(5).fill(7);
    const narrow = new Float32Array(5).fill(7);
    randomizePrivUnitG(mechanism, unit, wide, seededRandom(5));
    randomizePrivUnitG(mechanism, unit, narrow, seededRandom(5));
    expect([...narrow]).toEqual([...wide].map(Math.fround));
    expect([...wide.subarray(3)]).toEqual([7, 7]);
  });

  test('grow their scratch for a long vector', () => {
    const dimension = 2000;
    const mechanism = privUnitG({ epsilon: 8, dimension });
    const deviations = measure(mechanism, kernelOf(mechanism), 300, seededRandom('long'));
    // As above, with probability 2.5e-4.
    expect(Math.max(...Object.values(deviations).map(Math.abs))).toBeLessThan(4);
  });
});

describe('PrivUnitG refuses', () => {
  test('budgets that are not numbers from 1e-9 to 500', () => {
    for (const epsilon of [0, -1, 1e-10, 501, Infinity, Number.NaN]) {
      expect(() => privUnitG({ epsilon, dimension: 2 })).toThrow(
        `"epsilon" expected a number from 1e-9 to 500, got ${epsilon}`,
      );
    }
    expect(() => privUnitG({ epsilon: '1' as unknown as number, dimension: 2 })).toThrow(TypeError);
  });

  test('dimensions that are not whole numbers above 0', () => {
    for (const dimension of [0, -1, 2.5, Number.NaN]) {
      expect(() => privUnitG({ epsilon: 1, dimension })).toThrow(RangeError);
    }
    expect(() => privUnitG({ epsilon: 1, dimension: 1.5 })).toThrow(
      '"dimension" expected a whole number >= 1, got 1.5',
    );
  });

  test('vectors off the sphere, without saying what they are', () => {
    const mechanism = privUnitG({ epsilon: 1, dimension: 2 });
    for (const unit of [[0.3, 0.4], [0.6, 0.8001], [1, 1], [Number.NaN, 1], [Infinity, 0], [1]]) {
      expect(() => randomizePrivUnitG(mechanism, unit, new Float64Array(2), seededRandom(1))).toThrow(
        new RangeError('"unit" expected a vector of l2 norm 1'),
      );
    }
  });
});
