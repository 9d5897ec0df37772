import { innerProduct } from '../numeric/matrix.ts';
import { normalCdf, normalDensity } from '../numeric/normal.ts';
import { fillLift, type Lift } from '../polynomial/lift.ts';
import { type MarginLoss, slopesAt } from '../risk/margin-loss.ts';
import { projectedGradient } from './ball.ts';
import type { ClassLaw } from './class-law.ts';
import type { CorrectedMoments } from './corrected-risk.ts';
import { tilt } from './entropic-law.ts';
import type { SmoothFunction } from './oracle.ts';

const { exp, max, sqrt } = Math;

/** Places of a law of margins: enough for risks to four digits. */
export const MARGIN_PLACES = 241;

/** A law of the margins t = ⟨w, v⟩ of all players on equally spaced places of [−R, R]. */
export interface DiscreteLaw {
  /** The places, ascending from −R to R. */
  readonly points: Float64Array;
  /** Their probabilities; they sum to 1. */
  readonly masses: Float64Array;
}

/**
 * The law of the margin in a direction of which nothing is known yet: N(0, R²·E‖v‖²/p), cut off at ±R.
 *
 * Shape: `meanSquare` is E‖v‖².
 */
export function isotropicLaw(radius: number, meanSquare: number, dimension: number): DiscreteLaw {
  const deviation = radius * sqrt(meanSquare / dimension);
  return equallySpacedLaw(radius, (t) => exp(-0.5 * (t / deviation) ** 2));
}

/** The law on the places of [−R, R] with masses in proportion to a density. */
function equallySpacedLaw(radius: number, density: (t: number) => number): DiscreteLaw {
  const points = Float64Array.from({ length: MARGIN_PLACES }, (_, i) => radius * ((2 * i) / (MARGIN_PLACES - 1) - 1));
  const masses = points.map(density);
  normalize(masses);
  return { points, masses };
}

/** Divides masses by their sum. */
export function normalize(masses: Float64Array): void {
  let sum = 0;
  for (const mass of masses) sum += mass;
  for (let i = 0; i < masses.length; i++) masses[i] /= sum;
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

/** How near the minimum a law of margins is sought. */
const NEAR = 1e-14;

/**
 * The law nearest to `prior` in relative entropy whose moments E t^j agree with noisy measurements of them, each as far
 * as its noise allows: see `tilt`, with the functions (t/R)^j.
 *
 * Shape: `moments` are m_1 … m_J, `variances` the s_j² of their noise.
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

/** E f(t) under a law. */
export function lawMean({ points, masses }: DiscreteLaw, f: (t: number) => number): number {
  return masses.reduce((sum, mass, i) => sum + mass * f(points[i]), 0);
}

/**
 * The law of the places τ on the way from the margin 0 of w = 0 to the margin t: τ has the density P(t beyond τ), up to
 * a factor. L(w) − L(0) is the mean of ∫_0^t f′(τ) dτ, so an error of a polynomial in the place of f′ counts with it.
 */
export function pathLaw({ points, masses }: DiscreteLaw): DiscreteLaw {
  const beyond = new Float64Array(points.length);
  let sum = 0;
  for (let i = 0; i < points.length && points[i] <= 0; i++) beyond[i] = sum += masses[i];
  sum = 0;
  for (let i = points.length - 1; points[i] > 0; i--) beyond[i] = sum += masses[i];
  normalize(beyond);
  return { points, masses: beyond };
}

/** A mixture of two laws on the same places: `share` of the second. */
export function mixedLaw(first: DiscreteLaw, second: DiscreteLaw, share: number): DiscreteLaw {
  const masses = first.masses.map((mass, i) => (1 - share) * mass + share * second.masses[i]);
  return { points: first.points, masses };
}

/** E f(T) for T ~ N(m, s²), and its derivatives in m and s. */
interface NormalMean {
  value: number;
  inMean: number;
  inDeviation: number;
}

/** Nodes of the trapezoidal rule over six deviations on each side: exact to eleven digits for a smooth loss. */
const NODES = 25;

/**
 * E f(T) of a normal T: the kinks in closed form, E(T − k)₊ = (m − k)Φ(z) + sφ(z), z = (m − k)/s; the rest of f by a rule.
 */
function normalMeanOf(loss: MarginLoss): (mean: number, deviation: number, target: NormalMean) => void {
  const jumps = loss.kinks.map((kink) => {
    const { left, right } = slopesAt(loss, kink);
    return { kink, jump: right - left };
  });
  const nodes = Float64Array.from({ length: NODES }, (_, i) => 12 * (i / (NODES - 1) - 0.5));
  const weights = nodes.map((u) => exp(-0.5 * u * u));
  const mass = weights.reduce((sum, weight) => sum + weight);
  const parts = weights.map((weight) => weight / mass);
  return (mean, deviation, target) => {
    target.value = target.inMean = target.inDeviation = 0;
    for (let i = 0; i < NODES; i++) {
      const t = mean + deviation * nodes[i];
      // The smooth part and its slope; at a kink both are those from the left.
      let value = loss.value(t);
      let slope = slopesAt(loss, t).left;
      for (const { kink, jump } of jumps) {
        value -= jump * max(0, t - kink);
        if (t > kink) slope -= jump;
      }
      target.value += parts[i] * value;
      target.inMean += parts[i] * slope;
      target.inDeviation += parts[i] * slope * nodes[i];
    }
    for (const { kink, jump } of jumps) {
      const z = (mean - kink) / deviation;
      const [above, density] = [normalCdf(z), normalDensity(z)];
      target.value += jump * ((mean - kink) * above + deviation * density);
      target.inMean += jump * above;
      target.inDeviation += jump * density;
    }
  };
}

/** The least deviation of a margin: a normal law needs one. */
const LEAST_DEVIATION = 1e-5;

/**
 * The mean over some laws of the risk E f(⟨w, v⟩), with its gradient. It is convex in w, since every margin is linear in w
 * for each draw of the normal laws.
 */
export function classRisk(laws: readonly ClassLaw[], loss: MarginLoss): SmoothFunction {
  const dimension = laws[0].means[0].length;
  const normalMean = normalMeanOf(loss);
  const found: NormalMean = { value: 0, inMean: 0, inDeviation: 0 };
  const turned = new Float64Array(dimension);
  const walk = (w: Float64Array, gradient: Float64Array | undefined): number => {
    gradient?.fill(0);
    let risk = 0;
    for (const law of laws) {
      const deviation = deviationOf(law, w, turned);
      for (let c = 0; c < law.means.length; c++) {
        const weight = law.shares[c] / laws.length;
        const mean = law.means[c];
        normalMean(innerProduct(mean, w), deviation, found);
        risk += weight * found.value;
        if (gradient === undefined) continue;
        const across = (weight * found.inDeviation) / deviation;
        const along = weight * found.inMean;
        for (let j = 0; j < dimension; j++) gradient[j] += along * mean[j] + across * turned[j];
      }
    }
    return risk;
  };
  return {
    dimension,
    value: (w) => walk(w, undefined),
    gradient(w, target) {
      walk(w, target);
    },
  };
}

/** √(wᵀΣw), with Σw left in `turned`. */
function deviationOf({ covariance }: ClassLaw, w: Float64Array, turned: Float64Array): number {
  const dimension = w.length;
  for (let i = 0; i < dimension; i++) {
    let sum = 0;
    for (let j = 0; j < dimension; j++) sum += covariance[i * dimension + j] * w[j];
    turned[i] = sum;
  }
  return max(sqrt(max(0, innerProduct(turned, w))), LEAST_DEVIATION);
}

/** The model in the ball of least mean risk over some laws. */
export function minimizeClassRisk(laws: readonly ClassLaw[], loss: MarginLoss, radius: number): Float64Array {
  const objective = classRisk(laws, loss);
  const start = new Float64Array(objective.dimension);
  return projectedGradient({ objective, radius, start, iterations: 300, tolerance: 1e-6 }).point;
}

/** A little weight everywhere: moments can move a law only to places that it knows. */
const ELSEWHERE = 0.02;

/** The law of the margin of w under some laws of v, on the places of [−R, R]. */
export function classMarginLaw(laws: readonly ClassLaw[], w: Float64Array, radius: number): DiscreteLaw {
  const everywhere = equallySpacedLaw(radius, () => 1);
  const { points } = everywhere;
  const masses = new Float64Array(points.length);
  const least = points[1] - points[0];
  const turned = new Float64Array(w.length);
  for (const law of laws) {
    const deviation = max(least, deviationOf(law, w, turned));
    law.means.forEach((mean, c) => {
      const middle = innerProduct(mean, w);
      const part = equallySpacedLaw(radius, (t) => exp(-0.5 * ((t - middle) / deviation) ** 2));
      for (let i = 0; i < masses.length; i++) masses[i] += (law.shares[c] / laws.length) * part.masses[i];
    });
  }
  normalize(masses);
  return mixedLaw({ points, masses }, everywhere, ELSEWHERE);
}
