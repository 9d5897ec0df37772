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
