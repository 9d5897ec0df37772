import { describe, expect, test } from '@jest/globals';
import { type ClassLaw, drawClassLaws, usualDraws } from '../../../src/optimize/class-law.ts';
import { classMarginLaw, classRisk, lawMean, minimizeClassRisk } from '../../../src/optimize/compared-risk.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { createLift, setMomentMatrix } from '../../../src/polynomial/lift.ts';
import { normal, type Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss, type MarginLoss } from '../../../src/risk/margin-loss.ts';
import { leastRisk, meanRisk, noisyMomentsOf, twoClasses } from './two-classes.ts';

const loss = hingeLoss();

/** Moments of two powers with the given mean and second moment, and noise of these variances. */
function momentsOf(
  mean: readonly number[],
  second: readonly number[],
  noise: readonly [number, number],
): CorrectedMoments {
  const lift = createLift(mean.length, 2);
  const values = new Float64Array(lift.size);
  setMomentMatrix(lift, Float64Array.from(second), values);
  values.set(mean);
  return { lift, values, noise: Float64Array.from(noise), players: 1000 };
}

/** A second moment with noise of this deviation on its diagonal, half the variance beside it, and the square of what is drawn beside it but for the first row. */
function noisySecond(exact: (i: number, j: number) => number, dimension: number, deviation: number, random: Random) {
  const second = new Array<number>(dimension * dimension).fill(0);
  let square = 0;
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++) {
      const drawn = deviation * Math.sqrt(i === j ? 1 : 0.5) * normal(random);
      if (j > 0 && i > j) square += drawn * drawn;
      second[i * dimension + j] = second[j * dimension + i] = exact(i, j) + drawn;
    }
  }
  return { second, square };
}

describe('the laws that two moments leave open', () => {
  // Three coordinates, the first one .5 for everybody; 20 % positive; class means .2 apart in the second coordinate.
  const share = 0.2;
  const features = [
    [0.5, 0.3, -0.1],
    [0.5, 0.1, -0.1],
  ];
  const variances = [0, 0.02, 0.05];
  const mean = features[0].map((entry, j) => share * entry - (1 - share) * features[1][j]);
  const second = [0, 1, 2].flatMap((i) =>
    [0, 1, 2].map(
      (j) =>
        share * features[0][i] * features[0][j] +
        (1 - share) * features[1][i] * features[1][j] +
        (i === j ? variances[i] : 0),
    ),
  );
  const exact = momentsOf(mean, second, [1e-12, 1e-12]);

  test('without noise are the one law of two classes, as soon as the constant coordinate is known', () => {
    for (const { shares, means, covariance } of drawClassLaws(
      exact,
      { intercept: 0, draws: 3 },
      seededRandom('exact'),
    )) {
      expect(shares[0]).toBeCloseTo(share, 4);
      expect(shares[0] + shares[1]).toBeCloseTo(1, 12);
      // The constant coordinate may have a deviation of up to a fifth of its mean: two moments do not show it.
      expect(means[1][0]).toBe(-means[0][0]);
      expect(means[0][0] ** 2 + covariance[0]).toBeCloseTo(0.25, 4);
      expect(Math.sqrt(covariance[0]) / means[0][0]).toBeLessThan(0.2);
      for (let j = 0; j < 3; j++) {
        if (j > 0) expect(means[0][j]).toBeCloseTo(features[0][j], 3);
        if (j > 0) expect(means[1][j]).toBeCloseTo(-features[1][j], 3);
        for (let i = 0; i < 3; i++) {
          if (i + j > 0) expect(covariance[3 * i + j]).toBeCloseTo(i === j ? variances[i] : 0, 3);
        }
      }
    }
  });

  // The deviation is uniform on (0, .2): the mean of 2,000 draws has a standard error of .2/√12/√2,000 = .0013, and 5 of them are .0065. With a
  // fifth more or less the mean would be .12 or .08.
  test('have a constant coordinate that varies by a tenth of its mean on average', () => {
    const laws = drawClassLaws(exact, { intercept: 0, draws: 2000 }, seededRandom('uneven'));
    const average = laws.reduce((sum, { means, covariance }) => sum + Math.sqrt(covariance[0]) / means[0][0], 0) / 2000;
    expect(Math.abs(average - 0.1)).toBeLessThan(0.0065);
  });

  test('are one class with the mean of all where no coordinate is known to be constant', () => {
    const [{ shares, means, covariance }] = drawClassLaws(exact, { draws: 1 }, seededRandom('one'));
    expect(Array.from(shares)).toEqual([1]);
    for (let j = 0; j < 3; j++) {
      expect(means[0][j]).toBeCloseTo(mean[j], 3);
      for (let i = 0; i < 3; i++) expect(covariance[3 * i + j]).toBeCloseTo(second[3 * i + j] - mean[i] * mean[j], 3);
    }
  });

  // The mean is normal with the variance ρ²λ/d of a coordinate, where ρ is uniform and λ = ¼ the second moment, and is measured with noise s². What
  // stays of it is the mean over the posterior of ρ of k = ρ²λ/(ρ²λ + d·s²). Along the measured mean a draw is k times its length of 3s and a normal
  // number of variance k·s²: in units of that length its variance is that of k and E k/9. Five standard errors of 12,000 draws, false alarm
  // 6e-7, are below .0174.
  test('are shrunk as far as a mean within the second moment can be noise', () => {
    const dimension = 4;
    const lambda = 0.25;
    const draws = 12_000;
    const identity = Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? lambda : 0));
    /** What stays where ρ^power is uniform, and the deviation of a draw. */
    const stays = (noise: number, power: number, most = 1): { kept: number; deviation: number } => {
      let [mass, moment, square] = [0, 0, 0];
      for (let i = 0; i < 10_000; i++) {
        const prior = (((i + 0.5) / 10_000) ** (2 / power) * most * lambda) / dimension;
        const whole = prior + noise;
        const density = whole ** (-dimension / 2) * Math.exp((-9 * noise) / (2 * whole));
        mass += density;
        moment += (density * prior) / whole;
        square += density * (prior / whole) ** 2;
      }
      const kept = moment / mass;
      return { kept, deviation: Math.sqrt(square / mass - kept * kept + kept / 9) };
    };
    const kept = (noise: number, power: number, most = 1): number => stays(noise, power, most).kept;
    for (const noise of [1e-4, 2e-2]) {
      const length = 3 * Math.sqrt(noise);
      const measured = momentsOf([length, 0, 0, 0], identity, [noise, 1e-12]);
      const laws = drawClassLaws(measured, { draws }, seededRandom('shrunk'));
      const average = laws.reduce((sum, { means }) => sum + means[0][0], 0) / laws.length;
      const tolerance = (5 * stays(noise, 1).deviation) / Math.sqrt(draws);
      expect(tolerance).toBeLessThan(0.0174);
      expect(Math.abs(average / length - kept(noise, 1))).toBeLessThan(tolerance);
      // The controls: no shrinkage, and another law of ρ.
      expect(Math.abs(1 - kept(noise, 1))).toBeGreaterThan(0.15);
      expect(Math.abs(kept(noise, 4) - kept(noise, 1))).toBeGreaterThan(0.03);
    }
    // And lengths that are allowed a fifth more or less, where the noise is large.
    for (const most of [0.8, 1.2]) expect(Math.abs(kept(2e-2, 1, most) - kept(2e-2, 1))).toBeGreaterThan(0.024);
  });

  // 2 % are positive, and no coordinate tells the classes apart: what is measured of a difference is noise, of length .04, where the features'
  // second moment allows √(.078·.002) = .0125 at most. Of .08 the draws keep .011, and .043 where a difference is allowed as for classes that
  // are alike; the mean of 200 draws of deviation .02 at most is within .0071 of its law's, five deviations.
  test('take a difference of the classes for noise that a rare class could not make', () => {
    const rare = 0.02;
    const still = [0.5, 0, 0, 0, 0];
    const flat = Array.from({ length: 25 }, (_, i) => (i % 6 === 0 ? (i === 0 ? 0.25 : 0.002) : 0));
    const noise = 0.01;
    const measured = momentsOf(
      still.map((entry, j) => (j === 0 ? (2 * rare - 1) * entry : 2 * noise)),
      flat,
      [noise ** 2, 1e-10],
    );
    const along = drawClassLaws(measured, { intercept: 0, draws: 200 }, seededRandom('rare')).map(
      ({ shares, means }) =>
        shares[0] *
        shares[1] *
        (means[0].reduce((sum, entry) => sum + entry) + means[1].reduce((sum, entry) => sum + entry)),
    );
    const average = along.reduce((sum, entry) => sum + entry) / along.length;
    // 2q(1 − q)(E[x | +] − E[x | −]), summed over four coordinates, is .08 as measured.
    expect(Math.abs(2 * average)).toBeLessThan(0.4 * 8 * noise);
  });

  // 2 % are positive, and classes are alike: E v = −.96·E x. The row of the constant tells E x, .15 in each of eight features, to a deviation of .06/√2/c = .085,
  // E v to .01. A difference of deviation √(.0784·.02/8)·ρ, .014 at most, is all that the labels can explain, so that E x is known to .018, and a draw of it
  // is within .025, .3 of .085. Over 24 collections of 8 features and 20 draws the root of the mean square has an error below a
  // tenth of itself; it is .27 of .085, and .30 allowed, where four fifths of the gain have .32. The controls: what the row of the constant tells, and draws that know no more than it, .69.
  test('know the mean of the features from that of the signed ones where a class is rare', () => {
    const dimension = 9;
    const features = new Array<number>(dimension).fill(0.15);
    features[0] = 0.5;
    const random = seededRandom('rare mean');
    let [row, drawn, count] = [0, 0, 0];
    for (let run = 0; run < 24; run++) {
      const exact = (i: number, j: number): number => features[i] * features[j] + (i === j && i > 0 ? 0.02 : 0);
      const { second } = noisySecond(exact, dimension, 0.06, random);
      second[0] = 0.25;
      const mean = features.map((entry) => -0.96 * entry + 0.01 * normal(random));
      const laws = drawClassLaws(momentsOf(mean, second, [1e-4, 3.6e-3]), { intercept: 0, draws: 20 }, random);
      for (let j = 1; j < dimension; j++) {
        row += (second[j] / 0.5 - features[j]) ** 2;
        for (const { means } of laws) drawn += (means[1][j] + features[j]) ** 2 / laws.length;
        count++;
      }
    }
    const told = 0.06 / Math.SQRT2 / 0.5;
    expect(Math.sqrt(drawn / count)).toBeLessThan(0.3 * told);
    expect(Math.sqrt(row / count)).toBeGreaterThan(0.8 * told);
  });

  // Five features of mean .35 and covariance .01·I, measured with noise of deviation .02 (.014 off the diagonal). The covariance is shrunk around the mean:
  // what is left of the square of the noise off the diagonal is .076, over 24 collections of fixed seeds. The control has the same
  // second moment and no known constant: the mean hides the rest from the shrinkage, and it keeps .50.
  test('are shrunk around the mean of the features, which the constant coordinate shows', () => {
    const dimension = 6;
    const centre = [0.5, 0.35, 0.35, 0.35, 0.35, 0.35];
    const random = seededRandom('around');
    const left = { known: 0, unknown: 0 };
    let noise = 0;
    for (let run = 0; run < 24; run++) {
      const exact = (i: number, j: number): number => centre[i] * centre[j] + (i === j && i > 0 ? 0.01 : 0);
      const { second, square } = noisySecond(exact, dimension, 0.02, random);
      noise += square;
      const measured = momentsOf(new Array(dimension).fill(0), second, [1e-10, 4e-4]);
      const covarianceOf = (intercept: number | undefined): Float64Array => {
        const laws = drawClassLaws(measured, { intercept, draws: 40 }, random);
        const mean = new Float64Array(dimension * dimension);
        for (const { covariance, means } of laws) {
          for (let i = 0; i < dimension; i++) {
            for (let j = 0; j < dimension; j++) {
              // Without classes the whole second moment is that of v.
              const whole = intercept === undefined ? means[0][i] * means[0][j] - centre[i] * centre[j] : 0;
              mean[i * dimension + j] += (covariance[i * dimension + j] + whole) / laws.length;
            }
          }
        }
        return mean;
      };
      const [known, unknown] = [covarianceOf(0), covarianceOf(undefined)];
      for (let i = 2; i < dimension; i++) {
        for (let j = 1; j < i; j++) {
          left.known += known[i * dimension + j] ** 2;
          left.unknown += unknown[i * dimension + j] ** 2;
        }
      }
    }
    expect(left.known).toBeLessThan(0.15 * noise);
    expect(left.unknown).toBeGreaterThan(0.3 * noise);
  });

  // Six features of mean 0 whose variances are 1/2, 1/4, … of the one before, and no covariance; noise of deviation .005. The variances are 1 to 8 deviations
  // apart: they stay, and what is beside the diagonal is shrunk. Over 24 collections of fixed seeds .046 of the square of the noise is left there. The control
  // is what one factor for all of the matrix would leave, of which the variances fix the size: .79.
  test('are shrunk beside the diagonal where the variances alone differ', () => {
    const dimension = 7;
    const variances = [0.25, 0.08, 0.04, 0.02, 0.01, 0.005, 0.0025];
    const deviation = 0.005;
    const random = seededRandom('variances');
    let [noise, left, wrong, energy] = [0, 0, 0, 0];
    for (let run = 0; run < 24; run++) {
      const { second, square } = noisySecond((i, j) => (i === j ? variances[i] : 0), dimension, deviation, random);
      noise += square;
      const measured = momentsOf(new Array(dimension).fill(0), second, [1e-10, deviation ** 2]);
      const laws = drawClassLaws(measured, { intercept: 0, draws: 40 }, random);
      const mean = (at: number): number => laws.reduce((sum, { covariance }) => sum + covariance[at], 0) / laws.length;
      const level = variances.slice(1).reduce((sum, entry) => sum + entry) / 6;
      for (let i = 1; i < dimension; i++) {
        wrong += (mean(i * dimension + i) - variances[i]) ** 2;
        energy += (variances[i] - level) ** 2;
        for (let j = 1; j < i; j++) left += mean(i * dimension + j) ** 2;
      }
    }
    expect(left).toBeLessThan(0.2 * noise);
    // Six variances, each with its noise; a fifth of that for the draws and for what noise adds to a small one.
    expect(wrong).toBeLessThan(1.2 * 24 * 6 * deviation ** 2);
    // One factor for 20 numbers and their measured square keeps 1 − 20σ²/square of each at least, and the square of that is left.
    expect((1 - (20 * 24 * deviation ** 2) / energy) ** 2).toBeGreaterThan(0.75);
  });

  test('have shares and variances that laws have, from noise alone too', () => {
    for (const intercept of [0, undefined]) {
      const noisy = noisyMomentsOf(
        twoClasses({ separation: 0.3, spread: 0.3, positive: 0.02, wrong: 0 }),
        2,
        0.5,
        'loud',
      );
      for (const { shares, means, covariance } of drawClassLaws(noisy, { intercept }, seededRandom('loud'))) {
        for (const part of shares) expect(part).toBeGreaterThan(0);
        for (const row of means) expect(Math.hypot(...row)).toBeLessThanOrEqual(1 + 1e-12);
        for (let j = 0; j < 4; j++) expect(covariance[5 * j]).toBeGreaterThan(0);
      }
    }
  });

  test('of records of one coordinate', () => {
    const one = momentsOf([0.3], [0.25], [1e-6, 1e-6]);
    for (const intercept of [0, undefined]) {
      const laws = drawClassLaws(one, { intercept, draws: 4 }, seededRandom('one coordinate'));
      expect(minimizeClassRisk(laws, loss, 1)[0]).toBeCloseTo(1, 6);
    }
  });

  test('refuse an intercept that is no coordinate, and moments of one power', () => {
    for (const intercept of [-1, 3, 0.5, Number.NaN]) {
      expect(() => drawClassLaws(exact, { intercept }, seededRandom('a'))).toThrow('"intercept"');
    }
    const few = { ...exact, lift: createLift(3, 1), values: exact.values.slice(0, 3) };
    expect(() => drawClassLaws(few, {}, seededRandom('a'))).toThrow(RangeError);
  });
});

describe('the risk under normal classes', () => {
  const laws: readonly ClassLaw[] = [
    {
      shares: Float64Array.of(0.3, 0.7),
      means: [Float64Array.of(0.5, 0.2), Float64Array.of(-0.5, 0.1)],
      covariance: Float64Array.of(0.04, 0.01, 0.01, 0.09),
    },
    { shares: Float64Array.of(1), means: [Float64Array.of(0.1, -0.3)], covariance: Float64Array.of(0.1, 0, 0, 0.2) },
  ];
  const w = Float64Array.of(0.8, -0.5);
  /** A smooth part and two kinks. */
  const bent: MarginLoss = {
    ...loss,
    name: 'bent',
    value: (t) => Math.max(0, 0.2 - t) + 0.5 * Math.max(0, -0.4 - t) + 0.1 * t * t,
    derivative: (t) => (t < 0.2 ? -1 : 0) + (t < -0.4 ? -0.5 : 0) + 0.2 * t,
    secondDerivative: () => 0.2,
    kinks: [-0.4, 0.2],
  };

  /** The mean loss by a rule of 200,000 nodes. */
  const integrated = (f: MarginLoss): number =>
    laws.reduce((risk, { shares, means, covariance }) => {
      const variance = w[0] ** 2 * covariance[0] + 2 * w[0] * w[1] * covariance[1] + w[1] ** 2 * covariance[3];
      return means.reduce((sum, mean, c) => {
        const middle = mean[0] * w[0] + mean[1] * w[1];
        let [mass, total] = [0, 0];
        for (let i = 0; i < 200_000; i++) {
          const u = 16 * ((i + 0.5) / 200_000 - 0.5);
          const weight = Math.exp(-0.5 * u * u);
          mass += weight;
          total += weight * f.value(middle + Math.sqrt(variance) * u);
        }
        return sum + ((shares[c] / laws.length) * total) / mass;
      }, risk);
    }, 0);

  test('is the mean loss, for kinks and smooth parts, and its gradient the slope', () => {
    for (const f of [loss, bent]) {
      const { value, gradient } = classRisk(laws, f);
      expect(value(w)).toBeCloseTo(integrated(f), 8);
      const slope = new Float64Array(2);
      gradient(w, slope);
      for (let j = 0; j < 2; j++) {
        const step = Float64Array.from(w, (entry, i) => entry + (i === j ? 1e-5 : 0));
        const back = Float64Array.from(w, (entry, i) => entry - (i === j ? 1e-5 : 0));
        expect(slope[j]).toBeCloseTo((value(step) - value(back)) / 2e-5, 6);
      }
    }
  });

  test('is that of the law of the margin on its places', () => {
    // The places are .008 apart and hold 2 % of the weight elsewhere.
    expect(Math.abs(lawMean(classMarginLaw(laws, w, 1), loss.value) - integrated(loss))).toBeLessThan(0.01);
  });

  test('falls to its least value in the ball', () => {
    const { value } = classRisk(laws, loss);
    for (const radius of [0.5, 2]) {
      const best = minimizeClassRisk(laws, loss, radius);
      expect(Math.hypot(...best)).toBeLessThanOrEqual(radius * (1 + 1e-12));
      for (let i = 0; i < 64; i++) {
        const angle = (2 * Math.PI * i) / 64;
        for (const length of [0.25, 0.5, 1]) {
          const other = Float64Array.of(radius * length * Math.cos(angle), radius * length * Math.sin(angle));
          expect(value(other)).toBeGreaterThan(value(best) - 1e-6);
        }
      }
    }
  });
});

// 1,000,000 players with ε = 1 have noise of about 1e-5 on every entry. The control is the same without the constant
// coordinate: one normal law for margins that lie in two heaps.
test('one rare class: the model of two classes leaves a fifth of the excess of that of one', () => {
  const vectors = twoClasses({ separation: 0.3, spread: 0.3, positive: 0.05, wrong: 0.1 });
  const radius = 2;
  const best = leastRisk(vectors, radius);
  const moments = noisyMomentsOf(vectors, 2, 1e-5, 'rare');
  const excess = (intercept: number | undefined): number => {
    const laws = drawClassLaws(moments, { intercept }, seededRandom('rare'));
    return meanRisk(vectors, minimizeClassRisk(laws, loss, radius)) - best;
  };
  expect(excess(0)).toBeLessThan(0.2 * excess(undefined));
});

test('there are 64 laws up to 32 coordinates, then fewer, and 8 at least', () => {
  expect([1, 32, 33, 64, 100, 128, 445].map(usualDraws)).toEqual([64, 64, 62, 32, 20, 16, 8]);
});
