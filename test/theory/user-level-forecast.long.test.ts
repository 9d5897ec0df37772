import { describe, expect, test } from '@jest/globals';
import { userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { expectedSquaredError, userLevelMean, vector } from '../../protocols/user-level-mean/index.ts';
import { withinBound } from '../../protocols/user-level-mean/theory.ts';
import { open } from '../../src/core/open.ts';
import { fillSphere, normal, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';

const { hypot, sqrt } = Math;

/** Root mean square of the errors of runs. */
function rootMeanSquare(runs: number, errorOf: (run: number) => number): number {
  let sum = 0;
  for (let run = 0; run < runs; run++) sum += errorOf(run) ** 2;
  return sqrt(sum / runs);
}

/**
 * Near: from one half to five thirds of the forecast. 32 squared errors of one normal coordinate, and 36 of a model, are χ² over its
 * degrees: above (5/3)² with probability 7e-7, and below ¼ with less than 1e-9. Forecasts are leading terms: what they leave out
 * brings the ratios that were measured to .79 … 1.30.
 */
function isNear(measured: number, forecast: number): boolean {
  return measured > forecast / 2 && measured < (5 / 3) * forecast;
}

const PLAYERS = 20_000;
const SAMPLES = 100;
/** The mean of every coordinate: off the middle, and for two rounds as printed at no edge of a bin. */
const CENTRE = 0.137;

/** Local means of normal samples of the spread that forecasts count on where none is stated, B/4; all are handed over as one. */
function meanError(request: Parameters<typeof open>[1], run: number): number {
  const { parameters: plan } = open(userLevelMean, request);
  const { dimension } = plan;
  const random = seededRandom(`forecast of means ${run}`);
  const samples = new Float64Array(dimension);
  const population = {
    players: PLAYERS,
    datum(index: number) {
      random.seek(index);
      for (let i = 0; i < dimension; i++) samples[i] = CENTRE + (0.25 / sqrt(SAMPLES)) * normal(random);
      return { samples };
    },
  };
  const { mean } = conduct(userLevelMean, plan, population, { seed: `run ${run}` }).estimate;
  return hypot(...mean.map((value) => value - CENTRE));
}

const base = { grade: 'simulation', epsilon: 2, players: PLAYERS, samples: SAMPLES };

describe('a forecast of a mean', () => {
  test.each([
    { variant: 'oneBit' },
    { variant: 'twoRound' },
    { variant: 'twoRound', delta: 1e-6, spread: 0.25 },
    { variant: 'naive', delta: 1e-6 },
    { variant: 'vector', dimension: 4 },
    { variant: 'coordinates', dimension: 4 },
    { variant: 'twoRound', dimension: 4, spread: 0.25 },
  ])('is what %p comes to', (variant) => {
    const request = { ...base, ...variant };
    const survey = open(userLevelMean, request);
    const measured = rootMeanSquare(32, (run) => meanError(request, run));
    expect(isNear(measured, survey.forecast({ players: PLAYERS }).error)).toBe(true);
    // Controls: forecasts for sixteen times fewer and more players, which are four times as large and as small.
    expect(isNear(measured, survey.forecast({ players: PLAYERS / 16 }).error)).toBe(false);
    expect(isNear(measured, survey.forecast({ players: PLAYERS * 16 }).error)).toBe(false);
  });

  test('says what it counts on, and has a floor where no number of players helps', () => {
    const stated = open(userLevelMean, { ...base, variant: 'oneBit', spread: 0.1 }).forecast({ players: 1e4 });
    expect(stated.assumption).toContain('standard deviation 0.1 and of no skewness,');
    const survey = open(userLevelMean, { ...base, variant: 'printed', delta: 1e-6 });
    const { error, floor, assumption } = survey.forecast({ players: 1e12 });
    expect(assumption).toContain('standard deviation 0.25,');
    // .4·s/√m: the bias of a mean at the edge of a bin.
    expect(floor).toBeCloseTo(0.25 / sqrt(2 * Math.PI * SAMPLES), 12);
    expect(error / floor).toBeCloseTo(1, 3);
  });
});

describe('a forecast of a mean by signs, of samples whose skewness is public', () => {
  // Exponential samples, whose skewness is 2. Runs: 40, whose root mean square is off by 11 % with one standard deviation: below 1e-3 for
  // each ratio beyond three and a half of them. Where signs did not count on the skewness, the error was 1.5 to 2.2 times what was stated.
  test.each([
    { epsilon: 1, samples: 5, players: 2000 },
    { epsilon: 4, samples: 5, players: 2000 },
    { epsilon: 4, samples: 20, players: 2000 },
  ])('is what %p comes to, and what is stated', ({ epsilon, samples, players }) => {
    const spread = 0.1;
    const ratios = (skew: number): number[] => {
      const survey = open(userLevelMean, { ...base, variant: 'oneBit', epsilon, samples, players, skew });
      let stated = 0;
      const measured = rootMeanSquare(40, (run) => {
        const random = seededRandom(`skewed ${run}`);
        const centre = uniform(random) - 0.5;
        const local = new Float64Array(1);
        const datum = (index: number) => {
          random.seek(index + 1);
          let sum = -samples;
          for (let j = 0; j < samples; j++) sum -= Math.log(1 - uniform(random));
          local[0] = Math.max(-1, Math.min(1, centre + (spread * sum) / samples));
          return { samples: local };
        };
        const coins = { seed: `skewed ${run}` };
        const { estimate } = conduct(userLevelMean, survey.parameters, { players, datum }, coins);
        stated += estimate.standardError[0] ** 2 / 40;
        return estimate.mean[0] - centre;
      });
      const { error, assumption } = survey.forecast({ players, spread });
      expect(assumption).not.toContain('no skewness');
      return [measured / error, measured / sqrt(stated)];
    };
    for (const ratio of ratios(2)) {
      expect(ratio).toBeGreaterThan(0.55);
      expect(ratio).toBeLessThan(1.4);
    }
    // Control: a skewness of 0, wrongly stated.
    for (const ratio of ratios(0)) expect(ratio).toBeGreaterThan(1.4);
  });
});

describe('a forecast of a mean of few players, most of whose noise leads outside', () => {
  const spread = 0.25;
  const runs = 200;

  test.each(
    ['naive', 'printed', 'printedNaive', 'twoRound'].flatMap((variant) =>
      [0.5, 2, 8].flatMap((epsilon) =>
        [5, 100].flatMap((samples) => [10, 30, 100, 300].map((players) => ({ variant, epsilon, samples, players }))),
      ),
    ),
  )('is what %p comes to', ({ variant, epsilon, samples, players }) => {
    const survey = open(userLevelMean, { variant, epsilon, samples, players, delta: 1e-6, grade: 'simulation' });
    const measured = rootMeanSquare(runs, (run) => {
      const random = seededRandom(`few ${run}`);
      const centre = uniform(random) - 0.5;
      const local = new Float64Array(1);
      const datum = (index: number) => {
        random.seek(index + 1);
        local[0] = Math.max(-1, Math.min(1, centre + (spread / sqrt(samples)) * normal(random)));
        return { samples: local };
      };
      const { mean } = conduct(userLevelMean, survey.parameters, { players, datum }, { seed: `few ${run}` }).estimate;
      return mean[0] - centre;
    });
    const { error } = survey.forecast({ players, spread });
    // The squared errors spread about as those of a normal law, or less: a mean of 200 is off by 10 % with one standard deviation, and its
    // root by 5 %. Five of them, and a tenth for what forecasts leave out: below 1e-6 for each case.
    expect(measured / error).toBeGreaterThan(0.65);
    expect(measured / error).toBeLessThan(1.35);
    expect(error).toBeLessThan(1.2);
  });

  test('is the plain one for many players, and that of two ends for endless noise', () => {
    expect(withinBound(0.01, 1)).toBeCloseTo(0.01, 12);
    // Both ends with probability ½: E (1 ∓ μ)² = 1 + 1/12.
    expect(withinBound(1e6, 1)).toBeCloseTo(sqrt(13 / 12), 4);
    // Control: without the nearest point the forecast of the slides' scheme for ten players is 50 times the error of any answer.
    expect(withinBound(54.6, 1)).toBeLessThan(54.6 / 50);
  });
});

describe('two rounds in one dimension, without δ', () => {
  const runs = 200;

  // Root mean squares of 200 runs: of normal errors off by 5 % with one standard deviation, and by less than 10 % where the interval of
  // round 1 is wrong in a fifth of the runs or more. Three of these, and a tenth for what forecasts leave out: below 1 % for each case,
  // with fixed seeds. Where no wrong interval was counted, forecast and stated error were 41, 43 and 5.8 times less than the error in the
  // first three cases; with bits of variance h²/κ² the forecast was 1.5, 2.3 and 2 times as large as it in the others.
  test.each([
    { epsilon: 1, players: 30, samples: 20, spread: 0.02 },
    { epsilon: 0.2, players: 1000, samples: 20, spread: 0.02 },
    { epsilon: 0.2, players: 1000, samples: 20, spread: 0.1 },
    { epsilon: 2.5, players: 300, samples: 100, spread: 0.25 },
    { epsilon: 8, players: 300, samples: 5, spread: 0.25 },
    { epsilon: 4, players: 1000, samples: 20, spread: 0.2 },
  ])('have the error of the forecast, and state it: %p', ({ epsilon, players, samples, spread }) => {
    const survey = open(userLevelMean, { ...base, variant: 'twoRound', epsilon, players, samples, spread });
    let squared = 0;
    const measured = rootMeanSquare(runs, (run) => {
      const random = seededRandom(`interval ${run}`);
      const centre = uniform(random) - 0.5;
      const local = new Float64Array(1);
      const datum = (index: number) => {
        random.seek(index + 1);
        local[0] = centre + (spread / sqrt(samples)) * normal(random);
        return { samples: local };
      };
      const { estimate } = conduct(userLevelMean, survey.parameters, { players, datum }, { seed: `interval ${run}` });
      squared += estimate.standardError[0] ** 2 / runs;
      return estimate.mean[0] - centre;
    });
    for (const expected of [survey.forecast({ players, spread }).error, sqrt(squared)]) {
      expect(measured / expected).toBeGreaterThan(0.65);
      expect(measured / expected).toBeLessThan(1.45);
    }
  });
});

describe('a forecast of a mean in several dimensions, where coordinates are sometimes lost', () => {
  // Few players: squared errors vary by 1.3 times their mean, so that the mean of 64 has a standard deviation of .17 of it. Below ¼ of
  // a forecast that is right is 4.5 deviations, above 25/9 more than ten: less than 1e-5, all being to the right of the normal law.
  const players = 2000;
  const spread = 0.3;
  const plan = vector({ epsilon: 0.5, players, samples: 30, dimension: 4 });
  const measured = rootMeanSquare(64, (run) => {
    const random = seededRandom(`lost ${run}`);
    const mean = Float64Array.from({ length: 4 }, () => uniform(random) - 0.5);
    const samples = new Float64Array(4);
    const datum = (index: number) => {
      random.seek(index);
      for (let i = 0; i < 4; i++) samples[i] = mean[i] + (spread / sqrt(30)) * normal(random);
      return { samples };
    };
    const { estimate } = conduct(userLevelMean, plan, { players, datum }, { seed: `lost coins ${run}` });
    return hypot(...mean.map((value, i) => estimate.mean[i] - value));
  });

  test('is what it comes to', () => {
    const forecast = (count: number) => userLevelMean.theory.forecast!(plan, { players: count, spread }).error;
    expect(isNear(measured, forecast(players))).toBe(true);
    // The same plan has the same forecast.
    expect(forecast(players)).toBe(forecast(players));
    // Controls: the closed form, which takes every coordinate for found, and forecasts for fewer and more players.
    expect(isNear(measured, sqrt(expectedSquaredError(plan, spread)))).toBe(false);
    expect(isNear(measured, forecast(players / 4))).toBe(false);
    expect(isNear(measured, forecast(players * 4))).toBe(false);
  });
});

describe('two rounds in several dimensions, whose bins are wide beside the deviation of local means', () => {
  // Of 400 runs the errors were 1.23, 1.20 and 1.28 times the forecast and 1.10, 1.09 and 1.28 times what was stated: a coordinate is lost
  // now and then. The root mean square of 200 runs has a relative deviation of some 6 %, that of normal coordinates would have 2 to 4 %: each limit is two
  // or more of them away. In the first case what is stated counts on what a clip leaves where all coordinates vary along one direction, and these vary apart: .91
  // of it was measured. With the clip at the root mean square length of a residual the errors were 1.2, 2.6 and 2.6 times as large, and 1.3, 3 and 4.6 times what was stated.
  test.each([
    { dimension: 4, samples: 100, spread: 0.25, most: 0.0032, stated: [0.8, 1.05] },
    { dimension: 4, samples: 20, spread: 0.1, most: 0.005, stated: [0.93, 1.5] },
    { dimension: 2, samples: 50, spread: 0.1, most: 0.003, stated: [0.93, 1.5] },
  ])('have the error of the forecast, and state it: %p', ({ dimension, samples, spread, most, stated }) => {
    const players = 2000;
    const request = { ...base, variant: 'twoRound', epsilon: 7, players, dimension, samples };
    const survey = open(userLevelMean, request);
    const runs = 200;
    let squared = 0;
    const measured = rootMeanSquare(runs, (run) => {
      const random = seededRandom(`wide ${run}`);
      const centre = Float64Array.from({ length: dimension }, () => uniform(random) - 0.5);
      const local = new Float64Array(dimension);
      const datum = (index: number) => {
        random.seek(index + 1);
        for (let i = 0; i < dimension; i++) local[i] = centre[i] + (spread / sqrt(samples)) * normal(random);
        return { samples: local };
      };
      const { estimate } = conduct(userLevelMean, survey.parameters, { players, datum }, { seed: `wide ${run}` });
      squared += hypot(...estimate.standardError) ** 2 / runs;
      return hypot(...centre.map((value, i) => estimate.mean[i] - value));
    });
    // 1.3 to 1.5 times what 400 runs had; in the last two cases .6 of what the narrow clip had.
    expect(measured).toBeLessThan(most);
    const forecast = (count: number) => survey.forecast({ players: count, spread }).error;
    // A forecast or a stated error that is a fifth larger or smaller is beyond one of the limits.
    for (const [expected, least, largest] of [
      [forecast(players), 1.05, 1.5],
      [sqrt(squared), ...stated],
    ]) {
      expect(measured / expected).toBeGreaterThan(least);
      expect(measured / expected).toBeLessThan(largest);
    }
    // The control: what 4,000 players would come to.
    expect(measured / forecast(2 * players)).toBeGreaterThan(1.5);
  });
});

describe('two rounds in several dimensions after unit vectors, which tell nothing of how much local means vary', () => {
  // Errors were .75 to 1.25 times the forecast; a forecast by the true spread alone was a sixth of them. The root mean square of 60 runs of three or eight normal
  // coordinates has a relative deviation of 4 to 7 %: a limit is three of them away, and is passed with probability below .002. The seed is fixed.
  test.each([
    { dimension: 3, players: 500, spread: 0.01 },
    { dimension: 8, players: 2000, spread: 0.1 },
  ])('have the error of the forecast: %p', ({ dimension, players, spread }) => {
    const samples = 20;
    const survey = open(userLevelMean, { ...base, variant: 'twoRound', epsilon: 20, players, dimension, samples });
    expect(survey.parameters).toMatchObject({ pilot: { kind: 'unit' } });
    const measured = rootMeanSquare(60, (run) => {
      const random = seededRandom(`after unit vectors ${run}`);
      const centre = Float64Array.from({ length: dimension }, () => uniform(random) - 0.5);
      const datum = (index: number) => {
        random.seek(index + 1);
        return { samples: centre.map((at) => at + (spread / sqrt(samples)) * normal(random)) };
      };
      const { estimate } = conduct(userLevelMean, survey.parameters, { players, datum }, { seed: `units ${run}` });
      return hypot(...centre.map((value, i) => estimate.mean[i] - value));
    });
    const { error } = survey.forecast({ players, spread });
    expect(measured / error).toBeGreaterThan(0.6);
    expect(measured / error).toBeLessThan(1.6);
  });
});

const DIMENSION = 3;
/** R, and how far the minimiser is from the start: near enough for gradients on the way to be hardly skewed. */
const RADIUS = 0.05;

/** Linear regression on the sphere: the curvature is ⅓ in every direction, and gradients at the minimiser are symmetric. */
function modelError(request: Parameters<typeof open>[1], run: number): number {
  const { parameters: plan } = open(userLevelErm, request);
  const random = seededRandom(`forecast of models ${run}`);
  const truth = new Float64Array(DIMENSION);
  fillSphere(truth, random);
  const features = new Float64Array(plan.samples * DIMENSION);
  const responses = new Float64Array(plan.samples);
  const record = new Float64Array(DIMENSION);
  const population = {
    players: plan.players,
    datum(index: number) {
      random.seek(1 + index);
      for (let j = 0; j < plan.samples; j++) {
        fillSphere(record, random);
        features.set(record, j * DIMENSION);
        responses[j] = uniform(random) - 0.5;
        for (let i = 0; i < DIMENSION; i++) responses[j] += RADIUS * truth[i] * record[i];
      }
      return { features, responses };
    },
  };
  const { theta } = conduct(userLevelErm, plan, population, { seed: `run ${run}` }).estimate;
  return hypot(...theta.map((value, i) => value - RADIUS * truth[i]));
}

describe('a forecast of a model', () => {
  // s of a coordinate of a gradient: √(1/12) of the response, √⅓ of the feature.
  const model = {
    ...{ grade: 'simulation', variant: 'descent', loss: 'squared', epsilon: 2, dimension: DIMENSION, samples: 10 },
    ...{ players: 20_000, radius: RADIUS, strongConvexity: 1 / 3, smoothness: 1 / 3, spread: 1 / 6, force: true },
  };

  test.each([{}, { predict: false }, { samePlayers: true }, { gradients: 'two-round', iterations: 20 }])(
    'is what %p comes to',
    (way) => {
      const request = { ...model, ...way };
      const survey = open(userLevelErm, request);
      const measured = rootMeanSquare(12, (run) => modelError(request, run));
      expect(isNear(measured, survey.forecast({ players: model.players }).error)).toBe(true);
      // The control.
      expect(isNear(measured, survey.forecast({ players: model.players / 16 }).error)).toBe(false);
    },
  );
});
