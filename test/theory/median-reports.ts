import { euclideanMedian } from '../../protocols/euclidean-median/index.ts';
import type { EuclideanMedianParameters } from '../../protocols/euclidean-median/parameters.ts';
import type { Random } from '../../src/random/random.ts';
import type { ReportGradient } from '../evidence/euclidean-median/validations/oracle-reports.ts';

/** Mean and variance of gradient estimates, and the standard error of the variance. */
export interface Measured {
  readonly mean: Float64Array;
  /** E‖G − centre‖². */
  readonly variance: number;
  readonly error: number;
  readonly reports: number;
}

/** Measures the gradient estimates of many reports of one point about a given centre. */
export function measureGradients(
  parameters: EuclideanMedianParameters,
  point: Float64Array,
  gradient: ReportGradient,
  centre: ArrayLike<number>,
  reports: number,
  random: Random,
): Measured {
  const { dimension } = parameters;
  const report = euclideanMedian.player.randomize(parameters, { point }, random);
  const target = new Float64Array(dimension);
  const mean = new Float64Array(dimension);
  let squares = 0;
  let fourths = 0;
  for (let i = 0; i < reports; i++) {
    euclideanMedian.player.randomizeInto(parameters, { point }, random, report);
    gradient(report.values, target);
    let square = 0;
    for (let j = 0; j < dimension; j++) {
      mean[j] += target[j] / reports;
      square += (target[j] - centre[j]) ** 2;
    }
    squares += square / reports;
    fourths += (square * square) / reports;
  }
  return { mean, variance: squares, error: Math.sqrt((fourths - squares * squares) / reports), reports };
}
