import type { RatePoint } from 'ldpkit/testing';

const { abs, exp, log, max, sqrt } = Math;

/** The slope of the log odds on log n that is expected before any count is seen, and its deviation. */
const STEEPNESS = 4;
const STEEPNESS_DEVIATION = 2;
const LEAST_STEEPNESS = 0.1;

/** How often something succeeded with n players. */
export interface SuccessCount {
  readonly players: number;
  readonly successes: number;
  readonly trials: number;
}

/**
 * The number of players for which one half succeeds, by logistic regression on log n.
 *
 * Law: maximum likelihood by Newton's method; the standard error of log n is that of the inverse information, by the delta method.
 * A normal prior of the steepness keeps it finite where no count is between none and all; many counts outweigh it.
 */
export function halfWay(x: number, counts: readonly SuccessCount[]): RatePoint {
  const centre = counts.reduce((sum, { players }) => sum + log(players), 0) / counts.length;
  let [level, slope] = [0, STEEPNESS];
  let [a, b, c] = [1, 0, 1];
  for (let step = 0; step < 100; step++) {
    let [first, second] = [0, (STEEPNESS - slope) / STEEPNESS_DEVIATION ** 2];
    [a, b, c] = [1e-9, 0, 1 / STEEPNESS_DEVIATION ** 2];
    for (const { players, successes, trials } of counts) {
      const z = log(players) - centre;
      const p = 1 / (1 + exp(-(level + slope * z)));
      const weight = trials * p * (1 - p);
      first += successes - trials * p;
      second += z * (successes - trials * p);
      a += weight;
      b += weight * z;
      c += weight * z * z;
    }
    const determinant = a * c - b * b;
    const [up, along] = [(c * first - b * second) / determinant, (a * second - b * first) / determinant];
    // Newton's steps are halved where they are long: the likelihood is concave.
    const length = 1 / (1 + abs(up) + abs(along));
    level += length * up;
    slope += length * along;
    if (abs(up) + abs(along) < 1e-10) break;
  }
  // Success grows with the players, whatever few counts look like.
  slope = max(slope, LEAST_STEEPNESS);
  const at = -level / slope;
  // ∂at/∂level = −1/slope, ∂at/∂slope = −at/slope, and the inverse of the information.
  const variance = (c - 2 * at * b + at * at * a) / (a * c - b * b) / (slope * slope);
  return { x, y: exp(centre + at), relative: sqrt(variance) };
}
