import { checkFinite, refusal } from '../check/number.ts';
import { hingeLoss } from '../risk/hinge.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import { areaUnderCurve, areaUnderRounded, scoreKey } from './auc.ts';
import type { Dataset } from './dataset.ts';
import { checkRows } from './population.ts';

/** How well one linear model does on labelled records. It is computed from the data in the clear: for harnesses only. */
export interface ModelMetrics {
  /** The mean loss of the margin y·⟨w, x⟩. */
  readonly risk: number;
  /** The share of records with y·⟨w, x⟩ > 0; a score of exactly 0 counts ½, as a coin would decide it. */
  readonly accuracy: number;
  /** Area under the ROC curve: the probability that a positive's score exceeds a negative's, a tie counting ½. */
  readonly auc: number;
}

/** Up to this number of records the area is computed from the scores as they are. */
const EXACT = 1 << 17;

/** Most scores kept at a time, in bytes; beyond it the models are taken in several passes over the data. */
const MEMORY = 1 << 28;

/**
 * Risk, accuracy and area under the ROC curve of many linear models, in one pass over the data.
 *
 * The area is exact for up to 131,072 records; for more, scores are first rounded to 23 significant bits (see
 * `areaUnderRounded` for what that can do). It is NaN if all labels are the same.
 *
 * Shape: each model has `dimension` numbers; `rows` are the records looked at, by default all. The loss is by default
 * the hinge loss.
 *
 * @throws RangeError for a model of another length, a number that is not finite, a row that is not there, or no rows at all.
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
  if (count < 1) throw new RangeError(refusal('rows', 'one or more records', count));
  for (const [index, model] of models.entries()) {
    if (model.length !== dimension) {
      throw new RangeError(refusal(`models[${index}].length`, String(dimension), model.length));
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
  // Records outside, models inside: a record is fetched from memory once, and the models stay in the cache.
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
