const { abs, exp, log, PI } = Math;

/**
 * log Γ(a) for a > 0, to about 1e-14: Stirling's series beyond 10, reached by Γ(a + 1) = a·Γ(a).
 *
 * The testers have their own special functions, so that an error in `src/numeric` cannot hide itself.
 *
 * Source: Abramowitz and Stegun 6.1.41.
 */
export function logGamma(a: number): number {
  let shifted = a;
  let product = 1;
  while (shifted < 10) product *= shifted++;
  const inverse = 1 / (shifted * shifted);
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / shifted;
  return (shifted - 0.5) * log(shifted) - shifted + 0.5 * log(2 * PI) + series - log(product);
}

/**
 * The regularised upper incomplete gamma function Q(a, x) for a > 0, x ≥ 0: the probability that a gamma number of shape
 * a exceeds x.
 *
 * Source: Abramowitz and Stegun 6.5.29 (series) and 6.5.31 (continued fraction).
 */
export function upperGamma(a: number, x: number): number {
  if (!(a > 0 && x >= 0)) throw new RangeError(`upperGamma(${a}, ${x}) is not defined`);
  if (x === 0) return 1;
  if (x === Infinity) return 0;
  const front = exp(a * log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - front * lowerSeries(a, x) : front * upperFraction(a, x);
}

/** Σ xⁿ / (a(a + 1)…(a + n)). */
function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; abs(term) > 1e-17 * abs(sum); n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** The continued fraction, from its recurrence of convergents, rescaled so that they stay finite. */
function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let aboveBefore = 0;
  let belowBefore = 1;
  let above = 1;
  let below = b;
  let value = above / below;
  for (let n = 1; ; n++) {
    const factor = n * (a - n);
    b += 2;
    const nextAbove = b * above + factor * aboveBefore;
    const nextBelow = b * below + factor * belowBefore;
    aboveBefore = above / nextBelow;
    belowBefore = below / nextBelow;
    above = nextAbove / nextBelow;
    below = 1;
    if (abs(above - value) <= 1e-15 * above) return above;
    value = above;
  }
}

/** Φ(x), the standard normal distribution function: half of Q(1/2, x²/2) on the left, to 1e-13 relative. */
export function normalLaw(x: number): number {
  const tail = 0.5 * upperGamma(0.5, 0.5 * x * x);
  return x < 0 ? tail : 1 - tail;
}
