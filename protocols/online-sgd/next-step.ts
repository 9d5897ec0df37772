import type { OnlinePlan, OnlineStep } from './plan.ts';
import { checkState, type OnlineState } from './state.ts';

interface OpenStep extends OnlineStep {
  index: number;
  place: number;
}

// Steps by state, one object each, so that a stream allocates nothing; and the one of the last call.
const steps = new WeakMap<OnlineState, OpenStep>();
let last: OpenStep | undefined;

/**
 * What the next player receives. The same object for every call with a state; its iterate is the state's own.
 *
 * @throws RangeError for a state of another plan.
 */
export function nextStep(plan: OnlinePlan, state: OnlineState): OnlineStep {
  let step = last;
  if (step === undefined || step.iterate !== state.iterate || step.plan !== plan) step = stepOf(plan, state);
  step.index = state.steps + 1;
  step.place = state.players + 1;
  return step;
}

function stepOf(plan: OnlinePlan, state: OnlineState): OpenStep {
  checkState(plan, state);
  let step = steps.get(state);
  if (step === undefined || step.plan !== plan) {
    step = { plan, index: 0, place: 0, iterate: state.iterate };
    steps.set(state, step);
  }
  last = step;
  return step;
}
