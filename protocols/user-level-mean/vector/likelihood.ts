import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';

const { log, round } = Math;

/** Beyond so many standard deviations a sign is certain up to 1e-12. */
const RANGE = 7;

/** Nodes per standard deviation. */
const NODES = 128;

/**
 * log(½ + κ(Φ(z) − ½)) and its first two derivatives at −7, −7 + 1/128 … 7: the likelihood of a randomized sign. By Taylor's
 * formula around the nearest node it is right to 2e-8, so that a million signs are off by a fiftieth of a nat at the most.
 */
export interface SignLikelihood {
  /** κ, how much likelier a sign is reported as it is than turned. */
  readonly contrast: number;
  /** Value, slope and half the curvature of node after node. */
  readonly nodes: Float64Array;
}

// The last table made: every round of a plan needs the same.
let latest: SignLikelihood | undefined;

/** The table for a contrast in (0, 1]. */
export function signLikelihood(contrast: number): SignLikelihood {
  if (latest?.contrast === contrast) return latest;
  const count = 2 * RANGE * NODES + 1;
  const nodes = new Float64Array(3 * count);
  // At κ = 1 to rounding a wrong sign has the probability 0; a floor keeps its logarithm finite.
  const kept = contrast * (1 - 2 ** -40);
  for (let i = 0; i < count; i++) {
    const z = i / NODES - RANGE;
    const probability = 0.5 + kept * (normalCdf(z) - 0.5);
    const slope = (kept * normalDensity(z)) / probability;
    nodes[3 * i] = log(probability);
    nodes[3 * i + 1] = slope;
    nodes[3 * i + 2] = -0.5 * slope * (z + slope);
  }
  latest = { contrast, nodes };
  return latest;
}

/** log of the probability of `above` signs +1 and `below` signs −1 reported at the distance z from the threshold. */
export function logSigns({ nodes }: SignLikelihood, z: number, above: number, below: number): number {
  const inside = z < -RANGE ? -RANGE : z > RANGE ? RANGE : z;
  const node = round((inside + RANGE) * NODES);
  const step = inside - (node / NODES - RANGE);
  const up = 3 * node;
  // The table is used backwards for the other sign: node −z.
  const down = nodes.length - 3 - up;
  return (
    above * (nodes[up] + step * (nodes[up + 1] + step * nodes[up + 2])) +
    below * (nodes[down] - step * (nodes[down + 1] - step * nodes[down + 2]))
  );
}
