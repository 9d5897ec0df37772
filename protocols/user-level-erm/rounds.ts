import { fieldOf } from '../../src/check/datum.ts';
import { checkInteger, refusal } from '../../src/check/number.ts';
import { euclideanDistance, euclideanNorm, projectBall } from '../../src/optimize/projection.ts';
import { checkReplay, madeHere } from '../../src/protocol/replay.ts';
import type { Rounds } from '../../src/protocol/rounds.ts';
import { receivedNumbers } from '../../src/protocol/user-level/received.ts';
import { checkPlace, checkRoundTally } from '../../src/protocol/user-level/round.ts';
import { type Location, type LocationModel, locate } from '../../src/protocol/user-level/vector/location.ts';
import { rotate, rotateBack } from '../../src/protocol/user-level/vector/rotation.ts';
import { checkIterate } from './objective.ts';
import type { ErmPlan } from './parameters.ts';
import { type ErmRound, type ErmTally, ermRound, type FinishedErm, roundDigest } from './round.ts';

const { ceil, log, max, sqrt } = Math;

/** What a descent comes to. */
export interface ErmEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** θ_T. */
  readonly theta: Float64Array;
  /** θ_0 … θ_T. */
  readonly iterates: readonly Float64Array[];
  /** The gradient at θ_T, as the rounds before predict it. */
  readonly gradient: Float64Array;
  /** Its standard error in ℓ₂, √E‖ĝ − g‖², that of the prediction included. */
  readonly gradientError: number;
  /** How far θ_T may be from the minimiser of a τ₁-strongly convex risk: (‖ĝ‖ + its error)/τ₁. */
  readonly distance: number;
  /** Standard deviation of a coordinate of a player's gradient, in the mean over coordinates, as the rounds that located one tell it. */
  readonly deviation: number;
}

/** The first round: at θ_0 = 0, with thresholds at the quartiles of what is public. */
function first(plan: ErmPlan): ErmRound {
  const { gradient, dimension } = plan;
  const centre = new Float64Array(gradient.size);
  const state = { round: 0, iteration: 0, place: 0, theta: new Float64Array(dimension), centre, model: gradient.model };
  return madeHere(plan, ermRound(plan, state, quartiles(plan, gradient.model)));
}

/**
 * The next round: at the same θ while its gradient is being located, else at the next θ.
 *
 * @throws RangeError for a round that is not the one of its place in this plan, or has no report, or a group of coordinates without one in the first iteration.
 */
function next(plan: ErmPlan, finished: readonly FinishedErm[]): ErmRound | undefined {
  if (finished.length === 0) return first(plan);
  checkFinished(plan, finished);
  const round = roundAfter(plan, finished);
  return round === undefined ? undefined : madeHere(plan, round);
}

function roundAfter(plan: ErmPlan, finished: readonly FinishedErm[]): ErmRound | undefined {
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

/**
 * The model after the last iteration.
 *
 * @throws RangeError for a round that is missing or empty, naming how many players are needed.
 */
function estimate(plan: ErmPlan, finished: readonly FinishedErm[]): ErmEstimate {
  if (finished.length !== plan.shares.length) {
    throw new RangeError(refusal('finished', `${plan.shares.length} rounds`, finished.length));
  }
  checkFinished(plan, finished);
  const { theta, gradient, gradientError, model } = descend(plan, finished);
  const iterates = finished.filter(({ round }) => round.place === 0).map(({ round }) => round.theta);
  return {
    players: finished.reduce((sum, { tally }) => sum + tally.players, 0),
    theta,
    iterates: [...iterates, theta],
    gradient,
    gradientError,
    distance: (euclideanNorm(gradient) + gradientError) / plan.strongConvexity,
    deviation: model.deviation * sqrt(plan.gradient.size / plan.dimension),
  };
}

/** A step, and what it says of the gradient after it. */
interface Step {
  readonly theta: Float64Array;
  /** The gradient expected at the new θ, and its error in ℓ₂. */
  readonly gradient: Float64Array;
  readonly gradientError: number;
  /** The same, rotated. */
  readonly centre: Float64Array;
  readonly model: LocationModel;
}

/**
 * θ′ = Π(θ − ηĝ), and where the gradient is at θ′: with curvatures between τ₁ and τ₂ it is ĝ + ½(τ₁ + τ₂)(θ′ − θ), off by at
 * most ½(τ₂ − τ₁)‖θ′ − θ‖ besides the error of ĝ. The two are added by the triangle inequality, since they need not be
 * independent.
 */
function descend(plan: ErmPlan, finished: readonly FinishedErm[]): Step {
  const { gradient: means, step, strongConvexity, smoothness, objective } = plan;
  const { rotation, size } = means;
  const { theta, centre } = finished[finished.length - 1].round;
  const location = located(finished);
  const found = rotateBack(
    rotation!,
    location.mean.map((mean, j) => mean + centre[j]),
  );
  const moved = projectBall(
    theta.map((coordinate, i) => coordinate - step * found[i]),
    objective.radius,
  );
  const curvature = 0.5 * (strongConvexity + smoothness);
  const gradient = found.map((g, i) => g + curvature * (moved[i] - theta[i]));
  const doubt = 0.5 * (smoothness - strongConvexity) * euclideanDistance(moved, theta);
  const gradientError = euclideanNorm(location.error) + doubt;
  const spread = gradientError / sqrt(size);
  const deviation = location.deviation[0];
  const { contrast } = means.model;
  const model = { contrast, largestSpread: spread, halfRange: 6.5 * spread, deviation, largestDeviation: deviation };
  return { theta: moved, gradient, gradientError, centre: rotate(rotation!, gradient), model };
}

/** The posterior of the rotated gradient relative to the centre, by all rounds of the last iteration. */
function located(finished: readonly FinishedErm[]): Location {
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

/** The round that a device was sent, made again from its plan: the iterate and the thresholds are taken and checked. */
function remake(plan: ErmPlan, received: unknown): ErmRound {
  const round = checkInteger('round.round', fieldOf(received, 'round'), 0, plan.shares.length - 1);
  const theta = receivedNumbers(received, 'theta', plan.dimension);
  checkIterate(plan.objective, theta);
  const thresholds = receivedNumbers(fieldOf(received, 'signs'), 'thresholds', 2 * plan.gradient.size);
  let iteration = 0;
  let before = 0;
  while (before + plan.rounds[iteration] <= round) before += plan.rounds[iteration++];
  // Centre and model are the server's own business: to a player thresholds are given as they are.
  const centre = new Float64Array(plan.gradient.size);
  const state = { round, iteration, place: round - before, theta, centre, model: plan.gradient.model };
  return ermRound(plan, state, thresholds);
}

function checkFinished(plan: ErmPlan, finished: readonly FinishedErm[]): void {
  const most = plan.shares.length;
  if (finished.length > most) throw new RangeError(refusal('finished', `at most ${most} rounds`, finished.length));
  finished.forEach(({ round, tally }, index) => {
    checkRoundTally(`finished[${index}].tally`, tally, round);
    checkPlace(index, plan, round, () => roundDigest(plan, index, round.theta, round.signs.thresholds));
    checkIterate(plan.objective, round.theta);
    if (!(tally.players >= 1)) {
      const needed = ceil(1 / plan.shares[index]);
      const expected = `at least 1 report in round ${index} (${needed} players in all)`;
      throw new RangeError(refusal(`finished[${index}].tally.players`, expected, tally.players));
    }
  });
  if (finished.length >= plan.rounds[0]) checkGroups(plan, finished);
  checkReplay(plan, finished, roundAfter);
}

/** Every coordinate of the first gradient needs an answer: later ones are found from it. */
function checkGroups({ gradient: { size }, rounds, shares }: ErmPlan, finished: readonly FinishedErm[]): void {
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

/** From round to round of a descent, and to its estimate. */
export const rounds: Rounds<ErmPlan, ErmRound, ErmTally, ErmEstimate, undefined> = {
  first,
  next,
  estimate,
  remake,
  answers: ({ samePlayers, shares }) => (samePlayers ? shares.length : 1),
};
