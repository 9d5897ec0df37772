import { laplace } from '../../src/random/gamma.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { mallowsWeight } from '../../src/risk/huber.ts';
import { LARGEST_COEFFICIENT, slopeOf } from '../../src/risk/regression/gradient.ts';
import type { IndexModel } from '../../src/risk/regression/model.ts';
import { checkRecord, type OnlineDatum } from '../../src/risk/regression/record.ts';
import { muAt } from './budgets.ts';
import { onlineLimits } from './influence.ts';
import type { GaussianNoise, LaplaceNoise, NoNoise } from './noise.ts';
import type { OnlinePlan } from './plan.ts';
import { fillDecayPowers } from './step-size.ts';

const { abs, fround, max } = Math;

/** Most steps of a block. */
export const BLOCK_STEPS = 64;

/** A plan whose steps can be made in blocks: one report a step, and noise that is added to the weighted gradient of an index model. */
export interface BlockPlan extends OnlinePlan {
  readonly model: IndexModel;
  readonly noise: GaussianNoise | LaplaceNoise | NoNoise;
}

/** Whether a plan is one. */
export function isBlockPlan(plan: OnlinePlan): plan is BlockPlan {
  const { model, noise, batch, hessian } = plan;
  const added = noise.law === 'gaussian' || noise.law === 'laplace' || noise.law === 'none';
  return added && model.form === 'index' && model.clip === undefined && batch === 1 && hessian === undefined;
}

/**
 * Consecutive steps of a stream: what of them does not depend on the iterate, and the path once they are made. Row b is of step b;
 * of the path it is the iterate before that step, and row b + 1 the one after.
 *
 * Shape: rows of p numbers.
 */
export interface StepBlock {
  readonly dimension: number;
  /** How many players there are: rows whose records were read. */
  count: number;
  /** Features, the intercept's 1 before them. */
  readonly records: Float64Array;
  readonly responses: Float64Array;
  /** Mallows weights. */
  readonly weights: Float64Array;
  /** Noise, in units of `deviations`. */
  readonly noise: Float64Array;
  readonly deviations: Float64Array;
  /** γ·i^(−α). */
  readonly sizes: Float64Array;
  readonly path: Float64Array;
  /** The values of the reports, as they would be on the wire. */
  readonly values: Float64Array;
  /** The rows of the path. */
  readonly iterates: readonly Float64Array[];
}

/** A row of a table of a block; no copy. */
export function rowOf(table: Float64Array, row: number, dimension: number): Float64Array {
  return table.subarray(row * dimension, (row + 1) * dimension);
}

/** An empty block. */
export function createStepBlock(dimension: number): StepBlock {
  const numbers = (rows: number): Float64Array => new Float64Array(rows * dimension);
  const path = numbers(BLOCK_STEPS + 1);
  return {
    dimension,
    count: 0,
    records: numbers(BLOCK_STEPS),
    responses: new Float64Array(BLOCK_STEPS),
    weights: new Float64Array(BLOCK_STEPS),
    noise: numbers(BLOCK_STEPS),
    deviations: new Float64Array(BLOCK_STEPS),
    sizes: new Float64Array(BLOCK_STEPS),
    path,
    values: numbers(BLOCK_STEPS),
    iterates: Array.from({ length: BLOCK_STEPS + 1 }, (_, row) => rowOf(path, row, dimension)),
  };
}

/**
 * Reads the records of the next players, at most {@link BLOCK_STEPS}. The block counts them, also where one is refused.
 *
 * @throws TypeError or RangeError for a record outside the domain, without its values, and whatever `next` throws.
 */
export function readRecords(model: IndexModel, next: () => OnlineDatum, block: StepBlock, players: number): void {
  const { records, responses, weights, dimension } = block;
  const from = model.intercept ? 1 : 0;
  for (block.count = 0; block.count < players; block.count++) {
    const datum = next();
    const row = block.count;
    const at = row * dimension;
    weights[row] = mallowsWeight(checkRecord(model, datum, records, at + from));
    responses[row] = datum.response;
    if (from === 1) records[at] = 1;
  }
}

/** Noise and step sizes of the steps after the first `made`: as many words of the coins as the players take, in their order. */
export function fillSteps(plan: BlockPlan, block: StepBlock, made: number, random: Random): void {
  const { model, noise: law, rate, decay } = plan;
  const { noise, deviations, count } = block;
  const size = count * model.dimension;
  if (law.law === 'gaussian') fillNormal(noise, random, 0, size);
  else if (law.law === 'laplace') for (let i = 0; i < size; i++) noise[i] = laplace(law.scale, random);
  // x + (−0) is x, whatever x.
  else noise.fill(-0, 0, size);
  if (law.law !== 'gaussian') deviations.fill(1);
  else if (law.budgets === undefined) deviations.fill(law.sigma);
  else for (let b = 0; b < count; b++) deviations[b] = model.sensitivity / muAt(law.budgets, made + b + 1);
  fillDecayPowers(block.sizes, count, rate, made + 1, decay);
}

/**
 * Makes the steps `from … to − 1`, from the iterate in row `from` of the path: the arithmetic of player and server, operation by
 * operation. Returns the first step whose report or next iterate the server has to look at, or `to`.
 */
export function descend(plan: BlockPlan, block: StepBlock, from: number, to: number): number {
  const { model, precision } = plan;
  const { dimension, intercept } = model;
  const { path, values, records, responses, weights, noise, deviations, sizes } = block;
  const { largestSquare } = onlineLimits(plan);
  const single = precision === 'float32';
  const first = intercept ? 1 : 0;
  for (let b = from, at = from * dimension; b < to; b++) {
    const end = at + dimension;
    let inner = intercept ? path[at] : 0;
    // Two coordinates at a time: there are few, and a turn of the loop costs as much as a coordinate.
    let j = at + first;
    for (; j + 1 < end; j += 2) {
      inner += path[j] * records[j];
      inner += path[j + 1] * records[j + 1];
    }
    if (j < end) inner += path[j] * records[j];
    const factor = slopeOf(model, inner, responses[b]) * weights[b];
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
