const { ceil, exp, expm1 } = Math;

/** Σ exp(−z²/2σ²) over the whole numbers. */
function normaliser(sigma: number): number {
  let sum = 1;
  for (let y = 1; y <= ceil(40 * sigma); y++) sum += 2 * exp(-(y * y) / (2 * sigma * sigma));
  return sum;
}

/**
 * The exact least δ at ε between the discrete Gaussians of the same σ around 0 and around a whole-number vector, in one or
 * two dimensions: Σ max(0, p(y) − e^ε·p(y − c)) over all y, by plain summation up to 12 σ.
 */
export function exactIntegerDelta(sigma: number, epsilon: number, center: readonly number[]): number {
  const rate = 1 / (2 * sigma * sigma);
  const largest = ceil(12 * sigma) + 2;
  const [first, second = 0] = center;
  const rows = center.length > 1 ? largest : 0;
  let sum = 0;
  for (let row = -rows; row <= rows; row++) {
    for (let y = -largest; y <= largest; y++) {
      // log of e^ε·p(y − c)/p(y).
      const excess = epsilon + rate * (2 * y * first - first * first + 2 * row * second - second * second);
      if (excess < 0) sum -= exp(-rate * (y * y + row * row)) * expm1(excess);
    }
  }
  return sum / normaliser(sigma) ** center.length;
}
