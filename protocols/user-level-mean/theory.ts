import type { Theory } from '../../src/core/contract.ts';
import type { UserLevelMeanPlan } from './parameters.ts';
import { isVector } from './scalar/kind.ts';
import { scalarTheory } from './scalar/theory.ts';
import { severalTheory } from './vector/several.ts';

export * from './scalar/error.ts';

/** The theory of the protocol: what is claimed of one player's transcript over all rounds. */
export const theory: Theory<UserLevelMeanPlan> = {
  guarantee: (plan) => (isVector(plan) ? severalTheory.guarantee(plan) : scalarTheory.guarantee(plan)),
  certificate: (plan) => (isVector(plan) ? severalTheory.certificate(plan) : scalarTheory.certificate(plan)),
  neighbourDistance: (plan) =>
    isVector(plan) ? severalTheory.neighbourDistance(plan) : scalarTheory.neighbourDistance(plan),
};

/**
 * Every release of one player's transcript, and the total under every accounting that applies.
 *
 * @theorem slides User-level privacy, user-level LDP
 * @theorem slides Algorithm, round 2, noise
 * @theorem slides Theorem, two-round estimator, privacy
 * @theorem slides Theorem, multivariate case, privacy
 */
export const certificate: Theory<UserLevelMeanPlan>['certificate'] = theory.certificate;

/**
 * The guarantee of one player's whole transcript.
 *
 * @theorem slides User-level privacy, user-level LDP
 */
export const guarantee: Theory<UserLevelMeanPlan>['guarantee'] = theory.guarantee;
