import { checkPositive, ReportError } from '../../../src/check/refusal.ts';
import type { Values } from '../../../src/core/frame.ts';
import { digestOf } from '../../../src/core/request.ts';
import { COIN_UNITS, type TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import { walshHadamard } from '../../../src/numeric/matrix.ts';
import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import { bits } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { type BinCounts, type BinQuestion, type NoisyQuestion, questionChannel } from '../scalar/question.ts';
import {
  type MeanTally,
  type OfVectors,
  type RoundChannel,
  type RoundOfVectors,
  roundFields,
  type UserLevelPlan,
} from '../shape.ts';

const { abs, log, max, round, sqrt } = Math;

/**
 * A public rotation of R^D, where D is the least power of two that is at least d: y ↦ H·diag(s)·y/√D. Here y is padded
 * with zeros, H is the Walsh–Hadamard matrix and s are random signs. It spreads every vector: each coordinate of the
 * image is a Rademacher sum, so it is subgaussian with standard deviation ‖y‖₂/√D.
 *
 * Source: Ailon, Chazelle (2009), The fast Johnson–Lindenstrauss transform, section 2.
 */
export interface Rotation {
  /** d, the number of coordinates before the padding. */
  readonly dimension: number;
  /** D, a power of two. */
  readonly size: number;
  /** s/√D, for the first d coordinates; the other signs would only multiply zeros. */
  readonly signs: Float64Array;
}

/** The rotation of a public seed; signs are the low bits of the seed's words. */
export function createRotation(dimension: number, seed: string): Rotation {
  let size = 1;
  while (size < dimension) size *= 2;
  const random = seededRandom(`${seed} rotation`);
  const signs = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) signs[i] = (bits(random) & 1 ? 1 : -1) / sqrt(size);
  return { dimension, size, signs };
}

/**
 * Writes row `index` of the rotation into the first d entries of `target`; a player who answers one coordinate needs
 * only this row.
 *
 * Law: H has the entry (−1)^(number of ones of i AND j) at (i, j), i and j from 0.
 */
export function fillRotationRow({ dimension, signs }: Rotation, index: number, target: Float64Array): void {
  for (let i = 0; i < dimension; i++) {
    // The parity of a word, folded into its low bit.
    let parity = i & index;
    parity ^= parity >>> 16;
    parity ^= parity >>> 8;
    parity ^= parity >>> 4;
    parity ^= parity >>> 2;
    parity ^= parity >>> 1;
    target[i] = parity & 1 ? -signs[i] : signs[i];
  }
}

/** The image of a vector of R^d: D numbers, the first entries of `image` if that is given. */
export function rotate(
  { dimension, size, signs }: Rotation,
  vector: ArrayLike<number>,
  image: Float64Array = new Float64Array(size),
): Float64Array {
  for (let i = 0; i < dimension; i++) image[i] = vector[i] * signs[i];
  image.fill(0, dimension, size);
  walshHadamard(image, size);
  return image;
}

/** The vector of R^d whose image is nearest to `image`: the inverse rotation without its padding. */
export function rotateBack({ dimension, signs }: Rotation, image: Float64Array): Float64Array {
  const vector = Float64Array.from(image);
  walshHadamard(vector);
  for (let i = 0; i < dimension; i++) vector[i] *= signs[i];
  return vector.slice(0, dimension);
}

/**
 * The lemma of the rotation: with probability 1 − ξ over the signs, no coordinate of n rotated vectors of norm at most
 * B is larger than B·√(2·ln(2Dn/ξ)/D).
 *
 * Source: Hoeffding's inequality for Rademacher sums, and a union bound over nD of them; slides of Avella Medina
 * (2023).
 * @throws TypeError or RangeError unless every number is > 0.
 */
export function rotationBound(bound: number, size: number, players: number, failure: number): number {
  checkPositive('bound', bound);
  const ratio =
    (2 * checkPositive('size', size) * checkPositive('players', players)) / checkPositive('failure', failure);
  return bound * sqrt((2 * log(ratio)) / size);
}

/**
 * A round that asks about rotated coordinates of a local mean the questions of a plan in one dimension: in which bin
 * the coordinate lies, or its value with noise.
 *
 * Shape of a report: for `one`, the number of the coordinate, drawn by the player's own coins, and the answer about it;
 * for `all`, the answers one after the other. Shape of a tally: for each coordinate, the number of answers and the sums
 * of its question.
 */
export interface CoordinateRound extends RoundOfVectors {
  readonly kind: 'coordinate';
  /** `one` coordinate for each player, or `all`. */
  readonly answers: 'one' | 'all';
  readonly size: number;
  readonly rotation: Rotation;
  /** The questions about the D rotated coordinates: all of one kind, by one mechanism, each on its own interval. */
  readonly questions: readonly (BinQuestion | NoisyQuestion)[];
}

/** The round of a plan with these questions. `repeats`: the players of earlier rounds answer again. */
export function coordinateRound(
  plan: UserLevelPlan & OfVectors & { readonly rotation: Rotation; readonly shares: readonly number[] },
  place: Pick<CoordinateRound, 'round' | 'answers'> & { readonly repeats?: boolean },
  questions: CoordinateRound['questions'],
): CoordinateRound {
  const { domain, rotation } = plan;
  const { round, answers, repeats = false } = place;
  const { size } = rotation;
  const { length, precision } = questionChannel(questions[0]);
  const ends = questions.flatMap(({ lower, upper }) => [lower, upper]);
  // All other fields of a question follow from the plan.
  const digest = digestOf({ plan: plan.digest, round, kind: questions[0].kind, answers, ends });
  return {
    ...roundFields(plan, round, plan.shares[round], repeats),
    ...{ kind: 'coordinate', digest, domain, precision, answers, size, rotation, questions },
    length: answers === 'one' ? 1 + length : size * length,
  };
}

function strideOf({ questions }: CoordinateRound): number {
  return 1 + questionChannel(questions[0]).sums;
}

/** The channel of a round: that of one question, drawn by the player, or of all questions one after the other. */
export function coordinateChannel(round: CoordinateRound): RoundChannel {
  const { size, questions, length } = round;
  const channels = questions.map(questionChannel);
  const stride = strideOf(round);
  const ratios = (first: ArrayLike<number>, second: ArrayLike<number>) =>
    channels.map(({ logRatio }, j) => logRatio(first[j], second[j]));
  const add = (sums: Float64Array, j: number, answer: Values): void => {
    sums[j * stride]++;
    channels[j].add(sums.subarray(j * stride + 1, (j + 1) * stride), answer);
  };
  const common = { sums: size * stride, view: (values: Values) => values };
  if (round.answers === 'one') {
    return {
      ...common,
      check(values) {
        if (!(values[0] < size)) throw new ReportError(`"report" expected a coordinate below ${size}`);
        channels[values[0]].check(values.subarray(1));
      },
      add: (sums, values) => add(sums, values[0], values.subarray(1)),
      probabilities(image) {
        const each = channels.map(({ probabilities }, j) => probabilities(image[j]));
        if (each.some((one) => one === undefined)) return undefined;
        return Float64Array.from(each.flatMap((one) => Array.from(one!, (probability) => probability / size)));
      },
      logRatio(first, second) {
        const each = ratios(first, second);
        return (values) => each[values[0]]((values as Values).subarray(1));
      },
    };
  }
  const each = length / size;
  const answer = (values: Values, j: number): Values => values.subarray(j * each, (j + 1) * each);
  return {
    ...common,
    check(values) {
      for (let j = 0; j < size; j++) channels[j].check(answer(values, j));
    },
    add(sums, values) {
      for (let j = 0; j < size; j++) add(sums, j, answer(values, j));
    },
    probabilities: () => undefined,
    logRatio(first, second) {
      const found = ratios(first, second);
      return (values) => found.reduce((sum, ratio, j) => sum + ratio(answer(values as Values, j)), 0);
    },
  };
}

export function coordinateTallies(round: CoordinateRound, { sums }: Pick<MeanTally, 'sums'>): BinCounts[] {
  const stride = strideOf(round);
  return round.questions.map((_, j) => ({
    players: sums[j * stride],
    sums: sums.subarray(j * stride + 1, (j + 1) * stride),
  }));
}

/** Beyond this many standard deviations a sign is certain up to 1e-12. */
const RANGE = 7;

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
  let steepest = 0;
  for (let i = 2; i < nodes.length; i += 3) steepest = max(steepest, 2 * abs(nodes[i]));
  latest = { contrast, nodes, steepest };
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
export interface SignRound extends RoundOfVectors, Asked {
  readonly kind: 'sign';
  /** Two for each coordinate. */
  readonly thresholds: Float64Array;
}

/** What a round of signs and its plan have in common. */
interface Asked {
  /** `one` rotated coordinate for each player, drawn by its own coins, or `all`, not rotated. */
  readonly answers: 'one' | 'all';
  /** The rotation; absent if all coordinates are answered without one. */
  readonly rotation?: Rotation;
  /** The number of coordinates that are located: D with a rotation, otherwise d. */
  readonly size: number;
  readonly coin: TwoLevels;
}

/** The fields that a round of signs takes from its plan. */
export interface SignPlan extends UserLevelPlan, OfVectors, Asked {
  readonly shares: readonly number[];
}

export function signRound(
  plan: SignPlan,
  round: number,
  thresholds: Float64Array,
  digest: string = digestOf({ plan: plan.digest, round, kind: 'sign', thresholds: Array.from(thresholds) }),
): SignRound {
  const { domain, size, answers, rotation, coin } = plan;
  return {
    ...roundFields(plan, round, plan.shares[round]),
    ...{ kind: 'sign', digest, domain, length: answers === 'one' ? 1 : size, precision: 'uint32' },
    ...(rotation === undefined ? {} : { rotation }),
    ...{ size, answers, thresholds, coin },
  };
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
    logRatio(first, second) {
      const other = signProbabilities(round, second);
      const ratios = signProbabilities(round, first).map((probability, output) => log(probability / other[output]));
      return (values) => {
        let sum = 0;
        for (let j = 0; j < values.length; j++) sum += ratios[4 * j + values[j]];
        return sum;
      };
    },
  };
}

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
