import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import type { SignQuestion } from './sign.ts';

const { abs, log, max, min } = Math;

/** Log-likelihood of the answers to one question at (μ, σ). */
export function logLikelihood(question: SignQuestion, counts: ArrayLike<number>, mu: number, sigma: number): number {
  const shares = cellShares(question, mu, sigma);
  // At κ = 1 to rounding a wrong answer has the probability 0; a floor keeps its logarithm finite.
  const kappa = question.coin.contrast * (1 - 2 ** -40);
  let sum = 0;
  for (let i = 0; i < question.cells; i++) {
    const share = kappa * (shares[i] - 0.5);
    sum += counts[2 * i + 1] * log(0.5 + share) + counts[2 * i] * log(0.5 - share);
  }
  return sum;
}

// Scratch, overwritten by each call.
let averages = new Float64Array(64);

/**
 * The averages of Φ((μ − t)/σ) over the thresholds of each cell: one value of Φ and φ for each end of a cell. The array is good
 * until the next call.
 */
export function cellShares({ lower, upper, cells }: SignQuestion, mu: number, sigma: number): Float64Array {
  if (averages.length < cells) averages = new Float64Array(cells);
  const width = (upper - lower) / cells;
  // Thresholds as good as one: the difference of the integrals would lose digits.
  if (width < 1e-2 * sigma) {
    for (let i = 0; i < cells; i++) averages[i] = normalCdf((mu - lower - width * (i + 0.5)) / sigma);
    return averages;
  }
  let before = integral((mu - lower) / sigma);
  for (let i = 0; i < cells; i++) {
    const after = integral((mu - lower - width * (i + 1)) / sigma);
    averages[i] = min(1, max(0, (sigma / width) * (before - after)));
    before = after;
  }
  return averages;
}

// ∫Φ and its slope Φ at −9, −9 + 1/64 … 9. Between nodes the cubic through both is right to 2e-10.
const REST = 9;
const NODES = 64;
const table: Float64Array = new Float64Array(2 * (2 * REST * NODES + 2));
for (let i = 0; i <= 2 * REST * NODES + 1; i++) {
  const z = i / NODES - REST;
  const tail = normalDensity(z) - abs(z) * normalCdf(-abs(z));
  table[2 * i] = z > 0 ? z + tail : tail;
  table[2 * i + 1] = normalCdf(z) / NODES;
}

/** ∫ Φ up to z: zΦ(z) + φ(z). The hot spot of a fit; no exponential in it. */
function integral(z: number): number {
  if (!(z > -REST)) return 0;
  if (z >= REST) return z;
  const place = (z + REST) * NODES;
  const node = place | 0;
  const u = place - node;
  const at = 2 * node;
  const rise = table[at + 2] - table[at];
  const [start, end] = [table[at + 1] - rise, table[at + 3] - rise];
  return table[at] + u * (rise + (1 - u) * ((1 - u) * start - u * end));
}
