import { expect, test } from '@jest/globals';
import { hinge, hingeParameters } from '../../../../protocols/hinge/index.ts';
import { certify } from '../../../../src/core/certify.ts';
import { checkCertificateHead, checkCertificateShape } from '../../../../src/node/commands/verify.ts';

const request = { variant: 'printed', epsilon: 1, delta: 1e-6, degree: 2, dimension: 5 } as const;
const made = certify(hinge, hingeParameters(request), request);
const tool = { name: 'ldpkit', version: '1.2.3' };

function check(json: unknown, path?: string): unknown {
  checkCertificateHead(json, path);
  return checkCertificateShape(json, path);
}

test('a certificate has the shape of one, with or without the program that wrote it', () => {
  expect(check(made)).toBe(made);
  expect(check({ ...made, tool })).toEqual({ ...made, tool });
});

test('what only the comparison can judge has the shape too', () => {
  for (const more of [{ remark: 1 }, { request: {} }, { totals: [] }, { grade: 'best' }, { claimed: { kind: 'x' } }]) {
    expect(check({ ...made, ...more })).toEqual({ ...made, ...more });
  }
});

test('the head of a later version is read without the rest', () => {
  expect(checkCertificateHead({ schema: 'ldpkit-certificate', schemaVersion: 9 }).schemaVersion).toBe(9);
});

const { digest: _, ...without } = made;

test.each([
  ['a number', 7, '"certificate" expected an object, got 7'],
  ['nothing', null, '"certificate" expected an object, got null'],
  ['a list', [], '"schema" expected to be given, got undefined'],
  ['a bare certificate', { protocol: 'hinge' }, '"schema" expected to be given, got undefined'],
  ['no digest', without, '"digest" expected to be given, got undefined'],
])('is refused as of another kind: %s', (_, json, message) => {
  expect(() => check(json)).toThrow(TypeError);
  expect(() => check(json)).toThrow(message);
});

test.each([
  ['another document', { schema: 'receipt' }, RangeError, '"schema" expected ldpkit-certificate, got "receipt"'],
  ['no whole version', { schemaVersion: 1.5 }, RangeError, '"schemaVersion" expected a whole number, got 1.5'],
  ['an empty name', { variant: '' }, RangeError, '"variant" expected a text, got ""'],
  [
    'a release of nothing',
    { releases: [made.releases[0], {}] },
    TypeError,
    '"releases[1].what" expected to be given, got undefined',
  ],
  [
    'a total without a guarantee',
    { totals: [{ ...made.totals[0], guarantee: 1 }] },
    TypeError,
    '"totals[0].guarantee" expected an object, got 1',
  ],
  ['notes in one text', { notes: 'all is well' }, TypeError, '"notes" expected a list of texts, got "all is well"'],
  ['a list of requests', { request: [] }, TypeError, '"request" expected an object, got an array'],
  ['an infinite δ', { reportDelta: Infinity }, RangeError, '"reportDelta" expected a finite number, got Infinity'],
  [
    'a program that says more than its version',
    { tool: { ...tool, epsilon: 0 } },
    RangeError,
    '"tool.epsilon" expected to be absent (there is no such key), got 0',
  ],
])('is refused: %s', (_, change, kind, message) => {
  expect(() => check({ ...made, ...change })).toThrow(kind);
  expect(() => check({ ...made, ...change })).toThrow(message);
});

test('a refusal says where in a list', () => {
  expect(() => check(1, 'certificates[1]')).toThrow('"certificates[1]" expected an object, got 1');
  expect(() => check({ ...made, notes: [1] }, 'certificates[3]')).toThrow(
    '"certificates[3].notes[0]" expected a text, got 1',
  );
});
