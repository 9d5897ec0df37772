import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { locateFlights } from '../../src/node/flights.ts';
import { ENCODINGS, page, parquetFile, signedNumber, TYPES } from './parquet-file.ts';
import { DAMAGED, readTables } from './tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-parquet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flights = readFileSync(locateFlights());
const length = flights.readUInt32LE(flights.length - 8);
const footer = flights.subarray(flights.length - 8 - length, flights.length - 8);
const data = flights.subarray(0, flights.length - 8 - length);

/** The flights with another footer. */
function withFooter(changed: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(changed.length);
  return Buffer.concat([data, changed, size, Buffer.from('PAR1')]);
}

/** The footer with the first field 3 of that many rows saying something else: the rows of the file, before those of its groups. */
function withRows(rows: bigint): Buffer {
  const field = Buffer.concat([Buffer.from([0x16]), signedNumber(3_000_000n)]);
  const at = footer.indexOf(field);
  if (at < 0) throw new Error('the footer has no such field');
  return Buffer.concat([footer.subarray(0, at + 1), signedNumber(rows), footer.subarray(at + field.length)]);
}

const LIARS = [2n ** 50n, -5n, 0n, 3_000_001n, 2n ** 63n, 2n ** 200n];

const damaged: readonly (readonly [string, Buffer])[] = [
  ...LIARS.map((rows) => [`${rows} rows`, withFooter(withRows(rows))] as const),
  ['no data', Buffer.concat([Buffer.from('PAR1'), withFooter(footer).subarray(data.length)])],
  ['half a footer', withFooter(footer.subarray(0, length >> 1))],
  ['half a footer, the other half', withFooter(footer.subarray(length >> 1))],
  ['an empty footer', withFooter(Buffer.alloc(0))],
  ['a number of a megabyte', withFooter(Buffer.concat([Buffer.from([0x16]), Buffer.alloc(2 ** 20, 0xff), footer]))],
  ['its marks only', Buffer.from('PAR1PAR1')],
  ['a footer longer than the file', Buffer.from('PAR1\xff\xff\xff\x00PAR1', 'latin1')],
];

/** The column that is read begins somewhere in the data; whichever byte of it lies is found or changes a value, and breaks nothing. */
const lying = [4, 5, 6].map((at) => Buffer.from(flights).fill(0xff, at, at + 1));

describe('a Parquet file', () => {
  const files = [withFooter(withRows(3_000_000n)), ...damaged.map(([, content]) => content), ...lying];
  const outcomes = readTables(folder, 'delay', files).map(({ outcome }) => outcome);

  test('is read where nothing was changed', () => {
    expect(outcomes[0]).toBe('3000000 rows');
  });

  test.each(damaged.map(([name], i) => [name, i + 1] as const))('with %s is refused', (_, i) => {
    expect(outcomes[i]).toBe(DAMAGED);
  });

  test('whose pages say other things than they are is refused', () => {
    for (const outcome of outcomes.slice(-lying.length)) expect(outcome).toMatch(/not damaged|3000000 rows/);
  });
});

describe('texts of a Parquet file', () => {
  /** Two rows: as a page of texts, or of places in a dictionary of them; `converted` 0 says that they are UTF-8. */
  function ofTexts(texts: readonly Buffer[], inDictionary: boolean, converted?: number): Buffer {
    const content = Buffer.concat(
      texts.flatMap((text) => {
        const size = Buffer.alloc(4);
        size.writeUInt32LE(text.length);
        return [size, text];
      }),
    );
    const rows = texts.length;
    const column = { rows, type: TYPES.BYTE_ARRAY, ...(converted === undefined ? {} : { converted }) };
    if (!inDictionary) return parquetFile([page(content, content.length, rows)], column);
    // One bit a place, eight of them as they are: 0, 1.
    const places = Buffer.from([1, 3, 0b10]);
    const pages = [
      page(content, content.length, rows, ENCODINGS.PLAIN, true),
      page(places, 3, rows, ENCODINGS.DICTIONARY),
    ];
    return parquetFile(pages, column);
  }
  const latin = ['Jos\u00e9', 'Jos\u00ea'];
  const cases = [false, true].flatMap((inDictionary) =>
    [undefined, 0].flatMap((converted) =>
      (['utf8', 'latin1'] as const).map((encoding) => ({
        encoding,
        content: ofTexts(
          latin.map((text) => Buffer.from(text, encoding)),
          inDictionary,
          converted,
        ),
      })),
    ),
  );
  const read = readTables(
    join(folder, 'texts'),
    'x',
    cases.map(({ content }) => content),
  );

  test.each(cases.map(({ encoding }, i) => [encoding, i] as const))(
    'in %s (%i) are read in UTF-8 alone, as two players',
    (encoding, i) => {
      const said = encoding === 'utf8' ? '2 rows' : '"data" expected texts in UTF-8 in the column "x"';
      expect(read[i].outcome).toBe(said);
    },
  );
});
