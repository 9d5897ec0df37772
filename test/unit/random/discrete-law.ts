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

/** The probabilities of −reach, …, reach under weights exp(−rate(|y|)), with all beyond counted at the two ends. */
export function symmetricLaw(range: number, rate: (y: number) => number): Float64Array {
  const law = new Float64Array(2 * range + 1);
  let total = 0;
  for (let y = 0; rate(y) < 60 || y <= range; y++) {
    const weight = Math.exp(-rate(y));
    const end = Math.min(y, range);
    total += y === 0 ? weight : 2 * weight;
    law[range + end] += weight;
    if (y > 0) law[range - end] += weight;
  }
  return law.map((weight) => weight / total);
}

/** How many of the sample are −reach, …, reach, all beyond counted at the two ends. */
export function symmetricCounts(sample: ArrayLike<number>, range: number): Float64Array {
  const counts = new Float64Array(2 * range + 1);
  for (let i = 0; i < sample.length; i++) counts[range + Math.max(-range, Math.min(range, sample[i]))]++;
  return counts;
}
