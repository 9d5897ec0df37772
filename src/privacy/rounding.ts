/**
 * How much a number that went through special functions is raised before it is claimed: 2⁻⁴⁴ ≈ 5.7e-14 relative, a few
 * times the error of the functions in use, and far below anything that matters to a budget.
 */
const SLACK: number = 2 ** -44;

/** A privacy number ≥ 0 rounded to the safe side: never below the exact value whose nearest double it approximates. */
export function upward(value: number): number {
  return value * (1 + SLACK);
}

/**
 * A privacy number in a few significant decimals, rounded up: what is printed is still true.
 *
 * A value within 1e-12 of the shorter decimal is taken to be that decimal, so that 0.1 + 0.2 prints as 0.3.
 */
export function decimalAbove(value: number, digits: number = 6): string {
  const nearest = Number(value.toPrecision(digits));
  if (nearest >= value * (1 - 1e-12)) return decimal(nearest, digits);
  // The unit of the last digit printed; toExponential settles the exponent exactly.
  const exponent = Number(nearest.toExponential().split('e')[1]);
  return decimal(nearest + 10 ** (exponent - digits + 1), digits);
}

/** A number in a few significant decimals, rounded to nearest, without trailing zeros; below 1e-3 with an exponent. */
export function decimal(value: number, digits: number = 6): string {
  const nearest = Number(value.toPrecision(digits));
  return nearest !== 0 && Math.abs(nearest) < 1e-3 ? nearest.toExponential() : String(nearest);
}
