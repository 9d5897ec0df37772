import { expect, test } from '@jest/globals';
import { deriveKey, threefry } from '../../../src/random/threefry.ts';
import { chiSquarePValue } from '../../statistics/chi-square.ts';

const ones = [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff];
const pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89];

// The known answers that the authors of Threefry published with their Random123 library, threefry4x32, 20 rounds.
test.each([
  ['zeros', [0, 0, 0, 0], [0, 0, 0, 0], [0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8]],
  ['ones', ones, ones, [0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732]],
  ['the digits of π', pi.slice(0, 4), pi.slice(4), [0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84]],
])('threefry gives the published answer for %s', (_name, [a, b, c, d], key, answer) => {
  const out = Int32Array.from(key);
  threefry(out, a | 0, b | 0, c | 0, d | 0, out);
  expect(Array.from(new Uint32Array(out.buffer))).toEqual(answer);
});

test('the counter is the index, low word first', () => {
  const key = Int32Array.of(1, -2, 3, -4);
  const child = new Int32Array(4);
  const expected = new Int32Array(4);
  deriveKey(key, 2 ** 53 - 1, child);
  threefry(key, -1, 0x1fffff, 0, 0, expected);
  expect(child).toEqual(expected);
  deriveKey(key, 0xabcdef01 + 5 * 2 ** 32, child);
  threefry(key, 0xabcdef01 | 0, 5, 0, 0, expected);
  expect(child).toEqual(expected);
});

test('each bit of key and index turns each bit of the child key with probability one half', () => {
  const trials = 1000;
  const flips = new Float64Array((128 + 53) * 128);
  const key = new Int32Array(4);
  const other = new Int32Array(4);
  const child = new Int32Array(4);
  const turned = new Int32Array(4);
  for (let trial = 0; trial < trials; trial++) {
    // Keys and indexes that differ in few bits, as seeds and players do.
    key.set([trial, 0, trial >> 3, 1]);
    deriveKey(key, trial, child);
    for (let bit = 0; bit < 128 + 53; bit++) {
      other.set(key);
      if (bit < 128) other[bit >> 5] ^= 1 << (bit & 31);
      deriveKey(other, bit < 128 ? trial : flipped(trial, bit - 128), turned);
      for (let out = 0; out < 128; out++) {
        flips[bit * 128 + out] += ((child[out >> 5] ^ turned[out >> 5]) >>> (out & 31)) & 1;
      }
    }
  }
  let squares = 0;
  let largest = 0;
  for (const flip of flips) {
    const z = (flip - trials / 2) / Math.sqrt(trials / 4);
    squares += z * z;
    largest = Math.max(largest, Math.abs(z));
  }
  // 23 168 binomial counts. Each |z| > 6.5 has probability 8e-11, together 1.9e-6; the sum of squares is χ².
  expect(largest).toBeLessThan(6.5);
  const p = chiSquarePValue(squares, flips.length);
  expect(p).toBeGreaterThan(1e-6);
  expect(p).toBeLessThan(1 - 1e-6);
});

function flipped(index: number, bit: number): number {
  return Math.floor(index / 2 ** bit) % 2 === 0 ? index + 2 ** bit : index - 2 ** bit;
}
