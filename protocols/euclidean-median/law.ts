const { max, min, sqrt } = Math;

/** A plausible law of r = ‖w − x‖²: most players near, a share of them far. */
export interface DistanceLaw {
  /** Values of r, ascending. */
  readonly nodes: Float64Array;
  /** Their probabilities. */
  readonly masses: Float64Array;
  /** E r, brought within what is possible. */
  readonly mean: number;
  /** Mean of r among those near. */
  readonly near: number;
  /** r of those far. */
  readonly far: number;
}

/** What is known of r. */
export interface DistanceMoments {
  /** E r. */
  readonly mean: number;
  /** E r²; undefined where the tally has no such moment. */
  readonly square: number | undefined;
  /** Largest r there can be, (1 + ‖w‖)². */
  readonly most: number;
}

/** Those near are at least this fraction of the mean of r away: two noisy moments cannot tell more. */
const NEAREST = 0.05;

/** Where the near players are, as multiples of their mean r: the radial spread of a cloud. */
const SPREAD: readonly number[] = [0.25, 0.75, 1.25, 1.75];

/**
 * The law with the given moments in which a given share is far: near a = E r − s√(κ/(1 − κ)), far b = E r + s√((1 − κ)/κ), s
 * the standard deviation of r, brought within what ‖x‖ ≤ 1 allows.
 *
 * Why two scales: 1/(2√r) is steep near 0, and one scale, matched to the mean, gives those far the weight of those near.
 */
export function plausibleLaw({ mean, square, most }: DistanceMoments, share: number): DistanceLaw {
  const first = min(most, max(1e-4 * most, mean));
  // One moment only: as if r had an exponential law.
  const second = min(first * most, max(first * first, square ?? 2 * first * first));
  const deviation = sqrt(second - first * first);
  const near = max(NEAREST * first, first - deviation * sqrt(share / (1 - share)));
  const far = min(most, (first - (1 - share) * near) / share);
  const nodes = Float64Array.from([...SPREAD.map((factor) => factor * near), far]);
  const masses = Float64Array.from([...SPREAD.map(() => (1 - share) / SPREAD.length), share]);
  return { nodes, masses, mean: first, near, far };
}

/** E g(r) under the law. */
export function lawMean({ nodes, masses }: DistanceLaw, g: (r: number) => number): number {
  let sum = 0;
  for (let i = 0; i < nodes.length; i++) sum += masses[i] * g(nodes[i]);
  return sum;
}
