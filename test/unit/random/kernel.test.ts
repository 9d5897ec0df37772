import { describe, expect, jest, test } from '@jest/globals';
import { createKernel, type Engine, fillFromPool, fillNormal } from '../../../src/random/kernel.ts';
import { bits, normal, type Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

describe('the kernel', () => {
  test('is not to be had without WebAssembly, or where a program is refused', () => {
    expect(createKernel(0)).toBeDefined();
    expect(createKernel(0, null as unknown as Engine)).toBeUndefined();
    const refusing = {
      Instance: WebAssembly.Instance,
      Module: class {
        constructor() {
          throw new WebAssembly.CompileError('no vectors here');
        }
      },
    } as unknown as Engine;
    expect(createKernel(0, refusing)).toBeUndefined();
    expect(createKernel(0, refusing)).toBeUndefined();
  });
});

/** A source that drops unspent words when it gets fresh ones, as the secure one does. */
function dropping(seed: string, pool: number): Random {
  const source = seededRandom(seed);
  const words = new Uint32Array(pool);
  const random: Random = {
    words,
    next: pool,
    refill() {
      for (let i = 0; i < pool; i++) words[i] = bits(source);
      random.next = 0;
    },
  };
  return random;
}

/** As many numbers as asked for, one call each. */
const oneByOne = (count: number, random: Random): Float64Array =>
  Float64Array.from({ length: count }, () => normal(random));

const SOURCES: readonly (readonly [string, () => Random])[] = [
  ['a seeded source', () => seededRandom('normals')],
  ['a source that drops words', () => dropping('normals', 4096)],
  ['a source with a larger pool', () => dropping('normals', 10_001)],
  ['a source with a smaller pool', () => dropping('normals', 301)],
];

describe('normals filled by the kernel', () => {
  // 300,000 numbers: about a hundred lie beyond the tail, 4,500 need a decision, and pools end within some of them.
  test.each(SOURCES)('are those of single calls, from the same words, of %s', (_, source) => {
    const [first, second] = [source(), source()];
    bits(first);
    bits(second);
    for (const count of [1, 127, 128, 129, 1000, 300_000]) {
      const filled = new Float64Array(count + 2);
      fillNormal(filled, first, 1, count + 1);
      expect(filled.subarray(1, count + 1)).toEqual(oneByOne(count, second));
      expect([filled[0], filled[count + 1]]).toEqual([0, 0]);
    }
    expect(bits(first)).toBe(bits(second));
  });

  // Pools that are empty at the beginning, after a few single draws, and never.
  test.each([0, 16, 1])('are those of single calls after %d words of a seeded source', (words) => {
    const [first, second] = [seededRandom('own'), seededRandom('own')];
    for (let i = 0; i < words; i++) expect(bits(first)).toBe(bits(second));
    for (const count of [128, 100_000, 3, 1000, 100_000]) {
      const filled = new Float64Array(count);
      fillNormal(filled, first);
      expect(filled).toEqual(oneByOne(count, second));
    }
    expect(bits(first)).toBe(bits(second));
  });

  test('of a seeded source are made without its pool, as long as that is empty', () => {
    const random = seededRandom('own');
    fillNormal(new Float64Array(10_000), random);
    expect(random.next).toBe(random.words.length);
    expect(random.words.every((word) => word === 0)).toBe(true);
  });

  test('are really filled by it: it takes all it can from the pool, and no more', () => {
    const random = dropping('pool', 4096);
    random.refill();
    const target = new Float64Array(5000);
    const count = fillFromPool(target, 10, 5000, random);
    // A number takes two words, and about one in 67 two more.
    expect(count - 10).toBeGreaterThan(1900);
    expect(random.next).toBeGreaterThan(4090);
    expect(target.subarray(10, count).every((number) => number !== 0)).toBe(true);
    expect(target.subarray(count).every((number) => number === 0)).toBe(true);
  });

  test('are the same where there is no WebAssembly', async () => {
    const filled = new Float64Array(10_000);
    fillNormal(filled, seededRandom('fallback'));
    const { WebAssembly: engine } = globalThis;
    try {
      Reflect.deleteProperty(globalThis, 'WebAssembly');
      await jest.isolateModulesAsync(async () => {
        const alone = await import('../../../src/random/kernel.ts');
        const target = new Float64Array(10_000);
        const random = seededRandom('fallback');
        random.refill();
        expect(alone.fillFromPool(target, 3, 10_000, random)).toBe(3);
        alone.fillNormal(target, seededRandom('fallback'));
        expect(target).toEqual(filled);
      });
    } finally {
      globalThis.WebAssembly = engine;
    }
  });
});
