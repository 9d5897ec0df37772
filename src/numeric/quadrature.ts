import { checkInteger } from '../check/refusal.ts';

const { PI, cos } = Math;

/** A quadrature rule: Σ masses[i]·f(nodes[i]) stands for the integral of f. */
export interface QuadratureRule {
  readonly nodes: Float64Array;
  readonly masses: Float64Array;
}

/** The Legendre polynomials of a degree n ≥ 1 and of n − 1 at x. */
function legendre(x: number, degree: number): readonly [value: number, before: number] {
  let before = 1;
  let value = x;
  for (let k = 2; k <= degree; k++) {
    const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return [value, before];
}

/**
 * The Gauss–Lobatto rule with n ≥ 2 nodes on [−1, 1], including both ends, exact for polynomials up to degree 2n − 3.
 *
 * Newton's method for (1 − x²)·P′, P the Legendre polynomial of degree n − 1; accurate to a few units in the last
 * place.
 */
export function gaussLobatto(n: number): QuadratureRule {
  checkInteger('n', n, 2, 1000);
  const degree = n - 1;
  const nodes = new Float64Array(n);
  const masses = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -cos((PI * i) / degree);
    let value = 1;
    // Quadratic convergence from a guess with error 1/n²; ten steps are more than enough.
    for (let step = 0; step < 10; step++) {
      let before: number;
      [value, before] = legendre(x, degree);
      x -= (x * value - before) / (n * value);
    }
    nodes[i] = x;
    masses[i] = 2 / (degree * n * value * value);
  }
  return { nodes, masses };
}

/**
 * The Gauss–Legendre rule with n nodes on [−1, 1], masses summing to 2: Newton's method for the Legendre polynomial.
 */
export function gaussLegendre(n: number): QuadratureRule {
  const nodes = new Float64Array(n);
  const masses = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -cos((PI * (i + 0.75)) / (n + 0.5));
    let slope = 1;
    // Quadratic convergence from a guess good to 1/n²: six steps are more than enough.
    for (let step = 0; step < 6; step++) {
      const [value, before] = legendre(x, n);
      slope = (n * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    nodes[i] = x;
    masses[i] = 2 / ((1 - x) * (1 + x) * slope * slope);
  }
  return { nodes, masses };
}
