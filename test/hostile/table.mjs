// Reads one column of a file with the built package and prints how many records came, or what was refused: jest loads no Parquet.
import { readTable } from '../../dist/src/node/table.js';

const [, , path, column] = process.argv;
let rows = 0;
try {
  await readTable(path, [column], { expect: () => {}, add: (batch) => (rows += batch.rows) });
  process.stdout.write(`${rows} rows`);
} catch (error) {
  process.stdout.write(error.message.startsWith('"') ? error.message : `broke: ${error.stack}`);
}
