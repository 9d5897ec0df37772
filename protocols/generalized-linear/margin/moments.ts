import { averageCopies, averagedNoise, type NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { euclideanNorm } from '../../../src/optimize/projection.ts';
import { correctedValueVariance, labelProductMoment } from '../../../src/polynomial/corrected-variance.ts';
import { addHermiteLift, correctedMonomials, correctedProductMoment } from '../../../src/polynomial/hermite.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { createLiftedPolynomial } from '../../../src/polynomial/lifted-polynomial.ts';
import type { CopiesParameters, GaussianParameters, LiftedParameters, MarginParameters } from './parameters.ts';
import type { CopiesDecoder } from './query.ts';
import type { MarginTally, MomentTally, ReportTally } from './tally.ts';

const { max, sqrt } = Math;

/**
 * Variance of ⟨sym^j(u), T_j⟩, ‖u‖ = 1, in one report of a Gaussian copy corrected by Hermite polynomials, for |y| = 1 and
 * ⟨u, x⟩² equal to `squaredMargin`; with `signs` where even powers of y are taken as 1.
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
 * Fills `target` with estimates of y⁰, y¹, y², … from a noisy label: Hermite-corrected powers, or for `signs`, where y is known to
 * be −1 or 1, the label itself for odd powers and 1, without any noise, for even ones.
 */
export function labelPowers(decoder: CopiesDecoder, label: number, sigma: number, target: Float64Array): void {
  if (decoder !== 'signs') correctedMonomials(label, sigma, target);
  else for (let j = 0; j < target.length; j++) target[j] = j % 2 === 0 ? 1 : label;
}

/**
 * Standard deviation of the privacy noise in the reconstructed risk Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩ at a w fixed in
 * advance, given the records, for labels ±1.
 *
 * Law: exact for `lifted`. The Gaussian variants need the moments E t^m of the margins, which are taken from the tally itself.
 * One of `gaussian` reports carries those up to the parameters' degree + 1, all that is needed up to degree 1; beyond, even
 * powers are taken at their least, (E t²)^{m/2}, and odd ones as 0. Moments lost in noise are kept within what ‖v‖ ≤ 1
 * allows, which leaves the deviation right to about 4 % (measured, 200 players).
 */
export function riskDeviation(
  parameters: MarginParameters,
  moments: CorrectedMoments,
  coefficients: ArrayLike<number>,
  w: ArrayLike<number>,
  tally: MarginTally,
  decoder: CopiesDecoder = 'averaged',
): number {
  const norm = euclideanNorm(Float64Array.from(w));
  const integral = Array.from(coefficients, (c, k) => c / (k + 1));
  if (parameters.variant === 'lifted') {
    let sum = 0;
    for (let j = 1; j <= integral.length; j++) sum += moments.noise[j - 1] * (integral[j - 1] * norm ** j) ** 2;
    return sqrt(sum);
  }
  const highest = 2 * integral.length;
  const raw =
    parameters.variant !== 'gaussian' && tally.kind === 'reports'
      ? reportMargins(parameters.copies, tally, w, highest, decoder)
      : tallyMargins(moments, w, highest);
  const margins = plausibleMargins(raw, norm, moments.lift.dimension);
  const noise =
    parameters.variant === 'gaussian'
      ? { sigma: parameters.sigma, labelSigma: 0 }
      : { sigma: averagedNoise(parameters.copies).features, labelSigma: averagedNoise(parameters.copies).label };
  return sqrt(
    max(0, correctedValueVariance(integral, { margins, norm, ...noise, signs: decoder === 'signs' })) / moments.players,
  );
}

// E t^m for m = 0 … highest from the reports themselves: the corrected powers of the averaged copies of ⟨w, x⟩ and of y.
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

// E t^m for m = 0 … highest where the moments carry the power; NaN where they do not.
function tallyMargins({ lift, values }: CorrectedMoments, w: ArrayLike<number>, highest: number): Float64Array {
  const margins = new Float64Array(highest + 1).fill(NaN);
  margins[0] = 1;
  for (let m = 1; m <= Math.min(highest, lift.degree); m++) {
    const only = Array.from({ length: lift.degree }, (_, j) => (j + 1 === m ? 1 : 0));
    margins[m] = createLiftedPolynomial(lift, only, values).value(w);
  }
  return margins;
}

// The moments brought within what |t| ≤ ‖w‖ allows, one after the other; an unknown one at its least size.
function plausibleMargins(raw: Float64Array, norm: number, dimension: number): Float64Array {
  const margins = Float64Array.of(1, ...raw.subarray(1));
  const within = (value: number, least: number, most: number): number =>
    Number.isNaN(value) ? least : Math.min(most, max(least, value));
  if (raw.length > 2) {
    // Nothing is known of E t² but ‖v‖ ≤ 1: as if v had any direction.
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

/** The moments T_j in a tally of `lifted` or `gaussian` reports. */
export function momentsOf(parameters: LiftedParameters | GaussianParameters, tally: MomentTally): CorrectedMoments {
  const { lift } = parameters;
  const { players, sums } = tally;
  const values = new Float64Array(lift.size);
  const noise = new Float64Array(lift.degree);
  for (let j = 1; j <= lift.degree; j++) {
    const scale = parameters.variant === 'lifted' ? parameters.scales[j - 1] : 1;
    for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) {
      values[entry] = sums[entry] / (players * scale);
    }
    noise[j - 1] =
      parameters.variant === 'lifted'
        ? parameters.mechanism.coordinateVariance / (scale * scale * players)
        : correctedProducts(j, parameters.sigma, 0, 1 / lift.dimension) / players;
  }
  return { lift, values, noise, players };
}

/** How noisy copies become moments, and which of them. */
export interface AveragedMomentsOptions {
  /** How labels are decoded; see `MarginQuery`. Default `averaged`. */
  readonly decoder?: CopiesDecoder;
  /** Moments up to this degree + 1; default that of the parameters. */
  readonly degree?: number;
  /** The reports that are meant, by their place in the tally; all by default. */
  readonly rows?: Uint32Array;
}

/** The moments T_j in a tally of noisy copies, averaged within each report and corrected by Hermite polynomials. */
export function averagedMoments(
  parameters: CopiesParameters,
  tally: ReportTally,
  { decoder = 'averaged', degree = parameters.degree, rows }: AveragedMomentsOptions = {},
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
    // y^j has an estimate of its own: the noise on y is independent of that on x.
    labelPowers(decoder, averageCopies(copies, tally.values, at, features), deviation.label, labels);
    report.fill(0);
    addHermiteLift(lift, features, deviation.features ** 2, report, scratch);
    for (let j = 1; j <= lift.degree; j++) {
      for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++)
        values[entry] += labels[j] * report[entry];
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
