import { COIN_UNITS } from '../../src/mechanism/exact-coin.ts';
import { euclideanNorm } from '../../src/optimize/projection.ts';
import type { Auditing, AuditPair } from '../../src/protocol/auditing.ts';
import { rotate, rotateBack } from '../../src/protocol/user-level/vector/rotation.ts';
import type { Random } from '../../src/random/random.ts';
import { fillSphere } from '../../src/random/sphere.ts';
import { fillGradient } from './objective.ts';
import type { ErmDatum } from './player.ts';
import type { ErmReport } from './report.ts';
import type { ErmRound, SignRound } from './round.ts';

const { abs, log, sqrt } = Math;

/**
 * Candidate pairs: one record whose gradient is turned around by its response, also where all of it is in the rotated coordinate
 * whose threshold is nearest to 0, orthogonal ones, and many records.
 */
function pairs({ objective, signs }: ErmRound, random: Random): readonly AuditPair<ErmDatum>[] {
  const { dimension, featureBound, loss } = objective;
  // Gradients are largest at the largest features, but for the weights of `huber`, with which they are at ‖x‖ = √2.
  const largest = loss === 'huber' ? sqrt(2) : featureBound;
  const features = (): Float64Array => {
    const direction = new Float64Array(dimension);
    fillSphere(direction, random);
    return direction.map((coordinate) => largest * coordinate);
  };
  const response = loss === 'huber' ? 1e6 : 1;
  const one = features();
  const other = features();
  const axis = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? largest : 0));
  const told = nearestAxis(signs).map((coordinate) => largest * coordinate);
  const all = Float64Array.from({ length: 8 * dimension }, (_, i) => one[i % dimension]);
  const eight = new Float64Array(8).fill(response);
  return [
    {
      name: 'opposite responses',
      first: { features: one, responses: [response] },
      second: { features: one, responses: [-response] },
    },
    {
      name: 'opposite responses, on an axis',
      first: { features: axis, responses: [response] },
      second: { features: axis, responses: [-response] },
    },
    {
      name: 'opposite responses, on the rotated axis of the least threshold',
      first: { features: told, responses: [response] },
      second: { features: told, responses: [-response] },
    },
    {
      name: 'opposite responses, eight records',
      first: { features: all, responses: eight },
      second: { features: all, responses: eight.map((y) => -y) },
    },
    {
      name: 'random',
      first: { features: one, responses: [response] },
      second: { features: other, responses: [response] },
    },
  ];
}

/** The unit vector whose image is the largest in the rotated coordinate with the threshold nearest to 0. */
function nearestAxis({ size, thresholds, rotation }: SignRound): Float64Array {
  let nearest = 0;
  for (let q = 1; q < thresholds.length; q++) if (abs(thresholds[q]) < abs(thresholds[nearest])) nearest = q;
  const axis = rotateBack(
    rotation!,
    Float64Array.from({ length: size }, (_, j) => (j === nearest >> 1 ? 1 : 0)),
  );
  const norm = euclideanNorm(axis);
  return axis.map((coordinate) => coordinate / norm);
}

/** The report as numbers: which threshold, and on which side. */
function view({ signs }: ErmRound, { values }: ErmReport): ArrayLike<number> {
  return Array.from({ length: 4 * signs.size }, (_, output) => (values[0] === output ? 1 : 0));
}

/** The probabilities of all 4D outputs at a datum. */
function channel(round: ErmRound, datum: ErmDatum): Float64Array {
  const { objective, theta, signs } = round;
  const { size, thresholds, coin, rotation } = signs;
  const gradient = new Float64Array(objective.dimension);
  fillGradient(objective, theta, datum, gradient);
  const rotated = rotate(rotation!, gradient);
  const keep = coin.keep / COIN_UNITS;
  return Float64Array.from({ length: 4 * size }, (_, output) => {
    const above = rotated[output >> 2] >= thresholds[output >> 1];
    return (above === (output % 2 === 1) ? keep : 1 - keep) / (2 * size);
  });
}

function logLikelihoodRatio(round: ErmRound, { first, second }: AuditPair<ErmDatum>): (report: ErmReport) => number {
  const one = channel(round, first);
  const other = channel(round, second);
  return ({ values }) => log(one[values[0]] / other[values[0]]);
}

/** What an audit of the player of a round may use: a finite channel, all of whose probabilities are known. */
export const auditing: Auditing<ErmRound, ErmDatum, ErmReport> = { pairs, view, channel, logLikelihoodRatio };
