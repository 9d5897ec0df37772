import { approximate } from 'ldpkit/privacy';

const { expm1, log, sqrt } = Math;

/** Equal releases to be added up by the advanced composition theorem. */
interface AdvancedComposition {
  /** ε₀ > 0 of each release. */
  readonly epsilon: number;
  /** δ₀ of each release, in (0, 1). */
  readonly delta: number;
  /** k ≥ 1, how many there are. */
  readonly count: number;
  /** δ′ in (0, 1): what the theorem itself may fail with. */
  readonly slack: number;
}

/**
 * What k releases of (ε₀, δ₀) guarantee together by the advanced composition theorem: ε₀√(2k ln(1/δ′)) + kε₀(e^{ε₀} − 1) at
 * δ = kδ₀ + δ′. Kept to compare with: for Gaussian noise, composition of Gaussian DP is exact and never worse.
 *
 * Source: Dwork, Rothblum, Vadhan 2010, theorem III.3.
 *
 * @throws RangeError when kδ₀ + δ′ is not below 1.
 * @theorem noninteractive Remark 12
 */
export function composeAdvanced({ epsilon, delta, count, slack }: AdvancedComposition): ReturnType<typeof approximate> {
  const total = epsilon * sqrt(2 * count * log(1 / slack)) + count * epsilon * expm1(epsilon);
  return approximate({ epsilon: total, delta: count * delta + slack });
}

/**
 * The classical printed standard deviation Δ·√(2·ln(1.25/δ))/ε, kept to reproduce papers that use it.
 *
 * Guarantee: (ε, δ) for ε ≤ 1 only. Beyond that it can be too little noise: (8, 1e-3) needs .480014, this gives
 * .472060. Use `analyticGaussianSigma`, which needs less noise for ε ≤ 1 and is right everywhere.
 *
 * Units: σ in those of Δ.
 *
 * Source: Dwork, Roth (2014), The algorithmic foundations of differential privacy, Theorem A.1 (for ε < 1).
 *
 * @theorem influence Lemma 3
 */
export function printedGaussianSigma({
  epsilon,
  delta,
  sensitivity,
}: {
  readonly epsilon: number;
  readonly delta: number;
  readonly sensitivity: number;
}): number {
  return (sensitivity * sqrt(2 * log(1.25 / delta))) / epsilon;
}
