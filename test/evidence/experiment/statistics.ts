import {
  digits,
  exactSlope,
  type Measured,
  measuredMean,
  powerLaw,
  type RatePoint,
  rateFit,
  ratePoints,
  type Slope,
} from 'ldpkit/testing';
import type { FiveNumbers } from './figure.ts';

const { exp, floor, log, max, min, sqrt } = Math;

/** The mean of numbers of which only the count, the sum and the sum of squares were kept. */
export function measuredSums(count: number, sum: number, squares: number): Measured {
  const mean = sum / count;
  return { mean, error: sqrt(max(0, squares / count - mean * mean) / (count - 1)) };
}

/** The mean of numbers of which the chunks of a cell kept the sums and the sums of squares. */
export function chunksMean(
  count: number,
  chunks: readonly { readonly sum: number; readonly squares: number }[],
): Measured {
  const [sum, squares] = (['sum', 'squares'] as const).map((field) => summed(chunks, (chunk) => chunk[field]));
  return measuredSums(count, sum, squares);
}

/** One field of every row. */
export function column<Row, Field extends keyof Row>(rows: readonly Row[], field: Field): readonly Row[Field][] {
  return rows.map((row) => row[field]);
}

/** The sum over all chunks of a cell of one of their numbers. */
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

/** Root mean squares against x, from the squared errors of every x. */
export function rootPoints(x: readonly number[], groups: readonly (readonly number[])[]): readonly RatePoint[] {
  return ratePoints(x, rootMeans(groups));
}

/**
 * The same line where few chunks stand behind every mean, so that their standard errors are uncertain themselves.
 *
 * Law: where the points scatter about the line by more than they should, the standard error grows with them, by the root of χ² over
 * its degrees of freedom.
 */
export function scatteredFit(points: readonly RatePoint[]): ReturnType<typeof rateFit> {
  const fit = rateFit(points);
  const law = powerLaw(fit, fit.slope);
  const misfit = points.reduce((sum, { x, y, relative }) => sum + (log(y / law(x)) / relative) ** 2, 0);
  return { ...fit, error: fit.error * sqrt(max(1, misfit / max(1, points.length - 2))) };
}

/**
 * How fast the mean over replications falls with the checkpoints from `from` on, by plain least squares. `rows[r][k]` is replication r
 * at checkpoint k.
 *
 * Law: a replication's errors at different checkpoints depend on each other, which the standard error, by the jackknife over whole
 * replications, takes into account; that of a single replication is 0.
 */
export function jackknifeSlope(
  checkpoints: readonly number[],
  rows: readonly (readonly number[])[],
  from: number,
): Slope {
  const used = checkpoints.map((n, k) => (n >= from ? k : -1)).filter((k) => k >= 0);
  const x = used.map((k) => checkpoints[k]);
  const count = rows.length;
  const sums = used.map((k) => rows.reduce((sum, row) => sum + row[k], 0));
  const slope = exactSlope(x, sums);
  if (count < 2) return { slope, error: 0 };
  const without = rows.map((row) =>
    exactSlope(
      x,
      sums.map((sum, i) => sum - row[used[i]]),
    ),
  );
  // The error of the mean has 1/(count − 1)/count where the jackknife has (count − 1)/count.
  return { slope, error: (count - 1) * measuredMean(without).error };
}

/** The weighted geometric mean of what was measured over what a law says, with its standard error. */
export function meanRatio(points: readonly RatePoint[], law: (x: number) => number): Measured {
  let [weight, sum] = [0, 0];
  for (const { x, y, relative } of points) {
    weight += relative ** -2;
    sum += relative ** -2 * log(y / law(x));
  }
  const mean = exp(sum / weight);
  return { mean, error: mean / sqrt(weight) };
}

/** A mean in three significant digits and its standard error in two: `1.2e−7 ± 3e−9`. */
export function shownMean({ mean, error }: Measured): string {
  return `${digits(mean)} ± ${digits(error, 2)}`;
}
