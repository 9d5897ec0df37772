import type { Theory } from '../../../src/core/contract.ts';
import { unitRelease } from '../../../src/core/unit-report.ts';
import { type Certificate, certificate as certificateOf } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, pure } from '../../../src/privacy/guarantee.ts';
import { binRelease } from '../scalar/theory.ts';
import { longestOf } from './request.ts';
import { neighbourDistance, residualRelease } from './theory.ts';
import type { TwoRoundVectorPlan } from './two-round.ts';
import { type TwoRoundDesign, twoRoundSquaredError } from './two-round-design.ts';

const { sqrt } = Math;

function guarantee({ epsilon, residual: { delta } }: TwoRoundVectorPlan): Guarantee {
  return delta === undefined ? pure(epsilon) : approximate({ epsilon, delta });
}

function certificate(plan: TwoRoundVectorPlan): Certificate {
  const { protocol, variant, pilot, samePlayers } = plan;
  const first =
    pilot.kind === 'bin'
      ? { ...binRelease(pilot.question), what: 'bin of one rotated coordinate, in round 1 of 2' }
      : unitRelease('local mean as a unit vector, in round 1 of 2', pilot.residual.mechanism!);
  const releases = [first, residualRelease(plan)!];
  return certificateOf({ protocol, variant, releases, claimed: guarantee(plan), alternatives: !samePlayers });
}

/** What is claimed of these plans. */
export const twoRoundVectorTheory: Theory<TwoRoundVectorPlan> = { guarantee, certificate, neighbourDistance };

/** The error to expect, E‖estimate − mean‖², where coordinates of samples have the standard deviation s. */
export function expectedTwoRoundError(plan: TwoRoundVectorPlan, spread: number): number {
  const { variant: _, ...fields } = plan;
  const rest = { form: plan.residual.form, longest: longestOf(plan.domain, plan) };
  const setting = { ...plan, fields: { ...fields, variant: 'twoRound' }, ...rest };
  return twoRoundSquaredError(
    setting,
    plan as TwoRoundDesign,
    spread * sqrt(plan.dimension / plan.size / plan.samples),
  );
}
