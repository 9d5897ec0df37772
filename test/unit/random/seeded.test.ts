import { describe, expect, test } from '@jest/globals';
import { bits, type Random, uniform } from '../../../src/random/random.ts';
import { type SeededRandom, seededRandom } from '../../../src/random/seeded.ts';

function take(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => bits(random));
}

describe('the seed', () => {
  test('the same seed gives the same words, another seed others', () => {
    expect(take(seededRandom('s'), 2000)).toEqual(take(seededRandom('s'), 2000));
    expect(take(seededRandom('s'), 4)).not.toEqual(take(seededRandom('t'), 4));
  });

  test('a number is the same seed as its decimal string', () => {
    expect(take(seededRandom(12.5), 4)).toEqual(take(seededRandom('12.5'), 4));
  });

  test('texts that seedrandom alone would take for the same are different seeds', () => {
    const seeds = [
      '',
      'a',
      'aa',
      'aaa',
      '1',
      '11',
      '111',
      '\u0131',
      '\u0000',
      '\u0000\u0000',
      '1\u0000',
      'é',
      '\u00c3\u00a9',
    ];
    expect(new Set(seeds.map((seed) => bits(seededRandom(seed)))).size).toBe(seeds.length);
  });

  test.each([undefined, null, 1n, {}, true])('%p is refused with a TypeError', (seed) => {
    expect(() => seededRandom(seed as unknown as string)).toThrow(TypeError);
    expect(() => seededRandom(seed as unknown as string)).toThrow('"seed" expected a string or a finite number');
  });

  test.each([Number.NaN, Infinity, -Infinity])('%p is refused with a RangeError', (seed) => {
    expect(() => seededRandom(seed)).toThrow(RangeError);
  });
});

describe('seek and stream', () => {
  const indexes = [0, 1, 2, 255, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 52 + 1, 2 ** 53 - 1];

  test.each(indexes)('seek(%d) starts exactly the words of stream(%d)', (index) => {
    const random = seededRandom('seek');
    const stream = random.stream(index);
    random.seek(index);
    expect(take(random, 3000)).toEqual(take(stream, 3000));
  });

  test('neither depends on what was drawn or sought before', () => {
    const fresh = take(seededRandom('seek').stream(5), 100);
    const random = seededRandom('seek');
    take(random, 777);
    random.seek(9);
    take(random, 3);
    expect(take(random.stream(5), 100)).toEqual(fresh);
    random.seek(5);
    expect(take(random, 100)).toEqual(fresh);
  });

  test('streams of streams are new: 40 sources of two generations begin with different words', () => {
    const root = seededRandom('family');
    const sources: SeededRandom[] = [root];
    for (let i = 0; i < 3; i++) {
      const child = root.stream(i);
      sources.push(child);
      for (let j = 0; j < 12; j++) sources.push(child.stream(j));
    }
    expect(new Set(sources.map(bits)).size).toBe(sources.length);
  });

  test('drawing from a stream leaves the source it came from where it was', () => {
    const expected = take(seededRandom('seek'), 10);
    const random = seededRandom('seek');
    take(random.stream(1), 500);
    expect(take(random, 10)).toEqual(expected);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53, Infinity, '1', undefined])('%p is not an index', (index) => {
    const random = seededRandom('seek');
    expect(() => random.seek(index as number)).toThrow(RangeError);
    expect(() => random.stream(index as number)).toThrow('"index" expected a whole number from 0 to 9007199254740991');
  });
});

describe('the sequence of words', () => {
  test('does not depend on how the pool was cut: laws of one and two words take them in order', () => {
    const words = take(seededRandom('pool'), 3001);
    const random = seededRandom('pool');
    const taken: number[] = [];
    // One word, then pairs: every refill finds a word left over.
    taken.push(bits(random));
    for (let i = 0; i < 1500; i++) taken.push(uniform(random));
    const expected = [words[0]];
    for (let i = 1; i < 3001; i += 2) expected.push((words[i] * 2 ** 20 + (words[i + 1] >>> 12) + 0.5) * 2 ** -52);
    expect(taken).toEqual(expected);
  });
});

test('a seek makes few words at first and more with each refill, so that short players are cheap', () => {
  const random = seededRandom('portions');
  take(random, 10_000);
  random.seek(1);
  const made: number[] = [];
  for (let refill = 0; refill < 12; refill++) {
    random.refill();
    made.push(random.words.length - random.next);
    random.next = random.words.length;
  }
  expect(made[0]).toBe(32);
  expect(made.slice(1).every((size, i) => size > made[i] || size === random.words.length)).toBe(true);
  expect(made[11]).toBe(random.words.length);
});

test('fills on a stream do not reach over into the next seek', () => {
  const random = seededRandom('waste');
  random.seek(1);
  take(random, 2002);
  random.seek(2);
  expect(uniform(random)).toBe(uniform(seededRandom('waste').stream(2)));
});
