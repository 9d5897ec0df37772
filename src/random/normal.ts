import { refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import type { Random } from './random.ts';
import { uniform } from './uniform.ts';
import { HEIGHT, INSIDE, SCALE, TAIL } from './ziggurat.ts';

const { exp, log, min } = Math;

/**
 * A standard normal number.
 *
 * Law: N(0, 1), by the ziggurat with 256 layers. Sign and 52 bits of mantissa lie on a symmetric grid without 0 and
 * come from bits that the choice of the layer does not use; wedges and tail are exact. 98.5 % of all draws take two
 * words. Simulation-grade: the lowest bits reveal the grid of doubles, so it must not be the noise of a deployed
 * report.
 *
 * Source: G. Marsaglia, W. Tsang, "The ziggurat method", J. Stat. Softw. 5(8), 2000; J. Doornik, "An improved ziggurat
 * method to generate normal random samples", 2005.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { normal } from 'ldpkit/mechanism';
 * const random = seededRandom('example');
 * let sum = 0;
 * for (let i = 0; i < 10_000; i++) sum += normal(random) ** 2;
 * console.log((sum / 10_000).toFixed(1)); // 1.0
 * ```
 */
export function normal(random: Random): number {
  for (;;) {
    if (random.next + 2 > random.words.length) random.refill();
    const { words, next } = random;
    const low = words[next];
    const high = words[next + 1] | 0;
    random.next = next + 2;
    const layer = low & 255;
    const x = (high + ((low >>> 11) + 0.5) * 2 ** -21) * SCALE[layer];
    if ((high ^ (high >> 31)) < INSIDE[layer]) return x;
    const edge = atEdge(layer, x, random);
    if (edge !== 0) return edge;
  }
}

/**
 * Fills `target[from … to − 1]` with independent standard normals: the same numbers, from the same
 * words, as that many calls of {@link normal}, only faster.
 *
 * @throws RangeError for a range that does not lie within the target.
 */
export function fillNormal(target: Float64Array, random: Random, from: number = 0, to: number = target.length): void {
  checkRange(target, from, to);
  const { words } = random;
  let next = random.next;
  let i = from;
  while (i < to) {
    if (next + 2 > words.length) {
      random.next = next;
      random.refill();
      next = random.next;
    }
    // The inner loop has no calls and keeps everything in registers. It ends when the pool or the target ends, or at a
    // point that needs a decision (one in 67).
    const stop = min(to, i + ((words.length - next) >> 1));
    let inside = true;
    let layer = 0;
    let x = 0;
    while (i < stop) {
      const low = words[next];
      const high = words[next + 1] | 0;
      next += 2;
      layer = low & 255;
      // 32 + 21 bits: an odd multiple of 2⁻²² below 2³¹ in absolute value, exact in a double.
      x = (high + ((low >>> 11) + 0.5) * 2 ** -21) * SCALE[layer];
      inside = (high ^ (high >> 31)) < INSIDE[layer];
      if (!inside) break;
      target[i++] = x;
    }
    if (inside) continue;
    random.next = next;
    const edge = atEdge(layer, x, random);
    next = random.next;
    if (edge !== 0) target[i++] = edge;
  }
  random.next = next;
}

/**
 * Refuses a range that does not lie within the target.
 *
 * @throws RangeError.
 */
export function checkRange(target: Float64Array, from: number, to: number): void {
  if (!(Number.isInteger(from) && from >= 0)) throw new RefusedValue(refusal('from', 'a whole number >= 0', from));
  if (!(to <= target.length)) throw new RefusedValue(refusal('to', 'at most the length of the target', to));
}

/** Decides about a point that may lie above the curve or in the tail: the number to return, or 0 for a refused one. */
function atEdge(layer: number, x: number, random: Random): number {
  if (layer === 0) return beyondTail(x, random);
  const height = HEIGHT[layer] + uniform(random) * (HEIGHT[layer + 1] - HEIGHT[layer]);
  return height < exp(-0.5 * x * x) ? x : 0;
}

/**
 * For the base: x itself if it lies before the tail; otherwise a draw from the tail with the sign of x.
 *
 * Source: G. Marsaglia, "Generating a variable from the tail of the normal distribution", Technometrics 6, 1964.
 */
export function beyondTail(x: number, random: Random): number {
  // The test on whole words may have been too coarse.
  if (x > -TAIL && x < TAIL) return x;
  let excess: number;
  do excess = -log(uniform(random)) / TAIL;
  while (-2 * log(uniform(random)) <= excess * excess);
  return x > 0 ? TAIL + excess : -TAIL - excess;
}

/**
 * Fills a vector with a uniform point of the unit sphere S^(p−1), p = `target.length`.
 *
 * Law: a standard normal vector divided by its norm; for p = 1 a fair sign.
 *
 * @throws RangeError for an empty target.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { fillSphere } from 'ldpkit/mechanism';
 * const direction = new Float64Array(3);
 * fillSphere(direction, seededRandom('example'));
 * console.log(Math.hypot(...direction).toFixed(6)); // 1.000000
 * ```
 */
export function fillSphere(target: Float64Array, random: Random): void {
  if (target.length === 0) throw new RefusedValue('"target" expected at least one entry, got none');
  fillNormal(target, random);
  let squared = 0;
  for (let i = 0; i < target.length; i++) squared += target[i] * target[i];
  // No normal is 0, so the norm is not.
  const norm = Math.sqrt(squared);
  for (let i = 0; i < target.length; i++) target[i] /= norm;
}
