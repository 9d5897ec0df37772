import type { FoundValidation } from '../../../evidence/engine/experiments.ts';
import type { Paper, TheoremValidation } from '../../../evidence/experiment/experiment.ts';
import { TOY } from '../engine/experiment.ts';

/** The toy of the experiments as a validation. */
export function toy(name: string, paper: Paper, theorems: readonly string[], met: boolean = true): FoundValidation {
  const experiment: TheoremValidation = {
    ...TOY,
    name,
    paper,
    theorems,
    report(results) {
      const report = TOY.report(results);
      return { ...report, claims: [...report.claims, { asked: `that of ${name}`, measured: 'so much', met }] };
    },
  };
  return { protocol: 'toys', experiment };
}

/** Four toys of three papers, out of the order of the papers; one claim of the last is not met. */
export const TOYS: readonly FoundValidation[] = [
  toy('rates-bound', 'online-rates', ['Theorem 4', 'Corollary 1']),
  toy('hinge-rate', 'noninteractive', ['Theorem 11']),
  toy('slide-error', 'slides', ['A naive estimator, error']),
  toy('rates-last', 'online-rates', ['Theorem 11'], false),
];
