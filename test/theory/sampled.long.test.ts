// The sampled report carries one power, drawn with the public probability s_k, at full norm. With s_k = a_k² its moments
// have the noise of the lifted report, which carries all powers at once: c/(s_k·n) on every coordinate. Mathematics of the toolkit.
import { describe, expect, test } from '@jest/globals';
import { type MarginDatum, signedRecord } from '../../protocols/generalized-linear/device.ts';
import { channelOf, momentsOf } from '../../protocols/generalized-linear/margin/channels.ts';
import { coordinateNoises } from '../../protocols/generalized-linear/margin/forecast.ts';
import type { LiftedParameters, SampledParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import { hinge, lifted, sampled } from '../../protocols/hinge/index.ts';
import type { MomentTally } from '../../src/core/channel.ts';
import { COIN_UNITS } from '../../src/mechanism/exact-coin.ts';
import { createLift, createLiftedPolynomial, fillLift } from '../../src/polynomial/lift.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { abs, max, sqrt } = Math;

const request = { epsilon: 1, degree: 2, dimension: 3 } as const;
const lift = createLift(3, 3);
const BLOCKS = [0, 1, 2];
const rangeOf = (block: number): readonly [number, number] => [lift.offsets[block], lift.offsets[block + 1]];
const entriesOf = (block: number): number => lift.offsets[block + 1] - lift.offsets[block];
const record: MarginDatum = { features: [0.6, -0.5, 0.4], label: -1 };
const other: MarginDatum = { features: [-0.2, 0.1, 0.9], label: 1 };

/** The powers of a record, not scaled. */
function powersOf(datum: MarginDatum): Float64Array {
  const target = new Float64Array(lift.size);
  fillLift(lift, lift.weight, signedRecord({ dimension: 3 }, datum), target);
  return target;
}

/** Tallies of so many reports of these records, taken in turn. */
function* tallies(
  parameters: SampledParameters | LiftedParameters,
  data: readonly MarginDatum[],
  { count, reports }: { readonly count: number; readonly reports: number },
): Generator<MomentTally> {
  const random = seededRandom(`sampled ${parameters.digest}`);
  const report = hinge.player.randomize(parameters, data[0], random);
  for (let t = 0; t < count; t++) {
    const tally = hinge.server.empty(parameters) as MomentTally;
    for (let i = 0; i < reports; i++) {
      hinge.player.randomizeInto(parameters, data[i % data.length], random, report);
      hinge.server.add(parameters, tally, report);
    }
    yield tally;
  }
}

/** How many reports of a tally carry each power: all of them, where a report carries all. */
const countsOf = ({ variant }: SampledParameters | LiftedParameters, { sums, players }: MomentTally): number[] =>
  BLOCKS.map((block) => (variant === 'sampled' ? sums[lift.size + block] : players));

/** For each power, the mean over tallies and coordinates of n_k·(T_k − E T_k)², for reports of one record. */
function spreads(parameters: SampledParameters | LiftedParameters, count: number, reports: number): number[] {
  const exact = powersOf(record);
  const sums = [0, 0, 0];
  for (const tally of tallies(parameters, [record], { count, reports })) {
    const { values } = momentsOf(parameters, tally);
    const counts = countsOf(parameters, tally);
    for (const block of BLOCKS) {
      const [from, to] = rangeOf(block);
      for (let i = from; i < to; i++)
        sums[block] += (counts[block] * (values[i] - exact[i]) ** 2) / (count * (to - from));
    }
  }
  return sums;
}

describe.each(['simulation', 'deployment'] as const)('in a %s', (grade) => {
  const one = sampled({ ...request, grade });
  const all = lifted({ ...request, grade });

  test('the probabilities are the shares of lifted, as whole numbers over 2⁵³', () => {
    expect(one.limits.at(-1)).toBe(COIN_UNITS);
    for (const block of BLOCKS) {
      expect(Number.isInteger(one.shares[block] * COIN_UNITS)).toBe(true);
      expect(abs(one.shares[block] - all.scales[block] ** 2)).toBeLessThan(2 ** -50);
    }
  });

  test('c/s_k is the noise of lifted, but for a constant c that hardly depends on the dimension', () => {
    const noises = coordinateNoises(all);
    for (const block of BLOCKS) {
      const alone = one.mechanisms[block].coordinateVariance / one.shares[block];
      // PrivUnitG has the same constant in every dimension; k-closest encoding is a little better for few.
      if (grade === 'simulation') expect(alone / noises[block]).toBeCloseTo(1, 12);
      else {
        expect(alone / noises[block]).toBeLessThan(1);
        expect(alone / noises[block]).toBeGreaterThan(0.85);
      }
      // A forecast adds the share of the records: on average over D_k coordinates at most 1/D_k for each report of power k.
      const records = (1 - one.shares[block]) / one.shares[block] / entriesOf(block);
      expect(coordinateNoises(one)[block]).toBeCloseTo(alone + records, 9);
    }
  });

  test('measured, each report of a power has the variance it states: s_k·n of them, or n with the share a_k²', () => {
    // n_k·(error)²/c is nearly χ²₁ for each coordinate: over 2000 tallies a mean of 2000·D_k of them, with a relative standard
    // error of √(2/(2000·D_k)) ≤ .0183. Beyond 4.5 of these (.083) with probability 7e-6; twelve such means: 1 in 12,000 seeds.
    const [count, reports] = [2000, 100];
    for (const parameters of [one, all]) {
      const measured = spreads(parameters, count, reports);
      for (const block of BLOCKS) {
        const { coordinateVariance, alongVariance } =
          parameters.variant === 'lifted' ? parameters.mechanism : parameters.mechanisms[block];
        const scale = parameters.variant === 'lifted' ? parameters.scales[block] : 1;
        const [from, to] = rangeOf(block);
        const squared = powersOf(record)
          .subarray(from, to)
          .reduce((sum, entry) => sum + entry * entry, 0);
        const along = ((alongVariance - coordinateVariance) * scale ** 2 * squared) / entriesOf(block);
        const stated = (coordinateVariance + along) / scale ** 2;
        const limit = 4.5 * sqrt(2 / (count * entriesOf(block)));
        expect(abs(measured[block] / stated - 1)).toBeLessThan(limit);
        // The control: a variance that is a fifth larger or smaller.
        expect(abs(measured[block] / stated / 1.2 - 1)).toBeGreaterThan(limit);
        expect(abs(measured[block] / stated / 0.8 - 1)).toBeGreaterThan(limit);
      }
    }
  });

  test('each power is reported with its probability, and its mean is that of the records', () => {
    const reports = 300_000;
    const [tally] = tallies(one, [record, other], { count: 1, reports });
    const { values, noise } = momentsOf(one, tally);
    const [first, second] = [record, other].map(powersOf);
    const counts = countsOf(one, tally);
    for (const block of BLOCKS) {
      const share = one.shares[block];
      const deviation = sqrt(reports * share * (1 - share));
      // Three counts and 19 coordinates in each grade, each beyond five deviations with probability 6e-7.
      expect(abs(counts[block] - reports * share)).toBeLessThan(5 * deviation);
      expect(abs(counts[block] - 1.2 * reports * share)).toBeGreaterThan(5 * deviation);
      const [from, to] = rangeOf(block);
      let [worst, misread] = [0, 0];
      for (let i = from; i < to; i++) {
        const mean = (first[i] + second[i]) / 2;
        worst = max(worst, abs(values[i] - mean) / sqrt(noise[block]));
        // The control: the sums divided as those of lifted are, by n·a_k.
        misread = max(misread, abs(tally.sums[i] / reports / all.scales[block] - mean) / sqrt(noise[block]));
      }
      expect(worst).toBeLessThan(5);
      expect(misread).toBeGreaterThan(5);
    }
  });
});

test('divided by n·s_k and not by n_k, a coordinate has (1 − s_k)/s_k·T² more variance for each report', () => {
  // At ε = 20 this is most of it. 2000 tallies of one record: a variance is known to √(2/2000) = .032, to 4.5 of that .14.
  const parameters = sampled({ ...request, epsilon: 20 });
  const exact = powersOf(record);
  const [count, reports] = [2000, 400];
  const coordinates = BLOCKS.map((block) => rangeOf(block)[0]);
  const expected = [new Float64Array(3), new Float64Array(3)];
  const measured = [new Float64Array(3), new Float64Array(3)];
  for (const tally of tallies(parameters, [record], { count, reports })) {
    const { values } = momentsOf(parameters, tally);
    for (const block of BLOCKS) {
      const i = coordinates[block];
      const [share, c] = [parameters.shares[block], parameters.mechanisms[block].coordinateVariance];
      const sizes = [values[i], tally.sums[i] / (reports * share)].map((value) => (value - exact[i]) ** 2);
      measured[0][block] += (sizes[0] * tally.sums[lift.size + block]) / count;
      measured[1][block] += (sizes[1] * reports * share) / count;
      expected[0][block] = c;
      expected[1][block] = c + (1 - share) * exact[i] ** 2;
    }
  }
  for (const block of BLOCKS) {
    for (const way of [0, 1]) expect(abs(measured[way][block] / expected[way][block] - 1)).toBeLessThan(0.14);
    expect(expected[1][block] / expected[0][block]).toBeGreaterThan(1.3);
  }
});

test('who reports which power adds 1/D_k to the noise where records are opposite and the power is odd, and never more', () => {
  // At ε = 20 this is most of it. The error is nearly normal and along one direction: 4.5·√(2/2000) = .14 as above.
  const parameters = sampled({ ...request, epsilon: 20 });
  const [one, opposite] = [1, -1].map((label): MarginDatum => ({ features: [0.6, 0, -0.8], label }));
  const powers = powersOf(one);
  const [measured, stated] = [new Float64Array(3), new Float64Array(3)];
  for (const tally of tallies(parameters, [one, opposite], { count: 2000, reports: 400 })) {
    const { values, noise } = momentsOf(parameters, tally);
    for (const block of BLOCKS) {
      const [from, to] = rangeOf(block);
      const mean = (i: number): number => (block === 1 ? powers[i] : 0);
      for (let i = from; i < to; i++) measured[block] += (values[i] - mean(i)) ** 2 / (to - from);
      stated[block] += noise[block];
    }
  }
  for (const block of [0, 2]) expect(abs(measured[block] / stated[block] - 1)).toBeLessThan(0.14);
  expect(measured[1] / stated[1]).toBeLessThan(0.6);
});

test('the stated deviation of a risk is at least the measured one, and close to it', () => {
  // Known to √(1/(2·2000)) = .016 of itself: 4.5 of these are .07.
  const coefficients = [-0.6, 0.5, 0.3];
  const w = [0.3, -0.5, 0.6];
  const integral = coefficients.map((c, k) => c / (k + 1));
  const exact = [record, other].map(powersOf);
  const risk = createLiftedPolynomial(
    lift,
    integral,
    exact[0].map((entry, i) => (entry + exact[1][i]) / 2),
  ).value(w);
  for (const epsilon of [1, 4]) {
    const parameters = sampled({ ...request, epsilon });
    let [squares, stated, count] = [0, 0, 0];
    for (const tally of tallies(parameters, [record, other], { count: 2000, reports: 300 })) {
      const moments = momentsOf(parameters, tally);
      squares += (createLiftedPolynomial(lift, integral, moments.values).value(w) - risk) ** 2;
      stated += channelOf(parameters).riskDeviation({ moments, coefficients, w, tally, decoder: 'averaged' }) ** 2;
      count++;
    }
    const ratio = sqrt(squares / stated);
    expect(count).toBe(2000);
    expect(ratio).toBeLessThan(1.07);
    expect(ratio).toBeGreaterThan(epsilon === 1 ? 0.9 : 0.75);
  }
});

test('a power that nobody reported is 0, with an error of at most 1', () => {
  const parameters = sampled({ ...request, shares: [1, 1e-11, 1] });
  const [tally] = tallies(parameters, [record], { count: 1, reports: 50 });
  const { values, noise } = momentsOf(parameters, tally);
  const [from, to] = rangeOf(1);
  expect([...values.subarray(from, to)]).toEqual(new Array(to - from).fill(0));
  expect(noise[1]).toBe(1);
  expect(noise[0]).toBeLessThan(1);
  expect(hinge.server.estimate(parameters, tally).w.every(Number.isFinite)).toBe(true);
});
