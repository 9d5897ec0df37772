/** How near to the last accepted ε the search ends, relative to it. */
const TOLERANCE: number = 2 ** -36;

/**
 * The least accepted ε ≥ 0 below one that is known to be acceptable, 1.5e-11 above it at most: 0 where that is accepted.
 * Whatever the rounding inside `accepts`, the number returned *was accepted* (or is the one given).
 */
export function leastEpsilon(accepts: (epsilon: number) => boolean, accepted: number): number {
  if (accepts(0)) return 0;
  let above = accepted;
  let below = above / 2;
  while (accepts(below)) {
    above = below;
    below /= 2;
  }
  while (above - below > TOLERANCE * above) {
    const middle = (above + below) / 2;
    if (accepts(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/**
 * The last accepted number on the way from an accepted to a refused positive number, to within two units in the last
 * place. Whatever the rounding inside `accepts`, the number returned *was accepted*.
 *
 * The walk is by bisection, geometric while the ends are far apart: a calibrator must not depend on smoothness.
 */
export function lastAccepted(accepts: (x: number) => boolean, accepted: number, refused: number): number {
  let inside = accepted;
  let outside = refused;
  for (;;) {
    const far = inside > 4 * outside || outside > 4 * inside;
    // The square roots are taken apart so that neither the product nor the quotient can overflow.
    const middle = far ? Math.sqrt(inside) * Math.sqrt(outside) : inside + (outside - inside) / 2;
    if (middle === inside || middle === outside || Math.abs(outside - inside) <= 2 ** -52 * inside) return inside;
    if (accepts(middle)) inside = middle;
    else outside = middle;
  }
}
