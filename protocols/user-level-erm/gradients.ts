import { fieldOf } from '../../src/check/datum.ts';
import { checkBoolean, checkOpenUnit, checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { digestOf } from '../../src/core/request.ts';
import { euclideanNorm } from '../../src/numeric/matrix.ts';
import { receivedNumbers } from '../user-level-mean/course.ts';
import { coinRelease } from '../user-level-mean/scalar/question.ts';
import { locateEach } from '../user-level-mean/vector/coordinate-location.ts';
import { rotate, rotateBack, type SignRound, signRound } from '../user-level-mean/vector/coordinate-round.ts';
import type { Location, LocationModel } from '../user-level-mean/vector/location.ts';
import { type Located, type ResidualRound, residualMean } from '../user-level-mean/vector/residual-round.ts';
import {
  expectedTwoRoundError,
  type TwoRoundVectorPlan,
  type TwoRoundVectorRound,
  twoRoundVector,
  twoRoundVectorPair,
} from '../user-level-mean/vector/two-round.ts';
import { type VectorPlan, vector } from '../user-level-mean/vector/vector.ts';
import {
  commonFields,
  contraction,
  type DescentPlan,
  type DescentRound,
  FAMILY,
  type FinishedErm,
  freshNoise,
  type Gradients,
  refuseShortfall,
  type Step,
  scheduleOf,
  stepBy,
  twoRoundScheduleOf,
} from './descent.ts';
import { checked, type ErmRequest, meanRequest, type TwoRoundErmRequest } from './objective.ts';

const { PI, ceil, log, max, sqrt } = Math;

export interface ErmPlan extends DescentPlan {
  readonly gradients: 'signs';
  /** The plan of the mean of gradients: its coin, its rotation, and what is public before anybody answers. */
  readonly gradient: VectorPlan;
}

/** A round in which each player is asked for one sign of the gradient at θ. */
export interface ErmRound extends DescentRound {
  /** The expected rotated gradient: D numbers. */
  readonly centre: Float64Array;
  /** How far the gradient may be from the centre, and how local gradients vary. */
  readonly model: LocationModel;
  readonly asked: SignRound;
}

/** Gradients by signs, each searched for around its prediction from the gradient before. */
export const bySigns: Gradients<ErmRequest, ErmPlan, ErmRound> = {
  make(request) {
    const { samePlayers = false, predict = true } = request;
    checkBoolean('samePlayers', samePlayers);
    checkBoolean('predict', predict);
    const { fields, grade, objective, shape, asked, condition } = checked(request);
    const delta = deltaOf(request.delta, samePlayers);
    refuseShortfall(condition);
    const { gradientBound } = objective;
    const spent = delta === undefined ? {} : { delta };
    const { rounds, shares, gradient } = scheduleOf(
      { ...fields, ...spent, ...asked, ...shape, radius: objective.radius, samePlayers, predict },
      (bit) =>
        vector.make(FAMILY, { ...meanRequest(request, gradientBound), ...fields, grade, epsilon: bit, form: 'sign' }),
    );
    const made = { ...fields, ...spent, ...shape, iterations: rounds.length, rounds, shares, samePlayers, predict };
    return { ...commonFields(grade, objective, gradient.digest, made), gradients: 'signs', gradient };
  },
  after: afterSigns,
  check,
  step: descend,
  remake: remadeSigns,
  releases({ samePlayers, shares, iterations, gradient }) {
    const count = samePlayers ? shares.length : 1;
    const where = samePlayers ? 'each of' : 'one of';
    const what = `sign of one rotated coordinate of the gradient, in ${where} ${shares.length} rounds of ${iterations} iterations`;
    return [coinRelease(what, count, 1, gradient.coin)];
  },
  groups: () => 1,
  // Uses the iteration's own signs alone, with thresholds close. A prediction from earlier iterations can only reduce
  // the error.
  gradientError(plan, spread) {
    const { shares, rounds, iterations, samePlayers } = plan;
    const last = shares.slice(-rounds[iterations - 1]).reduce((sum, share) => sum + share, 0);
    return signError(plan, spread, samePlayers ? max(1, last) : last);
  },
  noise(plan, spread) {
    const { predict, shares, strongConvexity } = plan;
    if (!predict) return freshNoise(plan, bySigns.gradientError(plan, spread));
    // Every gradient uses all signs so far, so its error is nearly the same from one step to the next.
    const total = shares.reduce((sum, share) => sum + share, 0);
    return ((1 - contraction(plan) ** plan.iterations) * signError(plan, spread, total)) / strongConvexity;
  },
};

/** d·√((π/2)/(m·n))·s/κ, the error by the signs of n players; n is multiplied by `share`. */
function signError({ gradient, dimension, samples, players }: ErmPlan, spread: number, share: number): number {
  return dimension * sqrt(PI / 2 / (samples * players * share)) * (spread / gradient.coin.contrast);
}

function deltaOf(delta: number | undefined, samePlayers: boolean): number | undefined {
  if (delta === undefined) return undefined;
  if (!samePlayers) throw new RefusedValue('delta', 'nothing where players are fresh: one bit is pure', delta);
  return checkOpenUnit('delta', delta);
}

/** The position of a round and what is known before it. */
type RoundState = Pick<ErmRound, 'round' | 'iteration' | 'place' | 'theta' | 'centre' | 'model'>;

/**
 * The round with these thresholds, which are relative to the centre.
 * @theorem slides User-level LDP ERM
 */
export function ermRound(
  plan: ErmPlan,
  { round, iteration, place, theta, centre, model }: RoundState,
  thresholds: Float64Array,
): ErmRound {
  const { protocol, version, grade, objective, gradient, shares, samePlayers } = plan;
  const absolute = thresholds.map((threshold, q) => threshold + centre[q >> 1]);
  // Bound to the plan, to θ and to thresholds that are not relative to the centre.
  const digest = digestOf({ plan: plan.digest, round, theta: Array.from(theta), thresholds: Array.from(absolute) });
  const share = shares[round];
  const asked: SignRound = { ...signRound(gradient, round, absolute, digest), share };
  const again = samePlayers && round > 0 ? { repeats: true as const } : {};
  const bound = { protocol, variant: 'descent', version, digest, grade, share, objective, asked } as const;
  return { ...bound, round, iteration, place, theta, centre, model, ...again };
}

/** What is known of a gradient before anybody answers. */
function priorOf({ gradient: { size, model } }: ErmPlan): Pick<ErmRound, 'centre' | 'model'> {
  return { centre: new Float64Array(size), model };
}

function afterSigns(plan: ErmPlan, finished: readonly FinishedErm<ErmRound>[]): ErmRound | undefined {
  // A new gradient: the thresholds are the quartiles of what is known before.
  const begin = (place: Pick<ErmRound, 'round' | 'iteration' | 'theta'>, known: Pick<ErmRound, 'centre' | 'model'>) =>
    ermRound(
      plan,
      { ...place, place: 0, ...known },
      locateEach(known.model, [], plan.gradient.size, plan.rounds[place.iteration]).quartiles,
    );
  if (finished.length === 0)
    return begin({ round: 0, iteration: 0, theta: new Float64Array(plan.dimension) }, priorOf(plan));
  const { round: last } = finished[finished.length - 1];
  const round = last.round + 1;
  if (last.place + 1 < plan.rounds[last.iteration]) {
    return ermRound(plan, { ...last, round, place: last.place + 1 }, located(plan, finished).quartiles);
  }
  const iteration = last.iteration + 1;
  if (iteration === plan.iterations) return undefined;
  const { theta, centre, model } = descend(plan, finished);
  return begin({ round, iteration, theta }, plan.predict ? { centre, model } : priorOf(plan));
}

function descend(
  plan: ErmPlan,
  finished: readonly FinishedErm<ErmRound>[],
): Step & { readonly centre: Float64Array; readonly model: LocationModel } {
  const { rotation, size, dimension, model: prior } = plan.gradient;
  const { theta, centre } = finished[finished.length - 1].round;
  const location = located(plan, finished);
  const gradient = rotateBack(
    rotation!,
    location.mean.map((mean, j) => mean + centre[j]),
  );
  const moved = stepBy(plan, theta, { gradient, error: euclideanNorm(location.error) });
  const spread = moved.gradientError / sqrt(size);
  const deviation = euclideanNorm(location.deviation) / sqrt(size);
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
function located(plan: ErmPlan, finished: readonly FinishedErm<ErmRound>[]): Location {
  const { iteration, centre, model } = finished[finished.length - 1].round;
  const signs = finished
    .filter(({ round }) => round.iteration === iteration)
    .map(({ round, tally }) => ({
      thresholds: round.asked.thresholds.map((threshold, q) => threshold - centre[q >> 1]),
      counts: tally.sums,
    }));
  return locateEach(model, signs, centre.length, plan.rounds[iteration] - signs.length);
}

function remadeSigns(plan: ErmPlan, { round, theta }: Pick<ErmRound, 'round' | 'theta'>, received: unknown): ErmRound {
  const thresholds = receivedNumbers(fieldOf(received, 'asked'), 'thresholds', 2 * plan.gradient.size);
  let iteration = 0;
  let before = 0;
  while (before + plan.rounds[iteration] <= round) before += plan.rounds[iteration++];
  // Centre and model concern the server only: a player receives thresholds that are not relative to a centre.
  return ermRound(plan, { round, iteration, place: round - before, theta, ...priorOf(plan) }, thresholds);
}

/** Every coordinate of the first gradient needs an answer: later gradients are computed from it. */
function check({ gradient: { size }, rounds, shares }: ErmPlan, finished: readonly FinishedErm<ErmRound>[]): void {
  if (finished.length < rounds[0]) return;
  const counts = new Float64Array(size);
  for (const { tally } of finished.slice(0, rounds[0])) {
    for (const [i, signs] of tally.sums.entries()) counts[i >> 2] += signs;
  }
  const empty = counts.indexOf(0);
  if (empty === -1) return;
  const share = shares.slice(0, rounds[0]).reduce((sum, part) => sum + part, 0);
  // With q players, a group stays empty with probability e^{−q/D}.
  const needed = ceil((size * max(1, log(1000 * size))) / share);
  throw new RefusedValue(
    `"players" expected enough for reports of each of ${size} groups of coordinates in the first iteration (about ${needed} in all), got none of group ${empty}`,
  );
}

/** A plan in which each gradient is a mean of two rounds. */
export interface TwoRoundErmPlan extends DescentPlan {
  readonly gradients: 'two-round';
  /** The plan of the mean of gradients, by the players of one iteration. */
  readonly gradient: TwoRoundVectorPlan;
}

/** A round of a two-round gradient: the location of the gradient, or the residual from there. */
export interface TwoRoundErmRound extends DescentRound {
  readonly asked: TwoRoundVectorRound;
}

/**
 * Every gradient by two rounds with their own players; a coordinate without answers has its prior.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 */
export const byTwoRounds: Gradients<TwoRoundErmRequest, TwoRoundErmPlan, TwoRoundErmRound> = {
  make(request) {
    for (const name of ['delta', 'samePlayers', 'predict'] as const) {
      const given = (request as { readonly [field in typeof name]?: unknown })[name];
      if (given !== undefined && given !== false) {
        throw new RefusedValue(name, 'nothing for gradients of two rounds', given);
      }
    }
    // With bins for the largest possible s, the error of a gradient would stay a fraction of one bin, for every n.
    checkPositive('spread', request.spread);
    const { fields, grade, objective, shape, asked, condition } = checked(request);
    const { gradientBound, radius } = objective;
    const { rounds, shares, gradient } = twoRoundScheduleOf({ ...fields, ...asked, ...shape, radius }, (players) =>
      twoRoundVector.make(FAMILY, { ...meanRequest(request, gradientBound), ...fields, grade, players, form: 'unit' }),
    );
    const iterations = rounds.length;
    refuseShortfall({ ...condition, groups: iterations });
    const made = { ...fields, ...shape, iterations, rounds, shares, samePlayers: false, predict: false };
    const named = { ...made, gradients: 'two-round' } as const;
    return { ...commonFields(grade, objective, gradient.digest, named), ...named, gradient };
  },
  after: afterPair,
  step,
  remake: remadePair,
  // The two releases of the mean; a player sends one of them, in one iteration.
  releases: ({ gradient, iterations }) =>
    twoRoundVector.releases(gradient).map((release) => ({
      ...release,
      what: `of the gradient, in one of ${iterations} iterations: ${release.what}`,
    })),
  groups: ({ iterations }) => iterations,
  gradientError: ({ gradient }, spread) => sqrt(expectedTwoRoundError(gradient, spread)),
  noise: (plan, spread) => freshNoise(plan, byTwoRounds.gradientError(plan, spread)),
};

/**
 * The round of a two-round gradient, by its number and θ; the second round is made from what the first has found.
 * @theorem slides User-level LDP ERM
 */
export function twoRoundErmRound(
  plan: TwoRoundErmPlan,
  { round, theta }: Pick<DescentRound, 'round' | 'theta'>,
  located?: Located,
): TwoRoundErmRound {
  const { protocol, version, grade, objective, gradient } = plan;
  const place = round % 2;
  const { pilot, final } = twoRoundVectorPair;
  const mean = located === undefined ? pilot(gradient) : final(gradient, located);
  const digest = digestOf({ plan: plan.digest, round, theta: Array.from(theta), asked: mean.digest });
  const share = plan.shares[round];
  const asked = { ...mean, digest, round, share };
  const common = { protocol, variant: 'descent', version, digest, grade, round, share, objective } as const;
  return { ...common, iteration: (round - place) / 2, place, theta, asked };
}

type Finished = readonly FinishedErm<TwoRoundErmRound>[];

function step(plan: TwoRoundErmPlan, finished: Finished): Step {
  const { round, tally } = finished[finished.length - 1];
  const { mean, standardError, deviation } = residualMean(plan.gradient, round.asked as ResidualRound, tally);
  const error = standardError[0] * sqrt(plan.dimension);
  return { ...stepBy(plan, round.theta, { gradient: mean, error }), deviation: deviation[0] };
}

function afterPair(plan: TwoRoundErmPlan, finished: Finished): TwoRoundErmRound | undefined {
  const round = finished.length;
  if (round === 0) return twoRoundErmRound(plan, { round, theta: new Float64Array(plan.dimension) });
  const { round: last, tally } = finished[round - 1];
  if (last.place === 0) {
    const located = twoRoundVectorPair.locate(plan.gradient, { round: last.asked, tally });
    return twoRoundErmRound(plan, { round, theta: last.theta }, located);
  }
  if (round === plan.shares.length) return undefined;
  return twoRoundErmRound(plan, { round, theta: step(plan, finished).theta });
}

function remadePair(
  plan: TwoRoundErmPlan,
  place: Pick<TwoRoundErmRound, 'round' | 'theta'>,
  received: unknown,
): TwoRoundErmRound {
  if (place.round % 2 === 0) return twoRoundErmRound(plan, place);
  return twoRoundErmRound(plan, place, twoRoundVectorPair.read(plan.gradient, fieldOf(received, 'asked')));
}
