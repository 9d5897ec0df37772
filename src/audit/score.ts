import { RefusedKind } from '../check/refusal.ts';
import { type AuditFeature, BIT_CLASSES, bitClass, describeFeature, featureValue } from './report-view.ts';
import type { AuditSample } from './target.ts';

const { abs, exp, log, log1p, max, min, sqrt } = Math;

/**
 * A number that grows as a report looks more like one under the first datum. It is plain data, for another thread; only
 * the likelihood ratio belongs to the target.
 */
export type AuditScore =
  | { readonly kind: 'likelihood ratio' }
  | { readonly kind: 'logistic'; readonly model: LogisticModel }
  | { readonly kind: 'histograms together'; readonly tables: readonly ScoreTable[] }
  | { readonly kind: 'table'; readonly table: ScoreTable };

/** Computes the score of the last trial from the numbers seen and from the report. */
export type AuditScorer<Report> = (values: Float64Array, report: Report) => number;

export function scorerOf<Report>(
  score: AuditScore,
  ratio: ((report: Report) => number) | undefined,
): AuditScorer<Report> {
  if (score.kind === 'logistic') return (values) => logisticScore(score.model, values, 0);
  if (score.kind === 'histograms together') return (values) => togetherScore(score.tables, values, 0);
  if (score.kind === 'table') return (values) => tableScore(score.table, values, 0);
  if (ratio === undefined) throw new RefusedKind('"logLikelihoodRatio" expected a function, as in the plan, got none');
  return (_, report) => ratio(report);
}

export function describeScore(score: AuditScore): string {
  if (score.kind === 'histograms together') return 'histograms of all numbers, added';
  return score.kind === 'table' ? describeTable(score.table) : score.kind;
}

/** What a table sorts a feature by: its size, which repeated value it is exactly, or the place of its last bit. */
export type ScoreTableKind = 'histogram' | 'repeated values' | 'last bits';

/** A learned score of one feature: the rank of its class by how much likelier it is under the first datum. */
export interface ScoreTable {
  readonly kind: ScoreTableKind;
  readonly feature: AuditFeature;
  /** Ascending: edges between bins, or the repeated values; empty for last bits. */
  readonly marks: Float64Array;
  /** The rank of every class; equal ranks were seen equally often. */
  readonly ranks: Int32Array;
  readonly levels: number;
  /** The log ratio of every class, as learned. */
  readonly ratios: Float64Array;
}

/** Bins of a histogram, of about equal weight over both data. */
const BINS = 64;

/** Most repeated values kept, the most frequent first. */
const ATOMS = 2048;

function classOf(table: Pick<ScoreTable, 'kind' | 'marks'>, value: number): number {
  const { kind, marks } = table;
  if (kind === 'last bits') return bitClass(value);
  // The first mark that is not below the value.
  const first = below(marks, value);
  if (kind === 'histogram') return first;
  return first < marks.length && marks[first] === value ? first : marks.length;
}

/** How many of the ascending values are below the threshold, or at most the threshold. */
export function below(sorted: Float64Array, threshold: number, orEqual: boolean = false): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < threshold || (orEqual && sorted[middle] === threshold)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function tableScore(table: ScoreTable, values: ArrayLike<number>, offset: number): number {
  return table.ranks[classOf(table, featureValue(table.feature, values, offset))];
}

function describeTable({ kind, feature }: ScoreTable): string {
  return `${kind} of ${describeFeature(feature)}`;
}

/** The tables of one feature that a sample suggests; those of its last bits only if requested. */
export function learnTables(feature: AuditFeature, sample: AuditSample, lastBits: boolean): ScoreTable[] {
  const first = column(feature, sample.first, sample);
  const second = column(feature, sample.second, sample);
  const pooled = pooledOf(first, second);
  const tables = [ranked('histogram', feature, quantiles(pooled, BINS), first, second)];
  const repeated = atoms(pooled);
  if (repeated.length > 0) tables.push(ranked('repeated values', feature, repeated, first, second));
  // The last bits of a sum of two reported numbers are the addition's own.
  if (lastBits && feature.other < 0) tables.push(ranked('last bits', feature, new Float64Array(0), first, second));
  return tables.filter(({ levels }) => levels > 1);
}

/** Bins of each number where all are added: few, because the errors of all of them add up. */
const BINS_TOGETHER = 16;

/** Histograms of these numbers for {@link togetherScore}. */
export function learnTogether(sample: AuditSample, inputs: ArrayLike<number>): ScoreTable[] {
  return Array.from(inputs, (index) => {
    const feature = { index, other: -1, sign: 0 };
    const [first, second] = [column(feature, sample.first, sample), column(feature, sample.second, sample)];
    return ranked('histogram', feature, quantiles(pooledOf(first, second), BINS_TOGETHER), first, second);
  });
}

/**
 * What each number tells by itself, added: the best score where the noises of the numbers are independent, of any law;
 * the log ratio of two Laplace laws is not linear, as in a logistic score.
 */
export function togetherScore(tables: readonly ScoreTable[], values: ArrayLike<number>, offset: number): number {
  let sum = 0;
  for (const table of tables) sum += table.ratios[classOf(table, featureValue(table.feature, values, offset))];
  return sum;
}

function pooledOf(first: Float64Array, second: Float64Array): Float64Array {
  const pooled = new Float64Array(first.length + second.length);
  pooled.set(first);
  pooled.set(second, first.length);
  return pooled.sort();
}

function column(feature: AuditFeature, values: Float64Array, { rows, width }: AuditSample): Float64Array {
  const result = new Float64Array(rows);
  for (let row = 0; row < rows; row++) result[row] = featureValue(feature, values, row * width);
  return result;
}

/** Edges between bins of about equal weight, ascending, no two equal. */
function quantiles(pooled: Float64Array, bins: number): Float64Array {
  const edges: number[] = [];
  for (let bin = 1; bin < bins; bin++) {
    const edge = pooled[Math.floor((bin * pooled.length) / bins)];
    if (edges.length === 0 || edge > edges[edges.length - 1]) edges.push(edge);
  }
  return Float64Array.from(edges);
}

/** Values that occur more often than chance allows among numbers with many digits. */
function atoms(pooled: Float64Array): Float64Array {
  const found: { value: number; count: number }[] = [];
  const least = max(4, pooled.length * 1e-4);
  for (let from = 0, to = 0; from < pooled.length; from = to) {
    while (to < pooled.length && pooled[to] === pooled[from]) to++;
    if (to - from >= least) found.push({ value: pooled[from], count: to - from });
  }
  found.sort((a, b) => b.count - a.count);
  return Float64Array.from(found.slice(0, ATOMS), ({ value }) => value).sort();
}

function ranked(
  kind: ScoreTableKind,
  feature: AuditFeature,
  marks: Float64Array,
  first: Float64Array,
  second: Float64Array,
): ScoreTable {
  const size = kind === 'last bits' ? BIT_CLASSES : marks.length + 1;
  const counts = [new Float64Array(size), new Float64Array(size)];
  for (let row = 0; row < first.length; row++) {
    counts[0][classOf({ kind, marks }, first[row])]++;
    counts[1][classOf({ kind, marks }, second[row])]++;
  }
  // One is added to each count: a class that was never seen is neutral, and a rare class nearly neutral.
  const scores = counts[0].map((count, i) => log((count + 1) / (counts[1][i] + 1)));
  const distinct = [...new Set(scores)].sort((a, b) => a - b);
  const rankOf = new Map(distinct.map((score, rank) => [score, rank]));
  const ranks = Int32Array.from(scores, (score) => rankOf.get(score) ?? 0);
  return { kind, feature, marks, ranks, levels: distinct.length, ratios: scores };
}

/** A learned score that is linear in the numbers seen, in their squares and, where they are few, in their products. */
export interface LogisticModel {
  /** The numbers used; beyond a limit, only those whose means differ most. */
  readonly inputs: Int32Array;
  /** Pairs of inputs whose product is a term: i, j, i, j, …; squares are pairs of equal ones. */
  readonly products: Int32Array;
  /** Mean of each term, inputs first. */
  readonly means: Float64Array;
  /** Weight of each term, 0 for one that never varied. */
  readonly weights: Float64Array;
}

/** Largest number of inputs; squares and products are left out where there would be too many terms. */
const INPUTS = 96;
const SQUARES_UP_TO = 32;
const PRODUCTS_UP_TO = 8;

/** Newton steps at most, and the ridge on standardized terms per row, far below any spread that is no rounding. */
const STEPS = 8;
const RIDGE = 1e-12;

/** The score of the row that begins at `offset`: larger if the row is more likely under the first datum. */
export function logisticScore(model: LogisticModel, values: ArrayLike<number>, offset: number): number {
  const { inputs, products, means, weights } = model;
  const count = inputs.length;
  let sum = 0;
  for (let k = 0; k < count; k++) sum += weights[k] * (values[offset + inputs[k]] - means[k]);
  for (let k = count, at = 0; at < products.length; k++, at += 2) {
    sum += weights[k] * (values[offset + products[at]] * values[offset + products[at + 1]] - means[k]);
  }
  return sum;
}

/**
 * Logistic regression of the datum, by Newton's method. Terms that depend on each other exactly are wanted: the direction
 * in which all noise cancels gets a very large weight.
 */
export function learnLogistic(sample: AuditSample): LogisticModel {
  const inputs = chosenInputs(sample);
  const products: number[] = [];
  for (let i = 0; i < inputs.length && inputs.length <= SQUARES_UP_TO; i++) {
    const last = inputs.length <= PRODUCTS_UP_TO ? inputs.length : i + 1;
    for (let j = i; j < last; j++) products.push(inputs[i], inputs[j]);
  }
  const size = inputs.length + products.length / 2;
  const empty: LogisticModel = {
    inputs,
    products: Int32Array.from(products),
    means: new Float64Array(size),
    weights: new Float64Array(size),
  };
  const terms = termsOf(empty, sample);
  const { rows } = sample;
  for (let k = 0; k < size; k++) {
    let mean = 0;
    for (let row = 0; row < 2 * rows; row++) mean += terms[row * size + k] / (2 * rows);
    let spread = 0;
    for (let row = 0; row < 2 * rows; row++) spread += (terms[row * size + k] - mean) ** 2 / (2 * rows);
    // A term that varies only by rounding is a constant.
    const scale = spread > (1e-12 * mean) ** 2 && spread < Infinity ? 1 / sqrt(spread) : 0;
    empty.means[k] = mean < Infinity ? mean : 0;
    empty.weights[k] = scale;
    for (let row = 0; row < 2 * rows; row++) {
      const at = row * size + k;
      terms[at] = scale > 0 ? (terms[at] - mean) * scale : 0;
    }
  }
  const fitted = newton(terms, rows, size);
  return { ...empty, weights: empty.weights.map((scale, k) => scale * fitted[k]) };
}

function chosenInputs({ first, second, rows, width }: AuditSample): Int32Array {
  const all = Int32Array.from({ length: width }, (_, i) => i);
  if (width <= INPUTS) return all;
  const strength = Float64Array.from(all, (i) => {
    let [sum, difference, squares] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      const [a, b] = [first[row * width + i], second[row * width + i]];
      sum += a + b;
      difference += a - b;
      squares += a * a + b * b;
    }
    const variance = squares - (sum * sum) / (2 * rows);
    return variance > 0 ? difference ** 2 / variance : 0;
  });
  return all.sort((a, b) => strength[b] - strength[a] || a - b).slice(0, INPUTS);
}

/** All rows' terms, those under the first datum before those under the second. */
function termsOf({ inputs, products, means }: LogisticModel, sample: AuditSample): Float64Array {
  const size = means.length;
  const { rows, width } = sample;
  const terms = new Float64Array(2 * rows * size);
  for (let row = 0; row < 2 * rows; row++) {
    const values = row < rows ? sample.first : sample.second;
    const offset = (row % rows) * width;
    let at = row * size;
    for (let k = 0; k < inputs.length; k++) terms[at++] = values[offset + inputs[k]];
    for (let k = 0; k < products.length; k += 2) {
      terms[at++] = values[offset + products[k]] * values[offset + products[k + 1]];
    }
  }
  return terms;
}

function newton(terms: Float64Array, rows: number, size: number): Float64Array {
  let accepted = new Float64Array(size + 1);
  let candidate = accepted;
  let best = Infinity;
  for (let step = 0; step < STEPS; step++) {
    const { loss, gradient, hessian } = expansion(terms, rows, candidate);
    if (!(loss < best)) break;
    best = loss;
    accepted = candidate;
    candidate = accepted.slice();
    // The sample is separated already: further steps only enlarge the weights.
    if (loss < 1e-3 * rows || !solveInto(hessian, gradient, candidate)) break;
  }
  return accepted;
}

/** Loss, gradient and lower triangle of the Hessian of the ridged log likelihood; the last weight is the intercept. */
function expansion(terms: Float64Array, rows: number, weights: Float64Array) {
  const width = weights.length;
  const size = width - 1;
  const gradient = new Float64Array(width);
  const hessian = new Float64Array(width * width);
  const row = new Float64Array(width);
  row[size] = 1;
  let loss = 0;
  for (let at = 0; at < 2 * rows; at++) {
    let eta = weights[size];
    for (let k = 0; k < size; k++) eta += weights[k] * (row[k] = terms[at * size + k]);
    const signed = max(-40, min(40, at < rows ? eta : -eta));
    const wrong = 1 / (1 + exp(signed));
    loss += log1p(exp(-signed));
    const push = at < rows ? wrong : -wrong;
    const curvature = wrong * (1 - wrong);
    for (let i = 0; i < width; i++) {
      gradient[i] += push * row[i];
      const scaled = curvature * row[i];
      for (let j = 0; j <= i; j++) hessian[i * width + j] += scaled * row[j];
    }
  }
  for (let i = 0; i < width; i++) {
    gradient[i] -= RIDGE * rows * weights[i];
    hessian[i * width + i] += RIDGE * rows;
  }
  return { loss, gradient, hessian };
}

/** Adds the solution of H·x = g to `target`, by Cholesky; false where rounding has made H indefinite. */
function solveInto(hessian: Float64Array, gradient: Float64Array, target: Float64Array): boolean {
  const size = gradient.length;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = hessian[i * size + j];
      for (let k = 0; k < j; k++) sum -= hessian[i * size + k] * hessian[j * size + k];
      if (i !== j) hessian[i * size + j] = sum / hessian[j * size + j];
      else if (!(sum > 0)) return false;
      else hessian[i * size + i] = sqrt(sum);
    }
  }
  const x = gradient.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i] -= hessian[i * size + k] * x[k];
    x[i] /= hessian[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i] -= hessian[k * size + i] * x[k];
    x[i] /= hessian[i * size + i];
  }
  if (x.some((entry) => !(abs(entry) < Infinity))) return false;
  for (let i = 0; i < size; i++) target[i] += x[i];
  return true;
}
