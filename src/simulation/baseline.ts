import { checkPositive } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { ballNewton } from '../optimize/ball-newton.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import type { Dataset } from './dataset.ts';
import type { ModelMetrics } from './metrics.ts';
import { checkRows } from './population.ts';

/** What a baseline is fitted to: a dataset, whose names do not matter. */
export type BaselineRecords = Pick<Dataset, 'players' | 'dimension' | 'features' | 'labels'>;

/** A linear model fitted in the clear. */
export interface Baseline {
  /** The model. */
  readonly w: Float64Array;
  /** Its mean hinge risk on the records it was fitted to. */
  readonly risk: number;
}

/**
 * Widths of the smoothed hinge, each starting where the one before ended; the last is within 5e-4 of the hinge risk.
 */
const WIDTHS = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];

/** Records used for all widths except the last two: only the end of the path must be exact. */
const SAMPLE = 200_000;

/**
 * The non-private optimum: the linear model with ‖w‖ ≤ R of least mean hinge risk (margin − t)₊ on the records, by
 * Newton's method on the smoothed hinge with a width that falls to 0.001. Its risk is within 5e-4 of the least one by
 * lemma 9, and much closer in practice, since only records within 0.001 of the kink differ.
 *
 * @throws RangeError for no records.
 */
export function hingeOptimum(
  records: BaselineRecords,
  radius: number,
  rows?: Uint32Array,
  margin: number = 0.5,
): Baseline {
  checkPositive('radius', radius);
  checkRows(records, rows);
  const all = rows ?? Uint32Array.from({ length: records.players }, (_, i) => i);
  if (all.length === 0) throw new RefusedValue('"rows" expected one or more records, got none');
  // Every k-th record instead of the first ones: files are often sorted.
  const stride = Math.ceil(all.length / SAMPLE);
  const few = all.filter((_, i) => i % stride === 0);
  let w: Float64Array = new Float64Array(records.dimension);
  WIDTHS.forEach((beta, step) => {
    const last = step >= WIDTHS.length - 2;
    const objective = smoothedRisk(records, last ? all : few, beta, margin);
    w = ballNewton({ objective, radius, start: w, iterations: last ? 8 : 30, tolerance: 1e-6 }).point;
  });
  return { w, risk: hingeRisk(records, all, w, margin) };
}

// Mean smoothed hinge, its gradient and Hessian, in one pass.
function smoothedRisk(
  { dimension: p, features, labels }: BaselineRecords,
  rows: Uint32Array,
  beta: number,
  margin: number,
) {
  return {
    dimension: p,
    evaluate(w: Float64Array, gradient: Float64Array, hessian: Float64Array): number {
      gradient.fill(0);
      hessian.fill(0);
      const n = rows.length;
      const squared = beta * beta;
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const from = rows[i] * p;
        const label = labels[rows[i]];
        let t = 0;
        for (let j = 0; j < p; j++) t += w[j] * features[from + j];
        const distance = margin - label * t;
        const root = Math.sqrt(distance * distance + squared);
        sum += (distance + root) / 2;
        const slope = (-label * (1 + distance / root)) / 2;
        for (let j = 0; j < p; j++) gradient[j] += slope * features[from + j];
        const curvature = squared / (2 * root * root * root);
        // Records far from the kink have almost no curvature: for them the pass costs p and not p².
        if (curvature * beta < 1e-6) continue;
        for (let j = 0; j < p; j++) {
          const factor = curvature * features[from + j];
          for (let k = 0; k <= j; k++) hessian[j * p + k] += factor * features[from + k];
        }
      }
      for (let j = 0; j < p; j++) {
        gradient[j] /= n;
        for (let k = 0; k <= j; k++) hessian[k * p + j] = hessian[j * p + k] /= n;
      }
      return sum / n;
    },
  };
}

function hingeRisk(
  { dimension, features, labels }: BaselineRecords,
  rows: Uint32Array,
  w: Float64Array,
  margin: number,
): number {
  let sum = 0;
  for (let i = 0; i < rows.length; i++) {
    let t = 0;
    for (let j = 0, from = rows[i] * dimension; j < dimension; j++) t += w[j] * features[from + j];
    sum += Math.max(0, margin - labels[rows[i]] * t);
  }
  return sum / rows.length;
}

/** The best constant score b in [−R, R]: it depends on the labels only. */
export interface ConstantBaseline {
  /** b. */
  readonly score: number;
  /** Mean hinge risk. */
  readonly risk: number;
  /** Share of the more frequent label; a tie counts ½. */
  readonly accuracy: number;
}

/**
 * The best constant score under the hinge loss (margin − t)₊: what a model that ignores the features can reach.
 *
 * @throws RangeError for no records.
 */
export function bestConstant(
  { players, labels }: Pick<Dataset, 'players' | 'labels'>,
  radius: number,
  rows?: Uint32Array,
  margin: number = 0.5,
): ConstantBaseline {
  checkPositive('radius', radius);
  const share = positiveShare({ players, labels }, rows);
  // The risk is convex and piecewise linear in b, with kinks at ±margin: an end or a kink is best.
  const risk = (b: number): number => share * Math.max(0, margin - b) + (1 - share) * Math.max(0, margin + b);
  const range = Math.min(radius, margin);
  const score = [0, -range, range].reduce((best, b) => (risk(b) < risk(best) ? b : best));
  return { score, risk: risk(score), accuracy: Math.max(share, 1 - share) };
}

/**
 * The metrics of one score that is the same for every record, also on records it was not chosen for.
 *
 * @throws RangeError for no records.
 */
export function constantMetrics(
  records: Pick<Dataset, 'players' | 'labels'>,
  score: number,
  loss: MarginLoss,
  rows?: Uint32Array,
): ModelMetrics {
  const share = positiveShare(records, rows);
  const accuracy = score > 0 ? share : score < 0 ? 1 - share : 0.5;
  // All pairs of a positive and a negative label are ties.
  return { risk: share * loss.value(score) + (1 - share) * loss.value(-score), accuracy, auc: 0.5 };
}

function positiveShare(
  { players, labels }: Pick<Dataset, 'players' | 'labels'>,
  rows: Uint32Array | undefined,
): number {
  checkRows({ players }, rows);
  const n = rows?.length ?? players;
  if (n === 0) throw new RefusedValue('"rows" expected one or more records, got none');
  let positives = 0;
  for (let i = 0; i < n; i++) if (labels[rows === undefined ? i : rows[i]] > 0) positives++;
  return positives / n;
}
