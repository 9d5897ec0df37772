import { describe, expect, test } from '@jest/globals';
import {
  fitWeight,
  gradientNoise,
  plausibleLaw,
  smoothedWeight,
  valueDeviation,
} from '../../protocols/euclidean-median/estimate.ts';
import {
  euclideanMedian,
  euclideanMedianParameters,
  gradientVariance,
  liftedMoments,
  potential,
  radialRisks,
} from '../../protocols/euclidean-median/index.ts';
import { averagedMoments, gaussianMoments, type RadialMoments } from '../../protocols/euclidean-median/moments.ts';
import type { EuclideanMedianParameters, EuclideanMedianRequest } from '../../protocols/euclidean-median/parameters.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { weiszfeld } from '../../src/optimize/weiszfeld.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { correctedGradientSecondMoment } from '../../src/polynomial/heat.ts';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { points } from './euclidean-median-cases.ts';

const { hypot, sqrt } = Math;

/** The sums that players without noise would leave: what every tally estimates. */
function noiseless(
  parameters: EuclideanMedianParameters,
  data: readonly { point: ArrayLike<number> }[],
): RadialMoments {
  if (parameters.variant !== 'gaussian') throw new Error('gaussian');
  const quiet = { ...parameters, sigma: 0 };
  const tally = euclideanMedian.server.empty(quiet);
  for (const { point } of data) {
    euclideanMedian.server.add(quiet, tally, { values: Float64Array.from(point) });
  }
  if (tally.kind !== 'moments') throw new Error('a tally of moments');
  return gaussianMoments(quiet, tally);
}

describe.each([1, 2, 3])('moments of points without noise, dimension %d', (dimension) => {
  const data = points(7, dimension, `moments ${dimension}`);
  const parameters = euclideanMedianParameters({ variant: 'gaussian', epsilon: 1, delta: 1e-6, degree: 2, dimension });
  const moments = noiseless(parameters, data);
  const w = Float64Array.from({ length: dimension }, (_, i) => 0.4 - 0.3 * i);
  const distances = data.map(({ point }) => Array.from(w).reduce((sum, entry, i) => sum + (entry - point[i]) ** 2, 0));

  test('give the mean of every power of ‖w − x‖²', () => {
    const means = radialRisks(moments).powerMeans(w);
    for (let m = 0; m <= 3; m++) {
      expect(means[m]).toBeCloseTo(
        distances.reduce((sum, r) => sum + r ** m / data.length, 0),
        12,
      );
    }
  });

  test('give the gradient E Q(r)(w − x), which is the derivative of the risk', () => {
    const coefficients = [0.9, -0.7, 0.2];
    const risk = radialRisks(moments).risk(potential(coefficients));
    const gradient = new Float64Array(dimension);
    risk.gradient(w, gradient);
    for (let i = 0; i < dimension; i++) {
      const exact = data.reduce(
        (sum, { point }, k) => sum + evaluatePolynomial(coefficients, distances[k]) * (w[i] - point[i]),
        0,
      );
      expect(gradient[i]).toBeCloseTo(exact / data.length, 12);
      const [up, down] = [1e-5, -1e-5].map((step) => risk.value(w.with(i, w[i] + step)));
      expect((up - down) / 2e-5).toBeCloseTo(gradient[i], 8);
    }
  });
});

test('averaged copies decode as one Gaussian copy of their average', () => {
  const parameters = euclideanMedianParameters({ variant: 'copies', epsilon: 4, delta: 1e-6, degree: 2, dimension: 2 });
  if (parameters.variant !== 'copies') throw new Error('copies');
  const tally = euclideanMedian.server.empty(parameters);
  euclideanMedian.server.add(
    parameters,
    tally,
    euclideanMedian.player.randomize(parameters, { point: [0.3, 0.1] }, seededRandom(3)),
  );
  if (tally.kind !== 'reports') throw new Error('reports');
  const moments = averagedMoments(parameters, tally);
  const mean = [0, 1].map((j) => (tally.values[j] + tally.values[j + 2] + tally.values[j + 4]) / 3);
  expect(moments.values[0]).toBeCloseTo(mean[0], 12);
  expect(moments.noise).toEqual({ kind: 'copy', sigma: parameters.sigma / sqrt(3) });
  // Block 2 is ‖x‖² less p times the variance left.
  const square = moments.features.blocks.find(({ radial, power }) => radial === 1 && power === 0);
  expect(moments.values[square?.offset ?? -1]).toBeCloseTo(hypot(...mean) ** 2 - (2 * parameters.sigma ** 2) / 3, 9);
});

/** A cloud about (0.4, −0.1), of which a share lies at (−0.8, 0.55), as players. */
function cloud(players: number, share: number): { players: number; datum: (i: number) => { point: Float64Array } } {
  const random = seededRandom('cloud');
  const data = Array.from({ length: 5000 }, (_, i) => {
    if (i % 100 < 100 * share) return { point: Float64Array.of(-0.8, 0.55) };
    const [angle, radius] = [2 * Math.PI * uniform(random), 0.45 * uniform(random) ** 2];
    return { point: Float64Array.of(0.4 + radius * Math.cos(angle), -0.1 + radius * Math.sin(angle)) };
  });
  return { players, datum: (i) => data[i % data.length] };
}

function collected(request: EuclideanMedianRequest, players: number, share: number) {
  const parameters = euclideanMedianParameters(request);
  const tally = simulate(euclideanMedian, parameters, cloud(players, share), { seed: 'cloud' });
  return { parameters, tally, estimate: euclideanMedian.server.estimate(parameters, tally) };
}

const away = (w: ArrayLike<number>): number => hypot(w[0] - 0.4, w[1] + 0.1);

describe('players of whom 20 % were moved to one far corner', () => {
  test('lifted, ε = 2, 100,000 players: the median is much nearer to the true one than the private mean', () => {
    const { estimate } = collected({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2 }, 100_000, 0.2);
    // Without noise: the mean is .273 away, the median of the points as moved .055. The noise in w is about .02.
    expect(away(estimate.mean)).toBeGreaterThan(0.22);
    expect(away(estimate.w)).toBeLessThan(0.5 * away(estimate.mean));
    const all = cloud(5000, 0.2);
    const flat = Array.from({ length: 5000 }, (_, i) => Array.from(all.datum(i).point)).flat();
    const { point } = weiszfeld({ dimension: 2, points: flat });
    expect(away(point)).toBeLessThan(away(estimate.mean) / 3);
    expect(estimate.coefficients[1]).toBeLessThan(0);
  });

  test('a constant Q is the mean and no better (the control)', () => {
    const { parameters, tally } = collected({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 2 }, 100_000, 0.2);
    const constant = euclideanMedian.server.estimate(parameters, tally, { degree: 0 });
    expect(hypot(constant.w[0] - constant.mean[0], constant.w[1] - constant.mean[1])).toBeLessThan(1e-6);
  });

  test('the median is never further from the private mean than the deviation of the points, however few report', () => {
    let worst = 0;
    let largest = 0;
    for (let round = 0; round < 20; round++) {
      const parameters = euclideanMedianParameters({ variant: 'lifted', epsilon: 1, degree: 2, dimension: 2 });
      const tally = simulate(euclideanMedian, parameters, cloud(500, 0.2), { seed: `few ${round}` });
      if (parameters.variant !== 'lifted' || tally.kind !== 'moments') throw new Error('lifted');
      const { w, mean } = euclideanMedian.server.estimate(parameters, tally);
      // As the moments say, or the least and the most that is possible where noise has made them say something else.
      const [, spread] = radialRisks(liftedMoments(parameters, tally)).powerMeans(mean);
      const most = (1 + hypot(...mean)) ** 2;
      const deviation = sqrt(Math.min(most, Math.max(1e-4 * most, spread)));
      worst = Math.max(worst, hypot(w[0] - mean[0], w[1] - mean[1]) / deviation);
      largest = Math.max(largest, hypot(...w));
    }
    expect(largest).toBeLessThanOrEqual(1 + 1e-9);
    // The bound is met by some, so it is not idle.
    expect(worst).toBeLessThanOrEqual(1 + 1e-9);
    expect(worst).toBeGreaterThan(0.9);
  });
});

test('the reconstructed risk of a given polynomial is right, with the standard error stated, at a w fixed in advance', () => {
  const w = Float64Array.of(0.1, 0.3);
  const values = potential([1.2, -0.4]);
  const { datum } = cloud(5000, 0.2);
  const distances = Array.from(
    { length: 5000 },
    (_, i) => hypot(w[0] - datum(i).point[0], w[1] - datum(i).point[1]) ** 2,
  );
  const exact = distances.reduce((sum, r) => sum + evaluatePolynomial(values, r) / 5000, 0);
  // The law of r as it is, so that the claim for a Gaussian copy is tested and not the law it is averaged over.
  const law = {
    nodes: Float64Array.from(distances),
    masses: new Float64Array(5000).fill(1 / 5000),
    mean: 0,
    near: 0,
    far: 0,
  };
  const requests: readonly EuclideanMedianRequest[] = [
    { variant: 'lifted', epsilon: 4, degree: 1, dimension: 2 },
    { variant: 'gaussian', epsilon: 16, delta: 1e-3, degree: 1, dimension: 2 },
  ];
  const rounds = 80;
  for (const request of requests) {
    const deviations: number[] = [];
    let claimed = 0;
    for (let round = 0; round < rounds; round++) {
      const parameters = euclideanMedianParameters(request);
      const tally = simulate(euclideanMedian, parameters, cloud(5000, 0.2), { seed: `risk ${round}` });
      if (tally.kind !== 'moments') throw new Error('moments');
      const lifted = parameters.variant === 'lifted';
      const moments = lifted
        ? liftedMoments(parameters, tally)
        : parameters.variant === 'gaussian'
          ? gaussianMoments(parameters, tally)
          : undefined;
      if (moments === undefined) throw new Error('lifted or gaussian');
      deviations.push(radialRisks(moments).risk(values).value(w) - exact);
      claimed = valueDeviation(moments, values, 0.1, law);
    }
    const mean = deviations.reduce((sum, deviation) => sum + deviation, 0) / rounds;
    const spread = sqrt(deviations.reduce((sum, deviation) => sum + (deviation - mean) ** 2, 0) / (rounds - 1));
    // Five standard errors of the mean: 6e-7. A deviation from 80 rounds is off by 8 % (one standard error): five of them are 40 %.
    expect(Math.abs(mean) / (claimed / sqrt(rounds))).toBeLessThan(5);
    expect(Math.abs(spread / claimed - 1)).toBeLessThan(0.4);
    // The control: half of what is claimed, or twice as much, would be noticed.
    expect(Math.abs(spread / (2 * claimed) - 1)).toBeGreaterThan(0.3);
    expect(Math.abs(spread / (claimed / 2) - 1)).toBeGreaterThan(0.4);
  }
});

describe('the fit', () => {
  const law = plausibleLaw({ mean: 0.5, square: 0.9, most: 2.2 }, 0.2);

  test('matches the moments it was given, with the share far away (by hand)', () => {
    const deviation = sqrt(0.9 - 0.25);
    expect(law.near).toBeCloseTo(0.5 - deviation / 2, 14);
    expect(law.far).toBeCloseTo(0.5 + 2 * deviation, 14);
    const mean = law.nodes.reduce((sum, r, i) => sum + law.masses[i] * r, 0);
    expect(mean).toBeCloseTo(0.5, 14);
  });

  test('stays within what is possible when noise says otherwise', () => {
    for (const [mean, square] of [
      [-1, 2],
      [0.3, -5],
      [9, 9],
      [0.5, 0.1],
      [0.2, undefined],
    ] as const) {
      const { nodes, masses } = plausibleLaw({ mean, square, most: 4 }, 0.2);
      expect(nodes.every((r) => r > 0 && r <= 4 * 1.75)).toBe(true);
      expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 14);
    }
  });

  test('follows 1/(2√r) without noise and gives way to a constant, then to nothing, as noise grows', () => {
    const quiet = fitWeight(law, new Float64Array(4), 1, 0.1);
    expect(evaluatePolynomial(quiet, law.far) / smoothedWeight(law.far, 0.1)).toBeCloseTo(1, 1);
    const sizes = [1e-4, 1e-2, 1, 100].map((noise) =>
      Math.abs(fitWeight(law, Float64Array.of(0, 0, 0, noise), 1, 0.1)[1]),
    );
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes[3]).toBeLessThan(0.05);
  });

  test('prices the noise of lifted reports at their stated variance', () => {
    const parameters = euclideanMedianParameters({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 3 });
    if (parameters.variant !== 'lifted') throw new Error('lifted');
    const tally: ChannelTally = euclideanMedian.server.empty(parameters);
    if (tally.kind !== 'moments') throw new Error('moments');
    tally.players = 1;
    const w = Float64Array.of(0.3, -0.4, 0.2);
    const gamma = gradientNoise(liftedMoments(parameters, tally), 1, 0.29, law);
    const [a, b] = [1.4, -0.6];
    const expected = a * a * gamma[0] + 2 * a * b * gamma[1] + b * b * gamma[3];
    const stated = gradientVariance(parameters, { coefficients: [a, b], w, point: [0.1, 0.2, -0.3] });
    expect(stated / expected).toBeCloseTo(1, 9);
  });
});

test('in dimension 1 the gradient variance of a Gaussian copy is that of a margin polynomial (another closed form)', () => {
  const parameters = euclideanMedianParameters({
    variant: 'gaussian',
    epsilon: 8,
    delta: 1e-3,
    degree: 1,
    dimension: 1,
  });
  if (parameters.variant !== 'gaussian') throw new Error('gaussian');
  const { sigma } = parameters;
  // (w − x)·(c_0 + c_1(w − x)²) with t = w − x: the polynomial c_0 + c_1t² of the margin t = 1·t, times the record t.
  const t = 0.4;
  const second = correctedGradientSecondMoment([0.8, 0, -0.5], {
    inner: t,
    label: 1,
    norm: 1,
    recordNorm: t,
    dimension: 1,
    sigma,
    labelSigma: 0,
  });
  const mean = t * (0.8 - 0.5 * t * t);
  const stated = gradientVariance(parameters, { coefficients: [0.8, -0.5], w: [0.4], point: [0] });
  expect(stated / (second - mean * mean)).toBeCloseTo(1, 9);
});

describe('algorithm 3, report by report', () => {
  const settings = { epsilon: 400, delta: 1e-3, degree: 3, dimension: 2 } as const;
  const walked = (variant: 'copies' | 'printed'): number => {
    const { parameters, tally } = collected({ variant, ...settings }, 20_000, 0);
    const { w } = euclideanMedian.server.estimate(parameters, tally, { decoder: 'product', beta: 0.3 });
    return away(w);
  };

  test('with one u per gradient finds the median where there is next to no noise', () => {
    // The cloud is symmetric about its median, .41 from the origin, where the steps begin.
    expect(walked('copies')).toBeLessThan(0.1);
  });

  test('as printed it does not: its steps are a walk about nothing', () => {
    expect(walked('printed')).toBeGreaterThan(0.2);
  });
});
