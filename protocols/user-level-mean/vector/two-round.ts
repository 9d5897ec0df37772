import { fieldOf } from '../../../src/check/datum.ts';
import { checkInteger, checkOpenUnit, checkWord, refusal } from '../../../src/check/number.ts';
import type { Rounds } from '../../../src/core/rounds.ts';
import { checkReplay, goOn } from '../../../src/core/rounds.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { checkGroups, planDigest, planFields } from '../scalar/plan.ts';
import type { TwoRoundRequest } from '../scalar/two-round.ts';
import type { MeanEstimate, UserLevelFamily, UserLevelPlan } from '../scalar/types.ts';
import { locateBins } from './bin-location.ts';
import { coordinateRound, coordinateTallies } from './coordinate-round.ts';
import { RESIDUAL_CLIP, type ResidualDesign } from './design.ts';
import { locationModel, type SampleDomain } from './model.ts';
import type { LocationModel } from './posterior.ts';
import { domainOf, longestOf, seedOf, spreadOf } from './request.ts';
import { createRotation, type Rotation } from './rotation.ts';
import {
  type FinishedVector,
  type Located,
  type ResidualRound,
  residualRound,
  type VectorRound,
  type VectorTally,
} from './round.ts';
import { checkFinished, receivedResidual, residualMean, unrotated } from './rounds.ts';
import { type TwoRoundPilot, twoRoundDesign } from './two-round-design.ts';

const { hypot, max, sqrt } = Math;

/** A plan of two rounds in several dimensions: where the mean is, then the residual from there. */
export interface TwoRoundVectorPlan extends UserLevelPlan {
  readonly variant: 'twoRound';
  /** Where samples lie. */
  readonly domain: SampleDomain;
  /** What local means are rotated by. */
  readonly rotation: Rotation;
  /** D. */
  readonly size: number;
  /** Whether the same players answer both rounds, with a part of ε each. */
  readonly samePlayers: boolean;
  /** Shares of the players in the two rounds. */
  readonly shares: readonly [number, number];
  /** Share of the players in round 1 or, of the same players, of ε. */
  readonly share: number;
  /** What is public about the rotated coordinates. */
  readonly model: LocationModel;
  /** Round 1. */
  readonly pilot: TwoRoundPilot;
  /** Round 2. */
  readonly residual: ResidualDesign;
}

/**
 * Two rounds in several dimensions, fresh players in each.
 *
 * Law: round 1 locates the mean: a player draws one coordinate of the rotated local mean and says, with the whole ε, in which of k bins
 * it lies; or, where players are too few for that, it says the local mean as a unit vector. Round 2 says the residual from there,
 * clipped in ℓ₂ (a rotation changes no norm), as a unit vector (PrivUnitG; k-closest encoding in a deployment) or, with a δ and
 * where that is less, with Gaussian noise. Which pilot, how many bins and how many players: the least error by `twoRoundSquaredError`.
 *
 * Guarantee: pure ε, or (ε, δ) with Gaussian noise. Of the same players by basic composition: a part of ε, and the rest.
 *
 * Source: slides of Avella Medina (2023), the two rounds and the rotation of the multivariate case.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function twoRoundVector(family: UserLevelFamily, request: TwoRoundRequest): TwoRoundVectorPlan {
  const fields = planFields(family, 'twoRound', request, true);
  for (const name of ['failure', 'interval'] as const) {
    if (request[name] !== undefined)
      throw new RangeError(refusal(name, 'nothing in several dimensions', request[name]));
  }
  const { dimension, bound, players } = fields;
  const form = checkWord('form', request.form ?? 'automatic', ['automatic', 'unit', 'gaussian']);
  const delta = request.delta === undefined ? undefined : checkOpenUnit('delta', request.delta);
  if (form === 'gaussian' && delta === undefined) {
    throw new RangeError(refusal('delta', 'a number strictly between 0 and 1 for the form gaussian', delta));
  }
  const samePlayers = request.samePlayers ?? false;
  if (typeof samePlayers !== 'boolean') throw new TypeError(refusal('samePlayers', 'true or false', samePlayers));
  const asked = request.share === undefined ? undefined : checkOpenUnit('share', request.share);
  const [domain, seed, spread] = [domainOf(request), seedOf(request), spreadOf(request, bound)];
  const rotation = createRotation(dimension, seed);
  const { size } = rotation;
  const longest = longestOf(domain, fields);
  const rotated = spread === undefined ? undefined : spread * sqrt(dimension / size);
  // Nobody is asked for a sign: the coin is that of the budget, and unused.
  const model = locationModel(longest, size, fields, twoLevels(fields.epsilon, 1, 1), domain, rotated);
  const budget = delta === undefined ? {} : { delta };
  const design = twoRoundDesign({ fields, form, ...budget, samePlayers, size, longest, model }, asked);
  const { share, pilot, residual } = design;
  if (!samePlayers) checkGroups(players, [share, 1 - share]);
  const digest = planDigest(fields, {
    ...{ domain, seed, samePlayers, share, form: residual.form, ...(spread === undefined ? {} : { spread }) },
    ...(residual.delta === undefined ? {} : { delta: residual.delta }),
    pilot: pilot.kind === 'bin' ? pilot.question.mechanism.categories : pilot.kind,
  });
  const shares: readonly [number, number] = samePlayers ? [1, 1] : [share, 1 - share];
  const made = { ...fields, variant: 'twoRound', digest, domain, rotation, size, samePlayers, shares, share } as const;
  return { ...made, model, pilot, residual };
}

/** The round of this index: the first is the plan's alone, the second is made from what the first has found. */
export function twoRoundVectorRound(plan: TwoRoundVectorPlan, index: number, located?: Located): VectorRound {
  const { pilot, rotation, size, dimension, model, domain, samePlayers } = plan;
  if (index > 0) {
    const round = residualRound(plan, 1, located!);
    return samePlayers ? { ...round, repeats: true } : round;
  }
  if (pilot.kind === 'bin') {
    const place = { round: 0, answers: 'one' } as const;
    return coordinateRound({ ...plan, rotation }, place, new Array(size).fill(pilot.question));
  }
  const { residual } = pilot;
  const radius = longestOf(domain, plan);
  const prior = { centre: new Float64Array(dimension), radius, centreError: radius / sqrt(dimension) };
  return residualRound({ ...plan, residual }, 0, { ...prior, deviation: model.deviation * sqrt(size / dimension) });
}

/** What round 1 has found. */
export function locatedByFirst(plan: TwoRoundVectorPlan, { round, tally }: FinishedVector): Located {
  const { dimension, pilot, model } = plan;
  const found =
    round.kind === 'coordinate' && pilot.kind === 'bin'
      ? unrotated(plan, locateBins(pilot.question, coordinateTallies(round, tally.sums), model))
      : shrunk(round as ResidualRound, tally, pilot as Extract<TwoRoundPilot, { kind: 'unit' }>);
  const [centreError, deviation] = [found.standardError[0], found.deviation[0]];
  // A residual varies as local means do and as the centre is uncertain.
  const radius = RESIDUAL_CLIP * sqrt(dimension) * hypot(deviation, centreError);
  return { centre: found.mean, radius, centreError, deviation };
}

/** The mean of unit reports, shrunk by how much of its length is noise (James and Stein). */
function shrunk(
  { radius, deviation, dimension }: ResidualRound,
  { players, sums }: VectorTally,
  { residual }: Extract<TwoRoundPilot, { kind: 'unit' }>,
) {
  const noise = (radius * radius * residual.coordinateVariance + deviation * deviation) / players;
  const square = sums.reduce((sum, x) => sum + ((radius * x) / players) ** 2, 0) / dimension;
  const kept = max(0, 1 - noise / square);
  return {
    mean: sums.map((x) => (kept * radius * x) / players),
    // Where all is noise, as much is left open as the noise could hide.
    standardError: Float64Array.of(sqrt(noise * max(kept, 1 / 3))),
    deviation: Float64Array.of(deviation),
  };
}

function roundAfter(plan: TwoRoundVectorPlan, finished: readonly FinishedVector[]): VectorRound | undefined {
  if (finished.length > 1) return undefined;
  return finished.length === 0
    ? twoRoundVectorRound(plan, 0)
    : twoRoundVectorRound(plan, 1, locatedByFirst(plan, finished[0]));
}

function checkRounds(plan: TwoRoundVectorPlan, finished: readonly FinishedVector[]): void {
  if (finished.length > 2) throw new RangeError(refusal('finished', 'at most 2 rounds', finished.length));
  for (const [i, over] of finished.entries()) {
    checkFinished(plan, over, i, (round) =>
      round.kind === 'residual' || i === 0
        ? twoRoundVectorRound(plan, i, round as ResidualRound).digest
        : 'none: it asks for residuals',
    );
  }
  checkReplay(plan, finished, roundAfter);
}

/** From round to round of a plan of two, and to the estimate. */
export const twoRoundVectorRounds: Rounds<TwoRoundVectorPlan, VectorRound, VectorTally, MeanEstimate, undefined> = {
  ...goOn(checkRounds, roundAfter),
  estimate(plan, finished) {
    if (finished.length !== 2) throw new RangeError(refusal('finished', '2 rounds', finished.length));
    checkRounds(plan, finished);
    const players = finished.reduce((sum, { tally }) => sum + tally.players, 0);
    const [, { round, tally }] = finished;
    return { players, ...residualMean(plan, round as ResidualRound, tally) };
  },
  remake(plan, received) {
    const round = checkInteger('round.round', fieldOf(received, 'round'), 0, 1);
    return twoRoundVectorRound(plan, round, round === 0 ? undefined : receivedResidual(plan, received));
  },
  answers: ({ samePlayers }) => (samePlayers ? 2 : 1),
};
