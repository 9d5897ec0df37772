/**
 * Σ values to nearly twice the working precision: the error is a rounding of the result plus about n²·1e-32 Σ|values|.
 *
 * Source: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54.
 */
export function compensatedSum(values: ArrayLike<number>): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/**
 * A running sum of vectors that keeps what rounding drops, so that order, batching and machine change the result only
 * in its last place. Plain arrays: it can be cloned, sent to another thread, and merged there.
 *
 * Shape: `sum` and `lost` of one length; the value is `sum + lost`, entry by entry.
 */
export interface CompensatedVector {
  /** The floating-point sums. */
  readonly sum: Float64Array;
  /** The sums of the rounding errors made in `sum`. */
  readonly lost: Float64Array;
}

/** The zero vector of a length. */
export function createCompensatedVector(length: number): CompensatedVector {
  return { sum: new Float64Array(length), lost: new Float64Array(length) };
}

/**
 * Adds a vector of the same length; allocates nothing.
 *
 * @throws RangeError for another length.
 */
export function addToCompensatedVector(vector: CompensatedVector, values: ArrayLike<number>): void {
  const { sum, lost } = vector;
  const length = sum.length;
  if (values.length !== length) throw new RangeError(`"values" expected ${length} numbers, got ${values.length}`);
  for (let i = 0; i < length; i++) {
    const value = values[i];
    const before = sum[i];
    const next = before + value;
    // The exact rounding error without a branch (Knuth's two-sum): faster here than Neumaier's comparison.
    const added = next - before;
    lost[i] += before - (next - added) + (value - added);
    sum[i] = next;
  }
}

/**
 * Adds another running sum of the same length, as if its vectors had been added one by one.
 *
 * @throws RangeError for another length.
 */
export function mergeCompensatedVector(vector: CompensatedVector, other: CompensatedVector): void {
  addToCompensatedVector(vector, other.sum);
  const { lost } = vector;
  for (let i = 0; i < lost.length; i++) lost[i] += other.lost[i];
}

/** The value of the sum, a new vector. */
export function compensatedVectorValue(vector: CompensatedVector): Float64Array {
  return vector.sum.map((sum, i) => sum + vector.lost[i]);
}
