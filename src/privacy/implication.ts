import { checkOpenUnit } from '../check/number.ts';
import { deltaAt, toApproximate, toGdp, toZcdp } from './conversion.ts';
import { type ApproximateGuarantee, checkGuarantee, type Guarantee } from './guarantee.ts';

/**
 * How far a guarantee may exceed a claim and still meet it: the rounding of a budget that was split and added up again.
 * Relative; nothing beyond it is overlooked.
 */
export const CLAIM_TOLERANCE = 1e-12;

/**
 * Whether a guarantee implies a claim, up to `CLAIM_TOLERANCE`. An (ε, δ) claim is checked on the whole curve of
 * the guarantee, not by comparing ε with ε. Where no theorem leads from the one to the other the answer is false.
 *
 * @throws TypeError or RangeError for something that is not a guarantee.
 */
export function implies(guarantee: Guarantee, claim: Guarantee): boolean {
  const given = checkGuarantee('guarantee', guarantee);
  const wanted = checkGuarantee('claim', claim);
  const loose = 1 + CLAIM_TOLERANCE;
  switch (wanted.kind) {
    case 'pure':
      return given.kind === 'pure' && given.epsilon <= wanted.epsilon * loose;
    case 'approximate':
      return deltaAt(given, wanted.epsilon * loose) <= wanted.delta * loose;
    case 'gdp':
      return (given.kind === 'pure' || given.kind === 'gdp') && toGdp(given).mu <= wanted.mu * loose;
    case 'zcdp':
      return given.kind !== 'approximate' && toZcdp(given).rho <= wanted.rho * loose;
  }
}

/**
 * The (ε, δ) that a guarantee gives at this δ, or null where it gives none: an (ε₀, δ₀) guarantee says nothing below its
 * own δ₀ (up to `CLAIM_TOLERANCE`).
 *
 * @throws TypeError or RangeError unless 0 < δ < 1.
 */
export function readAt(guarantee: Guarantee, delta: number): ApproximateGuarantee | null {
  checkOpenUnit('delta', delta);
  if (guarantee.kind === 'approximate' && guarantee.delta > delta) {
    return guarantee.delta <= delta * (1 + CLAIM_TOLERANCE) ? guarantee : null;
  }
  return toApproximate(guarantee, delta);
}
