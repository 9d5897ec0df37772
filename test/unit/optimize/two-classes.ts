import { projectedGradient } from '../../../src/optimize/ball.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { createLift, fillLift } from '../../../src/polynomial/lift.ts';
import { fillNormal, normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss, type MarginLoss } from '../../../src/risk/margin-loss.ts';

/** Two classes of records on the sphere around opposite means, with a constant, as signed records v = y·x. */
export interface TwoClasses {
  /** Half the distance of the means, before records are divided by their norm. */
  readonly separation: number;
  /** Deviation of a coordinate. */
  readonly spread: number;
  /** Share of the positive class. */
  readonly positive: number;
  /** Share of wrong labels. */
  readonly wrong: number;
}

const RECORDS = 6000;

/** The signed records, in four dimensions. */
export function twoClasses({ separation, spread, positive, wrong }: TwoClasses): readonly Float64Array[] {
  const random = seededRandom(`two classes ${separation} ${spread}`);
  return Array.from({ length: RECORDS }, (_, i) => {
    const side = i % 100 < 100 * positive ? 1 : -1;
    const x = Float64Array.from({ length: 4 }, (_, j) =>
      j === 0 ? 1 : spread * normal(random) + (j === 1 ? side * separation : 0),
    );
    const label = i % 97 < 97 * wrong ? -side : side;
    const norm = Math.hypot(...x);
    return x.map((entry) => (label * entry) / norm);
  });
}

/** Their moments up to a power, with noise of this variance on every entry. */
export function noisyMomentsOf(
  vectors: readonly Float64Array[],
  powers: number,
  variance: number,
  seed: string,
): CorrectedMoments {
  const lift = createLift(4, powers);
  const values = new Float64Array(lift.size);
  const one = new Float64Array(lift.size);
  for (const v of vectors) {
    fillLift(lift, lift.weight, v, one);
    for (let i = 0; i < lift.size; i++) values[i] += one[i] / vectors.length;
  }
  const draws = new Float64Array(lift.size);
  fillNormal(draws, seededRandom(seed));
  const noise = new Float64Array(powers).fill(variance);
  return { lift, values: values.map((value, i) => value + Math.sqrt(variance) * draws[i]), noise, players: 1e5 };
}

/** The mean loss of a model, the hinge where no other is named. */
export function meanRisk(
  vectors: readonly Float64Array[],
  w: ArrayLike<number>,
  loss: MarginLoss = hingeLoss(),
): number {
  return vectors.reduce((sum, v) => sum + loss.value(marginOf(v, w)), 0) / vectors.length;
}

/** The least mean loss over ‖w‖ ≤ R, of the hinge where no other is named. */
export function leastRisk(vectors: readonly Float64Array[], radius: number, loss: MarginLoss = hingeLoss()): number {
  const objective = {
    dimension: 4,
    value: (w: Float64Array) => meanRisk(vectors, w, loss),
    gradient(w: Float64Array, target: Float64Array) {
      target.fill(0);
      for (const v of vectors) {
        const slope = loss.derivative(marginOf(v, w)) / vectors.length;
        for (let j = 0; j < 4; j++) target[j] += slope * v[j];
      }
    },
  };
  return projectedGradient({ objective, radius, iterations: 300 }).value;
}

function marginOf(v: Float64Array, w: ArrayLike<number>): number {
  return v.reduce((t, entry, j) => t + entry * w[j], 0);
}
