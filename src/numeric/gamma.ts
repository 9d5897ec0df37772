import { checkPositive } from '../check/number.ts';

const { log } = Math;

/** ½ log(2π). */
const HALF_LOG_2PI = 0.9189385332046728;

/** From here on Stirling's series is used: its eighth term is below 4e-17. */
const STIRLING_FROM = 10;

/**
 * log Γ(x) for x > 0, to about 1e-15 relative everywhere, the zeros at 1 and 2 included.
 *
 * @throws TypeError or RangeError unless x is a finite number > 0.
 */
export function logGamma(x: number): number {
  checkPositive('x', x);
  if (x >= STIRLING_FROM) return (x - 0.5) * log(x) - x + HALF_LOG_2PI + stirlingSeries(x);
  // Γ(x) = Γ(1 + x)/x, written with u = x, so 1 + x is never rounded.
  if (x < 1) return oneToThree(x) - log(x);
  // Γ(x) = (x−1)(x−2)…y·Γ(y) with y in (2, 3]: both logarithms are positive, nothing cancels.
  let product = 1;
  let y = x;
  while (y > 3) product *= --y;
  return oneToThree(y - 1) + log(product);
}

/**
 * Binet's function log Γ(x) − (x − ½) log x + x − ½ log 2π: what Stirling's formula leaves out, about 1/(12x).
 *
 * The error is absolute, below 1e-14. Ratios of gamma functions of large arguments are written with it, because
 * differences of `logGamma` itself lose as many digits as its size has.
 *
 * @throws TypeError or RangeError unless x is a finite number > 0.
 */
export function stirlingCorrection(x: number): number {
  checkPositive('x', x);
  if (x >= STIRLING_FROM) return stirlingSeries(x);
  return logGamma(x) - (x - 0.5) * log(x) + x - HALF_LOG_2PI;
}

/** Seven terms of Stirling's series, Σ B₂ₖ/(2k(2k−1)x²ᵏ⁻¹). */
function stirlingSeries(x: number): number {
  const s = 1 / (x * x);
  let series = (s / 156 - 691 / 360360) * s + 1 / 1188;
  series = (series * s - 1 / 1680) * s + 1 / 1260;
  return ((series * s - 1 / 360) * s + 1 / 12) / x;
}

/**
 * log Γ(1 + u) for u in [0, 2] as u(u − 1) times a minimax quotient, relative error 1.1e-17, fitted by the Remez
 * exchange at 50 digits; its coefficients are positive, so nothing cancels.
 */
function oneToThree(u: number): number {
  let above = 1.3249296092876958e-6 * u + 0.0006059734636313508;
  above = (above * u + 0.01915823776483293) * u + 0.19045383652375616;
  above = (above * u + 0.8132260775138249) * u + 1.6592507446458304;
  above = (above * u + 1.5928658561415212) * u + 0.5772156649015329;
  let below = 0.0001564207333612991 * u + 0.008098923375469998;
  below = (below * u + 0.12130252892751409) * u + 0.773114244770418;
  below = (below * u + 2.43268579377769) * u + 3.9583270658261513;
  below = (below * u + 3.1844548518579505) * u + 1;
  return (u * (u - 1) * above) / below;
}
