import { createMatrix, euclideanNorm, innerProduct, solveLeastSquares, timesVector } from '../numeric/matrix.ts';
import { byPower, createLift, fillLift, type Lift } from '../polynomial/lift.ts';
import { fillNormal, type Random } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';
import { type MarginLoss, slopesAt } from '../risk/margin-loss.ts';
import { quadraticForm, symmetricEigen } from './ball.ts';
import { type ClassLaw, LEAST_VARIANCE } from './class-law.ts';
import { classRisk } from './compared-risk.ts';
import type { CorrectedMoments } from './corrected-risk.ts';
import { marginMoments, meanPowers, tilt } from './entropic-law.ts';
import type { SmoothFunction } from './oracle.ts';

const { max, min, round, sqrt } = Math;

/** A vector that keeps less than this part of its length beside the others adds nothing to their span. */
const BESIDE_OTHERS = 1e-3;

/** Coordinates of a span at most: up to so many it is all of v. */
export const MOST_ROWS = 4;

/** Powers of them at most: 69 numbers. */
const MOST_POWERS = 4;

/** Directions of v, in orthonormal coordinates y = Bv of their span: `coordinates(w)` is Bw, `vector(u)` Bᵀu. */
export interface Span {
  readonly rows: readonly Float64Array[];
  /** The powers of y that moments are compared in. */
  readonly lift: Lift;
  coordinates(w: Float64Array): Float64Array;
  vector(u: Float64Array): Float64Array;
  /** T_1, T_2, … of y, from the moments E⟨u, y⟩, E⟨u, y⟩², … of its margins in enough directions u. */
  solve(momentsAt: (direction: Float64Array) => ArrayLike<number>): Float64Array;
}

/** The span of two models, the constant coordinate and the mean of v; all of at most {@link MOST_ROWS} coordinates. */
export function spanOf(
  { lift, values }: CorrectedMoments,
  models: readonly Float64Array[],
  intercept: number | undefined,
): Span {
  const { dimension } = lift;
  const axis = (j: number): Float64Array => Float64Array.from({ length: dimension }, (_, i) => (i === j ? 1 : 0));
  const rows =
    dimension <= MOST_ROWS
      ? Array.from({ length: dimension }, (_, j) => axis(j))
      : orthonormalRows([...models, ...(intercept === undefined ? [] : [axis(intercept)]), values.slice(0, dimension)]);
  const own = createLift(rows.length, min(lift.degree, MOST_POWERS));
  const directions = directionsOf(own);
  const powers = directions.map((direction) => {
    const row = new Float64Array(own.size);
    fillLift(own, own.weight, direction, row);
    return row;
  });
  return {
    rows,
    lift: own,
    coordinates: (w) => Float64Array.from(rows, (row) => innerProduct(row, w)),
    vector: (u) => new Float64Array(dimension).map((_, i) => rows.reduce((sum, row, k) => sum + u[k] * row[i], 0)),
    solve(momentsAt) {
      const seen = directions.map(momentsAt);
      const solution = new Float64Array(own.size);
      for (let j = 0; j < own.degree; j++) {
        const [from, to] = [own.offsets[j], own.offsets[j + 1]];
        const system = createMatrix(directions.length, to - from);
        powers.forEach((row, i) => {
          system.entries.set(row.subarray(from, to), i * (to - from));
        });
        const right = seen.map((moments) => moments[j]);
        solution.set(solveLeastSquares(system, right), from);
      }
      return solution;
    },
  };
}

/** Orthonormal rows whose span holds the vectors. */
function orthonormalRows(vectors: readonly Float64Array[]): readonly Float64Array[] {
  const rows: Float64Array[] = [];
  for (const vector of vectors) {
    const left = vector.slice();
    // Twice, so that rounding leaves nothing of the others.
    for (const row of [...rows, ...rows]) {
      const part = innerProduct(row, left);
      for (let i = 0; i < left.length; i++) left[i] -= part * row[i];
    }
    const norm = euclideanNorm(left);
    if (norm > BESIDE_OTHERS * euclideanNorm(vector)) rows.push(left.map((x) => x / norm));
  }
  return rows;
}

/** Unit vectors, twice as many as the highest power has entries: they determine a form of each power, and are the same for everybody. */
function directionsOf({ dimension, degree, offsets }: Lift): readonly Float64Array[] {
  const random = seededRandom('directions of margins');
  return Array.from({ length: 2 * (offsets[degree] - offsets[degree - 1]) }, () => {
    const direction = new Float64Array(dimension);
    fillNormal(direction, random);
    const norm = euclideanNorm(direction);
    return direction.map((x) => x / norm);
  });
}

/** The moments of y from those of v. In orthonormal coordinates they have the same noise. */
function momentsIn(span: Span, { lift, values }: CorrectedMoments): Float64Array {
  const scratch = new Float64Array(lift.size);
  return span.solve((direction) => marginMoments(lift, values, span.vector(direction), scratch));
}

function lawsIn({ rows, coordinates }: Span, laws: readonly ClassLaw[]): readonly ClassLaw[] {
  return laws.map(({ shares, means, covariance }) => {
    const turned = rows.map((row) => timesVector(covariance, row));
    return {
      shares,
      means: means.map(coordinates),
      covariance: Float64Array.from(rows.flatMap((row) => turned.map((image) => innerProduct(row, image)))),
    };
  });
}

/** The moments of laws of normal classes: E t^{j+1} = μ·E t^j + jσ²·E t^{j−1} for t ~ N(μ, σ²). */
function momentsOfLaws(span: Span, laws: readonly ClassLaw[]): Float64Array {
  const { degree } = span.lift;
  return span.solve((direction) => {
    const moments = new Float64Array(degree);
    for (const { shares, means, covariance } of laws) {
      const variance = quadraticForm(covariance, direction);
      means.forEach((mean, c) => {
        const middle = innerProduct(mean, direction);
        let [before, moment] = [0, 1];
        for (let j = 0; j < degree; j++) {
          [before, moment] = [moment, middle * moment + j * variance * before];
          moments[j] += (shares[c] / laws.length) * moment;
        }
      });
    }
    return moments;
  });
}

/** N points of k numbers, with their masses and their lifts. */
interface Sample {
  readonly points: Float64Array;
  readonly masses: Float64Array;
  readonly powers: Float64Array;
}

/** About `size` points of laws of normal classes; with `unitNorm` each divided by its norm. */
function drawSample(
  laws: readonly ClassLaw[],
  lift: Lift,
  { size, unitNorm }: { readonly size: number; readonly unitNorm: boolean },
  random: Random,
): Sample {
  const { dimension } = lift;
  const classes = laws[0].means.length;
  const pairs = max(1, round(size / laws.length / classes / 2));
  const count = 2 * pairs * classes * laws.length;
  const points = new Float64Array(count * dimension);
  const masses = new Float64Array(count);
  const noise = new Float64Array(dimension);
  const apart = new Float64Array(dimension);
  let at = 0;
  for (const { shares, means, covariance } of laws) {
    const { values, vectors } = symmetricEigen(covariance, dimension);
    means.forEach((mean, c) => {
      for (let pair = 0; pair < pairs; pair++) {
        fillNormal(noise, random);
        apart.fill(0);
        for (let k = 0; k < dimension; k++) {
          const length = sqrt(max(0, values[k])) * noise[k];
          for (let i = 0; i < dimension; i++) apart[i] += length * vectors[k * dimension + i];
        }
        for (const sign of [1, -1]) {
          const point = points.subarray(at * dimension, (at + 1) * dimension);
          for (let i = 0; i < dimension; i++) point[i] = mean[i] + sign * apart[i];
          const norm = unitNorm ? euclideanNorm(point) : 0;
          if (norm > 0) for (let i = 0; i < dimension; i++) point[i] /= norm;
          masses[at++] = shares[c] / (2 * pairs * laws.length);
        }
      }
    });
  }
  const powers = new Float64Array(count * lift.size);
  for (let i = 0; i < count; i++) {
    const point = points.subarray(i * dimension, (i + 1) * dimension);
    fillLift(lift, lift.weight, point, powers.subarray(i * lift.size, (i + 1) * lift.size));
  }
  return { points, masses, powers };
}

/** A law of y: points that count, beside normal classes or alone. */
export interface TiltedLaw {
  /** The laws of normal classes that are tilted; none where all vectors have norm 1. */
  readonly laws: readonly ClassLaw[];
  readonly points: Float64Array;
  /** The mass of each point; beside laws what the tilt adds to it, and then the sum is 0. */
  readonly weights: Float64Array;
  /** The moments of all powers of the span. */
  readonly moments: Float64Array;
  /** λ of its density exp(τ·⟨λ, φ⟩). */
  readonly lambda: Float64Array;
}

/** What is left to gain of KL/τ + ½·Σ (E φ − T)²/s² when a search for a tilted law ends. */
const ENOUGH = 0.01;

/** The variance of a moment that says nothing. */
const UNKNOWN = 1 / LEAST_VARIANCE;

/**
 * Laws of y between what classes and what moments say. For a temperature τ it is the law q of least
 * KL(q ‖ p)/τ + ½·Σ (E_q φ − T)²/s² (`tilt`), p of the classes, φ the powers, T their moments and s² the variance of the noise of each.
 * With τ = 0 it is p, and with 1 the most probable one where p is the law before the data.
 * Pooled moments are those of records of norm 1, and vectors of normal classes have other norms. So where the span is all coordinates p is then the law of
 * v/‖v‖, tilted to the first two moments of the classes, and every q is a law of vectors of norm 1.
 * Shape: `size` is about the number of points. A search begins at `start`, a law of the same span.
 */
export function tiltedLaws(
  span: Span,
  moments: CorrectedMoments,
  lawsOfRecords: readonly ClassLaw[],
  size: number,
  random: Random,
): (temperature: number, start?: TiltedLaw) => TiltedLaw {
  const { lift } = span;
  const laws = lawsIn(span, lawsOfRecords);
  const exact = momentsOfLaws(span, laws);
  const unitNorm = moments.reported !== undefined && lift.dimension === moments.lift.dimension;
  const { points, masses, powers } = drawSample(laws, lift, { size, unitNorm }, random);
  const none = new Float64Array(lift.size);
  // A sample of the classes has other moments than they have; vectors of norm 1 are not a sample of them.
  const drawn = unitNorm ? exact : meanPowers(masses, powers, lift.size);
  const missed = exact.map((moment, i) => moment - drawn[i]);
  const target = momentsIn(span, moments).map((value, i) => value - missed[i]);
  const price = pricesOf(span, moments);
  const prior = masses.slice();
  if (unitNorm) {
    const first = price.map((variance, i) => (i < lift.offsets[2] ? variance : UNKNOWN));
    tilt({ masses, powers, target: exact, price: first, temperature: 1, enough: ENOUGH }, none, prior);
  }
  return (temperature, start) => {
    const tilted = prior.slice();
    const from = start?.lambda ?? none;
    const lambda =
      temperature > 0
        ? tilt({ masses: prior, powers, target, price, temperature, enough: ENOUGH }, from, tilted)
        : from;
    const mean = meanPowers(tilted, powers, lift.size);
    return {
      laws: unitNorm ? [] : laws,
      points,
      weights: unitNorm ? tilted : tilted.map((mass, i) => mass - masses[i]),
      lambda,
      moments: missed.map((moment, i) => moment + mean[i]),
    };
  };
}

/** The variance of the noise of each moment: it is divided by. */
function pricesOf({ lift }: Span, { noise }: CorrectedMoments): Float64Array {
  return byPower(lift, (j) => max(noise[j - 1], LEAST_VARIANCE));
}

/** How far the moments of a law lie from measured ones: Σ (E φ − T)²/s², without the part that is the same for all laws. */
export function misfitTo(span: Span, measured: CorrectedMoments): (law: TiltedLaw) => number {
  const values = momentsIn(span, measured);
  const price = pricesOf(span, measured);
  return ({ moments }) => moments.reduce((sum, moment, e) => sum + (moment * (moment - 2 * values[e])) / price[e], 0);
}

/** The risk E f(⟨u, y⟩) under a tilted law: exact for the classes, and by points what they add. */
export function tiltedRisk({ laws, points, weights }: TiltedLaw, loss: MarginLoss): SmoothFunction {
  const base = laws.length > 0 ? classRisk(laws, loss) : undefined;
  const dimension = points.length / weights.length;
  const marginAt = (w: Float64Array, i: number): number => {
    let margin = 0;
    for (let j = 0; j < dimension; j++) margin += points[i * dimension + j] * w[j];
    return margin;
  };
  return {
    dimension,
    value(w) {
      let risk = base?.value(w) ?? 0;
      for (let i = 0; i < weights.length; i++) risk += weights[i] * loss.value(marginAt(w, i));
      return risk;
    },
    gradient(w, target) {
      if (base === undefined) target.fill(0);
      else base.gradient(w, target);
      for (let i = 0; i < weights.length; i++) {
        const slope = weights[i] * slopesAt(loss, marginAt(w, i)).left;
        if (slope === 0) continue;
        for (let j = 0; j < dimension; j++) target[j] += slope * points[i * dimension + j];
      }
    },
  };
}
