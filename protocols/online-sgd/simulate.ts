import { checkInteger } from '../../src/check/refusal.ts';
import { addToBatchMeansBy } from '../../src/inference/batch-means.ts';
import { extendRandomScalingBy } from '../../src/inference/iterate-average.ts';
import { addReleasedGradients } from '../../src/inference/released-gradients.ts';
import { createKernel, FREE, fillNormal, type Kernel } from '../../src/random/kernel.ts';
import { laplace, type Random } from '../../src/random/random.ts';
import { checkIterate, LARGEST_COEFFICIENT, slopeOf } from '../../src/risk/regression/gradient.ts';
import type { IndexModel, LossDescription } from '../../src/risk/regression/model.ts';
import { checkRecord, type OnlineDatum } from '../../src/risk/regression/record.ts';
import { mallowsWeight } from '../../src/risk/response-loss.ts';
import { stepByStep } from '../../src/simulation/runner.ts';
import { channelOf } from './channel.ts';
import { muAt, type OnlineNoise } from './noise.ts';
import type { OnlinePlan } from './parameters.ts';
import { player } from './player.ts';
import { acceptReport, checkState, extendAverage, fillDecayPowers, nextStep, type OnlineState } from './state.ts';

const { abs, fround, max, min } = Math;

const BLOCK_STEPS = 256;

/** A plan whose steps can be made in blocks: one report a step, and noise added to an index model's gradient. */
export interface BlockPlan extends OnlinePlan {
  readonly model: IndexModel;
}

/** Whether the steps of a plan can be made in blocks. */
export function isBlockPlan(plan: OnlinePlan): plan is BlockPlan {
  const { model, noise, batch, hessian } = plan;
  return (
    noise.law in AHEAD && model.form === 'index' && model.clip === undefined && batch === 1 && hessian === undefined
  );
}

/**
 * Consecutive steps of a stream: the parts that do not depend on the iterate, and the path once the steps are made. Row
 * b belongs to step b. In the path, row b is the iterate before step b, and row b + 1 the iterate after it.
 *
 * Shape: rows of p numbers.
 */
interface StepBlock {
  readonly dimension: number;
  /** The number of players: rows whose records were read. */
  count: number;
  /** Features; the intercept's 1 comes first. */
  readonly records: Float64Array;
  readonly responses: Float64Array;
  /** Squared norms of the records. */
  readonly squares: Float64Array;
  /** Noise, in units of `deviations`. */
  readonly noise: Float64Array;
  readonly deviations: Float64Array;
  /** γ·i^(−α). */
  readonly sizes: Float64Array;
  readonly path: Float64Array;
  /** The values of the reports, as they would be sent. */
  readonly values: Float64Array;
  /** The rows of the path. */
  readonly iterates: readonly Float64Array[];
  /** Where the arrays are in a kernel's memory, in bytes; absent where there is no kernel. */
  readonly kernel?: BlockKernel;
}

interface BlockKernel {
  readonly program: Kernel;
  readonly path: number;
  readonly records: number;
  readonly noise: number;
  readonly values: number;
  readonly steps: number;
}

function rowOf(table: Float64Array, row: number, dimension: number): Float64Array {
  return table.subarray(row * dimension, (row + 1) * dimension);
}

/** Blocks that no simulation uses now: their arrays are overwritten by the next. */
const spare: StepBlock[] = [];

/** A block for rows of so many numbers, in a kernel's memory where there is one. */
function takeBlock(dimension: number): StepBlock {
  const at = spare.findIndex((block) => block.dimension === dimension);
  return at < 0 ? createStepBlock(dimension) : spare.splice(at, 1)[0];
}

function createStepBlock(dimension: number): StepBlock {
  let end = FREE;
  const place = (numbers: number): number => {
    const start = end;
    end += 8 * numbers;
    return start;
  };
  const table = BLOCK_STEPS * dimension;
  const at = {
    path: place(table + dimension),
    records: place(table),
    noise: place(table),
    values: place(table),
    steps: place(4 * BLOCK_STEPS),
  };
  const program = createKernel(end);
  const memory = program?.memory.buffer ?? new ArrayBuffer(end);
  const part = (start: number, numbers: number): Float64Array => new Float64Array(memory, start, numbers);
  const [responses, squares, deviations, sizes] = [0, 1, 2, 3].map((i) =>
    part(at.steps + 8 * i * BLOCK_STEPS, BLOCK_STEPS),
  );
  const path = part(at.path, table + dimension);
  return {
    dimension,
    count: 0,
    records: part(at.records, table),
    responses,
    squares,
    noise: part(at.noise, table),
    deviations,
    sizes,
    path,
    values: part(at.values, table),
    iterates: Array.from({ length: BLOCK_STEPS + 1 }, (_, row) => rowOf(path, row, dimension)),
    ...(program === undefined ? {} : { kernel: { program, ...at } }),
  };
}

/**
 * Reads the records of the next players, at most {@link BLOCK_STEPS}. The block counts the records read, even if one is
 * refused.
 * @throws TypeError or RangeError for a record outside the domain, without its values, and everything that `next`
 * throws.
 */
function readRecords(model: IndexModel, next: () => OnlineDatum, block: StepBlock, players: number): void {
  const { records, responses, squares, dimension } = block;
  const from = model.intercept ? 1 : 0;
  for (block.count = 0; block.count < players; block.count++) {
    const datum = next();
    const row = block.count;
    const at = row * dimension;
    squares[row] = checkRecord(model, datum, records, at + from);
    responses[row] = datum.response;
    if (from === 1) records[at] = 1;
  }
}

type DrawAhead<Noise> = (noise: Noise, plan: BlockPlan, block: StepBlock, made: number, random: Random) => void;

// By law of noise; only laws whose noise is added to the gradient and does not depend on it.
const AHEAD: { readonly [Law in OnlineNoise['law']]?: DrawAhead<Extract<OnlineNoise, { readonly law: Law }>> } = {
  gaussian({ sigma, budgets }, { model }, { noise, deviations, count }, made, random) {
    fillNormal(noise, random, 0, count * model.dimension);
    if (budgets === undefined) deviations.fill(sigma);
    else for (let b = 0; b < count; b++) deviations[b] = model.sensitivity / muAt(budgets, made + b + 1);
  },
  laplace({ scale }, { model }, { noise, deviations, count }, _, random) {
    for (let i = 0; i < count * model.dimension; i++) noise[i] = laplace(scale, random);
    deviations.fill(1);
  },
  none(_, { model }, { noise, deviations, count }) {
    // x + (−0) is x for every x.
    noise.fill(-0, 0, count * model.dimension);
    deviations.fill(1);
  },
};

/** Noise and step sizes of the steps after the first `made`; takes as many words as the players, in their order. */
function fillSteps(plan: BlockPlan, block: StepBlock, made: number, random: Random): void {
  const draw: DrawAhead<never> | undefined = AHEAD[plan.noise.law];
  draw?.(plan.noise as never, plan, block, made, random);
  fillDecayPowers(block.sizes, block.count, plan.rate, made + 1, plan.decay);
}

/**
 * Makes the steps `from … to − 1`, from the iterate in row `from` of the path, with the same operations as player and
 * server. Returns the first step whose report or next iterate the server has to check, or `to`.
 */
function descend(plan: BlockPlan, block: StepBlock, from: number, to: number): number {
  const { model, precision } = plan;
  const { dimension, intercept, loss } = model;
  if (block.kernel !== undefined && loss.kind === 'huber') return descendFast(plan, loss, block.kernel, from, to);
  const { path, values, records, responses, squares, noise, deviations, sizes } = block;
  const { largestSquare } = channelOf(plan);
  const single = precision === 'float32';
  const first = intercept ? 1 : 0;
  for (let b = from, at = from * dimension; b < to; b++) {
    const end = at + dimension;
    let inner = intercept ? path[at] : 0;
    // Two coordinates at a time: there are few, and one pass of the loop costs as much as a coordinate.
    let j = at + first;
    for (; j + 1 < end; j += 2) {
      inner += path[j] * records[j];
      inner += path[j + 1] * records[j + 1];
    }
    if (j < end) inner += path[j] * records[j];
    const factor = slopeOf(model, inner, responses[b]) * mallowsWeight(squares[b]);
    const deviation = deviations[b];
    const size = sizes[b];
    let squared = 0;
    let largest = 0;
    let i = at;
    for (; i + 1 < end; i += 2) {
      let value = factor * records[i] + deviation * noise[i];
      let other = factor * records[i + 1] + deviation * noise[i + 1];
      if (single) {
        value = fround(value);
        other = fround(other);
      }
      values[i] = value;
      values[i + 1] = other;
      squared += value * value;
      squared += other * other;
      const moved = path[i] - size * value;
      const further = path[i + 1] - size * other;
      path[i + dimension] = moved;
      path[i + dimension + 1] = further;
      largest = max(largest, abs(moved), abs(further));
    }
    if (i < end) {
      let value = factor * records[i] + deviation * noise[i];
      if (single) value = fround(value);
      values[i] = value;
      squared += value * value;
      const moved = path[i] - size * value;
      path[i + dimension] = moved;
      largest = max(largest, abs(moved));
    }
    if (!(squared <= largestSquare && largest <= LARGEST_COEFFICIENT)) return b;
    at = end;
  }
  return to;
}

/** The same by a kernel, whose vectors hold two coordinates. */
function descendFast(
  plan: BlockPlan,
  { threshold, scale }: Extract<LossDescription, { readonly kind: 'huber' }>,
  { program, path, records, noise, values, steps }: BlockKernel,
  from: number,
  to: number,
): number {
  const { model, precision } = plan;
  const { largestSquare } = channelOf(plan);
  const start = model.intercept ? -0 : 0;
  const single = Number(precision === 'float32');
  program.setDescent(model.dimension, start, threshold, scale, single, largestSquare, LARGEST_COEFFICIENT);
  return program.descend(from, to, path, records, noise, values, steps, BLOCK_STEPS);
}

/**
 * Plays the next players of a stream, 256 at a time if the plan allows it: see `SequentialSimulation`. In a block, all
 * work that does not depend on the iterate is done for all players at once, and sums stay in registers.
 *
 * Law: bit for bit the same state as playing one player after the other.
 * @throws TypeError or RangeError for a state of another plan or a count that is not a whole number ≥ 0, and everything
 * that player and server refuse; the players before the refusal have been played. If iterate and record of a step are
 * both refused, the error names the record.
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
    stepByStep({ player, server: { step: nextStep, accept: acceptReport } })(plan, state, count, next, random);
    return;
  }
  // One for each call: its players may come from another simulation.
  const block = takeBlock(plan.model.dimension);
  try {
    for (let done = 0; done < count; done += BLOCK_STEPS) {
      try {
        readRecords(plan.model, next, block, min(BLOCK_STEPS, count - done));
      } finally {
        // The players before a refused record have answered.
        playBlock(plan, state, block, random);
      }
    }
  } finally {
    spare.push(block);
  }
}

function playBlock(plan: BlockPlan, state: OnlineState, block: StepBlock, random: Random): void {
  const { count } = block;
  fillSteps(plan, block, state.steps, random);
  for (let from = 0; from < count; ) {
    checkIterate(plan.model, state.iterate);
    block.iterates[from].set(state.iterate);
    const to = descend(plan, block, from, count);
    countSteps(plan, state, block, from, to);
    // The server decides whether to refuse.
    if (to < count) {
      acceptReport(plan, state, { step: state.steps + 1, values: rowOf(block.values, to, block.dimension) });
    }
    from = to + 1;
  }
}

function countSteps(plan: BlockPlan, state: OnlineState, block: StepBlock, from: number, to: number): void {
  const { batchMeans, disjointBatchMeans, released } = state;
  const { iterates } = block;
  // The steps of the burn-in change only the iterate.
  const first = min(to, max(from, from + plan.burnIn - state.steps));
  if (released !== undefined) addReleasedGradients(released, block.values, block.path, first, to - first);
  extendRandomScalingBy(state.scaling, block.path, first + 1, to - first);
  if (plan.average !== undefined) for (let b = first; b < to; b++) extendAverage(plan, state, iterates[b + 1]);
  if (batchMeans !== undefined) addToBatchMeansBy(batchMeans, block.path, first + 1, to - first);
  if (disjointBatchMeans !== undefined) addToBatchMeansBy(disjointBatchMeans, block.path, first + 1, to - first);
  state.iterate.set(iterates[to]);
  state.steps += to - from;
  state.players += to - from;
}
