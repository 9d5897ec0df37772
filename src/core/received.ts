import { ReportError } from '../check/report-error.ts';

// The getters of the class of all typed arrays: unlike the properties of a received object, nobody can redefine them for one
// object, and they answer undefined or throw for what only pretends to be a typed array.
const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype);

function getter(name: string | symbol): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(typedArray, name)?.get as (this: unknown) => unknown;
}

const kindOf = getter(Symbol.toStringTag);
const bufferOf = getter('buffer') as (this: unknown) => ArrayBuffer;
const offsetOf = getter('byteOffset') as (this: unknown) => number;
const lengthOf = getter('byteLength') as (this: unknown) => number;

/**
 * A plain view of bytes that were received, of a subclass (a Buffer of Node) or of another realm too. What an object says of
 * itself is not believed: proxies, heirs of the prototype and redefined lengths are seen through.
 *
 * @throws ReportError for anything that is not a Uint8Array.
 */
export function receivedBytes(bytes: unknown, name = 'report'): Uint8Array {
  if (kindOf.call(bytes) !== 'Uint8Array') throw new ReportError(`"${name}" expected a Uint8Array`);
  const length = lengthOf.call(bytes);
  // A detached buffer, or one that shrank, holds no bytes, and no view of it can be made.
  if (length === 0) return new Uint8Array(0);
  return new Uint8Array(bufferOf.call(bytes), offsetOf.call(bytes), length);
}
