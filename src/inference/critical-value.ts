import { checkInteger, checkNonNegative, checkOpenUnit, RefusedValue } from '../check/refusal.ts';
import { logGamma } from '../numeric/beta.ts';
import { normalCdf, normalQuantile } from '../numeric/normal.ts';

const { PI, abs, cosh, exp, expm1, log, max, min, sqrt } = Math;

/** Step in log x of the search for a bracket. */
const STRIDE = 1.5;

/**
 * The x > 0 at which a continuous decreasing function takes the value `target`, to rounding. A bracket grows from 1 by
 * factors; then come steps of inverse quadratic interpolation in log x where that is safe, and bisection elsewhere.
 *
 * Source: Chandrupatla (1997), A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function.
 */
export function solveDecreasing(evaluate: (x: number) => number, target: number): number {
  const excess = (u: number): number => evaluate(exp(u)) - target;
  let a = 0;
  let fa = excess(a);
  if (fa === 0) return 1;
  const stride = fa > 0 ? STRIDE : -STRIDE;
  let b = a;
  let fb = fa;
  while (fb > 0 === fa > 0 && fb !== 0) {
    a = b;
    fa = fb;
    b += stride;
    if (!(abs(b) < 690)) throw new RefusedValue(`"target" expected a value that the function takes, got ${target}`);
    fb = excess(b);
  }
  let c = a;
  let fc = fa;
  let t = 0.5;
  while (fb !== 0) {
    const u = a + t * (b - a);
    const f = excess(u);
    if (f > 0 === fa > 0) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = u;
    fa = f;
    const tolerance = 2.3e-16 * max(1, abs(a));
    const width = abs(b - a);
    if (f === 0 || width <= 2 * tolerance) return exp(abs(fa) < abs(fb) ? a : b);
    const place = (a - b) / (c - b);
    const share = (fa - fb) / (fc - fb);
    const safe = share * share < place && (1 - share) * (1 - share) < 1 - place;
    t = safe ? (fa / (fb - fa)) * (fc / (fb - fc)) + ((c - a) / (b - a)) * (fa / (fc - fa)) * (fb / (fc - fb)) : 0.5;
    const least = tolerance / width;
    t = t < least ? least : t > 1 - least ? 1 - least : t;
  }
  return exp(b);
}

/** Step of the trapezoidal rule below. Its error falls like exp(−π²/step): 1e-34 of the integral. */
const STEP = 0.125;

/**
 * The z with P(|Z| ≤ z) = level for a standard normal Z.
 * @throws TypeError or RangeError for a level outside (0, 1).
 *
 * @example
 * ```ts
 * import { normalCriticalValue } from 'ldpkit/inference';
 * console.log(normalCriticalValue(0.95).toFixed(3)); // 1.960
 * ```
 */
export function normalCriticalValue(level: number): number {
  checkOpenUnit('level', level);
  if (level >= 0.5) return -normalQuantile((1 - level) / 2);
  if (level > 1e-3) return normalQuantile(0.5 + level / 2);
  // ½ + level/2 would lose a small level by rounding; the next term of the series is below 1e-19 of the first.
  const square = level * level * PI;
  return sqrt(PI / 2) * level * (1 + (square / 12) * (1 + (7 * square) / 40));
}

/**
 * P(|t| > c) for the limit t = W(1)/√A of the random scaling statistic, A = ∫₀¹(W(r) − rW(1))² dr the square integral of
 * a Brownian bridge, which is independent of W(1). To 1e-13 relative.
 *
 * With Craig's form of the normal tail and the transform E exp(−sA) = (√(2s)/sinh √(2s))^½ it is one integral,
 * (2/π)∫₀^∞ h(c·cosh u)/cosh u du with h(x) = (x/sinh x)^½. The integrand is analytic in |Im u| < π/2 and falls
 * double-exponentially.
 *
 * Source: Craig (1991), A new, simple and exact result for calculating the probability of error; Anderson
 * and Darling (1952), Asymptotic theory of certain goodness of fit criteria, for the transform.
 * @theorem online-inference (2.5)
 */
export function randomScalingExceedance(c: number): number {
  checkNonNegative('c', c);
  let sum = 0.5 * bridgeTransform(c);
  for (let i = 1; ; i++) {
    const width = cosh(i * STEP);
    const term = bridgeTransform(c * width) / width;
    sum += term;
    if (!(term > 1e-18 * sum)) return (2 / PI) * STEP * sum;
  }
}

/**
 * P(|t| ≤ c) for the limit t = W(1)/√A of the random scaling statistic, A = ∫₀¹(W(r) − rW(1))² dr: the probability that
 * an interval of half length c·√(V/n) holds. To 1e-13 relative, also near c = 0.
 * @throws TypeError or RangeError unless c is a finite number ≥ 0.
 * @theorem online-inference (2.5)
 */
export function randomScalingCoverage(c: number): number {
  checkNonNegative('c', c);
  let sum = 0.5 * bridgeComplement(c);
  for (let i = 1; ; i++) {
    const width = cosh(i * STEP);
    if (width === Infinity) return min(1, (2 / PI) * STEP * sum);
    const term = bridgeComplement(c * width) / width;
    sum += term;
    // The terms rise until c·cosh u is of order 1, and then fall.
    if (c * width > 10 && !(term > 1e-18 * sum)) return min(1, (2 / PI) * STEP * sum);
  }
}

/**
 * The two-sided critical value of random scaling: the c with P(|t| ≤ c) = level. To 1e-12 relative.
 *
 * The interval at this level is the average ± c·√(V/n).
 *
 * Source: Lee, Liao, Seo and Shin (2022), Fast and robust online inference with SGD via random scaling; here solved
 * from the integral, not looked up.
 * @throws TypeError or RangeError for a level outside (0, 1).
 * @theorem online-inference Corollary 4
 *
 * @example
 * ```ts
 * import { randomScalingCriticalValue } from 'ldpkit/inference';
 * console.log(randomScalingCriticalValue(0.95).toFixed(3)); // 6.747
 * ```
 */
export function randomScalingCriticalValue(level: number): number {
  checkOpenUnit('level', level);
  // The density of the law at 0 is that of a level of 1e-100; below, coverage and c are proportional.
  if (level < 1e-100) return (level / 1e-100) * randomScalingCriticalValue(1e-100);
  if (level < 0.5) return solveDecreasing((c) => -randomScalingCoverage(c), -level);
  return solveDecreasing(randomScalingExceedance, 1 - level);
}

/** (x/sinh x)^½ for x ≥ 0. */
function bridgeTransform(x: number): number {
  if (x === 0) return 1;
  if (x > 1500) return 0;
  return exp(-x / 2) * sqrt((-2 * x) / expm1(-2 * x));
}

/** 1 − (x/sinh x)^½ for x ≥ 0, without cancellation near 0. */
function bridgeComplement(x: number): number {
  if (x > 1500) return 1;
  const square = x * x;
  // The series of log(sinh x/x); its next term is below 1e-15 of the first for x < 0.15.
  const series = square * (1 / 6 - square * (1 / 180 - square * (1 / 2835 - square * (1 / 37800 - square / 467775))));
  return -expm1(-0.5 * (x < 0.15 ? series : x + log(expm1(-2 * x) / (-2 * x))));
}

/**
 * P(χ² > x) for a whole number of degrees of freedom: the finite sum over Poisson or half-integer terms, all positive. To
 * about 1e-13 relative.
 *
 * Source: Abramowitz and Stegun (1964), 26.4.4 and 26.4.5.
 * @throws TypeError or RangeError unless x is finite and ≥ 0 and the degrees are a whole number from 1 to 1000.
 */
export function chiSquareExceedance(x: number, degrees: number): number {
  checkNonNegative('x', x);
  checkInteger('degrees', degrees, 1, 1000);
  if (x === 0) return 1;
  const odd = degrees % 2 === 1;
  if (x > 10_000) return 0;
  // A long sum is multiplied by e^{−x/2} in equal parts, none of which underflows, before it can overflow.
  let parts = 2;
  while (x / parts > 1000) parts *= 2;
  const part = exp(-x / (2 * parts));
  let term = odd ? sqrt((2 * x) / PI) * part : part;
  let sum = 0;
  for (let k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= x / k;
    if (term > 1e100 && parts > 2) {
      term *= part;
      sum *= part;
      parts--;
    }
  }
  for (; parts > 1; parts--) sum *= part;
  return min(1, (odd ? 2 * normalCdf(-sqrt(x)) : 0) + sum);
}

/**
 * P(χ² ≤ x) from the series of the incomplete gamma function, all of whose terms are positive: for levels that 1 − P(χ² > x)
 * would lose.
 *
 * Source: Abramowitz and Stegun (1964), 6.5.29.
 */
function chiSquareCoverage(x: number, degrees: number): number {
  const half = degrees / 2;
  let term = 1;
  let sum = 1;
  for (let n = 1; term > 1e-17 * sum; n++) {
    term *= x / 2 / (half + n);
    sum += term;
  }
  return exp(half * log(x / 2) - x / 2 - logGamma(half + 1) + log(sum));
}

/**
 * The x with P(χ² ≤ x) = level: the critical value of a joint ellipsoid with an estimated covariance. To about 1e-11
 * relative; 0 where it would underflow.
 * @throws TypeError or RangeError for a level outside (0, 1) or degrees that are not a whole number from 1 to 1000.
 *
 * @example
 * ```ts
 * import { chiSquareCriticalValue } from 'ldpkit/inference';
 * console.log(chiSquareCriticalValue(0.95, 2).toFixed(4)); // 5.9915
 * ```
 */
export function chiSquareCriticalValue(level: number, degrees: number): number {
  checkOpenUnit('level', level);
  checkInteger('degrees', degrees, 1, 1000);
  if (level >= 0.5) return solveDecreasing((x) => chiSquareExceedance(x, degrees), 1 - level);
  // The first term of the series alone, which is exact for a small x.
  const first = 2 * exp((2 / degrees) * (log(level) + logGamma(degrees / 2 + 1)));
  return first < 1e-17 ? first : solveDecreasing((x) => -chiSquareCoverage(x, degrees), -level);
}
