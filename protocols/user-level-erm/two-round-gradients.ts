import { fieldOf } from '../../src/check/datum.ts';
import { checkPositive, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { digestOf } from '../../src/core/digest.ts';
import { type Located, type ResidualRound, residualMean } from '../user-level-mean/vector/residual-round.ts';
import {
  expectedTwoRoundError,
  type TwoRoundVectorPlan,
  type TwoRoundVectorRound,
  twoRoundVector,
  twoRoundVectorPair,
} from '../user-level-mean/vector/two-round.ts';
import {
  commonFields,
  type DescentPlan,
  type DescentRound,
  FAMILY,
  type FinishedErm,
  freshNoise,
  type Gradients,
  type Step,
  stepBy,
} from './descent.ts';
import { checked, meanRequest, refuseShortfall, type TwoRoundErmRequest } from './request.ts';
import { shortfallOf, twoRoundScheduleOf } from './schedule.ts';

const { sqrt } = Math;

/** A plan in which each gradient is a mean of two rounds. */
export interface TwoRoundErmPlan extends DescentPlan {
  readonly gradients: 'two-round';
  /** The plan of the mean of gradients, by the players of one iteration. */
  readonly gradient: TwoRoundVectorPlan;
}

/** A round of a two-round gradient: the location of the gradient, or the residual from there. */
export interface TwoRoundErmRound extends DescentRound {
  /** The question about a local gradient, the same as about a local mean. */
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
        throw new RefusedValue(refusal(name, 'nothing for gradients of two rounds', given));
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
    const { players } = fields;
    if (!condition.force) refuseShortfall(players, shortfallOf({ ...condition, groups: iterations, players }));
    const made = { ...fields, ...shape, iterations, rounds, shares, samePlayers: false, predict: false };
    const named = { ...made, gradients: 'two-round' } as const;
    return { ...commonFields(request, grade, objective, gradient.digest, named), ...named, gradient };
  },
  after,
  step,
  remake,
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
 *
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

function after(plan: TwoRoundErmPlan, finished: Finished): TwoRoundErmRound | undefined {
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

function remake(
  plan: TwoRoundErmPlan,
  place: Pick<TwoRoundErmRound, 'round' | 'theta'>,
  received: unknown,
): TwoRoundErmRound {
  if (place.round % 2 === 0) return twoRoundErmRound(plan, place);
  return twoRoundErmRound(plan, place, twoRoundVectorPair.read(plan.gradient, fieldOf(received, 'asked')));
}
