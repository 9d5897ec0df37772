import { normalCdf } from '../../src/numeric/normal.ts';
import { type ApproximateGuarantee, approximate } from '../../src/privacy/guarantee.ts';
import type { InfluenceParameters } from './parameters.ts';

const { abs, pow } = Math;

/**
 * The claim about Algorithm 1 and its refutation. It is no guarantee, and functions that expect a guarantee do not
 * accept it.
 */
export interface InfluenceClaim {
  readonly kind: 'claim';
  /** (ε₁ + ε₂, δ₁ + δ₂), as Theorem 5 states. */
  readonly claimed: ApproximateGuarantee;
  readonly holds: false;
  /** Why it does not hold. */
  readonly because: string;
  /** Lower bounds that audits of constructed data prove at a claim of (1, 2·10⁻⁶): the numbers of `AUDITED`. */
  readonly audited: typeof AUDITED;
}

/**
 * Lower bounds of ε, each with confidence .99, at a claim of (1, 2·10⁻⁶). `threshold` is from events in 8000 runs on
 * two data sets that differ in one record, `oneRun` from one run with 128 canaries. Both are the largest that so many
 * trials can prove. See `exposedExample`, and `unboundedDelta` for a proof that no ε holds. The tests repeat both
 * audits.
 */
export const AUDITED: { readonly threshold: number; readonly oneRun: number } = {
  threshold: 6.2,
  oneRun: 3,
};

/**
 * The claim of Theorem 5 about these parameters, marked as refuted.
 *
 * @theorem influence Remark 7
 * @theorem influence Theorem 5
 */
export function claimOf(
  parameters: Pick<InfluenceParameters, 'epsilon1' | 'epsilon2' | 'delta1' | 'delta2'>,
): InfluenceClaim {
  return {
    kind: 'claim',
    claimed: approximate({
      epsilon: parameters.epsilon1 + parameters.epsilon2,
      delta: parameters.delta1 + parameters.delta2,
    }),
    holds: false,
    because:
      'a step without noise shows the gradient of its record as it is, and whether it has noise depends on the data',
    audited: AUDITED,
  };
}

/**
 * The probability that a step with this contribution c_z + E (before doubling and noise) has no noise.
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
    // By symmetry, both values are computed on the side where they are small, so that a far tail keeps its digits.
    const c = 2 * abs(contribution[i]);
    probability *= normalCdf((threshold - c) / contributionSigma) - normalCdf((-threshold - c) / contributionSigma);
  }
  return probability;
}

/**
 * A δ that Algorithm 1 needs for every ε, on data sets that differ in a record with contribution c_z + E, while all
 * other records have no gradient at any θ: P(the record is drawn)·P(no step has noise).
 *
 * Law: without noise the model takes one of finitely many values, each of which shows that the record was present. With
 * noise it takes each of them with probability 0. The event has probability 0 under the other data set, so no e^ε
 * covers it. Exact for one round, in which contributions do not change.
 * @theorem influence Theorem 5
 */
export function unboundedDelta(
  parameters: Pick<InfluenceParameters, 'records' | 'steps' | 'threshold' | 'contributionSigma' | 'remainder'>,
  contribution: Float64Array,
): number {
  const { records, steps, remainder } = parameters;
  const rest = skipProbability(new Float64Array(contribution.length).fill(remainder), parameters);
  const its = skipProbability(contribution, parameters);
  // In each step: this record with its probability of passing, or another record with the probability of the others.
  const all = pow(its / records + (1 - 1 / records) * rest, steps);
  return all - pow((1 - 1 / records) * rest, steps);
}
