import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { hingeOptimum } from '../../src/simulation/baseline.ts';
import { LOSS, type WaveLoss } from './loss.ts';

const { ceil, exp, abs, sqrt } = Math;

/** Records in the clear: record i is `features[i·p] … features[i·p + p − 1]` with `labels[i]`. */
export interface ClearRecords {
  readonly players: number;
  readonly dimension: number;
  readonly features: Float32Array;
  readonly labels: ArrayLike<number>;
}

/** Widths of the rounded corner, each starting where the one before ended; the last costs at most 5e-4 of the risk. */
const WIDTHS = [0.3, 0.03, 0.001];

/** Records used for all widths but the last. */
const SAMPLE = 100_000;

/** The mean loss of a model over the records. */
export function riskOf(variant: WaveLoss, records: ClearRecords, w: Float64Array): number {
  const { players, dimension, features, labels } = records;
  const loss = LOSS[variant];
  const datum = { features: new Float64Array(dimension), label: 0 };
  let sum = 0;
  for (let i = 0, at = 0; i < players; i++, at += dimension) {
    for (let j = 0; j < dimension; j++) datum.features[j] = features[at + j];
    datum.label = labels[i];
    sum += loss.value(w, datum);
  }
  return sum / players;
}

/**
 * The model with ‖w‖ ≤ R of least risk on the records, without privacy, by Newton's method: corners of the loss are
 * rounded by a width that falls to 0.001, within 5e-4 of the least risk, and much closer in practice.
 */
export function leastModel(variant: WaveLoss, records: ClearRecords, radius: number): Float64Array {
  if (variant === 'hinge') {
    const { labels } = records;
    return hingeOptimum({ ...records, labels: labels as Int8Array }, radius).w;
  }
  let start: Float64Array = new Float64Array(records.dimension);
  const stride = ceil(records.players / SAMPLE);
  WIDTHS.forEach((width, i) => {
    const last = i === WIDTHS.length - 1;
    const objective = rounded(variant, records, width, last ? 1 : stride);
    start = ballNewton({ objective, radius, start, iterations: last ? 12 : 30, tolerance: 1e-7 }).point;
  });
  return start;
}

/** The risk of {@link leastModel}. */
export function leastRisk(variant: WaveLoss, records: ClearRecords, radius: number): number {
  return riskOf(variant, records, leastModel(variant, records, radius));
}

/** The risk with rounded corners on every k-th record, with gradient and Hessian. */
function rounded(variant: WaveLoss, records: ClearRecords, width: number, stride: number) {
  const { players, dimension, features, labels } = records;
  const vector = new Float64Array(dimension);
  return {
    dimension,
    evaluate(w: Float64Array, gradient: Float64Array, hessian: Float64Array): number {
      gradient.fill(0);
      hessian.fill(0);
      const weight = 1 / ceil(players / stride);
      let risk = 0;
      for (let i = 0; i < players; i += stride) {
        const at = i * dimension;
        let inner = 0;
        let squared = 0;
        for (let j = 0; j < dimension; j++) {
          const x = features[at + j];
          inner += w[j] * x;
          squared += (w[j] - x) ** 2;
          vector[j] = variant === 'median' ? w[j] - x : x;
        }
        // The loss, its slope along the vector, its curvature along it, and its curvature in every direction.
        let [slope, along, across] = [0, 0, 0];
        if (variant === 'logistic') {
          const t = labels[i] * inner;
          const e = exp(-abs(t));
          risk += weight * LOSS.logistic.value([t], { features: [1], label: 1 });
          slope = (-labels[i] * (t > 0 ? e : 1)) / (1 + e);
          along = (labels[i] ** 2 * e) / (1 + e) ** 2;
        } else {
          const off = inner - labels[i];
          const length = sqrt((variant === 'median' ? squared : off * off) + width * width);
          const half = variant === 'median' ? 0.5 : 1;
          risk += weight * half * length;
          slope = (half * (variant === 'median' ? 1 : off)) / length;
          along = variant === 'median' ? -half / length ** 3 : width ** 2 / length ** 3;
          across = variant === 'median' ? half / length : 0;
        }
        for (let j = 0; j < dimension; j++) {
          gradient[j] += weight * slope * vector[j];
          const row = weight * along * vector[j];
          for (let k = 0; k < dimension; k++) hessian[j * dimension + k] += row * vector[k];
          hessian[j * dimension + j] += weight * across;
        }
      }
      return risk;
    },
  };
}
