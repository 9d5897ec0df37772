/**
 * A convex loss of the margin: ℓ(w; x, y) = f(t) with t = y·⟨w, x⟩, whose gradient is f′(t)·y·x.
 *
 * Source: Wang, Smith, Xu 2020, assumption 1 (general linear losses).
 */
export interface MarginLoss {
  /** What a report or a plot calls it, parameters included. */
  readonly name: string;
  /** f(t). */
  value(t: number): number;
  /** f′(t); at a kink one of the subgradients, which the maker names. */
  derivative(t: number): number;
  /** f″(t) where it exists; 0 at a kink, whose point mass it leaves out. */
  secondDerivative(t: number): number;
  /** sup |f′|. */
  readonly lipschitz: number;
  /** sup f″, the Lipschitz constant of f′; Infinity when f has a kink. */
  readonly smoothness: number;
  /** Ascending margins at which f′ jumps; empty for a smooth loss. */
  readonly kinks: readonly number[];
}
