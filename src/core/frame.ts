import { RefusedValue, ReportError } from '../check/refusal.ts';
import type { PublicParameters } from './contract.ts';

/** The values of a simulated report: single precision where that is enough, double otherwise. */
export type FloatValues = Float32Array | Float64Array;

/** Dense report values as they travel: floats of a simulation, integers of a deployment. */
export type Values = FloatValues | Int32Array | Uint32Array;

/** How report values travel. */
export type Precision = 'float32' | 'float64' | 'int32' | 'uint32';

/** The parameters that fix the bytes of a report of numbers. */
export interface ReportParameters extends PublicParameters {
  readonly length: number;
  readonly precision: Precision;
}

/** One player's report: dense numbers in the precision of the wire, so that encoding loses nothing. */
export interface ValuesReport {
  /** As many numbers as the parameters' `length`. */
  readonly values: Values;
}

// A frame is: magic (4 bytes), frame version, protocol version, precision, length of the protocol's name (1 byte each),
// the name in ASCII, the parameter digest (16 bytes), the number of values (4 bytes), then the values. Little-endian.
const ARRAYS = { float32: Float32Array, float64: Float64Array, int32: Int32Array, uint32: Uint32Array } as const;

export const PRECISIONS: readonly Precision[] = /* @__PURE__ */ Object.keys(ARRAYS) as readonly Precision[];

const CODES: { readonly [precision in Precision]: number } = { float32: 4, float64: 8, int32: 5, uint32: 6 };
const MAGIC = [0x4c, 0x44, 0x50, 0x4b]; // "LDPK"
const FRAME_VERSION = 1;
const DIGEST_BYTES = 16;

/**
 * The cheapest precision whose rounding stays at least 100 times below the noise: single precision rounds values up to
 * `magnitude` by at most 2⁻²⁴ of it, far from its largest number, 2¹²⁸, and its least, 2⁻¹⁴⁹. `noise`: the standard
 * deviation on one value.
 */
export function choosePrecision(noise: number, magnitude: number): Precision {
  return noise >= 100 * 2 ** -24 * magnitude && magnitude + 1 / magnitude < 2 ** 100 ? 'float32' : 'float64';
}

export function createValues(precision: Precision, length: number): Values {
  return new ARRAYS[precision](length);
}

/** How an array of report values travels. */
export function precisionOfValues(values: Values): Precision {
  if (values instanceof Float32Array) return 'float32';
  if (values instanceof Float64Array) return 'float64';
  return values instanceof Int32Array ? 'int32' : 'uint32';
}

// The header that was asked for last: reports mostly come one after the other under the same parameters.
let asked: readonly unknown[] = [];
let made: Uint8Array;

/** The bytes before the values; nobody writes to them. */
function header({ protocol: name, version, digest }: PublicParameters, precision: Precision, length: number) {
  const wanted = [name, version, digest, precision, length];
  if (wanted.every((value, i) => value === asked[i])) return made;
  // An array of bytes keeps the lowest 8 bits of each number.
  made = Uint8Array.of(
    ...MAGIC,
    ...[FRAME_VERSION, version, CODES[precision], name.length],
    ...Array.from(name, (letter) => letter.charCodeAt(0)),
    ...Array.from({ length: DIGEST_BYTES }, (_, i) => Number.parseInt(digest.slice(2 * i, 2 * i + 2), 16)),
    ...[length, length >> 8, length >> 16, length >> 24],
  );
  asked = wanted;
  return made;
}

export function createReport({ precision, length }: ReportParameters): ValuesReport {
  return { values: createValues(precision, length) };
}

/** A report's values framed for the wire. */
export function encodeValues(
  parameters: PublicParameters,
  precision: Precision,
  length: number,
  values: Values,
): Uint8Array {
  if (values.length !== length) throw new RefusedValue('report', `${length} values`, values.length);
  const head = header(parameters, precision, length);
  const size = ARRAYS[precision].BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(head.length + size * length);
  bytes.set(head);
  const view = new DataView(bytes.buffer, head.length);
  for (let i = 0; i < length; i++) {
    if (precision === 'float32') view.setFloat32(4 * i, values[i], true);
    else if (precision === 'float64') view.setFloat64(8 * i, values[i], true);
    else if (precision === 'int32') view.setInt32(4 * i, values[i], true);
    else view.setUint32(4 * i, values[i], true);
  }
  return bytes;
}

export function encodeReport(parameters: ReportParameters, { values }: ValuesReport): Uint8Array {
  return encodeValues(parameters, parameters.precision, parameters.length, values);
}

// Which part of a header a byte belongs to, for the message of a refusal.
function headerPart(name: string, at: number): string {
  if (at < 4) return 'the magic bytes of a report';
  if (at === 4) return `frame version ${FRAME_VERSION}`;
  if (at === 5) return 'this version of the protocol';
  if (at === 6) return 'the precision these parameters prescribe';
  if (at < 8 + name.length) return `a report of protocol ${name}`;
  if (at < 8 + name.length + DIGEST_BYTES) return 'the digest of these parameters';
  return 'the number of values these parameters prescribe';
}

/**
 * The values in a framed report; the trust boundary of every protocol with dense reports: type, length, every byte of the
 * header and finiteness are checked.
 */
export function decodeValues(
  parameters: PublicParameters,
  precision: Precision,
  length: number,
  received: Uint8Array,
): Values {
  const bytes = receivedBytes(received);
  const head = header(parameters, precision, length);
  // The header is compared first, so a report of another protocol is refused as such, and not for "a wrong length".
  for (let i = 0; i < Math.min(head.length, bytes.length); i++) {
    if (bytes[i] !== head[i]) throw new ReportError(`"report" expected ${headerPart(parameters.protocol, i)}`);
  }
  const size = ARRAYS[precision].BYTES_PER_ELEMENT;
  const expected = head.length + size * length;
  if (bytes.length !== expected) {
    throw new ReportError(`"report" expected ${expected} bytes, got ${bytes.length}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + head.length);
  const values = createValues(precision, length);
  for (let i = 0; i < length; i++) {
    const value = readValue(view, precision, i);
    if (!Number.isFinite(value)) throw new ReportError('"report" expected finite values only');
    values[i] = value;
  }
  return values;
}

function readValue(view: DataView, precision: Precision, i: number): number {
  switch (precision) {
    case 'float32':
      return view.getFloat32(4 * i, true);
    case 'float64':
      return view.getFloat64(8 * i, true);
    case 'int32':
      return view.getInt32(4 * i, true);
    case 'uint32':
      return view.getUint32(4 * i, true);
  }
}

// The getters of the class of all typed arrays: unlike the properties of a received object, they cannot be redefined
// for one object. For an object that only pretends to be a typed array they return undefined or throw.
function getter(name: string | symbol): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)?.get as (
    this: unknown,
  ) => unknown;
}

const kindOf = /* @__PURE__ */ getter(Symbol.toStringTag);
const bufferOf = /* @__PURE__ */ getter('buffer') as (this: unknown) => ArrayBuffer;
const offsetOf = /* @__PURE__ */ getter('byteOffset') as (this: unknown) => number;
const lengthOf = /* @__PURE__ */ getter('byteLength') as (this: unknown) => number;

/**
 * A plain view of received bytes, which may be of a subclass (a Buffer of Node) or of another realm. The object's own
 * properties are not trusted, so proxies, heirs of the prototype and redefined lengths do not deceive it.
 */
export function receivedBytes(bytes: unknown, name = 'report'): Uint8Array {
  if (kindOf.call(bytes) !== 'Uint8Array') throw new ReportError(`"${name}" expected a Uint8Array`);
  const length = lengthOf.call(bytes);
  // A detached buffer, or one that shrank, holds no bytes, so no view of it can be made.
  if (length === 0) return new Uint8Array(0);
  return new Uint8Array(bufferOf.call(bytes), offsetOf.call(bytes), length);
}
