import type { Theory } from '../../src/protocol/contract.ts';
import { onlineInfluence } from '../../src/protocol/online/influence.ts';
import type { OnlinePlan } from '../../src/protocol/online/plan.ts';
import { onlineTheory } from '../../src/protocol/online/theory.ts';

export {
  averageLossBound,
  averageRate,
  type BoundFields,
  lastIterateBound,
  lastIterateRate,
  lastLossBound,
  type RateExponents,
  rateExponents,
} from '../../src/protocol/online/bounds.ts';
export {
  asymptoticCovariance,
  hessianSensitivity,
  noiseVariance,
  omega,
  type PopulationMoments,
  printedLaplaceRate,
} from '../../src/protocol/online/theory.ts';

/** The guarantee of one player's whole transcript, its one report: that of the player with the largest budget. */
export const guarantee: Theory<OnlinePlan>['guarantee'] = onlineTheory.guarantee;

/** Every release of one player's transcript; a printed claim stands beside what holds. */
export const certificate: Theory<OnlinePlan>['certificate'] = onlineTheory.certificate;

/** Largest ℓ₂ distance between what two neighbouring data make the player randomize. */
export const neighbourDistance: Theory<OnlinePlan>['neighbourDistance'] = onlineTheory.neighbourDistance;

/** How far one report that is accepted can move a step, whoever made it. */
export const influence: NonNullable<Theory<OnlinePlan>['influence']> = onlineInfluence;

/** What is claimed of plans. */
export const theory: Theory<OnlinePlan> = onlineTheory;
