import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hinge, hingeParameters } from '../../../protocols/hinge/index.ts';
import { certify, VERIFY_TOLERANCE, verifyCertificate } from '../../../src/core/certify.ts';
import type { PlainRequest } from '../../../src/core/contract.ts';
import type { Json } from '../../../src/core/request.ts';
import { coin, coinParameters } from './coin.ts';

type Document = { readonly [name: string]: Json };
type Path = readonly (string | number)[];

const REQUESTS = [
  { variant: 'printed', epsilon: 1, delta: 1e-6, degree: 2, dimension: 5 },
  { variant: 'gaussian', epsilon: 0.3, delta: 1e-9, degree: 1, dimension: 4 },
  { variant: 'lifted', epsilon: 4, degree: 1, dimension: 3, shares: [3, 2] },
] as const;

const documents = REQUESTS.map((request) => plainOf(certify(hinge, hingeParameters(request as never), request)));
const sound = documents[0];

function plainOf(value: object): Document {
  return JSON.parse(JSON.stringify(value));
}

/** The paths of all values of a kind. */
function leaves(value: Json, is: (leaf: Json) => boolean, path: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return is(value) ? [path] : [];
  return Object.entries(value).flatMap(([name, part]) => leaves(part, is, [...path, name]));
}

function at(value: Json, path: Path): Json {
  return path.reduce((part: Json, name) => (part as Document)[name], value);
}

/** A copy with one value replaced. */
function changed(document: Document, path: Path, value: Json): Document {
  const copy = structuredClone(document);
  (at(copy, path.slice(0, -1)) as { [name: string]: Json })[path.at(-1) as string] = value;
  return copy;
}

const verify = (document: Document) => verifyCertificate(hinge, document);
const isNumber = (leaf: Json): boolean => typeof leaf === 'number';
const fieldOf = (path: Path): string =>
  path
    .map((name) => (/^\d+$/.test(String(name)) ? `[${name}]` : `.${name}`))
    .join('')
    .slice(1);

test('what certify wrote is verified', () => {
  expect(documents.map(verify).map(({ verified, mismatches }) => [verified, mismatches])).toEqual(
    documents.map(() => [true, []]),
  );
});

describe('a tampered certificate is not verified', () => {
  const numbers = documents.flatMap((document) => leaves(document, isNumber).map((path) => ({ document, path })));

  test('whatever number in it is changed by more than a millionth', () => {
    expect(numbers.length).toBeGreaterThan(70);
    const reached = new Set<string>();
    fc.assert(
      fc.property(
        fc.constantFrom(...numbers),
        fc
          .oneof(fc.double({ min: -2, max: -1e-6 }), fc.double({ min: 1e-6, max: 10 }))
          .filter((c) => c !== -1e-6 && c !== 1e-6),
        ({ document, path }, change) => {
          const before = at(document, path) as number;
          const after = before === 0 ? change : before * (1 + change);
          reached.add(path.join('.'));
          return !verify(changed(document, path, after)).verified;
        },
      ),
      { numRuns: 400, seed: 4 },
    );
    expect(reached.size).toBeGreaterThan(30);
  });

  test('whichever of its numbers is changed by two millionths, one after the other', () => {
    const missed = numbers
      .filter(
        ({ document, path }) => verify(changed(document, path, (at(document, path) as number) * (1 + 2e-6))).verified,
      )
      .map(({ path }) => fieldOf(path));
    expect(missed).toEqual([]);
  });

  test('whatever text or truth in it is changed, and the field is named', () => {
    const missed: string[] = [];
    for (const document of documents) {
      for (const path of leaves(document, (leaf) => !isNumber(leaf))) {
        const value = at(document, path);
        const other = typeof value === 'string' ? `${value} ` : typeof value === 'boolean' ? !value : 'null';
        const { verified, mismatches } = verify(changed(document, path, other));
        const named = mismatches.some(({ field }) => field === fieldOf(path) || field === 'request');
        if (verified || !named) missed.push(fieldOf(path));
      }
    }
    expect(missed).toEqual([]);
  });

  test('whatever is left out, put in, or of another kind', () => {
    const replacements: Json[] = [null, 'text', 7, [], {}, true, [[]]];
    const missed: string[] = [];
    for (const path of [...leaves(sound, () => true), ...Object.keys(sound).map((name) => [name])]) {
      const value = at(sound, path);
      const parent = path.slice(0, -1);
      const { [String(path.at(-1))]: _, ...rest } = at(sound, parent) as Document;
      const shorter = parent.length === 0 ? rest : changed(sound, parent, rest);
      if (verify(shorter).verified) missed.push(`without ${fieldOf(path)}`);
      for (const other of replacements) {
        if (JSON.stringify(other) !== JSON.stringify(value) && verify(changed(sound, path, other)).verified) {
          missed.push(`${fieldOf(path)} = ${JSON.stringify(other)}`);
        }
      }
    }
    expect(missed).toEqual([]);
    expect(verify(changed(sound, ['remark'], 'approved')).mismatches).toEqual([
      { field: 'remark', expected: 'nothing', got: '"approved"' },
    ]);
    expect(verify(changed(sound, ['request', 'remark'], 1)).mismatches).toEqual([
      { field: 'request', expected: 'what hinge can be asked for', got: expect.stringContaining('got "remark"') },
    ]);
    expect(verify(JSON.parse(`{"__proto__": {"a": 1}, ${JSON.stringify(sound).slice(1)}`)).mismatches).toEqual([
      { field: '__proto__', expected: 'nothing', got: 'an object' },
    ]);
  });

  test('release by release, also where a number of copies would make the totals smaller', () => {
    const path = ['releases', '2', 'count'];
    expect(verify(changed(sound, path, 1)).mismatches).toEqual([
      { field: 'releases[2].count', expected: '3', got: '1' },
    ]);
    const { releases } = sound as { readonly releases: Json[] };
    expect(verify({ ...sound, releases: releases.slice(0, 3) }).verified).toBe(false);
    expect(verify({ ...sound, releases: [...releases, releases[0]] }).verified).toBe(false);
  });
});

describe('numbers', () => {
  const path = ['totals', '2', 'epsilonAtDelta'];
  const exact = at(sound, path) as number;

  test('agree to the tolerance upwards', () => {
    expect(verify(changed(sound, path, exact * (1 + VERIFY_TOLERANCE / 2))).verified).toBe(true);
    expect(verify(changed(sound, path, exact * (1 + 2 * VERIFY_TOLERANCE))).verified).toBe(false);
  });

  test('are never accepted where they promise more, not by the last bit', () => {
    for (const name of ['epsilonAtDelta', 'guarantee.epsilon', 'guarantee.mu', 'guarantee.rho', 'guarantee.delta']) {
      const paths = leaves(sound, isNumber).filter((one) => one[0] === 'totals' && fieldOf(one).endsWith(name));
      expect(paths.length).toBeGreaterThan(0);
      for (const one of paths) {
        const value = at(sound, one) as number;
        const { mismatches } = verify(changed(sound, one, value * (1 - 2 ** -53)));
        expect(mismatches.map(({ field }) => field)).toEqual([fieldOf(one)]);
      }
    }
  });

  test('other numbers agree to the tolerance both ways', () => {
    const scale = ['releases', '0', 'scale'];
    const value = at(sound, scale) as number;
    for (const sign of [-1, 1]) {
      expect(verify(changed(sound, scale, value * (1 + (sign * VERIFY_TOLERANCE) / 2))).verified).toBe(true);
      expect(verify(changed(sound, scale, value * (1 + sign * 2 * VERIFY_TOLERANCE))).verified).toBe(false);
    }
  });
});

test('a certificate nested beyond all measure is a mismatch, not a crash', () => {
  const deep = JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)) as Json;
  expect(verify({ ...sound, remark: deep }).mismatches).toEqual([
    { field: 'remark', expected: 'nothing', got: 'a list' },
  ]);
  expect(verify({ ...sound, digest: deep }).mismatches).toEqual([
    { field: 'digest', expected: JSON.stringify(sound.digest), got: 'a list' },
  ]);
  expect(verify({ ...sound, request: { ...(sound.request as Document), remark: deep } }).mismatches).toEqual([
    { field: 'request', expected: 'what hinge can be asked for', got: expect.any(String) },
  ]);
});

describe('a request', () => {
  test.each([
    ['epsilon', 0, '"epsilon" expected a finite number > 0, got 0'],
    ['epsilon', '1', '"epsilon" expected a finite number > 0, got "1"'],
    ['degree', 1.5, '"degree" expected a whole number from 0 to 20, got 1.5'],
    ['variant', 'best', '"variant" expected one of lifted, gaussian, direct, sampled, copies, printed, got "best"'],
  ] as const)('that the protocol refuses is a mismatch: %s = %s', (name, value, got) => {
    expect(verify(changed(sound, ['request', name], value))).toEqual({
      verified: false,
      compared: 1,
      mismatches: [{ field: 'request', expected: 'what hinge can be asked for', got }],
    });
  });

  test('that is not one is a mismatch', () => {
    for (const request of [null, 1, 'text', []] as Json[]) {
      expect(verify({ ...sound, request }).mismatches).toEqual([
        { field: 'request', expected: 'an object', got: Array.isArray(request) ? 'a list' : JSON.stringify(request) },
      ]);
    }
    const { request: _, ...without } = sound;
    expect(verify(without).mismatches).toEqual([{ field: 'request', expected: 'an object', got: 'nothing' }]);
  });

  test('of another budget makes another digest, and every number of the old one a mismatch', () => {
    const fields = verify(changed(sound, ['request', 'epsilon'], 0.5)).mismatches.map(({ field }) => field);
    expect(fields).toEqual(expect.arrayContaining(['digest', 'claimed.epsilon', 'totals[2].guarantee.mu']));
  });
});

test('the certificate of one protocol is none of another', () => {
  const document = plainOf(certify(coin, coinParameters({ epsilon: 1 })));
  expect(verifyCertificate(coin, document).verified).toBe(true);
  const named = verifyCertificate(coin, { ...document, protocol: 'hinge' });
  expect(named.mismatches).toEqual([{ field: 'protocol', expected: '"coin"', got: '"hinge"' }]);
  expect(verify(document).verified).toBe(false);
});

test('a protocol without a variant from plain data cannot be verified', () => {
  const { make: _, ...closed } = coin;
  expect(() => verifyCertificate(closed, sound)).toThrow(TypeError);
});

test('what is wrong with this library is not taken for a mismatch', () => {
  const make = (_: PlainRequest): never => {
    throw new Error('out of order');
  };
  expect(() => verifyCertificate({ ...coin, make }, plainOf(certify(coin, coinParameters({ epsilon: 1 }))))).toThrow(
    'out of order',
  );
});
