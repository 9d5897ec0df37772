import {
  directionGradient,
  type EuclideanMedianParameters,
  euclideanMedian,
  liftedMoments,
  potential,
  radialRisks,
} from '../../protocols/euclidean-median/index.ts';
import { radialGradientCorrection } from '../../src/polynomial/heat.ts';
import { evaluatePolynomial } from '../../src/polynomial/monomial.ts';
import type { Values } from '../../src/protocol/frame.ts';
import type { Random } from '../../src/random/random.ts';

/** Writes the gradient estimate of one report at a fixed w into `target`. */
export type ReportGradient = (values: Values, target: Float64Array) => void;

/** Gradients Q(r)(w − x), one report at a time, of `lifted`, `gaussian` and averaged copies. */
export function radialGradient(
  parameters: EuclideanMedianParameters,
  coefficients: Float64Array,
  w: Float64Array,
): ReportGradient {
  if (parameters.maker === 'lifted') return liftedGradient(parameters, coefficients, w);
  const { dimension } = parameters;
  const copies = 'copies' in parameters ? parameters.copies : 1;
  const corrected = radialGradientCorrection(coefficients, { dimension, sigma: parameters.sigma / Math.sqrt(copies) });
  return (values, target) => {
    let r = 0;
    for (let i = 0; i < dimension; i++) {
      target[i] = w[i];
      for (let copy = 0; copy < copies; copy++) target[i] -= values[copy * dimension + i] / copies;
      r += target[i] * target[i];
    }
    const factor = evaluatePolynomial(corrected, r);
    for (let i = 0; i < dimension; i++) target[i] *= factor;
  };
}

// The gradient is an affine function of the report: its columns are read off once, from the server's own risk.
function liftedGradient(
  parameters: Extract<EuclideanMedianParameters, { maker: 'lifted' }>,
  coefficients: Float64Array,
  w: Float64Array,
): ReportGradient {
  const { dimension, features } = parameters;
  const at = (entry: number): Float64Array => {
    const tally = euclideanMedian.server.empty(parameters);
    if (tally.kind !== 'moments') throw new Error('a tally of moments');
    tally.players = 1;
    if (entry >= 0) tally.sums[entry] = 1;
    const target = new Float64Array(dimension);
    radialRisks(liftedMoments(parameters, tally)).risk(potential(coefficients)).gradient(w, target);
    return target;
  };
  const origin = at(-1);
  const columns = Array.from({ length: features.size }, (_, entry) => at(entry).map((value, i) => value - origin[i]));
  return (values, target) => {
    target.set(origin);
    for (let e = 0; e < columns.length; e++) for (let i = 0; i < dimension; i++) target[i] += values[e] * columns[e][i];
  };
}

/** The direction estimates of algorithm 3, with directions from a source of the server's. */
export function directions(
  parameters: Extract<EuclideanMedianParameters, { maker: 'copies' | 'printed' }>,
  coefficients: Float64Array,
  w: Float64Array,
  random: Random,
): ReportGradient {
  return (values, target) => directionGradient(parameters, coefficients, values, 0, w, random, target);
}

/** Mean and variance of gradient estimates, and the standard error of the variance. */
export interface Measured {
  readonly mean: Float64Array;
  /** E‖G − centre‖². */
  readonly variance: number;
  readonly error: number;
  readonly reports: number;
}

/** Measures the gradient estimates of many reports of one point about a given centre. */
export function measureGradients(
  parameters: EuclideanMedianParameters,
  point: Float64Array,
  gradient: ReportGradient,
  centre: ArrayLike<number>,
  reports: number,
  random: Random,
): Measured {
  const { dimension } = parameters;
  const report = euclideanMedian.player.randomize(parameters, { point }, random);
  const target = new Float64Array(dimension);
  const mean = new Float64Array(dimension);
  let squares = 0;
  let fourths = 0;
  for (let i = 0; i < reports; i++) {
    euclideanMedian.player.randomizeInto(parameters, { point }, random, report);
    gradient(report.values, target);
    let square = 0;
    for (let j = 0; j < dimension; j++) {
      mean[j] += target[j] / reports;
      square += (target[j] - centre[j]) ** 2;
    }
    squares += square / reports;
    fourths += (square * square) / reports;
  }
  return { mean, variance: squares, error: Math.sqrt((fourths - squares * squares) / reports), reports };
}
