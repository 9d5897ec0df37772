/** What is handed to a decoder, and the bytes that are truly in it; undefined for what is not a Uint8Array at all. */
export interface Wrapped {
  readonly given: unknown;
  readonly bytes: Uint8Array | undefined;
}

type Resizable = new (length: number, options: { maxByteLength: number }) => ArrayBuffer & { resize(to: number): void };

// Node 20 has them, the library of types of ES2023 does not.
const ResizableBuffer = ArrayBuffer as unknown as Resizable;

function resized(bytes: Uint8Array, to: number, tracking: boolean): Wrapped {
  const buffer = new ResizableBuffer(bytes.length, { maxByteLength: bytes.length + 8 });
  const view = tracking ? new Uint8Array(buffer) : new Uint8Array(buffer, 0, bytes.length);
  view.set(bytes);
  buffer.resize(to);
  // A view of fixed length that no longer fits has no bytes; one that tracks its buffer has those that are left.
  return { given: view, bytes: tracking ? view.slice() : new Uint8Array(0) };
}

/** A view with properties of its own that say something else than it is. */
function liar(bytes: Uint8Array): Wrapped {
  const given = bytes.slice();
  Object.defineProperty(given, 'length', { value: bytes.length + 4096 });
  Object.defineProperty(given, 'byteLength', { value: bytes.length + 4096 });
  Object.defineProperty(given, 'byteOffset', { value: 7 });
  Object.defineProperty(given, 'buffer', { value: new ArrayBuffer(3) });
  return { given, bytes };
}

const stranger = (given: unknown): Wrapped => ({ given, bytes: undefined });

/** The forms in which bytes, or what pretends to be bytes, may reach a decoder. The first is the usual one. */
export const WRAPPINGS: { readonly [form: string]: (bytes: Uint8Array) => Wrapped } = {
  'a Uint8Array': (bytes) => ({ given: bytes, bytes }),
  'a Buffer': (bytes) => ({ given: Buffer.from(bytes), bytes }),
  'a part of a larger buffer'(bytes) {
    const larger = new Uint8Array(bytes.length + 24).fill(170);
    larger.set(bytes, 11);
    return { given: larger.subarray(11, 11 + bytes.length), bytes };
  },
  'shared memory'(bytes) {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return { given: shared, bytes };
  },
  'a detached buffer'(bytes) {
    const given = bytes.slice();
    structuredClone(given.buffer, { transfer: [given.buffer] });
    return { given, bytes: new Uint8Array(0) };
  },
  'a view of a buffer that shrank': (bytes) => resized(bytes, bytes.length >> 1, false),
  'a view that follows a buffer that shrank': (bytes) => resized(bytes, bytes.length >> 1, true),
  'a view that follows a buffer that grew': (bytes) => resized(bytes, bytes.length + 8, true),
  'a liar': liar,
  'a subclass': (bytes) => ({ given: new (class Heir extends Uint8Array {})(bytes), bytes }),
  'a proxy': (bytes) => stranger(new Proxy(bytes, {})),
  'an heir of the prototype': () => stranger(Object.create(Uint8Array.prototype)),
  'a DataView': (bytes) => stranger(new DataView(bytes.buffer)),
  'a Uint8ClampedArray': (bytes) => stranger(new Uint8ClampedArray(bytes)),
  'an Int8Array': (bytes) => stranger(new Int8Array(bytes)),
  'an array': (bytes) => stranger(Array.from(bytes)),
  'an ArrayBuffer': (bytes) => stranger(bytes.slice().buffer),
  'a text': (bytes) => stranger(String.fromCharCode(...bytes)),
  'an object with a length': (bytes) => stranger({ ...bytes, length: bytes.length }),
  'an object with a tag': (bytes) =>
    stranger({ [Symbol.toStringTag]: 'Uint8Array', length: bytes.length, byteLength: bytes.length, byteOffset: 0 }),
  'a function': () => stranger(() => 0),
  'a symbol': () => stranger(Symbol('LDPK')),
  null: () => stranger(null),
  undefined: () => stranger(undefined),
};
