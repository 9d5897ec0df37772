import { checkFinite, checkPositive, RefusedValue } from '../check/refusal.ts';
import { HINGE_MARGIN, hingeLoss, type MarginLoss } from '../risk/margin-loss.ts';
import { checkRows, type Dataset } from './runner.ts';

/**
 * The area under the ROC curve: the probability that a positive's score exceeds a negative's, a tie counting ½;
 * `labels[i]` > 0 marks score i as a positive's. Exact; NaN unless there are both.
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

/** Records whose scores are computed together: so many that loops are long, so few that they stay in the cache. */
export const CHUNK = 512;

// Scratch of the conversion, overwritten by each call.
const FLOATS = new Float32Array(CHUNK);

const BITS = new Int32Array(FLOATS.buffer);

/**
 * Scores rounded to 23 significant bits, each with its label in the last bit, as unsigned integers in the same order:
 * score i, whose label is `labels[at + i]`, becomes `keys[at + i]`. {@link areaUnderRounded} sorts keys seven times as
 * fast.
 */
export function fillKeys(scores: Float64Array, labels: Int8Array, keys: Uint32Array, at: number): void {
  for (let first = 0; first < scores.length; first += CHUNK) {
    const some = Math.min(CHUNK, scores.length - first);
    // Adding 0 makes a minus zero a zero: their bits differ.
    for (let i = 0; i < some; i++) FLOATS[i] = scores[first + i] + 0;
    for (let i = 0, to = at + first; i < some; i++, to++) {
      const bits = BITS[i];
      // The bits of a negative float are in descending order. No branch: signs and labels cannot be foreseen.
      const ordered = bits ^ ((bits >> 31) | 0x80000000);
      keys[to] = (ordered & -2) | (-labels[to] >>> 31);
    }
  }
}

/**
 * The area under the ROC curve from keys of {@link fillKeys}; NaN unless there are positives and negatives. Scores that
 * are the same in their first 23 significant bits count as ties: records in 32-bit floats have no more than 24. The error
 * is at most half the share of (positive, negative) pairs that are so close without being equal; for scores in [−1, 1]
 * with a density of at most 80 that is below 10⁻⁵. Both arrays have the same length and are overwritten.
 */
export function areaUnderRounded(keys: Uint32Array, spare: Uint32Array): number {
  const sorted = sortKeys(keys, spare);
  const { length } = sorted;
  let won = 0;
  let negatives = 0;
  // Negatives with a score below that of key i; of equal scores, negatives come first. Two integers are compared without a
  // branch: which scores tie, nobody can foresee.
  let below = 0;
  for (let i = 0, last = 0; i < length; i++) {
    const key = sorted[i];
    const positive = key & 1;
    const step = (key >>> 1) - last;
    last = key >>> 1;
    below ^= (below ^ negatives) & (-step >> 31);
    // A pair won counts 2, a pair tied 1.
    won += positive * (below + negatives);
    negatives += 1 - positive;
  }
  return won / 2 / ((length - negatives) * negatives);
}

const DIGIT = 11;

const MASK = (1 << DIGIT) - 1;

/** A radix sort, least significant digit first: three passes of 11 bits, each stable. The result is one of the arrays. */
function sortKeys(keys: Uint32Array, spare: Uint32Array): Uint32Array {
  const { length } = keys;
  const low = new Uint32Array(MASK + 1);
  const middle = new Uint32Array(MASK + 1);
  const high = new Uint32Array(MASK + 1);
  for (let i = 0; i < length; i++) {
    const key = keys[i];
    low[key & MASK]++;
    middle[(key >>> DIGIT) & MASK]++;
    high[key >>> (2 * DIGIT)]++;
  }
  moveByDigit(keys, spare, low, 0);
  moveByDigit(spare, keys, middle, DIGIT);
  moveByDigit(keys, spare, high, 2 * DIGIT);
  return spare;
}

function moveByDigit(from: Uint32Array, to: Uint32Array, counts: Uint32Array, shift: number): void {
  for (let digit = 0, start = 0; digit < counts.length; digit++) {
    const count = counts[digit];
    counts[digit] = start;
    start += count;
  }
  for (let i = 0; i < from.length; i++) {
    const key = from[i];
    to[counts[(key >>> shift) & MASK]++] = key;
  }
}

/** How well one linear model does on labelled records, from the data without privacy: for test programs only. */
export interface ModelMetrics {
  /** The mean loss of the margin y·⟨w, x⟩. */
  readonly risk: number;
  /** The share of records with y·⟨w, x⟩ > 0; a score of exactly 0 counts ½, as a coin would decide it. */
  readonly accuracy: number;
  /** Area under the ROC curve: the probability that a positive's score exceeds a negative's, a tie counting ½; NaN without either. */
  readonly auc: number;
}

/** Up to this number of records the area is computed from unrounded scores. */
const EXACT = 1 << 17;

/** The largest memory for scores, in bytes; beyond it the models are taken in several passes over the data. */
const MEMORY = 1 << 28;

/**
 * Risk, accuracy and area under the ROC curve of many linear models, in one pass over the data.
 *
 * The area is exact for up to 131,072 records; for more, scores are first rounded to 23 significant bits,
 * and equal ones count as ties: the error is at most half the share of pairs that are so close. It is NaN if all labels are the same.
 *
 * Shape: each model has `dimension` numbers; `rows` are the records looked at, by default all. The loss is by default
 * the hinge loss.
 * @throws RangeError for a model of another length, a number that is not finite, a row that does not exist, or no rows
 * at all.
 */
export function scoreMetrics(
  dataset: BaselineRecords,
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
  { players, features, labels }: BaselineRecords,
  models: readonly ArrayLike<number>[],
  rows: Uint32Array | undefined,
  { value }: MarginLoss,
  exact: boolean,
): readonly ModelMetrics[] {
  const count = rows === undefined ? players : rows.length;
  const weights = models.map((model) => Float64Array.from(model));
  const kept = models.map(() => (exact ? new Float64Array(count) : new Uint32Array(count)));
  const risk = new Float64Array(models.length);
  const right = new Float64Array(models.length);
  const signs = new Int8Array(count);
  const scores = new Float64Array(CHUNK);
  // A record is fetched from memory once for all models.
  for (let first = 0; first < count; first += CHUNK) {
    const some = Math.min(CHUNK, count - first);
    for (let i = first; i < first + some; i++) signs[i] = labels[rows === undefined ? i : rows[i]];
    for (let k = 0; k < models.length; k++) {
      fillScores(features, weights[k], scores.subarray(0, some), first, rows);
      let sum = risk[k];
      let halves = 0;
      for (let i = 0; i < some; i++) {
        const margin = signs[first + i] * scores[i];
        sum += value(margin);
        // Two for a positive margin, one for 0.
        halves += Number(margin > 0) + Number(margin >= 0);
      }
      risk[k] = sum;
      right[k] += halves / 2;
      const target = kept[k];
      if (target instanceof Float64Array) target.set(scores.subarray(0, some), first);
      else fillKeys(scores.subarray(0, some), signs, target, first);
    }
  }
  const spare = new Uint32Array(exact ? 0 : count);
  return kept.map((found, k) => ({
    risk: risk[k] / count,
    accuracy: right[k] / count,
    auc: found instanceof Float64Array ? areaUnderCurve(found, signs) : areaUnderRounded(found, spare),
  }));
}

/** The scores of a model on the records from `first` on: four sums at a time, none of which waits for another. */
export function fillScores(
  features: Float32Array,
  weights: Float64Array,
  scores: Float64Array,
  first: number,
  rows: Uint32Array | undefined,
): void {
  const { length } = weights;
  const fours = scores.length & ~3;
  for (let i = 0, at = first; i < fours; i += 4, at += 4) {
    const a = length * (rows === undefined ? at : rows[at]);
    const b = length * (rows === undefined ? at + 1 : rows[at + 1]);
    const c = length * (rows === undefined ? at + 2 : rows[at + 2]);
    const d = length * (rows === undefined ? at + 3 : rows[at + 3]);
    let [one, two, three, four] = [0, 0, 0, 0];
    for (let j = 0; j < length; j++) {
      const weight = weights[j];
      one += weight * features[a + j];
      two += weight * features[b + j];
      three += weight * features[c + j];
      four += weight * features[d + j];
    }
    scores[i] = one;
    scores[i + 1] = two;
    scores[i + 2] = three;
    scores[i + 3] = four;
  }
  for (let i = fours; i < scores.length; i++) {
    const from = length * (rows === undefined ? first + i : rows[first + i]);
    let score = 0;
    for (let j = 0; j < length; j++) score += weights[j] * features[from + j];
    scores[i] = score;
  }
}

/** What a baseline is fitted to: a dataset, whose names do not matter. */
export type BaselineRecords = Pick<Dataset, 'players' | 'dimension' | 'features' | 'labels'>;

/** A linear model fitted in the clear. */
export interface Baseline {
  readonly w: Float64Array;
  /** Its mean hinge risk on the records it was fitted to. */
  readonly risk: number;
}

/** The best constant score b in [−R, R]: it depends on the labels only. */
export interface ConstantBaseline {
  readonly score: number;
  readonly risk: number;
  /** Share of the more frequent label; a tie counts ½. */
  readonly accuracy: number;
}

/** The best constant score under the hinge loss (margin − t)₊: what a model that ignores the features can reach. */
export function bestConstant(
  { players, labels }: Pick<Dataset, 'players' | 'labels'>,
  radius: number,
  rows?: Uint32Array,
  margin: number = HINGE_MARGIN,
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
  // All pairs of a positive and a negative label are ties, if there are any.
  const auc = share > 0 && share < 1 ? 0.5 : Number.NaN;
  return { risk: share * loss.value(score) + (1 - share) * loss.value(-score), accuracy, auc };
}

/** The share of positive labels among the records. */
export function positiveShare(
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
