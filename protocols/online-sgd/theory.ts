import type { Theory } from '../../src/protocol/contract.ts';
import { onlineInfluence } from '../../src/protocol/online/influence.ts';
import type { OnlinePlan } from '../../src/protocol/online/plan.ts';
import { onlineTheory } from '../../src/protocol/online/theory.ts';

export {
  averageRate,
  type BoundFields,
  lastIterateBound,
  lastIterateRate,
  type RateExponents,
  rateExponents,
} from '../../src/protocol/online/bounds.ts';
export {
  averageLossBound,
  lastLossBound,
  printedAverageLossBound,
  printedLastLossBound,
} from '../../src/protocol/online/loss-bounds.ts';
export {
  asymptoticCovariance,
  hessianSensitivity,
  noiseVariance,
  omega,
  type PopulationMoments,
  printedLaplaceRate,
} from '../../src/protocol/online/theory.ts';

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
