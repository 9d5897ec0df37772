import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import type { SignAnswers } from './answers.ts';
import type { SignQuestion } from './question.ts';

const { abs, ceil, exp, log, max, min, PI, sqrt } = Math;

/** What is known before the answers: y ~ N(μ, σ²) with μ in an interval, and σ known or in an interval. */
export interface NormalRange {
  /** The least μ. */
  readonly lower: number;
  /** The largest μ. */
  readonly upper: number;
  /** σ where it is known, else the least, the one above which it is unusual, and the largest. */
  readonly deviation: number | readonly [number, number, number];
  /** A σ below the least of the interval, down to which it is looked for where the answers point there; by default the least. */
  readonly floor?: number;
}

/** What the answers say of μ and σ. */
export interface SignFit {
  /** μ. */
  readonly mean: number;
  /** Its standard error. */
  readonly standardError: number;
  /** σ, on the logarithmic scale. */
  readonly deviation: number;
  /** The standard error of log σ; 0 where σ is known. */
  readonly deviationError: number;
}

// Points along μ at the first look, and at each closer one.
const FIRST = 48;
const CLOSER = 15;
/** Points along log σ when μ is settled; before, one for each step of this length. */
const SPREADS = 7;
const SPREAD_STEP = 1;
/** Looks closer at most; each narrows the window to what the last one left. */
const LOOKS = 40;
/** Half the width of a window, in standard deviations of what is known: what is left out weighs less than 1e-7. */
const RANGE = 5.5;
/** A window that turns out too narrow becomes this many times wider to either side. */
const WIDER = 2;
/**
 * Steps of a grid, in standard deviations, from which it is fine. Sums over normal weights at steps of h deviations are off by
 * 2·exp(−2π²/h²): a few parts in 10⁹ along μ, half a percent along log σ.
 */
const FINE = 1;
const FINE_SPREAD = 1.9;
/** The power with which unusual σ are less likely beforehand. */
const UNUSUAL = 3;

/** A grid over (μ, log σ). */
interface Window {
  readonly lower: number;
  readonly upper: number;
  readonly points: number;
  /** Least and largest log σ. */
  readonly low: number;
  readonly high: number;
  readonly spreads: number;
}

const stepOf = ({ lower, upper, points }: Window): number => (upper - lower) / (points - 1);
const spreadStepOf = ({ low, high, spreads }: Window): number => (spreads === 1 ? 0 : (high - low) / (spreads - 1));

/**
 * Mean and standard deviation of what all the answers leave open about μ, from a prior that is flat on the interval and for
 * log σ, where it falls with σ⁻³ beyond what is usual. With enough answers that is the maximum of the likelihood and its standard
 * error; with few it tells honestly how little is known, also where the likelihood has several peaks.
 *
 * Law: P(yes) = ½ + κ(F − ½), F the average of Φ((μ − t)/σ) over the thresholds of the cell. That local means are normal holds
 * as m grows only: their skewness γ = κ₃/√m moves the estimate, at one threshold, by −γσ/6.
 */
export function fitSigns(answers: readonly SignAnswers[], range: NormalRange): SignFit {
  const [least, usual, largest] =
    typeof range.deviation === 'number' ? [range.deviation, range.deviation, range.deviation] : range.deviation;
  const known = least === largest;
  // A first window that reached down to the floor would be coarser for everybody else.
  const ends = [log(min(least, range.floor ?? least)), log(largest)] as const;
  let window: Window = {
    lower: range.lower,
    upper: range.upper,
    points: FIRST,
    low: log(least),
    high: log(largest),
    spreads: known ? 1 : 1 + ceil(log(largest / least) / SPREAD_STEP),
  };
  let fit = look(answers, window, log(usual));
  for (let closer = 0; closer < LOOKS; closer++) {
    const wider = widened(window, fit, range, ends);
    if (wider !== undefined) {
      window = wider;
      fit = look(answers, window, log(usual));
      continue;
    }
    const settled = stepOf(window) <= FINE * fit.standardError;
    if (settled && spreadStepOf(window) <= FINE_SPREAD * fit.deviationError) break;
    window = narrowed(window, fit, range, settled && !known);
    fit = look(answers, window, log(usual));
  }
  return fit;
}

/**
 * The window around what a look left. Between points of the grid nothing was seen: one step and a half to either side stay in.
 * σ is narrowed only once μ is settled: far from the true μ a wrong σ explains the answers better.
 */
function narrowed(window: Window, fit: SignFit, { lower, upper }: NormalRange, spreadToo: boolean): Window {
  const range = max(RANGE * fit.standardError, 1.5 * stepOf(window));
  const next = { ...window, points: CLOSER, lower: max(lower, fit.mean - range), upper: min(upper, fit.mean + range) };
  if (!spreadToo) return next;
  const spread = max(RANGE * fit.deviationError, 1.5 * spreadStepOf(window));
  const centre = log(fit.deviation);
  return { ...next, low: max(window.low, centre - spread), high: min(window.high, centre + spread), spreads: SPREADS };
}

/**
 * A wider window where the answers point beyond an end of this one, else undefined. That happens where μ was narrowed for a σ
 * that was not the right one.
 */
function widened(
  window: Window,
  fit: SignFit,
  range: NormalRange,
  ends: readonly [number, number],
): Window | undefined {
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

// Scratch of the loops, kept between calls and overwritten by each.
let weights = new Float64Array(FIRST * SPREADS);

/** Moments of the posterior on a grid. */
function look(answers: readonly SignAnswers[], window: Window, usual: number): SignFit {
  const { lower, low, points, spreads } = window;
  if (weights.length < points * spreads) weights = new Float64Array(points * spreads);
  const [step, spreadStep] = [stepOf(window), spreadStepOf(window)];
  let largest = -Infinity;
  for (let s = 0; s < spreads; s++) {
    const sigma = exp(low + spreadStep * s);
    const prior = -UNUSUAL * max(0, low + spreadStep * s - usual);
    for (let i = 0; i < points; i++) {
      let sum = prior;
      for (const { question, counts } of answers) sum += logLikelihood(question, counts, lower + step * i, sigma);
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

/** Log-likelihood of the answers to one question at (μ, σ). */
function logLikelihood(question: SignQuestion, counts: ArrayLike<number>, mu: number, sigma: number): number {
  const shares = cellShares(question, mu, sigma);
  // At κ = 1 to rounding a wrong answer has the probability 0; a floor keeps its logarithm finite.
  const kappa = question.coin.contrast * (1 - 2 ** -40);
  let sum = 0;
  for (let i = 0; i < question.cells; i++) {
    const share = kappa * (shares[i] - 0.5);
    sum += counts[2 * i + 1] * log(0.5 + share) + counts[2 * i] * log(0.5 - share);
  }
  return sum;
}

// Scratch, overwritten by each call.
let averages = new Float64Array(64);

/**
 * The averages of Φ((μ − t)/σ) over the thresholds of each cell: one value of Φ and φ for each end of a cell. The array is good
 * until the next call.
 */
export function cellShares({ lower, upper, cells }: SignQuestion, mu: number, sigma: number): Float64Array {
  if (averages.length < cells) averages = new Float64Array(cells);
  const width = (upper - lower) / cells;
  // Thresholds as good as one: the difference of the integrals would lose digits.
  if (width < 1e-2 * sigma) {
    for (let i = 0; i < cells; i++) averages[i] = normalCdf((mu - lower - width * (i + 0.5)) / sigma);
    return averages;
  }
  let before = integral((mu - lower) / sigma);
  for (let i = 0; i < cells; i++) {
    const after = integral((mu - lower - width * (i + 1)) / sigma);
    averages[i] = min(1, max(0, (sigma / width) * (before - after)));
    before = after;
  }
  return averages;
}

// ∫Φ and its slope Φ at −9, −9 + 1/64 … 9. Between nodes the cubic through both is right to 2e-10.
const REST = 9;
const NODES = 64;
const table: Float64Array = new Float64Array(2 * (2 * REST * NODES + 2));
for (let i = 0; i <= 2 * REST * NODES + 1; i++) {
  const z = i / NODES - REST;
  const tail = normalDensity(z) - abs(z) * normalCdf(-abs(z));
  table[2 * i] = z > 0 ? z + tail : tail;
  table[2 * i + 1] = normalCdf(z) / NODES;
}

/** ∫ Φ up to z: zΦ(z) + φ(z). The hot spot of a fit; no exponential in it. */
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

/** Half the range of unbiased bits in standard deviations of a local mean: a normal tail beyond costs a bias below 1e-4 of one. */
export const RESIDUAL_REACH = 4;

/** The skewness γ of local means, with its standard error; 0 where it is public. */
export interface Skew {
  readonly skew: number;
  readonly standardError: number;
}

/**
 * Whether unbiased bits have less squared error than signs in the last round of n players: the squared bias E(γσ/6)² of a sign
 * against (r² − π/2)σ²/(κ²n), r the reach. With γ = κ₃/√m that is n·κ₃² against 36m, up to the constant (r² − π/2)/κ².
 */
export function residualIsBetter({ skew, standardError }: Skew, contrast: number, players: number): boolean {
  const squared = skew * skew + standardError * standardError;
  return squared / 36 > (RESIDUAL_REACH ** 2 - PI / 2) / (contrast * contrast * players);
}

/**
 * How far the range of unbiased bits reaches below and above the centre, in standard deviations of a local mean. Whatever the
 * law, what lies beyond w deviations costs a bias of at most about σ/(4w), and the bits vary by wσ/(2κ√n): both are the same at
 * w² = κ√n/2. Tails fall with the skewness, as 1/√m. Where the sign of γ is known, only the longer tail is followed.
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

/**
 * γ of local means of m samples, from what was measured and what is usual: κ₃ is taken as normal with variance 1 beforehand (that
 * of uniform samples is 0, that of exponential ones 2).
 */
export function expectedSkew(measured: Skew, samples: number): Skew {
  const said = 1 / (measured.standardError * measured.standardError);
  return { skew: (measured.skew * said) / (said + samples), standardError: 1 / sqrt(said + samples) };
}

/** Points of a cell at which the slopes of its probability are averaged. */
const POINTS = 4;

/**
 * γ from the bits, by one step of scoring from γ = 0 at the fitted μ and σ: P(y < t) = Φ(z) − γ/6·(z² − 1)φ(z) (Edgeworth). What
 * μ and σ could explain as well is taken out. Where the bits say nothing of γ its standard error is infinite.
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

// The last of three parameters, with the first two eliminated; a prior of weight 1e-9 keeps what is not asked solvable.
function efficientStep([mm, ms, mg, ss, sg, gg]: Float64Array, [m, s, g]: Float64Array): Skew {
  const [a, b] = [mm + 1e-9, ss + 1e-9];
  const determinant = a * b - ms * ms;
  const first = (b * mg - ms * sg) / determinant;
  const second = (a * sg - ms * mg) / determinant;
  const left = gg - first * mg - second * sg;
  // Below rounding of the sums nothing is left.
  if (!(left > 1e-12 * gg)) return { skew: 0, standardError: Infinity };
  return { skew: (g - first * m - second * s) / left, standardError: 1 / sqrt(left) };
}
