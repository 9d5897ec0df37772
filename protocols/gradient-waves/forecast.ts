import { checkInteger } from '../../src/check/refusal.ts';
import type { Expectation, ForecastSetting, Theory } from '../../src/core/contract.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { fillNormal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { hingeOptimum } from '../../src/simulation/metrics.ts';
import { type ReferencePopulation, referencePopulation } from '../generalized-linear/margin/reference-population.ts';
import { type GradientWavesPlan, LOSS, type WaveLoss } from './parameters.ts';
import { channelClaims, coordinateNoise, nextPoint, type PointGradient } from './server.ts';

const { abs, ceil, exp, sqrt } = Math;

/** P(right label) − P(wrong label) of the population assumed. */
const SIGNAL = 0.5;

/** Features for which a population is made: its records are kept in memory. */
const MOST_FEATURES = 1000;

/** Draws of all noise that are averaged. */
const DRAWS = 32;

/** Mean risk of a population at w, and the variance of a coordinate of one gradient; the mean is written into `target`. */
function riskAt(
  { variant }: Pick<GradientWavesPlan, 'variant'>,
  { dimension, members, records }: ReferencePopulation,
  w: Float64Array,
  target: Float64Array,
): { readonly risk: number; readonly spread: number } {
  const loss = LOSS[variant];
  const one = new Float64Array(dimension);
  target.fill(0);
  let risk = 0;
  let squares = 0;
  for (let i = 0; i < members; i++) {
    // The loss of (x, y) with y = ±1 is that of (y·x, 1), and a point needs no label.
    const datum = { features: records.subarray(i * dimension, (i + 1) * dimension), label: 1 };
    risk += loss.value(w, datum) / members;
    loss.fillGradient(w, datum, one);
    for (let j = 0; j < dimension; j++) target[j] += one[j] / members;
    squares += innerProduct(one, one) / members;
  }
  return { risk, spread: (squares - innerProduct(target, target)) / dimension };
}

/**
 * The excess risk to expect of n players: the whole descent on the reference population, with the mean gradients of the
 * waves as n players report them (Gaussian by the central limit theorem, privacy noise and sampling), averaged over
 * draws of all noise.
 *
 * @throws TypeError or RangeError naming the field; RangeError for more than 1000 features.
 */
export function forecast(plan: GradientWavesPlan, setting: ForecastSetting): Expectation {
  const players = checkInteger('players', setting.players, 1);
  const { waves, shares, radius, variant } = plan;
  const dimension = checkInteger('dimension', plan.dimension, 1, MOST_FEATURES);
  const population = referencePopulation(dimension, SIGNAL);
  const least = leastRisk(variant, populationRecords(population), radius);
  const random = seededRandom(`waves ${plan.digest}`);
  const gradient = new Float64Array(dimension);
  const excessOf = (noise: number): number => {
    const past: PointGradient[] = [];
    const normals = new Float64Array(dimension);
    for (let t = 0; t < waves; t++) {
      const w = nextPoint(plan, past);
      const { spread } = riskAt(plan, population, w, gradient);
      const reports = Math.max(1, players * shares[t]);
      // Without noise, infinitely many players.
      const scale = noise > 0 ? Math.sqrt((noise + spread) / reports) : 0;
      fillNormal(normals, random, 0, dimension);
      past.push({ w, gradient: gradient.map((entry, j) => entry + scale * normals[j]), variance: noise / reports });
    }
    return Math.max(0, riskAt(plan, population, nextPoint(plan, past), gradient).risk - least);
  };
  let sum = 0;
  for (let draw = 0; draw < DRAWS; draw++) sum += excessOf(coordinateNoise(plan)) / DRAWS;
  const points = variant === 'median' ? 'points' : 'records';
  return {
    what: `excess ${variant} risk over ‖w‖ ≤ ${radius}`,
    assumption: `${points} uniform on the sphere, turned to one side: P(right label) − P(wrong label) = ${SIGNAL}`,
    error: sum,
    floor: excessOf(0),
  };
}

/** The reference population as records with the label 1. */
function populationRecords({ dimension, members, records }: ReferencePopulation) {
  return {
    players: members,
    dimension,
    features: Float32Array.from(records),
    labels: new Int8Array(members).fill(1),
  };
}

/**
 * E‖ḡ − g‖² of the mean gradient of one wave with m reports, because of the players' noise: p·c_ε·B²/m.
 *
 * @throws TypeError or RangeError unless m is a whole number ≥ 1.
 */
export function gradientNoise(plan: GradientWavesPlan, reports: number): number {
  return (plan.dimension * coordinateNoise(plan)) / checkInteger('reports', reports, 1);
}

/**
 * R·√(p·c_ε·B²/n): the order of the excess risk on the hardest problem for n players. For ε ≤ 1 no locally private
 * protocol, however interactive, has a better one than R·√(p/(nε²)); the number of waves is not in it.
 *
 * Source: Duchi, Jordan, Wainwright 2018 (lower bound, and stochastic gradients that reach it).
 *
 * @throws TypeError or RangeError unless n is a whole number ≥ 1.
 */
export function excessOrder(plan: GradientWavesPlan, players: number): number {
  return plan.radius * Math.sqrt(gradientNoise(plan, players));
}

/** The claims about plans, and what to expect of them. */
export const theory: Theory<GradientWavesPlan> = { ...channelClaims, forecast };

/** Records in the clear: record i is `features[i·p] … features[i·p + p − 1]` with `labels[i]`. */
export interface ClearRecords {
  readonly players: number;
  readonly dimension: number;
  readonly features: Float32Array;
  readonly labels: ArrayLike<number>;
}

/** Widths of the rounded corner, each starting where the one before ended; the last costs at most 5e-4 of the risk. */
const WIDTHS = [0.3, 0.03, 0.001];

/** Records used for all widths but the last. */
const SAMPLE = 100_000;

/** The mean loss of a model over the records. */
export function riskOf(variant: WaveLoss, records: ClearRecords, w: Float64Array): number {
  const { players, dimension, features, labels } = records;
  const loss = LOSS[variant];
  const datum = { features: new Float64Array(dimension), label: 0 };
  let sum = 0;
  for (let i = 0, at = 0; i < players; i++, at += dimension) {
    for (let j = 0; j < dimension; j++) datum.features[j] = features[at + j];
    datum.label = labels[i];
    sum += loss.value(w, datum);
  }
  return sum / players;
}

/**
 * The model with ‖w‖ ≤ R of least risk on the records, without privacy, by Newton's method: corners of the loss are
 * rounded by a width that falls to 0.001, within 5e-4 of the least risk, and much closer in practice.
 */
export function leastModel(variant: WaveLoss, records: ClearRecords, radius: number): Float64Array {
  if (variant === 'hinge') {
    const { labels } = records;
    return hingeOptimum({ ...records, labels: labels as Int8Array }, radius).w;
  }
  let start: Float64Array = new Float64Array(records.dimension);
  const stride = ceil(records.players / SAMPLE);
  WIDTHS.forEach((width, i) => {
    const last = i === WIDTHS.length - 1;
    const objective = rounded(variant, records, width, last ? 1 : stride);
    start = ballNewton({ objective, radius, start, iterations: last ? 12 : 30, tolerance: 1e-7 }).point;
  });
  return start;
}

/** The risk of {@link leastModel}. */
export function leastRisk(variant: WaveLoss, records: ClearRecords, radius: number): number {
  return riskOf(variant, records, leastModel(variant, records, radius));
}

/** The risk with rounded corners on every k-th record, with gradient and Hessian. */
function rounded(variant: WaveLoss, records: ClearRecords, width: number, stride: number) {
  const { players, dimension, features, labels } = records;
  const vector = new Float64Array(dimension);
  return {
    dimension,
    evaluate(w: Float64Array, gradient: Float64Array, hessian: Float64Array): number {
      gradient.fill(0);
      hessian.fill(0);
      const weight = 1 / ceil(players / stride);
      let risk = 0;
      for (let i = 0; i < players; i += stride) {
        const at = i * dimension;
        let inner = 0;
        let squared = 0;
        for (let j = 0; j < dimension; j++) {
          const x = features[at + j];
          inner += w[j] * x;
          squared += (w[j] - x) ** 2;
          vector[j] = variant === 'median' ? w[j] - x : x;
        }
        // The loss, its slope along the vector, its curvature along it, and its curvature in every direction.
        let [slope, along, across] = [0, 0, 0];
        if (variant === 'logistic') {
          const t = labels[i] * inner;
          const e = exp(-abs(t));
          risk += weight * LOSS.logistic.value([t], { features: [1], label: 1 });
          slope = (-labels[i] * (t > 0 ? e : 1)) / (1 + e);
          along = (labels[i] ** 2 * e) / (1 + e) ** 2;
        } else {
          const off = inner - labels[i];
          const length = sqrt((variant === 'median' ? squared : off * off) + width * width);
          const half = variant === 'median' ? 0.5 : 1;
          risk += weight * half * length;
          slope = (half * (variant === 'median' ? 1 : off)) / length;
          along = variant === 'median' ? -half / length ** 3 : width ** 2 / length ** 3;
          across = variant === 'median' ? half / length : 0;
        }
        for (let j = 0; j < dimension; j++) {
          gradient[j] += weight * slope * vector[j];
          const row = weight * along * vector[j];
          for (let k = 0; k < dimension; k++) hessian[j * dimension + k] += row * vector[k];
          hessian[j * dimension + j] += weight * across;
        }
      }
      return risk;
    },
  };
}
