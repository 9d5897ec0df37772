import { checkOpenUnit, checkPositive } from '../../src/check/number.ts';
import { normalCdf } from '../../src/numeric/normal.ts';

const { abs, exp, expm1, log, sign } = Math;

/** The numbers of lines 9 and 10. */
export interface DecisionNumbers {
  /** ε₁. */
  readonly epsilon1: number;
  /** δ₁. */
  readonly delta1: number;
  /** r: radius of the space of parameters. */
  readonly radius: number;
}

/**
 * The decision of lines 9 and 10 of Algorithm 1, line by line: whether a step with this noised contribution c_t goes without
 * noise. With A = 2re^{ε₁}δ₁ it does unless some |[c_t]_i| ≥ A/(e^{ε₁} − 1) or log(A/(A − (e^{ε₁} − 1)|[c_t]_i|)) > 2ε₁.
 *
 * @theorem influence Algorithm 1
 */
export function skipsNoise(contribution: Float64Array, { epsilon1, delta1, radius }: DecisionNumbers): boolean {
  const area = 2 * radius * exp(epsilon1) * delta1;
  const growth = expm1(epsilon1);
  for (let i = 0; i < contribution.length; i++) {
    const c = contribution[i];
    if (!(abs(c) < area / growth)) return false;
    if (!(log(area / (area - growth * sign(c) * c)) <= 2 * epsilon1)) return false;
  }
  return true;
}

/**
 * The same in closed form: a step goes without noise if every |[c_t]_i| is at most 2rδ₁(1 + e^{−ε₁}).
 *
 * Law: solving line 10 for |c| gives A(1 − e^{−2ε₁})/(e^{ε₁} − 1), which is this and below the bound of line 9. It *falls* with
 * ε₁, from 4rδ₁ to 2rδ₁: a larger budget lets fewer records pass, not more as the paper says; only through σ_c do more pass.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Algorithm 1
 */
export function decisionThreshold({ epsilon1, delta1, radius }: DecisionNumbers): number {
  checkPositive('epsilon1', epsilon1);
  return 2 * checkPositive('radius', radius) * checkOpenUnit('delta1', delta1) * (1 + exp(-epsilon1));
}

/**
 * The probability that a step with this contribution c_z + E (before doubling and noise) goes without noise.
 *
 * Law: Π_i P(|2c_i + σ_c·N| ≤ τ), exact.
 * @theorem influence Algorithm 1
 * @theorem influence Remark 6
 */
export function skipProbability(
  contribution: Float64Array,
  { threshold, contributionSigma }: { readonly threshold: number; readonly contributionSigma: number },
): number {
  let probability = 1;
  for (let i = 0; i < contribution.length; i++) {
    // By symmetry at the side where both values are small, so that a far tail keeps its digits.
    const c = 2 * abs(contribution[i]);
    probability *= normalCdf((threshold - c) / contributionSigma) - normalCdf((-threshold - c) / contributionSigma);
  }
  return probability;
}
