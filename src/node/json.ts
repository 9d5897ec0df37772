import { brief } from '../check/printable.ts';
import type { TableSink } from './batch.ts';
import { fileRefusal } from './file-refusal.ts';
import { eachElement, eachLine, type TakeRecord } from './json-records.ts';
import { type ParsedJson, parseJson } from './json-text.ts';

/** Records a batch. */
const BATCH = 8192;

/**
 * Reads columns of a JSON file: one array of objects. A key that an object lacks is a missing value.
 *
 * @throws RangeError for a file that is not such an array, a record that is too long or has a key twice, or a first object that lacks a
 * column.
 */
export async function readJson(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  await readRecords(path, columns, sink, eachElement);
}

/**
 * Reads columns of a file with one JSON object a line. Empty lines are skipped.
 *
 * @throws RangeError for a line that is not an object, is too long or has a key twice, or a first object without a column.
 */
export async function readJsonLines(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  await readRecords(path, columns, sink, eachLine);
}

/** Twice through the file: the first time records are only counted. */
async function readRecords(
  path: string,
  columns: readonly string[],
  sink: TableSink,
  each: (path: string, take: TakeRecord) => Promise<void>,
): Promise<void> {
  let records = 0;
  await each(path, () => records++);
  sink.expect(records);
  const collector = collect(path, columns, sink);
  await each(path, (text) => collector.add(parseJson(text)));
  collector.flush();
}

interface Collector {
  add(parsed: ParsedJson): void;
  flush(): void;
}

/** Turns records into batches of columns. */
function collect(path: string, columns: readonly string[], sink: TableSink): Collector {
  let rows = 0;
  let pending: unknown[][] = columns.map(() => []);
  let count = 0;
  const flush = (): void => {
    if (count > 0) sink.add({ rows: count, columns: pending.map((values) => ({ values, timestamps: false })) });
    pending = columns.map(() => []);
    count = 0;
  };
  return {
    flush,
    add(parsed) {
      rows++;
      const expected = 'fault' in parsed && parsed.fault !== 'JSON' ? parsed.fault : 'a JSON object';
      const record = 'value' in parsed ? parsed.value : undefined;
      if (typeof record !== 'object' || record === null || Array.isArray(record)) {
        throw fileRefusal('data', `${expected} in row ${rows}`, path);
      }
      for (const [index, column] of columns.entries()) {
        const own = Object.hasOwn(record, column);
        if (!own && rows === 1) throw fileRefusal('data', `a key named "${brief(column)}" in row 1`, path);
        pending[index].push(own ? (record as Readonly<Record<string, unknown>>)[column] : undefined);
      }
      count++;
      if (count === BATCH) flush();
    },
  };
}
