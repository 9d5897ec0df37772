import { logGamma, normalDensity } from 'ldpkit/inference';
import { sigmoid } from 'ldpkit/optimize';

const { exp, log, min, sqrt } = Math;

/** Points of the midpoint rule in each direction, and how far it goes. */
const ALONG = 160;
const ACROSS = 80;
const RANGE = 7;

interface Node {
  /** Position along (1, …, 1)/√d, and the norm of x = (1, z). */
  readonly along: number;
  readonly norm: number;
  readonly weight: number;
}

/** Standard normal z in polar coordinates around (1, …, 1): what the logistic model and norms depend on. */
function nodesOf(features: number): readonly Node[] {
  const nodes: Node[] = [];
  const rest = features - 1;
  const scale = log(2) * (1 - rest / 2) - logGamma(rest / 2);
  for (let i = 0; i < ALONG; i++) {
    const along = -RANGE + (i + 0.5) * ((2 * RANGE) / ALONG);
    for (let j = 0; j < ACROSS; j++) {
      const across = (j + 0.5) * (RANGE / ACROSS);
      const density = normalDensity(along) * exp(scale + (rest - 1) * log(across) - across ** 2 / 2);
      const weight = density * ((2 * RANGE) / ALONG) * (RANGE / ACROSS);
      nodes.push({ along, norm: sqrt(1 + along ** 2 + across ** 2), weight });
    }
  }
  return nodes;
}

/**
 * Where E[clip((σ(⟨θ, x⟩) − y)·x)] = 0 for the logistic model with all coefficients 1: the limit of clipped gradient descent,
 * as [intercept, slope], all slopes being equal by symmetry. By Newton's method on a midpoint rule, to about 1e-4.
 *
 * @throws RangeError for fewer than two features.
 */
export function clippedLogisticRoot(features: number, clip: number): readonly [number, number] {
  if (!(features >= 2)) throw new RangeError(`"features" expected at least 2, got ${features}`);
  const nodes = nodesOf(features);
  const root = sqrt(features);
  /** The expected clipped gradient in the intercept, and along (1, …, 1)/√d. */
  const score = (intercept: number, slope: number): readonly [number, number] => {
    const sums = [0, 0];
    for (const { along, norm, weight } of nodes) {
      const share = sigmoid(1 + root * along);
      const fitted = sigmoid(intercept + slope * root * along);
      // y = 1 and y = 0, with the clipped factor of each.
      const factor =
        share * (fitted - 1) * min(1, clip / (norm * (1 - fitted))) +
        (1 - share) * fitted * min(1, clip / (norm * fitted));
      sums[0] += weight * factor;
      sums[1] += weight * factor * along;
    }
    return [sums[0], sums[1]];
  };
  let [intercept, slope] = [1, 1];
  const step = 1e-5;
  for (let round = 0; round < 50; round++) {
    const [f, g] = score(intercept, slope);
    const [fb, gb] = score(intercept + step, slope);
    const [fs, gs] = score(intercept, slope + step);
    const [a, b, c, d] = [(fb - f) / step, (fs - f) / step, (gb - g) / step, (gs - g) / step];
    const determinant = a * d - b * c;
    const [moveB, moveS] = [(d * f - b * g) / determinant, (a * g - c * f) / determinant];
    intercept -= moveB;
    slope -= moveS;
    if (Math.abs(moveB) + Math.abs(moveS) < 1e-9) break;
  }
  return [intercept, slope];
}
