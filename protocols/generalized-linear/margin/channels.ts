import { checkInteger, RefusedKind } from '../../../src/check/refusal.ts';
import {
  type ChannelTally,
  type ChannelTallying,
  channelsBy,
  channelTallying,
  channelTheory,
  channelWire,
  type ReportTally,
  reportTally,
} from '../../../src/core/channel.ts';
import type { Theory, Wire } from '../../../src/core/contract.ts';
import type { ValuesReport } from '../../../src/core/frame.ts';
import {
  checkNorm,
  checkNorms,
  correctedLiftBounds,
  correctedPowerBounds,
  finiteOrInfinity,
  GAUSSIAN_THEOREM,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type NormLimit,
  type ReportLimits,
  squaredNorm,
  totalNorm,
} from '../../../src/core/influence.ts';
import { normalLogRatio } from '../../../src/core/vector-channel.ts';
import {
  averageCopies,
  averagedNoise,
  COPY_SENSITIVITY,
  type NoisyCopies,
} from '../../../src/mechanism/added-noise.ts';
import { euclideanNorm, innerProduct } from '../../../src/numeric/matrix.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { evaluatePolynomial } from '../../../src/polynomial/fit.ts';
import { addHermiteLift, correctedGradientSecondMoment, correctedMonomials } from '../../../src/polynomial/heat.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { approximate, type Guarantee, gdp } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import {
  copyDeviation,
  correctedProducts,
  directChannel,
  gaussianVectorChannel,
  labelPowers,
  liftedChannel,
  sampledChannel,
} from './moments.ts';
import type { ChannelParameters, CopiesParameters, MarginParameters } from './parameters.ts';
import {
  type CopiesDecoder,
  type Decoder,
  type GradientPoint,
  type MarginChannel,
  type MomentChannel,
  type MomentsOptions,
  servingOf,
} from './query.ts';
import { sphericalChannel } from './spherical.ts';

const { hypot, sqrt } = Math;

/** The channel of public parameters: the same object for the same parameters. */
export const channelOf: {
  (parameters: MarginParameters): MomentChannel;
  (parameters: ChannelParameters): MarginChannel;
} = channelsBy<ChannelParameters, MomentChannel>({
  direct: directChannel,
  lifted: liftedChannel,
  sampled: sampledChannel,
  gaussian: gaussianVectorChannel,
  copies: copiesChannel,
  printed: printedChannel,
  // This channel has no moments: the overloads say so.
  sphericalLaplace: sphericalChannel as (parameters: never) => MarginChannel as (parameters: never) => MomentChannel,
});

/** The wire of every protocol with reports on a signed record; see `channelWire`. */
export const report: Wire<ChannelParameters, ValuesReport> = channelWire(channelOf);

/** The tally of every protocol with reports on a signed record: a server without its estimate. */
export const marginTallying: ChannelTallying<ChannelParameters> = channelTallying(channelOf);

/** The theory of every protocol with reports on a signed record, without its forecast. */
export const marginTheory: Theory<ChannelParameters> = channelTheory(channelOf);

/**
 * The moments T_j in a tally. Noisy copies are averaged within each report and corrected by Hermite polynomials.
 * @throws TypeError for a tally of another mechanism.
 */
export function momentsOf(
  parameters: MarginParameters,
  tally: ChannelTally,
  options: MomentsOptions = {},
): CorrectedMoments {
  return channelOf(parameters).decode(tally, options);
}

/** A record, a point and a polynomial: what the variance of one report's gradient estimate depends on. */
export interface GradientSetting {
  /** c_0 … c_d of the polynomial in the place of f′. */
  readonly coefficients: ArrayLike<number>;
  /** The point w. */
  readonly w: ArrayLike<number>;
  /** The record's x. */
  readonly features: ArrayLike<number>;
  /** The record's y. */
  readonly label: number;
}

/**
 * The variance E‖G − E G‖² of the gradient estimate from one report, in closed form, given the record.
 *
 * Law: for the product estimator E‖G‖² = E(Σ c_j t_j)²·E y_0²·E‖x_0‖² by independence of the copies; for one (averaged)
 * Gaussian copy by product moments of its Hermite-corrected powers; for the lifted report the covariance of PrivUnitG,
 * (1/m²)(I + (γm − m²)uuᵀ), through the linear map from report to gradient.
 *
 * Source: Wang, Smith, Xu 2020, theorem 10 (third claim), with constants.
 * @throws TypeError when the decoder does not fit the variant or the task is regression, RangeError for a wrong number
 * of coefficients or coordinates.
 * @theorem noninteractive Theorem 10
 * @theorem noninteractive Remark 15
 */
export function gradientVariance(parameters: MarginParameters, decoder: Decoder, setting: GradientSetting): number {
  const { coefficients, w, features, label } = setting;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkInteger('w.length', w.length, parameters.dimension, parameters.dimension);
  checkInteger('features.length', features.length, parameters.dimension, parameters.dimension);
  if ('task' in parameters && parameters.task === 'regression') {
    throw new RefusedKind('"parameters" expected those of a classification, got those of a regression');
  }
  const [point, x] = [Float64Array.from(w), Float64Array.from(features)];
  const inner = innerProduct(point, x);
  const norm = sqrt(innerProduct(point, point));
  const recordNorm = sqrt(innerProduct(x, x));
  const mean = evaluatePolynomial(coefficients, label * inner) * label * recordNorm;
  const at = { coefficients, inner, norm, recordNorm, label, mean };
  const variance = channelOf(parameters).variance(decoder, at);
  if (variance !== undefined) return variance;
  throw new RefusedKind(
    `"decoder" expected one that fits variant ${parameters.variant}, got ${JSON.stringify(decoder)}`,
  );
}

/** Noisy copies of x and y, calibrated to the requested (ε, δ), and a tally of the reports. */
export function copiesChannel(parameters: CopiesParameters): MomentChannel {
  const { variant, budget, copies, dimension } = parameters;
  const { features: sigma, label: labelSigma } = averagedNoise(copies);
  return {
    guarantee: approximate(budget),
    releases: () => copyReleases(parameters, false),
    // 2 for each copy of x and of y.
    neighbourDistance: sqrt(2 * (copies.further + 1)) * COPY_SENSITIVITY,
    limits: () => copiesLimits(parameters),
    serving: (query) => servingOf(variant, query),
    decode: (tally, options) => averagedMoments(parameters, reportTally(tally), options),
    coordinateNoise: (j, decoder) => correctedProducts(j, sigma, labelSigma, 1 / dimension, decoder === 'signs'),
    riskDeviation({ moments, coefficients, w, tally, decoder }) {
      const margins = reportMargins(copies, reportTally(tally), w, 2 * coefficients.length, decoder);
      return copyDeviation(moments, coefficients, w, { margins, sigma, labelSigma, signs: decoder === 'signs' });
    },
    decoderOf: (decoder) => decoder,
    logRatio: (first, second) =>
      normalLogRatio(copiesOf(copies, first), copiesOf(copies, second), deviationsOf(copies)),
    variance(decoder, at) {
      const { coefficients, mean } = at;
      if (decoder === 'product') return productSecondMoment(copies, at) - mean * mean;
      if (decoder !== 'averaged' && decoder !== 'signs') return undefined;
      const averaged = { ...at, dimension, sigma, labelSigma, signs: decoder === 'signs' };
      return correctedGradientSecondMoment(coefficients, averaged) - mean * mean;
    },
  };
}

/**
 * Noisy copies as printed.
 *
 * Guarantee: the μ-GDP that holds, which is *not* what the paper claims. The certificate shows both: each copy has the
 * (ε_k, δ) that the proof gives it, so that basic composition shows the total of that proof.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 11.
 */
export function printedChannel(parameters: CopiesParameters): MomentChannel {
  const { budget, copies } = parameters;
  return {
    ...copiesChannel(parameters),
    guarantee: gdp(transcriptMu(copies)),
    claimed: approximate(budget),
    releases: () => copyReleases(parameters, true),
    decoderOf: () => 'product',
  };
}

/**
 * μ of one player's whole transcript of noisy copies, by composition of Gaussian DP: √Σ(2/σ)².
 * @theorem noninteractive Theorem 11
 * @theorem noninteractive Remark 12
 */
export function transcriptMu(copies: NoisyCopies): number {
  const { further, firstNoise, furtherNoise } = copies;
  const first = hypot(COPY_SENSITIVITY / firstNoise.features, COPY_SENSITIVITY / firstNoise.label);
  if (further === 0) return first;
  const other = hypot(COPY_SENSITIVITY / furtherNoise.features, COPY_SENSITIVITY / furtherNoise.label);
  return hypot(first, sqrt(further) * other);
}

function copyReleases({ budget, copies, degree }: CopiesParameters, printed: boolean): Release[] {
  const { further, firstNoise, furtherNoise } = copies;
  // The guarantee that the proof of theorem 11 gives each copy by the classical Gaussian mechanism.
  const claim = (epsilon: number) => (printed ? { claimed: approximate({ epsilon, delta: budget.delta }) } : {});
  const first = claim(budget.epsilon / 2);
  const group = (what: string, count: number, sigma: number, claimed: { claimed?: Guarantee }): Release =>
    gaussianRelease({ what, count, sensitivity: COPY_SENSITIVITY, sigma, ...claimed });
  const releases = [
    group('copy 0 of x', 1, firstNoise.features, first),
    group('copy 0 of y', 1, firstNoise.label, first),
  ];
  if (further === 0) return releases;
  const other = claim(budget.epsilon / (degree * (degree + 1)));
  return [
    ...releases,
    group(`copies 1 to ${further} of x`, further, furtherNoise.features, other),
    group(`copies 1 to ${further} of y`, further, furtherNoise.label, other),
  ];
}

// Every copy of x and of y has a limit, because products of copies need it. Their average has a limit too, because the
// corrected powers are made from it. Together the limits refuse at most one honest report in 10¹².
function copiesLimits({ copies, degree }: { readonly copies: NoisyCopies; readonly degree: number }): ReportLimits {
  const { dimension, further, length, firstNoise, furtherNoise } = copies;
  const refusal = HONEST_REFUSAL / (2 * (further + 2));
  const limits: NormLimit[] = [];
  let honest = 0;
  for (let from = 0; from < length; from += dimension + 1) {
    const { features, label } = from === 0 ? firstNoise : furtherNoise;
    const to = from + dimension;
    limits.push({ from, to, norm: gaussianNormLimit(1, features, dimension, refusal) });
    limits.push({ from: to, to: to + 1, norm: gaussianNormLimit(1, label, 1, refusal) });
    honest += 2 + dimension * features * features + label * label;
  }
  const deviation = averagedNoise(copies);
  const most = gaussianNormLimit(1, deviation.features, dimension, refusal);
  const mostLabel = gaussianNormLimit(1, deviation.label, 1, refusal);
  // A block of the sums is H_j(y)·H_j(x), each corrected by its own noise.
  const powers = correctedLiftBounds({ dimension, degree: degree + 1 }, deviation.features, most);
  const labels = correctedPowerBounds(degree + 1, deviation.label, mostLabel);
  const target = new Float64Array(dimension);
  return {
    influence: {
      reportNorm: totalNorm(limits.map(({ norm }) => norm * norm)),
      bound: finiteOrInfinity(totalNorm(powers.map((power, k) => power * labels[k + 1]))),
      honestNorm: sqrt(honest),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of every copy and of their average`,
    },
    check(values) {
      checkNorms(limits, values);
      const label = averageCopies(copies, values, 0, target);
      checkNorm(label * label, mostLabel);
      checkNorm(squaredNorm(target, 0, dimension), most);
    },
  };
}

function productSecondMoment(
  { dimension, firstNoise, furtherNoise }: NoisyCopies,
  { coefficients, inner, norm, recordNorm, label }: GradientPoint,
): number {
  const mean = label * inner;
  const square = (label ** 2 + furtherNoise.label ** 2) * (inner ** 2 + (furtherNoise.features * norm) ** 2);
  let first = 0;
  let spread = 0;
  for (let j = 0; j < coefficients.length; j++) {
    first += coefficients[j] * mean ** j;
    spread += coefficients[j] ** 2 * (square ** j - mean ** (2 * j));
  }
  const gradient = (label ** 2 + firstNoise.label ** 2) * (recordNorm ** 2 + dimension * firstNoise.features ** 2);
  return (first * first + spread) * gradient;
}

/** The means of all copies of (x, y), one after the other. */
function copiesOf({ dimension, length }: NoisyCopies, both: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length }, (_, i) => both[i % (dimension + 1)]);
}

function deviationsOf({ dimension, length, firstNoise, furtherNoise }: NoisyCopies): Float64Array {
  return Float64Array.from({ length }, (_, i) => {
    const { features, label } = i <= dimension ? firstNoise : furtherNoise;
    return i % (dimension + 1) < dimension ? features : label;
  });
}

// E t^m for m = 0 … highest from the reports: the corrected powers of the averaged copies of ⟨w, x⟩ and of y.
function reportMargins(
  copies: NoisyCopies,
  { values, players }: ReportTally,
  w: ArrayLike<number>,
  highest: number,
  decoder: CopiesDecoder,
): Float64Array {
  const norm = euclideanNorm(Float64Array.from(w));
  const deviation = averagedNoise(copies);
  const features = new Float64Array(copies.dimension);
  const inner = new Float64Array(highest + 1);
  const label = new Float64Array(highest + 1);
  const margins = new Float64Array(highest + 1);
  for (let i = 0; i < players; i++) {
    labelPowers(decoder, averageCopies(copies, values, i * copies.length, features), deviation.label, label);
    let u = 0;
    for (let j = 0; j < features.length; j++) u += w[j] * features[j];
    correctedMonomials(u, deviation.features * norm, inner);
    for (let m = 0; m <= highest; m++) margins[m] += (inner[m] * label[m]) / players;
  }
  return margins;
}

/** The moments T_j in a tally of noisy copies, averaged within each report and corrected by Hermite polynomials. */
function averagedMoments(
  parameters: CopiesParameters,
  tally: ReportTally,
  { decoder = 'averaged', degree = parameters.degree, rows }: MomentsOptions,
): CorrectedMoments {
  const { copies, dimension } = parameters;
  const lift = createLift(dimension, degree + 1);
  const deviation = averagedNoise(copies);
  const features = new Float64Array(dimension);
  const labels = new Float64Array(lift.degree + 1);
  const report = new Float64Array(lift.size);
  const scratch = new Float64Array(lift.size);
  const values = new Float64Array(lift.size);
  const players = rows === undefined ? tally.players : rows.length;
  for (let i = 0; i < players; i++) {
    const at = (rows === undefined ? i : rows[i]) * copies.length;
    // y^j is estimated separately: the noise on y is independent of that on x.
    labelPowers(decoder, averageCopies(copies, tally.values, at, features), deviation.label, labels);
    report.fill(0);
    addHermiteLift(lift, features, deviation.features ** 2, report, scratch);
    for (let j = 1; j <= lift.degree; j++) {
      const [from, to] = [lift.offsets[j - 1], lift.offsets[j]];
      for (let entry = from; entry < to; entry++) values[entry] += labels[j] * report[entry];
    }
  }
  for (let entry = 0; entry < lift.size; entry++) values[entry] /= players;
  const signs = decoder === 'signs';
  const noise = Float64Array.from(
    { length: lift.degree },
    (_, j) => correctedProducts(j + 1, deviation.features, deviation.label, 1 / dimension, signs) / players,
  );
  return { lift, values, noise, players };
}
