import { createKernel, FREE, type Kernel } from './kernel.ts';
import { checkRange, fillNormal as fillWithoutKernel, type Random } from './random.ts';

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

/** The kernel of this program, its words and its numbers. */
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
 * Fills `target[from …]` with standard normals, up to `to`, from the words that the pool has now: the same numbers from the
 * same words as `normal`. Returns the index after the last one; it leaves a number whose words are not all in the pool, and
 * does nothing where there is no kernel.
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
 *
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
