import type { Theory } from '../../../src/core/contract.ts';
import type { Rounds } from '../../../src/core/rounds.ts';
import type { MeanEstimate } from '../scalar/types.ts';
import type { VectorPlan } from './plan.ts';
import { type PrintedVectorPlan, printedVectorRounds } from './printed.ts';
import { printedVectorTheory } from './printed-theory.ts';
import type { VectorRound, VectorTally } from './round.ts';
import { vectorRounds } from './rounds.ts';
import { vectorTheory } from './theory.ts';
import { type TwoRoundVectorPlan, twoRoundVectorRounds } from './two-round.ts';
import { twoRoundVectorTheory } from './two-round-theory.ts';

/** Every plan in several dimensions. */
export type SeveralPlan = VectorPlan | TwoRoundVectorPlan | PrintedVectorPlan;

type SeveralRounds = Rounds<SeveralPlan, VectorRound, VectorTally, MeanEstimate, undefined>;

// Each variant is given its own plans only, which the switch sees to and the type of a lookup does not.
const roundsOf = ({ variant }: SeveralPlan): SeveralRounds =>
  (variant === 'twoRound'
    ? twoRoundVectorRounds
    : variant === 'printed'
      ? printedVectorRounds
      : vectorRounds) as SeveralRounds;

const theoryOf = ({ variant }: SeveralPlan): Theory<SeveralPlan> =>
  (variant === 'twoRound'
    ? twoRoundVectorTheory
    : variant === 'printed'
      ? printedVectorTheory
      : vectorTheory) as Theory<SeveralPlan>;

/** From round to round of any plan in several dimensions, and to the estimate. */
export const severalRounds: SeveralRounds = {
  first: (plan) => roundsOf(plan).first(plan),
  next: (plan, finished) => roundsOf(plan).next(plan, finished),
  estimate: (plan, finished) => roundsOf(plan).estimate(plan, finished),
  remake: (plan, received) => roundsOf(plan).remake(plan, received),
  answers: (plan) => roundsOf(plan).answers(plan),
};

/** What is claimed of any plan in several dimensions. */
export const severalTheory: Theory<SeveralPlan> = {
  guarantee: (plan) => theoryOf(plan).guarantee(plan),
  certificate: (plan) => theoryOf(plan).certificate(plan),
  neighbourDistance: (plan) => theoryOf(plan).neighbourDistance(plan),
};
