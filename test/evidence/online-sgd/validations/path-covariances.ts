import { digits, measuredMean, plusMinus, type Reproduction } from 'ldpkit/testing';

const { abs, max, sqrt } = Math;

/** One path, in units of its limit: each coordinate over the root of its limit variance. */
export type PathRow = {
  /** φ at r = ¼, ½, ¾, 1, the two coordinates of each in turn. */
  readonly values: readonly number[];
  /** sup over the looks of |φ(r)|, by coordinate. */
  readonly suprema: readonly number[];
  /** ∫(φ(r) − rφ(1))² dr, by coordinate. */
  readonly bridges: readonly number[];
};

/** At how many times, evenly up to 1, covariances are taken. */
export const TIMES = 4;

/** The exact variance of a finite path is this share above its limit at r = 1, and more at early times: so much is allowed. */
export const FINITE_COVARIANCE = 0.15;

/**
 * The largest deviation of a sample covariance from min(r, s) for each coordinate, and from 0 between the two, in standard errors
 * of a normal sample's covariance, √((σ_ii·σ_jj + σ_ij²)/paths), after what a finite path may be off by.
 */
export function covarianceDeviation(rows: readonly PathRow[], law: (r: number, s: number) => number): number {
  let worst = 0;
  for (let i = 0; i < 2 * TIMES; i++) {
    for (let j = 0; j <= i; j++) {
      const claimed = i % 2 === j % 2 ? law((1 + (i >> 1)) / TIMES, (1 + (j >> 1)) / TIMES) : 0;
      const variances =
        law((1 + (i >> 1)) / TIMES, (1 + (i >> 1)) / TIMES) * law((1 + (j >> 1)) / TIMES, (1 + (j >> 1)) / TIMES);
      const mean = rows.reduce((sum, { values }) => sum + values[i] * values[j], 0) / rows.length;
      const finite = FINITE_COVARIANCE * max(claimed, 0.1);
      worst = max(worst, (abs(mean - claimed) - finite) / sqrt((variances + claimed ** 2) / rows.length));
    }
  }
  return worst;
}

/** The covariances over what is claimed in the limit; the exact share of this n is the variance at the end over its limit. */
export function covarianceTable(rows: readonly PathRow[], finite: number): Reproduction {
  return {
    title: `Covariances of φ over their limit, ${rows.length} paths`,
    columns: ['', ...Array.from({ length: TIMES }, (_, k) => `s = ${(k + 1) / TIMES}`)],
    rows: Array.from({ length: TIMES }, (_, k) => [
      `r = ${(k + 1) / TIMES}`,
      ...Array.from({ length: TIMES }, (__, l) => {
        const products = rows.map(
          ({ values }) => values[2 * k] * values[2 * l] + values[2 * k + 1] * values[2 * l + 1],
        );
        const { mean, error } = measuredMean(products);
        const claimed = (2 * (1 + Math.min(k, l))) / TIMES;
        return plusMinus(mean / claimed, error / claimed);
      }),
    ]),
    notes: [
      `In the mean over both coordinates; 1 is claimed in the limit, ${digits(finite, 4)} at r = s = 1 for this n.`,
    ],
  };
}
