import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { bits, fillNormal } from '../../../src/random/random.ts';
import { secureRandom } from '../../../src/random/secure.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';

const original = Object.getOwnPropertyDescriptor(globalThis, 'crypto') as PropertyDescriptor;

function replaceCrypto(value: unknown): void {
  Object.defineProperty(globalThis, 'crypto', { configurable: true, writable: true, value });
}

afterEach(() => {
  jest.restoreAllMocks();
  Object.defineProperty(globalThis, 'crypto', original);
});

describe('Web Crypto is called', () => {
  test('not at all before the first word, and once for the first 4096', () => {
    const spy = jest.spyOn(globalThis.crypto, 'getRandomValues');
    const random = secureRandom();
    expect(spy).toHaveBeenCalledTimes(0);
    for (let i = 0; i < 4096; i++) bits(random);
    expect(spy).toHaveBeenCalledTimes(1);
    bits(random);
    expect(spy).toHaveBeenCalledTimes(2);
  });

  test('fewer than 60 times for 100 000 normals, with at most 64 KiB each', () => {
    const spy = jest.spyOn(globalThis.crypto, 'getRandomValues');
    fillNormal(new Float64Array(100_000), secureRandom());
    expect(spy.mock.calls.length).toBeLessThan(60);
    expect(spy.mock.calls.length).toBeGreaterThan(40);
    for (const [array] of spy.mock.calls) expect((array as Uint32Array).byteLength).toBeLessThanOrEqual(65536);
  });

  test('and every word handed out is one that it wrote', () => {
    let count = 0;
    replaceCrypto({
      getRandomValues(words: Uint32Array) {
        for (let i = 0; i < words.length; i++) words[i] = count++;
      },
    });
    const random = secureRandom();
    let wrong = 0;
    for (let i = 0; i < 10_000; i++) if (bits(random) !== i) wrong++;
    expect(wrong).toBe(0);
  });
});

describe('there is no fallback', () => {
  test.each([
    ['undefined', undefined],
    ['an object without getRandomValues', {}],
  ])('with %s for crypto, making a source is an error that says what is missing', (_name, value) => {
    replaceCrypto(value);
    expect(() => secureRandom()).toThrow('needs Web Crypto (globalThis.crypto.getRandomValues)');
  });

  test('when Web Crypto fails, so does the draw, and it does not hand out old words', () => {
    let broken = false;
    replaceCrypto({
      getRandomValues() {
        if (broken) throw new Error('no entropy');
      },
    });
    const random = secureRandom();
    for (let i = 0; i < 4096; i++) bits(random);
    broken = true;
    expect(() => bits(random)).toThrow('no entropy');
    expect(() => bits(random)).toThrow('no entropy');
    expect(random.next).toBe(random.words.length);
  });
});

test('two secure sources, and two refills of one, have no words in common', () => {
  const first = secureRandom();
  const second = secureRandom();
  first.refill();
  const earlier = first.words.slice();
  first.refill();
  second.refill();
  let equal = 0;
  for (let i = 0; i < earlier.length; i++) {
    if (earlier[i] === first.words[i]) equal++;
    if (earlier[i] === second.words[i]) equal++;
    if (first.words[i] === second.words[i]) equal++;
  }
  // 12 288 comparisons, each an agreement with probability 2⁻³²: two or more have probability 4e-12.
  expect(equal).toBeLessThan(2);
});

test('the bytes are uniform (not seeded: a false alarm once in 10⁹ runs)', () => {
  const random = secureRandom();
  const counts = new Float64Array(256);
  for (let i = 0; i < 250_000; i++) {
    const word = bits(random);
    counts[word & 255]++;
    counts[(word >>> 8) & 255]++;
    counts[(word >>> 16) & 255]++;
    counts[word >>> 24]++;
  }
  expect(chiSquareTest(counts, new Float64Array(256).fill(1 / 256))).toBeGreaterThan(1e-9);
});
