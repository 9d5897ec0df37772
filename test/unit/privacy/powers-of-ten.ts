import fc from 'fast-check';

/** Numbers from 10^low to 10^high, as many of every order of magnitude. */
export const powerOfTen = (low: number, high: number): fc.Arbitrary<number> =>
  fc.double({ min: low, max: high, noNaN: true }).map((exponent) => 10 ** exponent);
