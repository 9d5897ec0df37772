import { gradientPerturbation, logisticRegression, type Model } from 'ldpkit/protocols/influence-sgd';

const { ceil, log, log1p } = Math;

/** λ, which is μ of the Polyak–Łojasiewicz condition by strong convexity. */
export const RIDGE = 0.25;

/** The budget of all descents. */
export const BUDGET: { readonly epsilon: number; readonly delta: number } = { epsilon: 1, delta: 1e-5 };

/** What a step follows: the mean gradient of all records, or that of a single drawn one, as (1) has it. */
export type Along = 'mean' | 'single';

/** Regularised logistic regression with d features. */
export function descentModel(dimension: number): Model {
  return logisticRegression({ dimension, ridge: RIDGE, radius: 4 });
}

/**
 * The T = O(log n) steps of 1/L of Theorem 1, enough for (1 − μ/L)^T to be below n⁻³: along the mean gradient with noise by Gaussian
 * composition, or on single records with the noise (2) as printed.
 */
export function descentOf(model: Model, records: number, along: Along): ReturnType<typeof gradientPerturbation> {
  const { smoothness } = model.constants;
  return gradientPerturbation({
    accountant: along === 'mean' ? 'gdp' : 'printed',
    ...BUDGET,
    records,
    batch: along === 'mean' ? records : 1,
    lipschitz: 1,
    steps: ceil((3 * log(records)) / -log1p(-RIDGE / smoothness)),
    step: 1 / smoothness,
  });
}
