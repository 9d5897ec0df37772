import type { UnitErrors, UnitRequest } from '../../../src/mechanism/k-closest.ts';
import { fillSphere, type Random } from '../../../src/random/random.ts';

/** A kernel under test, bound to its parameters. */
export type Kernel = (unit: Float64Array, target: Float64Array, random: Random) => void;

/** Deviations from what the mechanism claims, each in standard errors. */
export interface Measured {
  /** Of the mean of ⟨z, u⟩ from 1. */
  readonly along: number;
  /** Of the mean of ⟨z, w⟩ from 0, for a random unit vector w orthogonal to u. */
  readonly across: number;
  /** Of the mean of ‖z − u‖² from `squaredError`. */
  readonly error: number;
  /** Of the mean of ⟨z, w⟩² from `coordinateVariance`. */
  readonly variance: number;
}

/** Reports of one random unit vector, compared with the claims. `distort` multiplies each report. */
export function measure(
  mechanism: UnitErrors & UnitRequest,
  kernel: Kernel,
  reports: number,
  random: Random,
  distort: number = 1,
): Measured {
  const { dimension } = mechanism;
  const unit = new Float64Array(dimension);
  const other = new Float64Array(dimension);
  const report = new Float64Array(dimension);
  fillSphere(unit, random);
  fillSphere(other, random);
  let dot = 0;
  for (let i = 0; i < dimension; i++) dot += unit[i] * other[i];
  let norm = 0;
  for (let i = 0; i < dimension; i++) norm += (other[i] -= dot * unit[i]) ** 2;
  // In dimension 1 nothing is orthogonal to u, and both deviations are 0 by 0 / 1.
  for (let i = 0; i < dimension; i++) other[i] = dimension > 1 ? other[i] / Math.sqrt(norm) : 0;
  const claims = [1, 0, mechanism.squaredError, dimension > 1 ? mechanism.coordinateVariance : 0];
  const sums = [0, 0, 0, 0];
  const squares = [0, 0, 0, 0];
  for (let k = 0; k < reports; k++) {
    kernel(unit, report, random);
    let along = 0;
    let across = 0;
    let error = 0;
    for (let i = 0; i < dimension; i++) {
      const z = distort * report[i];
      along += z * unit[i];
      across += z * other[i];
      error += (z - unit[i]) ** 2;
    }
    const values = [along, across, error, across * across];
    for (let j = 0; j < 4; j++) {
      sums[j] += values[j] - claims[j];
      squares[j] += (values[j] - claims[j]) ** 2;
    }
  }
  const [along, across, error, variance] = sums.map((sum, j) => {
    const mean = sum / reports;
    const spread = squares[j] / reports - mean * mean;
    return spread > 0 ? mean / Math.sqrt(spread / reports) : mean;
  });
  return { along, across, error, variance };
}
