import { describe, expect, test } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { checkUnitBall } from '../../src/check/datum.ts';
import { canonicalJson, digestOf, type Json } from '../../src/core/request.ts';
import { fixture } from './fixture.ts';

const figures = fixture<{
  digests: Record<string, string>;
  unitVectors: { vector: number[]; inside: boolean }[];
}>('accounting');

describe('digests', () => {
  // NIST's examples for FIPS 180, SHA-256: a message of one block and one of two.
  test.each([
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('SHA-256 of %p is the published one', (text, digest) => {
    expect(bytesToHex(sha256(utf8ToBytes(text)))).toBe(digest);
    expect(bytesToHex(sha256(utf8ToBytes(`${text}.`)))).not.toBe(digest);
    if (text === 'abc') expect(figures.digests.abc).toBe(digest);
  });

  test("are the first half of what Python's hashlib says of the canonical text", () => {
    const { abc: _, ...canonical } = figures.digests;
    const [[text, digest]] = Object.entries(canonical);
    expect(digestOf({ b: 'ε', a: [1, 2.5] })).toBe(digest.slice(0, 32));
    expect(canonicalJson({ b: 'ε', a: [1, 2.5] })).toBe(text);
    expect(digestOf({ b: 'ε', a: [2.5, 1] })).not.toBe(digest.slice(0, 32));
  });

  // RFC 8785, section 3.2.2 and the ordering of section 3.2.3.
  test('the canonical text is that of the example of RFC 8785', () => {
    const example: Json = {
      // biome-ignore lint/correctness/noPrecisionLoss: the number of the example, which has no double
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    const published =
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
    expect(canonicalJson(example)).toBe(published);
    expect(JSON.stringify(example)).not.toBe(published);
  });

  test('keys are ordered by their UTF-16 units, as in the example of RFC 8785', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const published = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(text).toBe(`{${published.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
    // By code points the last two change places.
    const points = [...keys].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0));
    expect(points).not.toEqual(published);
  });
});

describe('the unit ball', () => {
  test('takes and refuses vectors around its tolerance as exact fractions of Python do', () => {
    const accepts = (vector: number[]): boolean => {
      try {
        checkUnitBall('features', vector, 5);
        return true;
      } catch (error) {
        if (error instanceof RangeError) return false;
        throw error;
      }
    };
    const verdicts = figures.unitVectors.map(({ inside }) => inside);
    expect(figures.unitVectors.map(({ vector }) => accepts(vector))).toEqual(verdicts);
    expect(verdicts.filter((inside) => inside).length).toBe(30);
    // Without the tolerance some of those inside would be refused.
    const strict = figures.unitVectors.map(({ vector }) => vector.reduce((sum, x) => sum + x * x, 0) <= 1);
    expect(strict).not.toEqual(verdicts);
  });
});
