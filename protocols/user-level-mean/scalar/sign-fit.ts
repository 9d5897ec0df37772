import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import type { LocatedInterval } from '../course.ts';
import type { SignAnswers } from './noisy-means.ts';
import type { SignQuestion } from './question.ts';

const { abs, ceil, exp, log, max, min, PI, sqrt } = Math;

/** What is known before the answers: y ~ N(μ, σ²) with μ in an interval, and σ known or in an interval. */
export interface NormalRange extends LocatedInterval {
  /** σ if it is known; otherwise the least σ, the σ above which it is unusual, and the largest. */
  readonly deviation: number | readonly [number, number, number];
  /** A smaller σ, to which the search goes down if the answers point there; the least of the interval by default. */
  readonly floor?: number;
  /** γ, the skewness of local means, if it is public; 0 by default. */
  readonly skew?: number;
}

export interface SignFit {
  readonly mean: number;
  readonly standardError: number;
  /** σ, on the logarithmic scale. */
  readonly deviation: number;
  /** The standard error of log σ; 0 if σ is known. */
  readonly deviationError: number;
}

// The number of grid points along μ at the first look, and at each closer look.
const FIRST = 48;
const CLOSER = 15;
/** The number of grid points along log σ once μ is settled; before, there is one for each step of this length. */
const SPREADS = 7;
const SPREAD_STEP = 1;
/** The largest number of closer looks; each narrows the window to what the last look left. */
const LOOKS = 40;
/** Half the width of a window, in standard deviations of what is known: the part outside weighs less than 1e-7. */
const RANGE = 5.5;
/** A window that turns out too narrow becomes this many times wider to either side. */
const WIDER = 2;
/** Grid steps below this are fine: sums at steps of h deviations have an error of 2·exp(−2π²/h²). */
const FINE = 1;
const FINE_SPREAD = 1.9;
/** The power by which the prior makes unusual σ less likely. */
const UNUSUAL = 3;

/** A grid of μ from `lower` to `upper`, and of log σ from `low` to `high`. */
interface Window extends LocatedInterval {
  readonly points: number;
  readonly low: number;
  readonly high: number;
  readonly spreads: number;
}

const stepOf = ({ lower, upper, points }: Window): number => (upper - lower) / (points - 1);
const spreadStepOf = ({ low, high, spreads }: Window): number => (spreads === 1 ? 0 : (high - low) / (spreads - 1));

/**
 * Mean and standard deviation of μ given all the answers. The prior is flat in μ on the interval, and flat in log σ up
 * to the usual σ, beyond which it falls with σ⁻³. With enough answers these are the maximum of the likelihood and its
 * standard error. With few answers they state honestly how little is known, even if the likelihood has several peaks.
 *
 * Law: P(yes) = ½ + κ(F − ½), where F is the average of Φ(z) + γ/6·(z² − 1)φ(z) over the thresholds of the cell, z = (μ − t)/σ
 * (Edgeworth). Local means are normal only as m grows: a skewness γ = κ₃/√m that is not public moves the estimate, at one
 * threshold, by −γσ/6.
 */
export function fitSigns(answers: readonly SignAnswers[], range: NormalRange): SignFit {
  const [least, usual, largest] =
    typeof range.deviation === 'number' ? [range.deviation, range.deviation, range.deviation] : range.deviation;
  const known = least === largest;
  // A first window that reached down to the floor would be too coarse in all other cases.
  const ends = [log(min(least, range.floor ?? least)), log(largest)] as const;
  let window: Window = {
    lower: range.lower,
    upper: range.upper,
    points: FIRST,
    low: log(least),
    high: log(largest),
    spreads: known ? 1 : 1 + ceil(log(largest / least) / SPREAD_STEP),
  };
  for (let closer = 0; ; closer++) {
    const fit = look(answers, window, log(usual), range.skew ?? 0);
    const settled = stepOf(window) <= FINE * fit.standardError;
    const fine = settled && spreadStepOf(window) <= FINE_SPREAD * fit.deviationError;
    const wider = widened(window, fit, range, ends);
    if (closer === LOOKS || (fine && wider === undefined)) return fit;
    window = wider ?? narrowed(window, fit, range, settled && !known);
  }
}

/** The window around what a look left, 1½ steps on either side. σ is narrowed once μ is settled: a wrong σ misleads. */
function narrowed(window: Window, fit: SignFit, { lower, upper }: NormalRange, spreadToo: boolean): Window {
  const range = max(RANGE * fit.standardError, 1.5 * stepOf(window));
  const next = { ...window, points: CLOSER, lower: max(lower, fit.mean - range), upper: min(upper, fit.mean + range) };
  if (!spreadToo) return next;
  const spread = max(RANGE * fit.deviationError, 1.5 * spreadStepOf(window));
  const centre = log(fit.deviation);
  return { ...next, low: max(window.low, centre - spread), high: min(window.high, centre + spread), spreads: SPREADS };
}

/** A wider window if the answers point beyond an end of this one, as after μ was narrowed for a wrong σ. */
function widened(window: Window, fit: SignFit, range: NormalRange, ends: readonly number[]): Window | undefined {
  const [step, spreadStep] = [stepOf(window), spreadStepOf(window)];
  const { lower, upper, low, high } = window;
  const centre = log(fit.deviation);
  const beyond =
    (fit.mean - lower < 2 * step && lower > range.lower) || (upper - fit.mean < 2 * step && upper < range.upper);
  const spreadBeyond =
    (centre - low < 0.75 * spreadStep && low > ends[0]) || (high - centre < 0.75 * spreadStep && high < ends[1]);
  if (!beyond && !spreadBeyond) return undefined;
  const [half, spreadHalf] = [WIDER * (upper - lower), WIDER * (high - low)];
  const next = beyond
    ? { lower: max(range.lower, fit.mean - half), upper: min(range.upper, fit.mean + half), points: FIRST }
    : {};
  if (!spreadBeyond) return { ...window, ...next };
  return { ...window, ...next, low: max(ends[0], centre - spreadHalf), high: min(ends[1], centre + spreadHalf) };
}

// Scratch of the loops, kept between calls; each call overwrites it.
let weights = new Float64Array(FIRST * SPREADS);

/** Moments of the posterior on a grid. */
function look(answers: readonly SignAnswers[], window: Window, usual: number, skew: number): SignFit {
  const { lower, low, points, spreads } = window;
  if (weights.length < points * spreads) weights = new Float64Array(points * spreads);
  const [step, spreadStep] = [stepOf(window), spreadStepOf(window)];
  let largest = -Infinity;
  for (let s = 0; s < spreads; s++) {
    const sigma = exp(low + spreadStep * s);
    const prior = -UNUSUAL * max(0, low + spreadStep * s - usual);
    for (let i = 0; i < points; i++) {
      let sum = prior;
      for (const { question, counts } of answers) sum += logLikelihood(question, counts, lower + step * i, sigma, skew);
      weights[s * points + i] = sum;
      if (sum > largest) largest = sum;
    }
  }
  let [total, first, second, logs, squares] = [0, 0, 0, 0, 0];
  for (let s = 0; s < spreads; s++) {
    for (let i = 0; i < points; i++) {
      // Trapezoids: half weight at the ends.
      const end = (i === 0 || i === points - 1 ? 0.5 : 1) * (spreads > 1 && (s === 0 || s === spreads - 1) ? 0.5 : 1);
      const weight = end * exp(weights[s * points + i] - largest);
      total += weight;
      first += weight * i;
      second += weight * i * i;
      logs += weight * s;
      squares += weight * s * s;
    }
  }
  const [mean, spread] = [first / total, logs / total];
  return {
    mean: lower + step * mean,
    standardError: step * sqrt(max(0, second / total - mean * mean)),
    deviation: exp(low + spreadStep * spread),
    deviationError: spreadStep * sqrt(max(0, squares / total - spread * spread)),
  };
}

function logLikelihood(
  question: SignQuestion,
  counts: ArrayLike<number>,
  mu: number,
  sigma: number,
  skew: number,
): number {
  const shares = cellShares(question, mu, sigma, skew);
  // At κ = 1, up to rounding, a wrong answer has probability 0; a floor keeps its logarithm finite.
  const kappa = question.coin.contrast * (1 - 2 ** -40);
  let sum = 0;
  for (let i = 0; i < question.cells; i++) {
    const share = kappa * (shares[i] - 0.5);
    sum += counts[2 * i + 1] * log(0.5 + share) + counts[2 * i] * log(0.5 - share);
  }
  return sum;
}

// Scratch; each call overwrites it.
let averages = new Float64Array(64);

/** The averages of P(y ≥ t) over the thresholds of each cell, by {@link fitSigns}. The array is valid until the next call. */
export function cellShares(
  { lower, upper, cells }: SignQuestion,
  mu: number,
  sigma: number,
  skew: number = 0,
): Float64Array {
  if (averages.length < cells) averages = new Float64Array(cells);
  const width = (upper - lower) / cells;
  // Thresholds nearly equal: the difference of the integrals would lose digits.
  if (width < 1e-2 * sigma) {
    for (let i = 0; i < cells; i++) {
      const z = (mu - lower - width * (i + 0.5)) / sigma;
      averages[i] = normalCdf(z);
      if (skew !== 0) averages[i] = min(1, max(0, averages[i] + (skew / 6) * (z * z - 1) * normalDensity(z)));
    }
    return averages;
  }
  const below = (z: number): number => (skew === 0 ? integral(z) : integral(z) - (skew / 6) * z * normalDensity(z));
  let before = below((mu - lower) / sigma);
  for (let i = 0; i < cells; i++) {
    const after = below((mu - lower - width * (i + 1)) / sigma);
    averages[i] = min(1, max(0, (sigma / width) * (before - after)));
    before = after;
  }
  return averages;
}

// ∫Φ and its slope Φ at −9, −9 + 1/64 … 9. Between nodes the cubic through both has an error of at most 2e-10.
const REST = 9;
const NODES = 64;
const table: Float64Array = new Float64Array(2 * (2 * REST * NODES + 2));
for (let i = 0; i <= 2 * REST * NODES + 1; i++) {
  const z = i / NODES - REST;
  const tail = normalDensity(z) - abs(z) * normalCdf(-abs(z));
  table[2 * i] = z > 0 ? z + tail : tail;
  table[2 * i + 1] = normalCdf(z) / NODES;
}

/** ∫ Φ up to z: zΦ(z) + φ(z). Most of the time of a fit is spent here, so it has no exponential. */
function integral(z: number): number {
  if (!(z > -REST)) return 0;
  if (z >= REST) return z;
  const place = (z + REST) * NODES;
  const node = place | 0;
  const u = place - node;
  const at = 2 * node;
  const rise = table[at + 2] - table[at];
  const [start, end] = [table[at + 1] - rise, table[at + 3] - rise];
  return table[at] + u * (rise + (1 - u) * ((1 - u) * start - u * end));
}

/** Half the range of unbiased bits in deviations of a local mean: a normal tail beyond it is a bias below 1e-4. */
export const RESIDUAL_REACH = 4;

/** The skewness γ of local means, with its standard error; the error is 0 if γ is public. */
export interface Skew {
  readonly skew: number;
  readonly standardError: number;
}

/**
 * Whether unbiased bits have less squared error than signs in the last round of n players. It compares the squared bias
 * E(γσ/6)² of a sign with (r² − π/2)σ²/(κ²n), where r is the reach. With γ = κ₃/√m this compares n·κ₃² with 36m, up to
 * the constant (r² − π/2)/κ².
 */
export function residualIsBetter({ skew, standardError }: Skew, contrast: number, players: number): boolean {
  const squared = skew * skew + standardError * standardError;
  return squared / 36 > (RESIDUAL_REACH ** 2 - PI / 2) / (contrast * contrast * players);
}

/**
 * How far the range of unbiased bits extends below and above the centre, in standard deviations of a local mean. For
 * any law, the part beyond w deviations gives a bias of at most about σ/(4w), and the standard deviation of the mean of
 * the bits is wσ/(2κ√n). Both are equal at w² = κ√n/2. Tails fall with the skewness, as 1/√m. If the sign of γ is
 * known, only the longer tail is covered.
 *
 * Law: E(y − μ − wσ)₊ ≤ σ(√(w² + 1) − w)/2, for any law of variance σ².
 */
export function residualRadius(
  { skew, standardError }: Skew,
  contrast: number,
  players: number,
  samples: number,
): readonly [below: number, above: number] {
  const far = max(RESIDUAL_REACH, sqrt((contrast * sqrt(players)) / (2 * sqrt(samples))));
  const known = abs(skew) > 2 * standardError;
  return [known && skew > 0 ? RESIDUAL_REACH : far, known && skew < 0 ? RESIDUAL_REACH : far];
}

/** γ of local means of m samples, from the measured and the usual value: a priori κ₃ is normal with variance 1. */
export function expectedSkew(measured: Skew, samples: number): Skew {
  const said = 1 / (measured.standardError * measured.standardError);
  return { skew: (measured.skew * said) / (said + samples), standardError: 1 / sqrt(said + samples) };
}

/** Points of a cell at which the slopes of its probability are averaged. */
const POINTS = 4;

/**
 * γ from the bits, by one step of scoring from γ = 0 at the fitted μ and σ: P(y < t) = Φ(z) − γ/6·(z² − 1)φ(z)
 * (Edgeworth). The part that μ and σ could explain as well is removed. If the bits contain no information on γ, its
 * standard error is infinite.
 *
 * Source: Rao 1948 (scores); Hall 1992, The bootstrap and Edgeworth expansion, section 2.3.
 */
export function skewOfSigns(answers: readonly SignAnswers[], { mean, deviation }: SignFit): Skew {
  // Information and score of (μ/σ, log σ, γ), upper triangle row by row.
  const information = new Float64Array(6);
  const score = new Float64Array(3);
  const slope = new Float64Array(3);
  for (const { question, counts } of answers) {
    const { lower, upper, cells, coin } = question;
    const kappa = coin.contrast * (1 - 2 ** -40);
    const shares = cellShares(question, mean, deviation);
    for (let i = 0; i < cells; i++) {
      const [no, yes] = [counts[2 * i], counts[2 * i + 1]];
      slope.fill(0);
      for (let p = 0; p < POINTS; p++) {
        const t = lower + ((upper - lower) * (i + (p + 0.5) / POINTS)) / cells;
        const z = (t - mean) / deviation;
        const density = (kappa * normalDensity(z)) / POINTS;
        slope[0] += density;
        slope[1] += density * z;
        slope[2] += (density * (z * z - 1)) / 6;
      }
      const probability = 0.5 + kappa * (shares[i] - 0.5);
      const weight = 1 / (probability * (1 - probability));
      const residual = weight * (yes - (no + yes) * probability);
      for (let a = 0, at = 0; a < 3; a++) {
        score[a] += residual * slope[a];
        for (let b = a; b < 3; b++) information[at++] += (no + yes) * weight * slope[a] * slope[b];
      }
    }
  }
  return efficientStep(information, score);
}

// The last of three parameters, after elimination of the first two; a prior of weight 1e-9 keeps the system solvable.
function efficientStep([mm, ms, mg, ss, sg, gg]: Float64Array, [m, s, g]: Float64Array): Skew {
  const [a, b] = [mm + 1e-9, ss + 1e-9];
  const determinant = a * b - ms * ms;
  const first = (b * mg - ms * sg) / determinant;
  const second = (a * sg - ms * mg) / determinant;
  const left = gg - first * mg - second * sg;
  // At the level of rounding of the sums, no information is left.
  if (!(left > 1e-12 * gg)) return { skew: 0, standardError: Infinity };
  return { skew: (g - first * m - second * s) / left, standardError: 1 / sqrt(left) };
}
