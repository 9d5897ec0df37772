import type { SignAnswers } from './sign.ts';
import { logLikelihood } from './sign-likelihood.ts';

const { ceil, exp, log, max, min, sqrt } = Math;

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
