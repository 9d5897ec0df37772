import { refusal } from 'ldpkit';
import { jsonText, print, printJson, readOwnRecords } from 'ldpkit/node';
import type { FoundExperiment } from '../engine/experiments.ts';
import { tableLines } from '../engine/text.ts';
import type { ComputingOptions } from './computing-options.ts';

/** Options of a simulation that mean nothing for a file, which is computed at once. */
const FOR_SIMULATIONS = ['out', 'scale', 'threads'] as const;

/**
 * `npm run reproduce -- --data`: an experiment on the user's own copy of a public table, printed.
 *
 * @throws RangeError naming the option, or what is wrong with the file.
 */
export async function reproduceOwn(
  { experiment }: FoundExperiment,
  path: string,
  options: ComputingOptions,
): Promise<void> {
  const { name, ownData } = experiment;
  if (ownData === undefined) throw new RangeError(refusal('data', `none: ${name} takes no file`, path));
  for (const option of FOR_SIMULATIONS) {
    if (options[option] !== undefined) {
      throw new RangeError(refusal(option, 'none: a file is computed at once, and printed', options[option]));
    }
  }
  const { seed = 'ldpkit' } = options;
  if (seed === '') throw new RangeError(refusal('seed', 'a text that is not empty', seed));
  const records = await readOwnRecords(path, ownData);
  const tables = ownData.compute(records, seed);
  if (options.json === true) {
    printJson(jsonText({ name, seed, table: records.table, rows: records.rows, tables }));
    return;
  }
  print(tables.flatMap((one, i) => [...(i === 0 ? [] : ['']), ...tableLines(one)]));
}
