import { fieldOf } from '../../../src/check/datum.ts';
import { checkInteger, refusal } from '../../../src/check/number.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import type { Rounds } from '../../../src/core/rounds.ts';
import { checkReplay, goOn } from '../../../src/core/rounds.ts';
import { checkMagnitude, LARGEST_SENT, receivedNumbers } from '../scalar/received.ts';
import { checkPlace } from '../scalar/round.ts';
import type { MeanEstimate } from '../scalar/types.ts';
import { clipContraction } from './contraction.ts';
import { RESIDUAL_CLIP } from './design.ts';
import { locate } from './location.ts';
import type { VectorPlan } from './plan.ts';
import type { Location, SignCounts } from './posterior.ts';
import { rotateBack } from './rotation.ts';
import {
  type FinishedVector,
  type Located,
  type ResidualRound,
  residualRound,
  signRound,
  type VectorRound,
  type VectorTally,
} from './round.ts';
import { checkVectorTally } from './tallying.ts';

const { hypot, max, sqrt } = Math;

/**
 * The next round: thresholds at the quartiles of what all signs so far leave possible, the prior where there are none, or residuals
 * from their mean.
 *
 * @throws RangeError before residuals for a coordinate without a report.
 */
function roundAfter(plan: VectorPlan, finished: readonly FinishedVector[]): VectorRound | undefined {
  const { shares, residual } = plan;
  const round = finished.length;
  if (round === shares.length) return undefined;
  const location = locatedBy(plan, finished);
  if (residual === undefined || round < shares.length - 1) return signRound(plan, round, location.quartiles);
  checkGroups(plan, finished);
  const { mean, standardError, deviation } = unrotated(plan, location);
  const centreError = standardError[0];
  // A residual varies as local means do and as the centre is uncertain.
  const radius = RESIDUAL_CLIP * sqrt(plan.dimension) * hypot(deviation[0], centreError);
  return residualRound(plan, round, { centre: mean, radius, centreError, deviation: deviation[0] });
}

/**
 * The mean, by the signs of all rounds or, with a round of residuals, by these and the centre together, each by its
 * precision.
 *
 * @throws RangeError for a round that is missing or empty, or a coordinate without a report, naming how many are needed.
 */
function estimate(plan: VectorPlan, finished: readonly FinishedVector[]): MeanEstimate {
  if (finished.length !== plan.shares.length) {
    throw new RangeError(refusal('finished', `${plan.shares.length} rounds`, finished.length));
  }
  checkAll(plan, finished);
  checkGroups(plan, finished);
  const players = finished.reduce((sum, { tally }) => sum + tally.players, 0);
  const { round, tally } = finished[finished.length - 1];
  if (round.kind === 'residual') return { players, ...residualMean(plan, round, tally) };
  return { players, ...unrotated(plan, locatedBy(plan, finished)) };
}

/** A mean with its errors, in the coordinates of the samples. */
export type Estimated = Required<Pick<MeanEstimate, 'mean' | 'standardError' | 'deviation'>>;

function locatedBy({ model, size, answers }: VectorPlan, finished: readonly FinishedVector[]): Location {
  const signs: SignCounts[] = [];
  for (const { round, tally } of finished) {
    if (round.kind === 'sign') signs.push({ thresholds: round.thresholds, counts: tally.sums });
  }
  // Rotated coordinates vary alike; as they are, they need not.
  return locate(model, signs, size, answers === 'one');
}

/** A location in the coordinates of the samples. */
export function unrotated(
  { rotation, size, dimension }: Pick<VectorPlan, 'rotation' | 'size' | 'dimension'>,
  { mean, error, deviation }: Location,
): Estimated {
  if (rotation === undefined) return { mean, standardError: error, deviation };
  // A rotation adds up the variances of all coordinates evenly.
  let variance = 0;
  for (let j = 0; j < size; j++) variance += (error[j] * error[j]) / size;
  return {
    mean: rotateBack(rotation, mean),
    standardError: new Float64Array(dimension).fill(sqrt(variance)),
    // The padding takes none of the variance, so that the rest has it all.
    deviation: new Float64Array(dimension).fill(deviation[0] * sqrt(size / dimension)),
  };
}

/**
 * c and c + r·(mean report)/a, a the contraction of the clip for normal local means, weighted by their precisions.
 */
export function residualMean(
  { residual }: Pick<VectorPlan, 'residual'>,
  round: ResidualRound,
  { players, sums }: VectorTally,
): Estimated {
  const { dimension, centre, radius, centreError, deviation } = round;
  const { coordinateVariance } = residual!;
  const contraction = clipContraction(dimension, radius / hypot(deviation, centreError));
  const noise = (radius * radius * coordinateVariance) / (contraction * contraction);
  const error = sqrt((noise + deviation * deviation) / players);
  const weight = centreError ** 2 / (centreError ** 2 + error ** 2);
  const mean = Float64Array.from(centre, (c, i) => c + ((weight * radius) / contraction) * (sums[i] / players));
  return {
    mean,
    standardError: new Float64Array(dimension).fill(error * sqrt(weight)),
    deviation: new Float64Array(dimension).fill(deviation),
  };
}

/**
 * What is over are rounds of this plan, each in its place and with reports.
 *
 * @throws RangeError for one that is not.
 */
function checkAll(plan: VectorPlan, finished: readonly FinishedVector[]): void {
  const { length } = plan.shares;
  if (finished.length > length) throw new RangeError(refusal('finished', `at most ${length} rounds`, finished.length));
  finished.forEach((over, i) => {
    checkFinished(plan, over, i, (asked) => digestFor(plan, asked));
  });
  checkReplay(plan, finished, roundAfter);
}

/** The round that a device was sent, made again from its plan: thresholds, or centre and radius, are taken and checked. */
function remake(plan: VectorPlan, received: unknown): VectorRound {
  const round = checkInteger('round.round', fieldOf(received, 'round'), 0, plan.shares.length - 1);
  if (plan.residual === undefined || round < plan.shares.length - 1) {
    return signRound(plan, round, receivedNumbers(received, 'thresholds', 2 * plan.size));
  }
  return residualRound(plan, round, receivedResidual(plan, received));
}

/**
 * Centre and radius that a device was sent, checked.
 *
 * @throws TypeError or RangeError for anything but d numbers, and a number > 0.
 */
export function receivedResidual({ dimension }: Pick<VectorPlan, 'dimension'>, received: unknown): Located {
  const centre = receivedNumbers(received, 'centre', dimension);
  const radius = checkMagnitude('round.radius', fieldOf(received, 'radius'));
  if (!(radius >= 1 / LARGEST_SENT))
    throw new RangeError(refusal('round.radius', `a number >= ${1 / LARGEST_SENT}`, radius));
  // What the server keeps for its estimate does not concern a player.
  return { centre, radius, centreError: 0, deviation: 0 };
}

/**
 * Refuses what is not the round of its place in a plan with reports of its own; `digest` is that of the round that the plan makes of
 * the same public numbers.
 *
 * @throws RangeError.
 */
export function checkFinished(
  plan: PublicParameters & Pick<VectorPlan, 'shares'>,
  { round, tally }: FinishedVector,
  index: number,
  digest: (round: VectorRound) => string,
): void {
  checkVectorTally(`finished[${index}].tally`, round, tally);
  checkPlace(index, plan, round, () => digest(round));
  if (!(tally.players >= 1)) {
    const needed = Math.ceil(1 / plan.shares[index]);
    const expected = `at least 1 report in round ${index} (${needed} players in all)`;
    throw new RangeError(refusal(`finished[${index}].tally.players`, expected, tally.players));
  }
}

/** The digest that this plan gives to a round with the same question. */
function digestFor(plan: VectorPlan, round: VectorRound): string {
  if (round.kind === 'sign') return signRound(plan, round.round, round.thresholds).digest;
  if (plan.residual === undefined || round.kind !== 'residual') return 'none: it asks for signs only';
  return residualRound(plan, round.round, round).digest;
}

/** Every coordinate needs an answer: without one, its estimate would be the prior alone. */
function checkGroups({ size, answers }: VectorPlan, finished: readonly FinishedVector[]): void {
  if (answers === 'all') return;
  for (let j = 0; j < size; j++) {
    let reports = 0;
    for (const { round, tally } of finished) {
      if (round.kind === 'sign') for (let i = 4 * j; i < 4 * j + 4; i++) reports += tally.sums[i];
    }
    if (reports > 0) continue;
    // With n·q players in the rounds of signs a group stays empty with probability e^{−nq/D}.
    const needed = Math.ceil(max(1, size * Math.log(1000 * size)));
    throw new RangeError(
      `"finished" expected reports of each of ${size} groups of coordinates, got none of group ${j}: about ${needed} players in the rounds of signs are needed`,
    );
  }
}

/** From round to round of a vector plan. */
export const vectorRounds: Rounds<VectorPlan, VectorRound, VectorTally, MeanEstimate, undefined> = {
  ...goOn(checkAll, roundAfter),
  estimate,
  remake,
  answers: () => 1,
};
