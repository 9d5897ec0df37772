import type { FiveNumbers } from './figure.ts';

const { floor, max, min, sqrt } = Math;

/** A mean over replications and its standard error. */
export interface Measured {
  readonly mean: number;
  readonly error: number;
}

/** The mean of numbers, with its standard error; that of a single number is 0. */
export function measuredMean(values: readonly number[]): Measured {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: sqrt(squares / max(1, count - 1) / count) };
}

/** The mean of numbers of which only the count, the sum and the sum of squares were kept. */
export function measuredSums(count: number, sum: number, squares: number): Measured {
  const mean = sum / count;
  return { mean, error: sqrt(max(0, squares / count - mean * mean) / (count - 1)) };
}

/** The sum over all parts of a cell of one of their numbers. */
export function summed<Chunk>(chunks: readonly Chunk[], number: (chunk: Chunk) => number): number {
  return chunks.reduce((total, chunk) => total + number(chunk), 0);
}

/** Means over replications at every checkpoint. `rows[r][k]` is replication r at checkpoint k. */
export function columnMeans(rows: readonly (readonly number[])[]): readonly Measured[] {
  return rows[0].map((_, k) => measuredMean(rows.map((row) => row[k])));
}

/**
 * Means of several groups of numbers.
 *
 * Law: the numbers of every group are taken to have one variance, which is pooled, so that no group looks certain by chance.
 */
export function pooledMeans(groups: readonly (readonly number[])[]): readonly Measured[] {
  const means = groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
  const squares = groups.flatMap((group, g) => group.map((value) => (value - means[g]) ** 2));
  const spread = sqrt(squares.reduce((sum, square) => sum + square, 0) / max(1, squares.length - groups.length));
  return groups.map(({ length }, g) => ({ mean: means[g], error: spread / sqrt(length) }));
}

/**
 * Root mean squares of several groups of errors, given their squares.
 *
 * Law: squares of every group are taken to vary alike, relative to their mean; what they do is pooled over the groups, so that a group
 * whose largest errors did not come up by chance does not look more certain than the others.
 */
export function rootMeans(groups: readonly (readonly number[])[]): readonly Measured[] {
  const means = groups.map((squares) => squares.reduce((sum, square) => sum + square, 0) / squares.length);
  const relative = pooledMeans(groups.map((squares, g) => squares.map((square) => square / means[g])));
  return means.map((mean, g) => ({ mean: sqrt(mean), error: (sqrt(mean) * relative[g].error) / 2 }));
}

/** Standard error of a share of `count` independent trials; never that of 0 or 1, which would be none. */
export function shareError(share: number, count: number): number {
  return sqrt(max(share * (1 - share), 1 / count) / count);
}

/** The 5 %, 25 %, 50 %, 75 % and 95 % points of numbers, interpolated. */
export function fiveNumbers(values: readonly number[]): FiveNumbers {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = floor(place);
    const above = min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  return [at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)];
}
