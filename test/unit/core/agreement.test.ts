import { expect, test } from '@jest/globals';
import { agreementOf, digestOf } from '../../../src/core/request.ts';

const coin = { protocol: 'coin', version: 1 };

test('the digest is over the protocol, its version and the request', () => {
  const { request, digest } = agreementOf(coin, { variant: 'fair', epsilon: 1, shares: [1, 2] });
  expect(request).toEqual({ variant: 'fair', epsilon: 1, shares: [1, 2] });
  expect(digest).toBe(digestOf({ protocol: 'coin', version: 1, variant: 'fair', epsilon: 1, shares: [1, 2] }));
  expect(agreementOf({ ...coin, version: 2 }, request).digest).not.toBe(digest);
  expect(agreementOf(coin, { ...request, epsilon: 2 }).digest).not.toBe(digest);
});

test('an empty list counts for the digest, and is left out of the request', () => {
  const { request, digest } = agreementOf(coin, { epsilon: 1, shares: [], nested: [[]], none: 0, text: '' });
  expect(request).toEqual({ epsilon: 1, nested: [[]], none: 0, text: '' });
  expect(digest).toBe(digestOf({ ...coin, epsilon: 1, shares: [], nested: [[]], none: 0, text: '' }));
});

test('more of the protocol than its name and version does not count', () => {
  const more = { ...coin, secret: 1 };
  expect(agreementOf(more, { epsilon: 1 })).toEqual(agreementOf(coin, { epsilon: 1 }));
});

test('a number that JSON cannot carry is refused', () => {
  expect(() => agreementOf(coin, { epsilon: Number.NaN })).toThrow(RangeError);
});
