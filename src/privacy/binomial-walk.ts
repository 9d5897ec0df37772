import { type BinomialLaw, binomialMass } from './binomial.ts';

const { abs, max } = Math;

/** How many steps a recursion may run before it is started afresh. */
const LONGEST = 2 ** 16;

/** Below this a mass is near the end of the range of doubles. */
const TINY = 1e-280;

/**
 * A walk over the number M of clones, upwards, that keeps what a divergence needs at every M: all by recursion, a few
 * multiplications a step, started afresh before rounding can build up. Mutable; changed by {@link walkTo} and
 * {@link addClone} only.
 */
export interface BinomialWalk {
  /** The law of M. */
  readonly law: BinomialLaw;
  /** M. */
  clones: number;
  /** P(C = M) under the law. */
  weight: number;
  /** j, from 0 to M; −1 before the first `walkTo`. */
  ones: number;
  /** P(j) of M fair coins. */
  mass: number;
  /** P(more than j) of M fair coins, rounded down in its start. */
  above: number;
  /** The largest `above` since the recursion was started. */
  peak: number;
  /** Steps of the recursions of `mass` and `above` since they were started. */
  steps: number;
  /** Steps of the recursion of `weight`. */
  walked: number;
}

/** The walk at a first M. */
export function startWalk(law: BinomialLaw, clones: number): BinomialWalk {
  const weight = binomialMass(law, clones);
  return { law, clones, weight, ones: -1, mass: 0, above: 0, peak: 0, steps: 0, walked: 0 };
}

/** A bound on the relative error of weight·mass and weight·above: four roundings a step, as `above` may have halved. */
export function walkError(walk: BinomialWalk): number {
  return 2 ** -52 * (1024 + 16 * walk.steps + 8 * walk.walked);
}

/** Moves to j, from 0 to M. */
export function walkTo(walk: BinomialWalk, ones: number): void {
  const { clones } = walk;
  let { ones: j, mass, above } = walk;
  const distance = abs(ones - j);
  if (j < 0 || mass < TINY || walk.steps > LONGEST || distance > 64) {
    start(walk, ones);
    return;
  }
  for (; j < ones; j++) {
    mass *= (clones - j) / (j + 1);
    above -= mass;
  }
  for (; j > ones; j--) {
    above += mass;
    mass *= j / (clones - j + 1);
  }
  // What is left of a sum after subtractions has its relative error raised in proportion.
  if (!(above >= walk.peak / 2)) {
    start(walk, ones);
    return;
  }
  walk.ones = j;
  walk.mass = mass;
  walk.above = above;
  walk.peak = max(walk.peak, above);
  walk.steps += distance;
}

/** Moves to M + 1, below the number of trials; `walkTo` has to follow. */
export function addClone(walk: BinomialWalk): void {
  const { trials, success, failure } = walk.law;
  const { clones } = walk;
  walk.weight *= ((trials - clones) / (clones + 1)) * (success / failure);
  walk.clones = clones + 1;
  walk.above += walk.mass / 2;
  walk.mass *= (clones + 1) / (2 * (clones + 1 - walk.ones));
  walk.steps++;
  walk.walked++;
}

function start(walk: BinomialWalk, ones: number): void {
  const { clones } = walk;
  const mass = binomialMass({ trials: clones, success: 0.5, failure: 0.5 }, ones);
  let above = 0;
  let term = mass;
  // A mass too small for the recursion and for any sum goes without its tail, which errs to the safe side.
  for (let a = ones; a < clones && mass >= TINY; a++) {
    const ratio = (clones - a) / (a + 1);
    term *= ratio;
    above += term;
    // The ratio of neighbours falls, so the rest is below a geometric sum; without it `above` is too small, which is safe.
    if (ratio < 1 && term * ratio <= above * (1 - ratio) * 2 ** -54) break;
  }
  walk.ones = ones;
  walk.mass = mass;
  walk.above = above;
  walk.peak = above;
  walk.steps = 0;
}
