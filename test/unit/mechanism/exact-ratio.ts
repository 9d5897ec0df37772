// Comparisons of doubles with e^ε that involve no rounding: doubles are whole numbers over powers of two.

interface Dyadic {
  readonly digits: bigint;
  /** The value is digits·2^−places. */
  readonly places: bigint;
}

function dyadic(x: number): Dyadic {
  let digits = x;
  let places = 0n;
  while (!Number.isInteger(digits)) {
    digits *= 2;
    places++;
  }
  return { digits: BigInt(digits), places };
}

const PLACES = 400n;

/** ⌊…⌋ of 2^400·e^x for a double x in [0, 1000], from below: every step rounds down, losing less than 1e-90 relative. */
function expBelow(x: number): bigint {
  const { digits, places } = dyadic(x);
  // Taylor's series at x/2¹², all of whose terms are positive, then twelve squarings.
  let term = 1n << PLACES;
  let sum = term;
  for (let k = 1n; term > 0n; k++) {
    term = (term * digits) / (k << (places + 12n));
    sum += term;
  }
  for (let k = 0; k < 12; k++) sum = (sum * sum) >> PLACES;
  return sum;
}

/** Whether keep·(1 − cap) ≤ e^ε·cap·(1 − keep), for exactly these doubles. */
export function spendsAtMost(keep: number, cap: number, epsilon: number): boolean {
  const p = dyadic(keep);
  const q = dyadic(cap);
  const pRest = (1n << p.places) - p.digits;
  const qRest = (1n << q.places) - q.digits;
  return (p.digits * qRest) << PLACES <= q.digits * pRest * expBelow(epsilon);
}

/** Whether keep·(1 − cap)/(cap·(1 − keep)) ≤ bound, for exactly these doubles. */
export function ratioAtMost(keep: number, cap: number, bound: number): boolean {
  const p = dyadic(keep);
  const q = dyadic(cap);
  const b = dyadic(bound);
  const pRest = (1n << p.places) - p.digits;
  const qRest = (1n << q.places) - q.digits;
  return (p.digits * qRest) << b.places <= q.digits * pRest * b.digits;
}

/** Whether bound ≤ e^ε. */
export function belowExp(bound: number, epsilon: number): boolean {
  const { digits, places } = dyadic(bound);
  return digits << PLACES <= expBelow(epsilon) << places;
}
