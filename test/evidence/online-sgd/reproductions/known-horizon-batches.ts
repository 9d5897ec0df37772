/**
 * Ends of the M + 1 batches of batch means for a known horizon n: e_k = n·((k + 1)/(M + 1))^{1/(1 − α)}, so that all are
 * equally long in units of the correlation of the iterates. The first is left out: see {@link batchMeansOf}.
 *
 * Source: Chen, Lee, Tong, Zhang 2020, Statistical inference for model parameters in SGD, Section 4.2.
 */
export function batchEnds(players: number, decay: number, batches: number): readonly number[] {
  return Array.from({ length: batches + 1 }, (_, k) =>
    Math.round(players * ((k + 1) / (batches + 1)) ** (1 / (1 - decay))),
  );
}

/**
 * (1/M) Σ n_k(X̄_k − X̄)(X̄_k − X̄)ᵀ over all batches but the first, X̄_k the mean of batch k and X̄ that of all of them: the
 * estimate of the covariance of √n(θ̄ − θ₀) that the paper's rows "BM" speak of.
 *
 * Shape: `sums` has the sums of iterates at all ends; the result is p × p row-major.
 */
export function batchMeansOf(ends: readonly number[], sums: ReadonlyMap<number, Float64Array>): Float64Array {
  const at = (end: number): Float64Array => {
    const sum = sums.get(end);
    if (sum === undefined) throw new RangeError(`"sums" expected one at ${end}, got none`);
    return sum;
  };
  const first = at(ends[0]);
  const last = at(ends[ends.length - 1]);
  const dimension = first.length;
  const whole = last.map((sum, i) => (sum - first[i]) / (ends[ends.length - 1] - ends[0]));
  const covariance = new Float64Array(dimension * dimension);
  for (let k = 1; k < ends.length; k++) {
    const size = ends[k] - ends[k - 1];
    const before = at(ends[k - 1]);
    const deviation = at(ends[k]).map((sum, i) => (sum - before[i]) / size - whole[i]);
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < dimension; j++) {
        covariance[i * dimension + j] += (size * deviation[i] * deviation[j]) / (ends.length - 1);
      }
    }
  }
  return covariance;
}
