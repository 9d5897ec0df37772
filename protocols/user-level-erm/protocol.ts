import type { Auditing, AuditPair } from '../../src/core/auditing.ts';
import type { RoundsProtocol } from '../../src/core/rounds.ts';
import { euclideanNorm } from '../../src/optimize/projection.ts';
import type { Random } from '../../src/random/random.ts';
import { fillSphere } from '../../src/random/random.ts';
import { imageOf } from '../user-level-mean/auditing.ts';
import { channelOf } from '../user-level-mean/channels.ts';
import { roundsBy } from '../user-level-mean/course.ts';
import type { SignRound } from '../user-level-mean/vector/coordinate-round.ts';
import { rotateBack } from '../user-level-mean/vector/coordinate-round.ts';
import { askedOf, courseBy, type ErmEstimate } from './descent.ts';
import {
  type ErmReport,
  gradientsOf,
  report,
  type UserLevelErmPlan,
  type UserLevelErmRequest,
  type UserLevelErmRound,
  userLevelErmPlan,
} from './parameters.ts';
import { player } from './player.ts';
import { type ErmDatum, fillGradient } from './record.ts';
import { type ErmTally, server } from './server.ts';
import { theory } from './theory.ts';

const { abs, log, sqrt } = Math;

/**
 * Candidate pairs: one record whose gradient is reversed by its response; the same with the whole gradient in the
 * rotated coordinate whose threshold is nearest to 0; orthogonal records; and many records.
 */
function pairs(round: UserLevelErmRound, random: Random): readonly AuditPair<ErmDatum>[] {
  const { asked, objective } = round;
  const { dimension, featureBound, loss } = objective;
  // Gradients are largest at the largest features, except with the weights of `huber`, where the maximum is at
  // ‖x‖ = √2.
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
  const stated = asked.kind === 'sign' ? nearestAxis(asked).map((coordinate) => largest * coordinate) : undefined;
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

/** The unit vector whose image is largest in the rotated coordinate with the threshold nearest to 0. */
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

/** The report as numbers: for signs, a 1 at the threshold and the side; for a two-round gradient the report itself. */
function view(round: UserLevelErmRound, { values }: ErmReport): ArrayLike<number> {
  const asked = askedOf(round);
  if (asked.kind !== 'sign') return channelOf(asked).view(values);
  return Array.from({ length: 4 * asked.size }, (_, output) => (values[0] === output ? 1 : 0));
}

/**
 * What the round asks about the local gradient of a datum; for a player of the mean, this gradient is its one sample.
 */
function imageOfGradient(round: UserLevelErmRound, datum: ErmDatum): ArrayLike<number> {
  const { objective, theta } = round;
  const samples = new Float64Array(objective.dimension);
  fillGradient(objective, theta, datum, samples);
  return imageOf(askedOf(round), { samples });
}

/**
 * The probabilities of all outputs at a datum, if they are finitely many: 4D for signs, D times the number of outputs
 * for bins.
 */
function channel(round: UserLevelErmRound, datum: ErmDatum): ArrayLike<number> | undefined {
  return channelOf(askedOf(round)).probabilities(imageOfGradient(round, datum));
}

function logLikelihoodRatio(
  round: UserLevelErmRound,
  pair: AuditPair<ErmDatum>,
): ((report: ErmReport) => number) | undefined {
  const { logRatio, probabilities } = channelOf(askedOf(round));
  const [first, second] = [imageOfGradient(round, pair.first), imageOfGradient(round, pair.second)];
  const ratio = logRatio(first, second);
  if (ratio !== undefined) return ({ values }) => ratio(values);
  const [one, other] = [probabilities(first), probabilities(second)];
  if (one === undefined || other === undefined) return undefined;
  return ({ values }) => log(one[values[0]] / other[values[0]]);
}

/** What an audit may use to attack a player of a round: a finite channel, all known, except for residuals. */
export const auditing: Auditing<UserLevelErmRound, ErmDatum, ErmReport> = { pairs, view, channel, logLikelihoodRatio };

/**
 * Empirical risk minimisation by noisy gradient descent; all records of a player are protected together.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 * @theorem slides User-level LDP ERM
 */
export const userLevelErm: RoundsProtocol<
  UserLevelErmPlan,
  UserLevelErmRound,
  ErmDatum,
  ErmReport,
  ErmTally,
  ErmEstimate
> = {
  name: 'user-level-erm',
  player,
  report,
  server,
  // The same θ while its gradient is being located, otherwise the next θ.
  rounds: roundsBy((plan: UserLevelErmPlan) => courseBy(gradientsOf(plan))),
  theory,
  // The variant checks every field, whatever its kind.
  make: (request) => userLevelErmPlan(request as unknown as UserLevelErmRequest),
  auditing,
};
