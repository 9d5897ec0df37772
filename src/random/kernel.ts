import { normalQuantile } from '../numeric/normal.ts';
import { KERNEL_PROGRAM } from './kernel-program.ts';
import { checkRange, fillNormal as fillWithoutKernel, HEIGHT, INSIDE, type Random, SCALE, TAIL } from './random.ts';

/**
 * The inner loops of simulations in WebAssembly with vector instructions; its source is in kernel/, with a comment on
 * every function. Places in its memory are in bytes.
 * Law: whatever it computes has the same bits as the same work in TypeScript, which is done where there is no kernel.
 */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
  /** Where the words begin that the last `fillNormals` did not take. */
  readonly unspent: { readonly value: number };
  /** Normals at `to`, `to + step` … below `end`, from words; returns the place after the last one. */
  fillNormals(to: number, end: number, step: number, from: number, last: number): number;
  /** Normals at `to` … below `end` from sfc32, whose state of four words it advances. */
  fillOwnNormals(to: number, end: number, state: number): void;
  /** The key of the source whose streams players draw from. */
  setKey(first: number, second: number, third: number, fourth: number): void;
  /** Probabilities and scale of PrivUnitG, 1 for reports in single precision, and the words taken before it. */
  setChannel(keep: number, cap: number, scale: number, single: number, skip: number): void;
  /** The lift of the players' vectors: entries `from` to `to` − 1, their weights, and the routes to them or 0. */
  setLift(dimension: number, from: number, to: number, weights: number, routes: number): void;
  /** One exact choice among `outcomes` for every player, from the limits of all but the last. */
  choose(indexes: number, players: number, limits: number, outcomes: number, to: number): void;
  play(indexes: number, vectors: number, players: number, sums: number, work: number): void;
  /** Directions, close codewords, probability and scale of k-closest encoding, the margin of estimates, and the words before it. */
  setCodewords(directions: number, closest: number, keep: number, scale: number, margin: number, skip: number): void;
  playCodewords(indexes: number, vectors: number, players: number, sums: number, work: number): void;
  /** Noisy copies of vectors, with 1 for the sums of their corrected squares and products, the noise, and 1 for reports in single precision. */
  setCopies(dimension: number, squared: number, sigma: number, single: number): void;
  /** Adds the copies that players report to sums. */
  playCopies(indexes: number, vectors: number, players: number, sums: number, work: number): void;
  /** Adds samples of a player to sums, which begin at 0 where `first` is 1; returns the largest size of a number, NaN left out. */
  addSamples(samples: number, count: number, dimension: number, sums: number, first: number): number;
  /** Makes of such sums the residual of their mean; returns the squared distance of the mean to the centre. */
  placeResidual(sums: number, centre: number, dimension: number, count: number, radius: number, shrink: number): number;
  /** The monomials of 64 vectors, and those of the last degree times the factors of the vectors. */
  fillPowers(
    vectors: number,
    factors: number,
    dimension: number,
    parents: number,
    children: number,
    lasts: number,
    size: number,
    first: number,
    powers: number,
    multiples: number,
  ): void;
  sumPowers(factors: number, powers: number, size: number, from: number, to: number, out: number): void;
  /** Sums of products of monomials. */
  sumProducts(
    tasks: number,
    count: number,
    powers: number,
    size: number,
    multiples: number,
    tops: number,
    out: number,
  ): void;
  /** Huber regression: see kernel/streams.ts. */
  setDescent(
    dimension: number,
    start: number,
    threshold: number,
    scale: number,
    single: number,
    largestSquare: number,
    largestEntry: number,
  ): void;
  /** Makes steps of a stream; returns the first whose report or next iterate is beyond its limit, or `to`. */
  descend(
    from: number,
    to: number,
    path: number,
    records: number,
    noise: number,
    values: number,
    steps: number,
    rows: number,
  ): number;
  /** Centres rows, adds them up where `add` is 1, and moves sums over them. */
  walk(
    from: number,
    rows: number,
    dimension: number,
    add: number,
    place: number,
    state: number,
    to: number,
    width: number,
  ): void;
  /** Adds the products of rows to a matrix, of a lower triangle where `lower` is 1. */
  addProducts(left: number, right: number, rows: number, width: number, lower: number, matrix: number): void;
}

/** The first place of the memory that is the caller's. */
export const FREE = 8320;

/** Hands out the caller's memory in parts that begin at multiples of 16 bytes; `end` is where the last one ends. */
export function kernelParts(): { part(bytes: number): number; end(): number } {
  let end = FREE;
  return {
    part(bytes) {
      const start = end;
      end += (bytes + 15) & ~15;
      return start;
    },
    end: () => end,
  };
}

export type Engine = Pick<typeof WebAssembly, 'Module' | 'Instance'>;

/** Where the layers are in single precision: see kernel/estimates.ts. */
const NARROW = 6272;

const programs = /* @__PURE__ */ new Map<Engine, WebAssembly.Module | undefined>();

/**
 * A kernel with so many bytes of memory of its own; undefined where there is no WebAssembly, where it has no vectors, and
 * where a page does not allow to compile it at once.
 */
export function createKernel(
  bytes: number,
  engine: Engine | undefined = (globalThis as { readonly WebAssembly?: Engine }).WebAssembly,
): Kernel | undefined {
  if (engine === undefined) return undefined;
  if (!programs.has(engine)) programs.set(engine, compiled(engine));
  const program = programs.get(engine);
  if (program === undefined) return undefined;
  const { exp, log } = Math;
  const { exports } = new engine.Instance(program, { players: { quantile: normalQuantile }, normals: { exp, log } });
  const kernel = exports as unknown as Kernel;
  const { memory } = kernel;
  // Memory that grows, be it by nothing, makes an engine check every array of numbers anew at every access.
  const missing = Math.ceil((Math.max(bytes, FREE) - memory.buffer.byteLength) / 65536);
  if (missing > 0) memory.grow(missing);
  writeLayers(new Float64Array(memory.buffer));
  return kernel;
}

function compiled(engine: Engine): WebAssembly.Module | undefined {
  // Memory of WebAssembly is little-endian; arrays are as the machine is.
  if (new Uint8Array(Uint32Array.of(1).buffer)[0] === 0) return undefined;
  try {
    return new engine.Module(Uint8Array.from(atob(KERNEL_PROGRAM), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** The layers of the ziggurat as the kernel reads them: a point is a whole number of 53 bits with its sign. */
function writeLayers(memory: Float64Array): void {
  for (let i = 0; i < SCALE.length; i++) {
    memory[2 * i] = SCALE[i] * 2 ** -22;
    memory[2 * i + 1] = INSIDE[i] * 2 ** 22;
  }
  memory.set(HEIGHT, 2 * SCALE.length);
  memory[2 * SCALE.length + HEIGHT.length] = TAIL;
  const narrow = new Float32Array(memory.buffer, NARROW);
  for (let i = 0; i < SCALE.length; i++) {
    narrow[2 * i] = SCALE[i];
    // So much less that no rounding in single precision brings a point inside.
    narrow[2 * i + 1] = (INSIDE[i] * SCALE[i]) ** 2 * (1 - 2 ** -20);
  }
}

/** Normals that are worth a call of the kernel. */
const WORTH_A_CALL = 128;

/** Fewer words than these at the end of a pool are not worth one. */
const FEW = 64;

/** Words that are read at a time, at most: the pool of a secure source. */
const WORDS = 4096;
const NUMBERS: number = FREE + 4 * WORDS;
const END: number = NUMBERS + 4 * WORDS;

/** Words that so many numbers take, but once in very many calls: two each, and a few more. */
const wordsOf = (numbers: number): number => 2 * numbers + (numbers >> 4) + 32;

interface NormalKernel {
  readonly kernel: Kernel;
  readonly words: Uint32Array;
  readonly numbers: Float64Array;
  readonly state: Int32Array;
}

// Made when it is needed first; null where there is none.
const made: { normals?: NormalKernel | null } = {};

function makeNormals(): NormalKernel | null {
  const kernel = createKernel(END);
  if (kernel === undefined) return null;
  const { buffer } = kernel.memory;
  return {
    kernel,
    words: new Uint32Array(buffer, FREE, WORDS),
    numbers: new Float64Array(buffer, NUMBERS, WORDS / 2),
    state: new Int32Array(buffer, FREE, 4),
  };
}

function knownNormals(): NormalKernel | null {
  if (made.normals === undefined) made.normals = makeNormals();
  return made.normals;
}

/**
 * Fills `target[from …]` with normals, up to `to`, from the words that the pool has now, as `normal` does. Returns the
 * index after the last one: it leaves a number whose words are not all in the pool, and does nothing where there is no
 * kernel.
 */
export function fillFromPool(target: Float64Array, from: number, to: number, random: Random): number {
  const normals = knownNormals();
  if (normals === null) return from;
  const { kernel, words, numbers } = normals;
  const { next } = random;
  const given = Math.min(WORDS, random.words.length - next, wordsOf(to - from));
  words.set(random.words.subarray(next, next + given));
  const end = NUMBERS + 8 * Math.min(to - from, numbers.length);
  const count = (kernel.fillNormals(NUMBERS, end, 8, FREE, FREE + 4 * given) - NUMBERS) / 8;
  random.next = next + (kernel.unspent.value - FREE) / 4;
  target.set(numbers.subarray(0, count), from);
  return from + count;
}

/** The same from words that are not in the pool yet, and that never are: see `state` of a source. */
function fillFromState(target: Float64Array, from: number, to: number, state: Int32Array): number {
  const normals = knownNormals();
  if (normals === null) return from;
  const { kernel, numbers } = normals;
  const count = Math.min(to - from, numbers.length);
  normals.state.set(state);
  kernel.fillOwnNormals(NUMBERS, NUMBERS + 8 * count, FREE);
  state.set(normals.state);
  target.set(numbers.subarray(0, count), from);
  return from + count;
}

/**
 * Fills `target[from … to − 1]` with independent standard normals: the same numbers, from the same words, as that many calls
 * of `normal`. Long ranges are filled by a kernel where there is one; its memory keeps the latest numbers.
 * @throws RangeError for a range that does not lie within the target.
 */
export function fillNormal(target: Float64Array, random: Random, from: number = 0, to: number = target.length): void {
  checkRange(target, from, to);
  let i = from;
  while (to - i >= WORTH_A_CALL) {
    const left = random.words.length - random.next;
    const { state } = random;
    if (left >= FEW || (left === 0 && state !== undefined)) {
      const own = left === 0 && state !== undefined;
      const reached = own ? fillFromState(target, i, to, state) : fillFromPool(target, i, to, random);
      if (reached === i) break;
      i = reached;
    } else if (left < 2) {
      random.refill();
    } else {
      // The few numbers of a pool that is nearly spent; the last of them may take words of the next.
      const few = Math.min(to, i + (left >> 1));
      fillWithoutKernel(target, random, i, few);
      i = few;
    }
  }
  fillWithoutKernel(target, random, i, to);
}
