// Writes Parquet files of one column `a`, reads each with the built package and prints the cells, or the refusal: jest loads no Parquet.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteFile } from 'hyparquet-writer';
import { makeSources, readTable } from '../../../dist/src/node/table.js';

const decimal = { type: 'INT64', logical_type: { type: 'DECIMAL', precision: 10, scale: 1 } };
const date = { type: 'INT32', logical_type: { type: 'DATE' } };
const columns = {
  decimals: [{ ...decimal, converted_type: 'DECIMAL', precision: 10, scale: 1 }, [0.3, null, -0.7, 1.1]],
  // As the writer has no newer name alone, it is given the whole numbers that are stored.
  'decimals by the newer name alone': [decimal, [3n, null, -7n]],
  'dates by the newer name alone': [date, [11_353, null]],
  'the hour of days': [date, [11_353], 'hour'],
  'the weekday of days': [date, [11_353], 'weekday'],
  'the weekday of days without a date': [date, [11_353, 2 ** 31 - 1], 'weekday'],
  'the hour of times': [{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, [new Date('2001-01-31T09:30Z')], 'hour'],
};

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-columns-'));
const path = join(folder, 'column.parquet');
const found = {};
for (const [name, [said, data, part]] of Object.entries(columns)) {
  const column = { name: 'a', repetition_type: 'OPTIONAL', ...said };
  parquetWriteFile({
    filename: path,
    schema: [{ name: 'root', num_children: 1 }, column],
    columnData: [{ name: 'a', data }],
  });
  found[name] = [];
  const source = makeSources(['a'], data.length).numbers('a', part);
  const add = (batch) => {
    if (part === undefined) return found[name].push(...batch.columns[0].values);
    source.fill(batch, 0, batch.rows, 1);
    found[name].push(...source.numbers);
  };
  await readTable(path, ['a'], { expect: () => {}, add }).catch(({ message }) => found[name].push(message));
}
process.stdout.write(JSON.stringify(found, (_, cell) => (typeof cell === 'bigint' ? String(cell) : cell)));
rmSync(folder, { recursive: true });
