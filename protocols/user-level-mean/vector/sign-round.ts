import { ReportError } from '../../../src/check/refusal.ts';
import { digestOf } from '../../../src/core/digest.ts';
import { COIN_UNITS, type TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import type { Release } from '../../../src/privacy/totals.ts';
import type { RoundChannel, RoundOfVectors, SampleDomain, UserLevelPlan } from '../shape.ts';
import type { Rotation } from './rotation.ts';

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

/**
 * A round of signs.
 *
 * Shape of a report: for each answered coordinate, 2·(number of the threshold) + (1 for above). If one coordinate is
 * answered, the number counts over all coordinates, otherwise within the coordinate. Shape of a tally: for each
 * threshold, the number of signs reported below and above it.
 */
export interface SignRound extends RoundOfVectors {
  readonly kind: 'sign';
  /** The number of coordinates in the question. */
  readonly size: number;
  /** `one` coordinate for each player, or `all`. */
  readonly answers: 'one' | 'all';
  /** The rotation of local means; absent if coordinates are not rotated. */
  readonly rotation?: Rotation;
  /** Two thresholds for each coordinate. */
  readonly thresholds: Float64Array;
  /** The coin that keeps a sign. */
  readonly coin: TwoLevels;
}

/** The fields that a round of signs takes from its plan. */
export interface SignPlan extends UserLevelPlan {
  /** The domain of the samples. */
  readonly domain: SampleDomain;
  /** `one` rotated coordinate for each player, drawn by its own coins, or `all`, not rotated. */
  readonly answers: 'one' | 'all';
  /** The rotation; absent if all coordinates are answered without one. */
  readonly rotation?: Rotation;
  /** The number of coordinates that are located: D with a rotation, otherwise d. */
  readonly size: number;
  /** Shares of the players, round after round. */
  readonly shares: readonly number[];
  /** The coin of every sign. */
  readonly coin: TwoLevels;
}

/** The round of a plan that requests signs at these thresholds. */
export function signRound(plan: SignPlan, round: number, thresholds: Float64Array): SignRound {
  const { protocol, variant, version, grade, bound, dimension, domain, size, answers, rotation, coin } = plan;
  const share = plan.shares[round];
  const digest = digestOf({ plan: plan.digest, round, kind: 'sign', thresholds: Array.from(thresholds) });
  const length = answers === 'one' ? 1 : size;
  const common = { protocol, variant, version, digest, grade, bound, dimension, domain, round, share, length };
  const rotated = rotation === undefined ? {} : { rotation };
  return { ...common, ...rotated, kind: 'sign', precision: 'uint32', size, answers, thresholds, coin };
}

/** The largest number of reports with all coordinates that is written out as a channel, 4^d. */
const LARGEST_CHANNEL = 4 ** 8;

/** The channel of a round. Signs are counted, so sums are whole numbers and do not depend on the order of additions. */
export function signRoundChannel(round: SignRound): RoundChannel {
  const { size, answers } = round;
  const outputs = answers === 'one' ? 4 * size : 4;
  return {
    sums: 4 * size,
    check(values) {
      for (let i = 0; i < values.length; i++) {
        if (!(values[i] < outputs)) throw new ReportError(`"report" expected whole numbers below ${outputs}`);
      }
    },
    add(sums, values) {
      if (answers === 'one') sums[values[0]]++;
      else for (let j = 0; j < size; j++) sums[4 * j + values[j]]++;
    },
    // The number of the threshold, and the sign.
    view: (values) => Array.from(values).flatMap((value) => [value >> 1, value & 1]),
    probabilities(image) {
      const each = signProbabilities(round, image);
      if (answers === 'one') return Float64Array.from(each, (probability) => probability / size);
      if (4 ** size > LARGEST_CHANNEL) return undefined;
      let joint = new Float64Array([1]);
      for (let j = 0; j < size; j++) {
        const next = new Float64Array(4 * joint.length);
        for (let i = 0; i < joint.length; i++) for (let k = 0; k < 4; k++) next[4 * i + k] = joint[i] * each[4 * j + k];
        joint = next;
      }
      return joint;
    },
    logRatio: () => undefined,
  };
}

/** For each coordinate y the probabilities of its four answers. */
function signProbabilities({ size, thresholds, coin }: SignRound, image: ArrayLike<number>): Float64Array {
  const keep = coin.keep / COIN_UNITS;
  const result = new Float64Array(4 * size);
  for (let j = 0; j < size; j++) {
    for (let which = 0; which < 2; which++) {
      const above = image[j] >= thresholds[2 * j + which];
      result[4 * j + 2 * which] = 0.5 * (above ? 1 - keep : keep);
      result[4 * j + 2 * which + 1] = 0.5 * (above ? keep : 1 - keep);
    }
  }
  return result;
}

/** The release of `count` signs of one player, by one coin. */
export function signRelease(what: string, count: number, coin: TwoLevels): Release {
  return {
    what,
    count,
    mechanism: 'randomized response',
    sensitivity: 1,
    scale: 1 / coin.contrast,
    guarantee: pure(coin.exactEpsilon),
  };
}
