import { digestOf, type Json } from 'ldpkit';
import { descentBound, type ErmPlan, fillGradient, userLevelErm } from 'ldpkit/protocols/user-level-erm';
import { conduct } from 'ldpkit/simulate';
import { distance, drawRecords, gradientUsed, minimiser, populationOf, type Records, squaresPlan } from './records.ts';

const { hypot, max } = Math;

/** Runs of one descent on the same records. */
export interface DescentSetting {
  readonly [name: string]: Json;
  readonly epsilon: number;
  readonly players: number;
  readonly samples: number;
  readonly dimension: number;
  /** T. */
  readonly iterations: number;
  readonly runs: number;
  /** Whether the bound is computed along the iterates as well. */
  readonly bounded: boolean;
  /** Whether all records of a player are the same: the control. */
  readonly copies: boolean;
}

/** What came of them. */
export interface DescentPart {
  readonly [name: string]: Json;
  /** (θ_T − θ̂)² of all coordinates, run after run. */
  readonly squares: readonly number[];
  /** Largest ratio of ‖θ_t − θ̂‖ to the bound over all t, run by run, for the curvature that holds and for one that does not. */
  readonly ratios: readonly number[];
  readonly false: readonly number[];
}

const TRUTH = [0.2, -0.15, 0.1, -0.12, 0.08, 0.1, -0.05, 0.06, 0.05, -0.08, 0.04, 0.07, -0.06, 0.05, -0.04, 0.03];
/** A curvature that the records do not have: theirs is at least the .8 of the plans. */
export const FALSE_CURVATURE = 2;
function recordsOf({ players, samples, dimension, copies }: DescentSetting, key: string): Records {
  const truth = TRUTH.slice(0, dimension);
  if (!copies) return drawRecords(players * samples, truth, key);
  const { features, responses } = drawRecords(players, truth, key);
  return {
    features: Float64Array.from({ length: features.length * samples }, (_, i) => {
      const player = Math.floor(i / (dimension * samples));
      return features[dimension * player + (i % dimension)];
    }),
    responses: Float64Array.from({ length: players * samples }, (_, i) => responses[Math.floor(i / samples)]),
  };
}

/** One part: records of its own, and runs with other coins and other players in each round. */
export function descentPart(setting: DescentSetting, index: number, seed: string): DescentPart {
  const { players, samples, dimension, epsilon, iterations, runs, bounded } = setting;
  const plan = squaresPlan({ players, samples, dimension, epsilon, iterations });
  const key = `${seed} ${digestOf(setting)} ${index}`;
  const records = recordsOf(setting, key);
  const best = minimiser(plan.objective, records);
  const population = populationOf(records, players);
  const squares: number[] = [];
  const ratios: number[] = [];
  const others: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { theta, iterates } = conduct(userLevelErm, plan, population, { seed: `${key} ${run}` }).estimate;
    for (let j = 0; j < dimension; j++) squares.push((theta[j] - best[j]) ** 2);
    if (!bounded) continue;
    const errors = gradientErrors(plan, iterates, records);
    ratios.push(worstRatio(plan, iterates, best, errors));
    others.push(worstRatio({ ...plan, strongConvexity: FALSE_CURVATURE }, iterates, best, errors));
  }
  return { squares, ratios, false: others };
}

/** ‖ĝ_t − g(θ_t)‖ for every t. */
function gradientErrors(plan: ErmPlan, iterates: readonly Float64Array[], records: Records): readonly number[] {
  const exact = new Float64Array(plan.dimension);
  return iterates.slice(1).map((after, t) => {
    fillGradient(plan.objective, iterates[t], records, exact);
    return distance(gradientUsed(iterates[t], after, plan.step), exact);
  });
}

/** Largest ‖θ_t − θ̂‖ over its bound, over all t. */
function worstRatio(
  plan: ErmPlan,
  iterates: readonly Float64Array[],
  best: Float64Array,
  errors: readonly number[],
): number {
  let [ratio, gradientError] = [0, 0];
  errors.forEach((error, t) => {
    gradientError = max(gradientError, error);
    const bound = descentBound({ ...plan, iterations: t + 1 }, { start: hypot(...best), gradientError });
    ratio = max(ratio, distance(iterates[t + 1], best) / bound);
  });
  return ratio;
}
