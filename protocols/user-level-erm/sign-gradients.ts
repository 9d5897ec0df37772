import { fieldOf } from '../../src/check/datum.ts';
import { euclideanNorm } from '../../src/optimize/projection.ts';
import { receivedNumbers } from '../user-level-mean/scalar/received.ts';
import { type Location, type LocationModel, locate } from '../user-level-mean/vector/location.ts';
import { rotate, rotateBack } from '../user-level-mean/vector/rotation.ts';
import type { ErmPlan } from './parameters.ts';
import { type ErmRound, type ErmTally, ermRound, type FinishedErm, roundDigest } from './round.ts';
import { type Step, stepBy, type Way } from './step.ts';

const { ceil, log, max, sqrt } = Math;

/** The first round: at θ_0 = 0, with thresholds at the quartiles of what is public. */
function first(plan: ErmPlan): ErmRound {
  const { gradient, dimension } = plan;
  const centre = new Float64Array(gradient.size);
  const state = { round: 0, iteration: 0, place: 0, theta: new Float64Array(dimension), centre, model: gradient.model };
  return ermRound(plan, state, quartiles(plan, gradient.model));
}

function after(plan: ErmPlan, finished: readonly FinishedErm<ErmRound>[]): ErmRound | undefined {
  if (finished.length === 0) return first(plan);
  const { round } = finished[finished.length - 1];
  const state = { ...round, round: round.round + 1 };
  if (round.place + 1 < plan.rounds[round.iteration]) {
    const { quartiles } = located(finished);
    return ermRound(plan, place({ ...state, place: round.place + 1 }), quartiles);
  }
  if (round.iteration + 1 === plan.iterations) return undefined;
  const { theta, centre, model } = descend(plan, finished);
  const moved = { ...state, iteration: round.iteration + 1, place: 0, theta };
  if (plan.predict) return ermRound(plan, place({ ...moved, centre, model }), quartiles(plan, model));
  const { gradient } = plan;
  const fresh = { centre: new Float64Array(gradient.size), model: gradient.model };
  return ermRound(plan, place({ ...moved, ...fresh }), quartiles(plan, gradient.model));
}

/** A step, and what is known of the rotated gradient after it. */
function descend(
  plan: ErmPlan,
  finished: readonly FinishedErm<ErmRound>[],
): Step & { readonly centre: Float64Array; readonly model: LocationModel } {
  const { rotation, size, dimension, model: prior } = plan.gradient;
  const { theta, centre } = finished[finished.length - 1].round;
  const location = located(finished);
  const gradient = rotateBack(
    rotation!,
    location.mean.map((mean, j) => mean + centre[j]),
  );
  const moved = stepBy(plan, theta, { gradient, error: euclideanNorm(location.error) });
  const spread = moved.gradientError / sqrt(size);
  const deviation = location.deviation[0];
  const { contrast } = prior;
  const model = { contrast, largestSpread: spread, halfRange: 6.5 * spread, deviation, largestDeviation: deviation };
  return {
    ...moved,
    deviation: deviation * sqrt(size / dimension),
    centre: rotate(rotation!, moved.gradient),
    model,
  };
}

/** The posterior of the rotated gradient relative to the centre, by all rounds of the last iteration. */
function located(finished: readonly FinishedErm<ErmRound>[]): Location {
  const { iteration, centre, model } = finished[finished.length - 1].round;
  const signs = finished
    .filter(({ round }) => round.iteration === iteration)
    .map(({ round, tally }) => ({
      thresholds: round.signs.thresholds.map((threshold, q) => threshold - centre[q >> 1]),
      counts: tally.sums,
    }));
  return locate(model, signs, centre.length, true);
}

const quartiles = ({ gradient }: ErmPlan, model: LocationModel): Float64Array =>
  locate(model, [], gradient.size, true).quartiles;

// What a round is made from, without what the round before was besides.
function place({ round, iteration, place, theta, centre, model }: ErmRound): Parameters<typeof ermRound>[1] {
  return { round, iteration, place, theta, centre, model };
}

/** The round that a device was sent, made again from its plan: the thresholds are taken and checked. */
function remake(plan: ErmPlan, { round, theta }: Pick<ErmRound, 'round' | 'theta'>, received: unknown): ErmRound {
  const thresholds = receivedNumbers(fieldOf(received, 'signs'), 'thresholds', 2 * plan.gradient.size);
  let iteration = 0;
  let before = 0;
  while (before + plan.rounds[iteration] <= round) before += plan.rounds[iteration++];
  // Centre and model are the server's own business: to a player thresholds are given as they are.
  const centre = new Float64Array(plan.gradient.size);
  const state = { round, iteration, place: round - before, theta, centre, model: plan.gradient.model };
  return ermRound(plan, state, thresholds);
}

/** Every coordinate of the first gradient needs an answer: later ones are found from it. */
function check({ gradient: { size }, rounds, shares }: ErmPlan, finished: readonly FinishedErm<ErmRound>[]): void {
  if (finished.length < rounds[0]) return;
  const counts = new Float64Array(size);
  for (const { tally } of finished.slice(0, rounds[0])) addGroups(tally, counts);
  const empty = counts.indexOf(0);
  if (empty === -1) return;
  const share = shares.slice(0, rounds[0]).reduce((sum, part) => sum + part, 0);
  // With q players a group stays empty with probability e^{−q/D}.
  const needed = ceil((size * max(1, log(1000 * size))) / share);
  throw new RangeError(
    `"finished" expected reports of each of ${size} groups of coordinates in the first iteration, got none of group ${empty}: about ${needed} players in all are needed`,
  );
}

function addGroups({ sums }: ErmTally, counts: Float64Array): void {
  for (let i = 0; i < sums.length; i++) counts[i >> 2] += sums[i];
}

/** Gradients by signs, each looked for around what the one before it predicts. */
export const bySigns: Way<ErmPlan, ErmRound> = {
  after,
  digest: (plan, { round, theta, signs }) => roundDigest(plan, round, theta, signs.thresholds),
  check,
  step: descend,
  remake,
};
