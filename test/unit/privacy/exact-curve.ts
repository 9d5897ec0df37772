// An evaluation of the Gaussian privacy curve that shares nothing with src/: 640-bit fixed point on bigint, from the
// printed difference of two terms, where 190 digits make the cancellation harmless.

const BITS = 640n;
const ONE = 1n << BITS;

/** A double as a fixed-point number, exactly (for anything of magnitude above 2^-580). */
function fixed(x: number): bigint {
  let mantissa = x;
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    exponent++;
  }
  return (BigInt(mantissa) << BITS) >> BigInt(exponent);
}

function times(x: bigint, y: bigint): bigint {
  return (x * y) >> BITS;
}

/** e^x by halving the argument 32 times, Taylor's series, and squaring back. */
function exponential(x: bigint): bigint {
  const small = x >> 32n;
  let term = ONE;
  let sum = ONE;
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    term = times(term, small) / k;
    sum += term;
  }
  for (let i = 0; i < 32; i++) sum = times(sum, sum);
  return sum;
}

function squareRoot(x: bigint): bigint {
  let root = ONE * 4n;
  for (;;) {
    const next = (root + (x << BITS) / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** arctan(1/n), for Machin's formula. */
function arctanOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power = -power / (n * n);
    sum += power / k;
  }
  return sum;
}

const PI = 4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n));
const ROOT_2PI = squareRoot(2n * PI);

/** Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/15 + …). */
function distribution(x: bigint): bigint {
  const square = times(x, x);
  let term = x;
  let sum = x;
  for (let k = 3n; term !== 0n && term !== -1n; k += 2n) {
    term = times(term, square) / k;
    sum += term;
  }
  const density = (exponential(-square / 2n) << BITS) / ROOT_2PI;
  return ONE / 2n + times(density, sum);
}

/**
 * How far a Gaussian release stays within (ε, δ), as (δ − δ_exact)/δ with μ the exact quotient sensitivity/sigma: its
 * sign is the truth about the three doubles as given. Good for |ε/μ + μ/2| up to about 20 and ε up to about 100.
 */
export function exactSlack(release: { sensitivity: number; sigma: number; epsilon: number; delta: number }): number {
  const mu = (fixed(release.sensitivity) << BITS) / fixed(release.sigma);
  const epsilon = fixed(release.epsilon);
  const delta = fixed(release.delta);
  const ratio = (epsilon << BITS) / mu;
  const exact = distribution(mu / 2n - ratio) - times(exponential(epsilon), distribution(-mu / 2n - ratio));
  return Number(((delta - exact) << 200n) / delta) / 2 ** 200;
}
