import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  bytes,
  CODECS,
  ENCODINGS,
  int,
  list,
  long,
  page,
  parquetFile,
  plainNumber,
  sized,
  structure,
  TYPES,
  withFooter,
} from './parquet-file.ts';
import { DAMAGED, readTables } from './tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'ldpkit-bombs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Megabytes that the child ever held, its program and the largest file included, and seconds of a processor for one file. */
const MEMORY = 900;
const SECONDS = 15;

const [MB, GB] = [2 ** 20, 2 ** 30];

/** So many zeros, compressed. */
const PACKED: Readonly<Record<string, (size: number) => Uint8Array>> = {
  SNAPPY(size) {
    const copies = Math.floor((size - 1) / 64);
    const rest = size - 1 - 64 * copies;
    const end = rest === 0 ? [] : [((rest - 1) << 2) | 2, 1, 0];
    return Buffer.concat([
      plainNumber(size),
      Buffer.from([0, 0]),
      Buffer.alloc(3 * copies, '\xfe\x01\x00', 'latin1'),
      Buffer.from(end),
    ]);
  },
  GZIP(size) {
    // One behind the other they count as one.
    const piece = Math.min(size, 64 * MB);
    return Buffer.concat(new Array(size / piece).fill(gzipSync(Buffer.alloc(piece))));
  },
  BROTLI: (size) =>
    brotliCompressSync(Buffer.alloc(Math.min(size, GB / 4)), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ZSTD(size) {
    // Blocks of one byte, repeated.
    const blocks: number[] = [];
    for (let rest = size; rest > 0; rest -= 2 ** 17) {
      const header = (Math.min(rest, 2 ** 17) << 3) | 2 | (rest <= 2 ** 17 ? 1 : 0);
      blocks.push(header & 255, (header >> 8) & 255, header >> 16, 0);
    }
    return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, ...blocks]);
  },
  LZ4_RAW(size) {
    // One zero, and as many copies as bytes of 255 say; the last five are literals.
    const more = size - 6 - 4 - 15;
    const full = Math.floor(more / 255);
    return Buffer.concat([
      Buffer.from([0x1f, 0, 1, 0]),
      Buffer.alloc(full, 255),
      Buffer.from([more - 255 * full, 0x50, 0, 0, 0, 0, 0]),
    ]);
  },
  LZ4(size) {
    const block = PACKED.LZ4_RAW(size);
    const header = Buffer.alloc(8);
    header.writeInt32BE(size | 0);
    header.writeInt32BE(block.length, 4);
    return Buffer.concat([header, block]);
  },
};

/** A column of 1000 whole numbers in a page of that content, which says that it has so many bytes. */
function numbers(codec: string, content: Uint8Array, size: number): Buffer {
  return parquetFile([page(content, size, 1000)], { rows: 1000, codec: CODECS[codec as keyof typeof CODECS] });
}

const honest = Object.entries(PACKED).map(([codec, pack]) => [codec, numbers(codec, pack(8000), 8000)] as const);

const compressed = Object.entries(PACKED).flatMap(([codec, pack]) => [
  [`${codec} that goes on for gigabytes`, numbers(codec, pack(GB), 8000)] as const,
  [`${codec} that says two gigabytes`, numbers(codec, pack(8000), 2 ** 31 - 1)] as const,
  [`${codec} that says 256 MiB and has 8 kB`, numbers(codec, pack(8000), 2 ** 28)] as const,
  [`${codec} that says less than nothing`, numbers(codec, pack(8000), -8000)] as const,
]);

const dictionary = page(Buffer.alloc(8), 8, 1, ENCODINGS.PLAIN, true);

/** A page that points at the one value of a dictionary by one run. */
function run(length: number | bigint, rows: number = 1000): Buffer {
  const content = Buffer.concat([Buffer.from([1]), plainNumber(BigInt(length) * 2n), Buffer.from([0])]);
  return parquetFile([dictionary, page(content, content.length, rows, ENCODINGS.DICTIONARY)], { rows });
}

/** Pages of plain values with levels that say which are there: all of them by one run. */
function levels(length: bigint): Buffer {
  const one = Buffer.concat([plainNumber(length * 2n), Buffer.from([1])]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(one.length);
  const content = Buffer.concat([size, one, Buffer.alloc(8000)]);
  return parquetFile([page(content, content.length, 1000)], { rows: 1000, optional: true });
}

/** Differences: sizes of a block, number of its parts, of values, and the first value. */
function deltas(type: number, sizes: readonly (number | bigint)[], rest: Uint8Array = Buffer.alloc(4096)): Buffer {
  const content = Buffer.concat([...sizes.map(plainNumber), rest]);
  return parquetFile([page(content, content.length, 1000, ENCODINGS.DELTA)], { rows: 1000, type });
}

/** Lists within lists, each of which says that it has 2^24 elements. */
const lists = Buffer.concat(new Array<Buffer>(20).fill(Buffer.from([0xf9, 0x80, 0x80, 0x80, 0x08])));

/** The page of a column whose header is followed by something else. */
const headerOfLists = parquetFile([Buffer.concat([Buffer.from([0x19]), lists, Buffer.alloc(99)])], { rows: 1000 });

const emptyTexts = PACKED.ZSTD(64 * MB);
const endless = Buffer.concat([Buffer.from([0, 0, 0, 0, 255, 255, 255, 248]), Buffer.alloc(64)]);

const lies: readonly (readonly [string, Buffer])[] = [
  ['a run of 2^40 values', run(2n ** 40n)],
  ['a run of 2^31 - 1 values', run(2 ** 31 - 1)],
  ['a run of one value more than there are', run(1001)],
  ['levels of 2^40 values', levels(2n ** 40n)],
  ['levels of 2^30 values', levels(2n ** 30n)],
  [
    'a dictionary of two billion values in eight bytes',
    parquetFile([page(Buffer.alloc(8), 8, 2 ** 31 - 1, ENCODINGS.PLAIN, true), page(Buffer.alloc(8000), 8000, 1000)], {
      rows: 1000,
    }),
  ],
  [
    'a dictionary of sixteen million empty texts in two kilobytes',
    parquetFile([page(emptyTexts, 64 * MB, 16 * MB, ENCODINGS.PLAIN, true), page(PACKED.ZSTD(8000), 8000, 1000)], {
      rows: 1000,
      type: TYPES.BYTE_ARRAY,
      codec: CODECS.ZSTD,
    }),
  ],
  [
    'a page of eight million empty texts',
    parquetFile([page(PACKED.ZSTD(32 * MB), 32 * MB, 8 * MB)], {
      rows: 8 * MB,
      type: TYPES.BYTE_ARRAY,
      codec: CODECS.ZSTD,
    }),
  ],
  [
    'values as long as the page, each',
    parquetFile([page(Buffer.alloc(MB), MB, 1000)], { rows: 1000, type: TYPES.FIXED, converted: 5 }),
  ],
  ['blocks of LZ4 that go back', numbers('LZ4', endless, 8000)],
  ['differences in parts that go back', deltas(TYPES.INT32, [128, 2 ** 32 - 1, 1000, 0])],
  ['differences in no parts', deltas(TYPES.INT64, [128, 0, 1000, 0])],
  ['differences in blocks of nothing', deltas(TYPES.INT64, [0, 4, 1000, 0])],
  ['a difference of four megabytes', deltas(TYPES.INT64, [128, 4, 1000, 0], Buffer.alloc(4 * MB, 255))],
  ['a header of lists in lists', headerOfLists],
  [
    'pages of another type than the column',
    parquetFile([page(Buffer.alloc(8000), 8000, 1000)], { rows: 1000, chunkType: TYPES.INT32 }),
  ],
  [
    'a thousand row groups of the same page',
    parquetFile([page(Buffer.alloc(8000), 8000, 1000)], { rows: 1000, groups: 1000 }),
  ],
];

const LARGEST = 32 * MB;
const root = structure([bytes(4, 'root'), int(5, 1)]);

/** A footer that is filled up to the largest one that is read. */
function full(head: Uint8Array, fill: Uint8Array): Buffer {
  return withFooter(Buffer.concat([head, Buffer.alloc(LARGEST - head.length, fill)]));
}

const deep = Buffer.concat([
  ...new Array<Buffer>(5000).fill(structure([bytes(4, 'x'), int(5, 1)])),
  structure([int(1, 2), bytes(4, 'x')]),
]);
const wide = new Array<Buffer>(2 ** 17).fill(structure([int(1, 2), bytes(4, 'y')]));
const chunkless = new Array<Buffer>(2 ** 17).fill(structure([list(1, []), long(2, 0), long(3, 0)]));

const footers: readonly (readonly [string, Buffer])[] = [
  ['empty structures', full(Buffer.concat([Buffer.from([0x29, 0xfc]), plainNumber(31 * MB)]), Buffer.from([0]))],
  ['truths', full(Buffer.concat([Buffer.from([0x29, 0xf1]), plainNumber(31 * MB)]), Buffer.from([1]))],
  ['lists in lists', full(Buffer.from([0x29]), Buffer.from([0xf9, 0x80, 0x80, 0x80, 0x08]))],
  ['structures in structures', full(Buffer.from([]), Buffer.from([0x1c]))],
  ['one number', full(Buffer.from([0x15]), Buffer.from([255]))],
  ['numbers', full(Buffer.from([]), Buffer.from([0x16, 0x02]))],
  ['names of 32 kB', full(Buffer.from([]), Buffer.concat([Buffer.from([0x18]), sized('x'.repeat(2 ** 15))]))],
  [
    'a schema 5000 deep',
    withFooter(
      Buffer.concat([Buffer.from([0x29, 0xfc]), plainNumber(5001), deep, structure([long(1, 0), list(2, [])])]),
    ),
  ],
  [
    'many names times many row groups',
    withFooter(
      structure([
        int(1, 1),
        list(2, [structure([bytes(4, 'root'), int(5, wide.length)]), ...wide]),
        long(3, 0),
        list(4, chunkless),
      ]),
    ),
  ],
  ['no column', withFooter(structure([int(1, 1), list(2, [root]), long(3, 0), list(4, [])]))],
];

describe('a Parquet file by hand', () => {
  const fine: readonly (readonly [string, Buffer, string])[] = [
    ...honest.map(([codec, file]) => [codec, file, '1000 rows'] as const),
    ['a run', run(1000), '1000 rows'],
    ['a run of a million', run(MB, MB), '1048576 rows'],
    ['levels', levels(1000n), '1000 rows'],
    ['differences', deltas(TYPES.INT64, [128, 4, 1000, 0]), '1000 rows'],
    ['differences of 32 bits', deltas(TYPES.INT32, [128, 4, 1000, 0]), '1000 rows'],
  ];
  const reads = readTables(
    join(folder, 'fine'),
    'x',
    fine.map(([, file]) => file),
  );
  test.each(fine.map(([name, , expected], i) => [name, expected, i] as const))('is read: %s', (_, expected, i) => {
    expect(reads[i].outcome).toBe(expected);
  });
});

describe.each([
  ['compressed', compressed],
  ['that lies', lies],
  ['with a hostile footer', footers],
] as const)('a Parquet file %s', (kind, files) => {
  const reads = readTables(
    join(folder, kind),
    'x',
    files.map(([, file]) => file),
  );
  test.each(files.map(([name], i) => [name, i] as const))('is refused: %s', (_, i) => {
    expect(reads[i].outcome).toBe(DAMAGED);
    expect(reads[i].memory).toBeLessThan(MEMORY);
    expect(reads[i].seconds).toBeLessThan(SECONDS);
  });
});

test('a column of JSON is not parsed', () => {
  const file = parquetFile([page(Buffer.alloc(4000), 4000, 1000)], {
    rows: 1000,
    type: TYPES.BYTE_ARRAY,
    converted: 19,
  });
  expect(readTables(join(folder, 'json'), 'x', [file])[0].outcome).toBe(
    '"data" expected a column "x" of single values',
  );
});
