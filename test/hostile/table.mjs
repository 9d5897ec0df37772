// Reads one column of each of the files with the built package and prints, a line each, how many records came or what was refused, the
// seconds of a processor that it took and the megabytes that were ever held: jest loads no Parquet.
import { readTable } from '../../dist/src/node/table.js';
import { peakMemory } from '../environment/peak-memory.mjs';

const [, , column, ...paths] = process.argv;
for (const path of paths) {
  const before = process.cpuUsage();
  let rows = 0;
  let outcome;
  try {
    await readTable(path, [column], { expect: () => {}, add: (batch) => (rows += batch.rows) });
    outcome = `${rows} rows`;
  } catch (error) {
    outcome = error.message.startsWith('"') ? error.message : `broke: ${error.stack}`;
  }
  const { user, system } = process.cpuUsage(before);
  const memory = Math.round(peakMemory() / 2 ** 20);
  process.stdout.write(`${JSON.stringify({ outcome, seconds: (user + system) / 1e6, memory })}\n`);
}
