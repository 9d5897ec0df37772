import type { MarginLoss } from 'ldpkit/optimize';
import { createForecaster, type MarginParameters } from 'ldpkit/protocols/generalized-linear';
import { playersUntil } from 'ldpkit/simulate';

/** Dimensions of the columns of a table of players. */
export const TABLE_DIMENSIONS: readonly number[] = [2, 5, 10, 20];

/** Excess risks of its rows. */
export const TABLE_TARGETS: readonly number[] = [0.1, 0.05];

/** A method, and its parameters by dimension. */
export type Method = readonly [string, (dimension: number) => MarginParameters];

/**
 * Rows of a table of players needed by forecast, one for each method and target: method, target, players at each dimension.
 * Reference population without wrong labels, R = 1.
 *
 * @theorem noninteractive Table 1
 */
export function playersRows(
  methods: readonly Method[],
  loss: MarginLoss,
  fit?: NonNullable<Parameters<typeof createForecaster>[1]['fit']>,
): readonly (readonly string[])[] {
  const query = { loss, signal: 1, draws: 12, ...(fit === undefined ? {} : { fit }) };
  const forecasters = TABLE_DIMENSIONS.map((dimension) => createForecaster(dimension, query));
  const needed = (make: Method[1], column: number, target: number): string => {
    const parameters = make(TABLE_DIMENSIONS[column]);
    const players = playersUntil(target, (count) => forecasters[column](parameters, count).excessRisk);
    return Number.isFinite(players) ? players.toExponential(0) : 'none';
  };
  return methods.flatMap(([method, make]) =>
    TABLE_TARGETS.map((target) => [
      method,
      String(target),
      ...TABLE_DIMENSIONS.map((_, column) => needed(make, column, target)),
    ]),
  );
}
