import { ReportError } from '../../src/check/report-error.ts';
import { LEAST_SCALE } from '../../src/risk/regression/model.ts';
import type { OnlinePlan } from './plan.ts';
import type { OnlineState } from './state.ts';

/**
 * Refuses a state with counts or iterates that no stream of this plan has, so that a restored stream never goes on from one.
 * Sums are believed.
 *
 * @throws ReportError.
 */
export function checkPossible(plan: OnlinePlan, state: OnlineState): void {
  const { steps, players, late, gathered, iterate, open, scaling, batchMeans, disjointBatchMeans, released } = state;
  const { batch, burnIn, model, start } = plan;
  if (gathered >= batch) throw new ReportError(`"state" expected fewer than ${batch} reports in a step`);
  if (!Number.isSafeInteger(players) || players !== steps * batch + gathered) {
    throw new ReportError('"state" expected as many players as there are in its steps');
  }
  // Only where there is an earlier step, and where the plan takes them, can a report be late.
  if (late > (plan.stale === 'refuse' ? 0 : Math.max(0, players - batch)) || (state.openLate && late === 0)) {
    throw new ReportError('"state" expected no more late reports than there can be');
  }
  if (gathered === 0 && (state.openLate || open.some((entry) => entry !== 0))) {
    throw new ReportError('"state" expected nothing of an open step without reports');
  }
  const after = Math.max(0, steps - burnIn);
  // Gradients of steps with a late report are left out.
  const fewest = Math.max(0, after - late);
  for (const [part, least] of [
    [scaling, after],
    [batchMeans, after],
    [disjointBatchMeans, after],
    [released, fewest],
  ] as const) {
    if (part !== undefined && (part.steps > after || part.steps < least || part.nextCentre !== nextPower(part.steps))) {
      throw new ReportError(`"state" expected sums over the ${after} steps after the first ${burnIn}`);
    }
  }
  // Hessians of late reports are left out, and those of the first steps.
  const most = Math.max(0, players - burnIn * batch);
  const { count = most } = state.hessians ?? {};
  if (count > most || count < most - late) {
    throw new ReportError(`"state" expected released Hessians of the players after the first ${burnIn} steps`);
  }
  if (steps === 0 && iterate.some((entry, i) => entry !== start[i])) {
    throw new ReportError('"state" expected the start of the plan before the first step');
  }
  if (model.form === 'scale' && iterate[model.dimension - 1] < LEAST_SCALE) {
    throw new ReportError(`"state" expected a scale >= ${LEAST_SCALE}`);
  }
}

/** The least power of 2 above a count: where references move next. */
function nextPower(count: number): number {
  let power = 1;
  while (power <= count) power *= 2;
  return power;
}
