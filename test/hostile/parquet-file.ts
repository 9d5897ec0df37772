// Parquet files by hand, as no writer makes them: Thrift's compact protocol, pages and a footer.

type Field = readonly [id: number, type: number, content: Uint8Array];

/** A whole number, seven bits a byte. */
export function plainNumber(value: number | bigint): Buffer {
  let rest = BigInt(value);
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

/** The same with its sign as the last bit. */
export function signedNumber(value: number | bigint): Buffer {
  const big = BigInt(value);
  return plainNumber(big < 0n ? -2n * big - 1n : 2n * big);
}

export const int = (id: number, value: number | bigint): Field => [id, 5, signedNumber(value)];
export const long = (id: number, value: number | bigint): Field => [id, 6, signedNumber(value)];
export const bytes = (id: number, value: string): Field => [id, 8, sized(value)];
export const record = (id: number, fields: readonly Field[]): Field => [id, 12, structure(fields)];

/** A list of structures, or of what else has the type. */
export function list(id: number, content: readonly Uint8Array[], type: number = 12): Field {
  return [id, 9, Buffer.concat([Buffer.from([0xf0 | type]), plainNumber(content.length), ...content])];
}

export function sized(value: string): Buffer {
  return Buffer.concat([plainNumber(Buffer.byteLength(value)), Buffer.from(value)]);
}

export function structure(fields: readonly Field[]): Buffer {
  let last = 0;
  const parts = fields.flatMap(([id, type, content]) => {
    const head = Buffer.from([((id - last) << 4) | type]);
    last = id;
    return [head, content];
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

export const TYPES = { INT32: 1, INT64: 2, BYTE_ARRAY: 6, FIXED: 7 } as const;
export const CODECS = { NONE: 0, SNAPPY: 1, GZIP: 2, BROTLI: 4, LZ4: 5, ZSTD: 6, LZ4_RAW: 7 } as const;
export const ENCODINGS = { PLAIN: 0, DELTA: 5, DELTA_LENGTH: 6, DICTIONARY: 8 } as const;

/** A page of data or, with `dictionary`, of the values that pages point at. It says that it has `size` bytes when decompressed. */
export function page(
  content: Uint8Array,
  size: number,
  values: number,
  encoding: number = ENCODINGS.PLAIN,
  dictionary: boolean = false,
): Buffer {
  const said = [int(1, values), int(2, encoding)];
  const header = structure([
    int(1, dictionary ? 2 : 0),
    int(2, size),
    int(3, content.length),
    dictionary ? record(7, said) : record(5, [...said, int(3, 3), int(4, 3)]),
  ]);
  return Buffer.concat([header, content]);
}

/** The column of a made file. */
export interface Column {
  readonly rows: number;
  readonly type?: number;
  readonly codec?: number;
  readonly optional?: boolean;
  readonly converted?: number;
  /** The type that its chunks say, if another. */
  readonly chunkType?: number;
  /** So many row groups, all of the same pages. */
  readonly groups?: number;
}

/** A file of one column `x`, of the pages given. */
export function parquetFile(pages: readonly Uint8Array[], column: Column): Buffer {
  const { rows, type = TYPES.INT64, codec = CODECS.NONE, optional = false, converted, groups = 1 } = column;
  const data = Buffer.concat(pages);
  const element = structure([
    int(1, type),
    int(3, optional ? 1 : 0),
    bytes(4, 'x'),
    ...(converted === undefined ? [] : [int(6, converted)]),
  ]);
  const chunk = record(3, [
    int(1, column.chunkType ?? type),
    list(2, [signedNumber(0)], 5),
    list(3, [sized('x')], 8),
    int(4, codec),
    long(5, rows),
    long(6, data.length),
    long(7, data.length),
    long(9, 4),
  ]);
  const group = structure([list(1, [structure([long(2, 4), chunk])]), long(2, data.length), long(3, rows)]);
  const schema = list(2, [structure([bytes(4, 'root'), int(5, 1)]), element]);
  return withFooter(
    structure([int(1, 1), schema, long(3, rows * groups), list(4, new Array(groups).fill(group))]),
    data,
  );
}

/** A file with a footer of any bytes. */
export function withFooter(footer: Uint8Array, data: Uint8Array = new Uint8Array(0)): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), data, footer, size, Buffer.from('PAR1')]);
}
