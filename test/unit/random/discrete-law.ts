/**
 * ⌊2^places·exp(−a/b)⌋ or one less, in a way of its own: the series of exp(+a/b), all terms positive, and one division.
 *
 * 128 guard digits leave no doubt about the rest.
 */
export function exactExponential(a: bigint, b: bigint, places: number): bigint {
  // Below 2⁻²⁸⁸ already.
  if (a > 200n * b && places <= 288) return 0n;
  const one = 1n << BigInt(places + 128);
  let sum = one;
  let term = one;
  for (let k = 1n; term > 0n; k++) {
    term = (term * a) / (b * k);
    sum += term;
  }
  return (one << BigInt(places)) / sum;
}

/** The probabilities of −limit, …, limit under weights exp(−rate(|y|)), with all beyond counted at the two ends. */
export function symmetricLaw(limit: number, rate: (y: number) => number): Float64Array {
  const law = new Float64Array(2 * limit + 1);
  let total = 0;
  for (let y = 0; rate(y) < 60 || y <= limit; y++) {
    const weight = Math.exp(-rate(y));
    const end = Math.min(y, limit);
    total += y === 0 ? weight : 2 * weight;
    law[limit + end] += weight;
    if (y > 0) law[limit - end] += weight;
  }
  return law.map((weight) => weight / total);
}

/** How many of the sample are −limit, …, limit, all beyond counted at the two ends. */
export function symmetricCounts(sample: ArrayLike<number>, limit: number): Float64Array {
  const counts = new Float64Array(2 * limit + 1);
  for (let i = 0; i < sample.length; i++) counts[limit + Math.max(-limit, Math.min(limit, sample[i]))]++;
  return counts;
}
