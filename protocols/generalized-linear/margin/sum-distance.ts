import { symmetricEigen } from '../../../src/optimize/symmetric-eigen.ts';
import type { DataMoments } from '../../../src/simulation/data-moments.ts';

const { LN2, min, sqrt } = Math;

/** What the distance of the law of a sum from that of the reports follows from. */
interface DistanceSetting {
  readonly moments: DataMoments;
  readonly players: number;
  /** Which powers are drawn. */
  readonly drawn: readonly boolean[];
  /** How many players drew each power. */
  readonly counts: ArrayLike<number>;
}

/**
 * A bound on the total variation between the law of the sums of these powers and that of the reports. The normal part of
 * power k has the covariance n_k(I − M) with M of the chosen records, in the place of the M of those who drew k: two means
 * over records chosen at random, each within E‖·‖² ≤ E‖v‖^{4k}/(1 − λ)²·(1/n_k − 1/n) of that of all records, relative to
 * I − M. λ is the largest eigenvalue of the mean of v·vᵀ, which is at least that of every power.
 */
export function sumDistance({ moments, players, drawn, counts }: DistanceSetting): number {
  const { records, chosen, norms } = moments;
  let drew = 0;
  let left = 0;
  for (let block = 0; block < drawn.length; block++) {
    if (!drawn[block]) continue;
    const fourth = norms[block] / records;
    drew += fourth * without(counts[block], players);
    left += fourth * without(chosen, records);
  }
  if (drew === 0 && left === 0) return 0;
  const room = 1 - largestEigenvalue(moments);
  if (!(room > 1e-9)) return 1;
  return min(1, total(drew / room ** 2) + total(left / room ** 2));
}

/** 1/k − 1/n, times n/(n − 1): the variance of a mean of k of n records, in units of that of one of them. */
function without(k: number, n: number): number {
  return k >= n ? 0 : (n - k) / (k * (n - 1));
}

/**
 * A bound on the mean total variation of two normal laws, from the mean square m of the Frobenius norm of the difference of
 * their covariances relative to one of them. Where that norm is at most ½, x − log(1 + x) ≤ 4(log 2 − ½)x² for every
 * eigenvalue x, and Pinsker's inequality gives √(log 2 − ½) times the norm; it is larger with a probability of at most 4m.
 */
function total(m: number): number {
  return sqrt((LN2 - 0.5) * m) + 4 * m;
}

function largestEigenvalue({ dimension, squares, records }: DataMoments): number {
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, k = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++, k++) matrix[i * dimension + j] = matrix[j * dimension + i] = squares[k] / records;
  }
  return symmetricEigen(matrix, dimension).values[dimension - 1];
}
