import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sealed, unsealed } from '../../../../src/node/serve/log.ts';

const snapshot = { sequence: 3, state: Uint8Array.of(1, 2) };

test('a snapshot is read as it was sealed', () => {
  expect(unsealed(sealed(snapshot))).toEqual(snapshot);
});

test.each([
  ['a flipped bit', (bytes: Buffer) => bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte))],
  ['an end that is missing', (bytes: Buffer) => bytes.subarray(0, -1)],
  // What kept states had before they were in blocks: a hash of the same bytes, which does not name their form.
  [
    'a seal without its form',
    (bytes: Buffer) => Buffer.concat([createHash('sha256').update(bytes.subarray(32)).digest(), bytes.subarray(32)]),
  ],
])('with %s it is none: the log makes it again', (_, change) => {
  expect(unsealed(change(sealed(snapshot)))).toBeUndefined();
});
