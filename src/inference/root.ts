const { abs, exp, max } = Math;

/** Step in log x while a bracket is looked for. */
const STRIDE = 1.5;

/**
 * The x > 0 at which a continuous decreasing function takes the value `target`, to rounding: a bracket grown from 1 by
 * factors, then inverse quadratic interpolation in log x wherever it is safe and bisection wherever it is not.
 *
 * Source: Chandrupatla (1997), A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function.
 *
 * @throws RangeError when the target lies outside the values taken between 1e-300 and 1e300.
 */
export function solveDecreasing(evaluate: (x: number) => number, target: number): number {
  const excess = (u: number): number => evaluate(exp(u)) - target;
  let a = 0;
  let fa = excess(a);
  if (fa === 0) return 1;
  const stride = fa > 0 ? STRIDE : -STRIDE;
  let b = a;
  let fb = fa;
  while (fb > 0 === fa > 0 && fb !== 0) {
    a = b;
    fa = fb;
    b = bounded(b + stride, target);
    fb = excess(b);
  }
  let c = a;
  let fc = fa;
  let t = 0.5;
  while (fb !== 0) {
    const u = a + t * (b - a);
    const f = excess(u);
    if (f > 0 === fa > 0) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = u;
    fa = f;
    const tolerance = 2.3e-16 * max(1, abs(a));
    const width = abs(b - a);
    if (f === 0 || width <= 2 * tolerance) return exp(abs(fa) < abs(fb) ? a : b);
    const place = (a - b) / (c - b);
    const share = (fa - fb) / (fc - fb);
    const safe = share * share < place && (1 - share) * (1 - share) < 1 - place;
    t = safe ? (fa / (fb - fa)) * (fc / (fb - fc)) + ((c - a) / (b - a)) * (fa / (fc - fa)) * (fb / (fc - fb)) : 0.5;
    const least = tolerance / width;
    t = t < least ? least : t > 1 - least ? 1 - least : t;
  }
  return exp(b);
}

function bounded(u: number, target: number): number {
  if (abs(u) < 690) return u;
  throw new RangeError(`"target" expected a value that the function takes, got ${target}`);
}
