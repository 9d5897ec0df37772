/**
 * Whole numbers around 2ᵖ·exp(−a/b): the first is not above it, the second not below, and they differ by at most 3.
 *
 * Integer arithmetic only. The argument is halved q times until it is below 2⁻⁶, the alternating series is summed in fixed
 * point with q + 16 guard bits, and the sum is squared q times. Every step rounds down by less than one unit; a term of the
 * series is off by less than 3 units, which N terms, the omitted rest and the argument's own rounding bring to 4N + 8, and a
 * square doubles an error and adds less than 2.
 *
 * `places` is p ≥ 1; a ≥ 0 and b ≥ 1 are for the caller to ensure.
 */
export function encloseExponential(a: bigint, b: bigint, places: number): readonly [bigint, bigint] {
  // a < 2^(4·digits of a) and b ≥ 2^(4·(digits of b) − 4).
  const halvings = Math.max(0, 4 * (a.toString(16).length - b.toString(16).length) + 10);
  const guard = BigInt(halvings + 16);
  const precision = BigInt(places) + guard;
  const one = 1n << precision;
  const z = (a << precision) / (b << BigInt(halvings));
  let value = one - z;
  let term = z;
  let count = 2n;
  for (; term > 0n; count++) {
    term = ((term * z) >> precision) / count;
    value += count % 2n === 0n ? term : -term;
  }
  let error = 4n * count + 8n;
  for (let i = 0; i < halvings; i++) {
    value = (value * value) >> precision;
    error = 2n * error + 2n;
  }
  const below = (value - error) >> guard;
  return [below > 0n ? below : 0n, ((value + error) >> guard) + 1n];
}

/**
 * ⌊c·2ᵖ·exp(−a/b)⌋, exactly, for whole numbers a ≥ 0, b ≥ 1, c ≥ 1, p ≥ 0: the digits of a multiple of exp(−a/b).
 *
 * The precision is doubled until both ends of an enclosure have the same whole part. For a > 0 that ends, since e to a rational
 * power other than 0 is irrational (Lambert 1768).
 */
export function floorExponential(a: bigint, b: bigint, factor: bigint, places: number): bigint {
  if (a === 0n) return factor << BigInt(places);
  for (let precision = places + 4 * factor.toString(16).length + 24; ; precision *= 2) {
    const [below, above] = encloseExponential(a, b, precision);
    const shift = BigInt(precision - places);
    const whole = (factor * below) >> shift;
    if (whole === (factor * above) >> shift) return whole;
  }
}
