import { checkNonNegative, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { normalCdf, normalQuantile } from '../numeric/normal.ts';
import { zcdpDelta } from './conversion.ts';
import { checkGuarantee, type Guarantee } from './guarantee.ts';

const { exp, max, sqrt } = Math;

/** How many ε the envelope of a concentrated guarantee is made of. */
const ENVELOPE = 240;

/**
 * The trade-off function of a guarantee: the least type II error of any test, of two data of a player on everything that
 * the player sends, whose type I error is at most `typeOne`. It is what no attacker can go below.
 *
 * For (ε, δ) it is max(0, 1 − δ − e^ε·α, e^(−ε)·(1 − δ − α)), for Gaussian privacy Φ(Φ⁻¹(1 − α) − μ). A concentrated
 * guarantee implies an (ε, δ) for every ε; the result is the largest of these bounds over a grid of ε.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, Propositions 2.4 (Wasserman, Zhou 2010) and 2.12, Definition 2.6.
 *
 * @throws TypeError or RangeError unless `typeOne` lies in [0, 1].
 */
export function leastTypeTwo(guarantee: Guarantee, typeOne: number): number {
  const given = checkGuarantee('guarantee', guarantee);
  if (checkNonNegative('typeOne', typeOne) > 1) throw new RefusedValue(refusal('typeOne', 'a number <= 1', typeOne));
  switch (given.kind) {
    case 'pure':
      return brokenLine(given.epsilon, 0, typeOne);
    case 'approximate':
      return brokenLine(given.epsilon, given.delta, typeOne);
    case 'gdp':
      if (typeOne === 0 || typeOne === 1) return 1 - typeOne;
      return normalCdf(-normalQuantile(typeOne) - given.mu);
    case 'zcdp': {
      const { rho } = given;
      // δ is below 1e-13 at the far end, where a further line says no more.
      const furthest = rho + 2 * sqrt(30 * rho);
      let bound = 0;
      for (let i = 0; i <= ENVELOPE; i++) {
        const epsilon = (furthest * i) / ENVELOPE;
        bound = max(bound, brokenLine(epsilon, zcdpDelta(rho, epsilon), typeOne));
      }
      return bound;
    }
  }
}

function brokenLine(epsilon: number, delta: number, typeOne: number): number {
  return max(0, 1 - delta - exp(epsilon) * typeOne, exp(-epsilon) * (1 - delta - typeOne));
}
