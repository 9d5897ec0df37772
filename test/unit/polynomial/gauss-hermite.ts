import { EigenvalueDecomposition, Matrix } from 'ml-matrix';

/**
 * The n-point rule for E[f(g)], g ~ N(0, 1), exact for polynomials up to degree 2n − 1: eigenvalues of the Jacobi matrix
 * with off-diagonal √k (Golub and Welsch). Independent of the code under test.
 */
export function gaussHermite(n: number): { nodes: number[]; masses: number[] } {
  const jacobi = Matrix.zeros(n, n);
  for (let k = 1; k < n; k++) {
    jacobi.set(k - 1, k, Math.sqrt(k));
    jacobi.set(k, k - 1, Math.sqrt(k));
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(jacobi, { assumeSymmetric: true });
  return { nodes: realEigenvalues, masses: realEigenvalues.map((_, i) => eigenvectorMatrix.get(0, i) ** 2) };
}

/** Calls `visit(g, mass)` for every node of the tensor rule for g ~ N(0, I_p). */
export function visitGaussian(dimension: number, n: number, visit: (g: Float64Array, mass: number) => void): void {
  const { nodes, masses } = gaussHermite(n);
  const g = new Float64Array(dimension);
  for (let index = 0; index < n ** dimension; index++) {
    let mass = 1;
    for (let i = 0, rest = index; i < dimension; i++, rest = Math.floor(rest / n)) {
      g[i] = nodes[rest % n];
      mass *= masses[rest % n];
    }
    visit(g, mass);
  }
}
