import { describe, expect, test } from '@jest/globals';
import { ReportError } from '../../../src/check/refusal.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import { choosePrecision, createValues, decodeValues, encodeValues } from '../../../src/core/frame.ts';

const parameters: PublicParameters = {
  protocol: 'coin',
  variant: 'plain',
  version: 7,
  digest: '000102030405060708090a0b0c0d0e0f',
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('the frame', () => {
  test('is, byte by byte, what the format says (by hand)', () => {
    const magic = '4c44504b';
    const versions = '0107';
    const name = `04${'636f696e'}`;
    const { digest } = parameters;
    const float32 = encodeValues(parameters, 'float32', 2, Float32Array.of(1, -2));
    expect(hex(float32)).toBe(`${magic}${versions}04${name}${digest}02000000${'0000803f'}${'000000c0'}`);
    const float64 = encodeValues(parameters, 'float64', 1, Float64Array.of(0.5));
    expect(hex(float64)).toBe(`${magic}${versions}08${name}${digest}01000000${'000000000000e03f'}`);
  });

  test('carries every finite value of its precision unchanged, minus zero and subnormals included', () => {
    const values = Float64Array.of(-0, 5e-324, Number.MAX_VALUE, -Math.PI);
    const back = decodeValues(parameters, 'float64', 4, encodeValues(parameters, 'float64', 4, values));
    expect([...back].every((value, i) => Object.is(value, values[i]))).toBe(true);
    const single = Float32Array.of(-0, 1e-45, 3.4e38, 0.1);
    const again = decodeValues(parameters, 'float32', 4, encodeValues(parameters, 'float32', 4, single));
    expect(again).toEqual(single);
    expect(Object.is(again[0], -0)).toBe(true);
  });

  test('is that of the parameters it is asked for, whatever was asked for before, and whatever was done to its bytes', () => {
    const values = Float32Array.of(1, -2);
    const others = [
      { ...parameters, protocol: 'dice' },
      { ...parameters, version: 8 },
      { ...parameters, digest: '100102030405060708090a0b0c0d0e0f' },
    ];
    const first = encodeValues(parameters, 'float32', 2, values);
    const kept = hex(first);
    first.fill(255);
    for (const other of others) {
      const frame = encodeValues(other, 'float32', 2, values);
      expect(hex(frame)).not.toBe(kept);
      expect(() => decodeValues(parameters, 'float32', 2, frame)).toThrow(ReportError);
      expect(decodeValues(other, 'float32', 2, frame)).toEqual(values);
      expect(hex(encodeValues(parameters, 'float32', 2, values))).toBe(kept);
    }
    expect(hex(encodeValues(parameters, 'float64', 2, Float64Array.from(values)))).not.toContain(kept.slice(0, 64));
    expect(encodeValues(parameters, 'float32', 1, values.subarray(1)).length).toBe(first.length - 4);
    expect(hex(encodeValues(parameters, 'float32', 2, values))).toBe(kept);
  });

  test('of no values is a header', () => {
    const bytes = encodeValues(parameters, 'float32', 0, new Float32Array(0));
    expect(bytes.length).toBe(32);
    expect(decodeValues(parameters, 'float32', 0, bytes).length).toBe(0);
  });

  test('is not made of another number of values', () => {
    expect(() => encodeValues(parameters, 'float32', 3, new Float32Array(2))).toThrow(
      '"report" expected 3 values, got 2',
    );
  });
});

describe('a refusal says which part is not what the parameters prescribe', () => {
  const bytes = encodeValues(parameters, 'float32', 2, Float32Array.of(1, 2));
  const parts: readonly [number, string][] = [
    [0, 'the magic bytes of a report'],
    [3, 'the magic bytes of a report'],
    [4, 'frame version 1'],
    [5, 'this version of the protocol'],
    [6, 'the precision these parameters prescribe'],
    [7, 'a report of protocol coin'],
    [8, 'a report of protocol coin'],
    [11, 'a report of protocol coin'],
    [12, 'the digest of these parameters'],
    [27, 'the digest of these parameters'],
    [28, 'the number of values these parameters prescribe'],
    [31, 'the number of values these parameters prescribe'],
  ];

  test.each(parts)('byte %i: %s', (at, part) => {
    const damaged = bytes.slice();
    damaged[at] ^= 1;
    expect(() => decodeValues(parameters, 'float32', 2, damaged)).toThrow(new ReportError(`"report" expected ${part}`));
  });

  test('another length, another kind of value, and values that are not finite', () => {
    expect(() => decodeValues(parameters, 'float32', 2, bytes.slice(0, 39))).toThrow(
      '"report" expected 40 bytes, got 39',
    );
    expect(() => decodeValues(parameters, 'float32', 2, 'LDPK' as never)).toThrow('"report" expected a Uint8Array');
    const infinite = encodeValues(parameters, 'float32', 2, Float32Array.of(1, Infinity));
    expect(() => decodeValues(parameters, 'float32', 2, infinite)).toThrow('"report" expected finite values only');
    expect(() => decodeValues(parameters, 'float32', 2, infinite)).toThrow(ReportError);
  });
});

describe('the precision', () => {
  test('is single exactly while its rounding is 100 times below the noise', () => {
    const edge = 100 * 2 ** -24;
    expect(choosePrecision(edge, 1)).toBe('float32');
    expect(choosePrecision(edge * (1 - 1e-15), 1)).toBe('float64');
    expect(choosePrecision(1, 8)).toBe('float32');
  });

  test('rounds a value of the magnitude by at most a hundredth of the noise, and not much less at the edge', () => {
    let worst = 0;
    for (let i = 0; i < 10_000; i++) {
      const value = 8 * (0.5 + i / 20_000);
      worst = Math.max(worst, Math.abs(Math.fround(value) - value));
    }
    const least = 100 * 2 ** -24 * 8;
    expect(worst).toBeLessThanOrEqual(least / 100);
    expect(worst).toBeGreaterThan(least / 300);
  });

  test('is double where single precision would overflow, or have fewer digits', () => {
    expect(choosePrecision(1e40, 1e41)).toBe('float64');
    expect(choosePrecision(1e25, 8e25)).toBe('float32');
    expect(choosePrecision(1e-41, 8e-41)).toBe('float64');
    expect(choosePrecision(1e-25, 8e-25)).toBe('float32');
    // The smallest noise of single precision is more than 2²³ times the least number.
    expect(2 ** -100 * 100 * 2 ** -24).toBeGreaterThan(2 ** (23 - 149));
  });

  test('decides the kind of the array of values', () => {
    expect(createValues('float32', 3)).toEqual(new Float32Array(3));
    expect(createValues('float64', 3)).toEqual(new Float64Array(3));
  });
});
