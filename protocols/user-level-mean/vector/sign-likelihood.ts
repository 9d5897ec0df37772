import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';

const { abs, log, max, round } = Math;

/** Beyond this many standard deviations a sign is certain up to 1e-12. */
const RANGE = 7;

/** The number of nodes per standard deviation. */
const NODES = 128;

/**
 * log(½ + κ(Φ(z) − ½)) and its first two derivatives at −7, −7 + 1/128 … 7: the likelihood of a randomized sign.
 * Taylor's formula around the nearest node has an error of at most 2e-8, so that a million signs have an error of at
 * most a fiftieth of a nat.
 */
export interface SignLikelihood {
  /** κ, the probability that a sign is reported unchanged, less that of a reversed sign. */
  readonly contrast: number;
  /** Value, slope and half the curvature for each node. */
  readonly nodes: Float64Array;
  /** The largest second derivative of the logarithm, either way: how sharply one sign can bend a likelihood. */
  readonly steepest: number;
}

// The last table made: every round of a plan needs the same.
let latest: SignLikelihood | undefined;

/** The table for a contrast in (0, 1]. */
export function signLikelihood(contrast: number): SignLikelihood {
  if (latest?.contrast === contrast) return latest;
  const count = 2 * RANGE * NODES + 1;
  const nodes = new Float64Array(3 * count);
  // At κ = 1, up to rounding, a wrong sign has probability 0; a floor keeps its logarithm finite.
  const kept = contrast * (1 - 2 ** -40);
  for (let i = 0; i < count; i++) {
    const z = i / NODES - RANGE;
    const probability = 0.5 + kept * (normalCdf(z) - 0.5);
    const slope = (kept * normalDensity(z)) / probability;
    nodes[3 * i] = log(probability);
    nodes[3 * i + 1] = slope;
    nodes[3 * i + 2] = -0.5 * slope * (z + slope);
  }
  let most = 0;
  for (let i = 2; i < nodes.length; i += 3) most = max(most, 2 * abs(nodes[i]));
  latest = { contrast, nodes, steepest: most };
  return latest;
}

/** The log probability of `above` signs +1 and `below` signs −1 reported at the distance z from the threshold. */
export function logSigns({ nodes }: SignLikelihood, z: number, above: number, below: number): number {
  const inside = z < -RANGE ? -RANGE : z > RANGE ? RANGE : z;
  const node = round((inside + RANGE) * NODES);
  const step = inside - (node / NODES - RANGE);
  const up = 3 * node;
  // For the other sign the table is read backwards: node −z.
  const down = nodes.length - 3 - up;
  return (
    above * (nodes[up] + step * (nodes[up + 1] + step * nodes[up + 2])) +
    below * (nodes[down] - step * (nodes[down + 1] - step * nodes[down + 2]))
  );
}
