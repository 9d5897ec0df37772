import type { Guarantee } from '../../privacy/guarantee.ts';
import type { Dataset } from '../../simulation/dataset.ts';
import type { LinearEstimate, Study } from '../../simulation/study.ts';
import type { Threads } from '../threads.ts';
import type { Division } from './division.ts';
import { type Plan, queryOf, requestOf } from './plan.ts';

/** One run before it is measured. */
export interface Collected {
  readonly variant: string;
  readonly epsilon: number;
  /** From 1. */
  readonly repetition: number;
  readonly guarantee: Guarantee;
  readonly estimate: LinearEstimate;
  /** The model of degree 0 out of the same tally. */
  readonly meanOnly: LinearEstimate;
  readonly seconds: number;
}

/** What a collection needs. */
export interface Stage {
  readonly plan: Plan;
  readonly study: Study;
  readonly dataset: Dataset;
  readonly division: Division;
  readonly threads: Threads;
}

/**
 * Plays every run of the plan, one after the other: reports, tally, estimate. Every run has coins of its own, derived from
 * the plan's seed. `onProgress` hears the number of reports so far.
 */
export async function collectRuns(
  { plan, study, dataset, division, threads }: Stage,
  onProgress: (reports: number) => void,
): Promise<readonly Collected[]> {
  const { protocol } = study;
  const { seed } = plan;
  const collected: Collected[] = [];
  for (const epsilon of plan.epsilons) {
    for (const variant of plan.variants) {
      const request = requestOf(plan, variant, epsilon);
      const parameters = study.parameters(request);
      for (let repetition = 1; repetition <= plan.repetitions; repetition++) {
        const before = collected.length * division.count;
        const start = performance.now();
        const tally = await threads.simulate({
          protocol: plan.protocol,
          request,
          seed: `${seed} ${variant} ${epsilon} ${repetition}`,
          dataset,
          rows: division.players,
          onProgress: (players) => onProgress(before + players),
        });
        const estimate = protocol.server.estimate(parameters, tally, study.query(queryOf(plan, variant)));
        const seconds = (performance.now() - start) / 1000;
        const found = { radius: estimate.radius, degree: 0, variant };
        const meanOnly = protocol.server.estimate(parameters, tally, study.query(found));
        const guarantee = protocol.theory.guarantee(parameters);
        collected.push({ variant, epsilon, repetition, guarantee, estimate, meanOnly, seconds });
      }
    }
  }
  return collected;
}
