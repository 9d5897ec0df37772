import { checkPositive, RefusedValue } from '../check/refusal.ts';
import { addProducts } from '../numeric/matrix.ts';
import { ballNewton } from '../optimize/ball-newton.ts';
import { HINGE_MARGIN, KINK_WIDTHS } from '../risk/margin-loss.ts';
import { type Baseline, type BaselineRecords, CHUNK, fillScores } from './metrics.ts';
import { checkRows } from './runner.ts';

/** Records used for all widths except the last two: only the end of the path must be exact. */
const SAMPLE = 200_000;

/**
 * The non-private optimum: the linear model with ‖w‖ ≤ R of least mean hinge risk (margin − t)₊ on the records, by
 * Newton's method on the smoothed hinge, whose width falls to 0.001. Its risk is within 5e-4 of the least one by
 * lemma 9, and much closer in practice, since only records within 0.001 of the kink differ.
 * @throws RangeError for no records.
 */
export function hingeOptimum(
  records: BaselineRecords,
  radius: number,
  rows?: Uint32Array,
  margin: number = HINGE_MARGIN,
): Baseline {
  checkPositive('radius', radius);
  checkRows(records, rows);
  const count = rows?.length ?? records.players;
  if (count === 0) throw new RefusedValue('"rows" expected one or more records, got none');
  // Every k-th record instead of the first ones: files are often sorted.
  const stride = Math.ceil(count / SAMPLE);
  const few = new Uint32Array(Math.ceil(count / stride));
  for (let i = 0; i < few.length; i++) few[i] = rows === undefined ? i * stride : rows[i * stride];
  let w: Float64Array = new Float64Array(records.dimension);
  KINK_WIDTHS.forEach((beta, step) => {
    const last = step >= KINK_WIDTHS.length - 2;
    const objective = smoothedRisk(records, last ? rows : few, beta, margin);
    w = ballNewton({ objective, radius, start: w, iterations: last ? 8 : 30, tolerance: 1e-6 }).point;
  });
  return { w, risk: hingeRisk(records, rows, w, margin) };
}

// Mean smoothed hinge, its gradient and Hessian, in one pass.
function smoothedRisk(
  { players, dimension: p, features, labels }: BaselineRecords,
  rows: Uint32Array | undefined,
  beta: number,
  margin: number,
) {
  const n = rows === undefined ? players : rows.length;
  const scores = new Float64Array(CHUNK);
  const slopes = new Float64Array(CHUNK);
  // The records near the kink, as they are and times their curvature.
  const near = new Float64Array(CHUNK * p);
  const curved = new Float64Array(CHUNK * p);
  const triangle = new Float64Array((p * (p + 1)) / 2);
  const squared = beta * beta;
  return {
    dimension: p,
    evaluate(w: Float64Array, gradient: Float64Array, hessian: Float64Array): number {
      gradient.fill(0);
      triangle.fill(0);
      let sum = 0;
      for (let first = 0; first < n; first += CHUNK) {
        const some = Math.min(CHUNK, n - first);
        fillScores(features, w, scores.subarray(0, some), first, rows);
        let end = 0;
        for (let i = 0; i < some; i++) {
          const row = rows === undefined ? first + i : rows[first + i];
          const label = labels[row];
          const distance = margin - label * scores[i];
          const root = Math.sqrt(distance * distance + squared);
          sum += (distance + root) / 2;
          slopes[i] = (-label * (1 + distance / root)) / 2;
          const curvature = squared / (2 * root * root * root);
          // Records far from the kink have almost no curvature: for them the pass costs p and not p².
          if (curvature * beta < 1e-6) continue;
          for (let j = 0, from = row * p; j < p; j++, end++) {
            near[end] = features[from + j];
            curved[end] = curvature * near[end];
          }
        }
        addProducts(curved, near, end, p, triangle);
        addMultiples(features, slopes.subarray(0, some), gradient, first, rows);
      }
      for (let j = 0, entry = 0; j < p; j++) {
        gradient[j] /= n;
        for (let k = 0; k <= j; k++) hessian[k * p + j] = hessian[j * p + k] = triangle[entry++] / n;
      }
      return sum / n;
    },
  };
}

/** Adds the records from `first` on, each times its factor: four sums at a time, each in the order of the records. */
function addMultiples(
  features: Float32Array,
  factors: Float64Array,
  sums: Float64Array,
  first: number,
  rows: Uint32Array | undefined,
): void {
  const { length } = sums;
  const fours = length & ~3;
  for (let j = 0; j < fours; j += 4) {
    let one = sums[j];
    let two = sums[j + 1];
    let three = sums[j + 2];
    let four = sums[j + 3];
    for (let i = 0, at = first; i < factors.length; i++, at++) {
      const from = length * (rows === undefined ? at : rows[at]) + j;
      const factor = factors[i];
      one += factor * features[from];
      two += factor * features[from + 1];
      three += factor * features[from + 2];
      four += factor * features[from + 3];
    }
    sums[j] = one;
    sums[j + 1] = two;
    sums[j + 2] = three;
    sums[j + 3] = four;
  }
  for (let j = fours; j < length; j++) {
    for (let i = 0; i < factors.length; i++) {
      const row = rows === undefined ? first + i : rows[first + i];
      sums[j] += factors[i] * features[length * row + j];
    }
  }
}

function hingeRisk(
  { players, features, labels }: BaselineRecords,
  rows: Uint32Array | undefined,
  w: Float64Array,
  margin: number,
): number {
  const count = rows === undefined ? players : rows.length;
  const scores = new Float64Array(CHUNK);
  let sum = 0;
  for (let first = 0; first < count; first += CHUNK) {
    const some = Math.min(CHUNK, count - first);
    fillScores(features, w, scores.subarray(0, some), first, rows);
    for (let i = 0; i < some; i++) {
      sum += Math.max(0, margin - labels[rows === undefined ? first + i : rows[first + i]] * scores[i]);
    }
  }
  return sum / count;
}
