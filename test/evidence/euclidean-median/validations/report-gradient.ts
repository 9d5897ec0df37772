import type { Random, Values } from 'ldpkit';
import { evaluatePolynomial, radialGradientCorrection } from 'ldpkit/polynomial';
import {
  type CopiesParameters,
  directionGradient,
  type EuclideanMedianParameters,
  type LiftedParameters,
  liftedMoments,
  potential,
  radialRisks,
  server,
} from 'ldpkit/protocols/euclidean-median';

/** Writes the gradient estimate of one report at a fixed w into `target`. */
export type ReportGradient = (values: Values, target: Float64Array) => void;

/** The direction estimates of algorithm 3, with directions from a source of the server's. */
export function alongDirections(
  parameters: CopiesParameters,
  coefficients: ArrayLike<number>,
  w: Float64Array,
  random: Random,
): ReportGradient {
  return (values, target) => directionGradient(parameters, coefficients, values, 0, w, random, target);
}

/** Gradients Q(r)(w − x) with u integrated out, of `lifted`, `gaussian` and averaged copies. */
export function integrated(
  parameters: EuclideanMedianParameters,
  coefficients: ArrayLike<number>,
  w: Float64Array,
): ReportGradient {
  if (parameters.maker === 'lifted') return liftedGradient(parameters, coefficients, w);
  const { dimension } = parameters;
  const copies = 'copies' in parameters ? parameters.copies : 1;
  const corrected = radialGradientCorrection(Float64Array.from(coefficients), {
    dimension,
    sigma: parameters.sigma / Math.sqrt(copies),
  });
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
  parameters: LiftedParameters,
  coefficients: ArrayLike<number>,
  w: Float64Array,
): ReportGradient {
  const { dimension, features } = parameters;
  const at = (entry: number): Float64Array => {
    const tally = server.empty(parameters);
    if (tally.kind !== 'moments') throw new TypeError('"tally" expected moments');
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
