import { describe, expect, test } from '@jest/globals';
import { channelOf, momentsOf } from '../../protocols/generalized-linear/margin/channels.ts';
import type { CopiesParameters, LiftedParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import type { MarginQuery } from '../../protocols/generalized-linear/margin/query.ts';
import { type HingeParameters, type HingeRequest, hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import type { ChannelTally, MomentTally, ReportTally } from '../../src/core/channel.ts';
import type { CorrectedMoments } from '../../src/optimize/corrected-risk.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { createLiftedPolynomial } from '../../src/polynomial/lift.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { hingeLoss } from '../../src/risk/margin-loss.ts';
import { hingeOptimum } from '../../src/simulation/hinge-optimum.ts';
import { polynomialIntegral } from '../evidence/hinge/polynomials.ts';
import { chiSquarePValue } from '../statistics/chi-square.ts';
import { zPValue } from '../statistics/moments.ts';
import { meanOf, planted, recordsOf, tallyOf } from './planted.ts';

const { hypot, sqrt } = Math;
const { estimate } = hinge.server;

const cosine = (w: Float64Array, direction: Float64Array): number =>
  w.reduce((sum, entry, i) => sum + entry * direction[i], 0) / hypot(...w);

describe('on a separable population of 5,000 players', () => {
  const data = planted(5000, 3);
  const optimum = hingeOptimum(data, 1).risk;
  // ε so large that the noise is next to nothing: what is left is the polynomial in the place of f′.
  const requests: readonly HingeRequest[] = [0, 1, 2].flatMap((degree): HingeRequest[] => [
    { variant: 'lifted', epsilon: 100, degree, dimension: 3 },
    { variant: 'gaussian', epsilon: 1000, delta: 1e-6, degree, dimension: 3 },
    { variant: 'copies', epsilon: 1000, delta: 1e-6, degree, dimension: 3 },
    { variant: 'printed', epsilon: 10_000, delta: 1e-6, degree, dimension: 3 },
  ]);

  test.each(requests)('$variant of degree $degree finds the direction and a model next to the best', (request) => {
    const parameters = hingeParameters(request);
    const { w, risk, riskAt, bias, radius } = estimate(parameters, tallyOf(parameters, data, 'planted'));
    expect(cosine(w, data.direction)).toBeGreaterThan(0.995);
    expect(hypot(...w)).toBeLessThanOrEqual(radius * (1 + 1e-12));
    const truth = meanOf(data, w, hingeLoss().value);
    // The optimum is .028, the risk of the zero vector .5: within .01 is next to it.
    expect(truth - optimum).toBeLessThan(0.01);
    expect(riskAt(w)).toBe(risk);
    // The reconstruction is off by at most E|t|·sup|P − f′|, and the noise of this ε.
    const error = meanOf(data, w, Math.abs) * bias;
    expect(Math.abs(risk - truth)).toBeLessThan(error + 0.02);
  });

  test.each(requests)(
    'the risk of $variant, degree $degree, is that of the surrogate it says it minimises',
    (request) => {
      const parameters = hingeParameters(request);
      const { w, risk, coefficients, standardError } = estimate(parameters, tallyOf(parameters, data, 'surrogate'));
      const surrogate = polynomialIntegral(coefficients);
      const origin = parameters.variant === 'printed' ? (0.5 + sqrt(0.25 + 0.01)) / 2 : 0.5;
      const truth = origin + meanOf(data, w, (t) => evaluatePolynomial(surrogate, t));
      // 5 standard errors; w is not fixed in advance, but the noise that moved it moved it by next to nothing.
      expect(Math.abs(risk - truth)).toBeLessThan(5 * standardError + 1e-9);
      expect(standardError).toBeLessThan(0.01);
    },
  );
});

describe('the query', () => {
  const data = planted(2000, 3);
  const parametersOf = (variant: 'lifted' | 'copies' | 'printed'): HingeParameters =>
    variant === 'lifted'
      ? hingeParameters({ variant, epsilon: 8, degree: 2, dimension: 3 })
      : hingeParameters({ variant, epsilon: 100, delta: 1e-6, degree: 2, dimension: 3 });
  const asked = (variant: 'lifted' | 'copies' | 'printed') => {
    const parameters = parametersOf(variant);
    const tally: ChannelTally = tallyOf(parameters, data, 'query');
    return (query?: MarginQuery) => estimate(parameters, tally, query);
  };
  const ask = { lifted: asked('lifted'), copies: asked('copies'), printed: asked('printed') };

  test('radius bounds the model, and is 1 unless asked for', () => {
    expect(ask.lifted().radius).toBe(1);
    for (const radius of [0.25, 3]) {
      for (const one of [ask.lifted, ask.copies, ask.printed]) {
        const { w, radius: used } = one({ radius });
        expect(used).toBe(radius);
        expect(hypot(...w)).toBeLessThanOrEqual(radius * (1 + 1e-12));
      }
    }
    expect(hypot(...ask.lifted({ radius: 3, degree: 0 }).w)).toBeCloseTo(3, 12);
  });

  test('degree is obeyed, and chosen within the parameters when automatic', () => {
    for (const degree of [0, 1, 2]) {
      for (const one of [ask.lifted, ask.copies, ask.printed]) {
        const { degree: used, coefficients } = one({ degree });
        expect([used, coefficients.length]).toEqual([degree, degree + 1]);
      }
    }
    expect([1, 2]).toContain(ask.lifted().degree);
    expect(ask.lifted({ degree: 'automatic' }).w).toEqual(ask.lifted().w);
    expect(ask.printed().degree).toBe(2);
  });

  test('coefficients replace the fit', () => {
    for (const one of [ask.lifted, ask.copies, ask.printed]) {
      expect(Array.from(one({ coefficients: [-0.5, 0.25] }).coefficients)).toEqual([-0.5, 0.25]);
    }
  });

  test('a ridge holds the model back, and is used as it is', () => {
    expect(ask.lifted({ ridge: 0 }).ridge).toBe(0);
    expect(ask.lifted().ridge).toBeGreaterThan(0);
    const coefficients = [-0.5, 0.5];
    expect(hypot(...ask.lifted({ coefficients, ridge: 1000 }).w)).toBeLessThan(0.01);
    expect(hypot(...ask.lifted({ coefficients, ridge: 0 }).w)).toBeGreaterThan(0.5);
  });

  test('semidefinite false leaves the second moment as it was estimated', () => {
    const coefficients = [-0.5, 0.9];
    const [yes, no] = [true, false].map((semidefinite) => ask.lifted({ coefficients, semidefinite, ridge: 0 }));
    expect(Array.from(yes.w)).not.toEqual(Array.from(no.w));
    // The reconstructed risk itself is the same function.
    expect(yes.riskAt([0.1, 0.2, 0.3])).toBe(no.riskAt([0.1, 0.2, 0.3]));
  });

  test('decoder, server, seed and beta are those of the paper for printed and the toolkit’s for copies', () => {
    const usual = { decoder: 'product', server: 'sigm-with-replacement', beta: 0.1, start: 0, distance: 1 } as const;
    expect(ask.printed()).toEqual({ ...ask.printed(usual), riskAt: expect.any(Function) });
    const { w, server } = ask.copies({ decoder: 'averaged' });
    expect(ask.copies().w).toEqual(w);
    expect(ask.copies({ server: 'newton' }).w).toEqual(w);
    const product = ask.copies({ decoder: 'product' });
    expect([server, product.server, ask.lifted().server, ask.printed().server]).toEqual([
      'newton',
      'sigm',
      'newton',
      'sigm-with-replacement',
    ]);
    expect(product.w).not.toEqual(w);
    expect(product.plan?.degree).toBe(product.degree);
    // What follows names the plan of the walk, since a search for it takes most of the time.
    const plan = { degree: 2, beta: 0.1, start: 0, distance: 1 } as const;
    const named = ask.copies({ ...plan, decoder: 'product' });
    expect(ask.copies({ ...plan, decoder: 'product', server: 'sigm' }).w).toEqual(named.w);
    expect(ask.copies({ ...plan, decoder: 'product', seed: 'another' }).w).not.toEqual(named.w);
    expect(ask.copies({ ...plan, decoder: 'product', server: 'average' }).w).not.toEqual(named.w);
    expect(ask.copies({ ...plan, decoder: 'product', beta: 0.5 }).coefficients).not.toEqual(named.coefficients);
    for (const one of ['sigm', 'sigm-with-replacement', 'average'] as const) {
      for (const decoder of ['product', 'averaged', 'signs'] as const) {
        const found = ask.copies({ ...plan, decoder, server: one });
        expect(cosine(found.w, data.direction)).toBeGreaterThan(0.9);
        expect([found.server, found.plan?.degree]).toEqual([one, found.degree]);
      }
    }
  });

  const refused: readonly [string, object][] = [
    ...[0, -1, NaN, Infinity, '1'].map((radius): [string, object] => ['radius', { radius }]),
    ...[-1, 3, 1.5, 'all', NaN].map((degree): [string, object] => ['degree', { degree }]),
    ['coefficients.length', { coefficients: [] }],
    ['coefficients.length', { coefficients: [1, 1, 1, 1] }],
    ['coefficients.length', { coefficients: 7 }],
    ['coefficients[1]', { coefficients: [1, NaN] }],
    ['coefficients[0]', { coefficients: [Infinity] }],
  ];

  test.each(refused)('refuses a wrong %s: %p', (field, query) => {
    for (const one of [ask.lifted, ask.copies, ask.printed]) {
      expect(() => one(query as MarginQuery)).toThrow(`"${field}" expected `);
    }
  });

  test.each([-1, NaN, Infinity, '1'])('refuses ridge %p, whether or not the degree has a use for it', (ridge) => {
    const query = { ridge } as MarginQuery;
    expect(() => ask.lifted(query)).toThrow('"ridge" expected a finite number >= 0, got ');
    const parameters = hingeParameters({ variant: 'lifted', epsilon: 8, degree: 0, dimension: 3 });
    expect(() => estimate(parameters, tallyOf(parameters, data, 'ridge'), query)).toThrow('"ridge" expected ');
  });

  test.each([
    ['decoder', { decoder: 'best' }],
    ['server', { decoder: 'product', server: 'newton' }],
    ['server', { server: 'averaged-sgd' }],
    ['start', { server: 'sigm', start: 1 }],
    ['start', { decoder: 'product', start: 0.5 }],
    ['distance', { server: 'sigm', distance: 0 }],
    ['beta', { decoder: 'product', beta: 0 }],
    ['beta', { decoder: 'product', beta: '0.1' }],
    ['seed', { decoder: 'product', seed: NaN }],
    ['seed', { decoder: 'product', seed: {} }],
  ])('refuses a wrong %s of noisy copies: %p', (field, query) => {
    expect(() => ask.copies(query as MarginQuery)).toThrow(`"${field}" expected `);
  });

  test.each([
    ['ridge', { server: 'sigm', ridge: 0.5 }],
    ['semidefinite', { server: 'average', semidefinite: false }],
    ['intercept', { decoder: 'product', intercept: 0 }],
    ['unitNorm', { server: 'sigm-with-replacement', unitNorm: true }],
    ['beta', { server: 'newton', beta: 0.1 }],
    ['start', { start: 0.5 }],
    ['distance', { distance: 1 }],
  ])('refuses %s, which the server would not read: %p', (field, query) => {
    expect(() => ask.copies(query as MarginQuery)).toThrow(`"${field}" expected none for server `);
  });

  test('lifted and gaussian reports have one decoder: asking for another is refused', () => {
    expect(() => ask.lifted({ decoder: 'product' })).toThrow(
      '"decoder" expected none for variant lifted, which has one only, got "product"',
    );
  });

  test('and one server', () => {
    expect(ask.lifted({ server: 'newton' }).w).toEqual(ask.lifted().w);
    expect(() => ask.lifted({ server: 'sigm' })).toThrow(
      '"server" expected newton or none for variant lifted: others are for noisy copies, got "sigm"',
    );
  });

  test('the risk is refused at a point of another length', () => {
    for (const one of [ask.lifted, ask.copies, ask.printed]) {
      expect(() => one().riskAt([0.1, 0.2])).toThrow('"w" expected 3 numbers, got 2');
    }
  });
});

describe('the standard error is that of the privacy noise', () => {
  const [RUNS, PLAYERS] = [3000, 200];
  const data = planted(PLAYERS, 3);
  const record = recordsOf(data);
  const w = Float64Array.from([0.6, -0.5, 0.3]);
  const coefficients = [-0.7, 0.5];
  const surrogate = polynomialIntegral(coefficients);
  const truth = meanOf(data, w, (t) => evaluatePolynomial(surrogate, t));

  /** Σ(error/standard error)² over seeded runs at a fixed w, and the mean error in standard errors of the mean. */
  function scores(request: HingeRequest): { squares: number; mean: number } {
    const parameters = hingeParameters(request);
    const random = seededRandom(`standard error ${request.variant}`);
    const report = hinge.player.randomize(parameters, record(0), random);
    const momentsIn = (tally: ChannelTally): CorrectedMoments =>
      parameters.variant === 'copies'
        ? momentsOf(parameters as CopiesParameters, tally as ReportTally)
        : momentsOf(parameters as LiftedParameters, tally as MomentTally);
    let [squares, errors, variance] = [0, 0, 0];
    for (let run = 0; run < RUNS; run++) {
      const tally = hinge.server.empty(parameters);
      for (let i = 0; i < PLAYERS; i++) {
        hinge.player.randomizeInto(parameters, record(i), random, report);
        hinge.server.add(parameters, tally, report);
      }
      const moments = momentsIn(tally);
      const error = createLiftedPolynomial(moments.lift, surrogate.slice(1), moments.values).value(w) - truth;
      const deviation = channelOf(parameters).riskDeviation({ moments, coefficients, w, tally, decoder: 'averaged' });
      squares += (error / deviation) ** 2;
      errors += error;
      variance += error * error;
    }
    return { squares, mean: errors / sqrt(variance) };
  }

  // With 200 players the error is normal to within a kurtosis of 3 ± .2 (measured), so Σz² is χ² with 3000 degrees of freedom
  // but for a spread 5 % wider. For copies ε is so large that the moments of the margins in the tally are not lost in noise.
  // p < 1e-6 on either side: a false alarm in well under 1 of 10,000 seeds.
  const rejects = (squares: number): boolean => {
    const p = chiSquarePValue(squares, RUNS);
    return Math.min(p, 1 - p) < 1e-6;
  };

  test.each<HingeRequest>([
    { variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 },
    { variant: 'gaussian', epsilon: 4, delta: 1e-3, degree: 1, dimension: 3 },
    { variant: 'copies', epsilon: 200, delta: 1e-3, degree: 1, dimension: 3 },
  ])('for $variant; control: 10 % more or less is rejected', (request) => {
    const { squares, mean } = scores(request);
    expect(rejects(squares)).toBe(false);
    expect(rejects(squares / 1.1 ** 2)).toBe(true);
    expect(rejects(squares / 0.9 ** 2)).toBe(true);
    // The error itself has mean 0: false alarm 1e-6.
    expect(zPValue(mean)).toBeGreaterThan(1e-6);
  });

  test('the estimate reports it at its own w', () => {
    const parameters = hingeParameters({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 });
    const tally = tallyOf(parameters, data, 'own') as MomentTally;
    const { w: own, coefficients: used, standardError } = estimate(parameters, tally);
    const moments = momentsOf(parameters as LiftedParameters, tally);
    expect(standardError).toBe(
      channelOf(parameters).riskDeviation({ moments, coefficients: used, w: own, tally, decoder: 'averaged' }),
    );
  });
});

// 40,000 players answer at ε = 4: rare positives, whose records differ little. The constant has a risk of .05; the control is
// the same tally without the knowledge which coordinate is constant, and the fit of degree 1.
test('with one rare class, the coordinate that is constant brings the model near the constant score', () => {
  const random = seededRandom('rare class');
  const data = { ...planted(40_000, 3), features: new Float32Array(120_000), labels: new Int8Array(40_000) };
  for (let i = 0; i < data.players; i++) {
    data.labels[i] = i % 20 === 0 ? 1 : -1;
    const x = [1, 0.1 * data.labels[i] + 0.3 * normal(random), 0.3 * normal(random)];
    x.forEach((entry, j) => {
      data.features[3 * i + j] = (entry / hypot(...x)) * (1 - 2 ** -22);
    });
  }
  const parameters = hingeParameters({ variant: 'lifted', epsilon: 4, degree: 1, dimension: 3 });
  const tally = tallyOf(parameters, data, 'rare class');
  const riskOf = (query: MarginQuery): number =>
    meanOf(data, estimate(parameters, tally, { radius: 2, ...query }).w, hingeLoss().value);
  expect(riskOf({ intercept: 0 })).toBeLessThan(0.06);
  expect(riskOf({})).toBeGreaterThan(0.07);
  expect(riskOf({ degree: 1 })).toBeGreaterThan(0.07);
  for (const intercept of [3, -1, 0.5]) {
    expect(() => estimate(parameters, tally, { intercept })).toThrow('"intercept" expected');
  }
});

test('beyond 128 coordinates the model is that of the polynomial alone', () => {
  const same = (dimension: number): boolean => {
    const data = planted(2000, dimension);
    const parameters = hingeParameters({ variant: 'lifted', epsilon: 100, degree: 1, dimension });
    const tally = tallyOf(parameters, data, 'wide');
    const [open, fixed] = [{}, { degree: 1 }].map((query) => estimate(parameters, tally, { radius: 4, ...query }).w);
    return open.every((entry, j) => entry === fixed[j]);
  };
  expect(same(129)).toBe(true);
  // The control: few coordinates and little noise, where the choice is open.
  expect(same(3)).toBe(false);
});
