import { createReadStream } from 'node:fs';
import Papa from 'papaparse';
import { brief } from '../check/printable.ts';
import type { TableSink } from './batch.ts';
import { type CsvLines, readCsvLines } from './csv-lines.ts';
import { fileRefusal } from './file-refusal.ts';

/** Bytes read at a time: some ten thousand records. */
const PIECE = 1 << 20;

/**
 * Reads columns of a CSV file in pieces: commas, double quotes, a header row, line ends of any one kind, with or without a byte
 * order mark. Empty lines are skipped; every record must have as many fields as the header.
 *
 * @throws RangeError for a damaged file (see `readCsvLines`), or a column that is missing or there twice.
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

/** Where in a record each column is. */
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

/** Hands over the records piece by piece, and the place in the piece where quoting is broken, if it is. */
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
      // Whatever is thrown in here, Papa catches and passes to `error`.
      chunk: ({ data, errors }) => take(data, errors.length > 0 ? (errors[0].row ?? 0) : undefined),
      error: (error) => {
        stream.destroy();
        reject(error);
      },
      complete: () => resolve(),
    });
  });
}
