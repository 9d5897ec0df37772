import { checkPositive } from '../check/number.ts';
import { compose } from '../privacy/composition.ts';
import { deltaAt } from '../privacy/conversion.ts';
import { checkGuarantee, describeGuarantee, type Guarantee } from '../privacy/guarantee.ts';
import { CLAIM_TOLERANCE, implies } from '../privacy/implication.ts';

/** How much the owner of a device allows all answers about one data set to tell together. */
export interface Cap {
  /** The allowance in one line, for messages. */
  readonly allows: string;
  /** Whether guarantees of transcripts on the same data stay within it together; no guarantee at all does. */
  covers(spent: readonly Guarantee[]): boolean;
}

/**
 * A cap on the sum of pure ε, and nothing else: transcripts that are only (ε, δ) or Gaussian are refused. Small, for pages.
 *
 * Source: basic composition (Dwork, Roth 2014, Theorem 3.14).
 *
 * @throws TypeError or RangeError unless ε is a finite number > 0.
 */
export function pureCap(epsilon: number): Cap {
  const most = checkPositive('epsilon', epsilon) * (1 + CLAIM_TOLERANCE);
  return Object.freeze({
    allows: `pure epsilon of at most ${epsilon}`,
    covers: (spent: readonly Guarantee[]) =>
      spent.reduce((sum, given) => sum + (given.kind === 'pure' ? given.epsilon : Infinity), 0) <= most,
  });
}

/**
 * A cap of any kind: the transcripts together, under the best accounting that applies to them, must imply this guarantee. For
 * (ε, δ) caps, transcripts that are (ε, δ) themselves are added up, and the others are read at the ε that is left.
 *
 * Source: basic, Gaussian and concentrated composition; see `compose`.
 *
 * @throws TypeError or RangeError for something that is not a guarantee.
 */
export function guaranteeCap(most: Guarantee): Cap {
  const cap = checkGuarantee('most', most);
  return Object.freeze({
    allows: describeGuarantee(cap),
    covers(spent: readonly Guarantee[]): boolean {
      const stated = spent.filter((given) => given.kind === 'approximate');
      const others = spent.filter((given) => given.kind !== 'approximate');
      if (stated.length === 0) return others.length === 0 || totals(others).some((total) => implies(total, cap));
      if (cap.kind !== 'approximate') return false;
      const loose = 1 + CLAIM_TOLERANCE;
      const epsilon = stated.reduce((left, given) => left - given.epsilon, cap.epsilon * loose);
      const delta = stated.reduce((left, given) => left - given.delta, cap.delta * loose);
      if (!(epsilon >= 0 && delta >= 0)) return false;
      return others.length === 0 || totals(others).some((total) => deltaAt(total, epsilon) <= delta);
    },
  });
}

function totals(guarantees: readonly Guarantee[]): Guarantee[] {
  const { basic, gdp, zcdp } = compose(guarantees);
  return [basic, gdp, zcdp].filter((total) => total !== undefined);
}
