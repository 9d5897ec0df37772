import { describe, expect, test } from '@jest/globals';
import {
  copies,
  gaussian,
  generalizedLinear,
  lifted,
  sphericalLaplace,
  studyOf,
} from '../../protocols/generalized-linear/index.ts';
import type { GeneralizedLinearParameters } from '../../protocols/generalized-linear/parameters.ts';
import { bestConstantScore, marginOptimum, study } from '../../protocols/generalized-linear/protocol.ts';
import { normalRisk, RADII, worstRisk } from '../../protocols/generalized-linear/server.ts';
import { hinge, lifted as hingeLifted } from '../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { LOSS_NAMES, logisticLoss, lossByName } from '../../src/risk/named-loss.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { difference } from '../../src/testing/contract/law.ts';
import { meanOf, type Planted, planted, recordsOf } from './planted.ts';

function tallyOf(parameters: GeneralizedLinearParameters, data: Planted, seed: string): ChannelTally {
  return simulate(generalizedLinear, parameters, { players: data.players, datum: recordsOf(data) }, { seed });
}

const { estimate } = generalizedLinear.server;
const people = planted(60_000, 3);

describe('one stored tally serves many losses', () => {
  const best = new Map(LOSS_NAMES.map((name) => [name, marginOptimum(people, lossByName(name), 2).risk]));
  const made = {
    lifted: lifted({ epsilon: 4, degree: 1, dimension: 3 }),
    gaussian: gaussian({ epsilon: 4, delta: 1e-6, degree: 1, dimension: 3 }),
  };

  test.each(['lifted', 'gaussian'] as const)('%s: hinge, logistic, squared and the others', (variant) => {
    const parameters = made[variant];
    // As it would be stored: plain data.
    const tally = structuredClone(tallyOf(parameters, people, `many losses ${variant}`));
    const excess = LOSS_NAMES.map((name) => {
      const loss = lossByName(name);
      const { w } = estimate(parameters, tally, { loss: name, radius: 2 });
      return meanOf(people, w, loss.value) - best.get(name)!;
    });
    // Measured: at most .010 (squared hinge) but for the exponential loss, whose f′ no line follows: .06.
    LOSS_NAMES.forEach((name, i) => {
      expect(excess[i]).toBeGreaterThan(-1e-3);
      expect(excess[i]).toBeLessThan(name === 'exponential' ? 0.12 : 0.04);
    });
    // Another loss is another model: the same w for all would be a loss that was not heard.
    const [a, b] = ['hinge', 'squared'].map((loss) => estimate(parameters, tally, { loss, radius: 2 }).w);
    expect(Math.hypot(...a.map((entry, j) => entry - b[j]))).toBeGreaterThan(0.05);
  });

  test('the default is the logistic loss; a loss given as functions is the same as by name', () => {
    const tally = tallyOf(made.lifted, people, 'by name');
    const [unnamed, named, given] = [{}, { loss: 'logistic' }, { loss: logisticLoss() }].map((query) =>
      Array.from(estimate(made.lifted, tally, query).w),
    );
    expect(unnamed).toEqual(named);
    expect(given).toEqual(named);
  });

  test('asked for the hinge loss it says what the hinge protocol says of the same moments', () => {
    const other = hingeLifted({ epsilon: 4, degree: 1, dimension: 3 });
    const tally = tallyOf(made.lifted, people, 'hinge');
    const theirs = hinge.server.estimate(other, { ...tally, digest: other.digest } as never, { radius: 2 });
    const ours = estimate(made.lifted, tally, { loss: 'hinge', radius: 2 });
    expect(
      difference([...ours.w, ours.risk, ours.standardError], [...theirs.w, theirs.risk, theirs.standardError]),
    ).toBe(0);
  });

  test('the reconstructed squared risk is unbiased: within 5 of its standard errors', () => {
    const tally = tallyOf(made.lifted, people, 'squared');
    const { riskAt, bias, coefficients } = estimate(made.lifted, tally, { loss: 'squared' });
    expect([bias < 1e-12, ...coefficients]).toEqual([true, -1, 1]);
    const w = [0.5, -0.4, 0.3];
    const loss = lossByName('squared');
    // T₁ and T₂ at w: standard error √(c/n)·√(‖w‖²/a₁² + ‖w‖⁴/(4a₂²)), a₁² = 2/3.
    const { mechanism } = made.lifted;
    const square = w.reduce((sum, entry) => sum + entry * entry, 0);
    const error = Math.sqrt((mechanism.coordinateVariance / people.players) * (1.5 * square + 0.75 * square ** 2));
    expect(Math.abs(riskAt(w) - meanOf(people, w, loss.value)) / error).toBeLessThan(5);
  });
});

describe('radius: automatic', () => {
  const parameters = lifted({ epsilon: 2, degree: 1, dimension: 3 });

  test('is one of the radii, smaller for less data, and as good as the best of them', () => {
    const [few, many] = [planted(1500, 3), people].map((data) => {
      const tally = tallyOf(parameters, data, 'automatic');
      return { tally, radius: estimate(parameters, tally, { radius: 'automatic' }).radius };
    });
    expect(RADII).toContain(few.radius);
    expect(few.radius).toBeLessThan(many.radius);
    const risks = RADII.map((radius) =>
      meanOf(people, estimate(parameters, many.tally, { radius }).w, logisticLoss().value),
    );
    const chosen = estimate(parameters, many.tally, { radius: 'automatic' });
    // Measured: the records are nearly separable, and R = 16 is the best in hindsight and the choice (R = 4: .10 more).
    expect(meanOf(people, chosen.w, logisticLoss().value)).toBeLessThan(Math.min(...risks) + 0.04);
  });

  test('forecasts the risk of normal margins: by hand for squares, by symmetry for the logistic loss', () => {
    const law = { mean: 0.4, second: 0.5, range: 8 };
    expect(normalRisk(lossByName('squared'), law)).toBeCloseTo(0.5 * (1 - 2 * 0.4 + 0.5), 6);
    // Cut off at six deviations, a second moment loses 5e-8 of itself. log(1 + e^−t) + log(1 + e^t) differs from t by an even function: E f(t) − E f(−t) = −E t.
    const mirrored = normalRisk(logisticLoss(), { ...law, mean: -0.4 });
    expect(normalRisk(logisticLoss(), law) - mirrored).toBeCloseTo(-0.4, 10);
    const noisy = { ...law, meanNoise: 0.1, secondNoise: 0.2 };
    expect(worstRisk(lossByName('squared'), noisy, 1)).toBeCloseTo(0.5 * (1 - 2 * 0.3 + 0.7), 6);
    expect(worstRisk(lossByName('squared'), { ...law, meanNoise: 0, secondNoise: 0 }, 3)).toBeCloseTo(0.35, 6);
  });
});

describe('regression', () => {
  const truth = [0.6, -0.3, 0.2];
  const random = seededRandom('responses');
  const responses = Array.from({ length: 5000 }, (_, i) => {
    const x = Float64Array.from({ length: 3 }, () => 0.4 * normal(random));
    const norm = Math.max(1, 1.0001 * Math.hypot(...x));
    const features = x.map((entry) => entry / norm);
    const inner = features.reduce((sum, entry, j) => sum + entry * truth[j], 0);
    // One in ten is an outlier on one side.
    const y = i % 10 === 0 ? 0.9 : inner + 0.05 * normal(random);
    return { features, label: Math.max(-1, Math.min(1, y)) };
  });
  const clean = responses.filter((_, i) => i % 10 !== 0);
  const off = (w: ArrayLike<number>): number => Math.hypot(...truth.map((entry, j) => w[j] - entry));
  const collect = (parameters: GeneralizedLinearParameters, data: typeof responses, players: number) =>
    simulate(generalizedLinear, parameters, { players, datum: (i) => data[i % data.length] }, { seed: 'regression' });

  test('least squares finds the line, from lifted and from gaussian reports', () => {
    const variants = [
      lifted({ epsilon: 4, degree: 1, dimension: 3, task: 'regression' }),
      gaussian({ epsilon: 32, delta: 1e-6, degree: 1, dimension: 3, task: 'regression' }),
    ];
    const distances = variants.map((parameters) => {
      const { w, bias, degree } = estimate(parameters, collect(parameters, clean, 300_000), { ridge: 0 });
      expect([degree, bias < 1e-12]).toEqual([1, true]);
      return off(w);
    });
    // Measured: .042, and .037 at a budget eight times as large (.19 at ε = 8). The last is off by .7 without any data.
    expect(Math.max(...distances)).toBeLessThan(0.12);
  });

  test('the reconstructed squared risk is that of the records, within 5 standard errors', () => {
    const parameters = lifted({ epsilon: 4, degree: 1, dimension: 3, task: 'regression' });
    const { riskAt, risk, standardError, w } = estimate(parameters, collect(parameters, clean, 300_000));
    const mean = (at: ArrayLike<number>): number =>
      clean.reduce((sum, { features, label }) => {
        const r = label - features.reduce((inner, entry, j) => inner + entry * at[j], 0);
        return sum + (r * r) / 2 / clean.length;
      }, 0);
    expect(Math.abs(riskAt([0.1, 0.2, -0.3]) - mean([0.1, 0.2, -0.3])) / standardError).toBeLessThan(5);
    expect(Math.abs(risk - mean(w)) / standardError).toBeLessThan(6);
  });

  test('the ℓ₁ loss from the same tally leans less towards outliers, with a polynomial of degree 3', () => {
    const parameters = lifted({ epsilon: 16, degree: 3, dimension: 3, task: 'regression' });
    const tally = collect(parameters, responses, 200_000);
    const squared = estimate(parameters, tally, { loss: 'squared' });
    const absolute = estimate(parameters, tally, { loss: 'absolute', degree: 3 });
    expect(absolute.degree).toBe(3);
    // What is compared is the mean absolute residual, outliers included.
    const mean = (at: ArrayLike<number>): number =>
      responses.reduce((sum, { features, label }) => {
        return (
          sum + Math.abs(label - features.reduce((inner, entry, j) => inner + entry * at[j], 0)) / responses.length
        );
      }, 0);
    // Measured: .129 against .138 (the line itself .128, w = 0 .291).
    expect(mean(absolute.w)).toBeLessThan(mean(squared.w) - 0.003);
  });

  test('an automatic radius covers a line of norm .7', () => {
    const parameters = lifted({ epsilon: 4, degree: 1, dimension: 3, task: 'regression' });
    const chosen = estimate(parameters, collect(parameters, clean, 300_000), { radius: 'automatic', ridge: 0 });
    expect(chosen.radius).toBeGreaterThanOrEqual(0.5);
    expect(off(chosen.w)).toBeLessThan(0.25);
  });
});

test('a report of a regression is (x, y)/√2, the response unscaled by the features (noise of 1e-9)', () => {
  const parameters = gaussian({ epsilon: 1e18, delta: 1e-6, degree: 1, dimension: 2, task: 'regression' });
  const report = generalizedLinear.player.randomize(parameters, { features: [0.6, -0.8], label: 0.3 }, seededRandom(1));
  const apart = [0.6, -0.8, 0.3].map((entry, i) => Math.abs(report.values[i] * Math.SQRT2 - entry));
  expect(Math.max(...apart)).toBeLessThan(1e-7);
});

describe('sphericalLaplace', () => {
  const parameters = sphericalLaplace({ epsilon: 8, dimension: 3 });

  test('of degree 0 it takes the direction of the mean', () => {
    const tally = tallyOf(parameters, people, 'mean');
    const { w, risk, riskAt } = estimate(parameters, tally, { degree: 0, radius: 2 });
    expect(Math.hypot(...w)).toBeCloseTo(2, 12);
    // The planted direction has E y⟨u, x⟩ = .6, with a noise of .02.
    expect(w.reduce((sum, entry, j) => sum + entry * people.direction[j], 0)).toBeGreaterThan(1.9);
    expect(risk).toBe(riskAt(w));
    expect(risk).toBeLessThan(0.2);
  });

  test('reads its reports in an order of its own: the same bits in whatever order they came', () => {
    const reports = Array.from({ length: 200 }, (_, i) => {
      const datum = recordsOf(people)(i);
      return generalizedLinear.player.randomize(parameters, datum, seededRandom(`order ${i}`));
    });
    const [there, back] = [reports, reports.toReversed()].map((some) => {
      const tally = generalizedLinear.server.empty(parameters);
      for (const report of some) generalizedLinear.server.add(parameters, tally, report);
      const { w, risk, standardError } = estimate(parameters, tally, { force: true });
      return [...w, risk, standardError];
    });
    expect(there).toEqual(back);
  });

  test('reconstructs the logistic risk without bias, and its minimiser is near the optimum', () => {
    const data = planted(20_000, 3);
    const tally = tallyOf(parameters, data, 'spherical');
    const { w, riskAt, standardError, bias } = estimate(parameters, tally, { force: true });
    const { value } = logisticLoss();
    expect(bias).toBe(0);
    const at = [0.6, -0.5, 0.4];
    // Both means are over the same records, whose share of the standard error only helps: 5 is generous.
    expect(Math.abs(riskAt(at) - meanOf(data, at, value)) / standardError).toBeLessThan(5);
    // Measured: 6e-7.
    expect(meanOf(data, w, value) - marginOptimum(data, logisticLoss(), 1).risk).toBeLessThan(0.001);
  });
});

describe('copies, decoded by products with one s per gradient', () => {
  test('walk to the planted direction', () => {
    const parameters = copies({ epsilon: 2000, delta: 1e-6, degree: 3, dimension: 2 });
    const data = planted(4000, 2);
    const tally = tallyOf(parameters, data, 'products');
    const { w, risk } = estimate(parameters, tally, { decoder: 'product', loss: 'logistic' });
    const { value } = logisticLoss();
    expect(meanOf(data, w, value)).toBeLessThan(marginOptimum(data, logisticLoss(), 1).risk + 0.05);
    expect(Math.abs(risk - meanOf(data, w, value))).toBeLessThan(0.05);
  });
});

describe('the study', () => {
  test('has the logistic loss unless another is named, and its non-private baselines', () => {
    expect([study.loss.name, studyOf('squared').loss.name]).toEqual(['logistic', 'squared']);
    const { w, risk } = study.optimum(people as never, 2);
    expect(risk).toBeCloseTo(meanOf(people, w, logisticLoss().value), 12);
    // The optimum beats every neighbour on the sphere that is tried.
    const rivals = [0, 1, 2].flatMap((j) => [-0.05, 0.05].map((step) => Array.from(w).with(j, w[j] + step)));
    for (const rival of rivals) {
      const scale = Math.min(1, 2 / Math.hypot(...rival));
      expect(
        meanOf(
          people,
          rival.map((entry) => entry * scale),
          logisticLoss().value,
        ),
      ).toBeGreaterThan(risk - 1e-9);
    }
    // Labels alternate: no constant score beats 0 under the logistic loss.
    expect(bestConstantScore(people, logisticLoss(), 1).score).toBeCloseTo(0, 6);
  });

  test('knows the variance of every variant at the same point, printed beyond the others', () => {
    const variance = (variant: string): number =>
      study.gradientVariance({ variant, epsilon: 4, delta: 1e-6, degree: 1, dimension: 3 });
    const [best, second, direct, one, spherical, third, last] = study.variants.map(variance);
    // One power a report: a report also varies with the power that it drew.
    expect(one / best).toBeGreaterThan(1.2);
    expect(one / best).toBeLessThan(1.7);
    expect(best).toBeLessThan(second);
    expect(second).toBeLessThan(third);
    expect(third).toBeLessThan(last);
    // A report of v itself tells of both powers at once.
    expect(direct / best).toBeLessThan(0.8);
    // Measured: .63, 9.5, .40, .90, .68, 9.2e3 and 4.3e4.
    expect(spherical / best).toBeGreaterThan(1);
    expect(spherical / best).toBeLessThan(1.2);
  });

  test('forecasts every variant, spherical Laplace too, which has no floor', () => {
    const forecast = study.forecaster({ dimension: 3, radius: 1, signal: 0.5, loss: 'logistic' });
    const [one, other] = ['lifted', 'sphericalLaplace'].map((variant) =>
      forecast({ variant, epsilon: 4, delta: 1e-6, degree: 1, dimension: 3 }, 1e6),
    );
    expect(other.floor).toBe(0);
    expect(Math.abs(Math.log(one.excessRisk / other.excessRisk))).toBeLessThan(Math.log(3));
  });
});
