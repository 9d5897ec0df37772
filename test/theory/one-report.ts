import type { MarginDatum } from '../../protocols/generalized-linear/device.ts';
import { momentsOf } from '../../protocols/generalized-linear/margin/channels.ts';
import type {
  CopiesParameters,
  GaussianParameters,
  LiftedParameters,
  SampledParameters,
} from '../../protocols/generalized-linear/margin/parameters.ts';
import type { Decoder } from '../../protocols/generalized-linear/margin/query.ts';
import { productGradient } from '../../protocols/generalized-linear/margin/walk-model.ts';
import { type HingeParameters, hinge } from '../../protocols/hinge/index.ts';
import type { MomentTally, ReportTally } from '../../src/core/channel.ts';
import type { Values } from '../../src/core/frame.ts';
import { createLiftedPolynomial } from '../../src/polynomial/lift.ts';
import type { Random } from '../../src/random/random.ts';
import { polynomialIntegral } from '../evidence/hinge/polynomials.ts';

/** What the gradient estimates of many reports of one record look like. */
export interface Measured {
  readonly reports: number;
  /** Mean of G. */
  readonly mean: Float64Array;
  /** Mean of ‖G − m‖², m the gradient that G is to estimate. */
  readonly variance: number;
  /** Standard error of that mean. */
  readonly error: number;
}

/** A decoder with its parameters: reads one report and writes the gradient estimate at w. */
export type GradientOf = (values: Values, w: Float64Array, target: Float64Array) => void;

/**
 * The gradient estimate of one report, for each decoder by the code that the server runs: the tally of one report, its
 * moments, and the gradient of their polynomial; or the product estimate.
 */
export function gradientOf(parameters: HingeParameters, decoder: Decoder, coefficients: Float64Array): GradientOf {
  if (decoder === 'product') {
    const { copies } = parameters as CopiesParameters;
    return (values, w, target) => productGradient(copies, coefficients, values, 0, w, target);
  }
  const integral = new Float64Array(parameters.degree + 1);
  integral.set(polynomialIntegral(coefficients).subarray(1));
  return (values, w, target) => {
    const tally = hinge.server.empty(parameters);
    hinge.server.add(parameters, tally, { values });
    const { lift, values: moments } =
      decoder === 'averaged' || decoder === 'signs'
        ? momentsOf(parameters as CopiesParameters, tally as ReportTally, { decoder })
        : momentsOf(parameters as LiftedParameters | SampledParameters | GaussianParameters, tally as MomentTally);
    createLiftedPolynomial(lift, integral, moments).gradient(w, target);
    // A power that a report carries with probability s counts 1/s times, and the others count nothing.
    if (parameters.variant === 'sampled' || parameters.variant === 'direct') {
      const share = parameters.shares[values[values.length - 1] - 1];
      for (let i = 0; i < target.length; i++) target[i] /= share;
    }
  };
}

/** Many reports of one record, each decoded to a gradient estimate at w and compared with m. */
export function measure(
  parameters: HingeParameters,
  record: MarginDatum,
  { gradient, w, m }: { readonly gradient: GradientOf; readonly w: Float64Array; readonly m: Float64Array },
  reports: number,
  random: Random,
): Measured {
  const { dimension } = parameters;
  const report = hinge.player.randomize(parameters, record, random);
  const estimate = new Float64Array(dimension);
  const mean = new Float64Array(dimension);
  let sum = 0;
  let squares = 0;
  for (let k = 0; k < reports; k++) {
    hinge.player.randomizeInto(parameters, record, random, report);
    gradient(report.values, w, estimate);
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      mean[i] += estimate[i] / reports;
      squared += (estimate[i] - m[i]) ** 2;
    }
    sum += squared;
    squares += squared * squared;
  }
  const variance = sum / reports;
  return { reports, mean, variance, error: Math.sqrt((squares / reports - variance * variance) / reports) };
}
