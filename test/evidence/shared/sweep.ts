import type { Json } from 'ldpkit';
import type { CellResult, ExperimentCell, Scale } from '../experiment/experiment.ts';

/** Settings that differ in one number: what a rate is measured along. */
export interface Sweep<Setting extends Json> {
  /** Lower-case letters, digits and hyphens, different for every sweep of an experiment and no beginning of another's. */
  readonly key: string;
  /** What differs, for example `players n`. */
  readonly variable: string;
  /** Its values. */
  readonly xs: readonly number[];
  /** The setting of a value, with the replications of one chunk at this scale. */
  setting(x: number, place: number, scale: Scale): Setting;
}

/** The cells of sweeps, one for each value. */
export function sweepCells<Setting extends Json>(
  sweeps: readonly Sweep<Setting>[],
  scale: Scale,
  chunks: number,
): readonly ExperimentCell<Setting>[] {
  return sweeps.flatMap(({ key, variable, xs, setting }) =>
    xs.map((x, place) => ({
      key: `${key}-${place}`,
      label: `${key}, ${variable} = ${x}`,
      setting: setting(x, place, scale),
      chunks,
    })),
  );
}

/**
 * The results of one sweep, in the order of its values.
 *
 * @throws RangeError where one is missing.
 */
export function sweepResults<Setting extends Json, Chunk extends Json>(
  { key, xs }: Sweep<Setting>,
  results: readonly CellResult<Setting, Chunk>[],
): readonly CellResult<Setting, Chunk>[] {
  return xs.map((_, place) => {
    const found = results.find(({ cell }) => cell.key === `${key}-${place}`);
    if (found === undefined) throw new RangeError(`"results" expected the cell ${key}-${place}`);
    return found;
  });
}
