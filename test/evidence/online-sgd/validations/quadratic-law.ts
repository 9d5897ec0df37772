/** Squared loss on an intercept and independent signs: nothing is ever clipped, so that second moments follow a linear recursion. */
export interface QuadraticFields {
  /** Squares of the entries of x, which never change: 1 for the intercept. The Hessian is diag of them. */
  readonly squares: readonly number[];
  /** Variance of the noise of privacy on one coordinate, by step from 1. */
  readonly noise: (step: number) => number;
  /** Of the response around xᵀθ*. */
  readonly response: number;
  readonly rate: number;
  readonly decay: number;
  /** (θ₀ − θ*)_j². */
  readonly start: readonly number[];
}

/** E(θ_n − θ*)_j² of the last iterate and of the average, by checkpoint and coordinate. */
export interface QuadraticLaw {
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
}

/** Variance of u, uniform on [−½, ½]. */
export const UNIFORM_VARIANCE: number = 1 / 12;

/**
 * The exact second moments at any n, in O(n).
 *
 * Law: δ_n = (I − η_n·xxᵀ)δ_{n−1} + η_n(u·x − noise), with x_j² = a_j fixed and signs independent, leaves
 * p_j ← (1 − 2η·a_j)p_j + η²(a_j·Σ_k a_k·p_k + a_j·E u² + v) for p_j = E δ_j²; sums s_n = Σδ_i likewise. Products of two coordinates
 * do not enter.
 */
export function quadraticLaw(fields: QuadraticFields, checkpoints: readonly number[]): QuadraticLaw {
  const { squares, noise, response, rate, decay, start } = fields;
  const last: number[][] = [];
  const average: number[][] = [];
  const own = Float64Array.from(start);
  // E δ_j·s_j and E s_j².
  const mixed = new Float64Array(own.length);
  const sums = new Float64Array(own.length);
  let step = 0;
  for (const checkpoint of checkpoints) {
    while (step < checkpoint) {
      step++;
      const size = rate * step ** -decay;
      const added = noise(step);
      let total = response;
      for (let j = 0; j < own.length; j++) total += squares[j] * own[j];
      for (let j = 0; j < own.length; j++) {
        const kept = (1 - size * squares[j]) * mixed[j];
        own[j] = (1 - 2 * size * squares[j]) * own[j] + size * size * (squares[j] * total + added);
        mixed[j] = kept + own[j];
        sums[j] += 2 * kept + own[j];
      }
    }
    last.push([...own]);
    average.push(Array.from(sums, (sum) => sum / checkpoint ** 2));
  }
  return { last, average };
}

/** The sum over coordinates at every checkpoint. */
export function totals(law: readonly (readonly number[])[]): readonly number[] {
  return law.map((entries) => entries.reduce((sum, entry) => sum + entry, 0));
}
