import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../../protocols/euclidean-median/index.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import { hinge, hingeParameters, lifted } from '../../../protocols/hinge/index.ts';
import { certify, verifyCertificate } from '../../../src/core/certify.ts';
import { coin, coinParameters } from './coin.ts';

const asked = { epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 };

describe('certify', () => {
  test('gives the certificate of the theory, and beside it what it takes to compute it again', () => {
    const request = { variant: 'lifted' as const, epsilon: 1, degree: 1, dimension: 3 };
    const parameters = hingeParameters(request);
    const document = certify(hinge, parameters, request);
    expect(document).toMatchObject({ ...hinge.theory.certificate(parameters) });
    expect(document).toMatchObject({
      schema: 'ldpkit-certificate',
      schemaVersion: 1,
      protocolVersion: parameters.version,
      grade: 'simulation',
      request,
      digest: parameters.digest,
    });
  });

  test('survives JSON as it is', () => {
    const document = certify(hinge, hingeParameters({ variant: 'printed', ...asked }), {
      variant: 'printed',
      ...asked,
    });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test('needs no request where the parameters remember it', () => {
    expect(certify(coin, coinParameters({ epsilon: 2 }))).toMatchObject({
      request: { epsilon: 2 },
      grade: 'simulation',
    });
    const deployed = certify(coin, coinParameters({ epsilon: 2, grade: 'deployment' }));
    expect(deployed).toMatchObject({ request: { epsilon: 2, grade: 'deployment' }, grade: 'deployment' });
    expect(deployed.notes[0]).toMatch(/^Grade deployment: .*integers/);
  });

  test('keeps of the request what the digest depends on, and nothing else', () => {
    const request = { variant: 'lifted' as const, epsilon: 1, degree: 1, dimension: 3 };
    expect(certify(hinge, lifted(asked), { ...request, shares: undefined } as never).request).toEqual(request);
    const remarked = { ...request, remark: 'who reads this?' };
    expect(() => certify(hinge, lifted(asked), remarked as never)).toThrow('got "remark"');
    expect(certify(coin, coinParameters({ epsilon: 2 }), { epsilon: 2, grade: 'simulation' }).request).toEqual({
      epsilon: 2,
    });
  });

  test('tells what it rests on', () => {
    const notes = certify(coin, coinParameters({ epsilon: 2 })).notes.join('\n');
    expect(notes.match(/^[A-Z][\w ]+(?=: )/gm)).toEqual([
      'Grade simulation',
      'One transcript',
      'Randomness',
      'Not covered',
      'Covered without further cost',
    ]);
  });

  test('certifies the parameters of the digest, whatever was written into the object afterwards', () => {
    const parameters = { ...coinParameters({ epsilon: 2 }), epsilon: 0.1, variant: 'another' };
    expect(certify(coin, parameters)).toMatchObject({ variant: 'coin', claimed: { kind: 'pure', epsilon: 2 } });
  });

  test('refuses what it cannot certify', () => {
    const parameters = coinParameters({ epsilon: 2 });
    const { request: _, ...forgetful } = parameters;
    const { make: __, ...closed } = coin;
    expect(() => certify(coin, forgetful)).toThrow(
      new TypeError('"request" expected the object that the parameters were made from, got undefined'),
    );
    expect(() => certify(coin, forgetful, [] as never)).toThrow(TypeError);
    expect(() => certify(closed, parameters)).toThrow(
      '"protocol" expected one that makes parameters from plain data, got coin',
    );
    expect(() => certify(coin, { ...parameters, protocol: 'hinge' })).toThrow(
      '"parameters" expected parameters of coin, got "hinge"',
    );
    expect(() => certify(coin, parameters, { epsilon: 1 })).toThrow(
      `"request" expected the request of the parameters with digest ${parameters.digest}, got`,
    );
    expect(() => certify(coin, parameters, { epsilon: 2, remark: Number.NaN })).toThrow(RangeError);
    expect(() => certify(coin, parameters, { epsilon: 0 })).toThrow('"epsilon" expected a finite number > 0, got 0');
  });
});

describe('every request that a protocol can be asked for', () => {
  const shared = { epsilon: 1, degree: 1, dimension: 3 };
  const cases = [
    ...(['lifted', 'gaussian', 'copies', 'printed'] as const).flatMap((variant) => {
      const request = { variant, ...(variant === 'lifted' ? shared : asked) };
      return [
        [hinge, hingeParameters, request] as const,
        [euclideanMedian, euclideanMedianParameters, request] as const,
        [generalizedLinear, generalizedLinearParameters, request] as const,
      ];
    }),
    [hinge, hingeParameters, { variant: 'lifted', ...shared, shares: [3, 1] }] as const,
    [hinge, hingeParameters, { variant: 'sampled', ...shared, shares: [3, 1] }] as const,
    [generalizedLinear, generalizedLinearParameters, { variant: 'sampled', ...shared, task: 'regression' }] as const,
    [euclideanMedian, euclideanMedianParameters, { variant: 'lifted', ...shared, shares: [5, 1, 1, 1, 1] }] as const,
    [generalizedLinear, generalizedLinearParameters, { variant: 'lifted', ...shared, task: 'regression' }] as const,
    [
      generalizedLinear,
      generalizedLinearParameters,
      { variant: 'lifted', ...shared, task: 'regression', shares: [1, 16] },
    ] as const,
    [generalizedLinear, generalizedLinearParameters, { variant: 'gaussian', ...asked, task: 'regression' }] as const,
    [
      generalizedLinear,
      generalizedLinearParameters,
      { variant: 'sphericalLaplace', epsilon: 1, dimension: 3 },
    ] as const,
  ].map(([protocol, make, request]) => ({
    name: `${protocol.name} ${Object.values(request).join(' ')}`,
    protocol,
    request,
    parameters: (make as (plain: object) => { readonly digest: string })(request),
  }));

  test.each(cases)('is certified and verified: $name', ({ protocol, request, parameters }) => {
    expect(protocol.make?.(request).digest).toBe(parameters.digest);
    const document = certify(protocol as typeof hinge, parameters as ReturnType<typeof hingeParameters>, request);
    const verification = verifyCertificate(protocol as typeof hinge, JSON.parse(JSON.stringify(document)));
    expect(verification).toEqual({ verified: true, compared: verification.compared, mismatches: [] });
    expect(verification.compared).toBeGreaterThan(40);
    // What was asked for is in it, unless it is of no consequence.
    const { task, shares } = request as { readonly task?: string; readonly shares?: readonly number[] };
    expect(document.request).toMatchObject(JSON.parse(JSON.stringify({ task, shares })));
  });
});
