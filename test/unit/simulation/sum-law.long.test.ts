import { describe, expect, test } from '@jest/globals';
import { generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import type { LiftedParameters, SampledParameters } from '../../../protocols/generalized-linear/margin/parameters.ts';
import { marginSums, sumDistance } from '../../../protocols/generalized-linear/sum-law.ts';
import { gaussian, type HingeParameters, hinge, lifted, printed, sampled } from '../../../protocols/hinge/index.ts';
import type { ChannelTally, MomentTally } from '../../../src/core/channel.ts';
import { drawAlong, type PrivUnitG, privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { normalCdf } from '../../../src/numeric/normal.ts';
import { fillLift, type Lift } from '../../../src/polynomial/lift.ts';
import { normal, permutation } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { type LabelledRecord, type Population, simulate } from '../../../src/simulation/runner.ts';
import { type DataMoments, dataMoments, simulateSum } from '../../../src/simulation/sum-law.ts';
import { kolmogorovPValue, kolmogorovTest } from '../../statistics/kolmogorov.ts';
import { meanTest, zPValue } from '../../statistics/moments.ts';

// Every statistical test here has a fixed seed. It asks of all its p-values that none is below 1e-6 and has fewer than 200 of
// them, so that it raises a false alarm with a probability below 2e-4.
const LEVEL = 1e-6;

/** Records on the unit circle and inside it. The first two are on one line through the origin. */
const RECORDS: readonly { readonly features: readonly number[]; readonly label: number }[] = [
  { features: [0.6, 0.8], label: 1 },
  { features: [0.6, 0.8], label: -1 },
  { features: [0.5, -0.1], label: 1 },
  { features: [0, 1], label: -1 },
  { features: [-0.28, 0.96], label: 1 },
];

const populationOf = (records: readonly LabelledRecord[]): Population<LabelledRecord> => ({
  players: records.length,
  datum: (index) => records[index],
});

/** Writes the lift of a signed record. */
function fillSigned(lift: Lift, weights: Float64Array, { features, label }: LabelledRecord, target: Float64Array) {
  const signed = Float64Array.from(features, (x) => label * x);
  fillLift(lift, weights, signed, target);
}

const sumsOf = (tally: ChannelTally): Float64Array => (tally as MomentTally).sums;

/** Tallies of so many simulations without reports. */
function drawn(parameters: HingeParameters, records: readonly LabelledRecord[], count: number): Float64Array[] {
  const population = populationOf(records);
  const moments = dataMoments(marginSums, parameters, population);
  return Array.from({ length: count }, (_, seed) => {
    const { tally, distance, reports } = simulateSum(marginSums, parameters, { population, moments }, { seed });
    expect([distance, reports, tally.players]).toEqual([0, 0, records.length]);
    return sumsOf(tally);
  });
}

/** Tallies of so many simulations with reports. */
function made(parameters: HingeParameters, records: readonly LabelledRecord[], count: number): Float64Array[] {
  const population = populationOf(records);
  return Array.from({ length: count }, (_, index) =>
    sumsOf(simulate(hinge, parameters, population, { seed: `reports ${index}` })),
  );
}

/** What a wrong law of sums gets wrong. */
type Mistake = 'α normal' | 'nothing subtracted' | 'none';

/** Sums of reports as whoever makes this mistake would draw them: entry by entry, for a lift of degree 1. */
function mistaken(
  parameters: LiftedParameters,
  records: readonly LabelledRecord[],
  count: number,
  mistake: Mistake,
): Float64Array[] {
  const { lift, weights } = parameters;
  const mechanism = parameters.mechanism as PrivUnitG;
  const { mean, scale, threshold } = mechanism;
  const random = seededRandom(mistake);
  const spread = Math.sqrt(1 + mean * (threshold - mean));
  const u = new Float64Array(lift.size);
  return Array.from({ length: count }, () => {
    const sums = new Float64Array(lift.size);
    for (const record of records) {
      fillSigned(lift, weights, record, u);
      const g = Float64Array.from(u, () => normal(random));
      const squared = u.reduce((sum, entry) => sum + entry * entry, 0);
      // With the entry that completes u to the sphere, which the tally leaves out.
      const padding = Math.sqrt(Math.max(0, 1 - squared)) * normal(random);
      const dot = u.reduce((sum, entry, i) => sum + entry * g[i], padding);
      const along = mistake === 'α normal' ? mean + spread * normal(random) : drawAlong(mechanism, random);
      const shift = mistake === 'nothing subtracted' ? along : along - dot;
      for (let i = 0; i < sums.length; i++) sums[i] += (g[i] + shift * u[i]) * scale;
    }
    return sums;
  });
}

/** Directions in which two samples of sums are compared: along the lift of the first record, across it, and others. */
function directionsOf({ lift, weights }: LiftedParameters, record: LabelledRecord): Float64Array[] {
  const along = new Float64Array(lift.size);
  fillSigned(lift, weights, record, along);
  const random = seededRandom('directions');
  const others = Array.from({ length: 3 }, () => along.map(() => normal(random)));
  const inner = others[0].reduce((sum, entry, i) => sum + entry * along[i], 0);
  const squared = along.reduce((sum, entry) => sum + entry * entry, 0);
  return [along, others[0].map((entry, i) => entry - (inner / squared) * along[i]), ...others.slice(1)];
}

const project = (sums: readonly Float64Array[], direction: Float64Array): Float64Array =>
  Float64Array.from(sums, (one) => one.reduce((sum, entry, i) => sum + entry * direction[i], 0));

/** The p-value of Kolmogorov and Smirnov's test that two samples have the same law. */
function sameLaw(one: Float64Array, two: Float64Array): number {
  const [a, b] = [one, two].map((sample) => Float64Array.from(sample).sort());
  let distance = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const at = Math.min(a[i], b[j]);
    for (; a[i] === at; i++);
    for (; b[j] === at; j++);
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  return kolmogorovPValue(distance, (a.length * b.length) / (a.length + b.length));
}

/** The smallest p-value of all directions. */
function compared(parameters: LiftedParameters, records: readonly LabelledRecord[], samples: Float64Array[][]): number {
  const directions = directionsOf(parameters, records[0]);
  return Math.min(...directions.map((to) => sameLaw(project(samples[0], to), project(samples[1], to))));
}

describe('the law of sums of lifted', () => {
  const strong = lifted({ epsilon: 6, degree: 1, dimension: 2 }) as LiftedParameters;
  const COUNT = 20_000;

  // The sum of five α is too close to a normal number for 20,000 draws to see that theirs is none.
  test.each([
    [1, ['α normal', 'nothing subtracted']],
    [2, ['α normal', 'nothing subtracted']],
    [5, ['nothing subtracted']],
  ] as const)('has the law of the reports of %i players, and not that of a mistake: %p', (players, mistakes) => {
    const records = RECORDS.slice(0, players);
    const reports = made(strong, records, COUNT);
    expect(compared(strong, records, [drawn(strong, records, COUNT), reports])).toBeGreaterThan(LEVEL);
    expect(compared(strong, records, [mistaken(strong, records, COUNT, 'none'), reports])).toBeGreaterThan(LEVEL);
    for (const mistake of mistakes) {
      expect(compared(strong, records, [mistaken(strong, records, COUNT, mistake), reports])).toBeLessThan(LEVEL);
    }
  });

  test('is that of α along the one record of norm 1, where no Gaussian part is left', () => {
    const { mechanism } = strong;
    const { keep, cap, threshold, scale } = mechanism as PrivUnitG;
    const [along] = directionsOf(strong, RECORDS[0]);
    const sample = project(drawn(strong, RECORDS.slice(0, 1), COUNT), along);
    const law = (x: number): number => {
      const alpha = x / scale;
      if (alpha < threshold) return ((1 - keep) * normalCdf(alpha)) / (1 - cap);
      return 1 - (keep * normalCdf(-alpha)) / cap;
    };
    expect(kolmogorovTest(sample, law)).toBeGreaterThan(LEVEL);
    // With a twentieth more or less ε the law is another one.
    const other = privUnitG({ epsilon: 6 * 0.95, dimension: 3 });
    const wrong = Float64Array.from({ length: COUNT }, (_, i) => drawAlong(other, seededRandom(i)) * scale);
    expect(kolmogorovTest(wrong, law)).toBeLessThan(LEVEL);
  });

  // Cov = (nI + (Var α − 1)·Σ u·uᵀ)/m²; of the sample covariance of T draws, an entry has the variance
  // (c_ii·c_jj + c_ij²)/T up to the fourth cumulants of 400 α, which are below 1 % of it.
  const crowd = Array.from({ length: 400 }, (_, i) => RECORDS[i % 2]);
  test.each([
    ['on a line', crowd, 2],
    ['in the plane', Array.from({ length: 400 }, (_, i) => RECORDS[i % 5]), 2],
    ['with shares of their own', crowd, 3],
  ] as const)('has the mean and the covariance of reports %s', (name, records, share) => {
    const shares = share === 3 ? [1, 3] : undefined;
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2, ...(shares && { shares }) }) as LiftedParameters;
    const T = 4000;
    const check = (samples: readonly Float64Array[]): number => worstMoment(parameters, records, samples);
    expect(check(drawn(parameters, records, T))).toBeGreaterThan(LEVEL);
    if (name !== 'on a line') return;
    expect(check(mistaken(parameters, records, 1000, 'none'))).toBeGreaterThan(LEVEL);
    expect(check(mistaken(parameters, records, 1000, 'nothing subtracted'))).toBeLessThan(LEVEL);
  });

  test('lets each copy of a record draw for itself', () => {
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 }) as LiftedParameters;
    const population = populationOf(RECORDS.slice(2, 4));
    const moments = dataMoments(marginSums, parameters, population);
    const draws = (copies: number): Float64Array[] =>
      Array.from({ length: 4000 }, (_, seed) => {
        const { tally } = simulateSum(marginSums, parameters, { population, moments }, { seed, copies });
        expect(tally.players).toBe(2 * copies);
        return sumsOf(tally);
      });
    const records = Array.from({ length: 100 }, (_, i) => RECORDS[2 + (i % 2)]);
    expect(worstMoment(parameters, records, draws(50))).toBeGreaterThan(LEVEL);
    // Half as many players, each counted twice, have a covariance twice as large.
    const doubled = draws(25).map((sums) => sums.map((sum) => 2 * sum));
    expect(worstMoment(parameters, records, doubled)).toBeLessThan(LEVEL);
  });
});

/** The smallest p-value of the means and covariances of a sample of sums, beside those of the reports. */
function worstMoment(
  { lift, weights, mechanism }: LiftedParameters,
  records: readonly LabelledRecord[],
  samples: readonly Float64Array[],
): number {
  const { mean, threshold, scale } = mechanism as PrivUnitG;
  const size = lift.size;
  const squares = Array.from({ length: size }, () => new Float64Array(size));
  const sum = new Float64Array(size);
  const u = new Float64Array(size);
  for (const record of records) {
    fillSigned(lift, weights, record, u);
    for (let i = 0; i < size; i++) {
      sum[i] += u[i];
      for (let j = 0; j < size; j++) squares[i][j] += u[i] * u[j];
    }
  }
  const excess = 1 + mean * (threshold - mean) - 1;
  const covariance = squares.map((row, i) =>
    row.map((entry, j) => scale ** 2 * ((i === j ? records.length : 0) + excess * entry)),
  );
  const T = samples.length;
  let worst = 1;
  for (let i = 0; i < size; i++) {
    const centred = samples.map((one) => one[i] - sum[i]);
    worst = Math.min(worst, meanTest(centred, 0, covariance[i][i]));
    for (let j = 0; j <= i; j++) {
      const found = centred.reduce((total, x, t) => total + x * (samples[t][j] - sum[j]), 0) / T;
      const variance = (covariance[i][i] * covariance[j][j] + covariance[i][j] ** 2) / T;
      worst = Math.min(worst, zPValue((found - covariance[i][j]) / Math.sqrt(variance)));
    }
  }
  return worst;
}

describe('the law of sums', () => {
  // The tally of degree 1 has the products of a report too. Nine players of two features leave more vectors of noise alone than
  // features. The controls: sums that are a fifth smaller, and records that are all their mean.
  test.each([
    [0, 5],
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 5],
    [1, 9],
  ])('of gaussian reports of degree %i is that of the reports of %i players', (degree, players) => {
    const parameters = gaussian({ epsilon: 8, delta: 1e-2, degree, dimension: 2 });
    const records = Array.from({ length: players }, (_, i) => RECORDS[i % 5]);
    const [sums, reports] = [drawn(parameters, records, 5000), made(parameters, records, 5000)];
    const random = seededRandom('gaussian');
    const others = Array.from({ length: 4 }, () => sums[0].map(() => normal(random)));
    const axes = Array.from(sums[0], (_, i) => sums[0].map((_, j) => (i === j ? 1 : 0)));
    const compare = (left: readonly Float64Array[]): number =>
      Math.min(...[...axes, ...others].map((to) => sameLaw(project(left, to), project(reports, to))));
    expect(compare(sums)).toBeGreaterThan(LEVEL);
    expect(compare(sums.map((one) => one.map((sum) => 0.8 * sum)))).toBeLessThan(LEVEL);
    if (degree === 0 || players === 1) return;
    const mean = [0, 1].map(
      (i) => records.reduce((sum, { features, label }) => sum + label * features[i], 0) / players,
    );
    const alike = drawn(
      parameters,
      Array.from(records, () => ({ features: mean, label: 1 })),
      5000,
    );
    expect(compare(alike)).toBeLessThan(LEVEL);
  });

  test('of gaussian copies takes the records in any number, and many that are on one line', () => {
    const parameters = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 });
    const line = { features: [0.6, 0, 0.8], label: 1 };
    const population = populationOf(Array.from({ length: 3000 }, () => line));
    const moments = dataMoments(marginSums, parameters, population);
    const { tally, reports } = simulateSum(marginSums, parameters, { population, moments }, { seed: 1, copies: 1e6 });
    expect([tally.players, reports]).toEqual([3e9, 0]);
    // z has a standard deviation of σ in each coordinate, so six of them for the mean are 6σ/√n.
    const most = (6 * (parameters as { readonly sigma: number }).sigma) / Math.sqrt(3e9);
    for (const [i, x] of line.features.entries()) expect(Math.abs(sumsOf(tally)[i] / 3e9 - x)).toBeLessThan(most);
  });

  test('serves a regression, whose vectors are others', () => {
    const request = { variant: 'lifted', task: 'regression', epsilon: 4, degree: 1, dimension: 2 } as const;
    const parameters = generalizedLinearParameters(request) as HingeParameters;
    const records = RECORDS.map(({ features }, i) => ({ features, label: (i - 2) / 3 }));
    const samples = [drawn(parameters, records, 5000), made(parameters, records, 5000)];
    const random = seededRandom('regression');
    const direction = samples[0][0].map(() => normal(random));
    expect(sameLaw(project(samples[0], direction), project(samples[1], direction))).toBeGreaterThan(LEVEL);
    const moments = dataMoments(marginSums, parameters, populationOf(records));
    const other = lifted({ epsilon: 4, degree: 1, dimension: 3 });
    const population = populationOf(records);
    expect(() => simulateSum(marginSums, other, { population, moments }, { seed: 1 })).toThrow('"moments.what"');
  });

  test('is one result for one seed, and another for another', () => {
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
    const population = populationOf(RECORDS);
    const moments = dataMoments(marginSums, parameters, population);
    const [a, b, c] = ['x', 'x', 'y'].map((seed) =>
      simulateSum(marginSums, parameters, { population, moments }, { seed }),
    );
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect(hinge.server.estimate(parameters, a.tally).players).toBe(5);
  });

  test('is refused by name for tallies that are no sums, and for data that are others', () => {
    const population = populationOf(RECORDS);
    const request = { epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 };
    const refused = (parameters: HingeParameters) => () => dataMoments(marginSums, parameters, population);
    const cubes = refused(gaussian({ ...request, degree: 2 }));
    expect(cubes).toThrow('"degree" expected 0 or 1 for the law of sums of gaussian');
    expect(refused(printed(request))).toThrow('"variant" expected direct, lifted, sampled or gaussian');
    expect(refused(lifted({ ...request, grade: 'deployment' }))).toThrow('"grade" expected simulation');
    expect(refused(lifted({ epsilon: 1, degree: 3, dimension: 20 }))).toThrow('"degree" expected a lift of at most');
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
    const outside = populationOf([...RECORDS, { features: [1, 0.5], label: 1 }]);
    expect(() => dataMoments(marginSums, parameters, outside)).toThrow('"features"');
    const moments = dataMoments(marginSums, parameters, population);
    const fewer = { population: populationOf(RECORDS.slice(1)), moments };
    expect(() => simulateSum(marginSums, parameters, fewer, { seed: 1 })).toThrow('"moments.records"');
    const higher = lifted({ epsilon: 1, degree: 2, dimension: 2 });
    expect(() => simulateSum(marginSums, higher, { population, moments }, { seed: 1 })).toThrow('"moments.degree"');
    const part = dataMoments(marginSums, sampled({ epsilon: 1, degree: 1, dimension: 2 }), population, { chosen: 2 });
    expect(() => simulateSum(marginSums, parameters, { population, moments: part }, { seed: 1 })).toThrow(
      '"moments.chosen"',
    );
    expect(() => simulateSum(marginSums, parameters, { population, moments }, { seed: 1, copies: 0 })).toThrow(
      '"copies"',
    );
  });
});

describe('the law of sums of sampled', () => {
  const parameters = sampled({ epsilon: 1, degree: 2, dimension: 2, shares: [2, 1, 1] }) as SampledParameters;
  const PLAYERS = 20_000;
  // Shorter vectors, of which none is close to all: then a part of the players tells what the others hold.
  const short = RECORDS.map(({ features: [a, b], label }) => ({ features: [0.7 * a, 0.7 * b], label }));
  const population: Population<LabelledRecord> = { players: PLAYERS, datum: (index) => short[index % 5] };
  const moments = dataMoments(marginSums, parameters, population);
  const T = 1000;

  /** Mean and variance of every sum of the reports: n_k is binomial, and a player in power k adds its part of it. */
  function expected(factor: number): { readonly mean: Float64Array; readonly variance: Float64Array } {
    const { lift, shares, mechanisms } = parameters;
    const mean = new Float64Array(lift.size + lift.degree);
    const variance = new Float64Array(lift.size + lift.degree);
    const u = new Float64Array(lift.size);
    for (let block = 0; block < lift.degree; block++) {
      const share = shares[block];
      mean[lift.size + block] = PLAYERS * share;
      variance[lift.size + block] = PLAYERS * share * (1 - share);
      const { coordinateVariance, alongVariance } = mechanisms[block] as PrivUnitG;
      for (const record of short) {
        fillSigned(lift, lift.weight, record, u);
        for (let entry = lift.offsets[block]; entry < lift.offsets[block + 1]; entry++) {
          const squared = u[entry] ** 2;
          const noise = coordinateVariance + factor * (alongVariance - coordinateVariance) * squared;
          mean[entry] += (PLAYERS / 5) * share * u[entry];
          variance[entry] += (PLAYERS / 5) * share * (noise + (1 - share) * squared);
        }
      }
    }
    return { mean, variance };
  }

  test('has the mean and the variance of the reports, within the distance that it says', () => {
    const sums = Array.from({ length: T }, (_, seed) => {
      const { tally, distance, reports } = simulateSum(marginSums, parameters, { population, moments }, { seed });
      expect([reports, distance > 0, distance < 0.01]).toEqual([0, true, true]);
      return sumsOf(tally);
    });
    const { mean, variance } = expected(1);
    const worst = (deviation: (index: number) => number): number => {
      let least = 1;
      for (let entry = 0; entry < mean.length; entry++) {
        const centred = sums.map((one) => one[entry] - mean[entry]);
        const one = variance[entry] * deviation(entry);
        const second = centred.reduce((sum, x) => sum + x * x, 0) / T;
        least = Math.min(least, meanTest(centred, 0, one), zPValue((second / one - 1) / Math.sqrt(2 / T)));
      }
      return least;
    };
    expect(worst(() => 1)).toBeGreaterThan(LEVEL);
    expect(worst(() => 0.8)).toBeLessThan(LEVEL);
    expect(worst(() => 1.3)).toBeLessThan(LEVEL);
  });

  test('makes the reports of powers whose distance would be above 0.01: of a few players all of them', () => {
    const few = { players: 300, datum: population.datum };
    const known = dataMoments(marginSums, parameters, few);
    const { reports, distance, tally } = simulateSum(
      marginSums,
      parameters,
      { population: few, moments: known },
      { seed: 1 },
    );
    expect([reports, distance]).toEqual([300, 0]);
    const { lift } = parameters;
    expect(
      sumsOf(tally)
        .subarray(lift.size)
        .reduce((sum, count) => sum + count, 0),
    ).toBe(300);
    // Moments of the first two powers are none of the third: its reports are made.
    const two = sampled({ epsilon: 1, degree: 1, dimension: 2 });
    const lower = dataMoments(marginSums, two, population);
    const mixed = simulateSum(marginSums, parameters, { population, moments: lower }, { seed: 1 });
    expect(mixed.reports).toBe(sumsOf(mixed.tally)[lift.size + 2]);
    expect(mixed.reports).toBeGreaterThan(PLAYERS / 5);
  });

  test('has the law of the reports where it makes them', () => {
    const strong = sampled({ epsilon: 6, degree: 1, dimension: 2 });
    const records = RECORDS.slice(0, 3);
    const few = populationOf(records);
    const known = dataMoments(marginSums, strong, few);
    const sums = Array.from({ length: 10_000 }, (_, seed) =>
      sumsOf(simulateSum(marginSums, strong, { population: few, moments: known }, { seed }).tally),
    );
    const reports = made(strong, records, 10_000);
    for (const direction of [Float64Array.of(0.6, 0.8, 0, 0, 0, 0, 0), Float64Array.of(0, 0, 1, 0.5, -1, 0, 0)]) {
      expect(sameLaw(project(sums, direction), project(reports, direction))).toBeGreaterThan(LEVEL);
    }
  });
});

// In one dimension the second power of v is a number, and all laws are those of numbers: the distance can be computed.
describe('the bound on the distance', () => {
  const values = Float64Array.from({ length: 4000 }, (_, i) => (i % 4 === 0 ? 0.8 : 0.1));
  const squaresMean = values.reduce((sum, v) => sum + v * v, 0) / 4000;
  const fourthMean = values.reduce((sum, v) => sum + v ** 4, 0) / 4000;

  /** The total variation between N(0, 1) and N(0, s): the densities cross at ±x. */
  function variation(s: number): number {
    if (s === 1) return 0;
    const x = Math.sqrt((s * Math.log(s)) / (s - 1));
    return 2 * Math.abs(normalCdf(x) - normalCdf(x / Math.sqrt(s)));
  }

  /** The mean of it, where so many of the records are chosen at random for the variance that is used. */
  function meanVariation(chosen: number, draws: number): number {
    const random = seededRandom(`subsets ${chosen}`);
    let sum = 0;
    for (let draw = 0; draw < draws; draw++) {
      const rows = permutation(values.length, random).subarray(0, chosen);
      const mean = rows.reduce((total, row) => total + values[row] ** 4, 0) / chosen;
      sum += variation((1 - mean) / (1 - fourthMean));
    }
    return sum / draws;
  }

  const moments: DataMoments = {
    ...{ what: 'v', dimension: 1, degree: 2, records: 4000, chosen: 4000, sums: new Float64Array(4) },
    squares: Float64Array.of(4000 * squaresMean),
    norms: Float64Array.from([4, 8], (power) => values.reduce((sum, v) => sum + v ** power, 0)),
  };

  test.each([50, 200, 1000])('is above the distance itself, and of its size: %i players of 4,000', (count) => {
    const truth = meanVariation(count, 400);
    const setting = { players: 4000, drawn: [false, true], counts: [0, count] };
    const bound = sumDistance({ ...setting, moments });
    // The same distance where the moments are those of a part, and nobody is missing among the players.
    const part = sumDistance({ ...setting, moments: { ...moments, chosen: count }, counts: [0, 4000] });
    expect(part).toBeCloseTo(bound, 12);
    expect(bound).toBeGreaterThan(truth);
    expect(bound).toBeLessThan(5 * truth + 4 / count);
    // The formula of docs/sums.md, by hand.
    const m = (moments.norms[1] / 4000 / (1 - squaresMean) ** 2) * ((4000 - count) / (count * 3999));
    expect(bound / (0.439484 * Math.sqrt(m) + 4 * m)).toBeCloseTo(1, 5);
  });

  test('stands on (x − log(1 + x))/x² ≤ .772589 from −½ on, and not on a fifth less', () => {
    const ratio = (x: number): number => (x - Math.log1p(x)) / x ** 2;
    const grid = Array.from({ length: 10_000 }, (_, i) => -0.5 + (i + 0.5) / 1000);
    expect(Math.max(...grid.map(ratio))).toBeLessThan(4 * 0.439484 ** 2);
    expect(ratio(-0.5)).toBeGreaterThan(4 * (0.95 * 0.439484) ** 2);
  });

  test('is 0 for all players with all moments, and 1 where nothing is left of a variance', () => {
    const all = { moments, players: 4000, drawn: [false, true], counts: [0, 4000] };
    expect(sumDistance(all)).toBe(0);
    const one = { ...moments, squares: Float64Array.of(4000) };
    expect(sumDistance({ ...all, moments: one, counts: [0, 3000] })).toBe(1);
  });
});
