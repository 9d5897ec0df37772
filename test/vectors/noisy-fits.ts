import type { CentralRecord } from '../../protocols/noisy-gradient-descent/index.ts';
import type { NoisyFit } from '../../protocols/noisy-gradient-descent/m-estimation/fit.ts';

/** A frozen fit, recorded from this package. */
export interface FrozenFit {
  readonly request: {
    readonly model: { readonly kind: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
  /** Everything in the plan that noise is made of. */
  readonly noise: readonly number[];
  /** θ⁽¹⁾, θ⁽ᴷ⁾, and where there are regions both released matrices and the covariance. */
  readonly fit: readonly number[];
}

/** n. */
export const RECORDS = 60;

/** Record i: features on a coarse grid, so that no rounding is in them; a response of the kind that the model takes. */
export function frozenRecords(kind: string): CentralRecord[] {
  return Array.from({ length: RECORDS }, (_, i) => {
    const features = [0, 1].map((j) => (((i * (j + 3) * 37) % 101) - 50) / 25);
    const response = 1 + features[0] - features[1] + (((i * 53) % 17) - 8) / 8;
    return { features, response: kind === 'logistic' ? (response > 0 ? 1 : 0) : response };
  });
}

/** What is frozen of a fit. */
export function numbersOf({ theta, iterates, region }: NoisyFit): readonly number[] {
  const released = region === undefined ? [] : [...region.hessian, ...region.scores, ...region.covariance];
  return [...iterates[1], ...theta, ...released];
}
