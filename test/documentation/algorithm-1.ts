import type { CopiesDecoder, MarginQuery } from '../../protocols/generalized-linear/margin/query.ts';
import {
  populationOptimum,
  populationRisk,
  referencePopulation,
} from '../../protocols/generalized-linear/margin/reference-population.ts';
import {
  averagedGradients,
  productGradients,
  walkDeviation,
} from '../../protocols/generalized-linear/margin/walk-model.ts';
import { chebyshevCoefficients, copies, hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import { hingeWalk } from '../../protocols/hinge/server.ts';
import type { ReportTally } from '../../src/core/channel.ts';
import { sigmBound } from '../../src/optimize/stochastic-gradient.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { hingeLoss, smoothedHinge } from '../../src/risk/margin-loss.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { figureFiles } from '../evidence/engine/figure.ts';
import type { Figure, FigureCurve, FigurePoint, FiveNumbers } from '../evidence/experiment/figure.ts';

// The figures of docs/algorithm-1.md, from seeds: the same files whoever makes them.

const EPSILON = 8;
const DELTA = 1e-6;

function slopeFigure(): Figure {
  const { derivative } = smoothedHinge({ beta: 0.1 });
  const curve = (name: string, style: number, f: (t: number) => number, dashed = false): FigureCurve => {
    const points = Array.from({ length: 41 }, (_, i) => ({ x: (i - 20) / 20, y: f((i - 20) / 20) }));
    return { name, style, dashed, points };
  };
  const series = (degree: number, style: number): FigureCurve => {
    const coefficients = chebyshevCoefficients(degree, 0.1, 1);
    return curve(`Chebyshev series of degree ${degree}`, style, (t) => evaluatePolynomial(coefficients, t));
  };
  return {
    kind: 'curves',
    name: 'algorithm-1-slope',
    title: 'The derivative of the smoothed hinge, β = 0.1, and polynomials',
    x: { label: 'margin t', logarithmic: false },
    y: { label: 'slope', logarithmic: false },
    curves: [curve('derivative of the smoothed hinge', 0, derivative, true), series(1, 1), series(2, 2), series(8, 3)],
    levels: [],
  };
}

const DECODERS: readonly CopiesDecoder[] = ['product', 'averaged', 'signs'];

/** The estimates of the gradient along w from reports of one record, decoded in three ways: 5, 25, 50, 75 and 95 % points. */
function estimatesFigure(): Figure {
  const parameters = copies({ epsilon: EPSILON, delta: DELTA, degree: 1, dimension: 2 });
  const datum = { features: [0.6, -0.8], label: -1 };
  const tally = simulate(
    hinge,
    parameters,
    { players: 4000, datum: () => datum },
    { seed: 'estimates' },
  ) as ReportTally;
  const coefficients = chebyshevCoefficients(1, 0.1, 1);
  const w = Float64Array.of(-0.5, 0.5);
  const answer = new Float64Array(2);
  const five = (decoder: CopiesDecoder): FiveNumbers => {
    const oracle =
      decoder === 'product'
        ? productGradients(parameters.copies, coefficients, tally)
        : averagedGradients(parameters.copies, coefficients, tally, decoder);
    const values = Array.from({ length: tally.players }, (_, i) => {
      oracle.gradient(i, w, answer);
      return (w[0] * answer[0] + w[1] * answer[1]) / Math.hypot(...w);
    }).sort((a, b) => a - b);
    const [a, b, c, d, e] = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => values[Math.floor(share * values.length)]);
    return [a, b, c, d, e];
  };
  // v = (−0.6, 0.8) has the margin 0.7 and the length 0.99 along w.
  const truth = (evaluatePolynomial(coefficients, 0.7) * 0.7) / Math.SQRT1_2;
  return {
    kind: 'boxes',
    name: 'algorithm-1-estimates',
    title: 'The gradient along w from one report: 5, 25, 50, 75, 95 %',
    y: { label: 'estimate', logarithmic: false },
    groups: DECODERS.map((name, style) => ({ name, boxes: [{ name, style, five: five(name) }] })),
    levels: [{ name: 'what all of them estimate', value: truth }],
  };
}

const PLAYERS = [1000, 4000, 16_000, 64_000];
const RUNS = 8;
const DIMENSION = 4;

/** Excess risk against n of one variant and query, mean and standard error. */
function errorCurve(name: string, style: number, variant: 'lifted' | 'copies', query: MarginQuery): FigureCurve {
  const reference = referencePopulation(DIMENSION, 0.5);
  const loss = hingeLoss();
  const best = populationOptimum(reference, loss, 1);
  const common = { epsilon: EPSILON, degree: 1, dimension: DIMENSION };
  const parameters = hingeParameters(
    variant === 'lifted' ? { variant, ...common } : { variant, delta: DELTA, ...common },
  );
  const datum = (i: number) => {
    const place = (i % reference.members) * DIMENSION;
    return { features: reference.records.subarray(place, place + DIMENSION), label: 1 };
  };
  const points = PLAYERS.map((players): FigurePoint => {
    const excess = Array.from({ length: RUNS }, (_, run) => {
      const tally = simulate(hinge, parameters, { players, datum }, { seed: `error ${run}` });
      const { w } = hinge.server.estimate(parameters, tally, query);
      return populationRisk(reference, loss, w) - best;
    });
    const mean = excess.reduce((sum, one) => sum + one / RUNS, 0);
    const error = Math.sqrt(excess.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (RUNS - 1) / RUNS);
    return { x: players, y: mean, low: Math.max(mean - error, mean / 10), high: mean + error };
  });
  return { name, style, dashed: false, points };
}

function errorFigure(): Figure {
  const walk = { degree: 0, beta: 0.1, start: 0, distance: 1 } as const;
  const parameters = copies({ epsilon: EPSILON, delta: DELTA, degree: 1, dimension: DIMENSION });
  const model = hingeWalk(parameters)(1, { server: 'sigm', decoder: 'signs' });
  const deviation = walkDeviation(parameters, 1, model.polynomial(model.series(0, 0.1), 0.1));
  const setting = { radius: 1, smoothness: 5, deviation, order: 1, growth: 'constant' } as const;
  const bound = PLAYERS.map((iterations) => ({ x: iterations, y: sigmBound({ ...setting, iterations }) }));
  return {
    kind: 'curves',
    name: 'algorithm-1-error',
    title: 'Excess hinge risk against the number of players, p = 4, ε = 8',
    x: { label: 'players n', logarithmic: true },
    y: { label: 'excess risk', logarithmic: true },
    curves: [
      { name: 'bound of SIGM, degree 0, averaged copies', style: 0, dashed: true, points: bound },
      errorCurve('copies, products, degree 1, SIGM', 1, 'copies', { ...walk, degree: 1, decoder: 'product' }),
      errorCurve('copies, averaged, degree 0, SIGM', 0, 'copies', { ...walk, server: 'sigm', decoder: 'signs' }),
      errorCurve('the same, a quarter of the reports for the start', 2, 'copies', {
        ...{ ...walk, start: 0.25, distance: 2 },
        ...{ server: 'sigm', decoder: 'signs' },
      }),
      errorCurve('copies, all at once (newton)', 3, 'copies', { decoder: 'signs' }),
      errorCurve('lifted', 4, 'lifted', {}),
    ],
    levels: [],
  };
}

/** The figures of the page as SVG, by the names of their files. */
export function algorithmFigures(): Readonly<Record<string, string>> {
  return figureFiles([slopeFigure(), estimatesFigure(), errorFigure()]);
}
