import { refusal } from '../check/number.ts';
import { logNormalCdf, logNormalQuantile, normalCdf, normalQuantile } from '../numeric/normal.ts';
import type { Random } from './random.ts';
import { uniform } from './uniform.ts';

const { expm1, log1p, max, min } = Math;

/**
 * A standard normal number, given that it lies between two bounds; either may be infinite.
 *
 * Law: density φ(x)/(Φ(upper) − Φ(lower)) on [lower, upper], by inversion of one 53-bit uniform with no retry, however
 * far out the bounds are. Every probability is computed from the nearer tail, to 1e-12 relative.
 *
 * @throws RangeError unless lower is below upper.
 */
export function truncatedNormal(lower: number, upper: number, random: Random): number {
  if (!(lower < upper)) throw new RangeError(refusal('lower', `a number below "upper" = ${upper}`, lower));
  const u = uniform(random);
  // By symmetry the mass is in the left tail, or most of it: there Φ has full relative precision.
  const x = lower + upper > 0 ? -invert(-upper, -lower, u) : invert(lower, upper, u);
  // Rounding may step over a bound by a unit in the last place.
  return min(upper, max(lower, x));
}

/** The u-quantile between a and b, where a + b ≤ 0. */
function invert(a: number, b: number, u: number): number {
  if (b > -36) {
    const belowA = normalCdf(a);
    const between = normalCdf(b) - belowA;
    const below = belowA + u * between;
    if (below <= 0.5) return normalQuantile(below);
    return -normalQuantile(normalCdf(-b) + (1 - u) * between);
  }
  // Φ may underflow: log(Φ(a)/Φ(b)), then log Φ at the quantile.
  if (b > -1e8) {
    const atB = logNormalCdf(b);
    return logNormalQuantile(atB + log1p((1 - u) * expm1(logNormalCdf(a) - atB)));
  }
  // So far out the law is exponential with rate |b| to the precision of doubles, and squares might overflow.
  return b - log1p((1 - u) * expm1(b * (b - a))) / b;
}
