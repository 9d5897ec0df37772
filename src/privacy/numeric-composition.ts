import { checkInteger, checkNonNegative, checkOpenUnit } from '../check/number.ts';
import { leastEpsilon } from './boundary.ts';
import { checkGuarantee, describeGuarantee, type Guarantee } from './guarantee.ts';
import {
  coarsened,
  composeLosses,
  gaussianLosses,
  type LossDistribution,
  lossDelta,
  responseLosses,
} from './loss-distribution.ts';
import { upward } from './rounding.ts';

const { expm1, floor, log1p, log2, max, min, sqrt } = Math;

/** Points of the grid that the loss of equal releases may span; a direct product of two such takes about 15 ms. */
const POINTS = 4096;

/** How many releases can be composed: the bound on rounding, about 5e-13 a release, is then still below a thousandth of δ. */
export const MOST_RELEASES = 1e9;

/** The privacy curve of several releases together, an upper bound. */
export interface NumericComposition {
  /** The largest loss there is, Σ counts·ε, where every release is pure or (ε, δ); Infinity with a Gaussian one. */
  readonly largestLoss: number;
  /** A δ for which the releases together are (ε, δ)-private; ε ≥ 0. */
  deltaAt(epsilon: number): number;
  /** The least ε ≥ 0 with `deltaAt(ε) ≤ δ`, or null where there is none. */
  epsilonAt(delta: number): number | null;
}

/**
 * What pure, (ε, δ) and Gaussian releases of one player guarantee together, chosen adaptively or not, by composing the
 * distributions of their worst privacy losses: a curve rounded up throughout. Its ε is within 1e-3 of Σε of the exact composition
 * of the worst cases, within 1e-4 for Gaussian releases or many, and equal to it up to rounding for equal pure or (ε, δ)
 * releases, up to a thousand of them and more. That composition is optimal for pure and (ε, δ) guarantees, and exact for
 * Gaussian releases.
 *
 * `counts` says how often each release occurs, once each when it is left out.
 *
 * A few milliseconds for each distinct guarantee, half a second for 1e9 equal ones.
 *
 * Source: Koskela, Jälkö, Honkela (2020), Computing tight differential privacy guarantees using FFT; Zhu, Dong, Wang
 * (2022), Optimal accounting of differential privacy via characteristic function, Theorem 10; Doroshenko, Ghazi, Kamath,
 * Kumar, Manurangsi (2022), Connect the dots: tighter discrete approximations of privacy loss distributions.
 *
 * @throws TypeError or RangeError for an empty list, counts that do not match or are not whole numbers from 1 to 1e9, and
 * for a zero-concentrated guarantee: no pair dominates all mechanisms that have it.
 * @theorem slides Composition, CLT
 */
export function composeNumeric(guarantees: readonly Guarantee[], counts?: readonly number[]): NumericComposition {
  const { groups, mu } = grouped(guarantees, counts);
  const base = max(...groups.map((group) => group.epsilon), 0) || 1;
  const parts = groups.map((group) => repeated(responseLosses(group, startingStep(group, base)), group.count));
  if (mu > 0) parts.push(gaussianLosses(mu, stepBelow((20 * mu) / POINTS, base)));
  // The finest first, so that small parts add up before they meet a coarse grid.
  parts.sort((a, b) => a.step - b.step);
  const whole = parts.reduce((sum, part) => resolved(composeLosses(sum, part), 2 * POINTS));

  const largestLoss = mu > 0 ? Infinity : groups.reduce((sum, { epsilon, count }) => sum + count * epsilon, 0);
  const certain = upward(0 - expm1(groups.reduce((sum, { delta, count }) => sum + count * log1p(-delta), 0)));
  const deltaAt = (epsilon: number): number => {
    if (checkNonNegative('epsilon', epsilon) >= largestLoss) return certain;
    return lossDelta(whole, epsilon);
  };
  const epsilonAt = (delta: number): number | null => {
    checkOpenUnit('delta', delta);
    const last = min(largestLoss, max(0, (whole.lowest + whole.masses.length) * whole.step));
    return deltaAt(last) <= delta ? leastEpsilon((epsilon) => deltaAt(epsilon) <= delta, last) : null;
  };
  return { largestLoss, deltaAt, epsilonAt };
}

interface Group {
  readonly epsilon: number;
  readonly delta: number;
  readonly count: number;
}

/** Equal pure and (ε, δ) guarantees together with their counts, and the μ of all Gaussian ones, which is exact. */
function grouped(
  guarantees: readonly Guarantee[],
  counts: readonly number[] | undefined,
): { groups: Group[]; mu: number } {
  if (guarantees.length === 0) throw new RangeError('"guarantees" expected at least one entry, got none');
  if (counts !== undefined && counts.length !== guarantees.length) {
    throw new RangeError(`"counts" expected ${guarantees.length} entries, got ${counts.length}`);
  }
  const groups = new Map<string, Group>();
  let square = 0;
  for (let i = 0; i < guarantees.length; i++) {
    const given = checkGuarantee(`guarantees[${i}]`, guarantees[i]);
    const count = counts === undefined ? 1 : checkInteger(`counts[${i}]`, counts[i], 1, MOST_RELEASES);
    if (given.kind === 'gdp') square += count * given.mu * given.mu;
    else if (given.kind === 'zcdp') {
      const expected = 'one with a dominating pair (pure, approximate or Gaussian)';
      throw new RangeError(`"guarantees[${i}]" expected ${expected}, got ${describeGuarantee(given)}`);
    } else {
      const { epsilon } = given;
      const delta = given.kind === 'pure' ? 0 : given.delta;
      const key = `${epsilon} ${delta}`;
      groups.set(key, {
        epsilon,
        delta,
        count: checkInteger(`counts[${i}]`, count + (groups.get(key)?.count ?? 0), 1, MOST_RELEASES),
      });
    }
  }
  return { groups: [...groups.values()], mu: upward(sqrt(square)) };
}

/** The largest ε is a whole number of steps, so that a transcript of equal pure releases has no error of the grid. */
function startingStep({ epsilon }: Group, base: number): number {
  return stepBelow(epsilon / POINTS || base, base);
}

/** The largest step ≤ `most` that is a power of two times `base`. */
function stepBelow(most: number, base: number): number {
  return base * 2 ** floor(log2(most / base));
}

/** The loss of `count` such releases, by repeated squaring. */
function repeated(given: LossDistribution, count: number): LossDistribution {
  let power = given;
  let product: LossDistribution | undefined;
  for (let rest = count; ; power = resolved(composeLosses(power, power), POINTS)) {
    if (rest % 2 === 1) product = product === undefined ? power : resolved(composeLosses(product, power), POINTS);
    rest = floor(rest / 2);
    if (rest === 0 && product !== undefined) return product;
  }
}

/** The same on a grid coarse enough for the number of points. */
function resolved(given: LossDistribution, points: number): LossDistribution {
  let result = given;
  while (result.masses.length > points + 1) result = coarsened(result);
  return result;
}
