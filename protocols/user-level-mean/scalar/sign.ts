import { exactCoin, type TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import type { Random } from '../../../src/random/random.ts';
import { uniform, uniformInteger } from '../../../src/random/uniform.ts';

/**
 * A question of one bit: is y at least a threshold? The threshold is drawn by the player, uniform on [lower, upper] in strata:
 * the report tells the cell it was drawn in, which has nothing to do with the datum, and the bit, through randomized response.
 * Where both ends are the same there is one threshold, and one cell.
 *
 * Guarantee: pure ε of the coin. The channel is finite, and exact for uniform random words: a deployment may use it.
 */
export interface SignQuestion {
  readonly kind: 'sign';
  /** The least threshold. */
  readonly lower: number;
  /** The largest one. */
  readonly upper: number;
  /** Number of cells of equal width, ≥ 1. */
  readonly cells: number;
  /** The coin that keeps the bit with probability e^ε/(1 + e^ε), a multiple of 2⁻⁵³ on the safe side. */
  readonly coin: TwoLevels;
}

/** What the players answered to a sign question. */
export interface SignAnswers {
  readonly question: SignQuestion;
  /** For each cell, how many said no and how many yes: entries 2i and 2i + 1. */
  readonly counts: ArrayLike<number>;
}

/**
 * One report: twice the cell, plus the bit.
 *
 * Law: P(yes) = ½ + κ(1{y ≥ t} − ½) at threshold t, κ the contrast of the coin; over all thresholds that is linear in y on
 * [lower, upper], the unbiased one-bit report of a bounded number (Duchi, Jordan, Wainwright 2018).
 */
export function randomizeSign(question: SignQuestion, y: number, random: Random): number {
  const { lower, upper, cells, coin } = question;
  const cell = cells > 1 ? uniformInteger(cells, random) : 0;
  let threshold = lower;
  if (upper > lower) threshold += ((upper - lower) * (cell + uniform(random))) / cells;
  const bit = y >= threshold;
  return 2 * cell + (exactCoin(coin.keep, random) === bit ? 1 : 0);
}

/** Number of answers. */
export function answersOf({ counts }: SignAnswers): number {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i];
  return total;
}

/** What the unbiased one-bit reports say: a mean, of y clipped to the range of the thresholds. */
export interface ResidualMean {
  readonly mean: number;
  /** Its standard error: at most (upper − lower)/(2κ√n). */
  readonly standardError: number;
}

/**
 * The mean of y clipped to [lower, upper] from the bits alone: unbiased whatever the law of y.
 *
 * Law: each cell's share of yes, freed of the coin, is the average of 1{y ≥ t} over its thresholds; the sum of the cells times
 * their width is E clip(y) − lower. Cells are averaged one by one, so that chance in how often they were drawn adds nothing.
 * Where a cell has no answer all are pooled: that this happens says nothing of any cell in particular, so it stays unbiased.
 *
 * @throws RangeError without an answer.
 */
export function residualMean({ question, counts }: SignAnswers): ResidualMean {
  const { lower, upper, coin } = question;
  let empty = false;
  for (let i = 0; i < question.cells; i++) if (!(counts[2 * i] + counts[2 * i + 1] > 0)) empty = true;
  const cells = empty ? 1 : question.cells;
  const width = (upper - lower) / cells;
  let mean = lower;
  let variance = 0;
  for (let i = 0; i < cells; i++) {
    let [no, yes] = [counts[2 * i], counts[2 * i + 1]];
    for (let j = 1; empty && j < question.cells; j++) [no, yes] = [no + counts[2 * j], yes + counts[2 * j + 1]];
    if (!(no + yes > 0)) throw new RangeError('"tally" expected at least 1 report in this group, got 0');
    const share = yes / (no + yes);
    mean += width * ((share - 0.5) / coin.contrast + 0.5);
    // A quarter where there is one answer only: the most that it can be.
    variance += (width / coin.contrast) ** 2 * (no + yes > 1 ? (share * (1 - share)) / (no + yes - 1) : 0.25);
  }
  return { mean, standardError: Math.sqrt(variance) };
}
