import { approximate, checkGuarantee, describeGuarantee, type Guarantee, gdp, pure, zcdp } from './guarantee.ts';

/** What a protocol promises when players choose their own level. */
export interface PersonalGuarantees {
  /** What is promised to each player: the level of their own. */
  readonly personal: readonly Guarantee[];
  /** What is promised to every player alike: the largest of the levels. */
  readonly maximal: Guarantee;
}

/**
 * The guarantees of players who report at levels of their own, all of one kind. A player's datum touches their own report
 * only, so each has their personal guarantee, and all of them the maximal one.
 *
 * The levels are public. They must not be chosen by the data: a level that depends on the datum tells about it.
 *
 * Source: Jorgensen, Yu, Cormode (2015), Conservative or liberal? Personalized differential privacy; McSherry (2009),
 * Theorem 4 (parallel composition).
 *
 * @throws TypeError or RangeError for an empty list, something that is not a guarantee, or levels of several kinds.
 * @theorem online-inference Proposition 3
 * @theorem online-rates Proposition 1
 */
export function personalGuarantees(levels: readonly Guarantee[]): PersonalGuarantees {
  if (levels.length === 0) throw new RangeError('"levels" expected at least one entry, got none');
  const personal = levels.map((level, i) => checkGuarantee(`levels[${i}]`, level));
  return { personal, maximal: personal.reduce(larger) };
}

/** The least guarantee that both imply, within their kind. */
function larger(first: Guarantee, second: Guarantee): Guarantee {
  const { max } = Math;
  if (first.kind === 'pure' && second.kind === 'pure') return pure(max(first.epsilon, second.epsilon));
  if (first.kind === 'gdp' && second.kind === 'gdp') return gdp(max(first.mu, second.mu));
  if (first.kind === 'zcdp' && second.kind === 'zcdp') return zcdp(max(first.rho, second.rho));
  if (first.kind === 'approximate' && second.kind === 'approximate') {
    return approximate({ epsilon: max(first.epsilon, second.epsilon), delta: max(first.delta, second.delta) });
  }
  throw new RangeError(
    `"levels" expected guarantees of one kind, got ${describeGuarantee(first)} and ${describeGuarantee(second)}`,
  );
}
