import { normalCdf, normalDensity } from '../numeric/normal.ts';
import { type MarginLoss, slopesAt } from '../risk/margin-loss.ts';
import type { ClassLaw } from './class-law.ts';
import { type DiscreteLaw, equallySpacedLaw, mixedLaw, normalize } from './margin-law.ts';
import type { SmoothFunction } from './oracle.ts';
import { projectedGradient } from './projected-gradient.ts';
import { innerProduct } from './projection.ts';

const { exp, max, sqrt } = Math;

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
  const smooth = (t: number): number =>
    jumps.reduce((sum, { kink, jump }) => sum - jump * max(0, t - kink), loss.value(t));
  // At a kink both are those from the left.
  const slope = (t: number): number =>
    jumps.reduce((sum, { kink, jump }) => sum - (t > kink ? jump : 0), slopesAt(loss, t).left);
  const nodes = Float64Array.from({ length: NODES }, (_, i) => 12 * (i / (NODES - 1) - 0.5));
  const weights = nodes.map((u) => exp(-0.5 * u * u));
  const mass = weights.reduce((sum, weight) => sum + weight);
  return (mean, deviation, target) => {
    target.value = target.inMean = target.inDeviation = 0;
    for (let i = 0; i < NODES; i++) {
      const t = mean + deviation * nodes[i];
      const weight = weights[i] / mass;
      const slopeHere = slope(t);
      target.value += weight * smooth(t);
      target.inMean += weight * slopeHere;
      target.inDeviation += weight * slopeHere * nodes[i];
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
