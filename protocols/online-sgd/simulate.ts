import { checkInteger } from '../../src/check/number.ts';
import { stepByStep } from '../../src/core/sequential.ts';
import { addToBatchMeans } from '../../src/inference/batch-means.ts';
import { extendRandomScalingBy } from '../../src/inference/random-scaling.ts';
import { addReleasedGradients } from '../../src/inference/released-gradients.ts';
import type { Random } from '../../src/random/random.ts';
import { checkIterate } from '../../src/risk/regression/gradient.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';
import { nextStep } from './next-step.ts';
import type { OnlinePlan } from './plan.ts';
import { player } from './player.ts';
import { acceptReport, checkState, type OnlineState } from './state.ts';
import {
  BLOCK_STEPS,
  type BlockPlan,
  createStepBlock,
  descend,
  fillSteps,
  isBlockPlan,
  readRecords,
  rowOf,
  type StepBlock,
} from './step-block.ts';

const { max, min } = Math;

// The block of the last call, for the next one; none while a call has it, whose players may come from another simulation.
let idle: StepBlock | undefined;

/**
 * Plays the next players of a stream, 64 at a time where the plan allows it: see `SequentialSimulation`. In a block everything
 * that does not wait for the iterate is done for all of its players at once, and sums stay in registers.
 *
 * Law: bit for bit the state of one player after the other.
 *
 * @throws TypeError or RangeError for a state of another plan or a count that is not a whole number ≥ 0, and whatever player and
 * server refuse; those before have been played. Where iterate and record of a step are both refused, it says so of the record.
 */
export function simulateStream(
  plan: OnlinePlan,
  state: OnlineState,
  count: number,
  next: () => OnlineDatum,
  random: Random,
): void {
  checkState(plan, state);
  checkInteger('count', count, 0);
  if (!isBlockPlan(plan)) {
    stepByStep({ player: player, server: { step: nextStep, accept: acceptReport } })(plan, state, count, next, random);
    return;
  }
  const { dimension } = plan.model;
  const block = idle?.dimension === dimension ? idle : createStepBlock(dimension);
  idle = undefined;
  for (let done = 0; done < count; done += BLOCK_STEPS) {
    try {
      readRecords(plan.model, next, block, min(BLOCK_STEPS, count - done));
    } finally {
      // Whoever came before a record that is refused has answered.
      playBlock(plan, state, block, random);
    }
  }
  idle = block;
}

/** Plays the players whose records were read. */
function playBlock(plan: BlockPlan, state: OnlineState, block: StepBlock, random: Random): void {
  const { count } = block;
  fillSteps(plan, block, state.steps, random);
  for (let from = 0; from < count; ) {
    checkIterate(plan.model, state.iterate);
    block.iterates[from].set(state.iterate);
    const to = descend(plan, block, from, count);
    countSteps(plan, state, block, from, to);
    // Whether to refuse is for the server.
    if (to < count) {
      acceptReport(plan, state, { step: state.steps + 1, values: rowOf(block.values, to, block.dimension) });
    }
    from = to + 1;
  }
}

/** Moves the state by steps that were made. */
function countSteps(plan: BlockPlan, state: OnlineState, block: StepBlock, from: number, to: number): void {
  const { batchMeans, disjointBatchMeans, released } = state;
  const { iterates } = block;
  // Those of the burn-in leave nothing behind but the iterate.
  const first = min(to, max(from, from + plan.burnIn - state.steps));
  if (released !== undefined) addReleasedGradients(released, block.values, block.path, first, to - first);
  extendRandomScalingBy(state.scaling, block.path, first + 1, to - first);
  for (let b = first; b < to; b++) {
    if (batchMeans !== undefined) addToBatchMeans(batchMeans, iterates[b + 1]);
    if (disjointBatchMeans !== undefined) addToBatchMeans(disjointBatchMeans, iterates[b + 1]);
  }
  state.iterate.set(iterates[to]);
  state.steps += to - from;
  state.players += to - from;
}
