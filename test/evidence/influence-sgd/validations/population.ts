import { logisticLoss } from 'ldpkit/optimize';
import { gaussLobatto } from 'ldpkit/polynomial';
import { STEEPNESS } from './logistic-records.ts';

const { cos, exp, PI, sqrt } = Math;
const { value } = logisticLoss();

/** Nodes of the first coordinate, and of the angle around the first axis. */
const HEIGHTS = 32;
const ANGLES = 24;

/** The smallest population risk, and where. */
export interface PopulationOptimum {
  readonly theta: Float64Array;
  readonly risk: number;
}

/**
 * The exact population risk of regularised logistic regression under the law of `drawRecords` in three dimensions.
 *
 * Law: on the sphere the first coordinate is uniform on [−1, 1] (Archimedes) and the angle around it is uniform, so that the risk
 * is a double integral of an entire function of both; 32 Gauss–Lobatto and 24 equally spaced nodes leave less than 1e-12.
 */
export function populationRisk(theta: Float64Array, ridge: number): number {
  const [along, second, third] = theta;
  const across = sqrt(second * second + third * third);
  let sum = 0;
  for (let i = 0; i < HEIGHTS; i++) {
    const height = RULE.nodes[i];
    const positive = 1 / (1 + exp(-STEEPNESS * height));
    const ring = across * sqrt(1 - height * height);
    let mean = 0;
    for (let k = 0; k < ANGLES; k++) {
      const score = along * height + ring * COSINES[k];
      mean += positive * value(score) + (1 - positive) * value(-score);
    }
    sum += (RULE.masses[i] / 2) * (mean / ANGLES);
  }
  return sum + (ridge / 2) * (along * along + across * across);
}

const RULE = gaussLobatto(HEIGHTS);
const COSINES = Float64Array.from({ length: ANGLES }, (_, k) => cos((2 * PI * k) / ANGLES));

/** The minimiser of the population risk: on the first axis, by symmetry and strict convexity. */
export function populationOptimum(ridge: number): PopulationOptimum {
  const at = (along: number): number => populationRisk(Float64Array.of(along, 0, 0), ridge);
  // Thirds of an interval; the risk is flat to 1e-15 within 1e-7 of its minimum, and so much is enough.
  let [below, above] = [0, 2 * STEEPNESS];
  for (let i = 0; i < 60; i++) {
    const third = (above - below) / 3;
    if (at(below + third) < at(above - third)) above -= third;
    else below += third;
  }
  const theta = Float64Array.of((below + above) / 2, 0, 0);
  return { theta, risk: populationRisk(theta, ridge) };
}
