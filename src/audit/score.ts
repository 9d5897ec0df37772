import { RefusedKind } from '../check/refusal.ts';
import { type AuditFeature, BIT_CLASSES, bitClass, describeFeature, featureValue } from './feature.ts';
import { type LogisticModel, logisticScore } from './logistic.ts';
import type { AuditSample } from './target.ts';

const { log, max } = Math;

/**
 * A number that grows as a report looks more like one under the first datum. It is plain data, so a plan of attack can
 * travel to another thread; only the likelihood ratio belongs to the target.
 */
export type AuditScore =
  | { readonly kind: 'likelihood ratio' }
  | { readonly kind: 'logistic'; readonly model: LogisticModel }
  | { readonly kind: 'table'; readonly table: ScoreTable };

/** Computes the score of the last trial from the numbers seen and from the report. */
export type AuditScorer<Report> = (values: Float64Array, report: Report) => number;

/**
 * A score as a function.
 *
 * @throws TypeError for a likelihood ratio that the target does not have.
 */
export function scorerOf<Report>(
  score: AuditScore,
  ratio: ((report: Report) => number) | undefined,
): AuditScorer<Report> {
  if (score.kind === 'logistic') return (values) => logisticScore(score.model, values, 0);
  if (score.kind === 'table') return (values) => tableScore(score.table, values, 0);
  if (ratio === undefined) throw new RefusedKind('"logLikelihoodRatio" expected a function, as in the plan, got none');
  return (_, report) => ratio(report);
}

/** A score in words. */
export function describeScore(score: AuditScore): string {
  return score.kind === 'table' ? describeTable(score.table) : score.kind;
}

/** What a table sorts a feature by: its size, which repeated value it is exactly, or the place of its last bit. */
export type ScoreTableKind = 'histogram' | 'repeated values' | 'last bits';

/**
 * A learned score of one feature: the rank of its class; classes are ranked by how much more likely they are under the
 * first datum.
 */
export interface ScoreTable {
  readonly kind: ScoreTableKind;
  readonly feature: AuditFeature;
  /** Ascending: edges between bins, or the repeated values; empty for last bits. */
  readonly marks: Float64Array;
  /** The rank of every class; equal ranks were seen equally often. */
  readonly ranks: Int32Array;
  /** Number of different ranks. */
  readonly levels: number;
}

/** Bins of a histogram, of about equal weight over both data. */
const BINS = 64;

/** Most repeated values kept, the most frequent first. */
const ATOMS = 2048;

/** The class of a number in a table. */
function classOf(table: Pick<ScoreTable, 'kind' | 'marks'>, value: number): number {
  const { kind, marks } = table;
  if (kind === 'last bits') return bitClass(value);
  // The first mark that is not below the value.
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle] < value) low = middle + 1;
    else high = middle;
  }
  if (kind === 'histogram') return low;
  return low < marks.length && marks[low] === value ? low : marks.length;
}

/** The score of a row: the rank of its feature's class. */
export function tableScore(table: ScoreTable, values: ArrayLike<number>, offset: number): number {
  return table.ranks[classOf(table, featureValue(table.feature, values, offset))];
}

/** A table in words. */
export function describeTable({ kind, feature }: ScoreTable): string {
  return `${kind} of ${describeFeature(feature)}`;
}

/** The tables of one feature that a sample suggests; those of its last bits only if requested. */
export function learnTables(feature: AuditFeature, sample: AuditSample, lastBits: boolean): ScoreTable[] {
  const { rows } = sample;
  const first = column(feature, sample.first, sample);
  const second = column(feature, sample.second, sample);
  const pooled = new Float64Array(2 * rows);
  pooled.set(first);
  pooled.set(second, rows);
  pooled.sort();
  const tables = [ranked('histogram', feature, quantiles(pooled), first, second)];
  const repeated = atoms(pooled);
  if (repeated.length > 0) tables.push(ranked('repeated values', feature, repeated, first, second));
  // The last bits of a sum of two reported numbers are the addition's own.
  if (lastBits && feature.other < 0) tables.push(ranked('last bits', feature, new Float64Array(0), first, second));
  return tables.filter(({ levels }) => levels > 1);
}

function column(feature: AuditFeature, values: Float64Array, { rows, width }: AuditSample): Float64Array {
  const result = new Float64Array(rows);
  for (let row = 0; row < rows; row++) result[row] = featureValue(feature, values, row * width);
  return result;
}

function quantiles(pooled: Float64Array): Float64Array {
  const edges: number[] = [];
  for (let bin = 1; bin < BINS; bin++) {
    const edge = pooled[Math.floor((bin * pooled.length) / BINS)];
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
  return { kind, feature, marks, ranks, levels: distinct.length };
}
