import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromPlainJson, toPlainJson } from '../../../src/client/collector-client.ts';

describe('plain data as JSON', () => {
  test('keeps every bit of arrays of numbers, and the rest of the data', () => {
    fc.assert(
      fc.property(fc.float64Array(), fc.uint8Array(), fc.string(), (numbers, bytes, text) => {
        const value = { round: 1, text, deep: [{ numbers }, bytes], words: Uint32Array.of(1, 2 ** 32 - 1) };
        const again = fromPlainJson(toPlainJson(value)) as typeof value;
        expect(again).toEqual(value);
        const [left, right] = [(again.deep[0] as { numbers: Float64Array }).numbers, numbers];
        expect(new Uint8Array(left.buffer)).toEqual(new Uint8Array(right.slice().buffer));
      }),
    );
  });

  test('reads a view into a larger buffer as the view alone', () => {
    const view = new Float64Array(Float64Array.of(1, 2, 3).buffer, 8, 1);
    expect(fromPlainJson(toPlainJson({ view }))).toEqual({ view: Float64Array.of(2) });
  });

  test('refuses arrays that are damaged or of a kind that it does not know', () => {
    for (const part of [
      { $array: 'float64', hex: '00' },
      { $array: 'float64', hex: 'zz' },
      { $array: 'Function', hex: '' },
      { $array: 'constructor', hex: '' },
      { $array: 'float64', hex: 7 },
    ]) {
      expect(() => fromPlainJson(JSON.stringify(part))).toThrow('"$array" expected');
    }
    expect(() => fromPlainJson('{')).toThrow(SyntaxError);
  });
});
