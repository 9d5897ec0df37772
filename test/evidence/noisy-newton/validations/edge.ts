import { seededRandom } from 'ldpkit';
import { type CentralRecord, meanScore } from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, solve } from 'ldpkit/protocols/noisy-newton';
import { minimise } from '../../noisy-fit/minimiser.ts';
import type { NewtonStepsChunk, NewtonStepsSetting } from './steps.ts';

const { abs, sqrt, SQRT2 } = Math;

/** As good as without noise. */
export const SILENT = 1e15;
/** sup |f‴| of the logistic loss f(t) = log(1 + e^−t): 1/(6√3). */
export const THIRD: number = 1 / (6 * sqrt(3));

const STEPS = 5;
/** The share of ones at which |f‴| is largest: (1 − 1/√3)/2, in 400ths. */
const ONES = 85 / 400;
/** τ₁ over the curvature at the minimiser. */
const LEAST = 0.6;

/**
 * The start from which Newton's method needs most: one parameter, all features √2, where f‴ at the minimiser is as large as it gets, at
 * the edge of τ₁²/L, on the side where the curvature falls. A step squares the distance with nearly the constant of the theorem, so
 * that K = ⌈log log n⌉ can be told from one step less. τ₁ holds: the curvature is at least λ − L·r within r = (λ − τ₁)/L.
 */
export function edge({ records: count, share }: NewtonStepsSetting): NewtonStepsChunk {
  const records = Array.from(
    { length: count },
    (_, i): CentralRecord => ({ features: [SQRT2], response: i < ONES * count ? 1 : 0 }),
  );
  const request = {
    mu: SILENT,
    records: count,
    model: { kind: 'logistic', features: 1, intercept: false } as const,
    warmUp: 0,
    steps: STEPS,
    regions: false,
    force: true,
  };
  const { model } = newton(request);
  const score = new Float64Array(1);
  const gradientAt = (at: number): number => {
    meanScore(model, records, Float64Array.of(at), score);
    return abs(score[0]);
  };
  const { theta, curvatures } = minimise(model, records, [0]);
  const hessianLipschitz = THIRD * 2 * SQRT2;
  const strongConvexity = LEAST * curvatures[0];
  const allowed = strongConvexity ** 2 / hessianLipschitz;
  let [low, high] = [0, (curvatures[0] - strongConvexity) / hessianLipschitz];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (gradientAt(theta[0] - middle) <= share * allowed) low = middle;
    else high = middle;
  }
  const from = (distance: number) =>
    newton({ ...request, start: [theta[0] - distance], strongConvexity, hessianLipschitz, hessianFloor: 0 });
  const coins = seededRandom('none of it matters');
  const { iterates } = solve(from(low), records, coins);
  return {
    gradients: [iterates.map(([at]) => (hessianLipschitz / (2 * strongConvexity ** 2)) * gradientAt(at))],
    distances: [iterates.map(([at]) => abs(at - theta[0]))],
    accepted: 1,
    refused: isRefused(() => solve(from(10 * low), records, coins)) ? 1 : 0,
  };
}

/** Whether the start condition refuses; any other error is one. */
export function isRefused(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith('"start"')) return true;
    throw error;
  }
}
