import { type Json, seededRandom } from 'ldpkit';
import { fillNormal, uniform } from 'ldpkit/mechanism';
import { descent, type ErmRequest, fillGradient } from 'ldpkit/protocols/user-level-erm';
import type { Population } from 'ldpkit/simulate';
import type { Sweep } from '../../experiment/experiment.ts';

const { hypot, max, min, sqrt } = Math;

/** All records of all players, one after the other. */
export interface Records {
  readonly features: Float64Array;
  readonly responses: Float64Array;
}

/** R. */
export const RADIUS = 0.5;

/** F: features are uniform in the ball of this radius, so that E xxᵀ = I. */
const featureBoundOf = (dimension: number): number => sqrt(dimension + 2);

/** What a plan of least squares is asked for; with E xxᵀ = I the risk is strongly convex and smooth with constants close to 1. */
export interface SquaresRequest {
  readonly epsilon: number;
  readonly players: number;
  readonly samples: number;
  readonly dimension: number;
  readonly iterations: number;
}

/** A plan of least squares; `predict: false` locates every gradient anew. */
export function squaresPlan(request: SquaresRequest, change: Partial<ErmRequest> = {}): ReturnType<typeof descent> {
  const fixed = { loss: 'squared', radius: RADIUS, strongConvexity: 0.8, smoothness: 1.2, force: true } as const;
  return descent({ ...fixed, ...request, featureBound: featureBoundOf(request.dimension), ...change });
}

/** Records with responses around ⟨θ, x⟩ that are up to ½ off, cut off at ±1. */
export function drawRecords(count: number, truth: readonly number[], seed: string): Records {
  const dimension = truth.length;
  const bound = featureBoundOf(dimension);
  const random = seededRandom(seed);
  const features = new Float64Array(count * dimension);
  const responses = new Float64Array(count);
  fillNormal(features, random, 0, features.length);
  for (let record = 0, at = 0; record < count; record++, at += dimension) {
    let squared = 0;
    for (let i = 0; i < dimension; i++) squared += features[at + i] ** 2;
    const factor = (bound * uniform(random) ** (1 / dimension)) / sqrt(squared);
    let inner = 0;
    for (let i = 0; i < dimension; i++) {
      features[at + i] *= factor;
      inner += truth[i] * features[at + i];
    }
    responses[record] = max(-1, min(1, inner + uniform(random) - 0.5));
  }
  return { features, responses };
}

/** The records as players with the same number of records each. */
export function populationOf(
  { features, responses }: Records,
  players: number,
): Population<Parameters<typeof fillGradient>[2]> {
  const samples = responses.length / players;
  const each = features.length / players;
  return {
    players,
    datum: (i) => ({
      features: features.subarray(i * each, (i + 1) * each),
      responses: responses.subarray(i * samples, (i + 1) * samples),
    }),
  };
}

/** The minimiser over all records, by steps with the exact gradient: each leaves at most a tenth of the distance. */
export function minimiser(objective: Parameters<typeof fillGradient>[0], records: Records): Float64Array {
  const theta = new Float64Array(objective.dimension);
  const gradient = new Float64Array(objective.dimension);
  for (let i = 0; i < 12; i++) {
    fillGradient(objective, theta, records, gradient);
    for (let j = 0; j < theta.length; j++) theta[j] -= gradient[j];
  }
  return theta;
}

/** ‖a − b‖. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return hypot(...Array.from(a, (x, i) => x - b[i]));
}

/** What an iteration took for the gradient: inside the ball a step is −ηĝ. */
export function gradientUsed(before: Float64Array, after: Float64Array, step: number): Float64Array {
  return before.map((coordinate, j) => (coordinate - after[j]) / step);
}

/** Builds sweeps around a setting in one of its fields, with what else differs. */
export function sweepsAround<Setting extends { readonly [name: string]: Json; readonly runs: number }>(
  base: Omit<Setting, 'runs'>,
) {
  return (
    key: string,
    [variable, field]: readonly [string, string],
    xs: readonly number[],
    runs: readonly number[],
    change: (x: number) => Partial<Omit<Setting, 'runs'>> = () => ({}),
  ): Sweep<Setting> => ({
    ...{ key, variable, xs },
    setting: (x, place, scale) =>
      ({ ...base, ...change(x), [field]: x, runs: runs[place] * (scale === 'full' ? 5 : 1) }) as Setting,
  });
}
