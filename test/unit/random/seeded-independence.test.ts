import { describe, expect, test } from '@jest/globals';
import { bits, normal, type Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { zPValue } from '../../statistics/moments.ts';

// Each statistical test rejects a true source with probability ALARM per p-value; the file looks at about 270.
const ALARM = 1e-7;

function take(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => bits(random));
}

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The p-value of the number of ones in `trials` fair bits. */
function fairBits(ones: number, trials: number): number {
  return zPValue((ones - trials / 2) / Math.sqrt(trials / 4));
}

/** P-values of the number of bits in which neighbouring streams differ, place by place and shifted by one word. */
function neighbours(count: number, stream: (index: number) => number[]): { inStep: number; shifted: number } {
  let before = stream(0);
  let inStep = 0;
  let shifted = 0;
  for (let index = 1; index <= count; index++) {
    const now = stream(index);
    for (let i = 1; i < now.length; i++) {
      inStep += bitCount(now[i] ^ before[i]);
      shifted += bitCount(now[i] ^ before[i - 1]);
    }
    before = now;
  }
  const trials = 32 * (before.length - 1) * count;
  return { inStep: fairBits(inStep, trials), shifted: fairBits(shifted, trials) };
}

test('is uniform: bytes at each place of the word, and pairs of successive bytes', () => {
  const random = seededRandom('equidistribution');
  const places = Array.from({ length: 4 }, () => new Float64Array(256));
  const pairs = new Float64Array(65536);
  let before = bits(random) & 255;
  for (let i = 0; i < 2_000_000; i++) {
    const word = bits(random);
    for (let place = 0; place < 4; place++) places[place][(word >>> (8 * place)) & 255]++;
    pairs[(before << 8) | (word >>> 24)]++;
    before = word & 255;
  }
  for (const counts of [...places, pairs]) {
    expect(chiSquareTest(counts, new Float64Array(counts.length).fill(1 / counts.length))).toBeGreaterThan(ALARM);
  }
});

describe('streams are independent', () => {
  const root = seededRandom('independence');

  test('the words at a fixed place are uniform over the indexes', () => {
    const places = 6;
    const counts = Array.from({ length: 2 * places }, () => new Float64Array(256));
    for (let index = 0; index < 100_000; index++) {
      root.seek(index);
      for (let place = 0; place < places; place++) {
        const word = bits(root);
        counts[2 * place][word & 255]++;
        counts[2 * place + 1][word >>> 24]++;
      }
    }
    const smallest = Math.min(...counts.map((cells) => chiSquareTest(cells, new Float64Array(256).fill(1 / 256))));
    expect(smallest).toBeGreaterThan(ALARM);
  });

  test('neighbouring indexes agree in half of all bits, in step and shifted by a word', () => {
    const p = neighbours(2000, (index) => take(root.stream(index), 65));
    expect(p.inStep).toBeGreaterThan(ALARM);
    expect(p.shifted).toBeGreaterThan(ALARM);
  });

  test('the same comparison catches streams that are one sequence begun at neighbouring places', () => {
    const words = take(seededRandom('offset'), 300);
    const p = neighbours(100, (index) => words.slice(200 - index, 265 - index));
    expect(p.shifted).toBeLessThan(ALARM);
  });

  test('indexes that differ in a single bit, any of 53, agree in half of all bits', () => {
    const smallest = { p: 1 };
    for (let bit = 0; bit < 53; bit++) {
      let ones = 0;
      for (let index = 0; index < 50; index++) {
        const other = Math.floor(index / 2 ** bit) % 2 === 0 ? index + 2 ** bit : index - 2 ** bit;
        root.seek(index);
        const first = take(root, 16);
        root.seek(other);
        for (let i = 0; i < 16; i++) ones += bitCount(first[i] ^ bits(root));
      }
      smallest.p = Math.min(smallest.p, fairBits(ones, 50 * 16 * 32));
    }
    expect(smallest.p).toBeGreaterThan(ALARM);
  });

  test('seeds and children of different generations agree in half of all bits', () => {
    const lines = [
      ...Array.from({ length: 12 }, (_, i) => take(seededRandom(i), 256)),
      ...Array.from({ length: 4 }, (_, i) => take(seededRandom(0).stream(i), 256)),
      ...Array.from({ length: 4 }, (_, i) => take(seededRandom(0).stream(0).stream(i), 256)),
    ];
    let smallest = 1;
    for (let i = 0; i < lines.length; i++) {
      for (let j = 0; j < i; j++) {
        let ones = 0;
        for (let k = 0; k < 256; k++) ones += bitCount(lines[i][k] ^ lines[j][k]);
        smallest = Math.min(smallest, fairBits(ones, 256 * 32));
      }
    }
    expect(smallest).toBeGreaterThan(ALARM);
  });

  test('one normal from each of 200 000 players has mean 0 and uncorrelated neighbours', () => {
    const players = 200_000;
    let sum = 0;
    let products = 0;
    let before = 0;
    for (let index = 0; index < players; index++) {
      root.seek(index);
      const x = normal(root);
      sum += x;
      products += x * before;
      before = x;
    }
    expect(zPValue(sum / Math.sqrt(players))).toBeGreaterThan(ALARM);
    expect(zPValue(products / Math.sqrt(players - 1))).toBeGreaterThan(ALARM);
  });
});
