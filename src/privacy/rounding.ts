/**
 * How much a number computed with special functions is raised before it is claimed: a few times their error, and far too small to matter to
 * a privacy budget.
 */
const SLACK: number = 2 ** -44;

/** A privacy number ≥ 0 rounded to the safe side: never below the exact value that `value` approximates. */
export function upward(value: number): number {
  return value * (1 + SLACK);
}

// One double, and its bits as a whole number.
const bytes = /* @__PURE__ */ new ArrayBuffer(8);
const asDouble = /* @__PURE__ */ new Float64Array(bytes);
const asBits = /* @__PURE__ */ new BigUint64Array(bytes);

/** The next double above a finite double ≥ 0. */
export function nextAbove(value: number): number {
  asDouble[0] = value;
  asBits[0]++;
  return asDouble[0];
}

/** The next double below a finite double > 0. */
export function nextBelow(value: number): number {
  asDouble[0] = value;
  asBits[0]--;
  return asDouble[0];
}

/** Binary places of {@link exactly}: every double is a whole multiple of the smallest positive double, 2⁻¹⁰⁷⁴. */
const PLACES = 1074n;

/** A finite double ≥ 0 as an exact whole multiple of 2⁻¹⁰⁷⁴. */
function exactly(value: number): bigint {
  asDouble[0] = value;
  const exponent = asBits[0] >> 52n;
  const fraction = asBits[0] & 0xfffffffffffffn;
  return exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
}

/** The first double from `nearest` upwards for which `enough` holds: few steps, as `nearest` is close to the exact value. */
function raisedUntil(nearest: number, enough: (value: bigint) => boolean): number {
  let value = nearest;
  while (value < Infinity && !enough(exactly(value))) value = nextAbove(value);
  return value;
}

/** Numbers ≥ 0, each with how often it occurs. */
export type CountedTerms = readonly (readonly [value: number, count: number])[];

/** Σ counts·values, never below the exact sum of these doubles; it is the sum in doubles if that is large enough. */
export function sumAbove(terms: CountedTerms): number {
  let nearest = 0;
  let exact = 0n;
  for (const [value, count] of terms) {
    nearest += count * value;
    if (nearest < Infinity) exact += BigInt(count) * exactly(value);
  }
  return raisedUntil(nearest, (sum) => sum >= exact);
}

/** √Σ counts·values², never below the exact root for these doubles; below 1e-145 the larger Σ counts·values is returned. */
export function rootSumSquareAbove(terms: CountedTerms): number {
  let nearest = 0;
  let exact = 0n;
  for (const [value, count] of terms) {
    nearest += count * (value * value);
    if (nearest < Infinity) exact += BigInt(count) * exactly(value) ** 2n;
  }
  // Squares that underflow have lost their digits; so far below any budget a bound without squares is enough.
  if (nearest < 1e-290) return terms.reduce((sum, [value, count]) => sum + count * value, 0) * (1 + 2 ** -20);
  return raisedUntil(Math.sqrt(nearest), (root) => root * root >= exact);
}

/** The quotient of a finite number > 0 and a number > 0, never below the exact one: of a sensitivity and the scale of noise. */
export function quotientAbove(numerator: number, denominator: number): number {
  if (!(denominator < Infinity)) return 0;
  const nearest = numerator / denominator;
  if (splittable(numerator) && splittable(denominator) && splittable(nearest)) {
    return coversInDoubles(nearest, denominator, numerator) ? nearest : nextAbove(nearest);
  }
  const [above, below] = [exactly(numerator) << PLACES, exactly(denominator)];
  return raisedUntil(nearest, (quotient) => quotient * below >= above);
}

/** Whether products of such numbers, and the errors of these products, neither overflow nor lose digits. */
function splittable(value: number): boolean {
  return value > 2 ** -400 && value < 2 ** 400;
}

/** The upper 26 bits of a double; the rest has 26 bits as well (Veltkamp). */
function upperHalf(value: number): number {
  const shifted = value * (2 ** 27 + 1);
  return shifted - (shifted - value);
}

/**
 * Whether the exact product of two {@link splittable} doubles is at least a third one. A quotient rounded to nearest is at most one double
 * below the exact one. Whole numbers of thousands of bits say the same in a hundred times the time, and a list of budgets may hold a million.
 */
function coversInDoubles(a: number, b: number, least: number): boolean {
  const product = a * b;
  // Rounding is monotone: a product that is not rounded to `least` itself lies on the side that it shows.
  if (product !== least) return product > least;
  const [aHigh, bHigh] = [upperHalf(a), upperHalf(b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  // The error of the rounded product, exactly (Dekker 1971).
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow) >= 0;
}

/** Half the square of a number ≥ 0, never below the exact value for this double. */
export function halfSquareAbove(value: number): number {
  const exact = exactly(value) ** 2n;
  return raisedUntil((value * value) / 2, (half) => (2n * half) << PLACES >= exact);
}

/** An even part of a total: `parts` times the result is at most `whole` in exact arithmetic. */
export function partWithin(whole: number, parts: number): number {
  const limit = exactly(whole);
  let value = whole / parts;
  while (value > 0 && BigInt(parts) * exactly(value) > limit) value = nextBelow(value);
  return value;
}

/** What is left of a total when a part is spent: `rest`, or the largest double below it that with `part` is at most `whole`. */
export function restWithin(whole: number, part: number, rest: number): number {
  const left = exactly(whole) - exactly(part);
  // The difference in doubles is at most one double away from the exact one.
  let value = Math.min(rest, whole - part);
  while (value > 0 && exactly(value) > left) value = nextBelow(value);
  return value;
}

/**
 * A privacy number in a few significant decimals, rounded up, so that the printed statement is still true. A value within 1e-12 of the
 * shorter decimal is taken to be that decimal, so that 0.1 + 0.2 prints as 0.3.
 */
export function decimalAbove(value: number, digits: number = 6): string {
  const nearest = Number(value.toPrecision(digits));
  return decimal(nearest >= value * (1 - 1e-12) ? nearest : nearest + lastUnit(value, digits), digits);
}

/** The same rounded down, for a lower bound: a value within 1e-12 of the longer decimal is taken to be that decimal. */
export function decimalBelow(value: number, digits: number = 6): string {
  const nearest = Number(value.toPrecision(digits));
  return decimal(nearest <= value * (1 + 1e-12) ? nearest : nearest - lastUnit(value, digits), digits);
}

/** The unit of the last digit printed; toExponential gives the exponent exactly. */
function lastUnit(value: number, digits: number): number {
  return 10 ** (Number(value.toExponential().split('e')[1]) - digits + 1);
}

/** A number in a few significant decimals, rounded to nearest, without trailing zeros; below 1e-3 with an exponent. */
export function decimal(value: number, digits: number = 6): string {
  const nearest = Number(value.toPrecision(digits));
  return nearest !== 0 && Math.abs(nearest) < 1e-3 ? nearest.toExponential() : String(nearest);
}

/**
 * The least accepted ε ≥ 0, searched below one that is known to be acceptable; too large by at most 1.5e-11 relatively, and 0 if 0 is
 * accepted. Whatever the rounding inside `accepts`, the number returned *was accepted* (or is the one given).
 */
export function leastEpsilon(accepts: (epsilon: number) => boolean, accepted: number): number {
  if (accepts(0)) return 0;
  let above = accepted;
  let below = above / 2;
  while (accepts(below)) {
    above = below;
    below /= 2;
  }
  while (above - below > 2 ** -36 * above) {
    const middle = (above + below) / 2;
    if (accepts(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** An accepted and a refused number, a factor apart, searched from 1 on: more is accepted towards where the factor leads. */
export function bracket(accepts: (x: number) => boolean, factor: number): readonly [accepted: number, refused: number] {
  let accepted = 1;
  while (!accepts(accepted)) accepted *= factor;
  let refused = accepted / factor;
  while (accepts(refused)) {
    accepted = refused;
    refused /= factor;
  }
  return [accepted, refused];
}

/**
 * The last accepted number on the way from an accepted to a refused positive number, to within two units in the last place.
 * Whatever the rounding inside `accepts`, the number returned *was accepted*. The search is a bisection, geometric while the ends are
 * far apart, since a calibration must not depend on smoothness.
 */
export function lastAccepted(accepts: (x: number) => boolean, accepted: number, refused: number): number {
  let inside = accepted;
  let outside = refused;
  for (;;) {
    const far = inside > 4 * outside || outside > 4 * inside;
    // The square roots are taken separately so that neither the product nor the quotient can overflow.
    const middle = far ? Math.sqrt(inside) * Math.sqrt(outside) : inside + (outside - inside) / 2;
    if (middle === inside || middle === outside || Math.abs(outside - inside) <= 2 ** -52 * inside) return inside;
    if (accepts(middle)) inside = middle;
    else outside = middle;
  }
}
