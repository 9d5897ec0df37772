const { exp } = Math;

/** Raises the cap probability beyond the rounding of all that leads to it, and is far below anything that matters. */
const SLACK: number = 2 ** -48;

/**
 * Which side of a threshold a report falls on: the cap, which is likelier the nearer a report is to the datum, or the rest.
 */
export interface CapSplit {
  /** p, the probability that the report is drawn from the cap of the datum. */
  readonly keep: number;
  /** q, the probability of that cap under the law without a datum. */
  readonly cap: number;
  /** p(1 − q)/(q(1 − p)), the largest ratio of two densities of a report, rounded up; never above e^ε. */
  readonly densityRatio: number;
}

/**
 * The keep probability that spends all of ε on a cap of a given probability, and the cap adjusted so that it is spent on
 * the safe side: p(1 − q)/(q(1 − p)) ≤ e^ε holds exactly for the two doubles, not only up to rounding.
 */
export function splitCap(wanted: number, epsilon: number): CapSplit {
  const shrink = exp(-epsilon);
  const keep = wanted / (wanted + (1 - wanted) * shrink);
  // keep ≥ ½ is a multiple of 2⁻⁵³, so 1 − keep is exact and only the cap has to be rounded with care.
  const cap = ((keep * shrink) / (1 - keep + keep * shrink)) * (1 + SLACK);
  const densityRatio = ((keep * (1 - cap)) / (cap * (1 - keep))) * (1 + SLACK / 8);
  return { keep, cap, densityRatio };
}

/**
 * The threshold γ that makes the mean m largest, for caps with m(γ) = A(γ)/(1/(e^ε − 1) + Q(γ)), where Q is the
 * probability of the cap and A its share of the mean.
 *
 * Since A′ = −γ·density and Q′ = −density, m′ = 0 exactly where γ = m(γ). There m is flat, so the repetition γ ← m(γ)
 * converges quadratically; it never overshoots, since m(γ) ≤ max m, so it ends when it stops rising.
 */
export function bestThreshold(mean: (threshold: number) => number): number {
  let threshold = mean(0);
  for (;;) {
    const next = mean(threshold);
    if (!(next > threshold * (1 + 1e-15))) return threshold;
    threshold = next;
  }
}
