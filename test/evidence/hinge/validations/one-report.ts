import { seededRandom } from 'ldpkit';
import { createLiftedPolynomial, evaluatePolynomial } from 'ldpkit/polynomial';
import {
  type copies as copiesOf,
  gradientVariance,
  momentsOf,
  productGradients,
  type ReportTally,
} from 'ldpkit/protocols/generalized-linear';
import { type HingeParameters, type HingeRequest, hinge, hingeParameters } from 'ldpkit/protocols/hinge';
import type { Measured } from 'ldpkit/testing';
import { chunksMean, summed } from '../../experiment/statistics.ts';
import { polynomialIntegral } from '../polynomials.ts';

const { player, server } = hinge;

/** How one report is decoded. */
export type Decoder = Parameters<typeof gradientVariance>[1];

/** Many reports of one record, each decoded to a gradient estimate at w by itself. */
export type OneReportSetting = {
  readonly variant: HingeRequest['variant'];
  readonly decoder: Decoder;
  readonly epsilon: number;
  /** Not used by a pure variant. */
  readonly delta: number;
  readonly dimension: number;
  /** c_0 … c_d. */
  readonly coefficients: readonly number[];
  /** First entries of x and of w; the others are 0. */
  readonly features: readonly number[];
  readonly w: readonly number[];
  readonly label: number;
  /** Reports of a chunk. */
  readonly reports: number;
};

/** Sums over the reports of a chunk; m = P(t)·v is the gradient to be estimated. */
export type OneReportChunk = {
  /** Of G − m. */
  readonly bias: readonly number[];
  /** Of ‖G − m‖², and of its square. */
  readonly sum: number;
  readonly squares: number;
};

/** What many chunks say. */
export interface OneReportResult {
  readonly reports: number;
  /** ‖mean − m‖ in standard errors of the closed-form variance. */
  readonly bias: number;
  /** ‖mean − m‖. */
  readonly distance: number;
  readonly variance: Measured;
  /** The closed form. */
  readonly stated: number;
}

/** The parameters of a setting. */
export function parametersOf({ variant, epsilon, delta, dimension, coefficients }: OneReportSetting): HingeParameters {
  const shared = { epsilon, dimension, degree: coefficients.length - 1 };
  const pure = variant === 'direct' || variant === 'lifted' || variant === 'sampled';
  return hingeParameters(pure ? { variant, ...shared } : { variant, delta, ...shared });
}

const padded = (entries: readonly number[], dimension: number): Float64Array =>
  Float64Array.from({ length: dimension }, (_, i) => entries[i] ?? 0);

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** P(t)·v. */
export function targetOf({ coefficients, features, w, label, dimension }: OneReportSetting): Float64Array {
  const x = padded(features, dimension);
  const slope = evaluatePolynomial(coefficients, label * dot(x, padded(w, dimension)));
  return x.map((entry) => slope * label * entry);
}

/** Reads one report, and writes the gradient estimate at w. */
export type ReportGradient = (values: ReturnType<typeof player.randomize>['values'], target: Float64Array) => void;

/**
 * The gradient estimate of one report by the code that the server runs, for a decoder and parameters that need not be those of the
 * player: the moments of a tally of one, or the product estimate.
 */
export function gradientOf(
  setting: OneReportSetting,
  parameters: HingeParameters = parametersOf(setting),
): ReportGradient {
  const { decoder, coefficients, dimension } = setting;
  const w = padded(setting.w, dimension);
  if (decoder === 'product') {
    const { copies } = parameters as ReturnType<typeof copiesOf>;
    return (values, result) => {
      const tally = server.empty(parameters);
      server.add(parameters, tally, { values });
      productGradients(copies, coefficients, tally as ReportTally).gradient(0, w, result);
    };
  }
  const integral = new Float64Array(coefficients.length);
  integral.set(polynomialIntegral(coefficients).subarray(1));
  return (values, result) => {
    const tally = server.empty(parameters);
    server.add(parameters, tally, { values });
    const options = decoder === 'averaged' || decoder === 'signs' ? { decoder } : {};
    const { lift, values: moments } = momentsOf(parameters, tally, options);
    createLiftedPolynomial(lift, integral, moments).gradient(w, result);
    // A power that a report carries with probability s counts 1/s times, and the others count nothing.
    if (parameters.variant !== 'sampled' && parameters.variant !== 'direct') return;
    const share = parameters.shares[values[values.length - 1] - 1];
    for (let i = 0; i < dimension; i++) result[i] /= share;
  };
}

/** One chunk of the reports of a setting. */
export function oneReportChunk(setting: OneReportSetting, chunk: number, seed: string): OneReportChunk {
  return gradientSums(setting, gradientOf(setting), chunk, seed);
}

/** The same, decoded in another way. */
export function gradientSums(
  setting: OneReportSetting,
  gradient: ReportGradient,
  chunk: number,
  seed: string,
): OneReportChunk {
  const { variant, decoder, epsilon, dimension, coefficients, label, reports } = setting;
  const parameters = parametersOf(setting);
  const m = targetOf(setting);
  const random = seededRandom(`${seed}/${variant}/${decoder}/${epsilon}/${dimension}/${coefficients.length}/${chunk}`);
  const record = { features: padded(setting.features, dimension), label };
  const report = player.randomize(parameters, record, random);
  const estimate = new Float64Array(dimension);
  const bias = new Array<number>(dimension).fill(0);
  let [sum, squares] = [0, 0];
  for (let k = 0; k < reports; k++) {
    player.randomizeInto(parameters, record, random, report);
    gradient(report.values, estimate);
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      const off = estimate[i] - m[i];
      bias[i] += off;
      squared += off * off;
    }
    sum += squared;
    squares += squared * squared;
  }
  return { bias, sum, squares };
}

/** All chunks of a setting together. */
export function oneReportResult(setting: OneReportSetting, chunks: readonly OneReportChunk[]): OneReportResult {
  const reports = chunks.length * setting.reports;
  const { coefficients, dimension, label } = setting;
  const at = { coefficients, w: padded(setting.w, dimension), features: padded(setting.features, dimension), label };
  const stated = gradientVariance(parametersOf(setting), setting.decoder, at);
  const off = chunks[0].bias.map((_, i) => summed(chunks, ({ bias }) => bias[i]) / reports);
  const distance = Math.hypot(...off);
  return {
    reports,
    bias: distance / Math.sqrt(stated / reports),
    distance,
    variance: chunksMean(reports, chunks),
    stated,
  };
}
