import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeBatch, encodeBatch } from '../../../src/client/collector-client.ts';

const report = fc.record({
  player: fc.string({ unit: 'grapheme', maxLength: 20 }),
  bytes: fc.uint8Array({ maxLength: 40 }),
});

describe('batches', () => {
  test('give back what they were made of', () => {
    fc.assert(
      fc.property(fc.array(report, { minLength: 1, maxLength: 10 }), (reports) => {
        const decoded = decodeBatch(encodeBatch(reports), reports.length);
        expect(decoded.map(({ player, bytes }) => ({ player, bytes: Array.from(bytes) }))).toEqual(
          reports.map(({ player, bytes }) => ({ player, bytes: Array.from(bytes) })),
        );
      }),
    );
  });

  test('that are cut off, too long, empty, or no bytes are refused', () => {
    const body = encodeBatch([
      { player: 'one', bytes: Uint8Array.of(1, 2, 3) },
      { player: 'two', bytes: Uint8Array.of(4) },
    ]);
    const ends = new Set([0, 3 + 2 + 4 + 3]);
    for (let length = 0; length < body.length; length++) {
      if (length > 0 && ends.has(length)) expect(decodeBatch(body.subarray(0, length), 2)).toHaveLength(1);
      else expect(() => decodeBatch(body.subarray(0, length), 2)).toThrow('"batch" expected');
    }
    expect(() => decodeBatch(body, 1)).toThrow('at most 1 reports');
    expect(() => decodeBatch([...body] as never, 2)).toThrow('a Uint8Array');
    expect(() => encodeBatch([])).toThrow('at least one report');
  });

  test('with lengths that lie, or texts that are no UTF-8, are refused', () => {
    const body = encodeBatch([{ player: 'a', bytes: Uint8Array.of(1) }]);
    const lying = body.slice();
    lying[0] = 255;
    expect(() => decodeBatch(lying, 1)).toThrow('its end is missing');
    const long = body.slice();
    long.set([255, 255, 255, 255], 3);
    expect(() => decodeBatch(long, 1)).toThrow('its end is missing');
    const garbled = body.slice();
    garbled[2] = 0xff;
    expect(() => decodeBatch(garbled, 1)).toThrow('texts in UTF-8');
  });
});
