import { checkFinite, checkPositive, RefusedValue } from '../check/refusal.ts';
import { ballNewton } from '../optimize/ball-newton.ts';
import { hingeLoss, type MarginLoss } from '../risk/margin-loss.ts';
import { checkRows, type Dataset } from './runner.ts';

/**
 * The area under the ROC curve: the probability that a positive's score exceeds a negative's, a tie counting ½. Exact;
 * NaN unless there are both. Overwrites neither argument.
 *
 * Shape: `labels[i]` > 0 marks score i as a positive's. Sorting takes about 0.1 µs per score.
 */
export function areaUnderCurve(scores: Float64Array, labels: ArrayLike<number>): number {
  let positives = 0;
  for (let i = 0; i < scores.length; i++) if (labels[i] > 0) positives++;
  const negatives = scores.length - positives;
  const high = new Float64Array(positives);
  const low = new Float64Array(negatives);
  for (let i = 0, h = 0, l = 0; i < scores.length; i++) {
    if (labels[i] > 0) high[h++] = scores[i];
    else low[l++] = scores[i];
  }
  high.sort();
  low.sort();
  // A merge: for each run of equal scores, pairs won count 1 and pairs tied ½.
  let won = 0;
  for (let h = 0, l = 0; h < positives; ) {
    const score = high[h];
    const from = h;
    while (h < positives && high[h] === score) h++;
    while (l < negatives && low[l] < score) l++;
    let tied = l;
    while (tied < negatives && low[tied] === score) tied++;
    won += (h - from) * (l + (tied - l) / 2);
    l = tied;
  }
  return won / (positives * negatives);
}

const FLOAT = new Float32Array(1);

const BITS = new Uint32Array(FLOAT.buffer);

/**
 * A score rounded to 23 significant bits, with its label in the last bit, as an unsigned integer in the same order.
 *
 * It takes half the memory of a score; {@link areaUnderRounded} sorts such keys seven times as fast.
 */
export function scoreKey(score: number, positive: boolean): number {
  // Adding 0 makes a minus zero a zero: their bits differ.
  FLOAT[0] = score + 0;
  const bits = BITS[0];
  // The bits of a negative float are in descending order.
  const ordered = bits >= 0x80000000 ? ~bits : bits | 0x80000000;
  return ((ordered & -2) | (positive ? 1 : 0)) >>> 0;
}

/**
 * The area under the ROC curve from keys of {@link scoreKey}; NaN unless there are positives and negatives.
 *
 * Scores that are the same in their first 23 significant bits count as ties. Records in 32-bit floats have no more than
 * 24, so a smaller difference has no meaning for a model. The error is at most half the share of (positive, negative)
 * pairs that are so close without being equal. For scores in [−1, 1] with a density of at most 80 that is below 10⁻⁵.
 *
 * `keys` is sorted in place; `spare` has the same length and is overwritten.
 */
export function areaUnderRounded(keys: Uint32Array, spare: Uint32Array): number {
  sortKeys(keys, spare);
  let won = 0;
  let positives = 0;
  let negatives = 0;
  for (let i = 0; i < keys.length; ) {
    const score = keys[i] >>> 1;
    let high = 0;
    const from = i;
    for (; i < keys.length && keys[i] >>> 1 === score; i++) high += keys[i] & 1;
    const low = i - from - high;
    won += high * (negatives + low / 2);
    positives += high;
    negatives += low;
  }
  return won / (positives * negatives);
}

const DIGIT = 11;

const DIGITS = 3;

const MASK = (1 << DIGIT) - 1;

/** A radix sort, least significant digit first: three passes of 11 bits, each stable. */
function sortKeys(keys: Uint32Array, spare: Uint32Array): void {
  const { length } = keys;
  const starts = new Uint32Array(1 << DIGIT);
  let from = keys;
  let to = spare;
  for (let pass = 0; pass < DIGITS; pass++) {
    const shift = pass * DIGIT;
    starts.fill(0);
    for (let i = 0; i < length; i++) starts[(from[i] >>> shift) & MASK]++;
    for (let digit = 0, start = 0; digit < starts.length; digit++) {
      const count = starts[digit];
      starts[digit] = start;
      start += count;
    }
    for (let i = 0; i < length; i++) {
      const key = from[i];
      to[starts[(key >>> shift) & MASK]++] = key;
    }
    [from, to] = [to, from];
  }
  // Three passes is an odd number, so the result is in the other array.
  keys.set(from);
}

/**
 * How well one linear model does on labelled records. It is computed from the data without privacy: for test programs
 * only.
 */
export interface ModelMetrics {
  /** The mean loss of the margin y·⟨w, x⟩. */
  readonly risk: number;
  /** The share of records with y·⟨w, x⟩ > 0; a score of exactly 0 counts ½, as a coin would decide it. */
  readonly accuracy: number;
  /** Area under the ROC curve: the probability that a positive's score exceeds a negative's, a tie counting ½. */
  readonly auc: number;
}

/** Up to this number of records the area is computed from unrounded scores. */
const EXACT = 1 << 17;

/** The largest memory for scores, in bytes; beyond it the models are taken in several passes over the data. */
const MEMORY = 1 << 28;

/**
 * Risk, accuracy and area under the ROC curve of many linear models, in one pass over the data.
 *
 * The area is exact for up to 131,072 records; for more, scores are first rounded to 23 significant bits (see
 * `areaUnderRounded` for the error). It is NaN if all labels are the same.
 *
 * Shape: each model has `dimension` numbers; `rows` are the records looked at, by default all. The loss is by default
 * the hinge loss.
 * @throws RangeError for a model of another length, a number that is not finite, a row that does not exist, or no rows
 * at all.
 */
export function scoreMetrics(
  dataset: Pick<Dataset, 'players' | 'dimension' | 'features' | 'labels'>,
  models: readonly ArrayLike<number>[],
  rows?: Uint32Array,
  loss: MarginLoss = hingeLoss(),
): readonly ModelMetrics[] {
  const { dimension } = dataset;
  checkRows(dataset, rows);
  const count = rows === undefined ? dataset.players : rows.length;
  if (count < 1) throw new RefusedValue('rows', 'one or more records', count);
  for (const [index, model] of models.entries()) {
    if (model.length !== dimension) {
      throw new RefusedValue(`models[${index}].length`, String(dimension), model.length);
    }
    for (let j = 0; j < dimension; j++) checkFinite(`models[${index}][${j}]`, model[j]);
  }
  const exact = count <= EXACT;
  const group = Math.max(1, Math.floor(MEMORY / (count * (exact ? 8 : 4))));
  const metrics: ModelMetrics[] = [];
  for (let first = 0; first < models.length; first += group) {
    metrics.push(...measure(dataset, models.slice(first, first + group), rows, loss, exact));
  }
  return metrics;
}

function measure(
  { players, dimension, features, labels }: Pick<Dataset, 'players' | 'dimension' | 'features' | 'labels'>,
  models: readonly ArrayLike<number>[],
  rows: Uint32Array | undefined,
  { value }: MarginLoss,
  exact: boolean,
): readonly ModelMetrics[] {
  const count = rows === undefined ? players : rows.length;
  const weights = new Float64Array(models.length * dimension);
  for (const [index, model] of models.entries()) weights.set(Array.from(model), index * dimension);
  const scores = models.map(() => (exact ? new Float64Array(count) : new Uint32Array(count)));
  const risk = new Float64Array(models.length);
  const right = new Float64Array(models.length);
  const signs = new Int8Array(count);
  // Records in the outer loop, models in the inner loop: a record is fetched from memory once, and the models stay in
  // the cache.
  for (let i = 0; i < count; i++) {
    const row = rows === undefined ? i : rows[i];
    const from = row * dimension;
    const label = labels[row];
    signs[i] = label;
    for (let k = 0, w = 0; k < scores.length; k++) {
      let score = 0;
      for (let j = 0; j < dimension; j++, w++) score += weights[w] * features[from + j];
      const margin = label * score;
      risk[k] += value(margin);
      if (margin > 0) right[k]++;
      else if (margin === 0) right[k] += 0.5;
      scores[k][i] = exact ? score : scoreKey(score, label > 0);
    }
  }
  const spare = new Uint32Array(exact ? 0 : count);
  return scores.map((kept, k) => ({
    risk: risk[k] / count,
    accuracy: right[k] / count,
    auc: kept instanceof Float64Array ? areaUnderCurve(kept, signs) : areaUnderRounded(kept, spare),
  }));
}

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

/** The best constant score under the hinge loss (margin − t)₊: what a model that ignores the features can reach. */
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

/** The metrics of one score that is the same for every record, also on records it was not chosen for. */
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
