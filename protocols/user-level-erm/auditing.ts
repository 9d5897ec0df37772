import type { Auditing, AuditPair } from '../../src/core/auditing.ts';
import { euclideanNorm } from '../../src/optimize/projection.ts';
import { fillSphere } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import type { UserDatum } from '../user-level-mean/scalar/types.ts';
import { vectorAuditing } from '../user-level-mean/vector/auditing.ts';
import { rotateBack } from '../user-level-mean/vector/rotation.ts';
import { fillGradient } from './objective.ts';
import type { ErmDatum } from './player.ts';
import type { ErmReport } from './report.ts';
import { askedOf, type SignRound, type UserLevelErmRound } from './round.ts';

const { abs, log, sqrt } = Math;

/**
 * Candidate pairs: one record whose gradient is turned around by its response, also where all of it is in the rotated coordinate
 * whose threshold is nearest to 0, orthogonal ones, and many records.
 */
function pairs(round: UserLevelErmRound, random: Random): readonly AuditPair<ErmDatum>[] {
  const { dimension, featureBound, loss } = round.objective;
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
  const stated = 'signs' in round ? nearestAxis(round.signs).map((coordinate) => largest * coordinate) : undefined;
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
    ...(stated === undefined
      ? []
      : [
          {
            name: 'opposite responses, on the rotated axis of the least threshold',
            first: { features: stated, responses: [response] },
            second: { features: stated, responses: [-response] },
          },
        ]),
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

/** The report as numbers: which threshold, and on which side; of two rounds the report itself. */
function view(round: UserLevelErmRound, report: ErmReport): ArrayLike<number> {
  if (!('signs' in round)) return vectorAuditing.view(round.mean, report);
  const { values } = report;
  return Array.from({ length: 4 * round.signs.size }, (_, output) => (values[0] === output ? 1 : 0));
}

/** The local gradient of a datum, as a player of the mean holds it. */
function gradientOf({ objective, theta }: UserLevelErmRound, datum: ErmDatum): UserDatum {
  const samples = new Float64Array(objective.dimension);
  fillGradient(objective, theta, datum, samples);
  return { samples };
}

/** The probabilities of all outputs at a datum, where they are finitely many: of signs 4D, of bins D times their number. */
function channel(round: UserLevelErmRound, datum: ErmDatum): ArrayLike<number> | undefined {
  return vectorAuditing.channel!(askedOf(round), gradientOf(round, datum));
}

function logLikelihoodRatio(
  round: UserLevelErmRound,
  pair: AuditPair<ErmDatum>,
): ((report: ErmReport) => number) | undefined {
  const [first, second] = [gradientOf(round, pair.first), gradientOf(round, pair.second)];
  if (!('signs' in round)) return vectorAuditing.logLikelihoodRatio!(round.mean, { ...pair, first, second });
  const [one, other] = [first, second].map((datum) => vectorAuditing.channel!(round.signs, datum)!);
  return ({ values }) => log(one[values[0]] / other[values[0]]);
}

/** What an audit of the player of a round may use: a finite channel, all of whose probabilities are known, but of residuals. */
export const auditing: Auditing<UserLevelErmRound, ErmDatum, ErmReport> = { pairs, view, channel, logLikelihoodRatio };
