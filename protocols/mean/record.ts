import { fieldOf } from '../../src/check/datum.ts';
import { type MeanSetting, reachOf } from './parameters.ts';

const { max, min } = Math;

/** A number where there is one coordinate, otherwise as many numbers as there are coordinates. */
export type MeanDatum = number | ArrayLike<number>;

/** Coordinate j of a datum as it was given. */
export function entryAt(datum: unknown, j: number): unknown {
  return typeof datum === 'number' ? datum : fieldOf(datum, j);
}

/** Coordinate j of a datum, from −1 at its lower bound to 1 at its upper one. */
export function coordinateOf({ lower, upper }: MeanSetting, datum: MeanDatum, j: number): number {
  const value = entryAt(datum, j) as number;
  return max(-1, min(1, (2 * (value - lower[j])) / (upper[j] - lower[j]) - 1));
}

/** The point of the unit ball that the mechanism for vectors randomizes, into the first entries of `target`. */
export function fillPoint(setting: MeanSetting, datum: MeanDatum, target: Float64Array): void {
  const reach = reachOf(setting);
  for (let j = 0; j < setting.lower.length; j++) target[j] = coordinateOf(setting, datum, j) / reach;
}
