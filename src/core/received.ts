import { ReportError } from '../check/report-error.ts';

// The getters of the class of all typed arrays: unlike the properties of a received object, they cannot be redefined
// for one object. For an object that only pretends to be a typed array they return undefined or throw.
const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype);

function getter(name: string | symbol): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(typedArray, name)?.get as (this: unknown) => unknown;
}

const kindOf = getter(Symbol.toStringTag);
const bufferOf = getter('buffer') as (this: unknown) => ArrayBuffer;
const offsetOf = getter('byteOffset') as (this: unknown) => number;
const lengthOf = getter('byteLength') as (this: unknown) => number;

/**
 * A plain view of received bytes; they may be of a subclass (a Buffer of Node) or of another realm. The object's own
 * properties are not trusted, so proxies, objects that inherit from the prototype and redefined lengths do not deceive
 * it.
 *
 * @throws ReportError for anything that is not a Uint8Array.
 */
export function receivedBytes(bytes: unknown, name = 'report'): Uint8Array {
  if (kindOf.call(bytes) !== 'Uint8Array') throw new ReportError(`"${name}" expected a Uint8Array`);
  const length = lengthOf.call(bytes);
  // A detached buffer, or one that shrank, holds no bytes, so no view of it can be made.
  if (length === 0) return new Uint8Array(0);
  return new Uint8Array(bufferOf.call(bytes), offsetOf.call(bytes), length);
}
