import type { Theory } from '../../src/core/contract.ts';
import { onlineInfluence } from './stream/influence.ts';
import type { OnlinePlan } from './stream/plan.ts';
import { onlineTheory } from './stream/theory.ts';

export {
  averageRate,
  type BoundFields,
  lastIterateBound,
  lastIterateRate,
  type RateExponents,
  rateExponents,
} from './stream/bounds.ts';
export {
  averageLossBound,
  lastLossBound,
  printedAverageLossBound,
  printedLastLossBound,
} from './stream/loss-bounds.ts';
export {
  asymptoticCovariance,
  hessianSensitivity,
  noiseVariance,
  omega,
  type PopulationMoments,
  printedLaplaceRate,
} from './stream/theory.ts';

/**
 * The guarantee of one player's whole transcript, its one report: that of the player with the largest budget.
 *
 * @theorem online-inference Proposition 2
 * @theorem online-inference Proposition 3
 * @theorem online-inference Proposition 5
 * @theorem online-rates Proposition 2
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export const guarantee: Theory<OnlinePlan>['guarantee'] = onlineTheory.guarantee;

/**
 * Every release of one player's transcript; a printed claim stands beside what holds.
 *
 * @theorem online-inference Proposition 5
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export const certificate: Theory<OnlinePlan>['certificate'] = onlineTheory.certificate;

/**
 * Largest ℓ₂ distance between what two neighbouring data make the player randomize.
 *
 * @theorem online-inference Definition 1
 * @theorem online-rates Definition 3
 */
export const neighbourDistance: Theory<OnlinePlan>['neighbourDistance'] = onlineTheory.neighbourDistance;

/** How far one report that is accepted can move a step, whoever made it. */
export const influence: NonNullable<Theory<OnlinePlan>['influence']> = onlineInfluence;

/** What is claimed of plans. */
export const theory: Theory<OnlinePlan> = onlineTheory;
