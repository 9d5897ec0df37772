import { createReadStream } from 'node:fs';
import Papa from 'papaparse';
import { brief } from '../check/printable.ts';
import { LONGEST_RECORD, longRecord, type TableSink } from './batch.ts';
import { fileRefusal } from './files.ts';

/** Bytes read at a time: some ten thousand records. */
const PIECE = 1 << 20;

/**
 * Reads columns of a CSV file in pieces: commas, double quotes, a header row, one kind of line end, with or without a
 * byte order mark. Empty lines are skipped; every record must have as many fields as the header.
 *
 * @throws RangeError for a damaged file (see `readCsvLines`), or a column that is missing or occurs twice.
 */
export async function readCsv(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  const { records: most, lineEnd } = await readCsvLines(path);
  sink.expect(most);
  let places: readonly number[] | undefined;
  let fields = 0;
  let rows = 0;
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
    for (let i = 0; i < count; i++) {
      if (records[start + i].length !== fields) {
        throw fileRefusal('data', `${fields} fields in row ${rows + i + 1}, as in the header`, path);
      }
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
}

/** The position of each column in a record. */
function findColumns(header: readonly string[], columns: readonly string[], path: string): readonly number[] {
  return columns.map((column) => {
    const place = header.indexOf(column);
    if (place < 0) throw fileRefusal('data', `a column named "${brief(column)}" in the header row`, path);
    if (header.indexOf(column, place + 1) >= 0) {
      throw fileRefusal('data', `only one column named "${brief(column)}"`, path);
    }
    return place;
  });
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

/** What a first pass over a CSV file finds before its records are parsed. */
interface CsvLines {
  /** At least the number of records, empty lines included. */
  readonly records: number;
  /** What ends a line. */
  readonly lineEnd: '\n' | '\r' | '\r\n';
}

const [NUL, FEED, RETURN, SPACE, QUOTE, COMMA] = [0, 10, 13, 32, 34, 44];

/** The state of a field: at its start, unquoted, in quotes, after a quote that may close it, or closed. */
type Place = 'start' | 'plain' | 'quoted' | 'closing' | 'closed';

/**
 * Reads the bytes of a CSV file once, with memory that does not depend on the file. Quotes and line ends are followed
 * byte by byte. A parser keeps a record in memory until it ends; so it never gets a record without an end.
 *
 * @throws RangeError with the number of the line, counted from 1, for a record that is too long, for a quote that is
 * never closed or is followed by other text, for line ends of two kinds, or for bytes that are not text.
 */
async function readCsvLines(path: string): Promise<CsvLines> {
  let place = 'start' as Place;
  let [line, records, length, opened] = [1, 0, 0, 0];
  // Counted outside quotes only.
  const ends = { '\n': 0, '\r': 0, '\r\n': 0 };
  let returned = false;
  const refuse = (expected: string, where: number): never => {
    throw fileRefusal('data', `${expected} in line ${where}`, path);
  };
  const count = (end: keyof typeof ends): void => {
    ends[end]++;
    // The line that ended is the previous one.
    const kinds = (ends['\n'] > 0 ? 1 : 0) + (ends['\r'] > 0 ? 1 : 0) + (ends['\r\n'] > 0 ? 1 : 0);
    if (kinds > 1) refuse('the same kind of line ends as in the lines before', line - 1);
  };
  const endRecord = (): void => {
    if (place === 'quoted') return;
    place = 'start';
    records++;
    length = 0;
  };
  const take = (byte: number): void => {
    if (byte === NUL) refuse('a CSV file in UTF-8, without NUL bytes,', line);
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
  if (returned && place === 'start') count('\r');
  if (place === 'quoted') refuse('closed quotes', opened);
  const lineEnd = ends['\r\n'] > 0 ? '\r\n' : ends['\r'] > 0 ? '\r' : '\n';
  return { records: records + 1, lineEnd };
}
