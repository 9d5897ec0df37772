// What the programs of this folder begin with: their options, and the records of a file or of the flights.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { flightsSchema, loadDataset, locateFlights, parseSchema } from 'ldpkit/node';

/** The options of a program, as texts: words `name=default` or `name`, and then the names of those without a value. */
export function optionsOf(words, flags = []) {
  const texts = words.split(/ (?=\w+(?:[= ]|$))/).map((word) => {
    const [name, text] = word.split('=');
    return [name, { type: 'string', default: text }];
  });
  const switches = flags.map((name) => [name, { type: 'boolean', default: false }]);
  return parseArgs({ options: Object.fromEntries([...texts, ...switches]) }).values;
}

/** The numbers of a list with commas. */
export const numbers = (text) => (text === '' ? [] : text.split(',').map(Number));

/** The schema and the records of `--data` and `--schema`, of the flights without both; ends the program without one of them. */
export async function recordsOf({ data, schema: path }, { needed = false } = {}) {
  if ((data === undefined) !== (path === undefined) || (needed && data === undefined)) {
    process.stderr.write(`usage: node test/validation/${basename(process.argv[1])} --data FILE --schema FILE\n`);
    process.exit(2);
  }
  const schema = path === undefined ? flightsSchema() : parseSchema(JSON.parse(readFileSync(path, 'utf8')));
  return { schema, dataset: await loadDataset({ data: data ?? locateFlights(), schema }) };
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The standard error of the mean of some values. */
export function standardError(values) {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1) / values.length);
}

/** A table in plain text, every cell as wide as the widest of its column. */
export function aligned(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i])).join('  ')).join('\n');
}
