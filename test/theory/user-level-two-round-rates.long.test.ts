import { describe, expect, test } from '@jest/globals';
import { type UserLevelMeanRequest, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import { coordinateBudget, type PrintedVectorPlan } from '../../protocols/user-level-mean/printed.ts';
import { concentrationRadius } from '../../protocols/user-level-mean/scalar/noisy-means.ts';
import { binQuestion } from '../../protocols/user-level-mean/scalar/question.ts';
import { binContrast, binVariance, locateBins } from '../../protocols/user-level-mean/vector/coordinate-location.ts';
import { expectedTwoRoundError, type TwoRoundVectorPlan } from '../../protocols/user-level-mean/vector/two-round.ts';
import { randomizedResponse } from '../../src/mechanism/categories.ts';
import { frequencyVariance } from '../../src/mechanism/frequency.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { play, type Run, rootError } from './user-level-vector.ts';

// Samples in the unit ball whose coordinates have the standard deviation s/√d, means of the norm ½.
const SPREAD = 0.3;
const SAMPLES = 25;

const run = (plan: TwoRoundVectorPlan | PrintedVectorPlan, seed: string): Run =>
  play(plan, SPREAD / Math.sqrt(plan.dimension * plan.samples), 0.5, seed);

function errorOf(request: object, runs: number, seed: string): number {
  const asked = { domain: 'ball', samples: SAMPLES, ...request } as UserLevelMeanRequest;
  const plan = userLevelMeanPlan(asked) as TwoRoundVectorPlan;
  return rootError(runs, (index) => run(plan, `${seed} ${index}`));
}

describe('error in the dimension of two rounds', () => {
  const dimensions = [4, 16, 64];
  const runs = (dimension: number): number => Math.ceil(64 / dimension);

  // Sums of 64 squared normal errors: the logarithm of a root is off by ½·√(2/64) = .09. Three points at log d from 1.4 to 4.2 have
  // Σ(x − x̄)² = 3.8, and the slope .045 of it: three of these and the logarithm of the bins are .2. Slopes ½ and 1 are .5 apart,
  // each the control of the other, on data drawn alike.
  test('is proportional to √d for one rotated coordinate a player, then one unit vector', () => {
    const errors = dimensions.map((dimension) =>
      errorOf({ variant: 'twoRound', epsilon: 4, players: 60_000, dimension }, runs(dimension), `√d ${dimension}`),
    );
    expect(Math.abs(exactSlope(dimensions, errors) - 0.5)).toBeLessThan(0.2);
  });

  // The radius of a rotated coordinate is √(2·ln(2Dn/ξ)/D) of the norm, below 1 from D = 64 on: the logarithms add .06 to the slope. The
  // noise of 64 and more coordinates and one run is off by .09, by √(2/k)/2.
  const wide = [64, 256, 1024];
  const printed = (dimension: number): PrintedVectorPlan =>
    userLevelMeanPlan({
      ...{ variant: 'printed', delta: 1e-6, calibration: 'exact', epsilon: 4, players: 1000 },
      ...{ samples: SAMPLES, domain: 'ball', dimension },
    }) as PrintedVectorPlan;
  const slopeOf = (change: (plan: PrintedVectorPlan) => PrintedVectorPlan): number => {
    const errors = wide.map((dimension) =>
      Math.sqrt(run(change(printed(dimension)), `slides ${dimension}`).squaredError),
    );
    return exactSlope(wide, errors);
  };

  test('is proportional to √d for the slides’ rounds on rotated coordinates', () => {
    expect(Math.abs(slopeOf((plan) => plan) - 0.56)).toBeLessThan(0.2);
  });

  test('is proportional to d on the same data where each coordinate may have all of B, as without a rotation', () => {
    const whole = (plan: PrintedVectorPlan): PrintedVectorPlan => {
      const { size, players, samples, pilotEpsilon, bound } = plan;
      const radius = concentrationRadius(bound, { players: players * size, samples }, 0.05);
      const mechanism = randomizedResponse({
        epsilon: pilotEpsilon,
        categories: Math.max(2, Math.ceil(bound / radius)),
      });
      return { ...plan, pilot: { kind: 'bin', lower: -bound, upper: bound, mechanism } };
    };
    expect(Math.abs(slopeOf(whole) - 1)).toBeLessThan(0.2);
  });
});

describe('error of two rounds in 8 dimensions', () => {
  const base = { variant: 'twoRound', epsilon: 2, dimension: 8 } as const;

  // Eight runs of eight coordinates: .09 each, and .03 in the slope over log m from 2.3 to 6.9.
  test('is proportional to 1/√m', () => {
    const samples = [10, 100, 1000];
    const errors = samples.map((m) => errorOf({ ...base, players: 12_000, samples: m }, 8, `m ${m}`));
    expect(Math.abs(exactSlope(samples, errors) + 0.5)).toBeLessThan(0.12);
  });

  // 40 and 24 runs of eight squares: .04 and .051 by chance, of which .2 are four and more; and what the average over places in a bin
  // leaves out, by measurement. An error that is a fifth larger or smaller is found.
  test.each([
    { players: 6000, runs: 40, found: 1.13 },
    { players: 48_000, runs: 24, found: 1.04 },
  ])('is what the forecast says, and twice as much for three times the spread (control): %p', (one) => {
    const { players, runs, found } = one;
    const request = { ...base, players, samples: SAMPLES, domain: 'ball' } as const;
    const plan = userLevelMeanPlan(request) as TwoRoundVectorPlan;
    const s = SPREAD / Math.sqrt(8);
    const ratio = errorOf(request, runs, `n ${players}`) / Math.sqrt(expectedTwoRoundError(plan, s));
    expect(Math.abs(ratio - found)).toBeLessThan(0.2);
    expect(expectedTwoRoundError(plan, 3 * s)).toBeGreaterThan(4 * expectedTwoRoundError(plan, s));
  });
});

describe('the budget over coordinates', () => {
  const budget = { epsilon: 1, delta: 1e-6 };

  test('as printed is that of advanced composition: ε′ falls with √D, and σ rises with it', () => {
    const [one, four, sixteen] = [1, 4, 16].map((size) => coordinateBudget('printed', budget, size));
    expect(one.epsilon).toBeCloseTo(1 / (4 * Math.sqrt(Math.log(3e6))), 12);
    expect(one.epsilon / four.epsilon).toBeCloseTo(2, 12);
    expect(one.epsilon / sixteen.epsilon).toBeCloseTo(4, 12);
    expect(sixteen.sigma * sixteen.epsilon).toBeCloseTo(Math.sqrt(8 * Math.log(96e6)), 9);
    // 2D releases of ε′ by advanced composition at δ/3: half of ε, and a little. Not so without the split (control).
    for (const size of [4, 16, 64]) {
      const advanced = (each: number): number =>
        each * Math.sqrt(4 * size * Math.log(3e6)) + 2 * size * each * Math.expm1(each);
      expect(advanced(coordinateBudget('printed', budget, size).epsilon)).toBeCloseTo(0.51, 1);
      expect(advanced(coordinateBudget('unsplit', budget, size).epsilon)).toBeGreaterThan(1 - 1e-9);
    }
  });
});

describe('bins', () => {
  test('tell what they tell: powers and slopes by hand, wide and narrow', () => {
    // Bins of ten deviations: all in one, or half in each of two; nothing moves between bins from a middle.
    const wide = binContrast(10, 1);
    expect(Math.max(...wide.powers)).toBeCloseTo(1, 4);
    expect(Math.min(...wide.slopes)).toBeLessThan(1e-3);
    // Narrow ones: Σp² → w·∫φ² = w/(2√π), Σ(dp/dθ)² → w·∫φ′² = w/(4√π).
    const narrow = binContrast(0.1, 1);
    expect(narrow.powers[0] / (0.1 / (2 * Math.sqrt(Math.PI)))).toBeCloseTo(1, 2);
    expect(narrow.slopes[3] / (0.1 / (4 * Math.sqrt(Math.PI)))).toBeCloseTo(1, 2);
  });

  test('find a coordinate to within the error they state, and their noise is that of the frequencies', () => {
    const question = binQuestion(3, 32, 1);
    const variance = binVariance(question, 800);
    expect(variance).toBeGreaterThanOrEqual(
      frequencyVariance(question.mechanism, 31, [1, ...new Array(31).fill(0)], 800),
    );
    const model = { contrast: 0.5, largestSpread: 1, halfRange: 3, deviation: 0.08, largestDeviation: 1 };
    // Frequencies without noise: the posterior is where they are, whatever the place in a bin, to a quarter of a cell.
    for (const place of [0.31, -1.17, 2.05]) {
      const counts = frequenciesAt(question, place, 0.08, 4000);
      const { mean, error } = locateBins(question, [{ players: 4000, sums: counts }], model);
      expect(Math.abs(mean[0] - place)).toBeLessThan(2 * error[0]);
      expect(error[0]).toBeLessThan(0.04);
    }
    // Nobody was asked: the prior, not a place.
    const silent = locateBins(question, [{ players: 0, sums: new Float64Array(32) }], model);
    expect(Math.abs(silent.mean[0])).toBeLessThan(1e-9);
    expect(silent.error[0]).toBeGreaterThan(0.9);
  });
});

/** Expected counts of the reports of players whose local means are normal. */
function frequenciesAt(
  question: ReturnType<typeof binQuestion>,
  mean: number,
  tau: number,
  reports: number,
): Float64Array {
  const { mechanism, lower, upper } = question;
  if (mechanism.name === 'Hadamard response') throw new RangeError('counts of categories are expected');
  const random = seededRandom('bins');
  const shares = new Float64Array(mechanism.categories);
  for (let i = 0; i < 20_000; i++) {
    const bin = Math.floor(((mean + tau * normal(random) - lower) / (upper - lower)) * mechanism.categories);
    shares[bin] += 1 / 20_000;
  }
  return shares.map((share) => reports * (mechanism.stray + mechanism.gap * share));
}
