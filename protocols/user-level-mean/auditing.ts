import type { Auditing, AuditPair } from '../../src/core/auditing.ts';
import type { Random } from '../../src/random/random.ts';
import { fillSphere } from '../../src/random/random.ts';
import { channelOf, type UserLevelMeanRound } from './channels.ts';
import { fillLocalMean, localMean, localProduct } from './local-mean.ts';
import type { ScalarRound } from './scalar/question.ts';
import type { RoundOfVectors, UserDatum, UserLevelReport } from './shape.ts';
import type { CoordinateRound, SignRound } from './vector/coordinate-round.ts';
import { fillRotationRow, rotate } from './vector/coordinate-round.ts';

const { abs, max, min, sqrt } = Math;

/** What an audit may use to attack the player of a round. */
export const auditing: Auditing<UserLevelMeanRound, UserDatum, UserLevelReport> = {
  pairs: (round, random) => (round.kind === 'scalar' ? pairsAround(round) : vectorPairs(round, random)),
  view: (round, { values }) => channelOf(round).view(values),
  channel: (round, datum) => channelOf(round).probabilities(imageOf(round, datum)),
  logLikelihoodRatio(round, { first, second }) {
    const ratio = channelOf(round).logRatio(imageOf(round, first), imageOf(round, second));
    return ratio === undefined ? undefined : ({ values }) => ratio(values);
  },
};

/** The images of the kinds of rounds; a new kind needs a line here. */
const IMAGES = { scalar: scalarImage, sign: signImage, coordinate: coordinateImage, residual: meanOf } as const;

/**
 * The image of a datum in a round: the numbers that the player compares or hides, in the order of the round's
 * questions.
 *
 * @throws TypeError or RangeError for samples outside the domain; the message never contains their values.
 */
export function imageOf(round: UserLevelMeanRound, datum: UserDatum): ArrayLike<number> {
  const image: (round: never, datum: UserDatum) => ArrayLike<number> = IMAGES[round.kind];
  return image(round as never, datum);
}

function scalarImage({ bound }: ScalarRound, datum: UserDatum): readonly number[] {
  return [localMean(datum, bound)];
}

function meanOf(round: RoundOfVectors, datum: UserDatum): Float64Array {
  const mean = new Float64Array(round.dimension);
  fillLocalMean(round, datum, mean);
  return mean;
}

function coordinateImage(round: CoordinateRound, datum: UserDatum): Float64Array {
  return rotate(round.rotation, meanOf(round, datum));
}

/** Row by row, as the player computes it: the same sum in another order may fall on the other side of a threshold. */
function signImage(round: SignRound, datum: UserDatum): Float64Array {
  const { dimension, size, rotation } = round;
  if (rotation === undefined) return meanOf(round, datum);
  const row = new Float64Array(dimension);
  return Float64Array.from({ length: size }, (_, j) => {
    fillRotationRow(rotation, j, row);
    return localProduct(round, datum, row);
  });
}

/**
 * Pairs of players, each with one sample: at opposite ends of the range, and at the ends and near the middle of the
 * interval of the question. One pair compares two samples with one sample of the same mean; nobody can distinguish
 * these.
 */
function pairsAround({ bound, question: { lower, upper } }: ScalarRound): readonly AuditPair<UserDatum>[] {
  const inside = (value: number): number => max(-bound, min(bound, value));
  const pair = (name: string, first: number, second: number): AuditPair<UserDatum> => ({
    name,
    first: { samples: [inside(first)] },
    second: { samples: [inside(second)] },
  });
  const middle = (lower + upper) / 2;
  const step = 0.005 * bound;
  return [
    pair('opposite ends of the range', bound, -bound),
    pair('ends of the interval asked about', upper + step, lower - step),
    pair('close to the middle of the interval', middle + step, middle - step),
    pair('middle and end', middle, upper),
    { name: 'many samples and one', first: { samples: [bound, -bound, bound] }, second: { samples: [-bound] } },
  ];
}

/** Pairs of data with one sample each: opposite corners, along an axis, and in random directions around the centre. */
function vectorPairs(round: RoundOfVectors, random: Random): readonly AuditPair<UserDatum>[] {
  const { dimension, bound, domain } = round;
  const pair = (name: string, direction: Float64Array): AuditPair<UserDatum> => {
    // The longest multiple that stays inside, slightly shortened for the rounding of norms.
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
  return vector.reduce((most, x) => max(most, abs(x)), 0);
}

function norm(vector: Float64Array): number {
  return sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}
