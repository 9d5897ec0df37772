import { fillNormal, type Random } from '../../../src/random/random.ts';

/** A linear stochastic gradient in the plane: g = A(θ − θ₀) + ε with independent ε ~ N(0, S), θ_i = θ_{i−1} − γi^(−α)g. */
export interface LinearModel {
  /** A, symmetric. */
  readonly hessian: readonly [number, number, number, number];
  /** The lower factor L of S = LLᵀ. */
  readonly factor: readonly [number, number, number];
  readonly truth: readonly [number, number];
  readonly gain: number;
  readonly exponent: number;
}

export const MODEL: LinearModel = {
  hessian: [1, 0.3, 0.3, 0.8],
  factor: [1, -0.5, 0.8],
  truth: [0.7, -0.4],
  gain: 1,
  exponent: 0.55,
};

/** Steps as large as stability allows: what separates a finite path from its limit is of the order n^(α − 1)/(γ·a). */
export const FAST: LinearModel = {
  hessian: [1, 0.2, 0.2, 0.9],
  factor: [1, -0.5, 0.8],
  truth: [0.7, -0.4],
  gain: 1.6,
  exponent: 0.51,
};

/** A⁻¹SA⁻¹ as [Σ₁₁, Σ₁₂, Σ₂₂]. */
export function sandwichOf({ hessian: [a, b, , d], factor: [l, m, k] }: LinearModel): [number, number, number] {
  const determinant = a * d - b * b;
  // Rows of A⁻¹L.
  const rows = [
    [(d * l - b * m) / determinant, (-b * k) / determinant],
    [(-b * l + a * m) / determinant, (a * k) / determinant],
  ];
  const product = (i: number, j: number): number => rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
  return [product(0, 0), product(0, 1), product(1, 1)];
}

// Powers are slow and the same in every replication.
let sizes = new Float64Array(0);
let sizesOf: LinearModel | undefined;
function stepSizes(model: LinearModel, steps: number): Float64Array {
  if (sizesOf !== model || sizes.length < steps) {
    sizes = Float64Array.from({ length: steps }, (_, i) => model.gain * (i + 1) ** -model.exponent);
    sizesOf = model;
  }
  return sizes;
}

/** Runs the recursion from θ₀; `visit` sees each new iterate, the gradient of the step and the iterate before it. */
export function runLinear(
  model: LinearModel,
  steps: number,
  random: Random,
  visit: (iterate: Float64Array, gradient: Float64Array, before: Float64Array, step: number) => void,
): void {
  const { hessian, factor, truth } = model;
  const size = stepSizes(model, steps);
  const noise = new Float64Array(2 * Math.min(steps, 1000));
  const iterate = Float64Array.from(truth);
  const before = new Float64Array(2);
  const gradient = new Float64Array(2);
  for (let step = 1; step <= steps; step++) {
    const place = (2 * (step - 1)) % noise.length;
    if (place === 0) fillNormal(noise, random);
    before.set(iterate);
    const x = iterate[0] - truth[0];
    const y = iterate[1] - truth[1];
    gradient[0] = hessian[0] * x + hessian[1] * y + factor[0] * noise[place];
    gradient[1] = hessian[2] * x + hessian[3] * y + factor[1] * noise[place] + factor[2] * noise[place + 1];
    iterate[0] -= size[step - 1] * gradient[0];
    iterate[1] -= size[step - 1] * gradient[1];
    visit(iterate, gradient, before, step);
  }
}
