import { describe, expect, test } from '@jest/globals';
import { bits, type Random } from '../../../src/random/random.ts';
import { secureRandom } from '../../../src/random/secure.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { scripted } from './scripted.ts';

describe.each<[string, () => Random]>([
  ['secureRandom', secureRandom],
  ['seededRandom', () => seededRandom('contract')],
])('%s keeps the contract of a source', (_name, make) => {
  test('the pool has at least 64 words and is spent at first, so that making a source draws nothing', () => {
    const random = make();
    expect(random.words).toBeInstanceOf(Uint32Array);
    expect(random.words.length).toBeGreaterThanOrEqual(64);
    expect(random.next).toBe(random.words.length);
  });

  test('a refill leaves at least 32 words unspent, however many below 32 were left', () => {
    const random = make();
    for (let left = 0; left < 32; left++) {
      random.refill();
      random.next = random.words.length - left;
      random.refill();
      expect(random.words.length - random.next).toBeGreaterThanOrEqual(32);
    }
  });

  test('no word is handed out twice: 10 000 words in a row are nearly all distinct', () => {
    const random = make();
    const seen = new Set<number>();
    for (let i = 0; i < 10_000; i++) seen.add(bits(random));
    // 10⁴ uniform words have 0.0116 coincidences on average: three or more have probability 2.6e-7.
    expect(seen.size).toBeGreaterThan(10_000 - 3);
  });
});

test('bits takes the words of the pool in order and refills a spent one', () => {
  const random = scripted(7, 0, 4294967295);
  expect([bits(random), bits(random), bits(random)]).toEqual([7, 0, 4294967295]);
  expect(() => bits(random)).toThrow('the script is over');
});
