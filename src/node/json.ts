import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { TableSink } from './batch.ts';
import { fileRefusal } from './file-refusal.ts';

/** Records a batch. */
const BATCH = 8192;

/**
 * Reads columns of a JSON file: one array of objects. A key that an object lacks is a missing value.
 *
 * @throws RangeError for a file that is not such an array, or whose first object lacks a column.
 */
export async function readJson(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  const text = await readFile(path, 'utf8');
  const records = parse(text.replace(/^\uFEFF/, ''));
  if (!Array.isArray(records)) throw fileRefusal('data', 'a JSON file with one array of objects', path);
  const collector = collect(path, columns, sink);
  sink.expect(records.length);
  for (const record of records) collector.add(record);
  collector.flush();
}

/**
 * Reads columns of a file with one JSON object a line. Empty lines are skipped.
 *
 * @throws RangeError for a line that is not an object, or a first object without a column.
 */
export async function readJsonLines(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  let lines = 0;
  await eachLine(path, () => lines++);
  sink.expect(lines);
  const collector = collect(path, columns, sink);
  await eachLine(path, (line) => collector.add(parse(line)));
  collector.flush();
}

async function eachLine(path: string, take: (line: string) => void): Promise<void> {
  let rest = '';
  const takeLines = (lines: readonly string[]): void => {
    for (const line of lines) {
      const text = line.replace(/^\uFEFF/, '');
      if (text.trim() !== '') take(text);
    }
  };
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    takeLines(lines);
  }
  takeLines([rest]);
}

/** The value, or undefined if it is not JSON. What the parser would say quotes the text, which is private. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Collector {
  add(record: unknown): void;
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
    add(record) {
      rows++;
      if (typeof record !== 'object' || record === null || Array.isArray(record)) {
        throw fileRefusal('data', `a JSON object in row ${rows}`, path);
      }
      for (const [index, column] of columns.entries()) {
        const own = Object.hasOwn(record, column);
        if (!own && rows === 1) throw fileRefusal('data', `a key named "${column}" in row 1`, path);
        pending[index].push(own ? (record as Readonly<Record<string, unknown>>)[column] : undefined);
      }
      count++;
      if (count === BATCH) flush();
    },
  };
}
