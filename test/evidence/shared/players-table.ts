import type { MarginLoss } from 'ldpkit/optimize';
import { createForecaster, type MarginParameters } from 'ldpkit/protocols/generalized-linear';
import { playersUntil } from 'ldpkit/simulate';

/** Dimensions of the columns of a table of players. */
export const TABLE_DIMENSIONS: readonly number[] = [2, 5, 10, 20];

/** Excess risks of its rows. */
export const TABLE_TARGETS: readonly number[] = [0.1, 0.05];

/**
 * Rows of a table of players needed, one for each method and target: method, target, players at each dimension.
 *
 * @theorem noninteractive Table 1
 */
export function tableRows(
  methods: readonly (readonly [method: string, needed: (column: number, target: number) => number])[],
): readonly (readonly string[])[] {
  return methods.flatMap(([method, needed]) =>
    TABLE_TARGETS.map((target) => {
      const players = TABLE_DIMENSIONS.map((_, column) => needed(column, target));
      return [method, String(target), ...players.map((n) => (Number.isFinite(n) ? n.toExponential(0) : 'none'))];
    }),
  );
}

/** A method, and its parameters by dimension. */
export type Method = readonly [string, (dimension: number) => MarginParameters];

/**
 * {@link tableRows} by forecast, on the reference population without wrong labels, R = 1.
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
  const neededBy = (make: Method[1]) => (column: number, target: number) => {
    const parameters = make(TABLE_DIMENSIONS[column]);
    return playersUntil(target, (count) => forecasters[column](parameters, count).excessRisk);
  };
  return tableRows(methods.map(([method, make]) => [method, neededBy(make)]));
}
