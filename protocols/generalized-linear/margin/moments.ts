import { ReportError } from '../../../src/check/refusal.ts';
import { momentTally, scaledMoments } from '../../../src/core/channel.ts';
import type { Values } from '../../../src/core/frame.ts';
import { correctedLiftBounds, type ReportLimits, totalNorm, unitLimits } from '../../../src/core/influence.ts';
import {
  addUnitProducts,
  addUnitReport,
  completed,
  gaussianChannel,
  unitChannel,
  unitLogRatio,
  unitRelease,
} from '../../../src/core/vector-channel.ts';
import { expandKClosest } from '../../../src/mechanism/k-closest.ts';
import { type ProductConstants, productConstants, productGradient } from '../../../src/mechanism/unit-products.ts';
import { euclideanNorm } from '../../../src/numeric/matrix.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import {
  correctedGradientSecondMoment,
  correctedMonomials,
  correctedProductMoment,
  correctedValueVariance,
  labelProductMoment,
} from '../../../src/polynomial/heat.ts';
import {
  createLift,
  createLiftedPolynomial,
  isotropicDeviation,
  liftedNoiseNorm,
} from '../../../src/polynomial/lift.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import {
  type GaussianParameters,
  type LiftedParameters,
  type MarginTask,
  NEIGHBOUR_DISTANCE,
  type SampledParameters,
} from './parameters.ts';
import type { CopiesDecoder, MomentChannel } from './query.ts';

const { hypot, max, min, sqrt } = Math;

/** Reports of the lifted vector: pure ε, and a tally that is the sum of the reports. */
export function liftedChannel(parameters: LiftedParameters): MomentChannel {
  const { epsilon, task, lift, scales, mechanism, dimension } = parameters;
  return {
    ...unitChannel({ what: `lifted vector of ${nameOfVector(task)}`, epsilon, mechanism, moments: lift.size }),
    coordinateNoise: (j) => mechanism.coordinateVariance / scales[j - 1] ** 2,
    normalNoise: true,
    decode: scaledMoments(lift, scales, new Array(scales.length).fill(mechanism.coordinateVariance)),
    // The noise of every entry is the same for every record, so no margins are needed.
    riskDeviation: isotropicDeviation,
    decoderOf: () => 'lifted',
    variance(decoder, { coefficients, norm, mean }) {
      if (decoder !== 'lifted') return undefined;
      let squares = 0;
      for (let k = 0; k < coefficients.length; k++) {
        squares += (coefficients[k] / scales[k]) ** 2 * liftedNoiseNorm(dimension, k, norm);
      }
      const { coordinateVariance, alongVariance } = mechanism;
      // The map sends the unit vector itself to the mean gradient.
      return coordinateVariance * squares + (alongVariance - coordinateVariance) * mean * mean;
    },
  };
}

/** One Gaussian copy of the signed record, and a tally of its corrected symmetric powers. */
export function gaussianVectorChannel(parameters: GaussianParameters): MomentChannel {
  const { task, lift, sigma, dimension } = parameters;
  const powers = Array.from({ length: lift.degree }, (_, j) => j + 1);
  const noise = (size: number) => (j: number) => correctedProducts(j, sigma, 0, 1 / size);
  return {
    ...gaussianChannel({ what: nameOfVector(task), neighbourDistance: NEIGHBOUR_DISTANCE, parameters }),
    coordinateNoise: noise(dimension),
    decode: scaledMoments(
      lift,
      powers.map(() => 1),
      powers.map(noise(lift.dimension)),
    ),
    riskDeviation({ moments, coefficients, w }) {
      const margins = tallyMargins(moments, w, 2 * coefficients.length);
      return copyDeviation(moments, coefficients, w, { margins, sigma, labelSigma: 0 });
    },
    decoderOf: () => 'gaussian',
    variance(decoder, { coefficients, inner, norm, recordNorm, label, mean }) {
      if (decoder !== 'gaussian') return undefined;
      const signed = { inner: label * inner, label: 1, norm, recordNorm: Math.abs(label) * recordNorm };
      const at = { ...signed, dimension, sigma, labelSigma: 0 };
      return correctedGradientSecondMoment(coefficients, at) - mean * mean;
    },
  };
}

/** The vector that is randomized for a record, in words. */
export function nameOfVector(task: MarginTask): string {
  return task === 'regression' ? 'z = (x, y)/√2' : 'v = y·x';
}

/**
 * Variance of ⟨sym^j(u), T_j⟩, ‖u‖ = 1, in one report of a Gaussian copy corrected by Hermite polynomials, for |y| = 1
 * and ⟨u, x⟩² equal to `squaredMargin`. `signs` says that even powers of y are taken as 1.
 */
export function correctedProducts(
  j: number,
  sigma: number,
  labelSigma: number,
  squaredMargin: number,
  signs = false,
): number {
  const margin = sqrt(squaredMargin);
  const labels = labelProductMoment(j, j, 1, labelSigma, signs);
  return correctedProductMoment(j, j, margin, sigma) * labels - margin ** (2 * j);
}

/**
 * Fills `target` with estimates of y⁰, y¹, y², … from a noisy label: Hermite-corrected powers. For `signs`, where y is
 * known to be −1 or 1, odd powers are the label itself, and even powers are 1, without any noise.
 */
export function labelPowers(decoder: CopiesDecoder, label: number, sigma: number, target: Float64Array): void {
  if (decoder !== 'signs') correctedMonomials(label, sigma, target);
  else for (let j = 0; j < target.length; j++) target[j] = j % 2 === 0 ? 1 : label;
}

/** Estimates of E t^m, NaN where nothing is known; deviations of the noise; whether even powers of y are taken as 1. */
interface CopyNoise {
  readonly margins: Float64Array;
  readonly sigma: number;
  readonly labelSigma: number;
  readonly signs?: boolean;
}

/** Standard deviation of the privacy noise in the mean of ∫P over corrected Gaussian copies: see `riskDeviation`. */
export function copyDeviation(
  moments: CorrectedMoments,
  coefficients: ArrayLike<number>,
  w: ArrayLike<number>,
  { margins: raw, sigma, labelSigma, signs = false }: CopyNoise,
): number {
  const norm = euclideanNorm(Float64Array.from(w));
  const integral = Array.from(coefficients, (c, k) => c / (k + 1));
  const margins = plausibleMargins(raw, norm, moments.lift.dimension);
  const variance = correctedValueVariance(integral, { margins, norm, sigma, labelSigma, signs });
  return sqrt(max(0, variance) / moments.players);
}

/** E t^m for m = 0 … highest where the moments carry the power; NaN where they do not. */
function tallyMargins(moments: CorrectedMoments, w: ArrayLike<number>, highest: number): Float64Array {
  const margins = new Float64Array(highest + 1).fill(NaN);
  margins[0] = 1;
  for (let m = 1; m <= Math.min(highest, moments.lift.degree); m++) margins[m] = marginPower(moments, w, m);
  return margins;
}

/** E t^m from the moments of power m. */
function marginPower({ lift, values }: CorrectedMoments, w: ArrayLike<number>, m: number): number {
  const only = Array.from({ length: lift.degree }, (_, j) => (j + 1 === m ? 1 : 0));
  return createLiftedPolynomial(lift, only, values).value(w);
}

// Brings the moments, one after the other, within what |t| ≤ ‖w‖ allows; an unknown moment gets its least size.
function plausibleMargins(raw: Float64Array, norm: number, dimension: number): Float64Array {
  const margins = Float64Array.of(1, ...raw.subarray(1));
  const within = (value: number, least: number, most: number): number =>
    Number.isNaN(value) ? least : Math.min(most, max(least, value));
  if (raw.length > 2) {
    // Nothing is known of E t² except ‖v‖ ≤ 1: v is taken as a unit vector in a random direction.
    margins[2] = Number.isNaN(raw[2]) ? norm ** 2 / dimension : within(raw[2], 0, norm ** 2);
  }
  margins[1] = Number.isNaN(raw[1]) ? 0 : within(raw[1], -norm, norm);
  for (let m = 3; m < raw.length; m++) {
    const most = margins[2] * norm ** (m - 2);
    if (m % 2 === 0) margins[m] = within(raw[m], margins[2] ** (m / 2), most);
    else margins[m] = Number.isNaN(raw[m]) ? 0 : within(raw[m], -most, most);
  }
  return margins;
}

/** Reports of one power of v each, drawn independently of the record. */
export function sampledChannel(parameters: SampledParameters): MomentChannel {
  const { task, lift } = parameters;
  const what = `one of the powers 1 to ${lift.degree} of ${nameOfVector(task)}, drawn independently of it`;
  return powersChannel(parameters, what);
}

/** The same, where reports z of v count for two powers: E zzᵀ = a·I + b·vvᵀ. */
export function directChannel(parameters: SampledParameters): MomentChannel {
  const { degree } = parameters.lift;
  const later = degree === 3 ? '3' : `3 to ${degree}`;
  const v = nameOfVector(parameters.task);
  const what = degree <= 2 ? v : `one of the powers 1 and ${later} of ${v}, drawn independently of it`;
  return powersChannel(parameters, what, productConstants(parameters.mechanisms[0]));
}

/**
 * Reports of one power of v each, at full norm: pure ε, and a tally of the sum of the reports of every power, followed by
 * how many there are of each. With constants of products the reports of v tell of its second power too. The noise of products
 * is that on average over directions; in that of the data it is another one, which matters for few features and a large ε.
 *
 * Law: k does not depend on the record, so given the counts n_k the reports of power k are those of n_k players drawn at
 * random. T_k is the sum of the reports of power k divided by n_k: its mean, given n_k ≥ 1, is that of sym^k(v) over the
 * players. Dividing by n·s_k instead would add (1 − s_k)/(n·s_k)·T_k² to the variance of every coordinate, for nothing. A
 * power that nobody reported stays 0, an error of at most 1.
 */
function powersChannel(parameters: SampledParameters, what: string, products?: ProductConstants): MomentChannel {
  const { variant, epsilon, lift, shares, mechanisms, dimension } = parameters;
  const { degree, size, offsets } = lift;
  const both = degree > 2 ? createLift(lift.dimension, 2) : lift;
  const kindOf = (block: number): number => (products !== undefined && block === 1 ? 0 : block);
  const coordinateVariances = mechanisms.map(({ coordinateVariance }, block) =>
    kindOf(block) === block ? coordinateVariance : products!.variance,
  );
  const loudest = mechanisms[coordinateVariances.indexOf(max(...coordinateVariances))];
  const entries = (block: number): number => offsets[block + 1] - offsets[block];
  const expanded = new Float64Array(max(...mechanisms.map((mechanism) => mechanism.dimension)) + 1);
  return {
    guarantee: pure(epsilon),
    neighbourDistance: NEIGHBOUR_DISTANCE,
    releases: () => [unitRelease(what, loudest)],
    limits: () => powersLimits(parameters, products !== undefined),
    moments: size + degree,
    add(values, sums) {
      const block = powerOf(values) - 1;
      if (block === 0 && products !== undefined) addUnitProducts(mechanisms[0], both, values, products.offset, sums);
      else addUnitReport(mechanisms[block], values, sums, offsets[block], offsets[block + 1]);
      sums[size + block]++;
    },
    ...(loudest.name === 'k-closest' ? { view: (values) => expand(parameters, values, expanded) } : {}),
    logRatio(first, second) {
      const ratios = mechanisms.map((mechanism, block) => {
        const [one, other] = [first, second].map((vector) =>
          completed(Float64Array.from(vector).subarray(offsets[block], offsets[block + 1]), entries(block)),
        );
        return unitLogRatio(mechanism, one, other);
      });
      // The power has the same probability under both records.
      return (values) => ratios[powerOf(values) - 1](values);
    },
    // On average over the coordinates of a power, the part of the records themselves is at most 1 in its D_j.
    normalNoise: true,
    coordinateNoise(j) {
      const share = shares[kindOf(j - 1)];
      return (coordinateVariances[j - 1] + (1 - share) / entries(j - 1)) / share;
    },
    decode(tally) {
      const { players, sums } = momentTally(tally);
      const values = new Float64Array(size);
      const noise = new Float64Array(degree);
      for (let block = 0; block < degree; block++) {
        const count = sums[size + kindOf(block)];
        if (count === 0) {
          noise[block] = 1;
          continue;
        }
        const times = count * (kindOf(block) === block ? 1 : products!.gain);
        for (let entry = offsets[block]; entry < offsets[block + 1]; entry++) values[entry] = sums[entry] / times;
        noise[block] = coordinateVariances[block] / count + (1 / count - 1 / players) / entries(block);
      }
      return { lift, values, noise, players };
    },
    // Exact for the noise; at most that for which players report which power, with E t^(2j) ≤ ‖w‖^(2j − 2)·E t².
    riskDeviation({ moments, coefficients, w, tally }) {
      const { players, sums } = momentTally(tally);
      const norm = euclideanNorm(Float64Array.from(w));
      // E t² within [0, ‖w‖²]; ‖w‖² where nobody reported the second power.
      const known = degree >= 2 && sums[size + kindOf(1)] !== 0;
      const second = known ? max(0, min(norm ** 2, marginPower(moments, w, 2))) : norm ** 2;
      let sum = 0;
      for (let j = 1; j <= coefficients.length; j++) {
        const count = sums[size + kindOf(j - 1)];
        const spread = count === players ? 0 : second / norm ** 2;
        const variance = count === 0 ? 1 : (coordinateVariances[j - 1] + spread) / count;
        if (norm > 0) sum += variance * ((coefficients[j - 1] / j) * norm ** j) ** 2;
      }
      return sqrt(sum);
    },
    decoderOf: () => variant,
    // Of one report, whose power k counts 1/s_k times.
    variance(decoder, { coefficients, inner, norm, recordNorm, label, mean }) {
      if (decoder !== variant) return undefined;
      let squares = 0;
      let from = 0;
      if (products !== undefined) {
        const at = { inner: label * inner, norm, vectorNorm: Math.abs(label) * recordNorm, dimension: lift.dimension };
        squares = productGradient(products, [coefficients[0], coefficients[1] ?? 0], at) / shares[0];
        from = 2;
      }
      for (let k = from; k < coefficients.length; k++) {
        const { coordinateVariance, alongVariance } = mechanisms[k];
        const along = ((label * inner) ** k * label * recordNorm) ** 2;
        const noise = coordinateVariance * liftedNoiseNorm(dimension, k, norm);
        squares += (coefficients[k] ** 2 / shares[k]) * (noise + (1 + alongVariance - coordinateVariance) * along);
      }
      return squares - mean * mean;
    },
  };
}

/** The power that a report says it carries: its last number. */
function powerOf(values: ArrayLike<number>): number {
  return values[values.length - 1];
}

/** The vector that a deployed report stands for, then zeros, then its power: as a report of a simulation. */
function expand({ mechanisms }: SampledParameters, values: Values, target: Float64Array): Float64Array {
  const power = powerOf(values);
  const mechanism = mechanisms[power - 1];
  target.fill(0);
  if (mechanism.name === 'k-closest') expandKClosest(mechanism, values, target);
  target[target.length - 1] = power;
  return target;
}

/**
 * What an accepted report may contain: a power, a report of its mechanism, and zeros in between.
 *
 * Law: a report adds its vector to the sums of one power, and 1 to the count of that power. Divided by the count, a report
 * of a rare power moves the moments of that power 1/s_k times as far as one that all players report.
 */
function powersLimits({ mechanisms, shares, length, lift }: SampledParameters, direct: boolean): ReportLimits {
  const limits = mechanisms.map(unitLimits);
  const largest = (of: (limit: ReportLimits) => number): number => max(...limits.map(of));
  const reportNorm = largest(({ influence }) => influence.reportNorm);
  const honest = limits.reduce((sum, { influence }, block) => sum + shares[block] * influence.honestNorm ** 2, 0);
  const [{ influence }] = limits;
  // What a report adds to the sums: of `direct` its products too.
  const first = { dimension: lift.dimension, degree: min(2, lift.degree) };
  const deviation = sqrt(mechanisms[0].coordinateVariance);
  const added = direct ? totalNorm(correctedLiftBounds(first, deviation, influence.reportNorm)) : 0;
  return {
    influence: {
      reportNorm,
      bound: hypot(max(reportNorm, added), 1),
      honestNorm: sqrt(honest),
      honestRefusal: largest((limit) => limit.influence.honestRefusal),
      theorem: influence.theorem,
    },
    check(values) {
      const power = powerOf(values);
      if (!(Number.isInteger(power) && power >= 1 && power <= mechanisms.length && !(direct && power === 2))) {
        const which = direct
          ? `1${mechanisms.length > 2 ? `, or from 3 to ${mechanisms.length}` : ''}`
          : `from 1 to ${mechanisms.length}`;
        throw new ReportError(`"report" expected a power ${which}`);
      }
      const mechanism = mechanisms[power - 1];
      if (mechanism.name === 'k-closest') {
        limits[power - 1].check(Array.from({ length: length - 1 }, (_, i) => values[i]));
        return;
      }
      limits[power - 1].check(values);
      for (let i = mechanism.dimension; i < length - 1; i++) {
        if (values[i] !== 0) throw new ReportError('"report" expected zeros after the vector of its power');
      }
    },
  };
}
