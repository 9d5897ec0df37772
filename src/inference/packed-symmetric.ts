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
