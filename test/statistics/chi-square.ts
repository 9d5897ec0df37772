import { upperGamma } from './incomplete-gamma.ts';

/**
 * Pearson's Σ (observed − expected)²/expected over the cells of a table.
 *
 * Shape: as many probabilities as counts; they sum to 1 (to 1e-9), and each cell expects at least 5, without which the
 * p-value below would not hold.
 *
 * @throws RangeError for anything else.
 */
export function chiSquareStatistic(counts: ArrayLike<number>, probabilities: ArrayLike<number>): number {
  if (counts.length !== probabilities.length) throw new RangeError('as many counts as probabilities are needed');
  let total = 0;
  let mass = 0;
  for (let i = 0; i < counts.length; i++) {
    total += counts[i];
    mass += probabilities[i];
  }
  if (!(Math.abs(mass - 1) < 1e-9)) throw new RangeError(`the probabilities sum to ${mass}`);
  let statistic = 0;
  for (let i = 0; i < counts.length; i++) {
    const expected = total * probabilities[i];
    if (!(expected >= 5)) throw new RangeError(`cell ${i} expects ${expected}, fewer than 5`);
    statistic += (counts[i] - expected) ** 2 / expected;
  }
  return statistic;
}

/** The probability that a χ² number with `degrees` degrees of freedom is at least this large. */
export function chiSquarePValue(statistic: number, degrees: number): number {
  return upperGamma(degrees / 2, statistic / 2);
}

/** The p-value of a table of counts under fixed probabilities: one degree of freedom less than cells. */
export function chiSquareTest(counts: ArrayLike<number>, probabilities: ArrayLike<number>): number {
  return chiSquarePValue(chiSquareStatistic(counts, probabilities), counts.length - 1);
}

/** The probabilities of the cells (−∞, e₀], (e₀, e₁], … (eₖ, ∞) of a law; taken apart on both sides of the median. */
export function cellProbabilities(edges: ArrayLike<number>, law: (x: number) => number): Float64Array {
  const cells = new Float64Array(edges.length + 1);
  let below = 0;
  for (let i = 0; i < edges.length; i++) {
    const probability = law(edges[i]);
    cells[i] = probability - below;
    below = probability;
  }
  cells[edges.length] = 1 - below;
  return cells;
}

/** How many numbers of a sample fall in each of the cells that {@link cellProbabilities} speaks of. */
export function countCells(sample: ArrayLike<number>, edges: ArrayLike<number>): Float64Array {
  const counts = new Float64Array(edges.length + 1);
  for (let i = 0; i < sample.length; i++) {
    let low = 0;
    let high = edges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sample[i] <= edges[middle]) high = middle;
      else low = middle + 1;
    }
    counts[low]++;
  }
  return counts;
}
