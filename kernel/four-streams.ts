// Normals of four streams of words at once, each from its own lane.
import { fillNormals, unspent } from './normals';
import { fillWords } from './words';

/** Words that are made at a time, for each stream. */
const PORTION: i32 = 256;
/** Room before them for words that were left over: 15 failed tries beyond the tail, where about one in 15 fails. */
const LEFT: usize = 256;
/** Bytes from the words of one stream to those of the next. */
export const STRIDE: usize = LEFT + 4 * PORTION;

let start: usize = 0;
let last: usize = 0;

/** Makes the first words of four streams, about as many as are wanted of each, and returns where those of the first begin. */
export function beginWords(words: usize, wanted: i32): usize {
  start = words + LEFT;
  makeWords(wanted);
  return start;
}

/** Two words make a normal, and one normal in 67 needs more. */
function makeWords(wanted: i32): void {
  const portion = min(PORTION, (wanted + (wanted >> 5) + 11) & ~3);
  last = start + ((<usize>portion) << 2);
  fillWords(start, STRIDE, portion);
}

/**
 * Fills places `to`, `to + step` … below `end` with normals of the first stream, and places `gap` bytes further on with those
 * of each next one. `next0` to `next3` are where the words of the streams begin, after `beginWords`.
 */
export function fillFour(
  to: usize,
  end: usize,
  step: usize,
  gap: usize,
  next0: usize,
  next1: usize,
  next2: usize,
  next3: usize,
): void {
  let to0 = to;
  let to1 = to;
  let to2 = to;
  let to3 = to;
  for (;;) {
    to0 = fillNormals(to0, end, step, next0, last);
    next0 = unspent;
    to1 = fillNormals(to1 + gap, end + gap, step, next1, last + STRIDE) - gap;
    next1 = unspent;
    to2 = fillNormals(to2 + 2 * gap, end + 2 * gap, step, next2, last + 2 * STRIDE) - 2 * gap;
    next2 = unspent;
    to3 = fillNormals(to3 + 3 * gap, end + 3 * gap, step, next3, last + 3 * STRIDE) - 3 * gap;
    next3 = unspent;
    const least = min(min(to0, to1), min(to2, to3));
    if (least >= end) return;
    next0 = kept(start, next0, last, to0 >= end);
    next1 = kept(start + STRIDE, next1, last + STRIDE, to1 >= end);
    next2 = kept(start + 2 * STRIDE, next2, last + 2 * STRIDE, to2 >= end);
    next3 = kept(start + 3 * STRIDE, next3, last + 3 * STRIDE, to3 >= end);
    makeWords(2 * <i32>((end - least) / step));
  }
}

/** Moves the words that were left over before the new ones, and returns where they begin; a stream that is done needs none. */
function kept(begin: usize, next: usize, end: usize, done: bool): usize {
  if (done) return begin;
  const left = end - next;
  // Less than once in 10²⁰ numbers.
  if (left > LEFT) unreachable();
  memory.copy(begin - left, next, left);
  return begin - left;
}
