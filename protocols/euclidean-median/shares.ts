import { checkPositive, refusal } from '../../src/check/number.ts';
import type { RadialFeatures } from './blocks.ts';
import { blockCoefficient, liftedGradientNoise } from './expansion.ts';

/** The place the default shares are best for: ‖w‖² there. */
const REFERENCE_SQUARED_NORM = 0.25;

/** Least share of a block of features: those that only values use, or that w = 0 does not need. */
const LEAST_SHARE = 0.03;

/**
 * Scales of the blocks that make the noise of the gradient 2(1 − r/2)^k·(w − x) least at ‖w‖ = ½: the squared scale of a block
 * is proportional to the root of the noise it brings with scale 1, but at least 3 % of the largest.
 */
export function defaultScales(features: RadialFeatures): number[] {
  const { dimension, degree, blocks } = features;
  const gradient = Array.from({ length: degree + 1 }, (_, k) => 2 * binomial(degree, k) * (-0.5) ** k);
  const roots = blocks.map((block) =>
    Math.sqrt(liftedGradientNoise(block, gradient, gradient, dimension, REFERENCE_SQUARED_NORM)),
  );
  const most = Math.max(...roots);
  return normalised(roots.map((root) => Math.max(root, LEAST_SHARE * most)));
}

/**
 * Scales from shares.
 *
 * @throws RangeError naming the entry.
 */
export function scalesFrom(shares: readonly number[], blocks: number): number[] {
  if (!Array.isArray(shares) || shares.length !== blocks) {
    throw new RangeError(refusal('shares', `${blocks} positive numbers`, shares?.length));
  }
  const total = shares.reduce((sum, share, i) => sum + checkPositive(`shares[${i}]`, share), 0);
  shares.forEach((share, i) => {
    if (!(share / total >= 1e-12)) throw new RangeError(refusal(`shares[${i}]`, 'at least 1e-12 of their sum', share));
  });
  return normalised(shares);
}

function normalised(shares: readonly number[]): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => Math.sqrt(share / total));
}

function binomial(n: number, k: number): number {
  return blockCoefficient(n, { radial: k, power: 0 });
}
