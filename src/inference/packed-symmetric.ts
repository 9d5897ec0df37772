/** Number of distinct entries of a symmetric p × p matrix: p(p + 1)/2. */
export function packedLength(dimension: number): number {
  return (dimension * (dimension + 1)) / 2;
}

/** The index of entry (i, j), i ≥ j, in a packed symmetric matrix: the lower triangle, row by row. */
export function packedIndex(i: number, j: number): number {
  return (i * (i + 1)) / 2 + j;
}

/** Adds scale·(abᵀ + baᵀ) to a packed symmetric matrix; with a = b that is 2·scale·aaᵀ. Allocates nothing. */
export function addSymmetricProduct(packed: Float64Array, a: Float64Array, b: Float64Array, scale: number = 1): void {
  for (let i = 0, k = 0; i < a.length; i++) {
    for (let j = 0; j <= i; j++) packed[k++] += scale * (a[i] * b[j] + b[i] * a[j]);
  }
}

/** Adds scale·aaᵀ to a packed symmetric matrix. Allocates nothing. */
export function addSquare(packed: Float64Array, a: Float64Array, scale: number = 1): void {
  for (let i = 0, k = 0; i < a.length; i++) {
    const factor = scale * a[i];
    for (let j = 0; j <= i; j++) packed[k++] += factor * a[j];
  }
}

/** The full p × p matrix, row-major and exactly symmetric, times a scale. */
export function unpackSymmetric(packed: Float64Array, dimension: number, scale: number = 1): Float64Array {
  const matrix = new Float64Array(dimension * dimension);
  for (let i = 0, k = 0; i < dimension; i++) {
    for (let j = 0; j <= i; j++, k++) {
      matrix[i * dimension + j] = scale * packed[k];
      matrix[j * dimension + i] = scale * packed[k];
    }
  }
  return matrix;
}

/** Number of vectors that are multiplied together; a larger block is not faster. */
export const BLOCK: number = 64;

/** Storage for a block of vectors, coordinate by coordinate: an even number of rows of {@link BLOCK}. */
export function createColumns(dimension: number): Float64Array {
  return new Float64Array((dimension + (dimension % 2)) * BLOCK);
}

// The four sums of a tile.
const sums = new Float64Array(4);

/** Σ_b of the products of rows i and i + 1 with rows j and j + 1: four independent sums in one pass. */
function addTile(left: Float64Array, i: number, right: Float64Array, j: number, count: number): void {
  const row = i * BLOCK;
  const below = row + BLOCK;
  const column = j * BLOCK;
  const next = column + BLOCK;
  let a = sums[0];
  let b = sums[1];
  let c = sums[2];
  let d = sums[3];
  for (let at = 0; at < count; at++) {
    const upper = left[row + at];
    const lower = left[below + at];
    const first = right[column + at];
    const second = right[next + at];
    a += upper * first;
    b += upper * second;
    c += lower * first;
    d += lower * second;
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

/**
 * Adds Σ_b v_b·v_bᵀ of the first `count` vectors to a packed symmetric matrix. Every entry has the same additions in
 * the same order as if the vectors were added one after the other.
 */
export function addBlockSquares(packed: Float64Array, columns: Float64Array, dimension: number, count: number): void {
  for (let i = 0; i < dimension; i += 2) {
    // For an odd dimension there is one extra scratch row; its sums are dropped.
    const paired = i + 1 < dimension;
    for (let j = 0; j <= i; j += 2) {
      const first = packedIndex(i, j);
      const second = packedIndex(i + 1, j);
      sums[0] = packed[first];
      if (j < i) sums[1] = packed[first + 1];
      if (paired) sums[2] = packed[second];
      if (paired) sums[3] = packed[second + 1];
      addTile(columns, i, columns, j, count);
      packed[first] = sums[0];
      if (j < i) packed[first + 1] = sums[1];
      if (paired) packed[second] = sums[2];
      if (paired) packed[second + 1] = sums[3];
    }
  }
}

/** Adds Σ_b u_b·v_bᵀ to a row-major p × p matrix, as {@link addBlockSquares}. */
export function addBlockProducts(
  matrix: Float64Array,
  left: Float64Array,
  right: Float64Array,
  dimension: number,
  count: number,
): void {
  for (let i = 0; i < dimension; i += 2) {
    const low = i + 1 < dimension;
    for (let j = 0; j < dimension; j += 2) {
      const wide = j + 1 < dimension;
      const first = i * dimension + j;
      const second = first + dimension;
      sums[0] = matrix[first];
      if (wide) sums[1] = matrix[first + 1];
      if (low) sums[2] = matrix[second];
      if (low && wide) sums[3] = matrix[second + 1];
      addTile(left, i, right, j, count);
      matrix[first] = sums[0];
      if (wide) matrix[first + 1] = sums[1];
      if (low) matrix[second] = sums[2];
      if (low && wide) matrix[second + 1] = sums[3];
    }
  }
}
