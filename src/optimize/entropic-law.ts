import { addProducts, innerProduct } from '../numeric/matrix.ts';
import { fillLift, type Lift } from '../polynomial/lift.ts';
import type { CorrectedMoments } from './corrected-risk.ts';

const { exp, log, max, min, sqrt } = Math;

/** A law of the margins t = ⟨w, v⟩ of all players on equally spaced places of [−R, R]. */
export interface DiscreteLaw {
  readonly points: Float64Array;
  readonly masses: Float64Array;
}

/** A law on N points, and measured means of functions φ of them. */
export interface EntropicProblem {
  /** The masses p of the points, N numbers. */
  readonly masses: Float64Array;
  /** The D functions at each point, N rows of D numbers. */
  readonly powers: Float64Array;
  /** The measured means T, D numbers. */
  readonly target: Float64Array;
  /** The variances s² of their noise, D numbers, all positive. */
  readonly price: Float64Array;
  readonly temperature: number;
  /** What may be left to gain when the search ends. */
  readonly enough: number;
}

export function meanPowers(masses: Float64Array, powers: Float64Array, width: number): Float64Array {
  const mean = new Float64Array(width);
  for (let i = 0, at = 0; i < masses.length; i++) {
    const mass = masses[i];
    for (let e = 0; e < width; e++) mean[e] += mass * powers[at++];
  }
  return mean;
}

/** Steps of Newton at most, and points whose products are summed together. */
const [STEPS, TOGETHER] = [40, 64];

/** An old second derivative stays while a step leaves at most this part of the decrease that the step before expected. */
const QUICK = 0.3;

/**
 * The law q of least KL(q ‖ p)/τ + ½·Σ (E_q φ − T)²/s²: q is p·exp(τ·⟨λ, φ⟩) up to a factor, and λ minimises the dual
 * log(E_p exp(τ·⟨λ, φ⟩))/τ − ⟨λ, T⟩ + ½·Σ λ²s², which is smooth and convex. Newton steps find it. With measurements without noise q is the law of
 * maximal entropy with these means; where the noise is large it is p.
 * Shape: writes the masses of q into `tilted` and returns λ; the search begins at `start`.
 * Source: Jaynes 1957 (maximal entropy); Dudík, Phillips and Schapire 2007 (constraints with an error).
 */
export function tilt(problem: EntropicProblem, start: Float64Array, tilted: Float64Array): Float64Array {
  const { masses, powers, target, price, temperature, enough } = problem;
  const width = target.length;
  const dual = (lambda: Float64Array): number => {
    let most = -Infinity;
    for (let i = 0, at = 0; i < masses.length; i++) {
      let sum = 0;
      for (let e = 0; e < width; e++) sum += lambda[e] * powers[at++];
      tilted[i] = temperature * sum;
      most = max(most, tilted[i]);
    }
    let whole = 0;
    for (let i = 0; i < masses.length; i++) whole += tilted[i] = masses[i] * exp(tilted[i] - most);
    for (let i = 0; i < masses.length; i++) tilted[i] /= whole;
    let value = (most + log(whole)) / temperature;
    for (let e = 0; e < width; e++) value += lambda[e] * (0.5 * price[e] * lambda[e] - target[e]);
    return value;
  };
  const factor = new Float64Array((width * (width + 1)) / 2);
  const weighted = new Float64Array(TOGETHER * width);
  /** The Cholesky factor of the second derivative of the dual where the search is. */
  const factorise = (mean: Float64Array): void => {
    factor.fill(0);
    for (let from = 0; from < masses.length; from += TOGETHER) {
      const to = min(from + TOGETHER, masses.length);
      const rows = powers.subarray(from * width, to * width);
      for (let i = 0, at = 0; i < to - from; i++) {
        const mass = tilted[from + i];
        for (let e = 0; e < width; e++, at++) weighted[at] = mass * rows[at];
      }
      addProducts(weighted, rows, rows.length, width, factor);
    }
    for (let e = 0, entry = 0; e < width; e++) {
      for (let k = 0; k <= e; k++, entry++) {
        factor[entry] = temperature * (factor[entry] - mean[e] * mean[k]) + (k === e ? price[e] : 0);
      }
    }
    choleskyInPlace(factor, width);
  };
  let lambda = start;
  let value = dual(lambda);
  let before = 0;
  for (let step = 0; step < STEPS; step++) {
    const mean = meanPowers(tilted, powers, width);
    const gradient = mean.map((m, e) => m - target[e] + price[e] * lambda[e]);
    // An old second derivative serves as long as its steps come near the minimum quickly.
    let move = step > 0 ? solveWith(factor, gradient) : gradient;
    if (!(step > 0 && innerProduct(gradient, move) < QUICK * before)) {
      factorise(mean);
      move = solveWith(factor, gradient);
    }
    const decrement = innerProduct(gradient, move);
    before = decrement;
    if (!(decrement > 2 * enough)) break;
    let length = 1;
    let next = lambda;
    let lower = value;
    for (; length > 1e-5; length /= 2) {
      next = lambda.map((l, e) => l - length * move[e]);
      lower = dual(next);
      if (lower <= value - 0.2 * length * decrement) break;
    }
    if (!(lower < value)) {
      dual(lambda);
      break;
    }
    [lambda, value] = [next, lower];
  }
  return lambda;
}

function choleskyInPlace(triangle: Float64Array, width: number): void {
  for (let i = 0, row = 0; i < width; row += ++i) {
    for (let j = 0, above = 0; j <= i; above += ++j) {
      let sum = triangle[row + j];
      for (let k = 0; k < j; k++) sum -= triangle[row + k] * triangle[above + k];
      triangle[row + j] = i === j ? sqrt(max(sum, Number.MIN_VALUE)) : sum / triangle[above + j];
    }
  }
}

/** x with LLᵀx = g, for a packed lower triangle L. */
function solveWith(factor: Float64Array, right: Float64Array): Float64Array {
  const width = right.length;
  const solution = right.slice();
  for (let i = 0, row = 0; i < width; row += ++i) {
    for (let k = 0; k < i; k++) solution[i] -= factor[row + k] * solution[k];
    solution[i] /= factor[row + i];
  }
  for (let i = width - 1; i >= 0; i--) {
    const row = (i * (i + 1)) / 2;
    solution[i] /= factor[row + i];
    for (let k = 0; k < i; k++) solution[k] -= factor[row + k] * solution[i];
  }
  return solution;
}

/** The moments E t^j = ⟨sym^j(w), T_j⟩ of the margins of w for j = 1 … J, from the moments of the players' v. */
export function marginMoments(lift: Lift, values: Float64Array, w: Float64Array, scratch: Float64Array): Float64Array {
  fillLift(lift, lift.weight, w, scratch);
  const moments = new Float64Array(lift.degree);
  for (let j = 1; j <= lift.degree; j++) {
    let sum = 0;
    for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) sum += scratch[entry] * values[entry];
    moments[j - 1] = sum;
  }
  return moments;
}

const NEAR = 1e-14;

/**
 * The law nearest to `prior` in relative entropy whose moments E t^j agree with measured m_1 … m_J as far as their noise,
 * of the `variances` s_j², allows: see `tilt`, with the functions (t/R)^j.
 */
export function entropicLaw(prior: DiscreteLaw, moments: Float64Array, variances: ArrayLike<number>): DiscreteLaw {
  const { points, masses } = prior;
  const radius = points[points.length - 1];
  const count = moments.length;
  const powers = new Float64Array(points.length * count);
  points.forEach((t, i) => {
    let power = 1;
    for (let j = 0; j < count; j++) powers[i * count + j] = power *= t / radius;
  });
  const target = moments.map((m, j) => m / radius ** (j + 1));
  const price = Float64Array.from(target, (_, j) => variances[j] / radius ** (2 * j + 2) + 1e-12);
  const found = new Float64Array(points.length);
  tilt({ masses, powers, target, price, temperature: 1, enough: NEAR }, new Float64Array(count), found);
  return { points, masses: found };
}

/** The law of the margins of w that moments say, as far as their noise allows: see {@link entropicLaw}. */
export function marginLawOf(
  { lift, values, noise }: CorrectedMoments,
  w: Float64Array,
  prior: DiscreteLaw,
  scratch: Float64Array,
): DiscreteLaw {
  const square = innerProduct(w, w);
  const variances = noise.map((variance, j) => variance * square ** (j + 1));
  return entropicLaw(prior, marginMoments(lift, values, w, scratch), variances);
}
