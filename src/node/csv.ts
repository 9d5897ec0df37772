import { createReadStream } from 'node:fs';
import Papa from 'papaparse';
import { brief } from '../check/refusal.ts';
import { fileRefusal, LONGEST_RECORD, longRecord, type TableSink } from './files.ts';
import { asOne, meantBy } from './refused.ts';

/** Bytes read at a time: some ten thousand records. */
const PIECE = 1 << 20;

/** Reads columns of a CSV file in pieces. Empty lines are skipped; records have as many fields as the header. */
export async function readCsv(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  const { records: most, lineEnd } = await readCsvLines(path);
  sink.expect(most);
  let places: readonly number[] | undefined;
  let fields = 0;
  let rows = 0;
  const uneven: number[] = [];
  await parsePieces(path, lineEnd, (records, damaged) => {
    if (damaged !== undefined) {
      const near = rows + damaged + (places === undefined ? 0 : 1);
      throw fileRefusal('data', `a CSV file with closed quotes near row ${Math.max(1, near)}`, path);
    }
    let start = 0;
    if (places === undefined) {
      if (records.length === 0) return;
      places = findColumns(records[0], columns, path);
      fields = records[0].length;
      start = 1;
    }
    const count = records.length - start;
    for (let i = 0; i < count && uneven.length < MOST; i++) {
      if (records[start + i].length !== fields) uneven.push(rows + i + 1);
    }
    if (uneven.length > 0) {
      rows += count;
      return;
    }
    const cells = places.map((place) => {
      const values = new Array<string>(count);
      for (let i = 0; i < count; i++) values[i] = records[start + i][place];
      return { values, timestamps: false };
    });
    if (count > 0) sink.add({ rows: count, columns: cells });
    rows += count;
  });
  if (places === undefined) throw fileRefusal('data', 'a CSV file with a header row', path);
  if (uneven.length === 0) return;
  const lines = await csvLinesOf(path, uneven);
  throw asOne(
    uneven.map((row, i) =>
      fileRefusal('data', `${fields} fields in row ${row} (line ${lines[i]}), as in the header`, path),
    ),
  );
}

/** The most uneven records that are told at once. */
const MOST = 10;

/** The line in which each of some records begins; the header is record 0, and empty lines are none. */
export async function csvLinesOf(path: string, rows: readonly number[]): Promise<readonly number[]> {
  const lines = new Map<number, number>();
  const wanted = new Set(rows);
  let record = 0;
  await readCsvLines(path, (line) => {
    if (wanted.has(record)) lines.set(record, line);
    record++;
  });
  return rows.map((row) => lines.get(row) ?? 0);
}

/** The names in the header row of a CSV file. Records behind it are not read. */
export async function readCsvHeader(path: string): Promise<readonly string[]> {
  const { lineEnd } = await readCsvLines(path);
  let header: readonly string[] | undefined;
  await parsePieces(path, lineEnd, ([first]) => {
    header ??= first;
  });
  if (header === undefined) throw fileRefusal('data', 'a CSV file with a header row', path);
  return header;
}

/** The position of each column in a record. Of the header, which may be a record, a refusal shows nothing. */
function findColumns(header: readonly string[], columns: readonly string[], path: string): readonly number[] {
  const places = columns.map((column) => header.indexOf(column));
  if (places.includes(-1)) checkDelimiter(header, path);
  const refusals = columns.flatMap((column, i) => {
    const name = brief(column);
    if (places[i] < 0) {
      return [fileRefusal('data', `a column named "${name}" in the header row${nearest(column, header)}`, path)];
    }
    const twice = header.indexOf(column, places[i] + 1) >= 0;
    return twice ? [fileRefusal('data', `only one column named "${name}"`, path)] : [];
  });
  if (refusals.length > 0) throw asOne(refusals);
  return places;
}

/** The column that somebody may have meant by a mistyped one, by its number: a header may be a record. */
export function nearest(column: string, header: readonly string[]): string {
  const meant = meantBy(column, header);
  return meant === undefined ? '' : `; did you mean column ${header.indexOf(meant) + 1}, whose name is near?`;
}

/** What else separates the fields of files that are called CSV. */
const DELIMITERS: readonly (readonly [sign: string, name: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];

/** Refuses a header row in which something else than commas separates the names. */
export function checkDelimiter(header: readonly string[], path: string): void {
  if (header.length > 1) return;
  for (const [sign, name] of DELIMITERS) {
    const found = header[0].split(sign).length - 1;
    if (found === 0) continue;
    const expected = `commas between the fields (the header row has none, and ${name}; save the file with commas)`;
    throw fileRefusal('data', expected, path);
  }
}

/** Passes on the records piece by piece, together with the position in the piece where quoting is broken, if it is. */
function parsePieces(
  path: string,
  lineEnd: CsvLines['lineEnd'],
  take: (records: readonly string[][], damaged: number | undefined) => void,
): Promise<void> {
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE });
  return new Promise<void>((resolve, reject) => {
    Papa.parse<string[]>(stream, {
      delimiter: ',',
      newline: lineEnd,
      skipEmptyLines: true,
      beforeFirstChunk: (text) => text.replace(/^\uFEFF/, ''),
      // Papa catches every error thrown in here and passes it to `error`.
      chunk: ({ data, errors }) => take(data, errors.length > 0 ? (errors[0].row ?? 0) : undefined),
      error: (error) => {
        stream.destroy();
        reject(error);
      },
      complete: () => resolve(),
    });
  });
}

/** What a first pass over a CSV file finds before its records are parsed: at least their number, empty lines included. */
interface CsvLines {
  readonly records: number;
  readonly lineEnd: '\n' | '\r' | '\r\n';
}

const [NUL, FEED, RETURN, SPACE, QUOTE, COMMA] = [0, 10, 13, 32, 34, 44];

/** The state of a field: at its start, unquoted, in quotes, after a quote that may close it, or closed. */
type Place = 'start' | 'plain' | 'quoted' | 'closing' | 'closed';

/**
 * Reads the bytes of a CSV file once, and refuses what is damaged. A parser keeps a record in memory until it ends; so it never
 * gets one without an end. `onRecord` is told the lines in which records begin, also the header, without those that are empty.
 */
async function readCsvLines(path: string, onRecord?: (line: number) => void): Promise<CsvLines> {
  let place = 'start' as Place;
  let [line, records, length, opened, begun] = [1, 0, 0, 0, 1];
  // What the record has besides spaces behind closed quotes: of a pair of quotes alone two. The parser takes it for an empty line.
  let filled = 0;
  // Bytes of a character that are still to come, and what the next of them may be.
  let [left, low, high] = [0, 0x80, 0xbf];
  // Of records only, not those within quotes.
  const ends = new Set<CsvLines['lineEnd']>();
  let returned = false;
  const refuse = (expected: string, where: number): never => {
    throw fileRefusal('data', `${expected} in line ${where}`, path);
  };
  const count = (end: CsvLines['lineEnd']): void => {
    ends.add(end);
    // The line that ended is the previous one.
    if (ends.size > 1) refuse('the same kind of line ends as in the lines before', line - 1);
  };
  const endRecord = (): void => {
    if (place === 'quoted') {
      filled++;
      return;
    }
    if (filled === 2 && (place === 'closing' || place === 'closed'))
      refuse('a value, or an empty line, and not quotes alone', opened);
    place = 'start';
    records++;
    if (length > 0) onRecord?.(begun);
    begun = line;
    length = filled = 0;
  };
  // Well-formed UTF-8 (Unicode 16, table 3-7). A decoder would put one sign in the place of all that is not, and two texts could become one.
  const follow = (byte: number): void => {
    const first = left === 0;
    if (first ? byte < 0xc2 || byte > 0xf4 : byte < low || byte > high) refuse('a CSV file in UTF-8', line);
    left = first ? (byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3) : left - 1;
    low = first && byte === 0xe0 ? 0xa0 : first && byte === 0xf0 ? 0x90 : 0x80;
    high = first && byte === 0xed ? 0x9f : first && byte === 0xf4 ? 0x8f : 0xbf;
  };
  const take = (byte: number): void => {
    if (byte === NUL) refuse('a CSV file in UTF-8, without NUL bytes,', line);
    if (byte >= 0x80 || left > 0) follow(byte);
    if (returned) {
      returned = false;
      if (byte === FEED) {
        if (place === 'start') count('\r\n');
        return;
      }
      if (place === 'start') count('\r');
    }
    if (byte === FEED || byte === RETURN) {
      line++;
      endRecord();
      if (byte === RETURN) returned = true;
      else if (place === 'start') count('\n');
      return;
    }
    if (++length > LONGEST_RECORD) throw longRecord(`line ${place === 'quoted' ? opened : line}`, path);
    filled++;
    if (place === 'quoted') {
      if (byte === QUOTE) place = 'closing';
    } else if (byte === COMMA) place = 'start';
    else if (byte === QUOTE && place === 'start') {
      place = 'quoted';
      opened = line;
    } else if (place === 'closing' && byte === QUOTE) place = 'quoted';
    else if (place === 'closing' || place === 'closed') {
      if (byte !== SPACE) refuse('a comma or the end of the line behind closed quotes', line);
      place = 'closed';
      filled--;
    } else place = 'plain';
  };
  let first = true;
  for await (const piece of createReadStream(path, { highWaterMark: PIECE })) {
    const bytes: Uint8Array = piece;
    const [a, b, c] = bytes;
    if (first && ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))) refuse('a CSV file in UTF-8', 1);
    // A quote after a byte order mark opens the first field.
    for (let i = first && a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0; i < bytes.length; i++) take(bytes[i]);
    first = false;
  }
  if (left > 0) refuse('a CSV file in UTF-8', line);
  if (returned && place === 'start') count('\r');
  endRecord();
  if (place === 'quoted') refuse('closed quotes', opened);
  const [lineEnd = '\n'] = ends;
  return { records, lineEnd };
}
