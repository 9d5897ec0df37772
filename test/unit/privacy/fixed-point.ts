// Whole-number arithmetic with 640 binary places, for tests that look at the last digit of a privacy number; nothing is shared with src/.
// Results are right to far more than 250 places; whoever compares leaves `SLACK` on the side that makes the test harder.

/** Binary places. */
export const PLACES = 640n;
/** 1. */
export const ONE = 1n << PLACES;
/** More than any error below: 2⁻²⁵⁰. */
export const SLACK = 1n << (PLACES - 250n);

/** A double ≥ 0 as a fraction of whole numbers, exactly. */
export function fraction(value: number): readonly [numerator: bigint, denominator: bigint] {
  let denominator = 1n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return [BigInt(scaled), denominator];
}

/** A double, exactly where it has no more than 640 binary places. */
export function fixed(value: number): bigint {
  const [numerator, denominator] = fraction(Math.abs(value));
  const magnitude = (numerator << PLACES) / denominator;
  return value < 0 ? -magnitude : magnitude;
}

/** x·y. */
export const times = (x: bigint, y: bigint): bigint => (x * y) >> PLACES;
/** x/y. */
export const over = (x: bigint, y: bigint): bigint => (x << PLACES) / y;

/** log(numerator/denominator) of whole numbers > 0, by atanh after halvings. */
export function logOfRatio(numerator: bigint, denominator: bigint): bigint {
  let [p, q] = [numerator, denominator];
  let halvings = 0n;
  for (; p > 2n * q; halvings++) q *= 2n;
  for (; q > 2n * p; halvings--) p *= 2n;
  return halvings * doubleArtanh(1n, 3n) + doubleArtanh(p - q, p + q);
}

/** 2·artanh(p/q) for |p/q| ≤ 1/3. */
function doubleArtanh(p: bigint, q: bigint): bigint {
  const t = (p << PLACES) / q;
  const square = times(t, t);
  let power = t;
  let sum = 0n;
  for (let k = 1n; power > 1n || power < -1n; k += 2n) {
    sum += power / k;
    power = times(power, square);
  }
  return 2n * sum;
}

/** e^x for |x| ≤ 1000. */
export function exponential(x: bigint): bigint {
  const small = x >> 12n;
  let term = ONE;
  let sum = ONE;
  for (let k = 1n; term > 1n || term < -1n; k++) {
    term = times(term, small) / k;
    sum += term;
  }
  for (let k = 0; k < 12; k++) sum = times(sum, sum);
  return sum;
}

/** √(2π), from Machin's formula for π. */
const ROOT_TWO_PI: bigint = (() => {
  const arctan = (inverse: bigint): bigint => {
    let power = ONE / inverse;
    let sum = 0n;
    for (let k = 1n; power !== 0n; k += 2n) {
      sum += k % 4n === 1n ? power / k : -power / k;
      power /= inverse * inverse;
    }
    return sum;
  };
  const square = 8n * (4n * arctan(5n) - arctan(239n)) * ONE;
  let root = ONE * 3n;
  for (let i = 0; i < 20; i++) root = (root + square / root) / 2n;
  return root;
})();

/** Φ(z) for |z| ≤ 20: its series has positive terms only, z·e^(−z²/2)·Σ z^{2k}/(1·3·…·(2k + 1)). */
export function normal(z: bigint): bigint {
  const square = times(z, z);
  let term = z;
  let sum = 0n;
  for (let k = 1n; term > 1n || term < -1n; k += 2n) {
    sum += term;
    term = times(term, square) / (k + 2n);
  }
  return ONE / 2n + over(times(sum, exponential(-square / 2n)), ROOT_TWO_PI);
}

/** δ of μ-Gaussian differential privacy at ε: Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2). */
export function gaussianDelta(mu: bigint, epsilon: bigint): bigint {
  const shift = over(epsilon, mu);
  return normal(mu / 2n - shift) - times(exponential(epsilon), normal(-shift - mu / 2n));
}

/**
 * How far a Gaussian release stays within (ε, δ), as (δ − δ_exact)/δ with μ the exact quotient sensitivity/sigma: its
 * sign is the truth about the three doubles as given. Good for |ε/μ + μ/2| up to about 20 and ε up to about 100.
 */
export function exactSlack(release: { sensitivity: number; sigma: number; epsilon: number; delta: number }): number {
  const [mu, delta] = [over(fixed(release.sensitivity), fixed(release.sigma)), fixed(release.delta)];
  const exact = gaussianDelta(mu, fixed(release.epsilon));
  return Number(((delta - exact) << 200n) / delta) / 2 ** 200;
}

/** √x. */
export function root(x: bigint): bigint {
  let found = x > ONE ? x : ONE;
  for (;;) {
    const next = (found + (x << PLACES) / found) / 2n;
    if (next >= found) return found;
    found = next;
  }
}
