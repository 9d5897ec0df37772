import { type Measured, measuredMean } from 'ldpkit/testing';

const { abs, log, max, sqrt } = Math;

/** C with its standard error over replications, the line at n, and how far means are from it. */
export interface GrowthLine {
  readonly slope: Measured;
  readonly at: (records: number) => number;
  readonly bend: number;
}

/** Steps until 1/√n of the start is left, by geometric interpolation between two of them; one more than there are if it never is. */
export function neededSteps(row: readonly number[], records: number): number {
  const target = row[0] / sqrt(records);
  const after = row.findIndex((distance) => distance <= target);
  if (after < 0) return row.length;
  return after - 1 + log(row[after - 1] / target) / log(row[after - 1] / row[after]);
}

/** The least-squares line of needed steps in log n, replication by replication; and how far their means are from it. */
export function growthLine(sizes: readonly number[], needed: readonly (readonly number[])[]): GrowthLine {
  const x = sizes.map((n) => log(n));
  const centre = x.reduce((sum, at) => sum + at, 0) / x.length;
  const spread = x.reduce((sum, at) => sum + (at - centre) ** 2, 0);
  const slopes = needed[0].map((_, r) => x.reduce((sum, at, i) => sum + (at - centre) * needed[i][r], 0) / spread);
  const means = needed.map((values) => measuredMean(values).mean);
  const level = means.reduce((sum, mean) => sum + mean, 0) / means.length;
  const slope = measuredMean(slopes);
  const at = (n: number): number => level + slope.mean * (log(n) - centre);
  return { slope, at, bend: max(...sizes.map((n, i) => abs(means[i] - at(n)))) };
}
