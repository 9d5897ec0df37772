import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters, lifted } from '../../protocols/euclidean-median/index.ts';
import { type EuclideanMedianRequest, VARIANTS } from '../../protocols/euclidean-median/parameters.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { checkContract } from '../../src/testing/contract/laws.ts';
import { euclideanMedianCase, euclideanMedianRequest as request } from './euclidean-median-cases.ts';

type Variant = (typeof VARIANTS)[number];

/** Parameters of a request that is wrong in some field; the types would not let it through. */
function made(variant: Variant, change: { readonly [field: string]: unknown }): () => unknown {
  return () => euclideanMedianParameters({ ...request(variant, 1, 3, 1), ...change } as EuclideanMedianRequest);
}

test('a deployed Gaussian report refuses a budget whose noise no 32-bit integer holds', () => {
  const asked = { variant: 'gaussian', delta: 1e-6, degree: 1, dimension: 3, grade: 'deployment' } as const;
  expect(() => euclideanMedianParameters({ ...asked, epsilon: 1e-8 })).toThrow(
    '"epsilon" expected a budget whose noise fits into 32-bit integers, got 1e-8',
  );
  expect(() => euclideanMedianParameters({ ...asked, epsilon: 1e-5 })).not.toThrow();
});

describe.each([...VARIANTS])('%s', (variant) => {
  // All pairs of a dimension and a degree are in contract-grids.long.test.ts.
  test('keeps the contract in two dimensions, for two degrees', () => {
    const least = variant === 'lifted' || variant === 'gaussian' ? 0 : 1;
    const cases = [request(variant, least, 5, 2), request(variant, 2, 2, 2)].map(euclideanMedianCase);
    expect(checkContract(euclideanMedian, cases)).toEqual([]);
  });

  test('keeps the contract in deployment, or says that it has no such form', () => {
    const asked = { ...request(variant, 1, 3, 2), grade: 'deployment' as const };
    if (variant === 'lifted' || variant === 'gaussian') {
      expect(checkContract(euclideanMedian, [euclideanMedianCase(asked)])).toEqual([]);
    } else expect(() => euclideanMedianParameters(asked)).toThrow(/^"grade" expected simulation \(variant \w+ has no/);
  });

  test.each([0, -1, NaN, Infinity, '1', undefined, 1n])('refuses ε = %p by name', (epsilon) => {
    expect(made(variant, { epsilon })).toThrow(/^"epsilon" expected /);
  });

  test.each([-1, 1.5, NaN, '1', 9, 2 ** 53])('refuses degree %p by name', (degree) => {
    expect(made(variant, { degree })).toThrow(/^"degree" expected a whole number from [01] to 8, got /);
  });

  test.each([0, -3, 1.5, NaN, '3', 1e9, Infinity])('refuses dimension %p by name', (dimension) => {
    expect(made(variant, { dimension })).toThrow(/^"dimension" expected /);
  });

  test('refuses a field that it does not use', () => {
    const unused = variant === 'lifted' ? 'delta' : 'shares';
    for (const field of ['note', unused]) {
      const message = new RegExp(`^"request" expected no fields but variant, .*, got "${field}"$`);
      expect(made(variant, { [field]: 1e-6 })).toThrow(message);
    }
    expect(made(variant, { [unused]: undefined })).not.toThrow();
  });

  test('is made by a device from plain JSON as by the server', () => {
    const sent = JSON.parse(JSON.stringify(request(variant, 2, 3, 1))) as EuclideanMedianRequest;
    expect(euclideanMedianParameters(sent)).toEqual(euclideanMedianParameters(request(variant, 2, 3, 1)));
  });
});

describe.each(['gaussian', 'copies', 'printed'] as const)('%s', (variant) => {
  test.each([0, 1, -1e-6, NaN, '1e-6', undefined])('refuses δ = %p by name', (delta) => {
    expect(made(variant, { delta })).toThrow(/^"delta" expected /);
  });

  test('keeps the contract where the noise is so small that reports travel in double precision', () => {
    const trial = euclideanMedianCase(request(variant, 1, 2, 1e12));
    expect(trial.make().precision).toBe('float64');
    expect(checkContract(euclideanMedian, [trial])).toEqual([]);
  });
});

test('variants without a printed constant keep the contract in dimension 1, where the median is the usual one', () => {
  const cases = (['lifted', 'gaussian', 'copies'] as const).map((variant) =>
    euclideanMedianCase(request(variant, 1, 1, 2)),
  );
  expect(checkContract(euclideanMedian, cases)).toEqual([]);
  expect(made('printed', { dimension: 1 })).toThrow('"dimension" expected a whole number from 2');
});

test('too many features are refused, naming a degree that fits, or the dimension where degree 1 does not', () => {
  expect(made('lifted', { dimension: 60, degree: 3 })).toThrow(
    '"degree" expected at most 2 in dimension 60 (100000 features at most), got 3',
  );
  expect(made('gaussian', { dimension: 20, degree: 2 })).toThrow(/^"degree" expected powers .* \(k = 1 fits\), got 2$/);
  expect(made('gaussian', { dimension: 60, degree: 1 })).toThrow(
    '"dimension" expected powers of x up to 2k + 2 with at most 100000 entries for k = 1 (k = 0 fits), got 60',
  );
  expect(made('lifted', { dimension: 1000, degree: 1 })).toThrow(
    '"dimension" expected fewer for degree 1 (100000 features at most); degree 0 fits, got 1000',
  );
  expect(lifted({ epsilon: 1, degree: 2, dimension: 60 }).features.size).toBeLessThanOrEqual(100_000);
});

test('shares are one for each block of features, positive, in any unit', () => {
  const base = { epsilon: 1, degree: 1, dimension: 3 };
  expect(made('lifted', { shares: [1, 1] })).toThrow('"shares" expected 5 positive numbers, got 2');
  expect(made('lifted', { shares: [1, 0, 1, 1, 1] })).toThrow(/^"shares\[1\]" expected /);
  const { scales } = lifted({ ...base, shares: [8, 2, 2, 2, 2] });
  expect(scales[0] ** 2).toBeCloseTo(0.5, 15);
  const total = lifted(base).scales.reduce((sum, scale) => sum + scale * scale, 0);
  expect(total).toBeCloseTo(1, 14);
});

test.each(['lifted', 'gaussian'] as const)('%s: a tally does not grow with the players', (variant) => {
  const parameters = euclideanMedianParameters(request(variant, 1, 2, 1));
  const datum = { point: Float64Array.of(0.3, 0.4) };
  const tally = simulate(euclideanMedian, parameters, { players: 1e5, datum: () => datum }, { seed: 'many' });
  if (tally.kind !== 'moments') throw new Error('a tally of moments');
  // lifted: x, ‖x‖², sym², x‖x‖², ‖x‖⁴; gaussian: the symmetric powers up to 4.
  expect([tally.players, tally.sums.length]).toEqual([1e5, variant === 'lifted' ? 9 : 14]);
});

test('a query is refused by the name of its field', () => {
  const parameters = euclideanMedianParameters(request('lifted', 1, 2, 1));
  const tally = euclideanMedian.server.empty(parameters);
  const report = euclideanMedian.player.randomize(parameters, { point: [0, 0.5] }, seededRandom(1));
  euclideanMedian.server.add(parameters, tally, report);
  const asked = (query: object) => () => euclideanMedian.server.estimate(parameters, tally, query);
  expect(asked({ radius: 0 })).toThrow(/^"radius" expected /);
  expect(asked({ degree: 2 })).toThrow('"degree" expected a whole number from 0 to 1, got 2');
  expect(asked({ beta: -1 })).toThrow(/^"beta" expected /);
  expect(asked({ share: 0.6 })).toThrow('"share" expected a number above 0 and up to 0.5, got 0.6');
  expect(asked({ coefficients: [1, 2, 3] })).toThrow(/^"coefficients.length" expected /);
  expect(asked({ coefficients: [NaN] })).toThrow(/^"coefficients\[0\]" expected /);
  expect(asked({ decoder: 'product' })).toThrow('"decoder" expected none for variant lifted');
});

test('an unknown variant is refused by name', () => {
  expect(made('best' as Variant, { variant: 'best' })).toThrow(
    '"variant" expected one of lifted, gaussian, copies, printed',
  );
});
