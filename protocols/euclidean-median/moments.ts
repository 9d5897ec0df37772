import type { MomentTally, ReportTally } from '../../src/core/channel.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import type { SmoothFunction } from '../../src/optimize/oracle.ts';
import { evaluatePolynomial, polynomialDerivative } from '../../src/polynomial/chebyshev.ts';
import { addHermiteLift } from '../../src/polynomial/heat.ts';
import { createLift, createLiftedPolynomial, type Lift, type LiftedPolynomial } from '../../src/polynomial/lift.ts';
import { blockCoefficient, type RadialBlock, type RadialFeatures, radialFeatures } from './blocks.ts';
import type { CopiesParameters, GaussianParameters, LiftedParameters } from './parameters.ts';

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

/** The means in a tally of `lifted` reports. */
export function liftedMoments(parameters: LiftedParameters, { players, sums }: MomentTally): RadialMoments {
  const { features, scales, mechanism } = parameters;
  const values = new Float64Array(features.size);
  features.blocks.forEach(({ offset, size }, block) => {
    for (let i = offset; i < offset + size; i++) values[i] = sums[i] / (players * scales[block]);
  });
  const variances = scales.map((scale) => mechanism.coordinateVariance / (scale * scale * players));
  return { features, values, players, noise: { kind: 'blocks', variances } };
}

/** The means in a tally of `gaussian` reports. */
export function gaussianMoments(parameters: GaussianParameters, { players, sums }: MomentTally): RadialMoments {
  const { dimension, degree, lift, sigma } = parameters;
  const features = radialFeatures(dimension, degree);
  const values = contract(lift, sums, features).map((sum) => sum / players);
  return { features, values, players, noise: { kind: 'copy', sigma } };
}

/** The means in a tally of noisy copies, averaged within each report: one Gaussian copy with noise σ/√L. */
export function averagedMoments(
  { dimension, degree, copies, sigma, length }: CopiesParameters,
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

/** The entry of the monomial of a sorted index sequence, for all of a lift. */
function entryTable({ size, parent, factor }: Lift): {
  sequences: number[][];
  entryOf: (sequence: number[]) => number;
} {
  const sequences: number[][] = [];
  const entries = new Map<string, number>();
  for (let entry = 0; entry < size; entry++) {
    const before = parent[entry] < 0 ? [] : sequences[parent[entry]];
    sequences.push([...before, factor[entry]]);
    entries.set(sequences[entry].join(), entry);
  }
  return { sequences, entryOf: (sequence) => entries.get([...sequence].sort((a, b) => a - b).join()) as number };
}

/**
 * Sums of ‖x‖^{2a}·sym^b(x) from sums of the symmetric powers up to 2k + 2: ‖x‖² is contracted a times,
 * raw(a, q) = Σ_i raw(a − 1, q·x_i²) for a monomial q.
 */
function contract(lift: Lift, sums: Float64Array, features: RadialFeatures): Float64Array {
  const { sequences, entryOf } = entryTable(lift);
  const values = new Float64Array(features.size);
  const most = features.degree + 1;
  // raw[entry] for the current a, and raw(a, 1), the one number that has no entry.
  let raw = Float64Array.from(sums, (sum, entry) => sum / lift.weight[entry]);
  let alone = Number.NaN;
  for (let a = 0; a <= most; a++) {
    for (const block of features.blocks) if (block.radial === a) writeBlock(features, block, raw, alone, values);
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

function writeBlock(
  { lift }: RadialFeatures,
  { power, offset, size }: RadialBlock,
  raw: Float64Array,
  alone: number,
  values: Float64Array,
): void {
  if (power === 0) {
    values[offset] = alone;
    return;
  }
  const from = lift.offsets[power - 1];
  for (let i = 0; i < size; i++) values[offset + i] = lift.weight[from + i] * raw[from + i];
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
    const only = Array.from({ length: power }, (_, j) => (j + 1 === power ? 1 : 0));
    return createLiftedPolynomial(lift, only, moments);
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

  const means = Array.from({ length: degree + 2 }, (_, m) =>
    risk(Array.from({ length: m + 1 }, (_, j) => (j === m ? 1 : 0))),
  );
  return { risk, powerMeans: (w) => Float64Array.from(means, (mean) => mean.value(Float64Array.from(w))) };
}
