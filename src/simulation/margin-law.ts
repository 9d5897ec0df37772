/**
 * What a designer declares of records before there are any: the law of the margin y⟨u, x⟩ along the best direction u, for records of
 * length 1 with their right labels, and the share of labels that are then turned round.
 */
export interface MarginLaw {
  /** The margin: a normal law held to [−1, 1], or a uniform one within it. */
  readonly margin:
    | { readonly law: 'normal'; readonly mean: number; readonly deviation: number }
    | { readonly law: 'uniform'; readonly low: number; readonly high: number };
  /** Share of wrong labels, in [0, ½). */
  readonly labelNoise: number;
}
