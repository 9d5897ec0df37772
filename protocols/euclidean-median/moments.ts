import { checkInteger, RefusedValue } from '../../src/check/refusal.ts';
import type { MomentTally, ReportTally } from '../../src/core/channel.ts';
import { euclideanNorm, innerProduct } from '../../src/numeric/matrix.ts';
import type { SmoothFunction } from '../../src/optimize/oracle.ts';
import { polynomialDerivative } from '../../src/polynomial/chebyshev.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { addHermiteLift } from '../../src/polynomial/heat.ts';
import {
  createLift,
  createLiftedPolynomial,
  type Lift,
  type LiftedPolynomial,
  liftSize,
  MAXIMUM_LIFT,
} from '../../src/polynomial/lift.ts';

/** Means of the features of x, without bias, and the noise in them. */
export interface RadialMoments {
  /** Which features. */
  readonly features: RadialFeatures;
  /** E ‖x‖^{2a}·sym^b(x), block after block; `features.size` numbers. */
  readonly values: Float64Array;
  /** Number of reports. */
  readonly players: number;
  /** Privacy noise in the means: independent with this variance in every entry of a block, or one Gaussian copy's. */
  readonly noise:
    | { readonly kind: 'blocks'; readonly variances: readonly number[] }
    | { readonly kind: 'copy'; readonly sigma: number };
}

/** What parameters with powers or copies of x have. */
interface CopyReports {
  readonly dimension: number;
  readonly degree: number;
  readonly sigma: number;
}

/** What parameters of `lifted` say of their reports. */
interface LiftedReports {
  readonly features: RadialFeatures;
  readonly scales: readonly number[];
  readonly mechanism: { readonly coordinateVariance: number };
}

/** The means in a tally of `lifted` reports. */
export function liftedMoments(
  { features, scales, mechanism }: LiftedReports,
  { players, sums }: MomentTally,
): RadialMoments {
  const values = new Float64Array(features.size);
  features.blocks.forEach(({ offset, size }, block) => {
    for (let i = offset; i < offset + size; i++) values[i] = sums[i] / (players * scales[block]);
  });
  const variances = scales.map((scale) => mechanism.coordinateVariance / (scale * scale * players));
  return { features, values, players, noise: { kind: 'blocks', variances } };
}

/** The means in a tally of `gaussian` reports. */
export function gaussianMoments(
  { dimension, degree, lift, sigma }: CopyReports & { readonly lift: Lift },
  { players, sums }: MomentTally,
): RadialMoments {
  const features = radialFeatures(dimension, degree);
  const values = contract(lift, sums, features).map((sum) => sum / players);
  return { features, values, players, noise: { kind: 'copy', sigma } };
}

/** The means in a tally of noisy copies, averaged within each report: one Gaussian copy with noise σ/√L. */
export function averagedMoments(
  { dimension, degree, copies, sigma, length }: CopyReports & { readonly copies: number; readonly length: number },
  { players, values }: ReportTally,
): RadialMoments {
  const features = radialFeatures(dimension, degree);
  const lift = createLift(dimension, 2 * degree + 2);
  const point = new Float64Array(dimension);
  const sums = new Float64Array(lift.size);
  const scratch = new Float64Array(lift.size);
  for (let i = 0; i < players; i++) {
    point.fill(0);
    for (let copy = 0, at = i * length; copy < copies; copy++) {
      for (let j = 0; j < dimension; j++, at++) point[j] += values[at] / copies;
    }
    addHermiteLift(lift, point, sigma ** 2 / copies, sums, scratch);
  }
  const means = contract(lift, sums, features).map((sum) => sum / players);
  return { features, values: means, players, noise: { kind: 'copy', sigma: sigma / Math.sqrt(copies) } };
}

/** The coordinates of each entry, and the entry of some coordinates in any order. */
function entryTable({ size, parent, factor }: Lift) {
  const sequences: number[][] = [];
  const entries = new Map<string, number>();
  for (let entry = 0; entry < size; entry++) {
    const before = parent[entry] < 0 ? [] : sequences[parent[entry]];
    sequences.push([...before, factor[entry]]);
    entries.set(sequences[entry].join(), entry);
  }
  const entryOf = (sequence: number[]): number => entries.get([...sequence].sort((a, b) => a - b).join()) as number;
  return { sequences, entryOf };
}

/** Sums of ‖x‖^{2a}·sym^b(x) from symmetric powers up to 2k + 2: raw(a, q) = Σ_i raw(a − 1, q·x_i²). */
function contract(lift: Lift, sums: Float64Array, features: RadialFeatures): Float64Array {
  const { sequences, entryOf } = entryTable(lift);
  const values = new Float64Array(features.size);
  const most = features.degree + 1;
  // raw[entry] for the current a, and raw(a, 1), the one number that has no entry.
  let raw = Float64Array.from(sums, (sum, entry) => sum / lift.weight[entry]);
  let alone = Number.NaN;
  for (let a = 0; a <= most; a++) {
    for (const { radial, power, offset, size } of features.blocks) {
      if (radial !== a) continue;
      if (power === 0) {
        values[offset] = alone;
        continue;
      }
      const from = lift.offsets[power - 1];
      for (let i = 0; i < size; i++) values[offset + i] = lift.weight[from + i] * raw[from + i];
    }
    const next = new Float64Array(raw.length);
    alone = 0;
    for (let i = 0; i < lift.dimension; i++) alone += raw[entryOf([i, i])];
    // Powers that later contractions still reach.
    const range = lift.offsets[Math.max(0, lift.degree - 2 * (a + 1))];
    for (let entry = 0; entry < range; entry++) {
      for (let i = 0; i < lift.dimension; i++) next[entry] += raw[entryOf([...sequences[entry], i, i])];
    }
    raw = next;
  }
  return values;
}

/** What moments say about the risk at any w. */
export interface RadialRisks {
  /** E r^m, r = ‖w − x‖², for m = 0 … k + 1. */
  powerMeans(w: ArrayLike<number>): Float64Array;
  /** w ↦ E S(‖w − x‖²) for a potential S = Σ s_m r^m of degree at most k + 1: a polynomial in w, with its gradient. */
  risk(potential: ArrayLike<number>): SmoothFunction;
}

/** Evaluators of the means of radial polynomials, from moments. */
export function radialRisks({ features, values }: RadialMoments): RadialRisks {
  const { dimension, degree, blocks } = features;
  const inners: readonly (LiftedPolynomial | undefined)[] = blocks.map(({ power, offset, size }) => {
    if (power === 0) return undefined;
    const lift = createLift(dimension, power);
    const moments = new Float64Array(lift.size);
    moments.set(values.subarray(offset, offset + size), lift.offsets[power - 1]);
    return createLiftedPolynomial(lift, new Float64Array(power).fill(1, power - 1), moments);
  });

  function risk(potential: ArrayLike<number>): SmoothFunction {
    // The polynomial in ρ = ‖w‖² that multiplies each block, and its derivative.
    const factors = blocks.map((block) => {
      const { radial, power } = block;
      const length = Math.max(1, potential.length - radial - power);
      return Float64Array.from({ length }, (_, alpha) => {
        const m = alpha + radial + power;
        return m < potential.length ? potential[m] * blockCoefficient(m, block) : 0;
      });
    });
    const slopes = factors.map(polynomialDerivative);
    const free = Float64Array.from(potential);
    const freeSlope = polynomialDerivative(free);
    const part = new Float64Array(dimension);
    return {
      dimension,
      value(w) {
        const rho = innerProduct(w, w);
        let sum = evaluatePolynomial(free, rho);
        for (let b = 0; b < blocks.length; b++) {
          const inner = inners[b]?.value(w) ?? values[blocks[b].offset];
          sum += evaluatePolynomial(factors[b], rho) * inner;
        }
        return sum;
      },
      gradient(w, target) {
        const rho = innerProduct(w, w);
        let along = evaluatePolynomial(freeSlope, rho);
        target.fill(0);
        for (let b = 0; b < blocks.length; b++) {
          const polynomial = inners[b];
          if (polynomial === undefined) {
            along += evaluatePolynomial(slopes[b], rho) * values[blocks[b].offset];
            continue;
          }
          const inner = polynomial.gradient(w, part);
          const factor = evaluatePolynomial(factors[b], rho);
          for (let i = 0; i < dimension; i++) target[i] += factor * part[i];
          along += evaluatePolynomial(slopes[b], rho) * inner;
        }
        for (let i = 0; i < dimension; i++) target[i] += 2 * along * w[i];
      },
    };
  }

  const means = Array.from({ length: degree + 2 }, (_, m) => risk(monomial(m)));
  return { risk, powerMeans: (w) => Float64Array.from(means, (mean) => mean.value(Float64Array.from(w))) };
}

/** One feature vector of x: ‖x‖^{2·radial}·sym^power(x), of norm ‖x‖^{2·radial + power}. */
export interface RadialBlock {
  /** a, the power of ‖x‖². */
  readonly radial: number;
  /** b, the symmetric power of x; 0 for a number. */
  readonly power: number;
  /** Its first entry among the features. */
  readonly offset: number;
  /** Number of entries. */
  readonly size: number;
}

/**
 * The features ‖x‖^{2a}·sym^b(x), 1 ≤ a + b ≤ k + 1. For every w, the mean of any polynomial of degree k + 1 in
 * r = ‖w − x‖² is linear in their means. For k = 1 they are x, ‖x‖², sym²(x), x‖x‖² and ‖x‖⁴; gradients do not need
 * the last.
 */
export interface RadialFeatures {
  /** p. */
  readonly dimension: number;
  /** k, the degree of the polynomial Q(r) in a gradient Q(r)(w − x). */
  readonly degree: number;
  /** The blocks, by a + b and then by a. */
  readonly blocks: readonly RadialBlock[];
  /** Number of entries of all blocks together. */
  readonly size: number;
  /** Symmetric powers of x up to k + 1. */
  readonly lift: Lift;
}

/** Highest degree of every variant. */
export const MAXIMUM_DEGREE = 8;

/** The features for gradients of degree k in dimension p. Where there are too many, the refusal names a degree that fits. */
export function radialFeatures(dimension: number, degree: number): RadialFeatures {
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  checkInteger('degree', degree, 0, MAXIMUM_DEGREE);
  if (featureCount(dimension, degree) > MAXIMUM_LIFT) {
    let most = degree - 1;
    while (most >= 0 && featureCount(dimension, most) > MAXIMUM_LIFT) most--;
    const size = `(${MAXIMUM_LIFT} features at most)`;
    if (most < 0) throw new RefusedValue('dimension', `at most ${MAXIMUM_LIFT - 1} ${size}`, dimension);
    // Degree 1 is the usual one: where it is too much, it is the dimension that is too large.
    if (most < 1) throw new RefusedValue('dimension', `fewer for degree ${degree} ${size}; degree 0 fits`, dimension);
    throw new RefusedValue('degree', `at most ${most} in dimension ${dimension} ${size}`, degree);
  }
  const lift = createLift(dimension, degree + 1);
  const blocks: RadialBlock[] = [];
  let offset = 0;
  for (let order = 1; order <= degree + 1; order++) {
    for (let radial = 0; radial <= order; radial++) {
      const power = order - radial;
      const size = blockSize(dimension, power);
      blocks.push({ radial, power, offset, size });
      offset += size;
    }
  }
  return { dimension, degree, blocks, size: offset, lift };
}

/** C(p + b − 1, b) entries in the b-th symmetric power. */
function blockSize(dimension: number, power: number): number {
  if (power === 0) return 1;
  return liftSize(dimension, power) - (power === 1 ? 0 : liftSize(dimension, power - 1));
}

function featureCount(dimension: number, degree: number): number {
  let count = 0;
  for (let order = 1; order <= degree + 1; order++) {
    for (let power = 0; power <= order; power++) count += blockSize(dimension, power);
  }
  return Number.isNaN(count) ? Infinity : count;
}

/**
 * Writes the features of x into the first `features.size` entries of `target`, block after block, each multiplied by
 * its scale. The symmetric powers of x, unscaled, are in `powers` (see `fillLift`). No allocation.
 */
export function fillFeatures(
  features: RadialFeatures,
  scales: ArrayLike<number>,
  powers: ArrayLike<number>,
  squaredNorm: number,
  target: Float64Array,
): void {
  const { blocks, lift } = features;
  for (let block = 0; block < blocks.length; block++) {
    const { radial, power, offset, size } = blocks[block];
    let factor = scales[block];
    for (let i = 0; i < radial; i++) factor *= squaredNorm;
    if (power === 0) {
      target[offset] = factor;
      continue;
    }
    const from = lift.offsets[power - 1];
    for (let i = 0; i < size; i++) target[offset + i] = factor * powers[from + i];
  }
}

/** The symmetric powers of x up to 2k + 2, which a tally of Gaussian copies holds. A refusal names a degree that fits. */
export function momentLift(dimension: number, degree: number): Lift {
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  checkInteger('degree', degree, 0, MAXIMUM_DEGREE);
  if (liftSize(dimension, 2 * degree + 2) > MAXIMUM_LIFT) {
    let most = degree - 1;
    while (most >= 0 && liftSize(dimension, 2 * most + 2) > MAXIMUM_LIFT) most--;
    const expected = `powers of x up to 2k + 2 with at most ${MAXIMUM_LIFT} entries`;
    const fits = most < 0 ? 'no degree fits' : `k = ${most} fits`;
    if (most < 1) throw new RefusedValue('dimension', `${expected} for k = ${degree} (${fits})`, dimension);
    throw new RefusedValue('degree', `${expected} in dimension ${dimension} (${fits})`, degree);
  }
  return createLift(dimension, 2 * degree + 2);
}

/** The coefficient of ‖w‖^{2α}·⟨sym^b(w), ‖x‖^{2a}sym^b(x)⟩ in ‖w − x‖^{2m}: m!/(α!·b!·a!)·(−2)^b, α = m − a − b. */
export function blockCoefficient(m: number, { radial, power }: Pick<RadialBlock, 'radial' | 'power'>): number {
  const alpha = m - radial - power;
  if (alpha < 0) return 0;
  let coefficient = (-2) ** power;
  // m!/(α!·a!·b!) factor by factor: whole at every step.
  for (let i = 1; i <= radial; i++) coefficient *= (alpha + i) / i;
  for (let i = 1; i <= power; i++) coefficient *= (alpha + radial + i) / i;
  return Math.round(coefficient);
}

/**
 * How far noise in the moments can move E r^m at any w of one length, also at one that the noise helped to choose: what each block
 * adds is an inner product with sym^b(w), and so at most ‖w‖^b times the length of its noise.
 */
export function powerReach({ blocks }: RadialFeatures, noise: Float64Array, m: number, length: number): number {
  let sum = 0;
  for (const block of blocks) {
    const { radial, power, offset, size } = block;
    if (radial + power > m) continue;
    const along = Math.abs(blockCoefficient(m, block)) * length ** (2 * (m - radial) - power);
    sum += along * euclideanNorm(noise.subarray(offset, offset + size));
  }
  return sum;
}

/** The coefficients of r^m. */
export function monomial(m: number): Float64Array {
  return new Float64Array(m + 1).fill(1, m);
}

/** Coefficients of S with S′ = Q/2, so that ∇S(‖w − x‖²) = Q(r)(w − x): s_m = c_{m−1}/(2m); s_0 is given. */
export function potential(gradient: ArrayLike<number>, constant: number = 0): Float64Array {
  return Float64Array.from({ length: gradient.length + 1 }, (_, m) => (m === 0 ? constant : gradient[m - 1] / (2 * m)));
}

/**
 * The mean of ⟨noise of one gradient, noise of another⟩, from noise of variance 1 in every entry of one block. The
 * gradients are Q(r)(w − x) with the coefficients `left` and `right`, at ‖w‖² = ρ.
 *
 * Law: the block's part of a gradient is ∇(A(ρ)·⟨sym^b(w), M⟩), A = Σ_m s_m·coefficient·ρ^α. With
 * ⟨sym^b, ∇sym^b⟩ = bρ^{b−1}·w and `‖∇sym^b‖² = b(p + b − 1)ρ^{b−1}`, a pair of powers α, α′ contributes
 * `ρ^{α+α′+b−1}·(4αα′ + 2(α + α′)b + b(p + b − 1))`.
 */
export function liftedGradientNoise(
  block: RadialBlock,
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  dimension: number,
  squaredNorm: number,
): number {
  const { radial, power } = block;
  let sum = 0;
  for (let m = 1; m <= left.length; m++) {
    const alpha = m - radial - power;
    if (alpha < 0 || left[m - 1] === 0) continue;
    for (let n = 1; n <= right.length; n++) {
      const beta = n - radial - power;
      if (beta < 0 || right[n - 1] === 0) continue;
      const bracket = 4 * alpha * beta + 2 * (alpha + beta) * power + power * (dimension + power - 1);
      if (bracket === 0) continue;
      const coefficients = ((blockCoefficient(m, block) * left[m - 1]) / (2 * m)) * blockCoefficient(n, block);
      sum += ((coefficients * right[n - 1]) / (2 * n)) * bracket * squaredNorm ** (alpha + beta + power - 1);
    }
  }
  return sum;
}

/** Variance of the value of a potential Σ s_m r^m at ‖w‖² = ρ, from noise of variance 1 in each entry of one block. */
export function liftedValueNoise(block: RadialBlock, values: ArrayLike<number>, squaredNorm: number): number {
  const { radial, power } = block;
  let factor = 0;
  for (let m = radial + power; m < values.length; m++) {
    factor += values[m] * blockCoefficient(m, block) * squaredNorm ** (m - radial - power);
  }
  return factor * factor * squaredNorm ** power;
}
