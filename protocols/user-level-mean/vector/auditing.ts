import type { Auditing, AuditPair } from '../../../src/core/auditing.ts';
import { COIN_UNITS } from '../../../src/mechanism/exact-coin.ts';
import { fillSphere } from '../../../src/random/normal.ts';
import type { Random } from '../../../src/random/random.ts';
import { questionChannel, questionLogRatio } from '../scalar/auditing.ts';
import type { UserDatum, UserLevelReport } from '../scalar/types.ts';
import type { CoordinateRound } from './coordinate-round.ts';
import { fillLocalMean, localProduct } from './local-vector.ts';
import { fillRotationRow, rotate } from './rotation.ts';
import type { SignRound, VectorRound } from './round.ts';

const { abs, sqrt } = Math;

/** How many reports with all coordinates a channel is written out for: 4^d. */
const LARGEST_CHANNEL = 4 ** 8;

/** Pairs of data with one sample each: opposite corners, along an axis, and in random directions around the centre. */
function pairs(round: VectorRound, random: Random): readonly AuditPair<UserDatum>[] {
  const { dimension, bound, domain } = round;
  const pair = (name: string, direction: Float64Array): AuditPair<UserDatum> => {
    // The longest multiple that stays inside, a hair less for the rounding of norms.
    const size = domain === 'box' ? largest(direction) : norm(direction);
    const first = direction.map((x) => (x / size) * bound * (1 - 2 ** -40));
    return { name, first: { samples: first }, second: { samples: first.map((x) => -x) } };
  };
  const axis = new Float64Array(dimension);
  axis[0] = 1;
  const drawn = new Float64Array(dimension);
  fillSphere(drawn, random);
  return [pair('antipodal', new Float64Array(dimension).fill(1)), pair('axis', axis), pair('random direction', drawn)];
}

function largest(vector: Float64Array): number {
  return vector.reduce((most, x) => Math.max(most, abs(x)), 0);
}

function norm(vector: Float64Array): number {
  return sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}

/** The image of a player's local mean. */
function imageOf(round: CoordinateRound, datum: UserDatum): Float64Array {
  const mean = new Float64Array(round.dimension);
  fillLocalMean(round, datum, mean);
  return rotate(round.rotation, mean);
}

/** The probabilities of all answers about one drawn coordinate; undefined where they are not finitely many. */
function coordinateChannel(round: CoordinateRound, datum: UserDatum): Float64Array | undefined {
  if (round.answers === 'all') return undefined;
  const image = imageOf(round, datum);
  const each = round.questions.map((question, j) => questionChannel(question, image[j]));
  if (each.some((one) => one === undefined)) return undefined;
  return Float64Array.from(each.flatMap((one) => Array.from(one!, (probability) => probability / round.size)));
}

/** log P(report | first)/P(report | second) of answers about coordinates; of signs and residuals no closed form is needed, or known. */
function logLikelihoodRatio(
  round: VectorRound,
  { first, second }: AuditPair<UserDatum>,
): ((report: UserLevelReport) => number) | undefined {
  if (round.kind !== 'coordinate') return undefined;
  const [one, other] = [imageOf(round, first), imageOf(round, second)];
  const ratios = round.questions.map((question, j) => questionLogRatio(question, one[j], other[j]));
  if (round.answers === 'one') return ({ values }) => ratios[values[0]](values.subarray(1));
  return ({ values }) => {
    const each = values.length / round.size;
    return ratios.reduce((sum, ratio, j) => sum + ratio(values.subarray(j * each, (j + 1) * each)), 0);
  };
}

/** The report as numbers: of a sign, which threshold and which sign; otherwise the report itself. */
function view(round: VectorRound, { values }: UserLevelReport): ArrayLike<number> {
  if (round.kind === 'sign') return Array.from(values).flatMap((value) => [value >> 1, value & 1]);
  return values;
}

/** The probabilities of all reports, in the order of their numbers: of a sign, or of d signs while they are not too many. */
function channel(round: VectorRound, datum: UserDatum): Float64Array | undefined {
  if (round.kind === 'coordinate') return coordinateChannel(round, datum);
  if (round.kind !== 'sign') return undefined;
  const each = signProbabilities(round, datum);
  if (round.answers === 'one') return Float64Array.from(each, (probability) => probability / round.size);
  if (4 ** round.size > LARGEST_CHANNEL) return undefined;
  let joint = new Float64Array([1]);
  for (let j = 0; j < round.size; j++) {
    const next = new Float64Array(4 * joint.length);
    for (let i = 0; i < joint.length; i++) for (let k = 0; k < 4; k++) next[4 * i + k] = joint[i] * each[4 * j + k];
    joint = next;
  }
  return joint;
}

/** For each coordinate the probabilities of its four answers. */
function signProbabilities(round: SignRound, datum: UserDatum): Float64Array {
  const { dimension, size, rotation, thresholds, coin } = round;
  const keep = coin.keep / COIN_UNITS;
  const mean = new Float64Array(dimension);
  if (rotation === undefined) fillLocalMean(round, datum, mean);
  const row = new Float64Array(dimension);
  const result = new Float64Array(4 * size);
  for (let j = 0; j < size; j++) {
    let y = mean[j];
    if (rotation !== undefined) {
      fillRotationRow(rotation, j, row);
      y = localProduct(round, datum, row);
    }
    for (let which = 0; which < 2; which++) {
      const above = y >= thresholds[2 * j + which];
      result[4 * j + 2 * which] = 0.5 * (above ? 1 - keep : keep);
      result[4 * j + 2 * which + 1] = 0.5 * (above ? keep : 1 - keep);
    }
  }
  return result;
}

/** What an audit of the player of a vector round may use. */
export const vectorAuditing: Auditing<VectorRound, UserDatum, UserLevelReport> = {
  pairs,
  view,
  channel,
  logLikelihoodRatio,
};
