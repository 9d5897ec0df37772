import { createReadStream } from 'node:fs';
import { brief } from '../check/refusal.ts';
import { fileRefusal, isObject, LONGEST_RECORD, longRecord, parseJson, type TableSink } from './files.ts';

const BATCH = 8192;

/** Reads columns of a JSON file: one array of objects. A key that an object lacks is a missing value. */
export function readJson(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  return readRecords(path, columns, sink, eachElement);
}

/** The same of a file with one JSON object per line. Empty lines are skipped. */
export function readJsonLines(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  return readRecords(path, columns, sink, eachLine);
}

/** Reads the file twice: the first time it only counts the records. */
async function readRecords(
  path: string,
  columns: readonly string[],
  sink: TableSink,
  each: (path: string, take: TakeRecord) => Promise<void>,
): Promise<void> {
  let records = 0;
  await each(path, () => records++);
  sink.expect(records);
  let rows = 0;
  let pending: unknown[][] = columns.map(() => []);
  const flush = (): void => {
    const [{ length: count }] = pending;
    if (count > 0) sink.add({ rows: count, columns: pending.map((values) => ({ values, timestamps: false })) });
    pending = columns.map(() => []);
  };
  await each(path, (text) => {
    rows++;
    const parsed = parseJson(text);
    const expected = 'fault' in parsed && parsed.fault !== 'JSON' ? parsed.fault : 'a JSON object';
    const record = 'value' in parsed ? parsed.value : undefined;
    if (!isObject(record)) throw fileRefusal('data', `${expected} in row ${rows}`, path);
    for (const [index, column] of columns.entries()) {
      const own = Object.hasOwn(record, column);
      if (!own && rows === 1) throw fileRefusal('data', `a key named "${brief(column)}" in row 1`, path);
      pending[index].push(own ? record[column] : undefined);
    }
    if (pending[0].length === BATCH) flush();
  });
  flush();
}

/** Receives the texts of the records one after the other. */
type TakeRecord = (text: string) => void;

/** A record that arrives in pieces, which `take` joins once: joining at each takes time quadratic in the length. */
function growing(path: string) {
  let pieces: string[] = [];
  let length = 0;
  let records = 0;
  return {
    add(piece: string): void {
      length += piece.length;
      if (length > LONGEST_RECORD) throw longRecord(`row ${records + 1}`, path);
      if (piece !== '') pieces.push(piece);
    },
    take(): string {
      const text = pieces.join('');
      if (text.trim() !== '') records++;
      pieces = [];
      length = 0;
      return text;
    },
  };
}

/** The text of a file in pieces, in UTF-8: one sign would take the place of all else, and two names could become one. */
async function* textOf(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decoded = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw fileRefusal('data', 'a JSON file in UTF-8', path);
    }
  };
  for await (const piece of createReadStream(path)) yield decoded(piece as Uint8Array);
  yield decoded();
}

/** The lines of a file that are not empty. */
async function eachLine(path: string, take: TakeRecord): Promise<void> {
  const record = growing(path);
  const end = (): void => {
    const text = record.take().replace(/^\uFEFF/, '');
    if (text.trim() !== '') take(text);
  };
  for await (const text of textOf(path)) {
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      record.add(text.slice(from, to));
      end();
      from = to + 1;
    }
    record.add(text.slice(from));
  }
  end();
}

/** The elements of the one array in a file, as texts that may or may not be JSON. Memory holds one element. */
async function eachElement(path: string, take: TakeRecord): Promise<void> {
  const record = growing(path);
  const refuse = (): never => {
    throw fileRefusal('data', 'a JSON file with one array of objects', path);
  };
  let place = 'before' as 'before' | 'within' | 'after';
  let elements = 0;
  let depth = 0;
  let quoted = false;
  let escaped = false;
  const end = (last: boolean): void => {
    const element = record.take();
    const empty = element.trim() === '';
    if (empty && !(last && elements === 0)) refuse();
    if (empty) return;
    elements++;
    take(element);
  };
  for await (const text of textOf(path)) {
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text[i];
      if (place !== 'within') {
        if (place === 'before' && character === '[') {
          place = 'within';
          from = i + 1;
        } else if (!/[\s\uFEFF]/.test(character)) refuse();
      } else if (quoted) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') quoted = false;
      } else if (character === '"') quoted = true;
      else if (character === '{' || character === '[') depth++;
      else if (depth > 0) {
        if (character === '}' || character === ']') depth--;
      } else if (character === ',' || character === ']') {
        record.add(text.slice(from, i));
        end(character === ']');
        from = i + 1;
        if (character === ']') place = 'after';
      }
    }
    if (place === 'within') record.add(text.slice(from));
  }
  if (place !== 'after') refuse();
}
