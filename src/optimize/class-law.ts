import { checkInteger } from '../check/refusal.ts';
import { logLowerGamma } from '../numeric/beta.ts';
import { innerProduct, projectBall } from '../numeric/matrix.ts';
import { normalCdf, positiveMean } from '../numeric/normal.ts';
import { momentMatrix } from '../polynomial/lift.ts';
import { normal, type Random, uniform } from '../random/random.ts';
import { eigenvector, type SymmetricEigen, symmetricEigen } from './ball.ts';
import type { CorrectedMoments } from './corrected-risk.ts';

const { exp, log, max, min, sqrt } = Math;

/**
 * A law of the signed records v = y·x: given the label y, v is normal with a mean of its own. The margin of w is then a
 * mixture of normal laws, N(⟨w, E[v | y]⟩, wᵀΣw).
 */
export interface ClassLaw {
  /** The share of each class; they sum to 1. One class where no constant coordinate is known. */
  readonly shares: Float64Array;
  /** E[v | y], one row of p numbers for each class. */
  readonly means: readonly Float64Array[];
  /** The common covariance Σ, p × p row-major, positive definite. */
  readonly covariance: Float64Array;
}

export interface ClassLawOptions {
  /** The place of a coordinate that is nearly the same positive number c for every record; absent if none is known. */
  readonly intercept?: number | undefined;
  /** Number of laws. Default 64, and fewer from 33 coordinates on: see `usualDraws`. */
  readonly draws?: number;
}

/**
 * 64 laws, more than there are coordinates, so that the model of least mean risk does not follow the draws. A law costs
 * p³: from 33 coordinates on there are fewer, down to 8.
 */
export function usualDraws(dimension: number): number {
  return max(8, min(64, Math.floor(2048 / dimension)));
}

/** The least share of a class: it is divided by. */
const LEAST_SHARE = 1e-4;

/** The least variance of noise: it is divided by. */
export const LEAST_VARIANCE = 1e-12;

/**
 * The largest deviation of the constant coordinate in units of its mean: records divided by their norms have none that is
 * exactly the same for everybody. Two moments do not show it.
 */
const MOST_UNEVEN = 0.2;

/**
 * Laws of v that the first two noisy moments leave open, drawn from their posterior.
 * The constant coordinate makes two classes visible: E v_o = c(2q − 1) and E[v·v_o] = c·E x, with c² = E v_o², so that
 * E v − (2q − 1)E x = 2q(1 − q)(E[x | +] − E[x | −]). The share q is uniform before the data, and so is the deviation of that
 * coordinate from 0 to {@link MOST_UNEVEN} of its mean. Three things are shrunk, each by a factor that is uniform on (0, 1): the length of
 * E x; for the covariance Λ of the other coordinates, the differences of the variances; and the covariances.
 * The difference of the classes cannot be larger than the labels can explain: its square length in units of 4q(1 − q)Λ is the
 * square of the multiple correlation ρ of label and features. So ρ is uniform on (0, 1) before the data, and the difference normal with the
 * covariance 4q(1 − q)ρ²Λ/p: where a class is rare it is small, and E v tells E x. An eigenvalue of a covariance is positive: of its normal posterior
 * the positive part is taken, at its mean.
 * Without a known constant coordinate there is one class; the second moment stands in the place of Λ, and is shrunk by one factor.
 * With the mean risk over these laws a model is chosen that is good for all of them: a direction that only the noise
 * shows has another mean in each draw.
 * Source: Strawderman 1971 (a uniform shrinkage factor); Rubin 1988 (sampling importance resampling); Fisher 1936 (normal classes with a
 * common covariance, and their distance as a multiple correlation).
 */
export function drawClassLaws(
  moments: CorrectedMoments,
  { intercept, draws = usualDraws(moments.lift.dimension) }: ClassLawOptions,
  random: Random,
): readonly ClassLaw[] {
  const { lift, values, noise } = moments;
  const { dimension } = lift;
  checkInteger('moments.lift.degree', lift.degree, 2);
  if (intercept !== undefined) checkInteger('intercept', intercept, 0, dimension - 1);
  const [meanNoise, secondNoise] = [noise[0], noise[1]].map((variance) => max(variance, LEAST_VARIANCE));
  const mean = values.subarray(0, dimension);
  const others = [...mean.keys()].filter((j) => j !== intercept);
  const evidence = { dimension, mean, second: momentMatrix(lift, values), meanNoise, secondNoise, intercept, others };
  return Array.from({ length: draws }, () => drawClassLaw(evidence, random));
}

/** The noisy moments, and which coordinates are which. */
interface Evidence {
  readonly dimension: number;
  readonly mean: Float64Array;
  readonly second: Float64Array;
  readonly meanNoise: number;
  readonly secondNoise: number;
  readonly intercept: number | undefined;
  readonly others: readonly number[];
}

function drawClassLaw(evidence: Evidence, random: Random): ClassLaw {
  const { dimension, mean, second, meanNoise, secondNoise, intercept } = evidence;
  if (intercept === undefined) {
    const spread = drawSpread(evidence, new Float64Array(dimension), random);
    const middle = drawAligned(evidence, spread, { noisy: mean, variance: meanNoise, most: 1 }, random);
    return lawOf([1], [middle], matrixOf(spread, evidence.others, dimension), secondNoise);
  }
  const at = intercept * dimension + intercept;
  const square = drawSquare(second[at], secondNoise, mean[intercept], meanNoise, random);
  const constant = sqrt(square);
  const share = drawShare((1 + mean[intercept] / constant) / 2, sqrt(meanNoise) / (2 * constant), random);
  const centre = drawCentre(evidence, intercept, square, random);
  const spread = drawSpread(evidence, centre.draw, random);
  const { difference, features } = drawDifference(evidence, { share, centre, spread }, random);
  features[intercept] = constant;
  const matrix = matrixOf(spread, evidence.others, dimension);
  addOuter(matrix, features, 1);
  const shares = [share, 1 - share].map((part) => max(LEAST_SHARE, part));
  const means = [1, -1].map((label, c) =>
    features.map((entry, j) => label * entry + (j === intercept ? 0 : difference[j] / (2 * shares[c]))),
  );
  return unevenly(lawOf(shares, means, matrix, spread.noise), intercept, MOST_UNEVEN * uniform(random));
}

/**
 * E v − (2q − 1)E x, and E x once it is known. What measures the difference has the noise of both means, and what is left
 * of E v measures E x: where a class is rare, better than the second moment does. So the draw of E x is moved by what the
 * difference leaves of E v, by the rule of Matheron: a draw of its posterior becomes one that knows E v too.
 */
function drawDifference(
  evidence: Evidence,
  { share, centre, spread }: { readonly share: number; readonly centre: Centre; readonly spread: Spread },
  random: Random,
): { readonly difference: Float64Array; readonly features: Float64Array } {
  const { mean, meanNoise } = evidence;
  const tilt = 2 * share - 1;
  const variance = meanNoise + tilt * tilt * centre.variance;
  const noisy = mean.map((entry, j) => entry - tilt * centre.middle[j]);
  const most = 4 * max(LEAST_SHARE, share * (1 - share));
  const difference = drawAligned(evidence, spread, { noisy, variance, most }, random);
  const gain = (tilt * centre.variance) / variance;
  const features = centre.draw.map(
    (entry, j) => entry + gain * (mean[j] - difference[j] - tilt * entry - sqrt(meanNoise) * normal(random)),
  );
  return { difference, features };
}

/** The p × p matrix with these eigenvalues and eigenvectors on some of the coordinates, and 0 elsewhere. */
function matrixOf(eigen: SymmetricEigen, places: readonly number[], dimension: number): Float64Array {
  const matrix = new Float64Array(dimension * dimension);
  const whole = new Float64Array(dimension);
  eigen.values.forEach((value, k) => {
    const vector = eigenvector(eigen, k);
    for (let a = 0; a < places.length; a++) whole[places[a]] = vector[a];
    addOuter(matrix, whole, value);
  });
  return matrix;
}

function addOuter(matrix: Float64Array, vector: Float64Array, factor: number): void {
  const dimension = vector.length;
  for (let i = 0; i < dimension; i++) {
    const scaled = factor * vector[i];
    for (let j = 0; j < dimension; j++) matrix[i * dimension + j] += scaled * vector[j];
  }
}

/** c² = E v_o² from its own noisy measurement and that of the mean, E v_o = c(2q − 1) with q uniform, at most c. */
function drawSquare(measured: number, variance: number, mean: number, meanVariance: number, random: Random): number {
  const [deviation, meanDeviation] = [sqrt(variance), sqrt(meanVariance)];
  const middle = min(1, max(LEAST_SHARE, measured));
  const lower = max(LEAST_SHARE, middle - 6 * deviation);
  const width = min(1, middle + 6 * deviation) - lower;
  if (!(width > 0)) return middle;
  const place = drawsFrom((at) => {
    const square = lower + at * width;
    const c = sqrt(square);
    const seen = (normalCdf((c - mean) / meanDeviation) - normalCdf((-c - mean) / meanDeviation)) / c;
    return log(seen + 1e-300) - 0.5 * ((square - measured) / deviation) ** 2;
  })(random);
  return lower + place * width;
}

/**
 * The law whose constant coordinate has, given the label, a deviation of its own and nothing in common with the others:
 * what v_o = y·c means. Its second moment stays.
 */
function unevenly(law: ClassLaw, intercept: number, uneven: number): ClassLaw {
  const { means, covariance } = law;
  const dimension = means[0].length;
  const whole = 1 + uneven * uneven;
  for (let j = 0; j < dimension; j++) covariance[intercept * dimension + j] = covariance[j * dimension + intercept] = 0;
  covariance[intercept * dimension + intercept] = (means[0][intercept] * uneven) ** 2 / whole;
  for (const mean of means) mean[intercept] /= sqrt(whole);
  return law;
}

/** The law with these class means, brought into the ball, and this second moment: with a covariance that is positive. */
function lawOf(
  shares: readonly number[],
  means: readonly Float64Array[],
  second: Float64Array,
  noise: number,
): ClassLaw {
  const dimension = means[0].length;
  const within = second.slice();
  means.forEach((mean, c) => {
    addOuter(within, projectBall(mean, 1), -shares[c]);
  });
  const { values, vectors } = symmetricEigen(within, dimension);
  // No direction of the unit ball has a larger variance.
  const positive = { values: values.map((value) => min(1, positiveMean(value, sqrt(noise)))), vectors };
  const covariance = matrixOf(positive, [...values.keys()], dimension);
  return { shares: Float64Array.from(shares), means, covariance };
}

/** E x, of the coordinates besides the intercept: a draw, and the normal law that it was drawn from. */
interface Centre {
  readonly draw: Float64Array;
  readonly middle: Float64Array;
  readonly variance: number;
}

const CENTRES = 24;

/**
 * A draw of E x, of the coordinates besides the intercept. E[v·v_o] = c·E x measures it, shrunk by a uniform factor. The
 * other entries of the matrix tell of it too: without the outer product of E x little should be left of them. So of some
 * draws one is chosen with the likelihood that the matrix gives it.
 */
function drawCentre(evidence: Evidence, intercept: number, square: number, random: Random): Centre {
  const { dimension, second, secondNoise, others } = evidence;
  const size = others.length;
  const none = new Float64Array(dimension);
  if (size === 0) return { draw: none, middle: none, variance: 0 };
  // Off the diagonal an entry of the matrix has half the variance.
  const variance = secondNoise / (2 * square);
  const measured = none.map((_, j) => (j === intercept ? 0 : second[intercept * dimension + j] / sqrt(square)));
  const length = innerProduct(measured, measured);
  const drawShrunk = keptFrom(size, length / variance);
  const centres = Array.from({ length: size > 1 ? CENTRES : 1 }, (): Centre => {
    const kept = drawShrunk(random);
    const middle = measured.map((entry) => kept * entry);
    const draw = middle.slice();
    for (const j of others) draw[j] += sqrt(kept * variance) * normal(random);
    return { draw, middle, variance: kept * variance };
  });
  const likelihoods = centres.map(({ draw }) => {
    const { along, across } = squaresAround(evidence, draw, 0);
    return logShrinkageMass(size - 1, along) + logShrinkageMass((size * (size - 1)) / 2, across);
  });
  return centres[indexFrom(likelihoods)(random)];
}

/**
 * The second moment around a centre, besides the intercept: the nearest multiple of the identity, and the squares of what
 * is left on the diagonal and beside it, in units of the noise of the diagonal.
 */
function squaresAround(
  { dimension, second, secondNoise, others }: Evidence,
  centre: Float64Array,
  noise: number,
): { readonly level: number; readonly along: number; readonly across: number } {
  const size = others.length;
  let trace = 0;
  for (const i of others) trace += second[i * dimension + i] - centre[i] * centre[i];
  const level = max(trace / size + noise, LEAST_SHARE);
  let [along, across] = [0, 0];
  for (const i of others) {
    for (const j of others) {
      const entry = second[i * dimension + j] - centre[i] * centre[j];
      if (i === j) along += (entry - level) ** 2;
      else across += entry * entry;
    }
  }
  return { level, along: along / secondNoise, across: across / secondNoise };
}

/** A draw of the second moment around a centre, with what shrinking left of the variance of its noise, in the mean. */
interface Spread extends SymmetricEigen {
  readonly noise: number;
}

/** Eigenvalues and eigenvectors of a draw of the second moment, around a centre, of the coordinates besides the intercept. */
function drawSpread(evidence: Evidence, centre: Float64Array, random: Random): Spread {
  const { dimension, second, secondNoise, others, intercept } = evidence;
  const size = others.length;
  if (size === 0) return { values: new Float64Array(0), vectors: new Float64Array(0), noise: secondNoise };
  const { level, along, across } = squaresAround(evidence, centre, sqrt(secondNoise / size) * normal(random));
  // A single coordinate is its own level. Where no mean is known it is in all entries alike: one factor for both.
  const keptOf = (freedom: number, square: number): number => (size > 1 ? keptFrom(freedom, square)(random) : 0);
  const pairs = (size * (size - 1)) / 2;
  const kept =
    intercept === undefined
      ? new Array<number>(2).fill(keptOf(size - 1 + pairs, along + across))
      : [keptOf(size - 1, along), keptOf(pairs, across)];
  const drawn = new Float64Array(size * size);
  others.forEach((i, a) => {
    for (let b = 0; b <= a; b++) {
      // Off the diagonal an entry of the matrix has half the variance.
      const [base, part, share] = a === b ? [level, kept[0], 1] : [0, kept[1], 0.5];
      const deviation = second[i * dimension + others[b]] - centre[i] * centre[others[b]] - base;
      drawn[a * size + b] = drawn[b * size + a] =
        base + part * deviation + sqrt(part * share * secondNoise) * normal(random);
    }
  });
  const eigen = symmetricEigen(drawn, size);
  // What the factors shrink has less noise than what was measured: that of vᵀMv is a mean of both by Σv⁴.
  const left = eigen.values.map((_, k) => {
    const fourth = eigenvector(eigen, k).reduce((sum, entry) => sum + entry ** 4, 0);
    return max(fourth * kept[0] + (1 - fourth) * kept[1], LEAST_VARIANCE) * secondNoise;
  });
  const values = eigen.values.map((value, k) => positiveMean(value, sqrt(left[k])));
  // The level is the mean of so many measured numbers.
  const noise = min(secondNoise, (left.reduce((sum, variance) => sum + variance) + secondNoise) / size);
  return { values, vectors: eigen.vectors, noise };
}

/**
 * A draw of a vector of the coordinates besides the intercept from noisy measurements: normal before with covariance
 * t·ρ²·Λ/d, Λ the spread of these d coordinates, t the largest square length in units of Λ, ρ uniform on (0, 1).
 */
function drawAligned(
  { dimension, others }: Evidence,
  spread: SymmetricEigen,
  { noisy, variance, most }: { readonly noisy: ArrayLike<number>; readonly variance: number; readonly most: number },
  random: Random,
): Float64Array {
  const { values } = spread;
  const size = values.length;
  const result = new Float64Array(dimension);
  if (size === 0) return result;
  const measured = Float64Array.from(others, (j) => noisy[j]);
  const turned = values.map((_, k) => innerProduct(eigenvector(spread, k), measured));
  const spreads = values.map((value) => max(value, LEAST_VARIANCE));
  const squares = turned.map((entry) => entry * entry);
  // On square roots of ρ: where there is hardly any noise it may be nearly 0.
  const root = drawsFrom((place) => {
    const correlation = place * place;
    const largest = most * correlation * correlation;
    let sum = log(place);
    for (let k = 0; k < size; k++) {
      const whole = variance + (largest * spreads[k]) / size;
      sum -= 0.5 * (log(whole) + squares[k] / whole);
    }
    return sum;
  })(random);
  const correlation = root * root;
  for (let k = 0; k < size; k++) {
    const prior = (most * correlation * correlation * spreads[k]) / size;
    const kept = prior / (prior + variance);
    const entry = kept * turned[k] + sqrt(kept * variance) * normal(random);
    const vector = eigenvector(spread, k);
    for (let a = 0; a < size; a++) result[others[a]] += entry * vector[a];
  }
  return result;
}

const CELLS = 128;
const PLACES = Float64Array.from({ length: CELLS }, (_, i) => (i + 0.5) / CELLS);

/** Draws of numbers of (0, 1) from a density, whose logarithm is given up to a constant, and which is taken to be constant in each cell. */
function drawsFrom(logDensity: (place: number) => number): (random: Random) => number {
  const drawCell = indexFrom(PLACES.map(logDensity));
  return (random) => (drawCell(random) + uniform(random)) / CELLS;
}

/**
 * Draws of what is kept of d measured numbers, 1 − B. The factor B is uniform on (0, 1) before; its posterior is
 * B^{d/2}·exp(−B·z/2), z the square of the numbers in units of their noise. The grid is one of the fourth root of B:
 * where there is hardly any noise B is nearly 0.
 * Source: Strawderman 1971.
 */
export function keptFrom(freedom: number, square: number): (random: Random) => number {
  const drawRoot = drawsFrom((root) => (2 * freedom + 3) * log(root) - (root ** 4 * square) / 2);
  return (random) => 1 - drawRoot(random) ** 4;
}

/** How likely such numbers are: the logarithm of the integral of that posterior. */
export const logShrinkageMass = (freedom: number, square: number): number => logLowerGamma(freedom / 2 + 1, square / 2);

export function drawShare(mean: number, deviation: number, random: Random): number {
  const nearest = min(1, max(0, mean));
  // In a tail that is thinner than the cells of the grid, the density falls off from its end.
  if (deviation < 1 / CELLS) return min(1, max(0, nearest + deviation * normal(random)));
  return drawsFrom((place) => -0.5 * ((place - mean) / deviation) ** 2)(random);
}

/** Draws of places with probabilities in proportion to the exponentials of their entries. */
export function indexFrom(logMasses: Float64Array | readonly number[]): (random: Random) => number {
  const most = max(...logMasses);
  const masses = new Float64Array(logMasses.length);
  let sum = 0;
  for (let i = 0; i < masses.length; i++) sum += masses[i] = exp(logMasses[i] - most);
  return (random) => {
    let left = uniform(random) * sum;
    let at = 0;
    while (at < masses.length - 1 && left > masses[at]) left -= masses[at++];
    return at;
  };
}
