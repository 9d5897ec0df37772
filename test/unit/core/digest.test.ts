import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lifted } from '../../../protocols/hinge/index.ts';
import { canonicalJson, digestOf, type Json } from '../../../src/core/request.ts';

test('keys are sorted at every depth, arrays keep their order, and there is no white space', () => {
  const value: Json = { b: { d: true, c: null }, a: [1, 2.5, 'x'] };
  expect(canonicalJson(value)).toBe('{"a":[1,2.5,"x"],"b":{"c":null,"d":true}}');
  expect(canonicalJson({ a: [1, 2.5, 'x'], b: { c: null, d: true } })).toBe(canonicalJson(value));
});

test('numbers are spelled as ECMAScript prints them, minus zero as 0', () => {
  expect(canonicalJson([1e21, 1e-7, 0.1, -0, 123456789012345680000])).toBe('[1e+21,1e-7,0.1,0,123456789012345680000]');
});

test('texts are escaped as JSON escapes them, in keys too', () => {
  expect(canonicalJson({ 'a"\n': 'ε\u0001' })).toBe('{"a\\"\\n":"ε\\u0001"}');
});

test.each([NaN, Infinity, -Infinity])('%p has no spelling, however deep it lies', (number) => {
  expect(() => canonicalJson(number)).toThrow(RangeError);
  expect(() => canonicalJson({ a: [{ b: number }] })).toThrow('canonical JSON expected finite numbers only');
});

test('it is JSON: parsed, it is the value it was made from, and its spelling is the same again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json);
      const parsed = JSON.parse(text) as Json;
      expect(parsed).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(parsed)).toBe(text);
    }),
    { numRuns: 200, seed: 1 },
  );
});

// Computed independently with Python's hashlib over the canonical texts.
test('the digest is the first 128 bits of SHA-256', () => {
  expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e');
  expect(digestOf({ b: { d: true, c: null }, a: [1, 2.5, 'x'] })).toBe('3f2209c9470486da010ac643a0abb789');
});

test('the digest of hinge parameters is that of their request', () => {
  expect(lifted({ epsilon: 1, degree: 1, dimension: 3 }).digest).toBe('eeb70e72df4259d16ac6e1234d563ff2');
});
