import { checkInteger, checkPositive, checkUnit, RefusedValue } from '../check/refusal.ts';
import { addProducts } from '../numeric/matrix.ts';

const { exp, floor, log, min, sqrt } = Math;

const LAYERS = 256;

/**
 * Where the tail begins, and the area of each layer: the only pair for which the 256 layers end exactly at the top.
 * Computed with 40 digits; agrees with the table of Doornik (2005).
 */
export const TAIL = 3.654152885361009;
const AREA = 0.004928673233974655;

/** `HEIGHT[i]` = exp(−x²/2) at the outer edge of layer i ≥ 1, and 1 in the middle, after the last. */
export const HEIGHT: Float64Array = new Float64Array(LAYERS + 1);
/** Width of layer i in units of 2³¹: a word, as a signed integer, times this is uniform over the layer. */
export const SCALE: Float64Array = new Float64Array(LAYERS);
/** A point whose word is below this in absolute value lies under the curve at any height in the layer. */
export const INSIDE: Int32Array = new Int32Array(LAYERS);
stackLayers();

/** Stacks the layers from the base, which is a rectangle with the tail beside it, to the top. */
function stackLayers(): void {
  // The base is treated as a rectangle of the same area; its part beyond TAIL stands for the tail.
  let outer = AREA / exp(-0.5 * TAIL * TAIL);
  let inner = TAIL;
  for (let i = 0; i < LAYERS; i++) {
    HEIGHT[i + 1] = i + 1 < LAYERS ? exp(-0.5 * inner * inner) : 1;
    SCALE[i] = outer * 2 ** -31;
    INSIDE[i] = (inner / outer) * 2 ** 31;
    outer = inner;
    inner = i < LAYERS - 2 ? sqrt(-2 * log(HEIGHT[i + 1] + AREA / outer)) : 0;
  }
}

/**
 * A source of uniform random bits: a pool of 32-bit words and a way to get more.
 *
 * The laws in this folder take their words straight from the pool, so that a draw costs no call into the source. Words
 * before `next` are spent. A law that needs k ≤ 32 words refills first if fewer are left, then takes them in order.
 */
export interface Random {
  /** The pool, at least 64 words long. Only the source writes to it. */
  readonly words: Uint32Array;
  /** Index of the first unspent word; `words.length` when the pool is spent. The code that takes words advances it. */
  next: number;
  /**
   * Brings fresh words: afterwards at least 32 words, up to the end of the pool, are unspent. Words that were unspent
   * before come first or are dropped; each source may choose. Call it only when fewer than 32 words are left.
   */
  refill(): void;
  /** The state of sfc32 after the words of the pool, where these are its words. The code that makes more of them advances it. */
  readonly state?: Int32Array;
}

/** The spacing of the grid on which {@link uniform} falls. */
const STEP = 2 ** -52;

/** The next 32 uniform bits, as an integer in [0, 2³²). */
export function bits(random: Random): number {
  if (random.next >= random.words.length) random.refill();
  return random.words[random.next++];
}

/**
 * A uniform number strictly between 0 and 1.
 *
 * Law: each odd multiple of 2⁻⁵³ in (0, 1) has the same probability. The grid is symmetric: 1 − u, which is exact, has
 * the same law.
 *
 * @example
 * ```ts
 * import { seededRandom } from 'ldpkit';
 * import { uniform } from 'ldpkit/mechanism';
 * const random = seededRandom('example');
 * console.log(uniform(random) < 1, uniform(random) >= 0); // true true
 * ```
 */
export function uniform(random: Random): number {
  if (random.next + 2 > random.words.length) random.refill();
  const { words, next } = random;
  random.next = next + 2;
  return (words[next] * 0x100000 + (words[next + 1] >>> 12) + 0.5) * STEP;
}

/**
 * A whole number from 0 to `count` − 1, all equally likely (without bias, by rejection).
 * @throws TypeError or RangeError for a count that is not a whole number from 1 to 2⁵³.
 */
export function uniformInteger(count: number, random: Random): number {
  if (!(count >= 1 && count <= 2 ** 53 && floor(count) === count)) checkInteger('count', count, 1, 2 ** 53);
  if (count < 2 ** 32) {
    // Words of the last, incomplete run of `count` values are refused: fewer than half of all.
    for (;;) {
      const word = bits(random);
      const rest = word % count;
      if (word - rest <= 2 ** 32 - count) return rest;
    }
  }
  for (;;) {
    const high = bits(random);
    const number = high * 2 ** 21 + (bits(random) >>> 11);
    const rest = number % count;
    if (number - rest <= 2 ** 53 - count) return rest;
  }
}

/**
 * A uniformly random order of 0 … `count` − 1 (Fisher–Yates).
 * @throws TypeError or RangeError for a count that is not a whole number from 0 to 2³² − 1.
 */
export function permutation(count: number, random: Random): Uint32Array {
  const order = new Uint32Array(checkInteger('count', count, 0, 2 ** 32 - 1));
  for (let i = 0; i < count; i++) order[i] = i;
  for (let i = count - 1; i > 0; i--) {
    const other = uniformInteger(i + 1, random);
    const kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  return order;
}

/**
 * True with the given probability, exactly: a uniform number is compared with the probability digit by digit in base
 * 2³², for as many digits as needed (nearly always one). Always false at 0 and always true at 1.
 * @throws TypeError for anything that is not a number, RangeError outside [0, 1].
 */
export function bernoulli(probability: number, random: Random): boolean {
  // The hot path makes no call.
  if (!(typeof probability === 'number' && probability >= 0 && probability <= 1)) checkUnit('probability', probability);
  let rest = probability;
  // Multiplying by 2³² and subtracting the whole part are exact, so the digits end.
  while (rest > 0) {
    rest *= 2 ** 32;
    const digit = floor(rest);
    const word = bits(random);
    if (word !== digit) return word < digit;
    rest -= digit;
  }
  return false;
}

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
 * @throws RangeError for a range that does not lie within the target.
 */
export function fillNormal(target: Float64Array, random: Random, from: number = 0, to: number = target.length): void {
  checkRange(target, from, to);
  const { words } = random;
  // A constant of a module is looked up and checked at every use, a local one is not.
  const scale = SCALE;
  const limits = INSIDE;
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
    let layer = 0;
    let x = 0;
    while (i < stop) {
      const low = words[next];
      const high = words[next + 1] | 0;
      next += 2;
      layer = low & 255;
      // 32 + 21 bits: an odd multiple of 2⁻²² below 2³¹ in absolute value, exact in a double.
      x = (high + ((low >>> 11) + 0.5) * 2 ** -21) * scale[layer];
      if ((high ^ (high >> 31)) >= limits[layer]) break;
      target[i++] = x;
    }
    if (i >= stop) continue;
    random.next = next;
    const edge = atEdge(layer, x, random);
    next = random.next;
    if (edge !== 0) target[i++] = edge;
  }
  random.next = next;
}

export function checkRange(target: ArrayLike<number>, from: number, to: number): void {
  if (!(Number.isInteger(from) && from >= 0)) throw new RefusedValue('from', 'a whole number >= 0', from);
  if (!(to <= target.length)) throw new RefusedValue('to', 'at most the length of the target', to);
}

/** Decides about a point that may lie above the curve or in the tail: the number to return, or 0 for a refused one. */
function atEdge(layer: number, x: number, random: Random): number {
  if (layer === 0) return beyondTail(x, random);
  const height = HEIGHT[layer] + uniform(random) * (HEIGHT[layer + 1] - HEIGHT[layer]);
  return height < exp(-0.5 * x * x) ? x : 0;
}

/**
 * For the base: x itself before the tail; otherwise a draw from the tail with the sign of x.
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

/**
 * A gamma number: density proportional to x^(k−1)·exp(−x/s) on (0, ∞), for any shape k > 0 and scale s > 0, by exact
 * rejection. For shapes below about 0.05, part of the law lies below the smallest double and gives 0.
 * Source: G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.
 */
export function gamma(shape: number, scale: number, random: Random): number {
  checkPositive('shape', shape);
  checkPositive('scale', scale);
  if (shape >= 1) return standardGamma(shape, random) * scale;
  // A gamma number of shape k + 1 times U^(1/k) has shape k (section 6). Computed in logarithms, so that a tiny power
  // times a large scale does not underflow in between.
  const raised = standardGamma(shape + 1, random);
  return Math.exp(log(uniform(random)) / shape + log(raised) + log(scale));
}

/** Shape ≥ 1, scale 1: a cubed normal, refused in less than 5 % of all tries. */
function standardGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root * root * root;
    const u = uniform(random);
    // The quartic lies below the exact bound, and saves most of the logarithms.
    if (u < 1 - 0.0331 * x * x * x * x || log(u) < 0.5 * x * x + d * (1 - v + log(v))) return d * v;
  }
}

/**
 * Wishart's law: what the products g·gᵀ of so many normal vectors g of R^p add up to, the lower triangle row after row.
 * Costs p³ at most, for any number of vectors.
 * Source: M. S. Bartlett, "On the theory of statistical regression", Proc. R. Soc. Edinburgh 53, 1933: a lower triangular
 * root whose column k has χ with so many degrees of freedom less k on the diagonal, and normal numbers below.
 */
export function wishart(p: number, vectors: number, random: Random): Float64Array {
  const products = new Float64Array((p * (p + 1)) / 2);
  const rows = new Float64Array(min(p, vectors) * p);
  fillNormal(rows, random);
  for (let k = 0; vectors > p && k < p; k++) {
    rows.fill(0, k * p, k * p + k);
    rows[k * p + k] = sqrt(gamma((vectors - k) / 2, 2, random));
  }
  addProducts(rows, rows, rows.length, p, products);
  return products;
}

/**
 * A Laplace number: density exp(−|x|/s)/(2s), standard deviation √2·s: an exponential number with a fair sign. For
 * simulations: the lowest bits reveal the grid of doubles (Mironov 2012), so it must not be the noise of a deployed
 * report.
 */
export function laplace(scale: number, random: Random): number {
  const magnitude = exponential(scale, random);
  return (bits(random) & 1) === 0 ? magnitude : -magnitude;
}

/** An exponential number with mean `scale`, by inversion of a 53-bit uniform: never 0, at most 36.8 s. */
export function exponential(scale: number, random: Random): number {
  return -checkPositive('scale', scale) * log(uniform(random));
}
