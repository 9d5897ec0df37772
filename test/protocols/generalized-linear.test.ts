import { describe, expect, test } from '@jest/globals';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { type GeneralizedLinearRequest, VARIANTS } from '../../protocols/generalized-linear/parameters.ts';
import type { GeneralizedLinearQuery } from '../../protocols/generalized-linear/server.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { squaredLoss } from '../../src/risk/response-loss.ts';
import { checkContract } from '../../src/testing/contract/laws.ts';
import { generalizedLinearCase, generalizedLinearRequest as request } from './generalized-linear-cases.ts';
import { records } from './hinge-cases.ts';

type Variant = (typeof VARIANTS)[number];

function made(variant: Variant, change: { readonly [field: string]: unknown }): () => unknown {
  return () => generalizedLinearParameters({ ...request(variant, 1, 3), ...change } as GeneralizedLinearRequest);
}

function answer(made: GeneralizedLinearRequest, query: GeneralizedLinearQuery, players: number = 4): () => unknown {
  return () => {
    const parameters = generalizedLinearParameters(made);
    const tally = generalizedLinear.server.empty(parameters);
    for (const datum of records(players, made.dimension, 'refusals')) {
      const report = generalizedLinear.player.randomize(parameters, datum, seededRandom('refusals'));
      generalizedLinear.server.add(parameters, tally, report);
    }
    return generalizedLinear.server.estimate(parameters, tally, query);
  };
}

// Every dimension, every degree, every variant and both tasks; more such are in contract-grids.long.test.ts.
test.each([
  ['lifted', 1, 2, 'classification'],
  ['gaussian', 2, 0, 'classification'],
  ['sampled', 5, 0, 'classification'],
  ['copies', 1, 0, 'classification'],
  ['printed', 2, 0, 'classification'],
  ['sphericalLaplace', 5, 0, 'classification'],
  ['lifted', 3, 1, 'regression'],
  ['gaussian', 1, 2, 'regression'],
  ['sampled', 1, 1, 'regression'],
] as const)('%s keeps the contract in dimension %i, for degree %i where it has one, for %s', (...asked) => {
  const [variant, dimension, degree, task] = asked;
  const trial = generalizedLinearCase(request(variant, degree, dimension, task));
  expect(checkContract(generalizedLinear, [trial])).toEqual([]);
});

test.each([
  ['lifted', 'delta', 1e-6],
  ['sampled', 'delta', 1e-6],
  ['gaussian', 'shares', [1, 1]],
  ['copies', 'shares', [1, 1]],
  ['printed', 'shares', [1, 1]],
  ['sphericalLaplace', 'delta', 1e-6],
  ['sphericalLaplace', 'degree', 1],
] as const)('%s refuses the field %s, which it does not use', (variant, field, value) => {
  const message = new RegExp(`^"request" expected no fields but variant, .*, got "${field}"$`);
  expect(made(variant, { [field]: value })).toThrow(message);
  expect(made(variant, { [field]: undefined })).not.toThrow(message);
});

describe.each([...VARIANTS])('%s', (variant) => {
  test.each([0, -1, NaN, Infinity, '1', undefined])('refuses ε = %p by name', (epsilon) => {
    expect(made(variant, { epsilon })).toThrow(/^"epsilon" expected /);
  });

  test.each([0, -3, 1.5, NaN, '3', 1e9])('refuses dimension %p by name', (dimension) => {
    expect(made(variant, { dimension })).toThrow(/^"dimension" expected /);
  });

  test.each(['ranking', 1, null])('refuses the task %p', (task) => {
    expect(made(variant, { task })).toThrow(/^"task" expected one of classification, regression/);
  });

  test('names its release in the certificate, and is not a hinge report', () => {
    const parameters = generalizedLinearParameters(request(variant, 1, 3));
    expect(parameters.protocol).toBe('generalized-linear');
    expect(generalizedLinear.theory.certificate(parameters).releases.length).toBeGreaterThan(0);
  });

  test('refuses a loss it does not know, and what is no loss', () => {
    expect(answer(request(variant, 1, 2), { loss: 'zero-one' })).toThrow(/^"loss" expected one of hinge, /);
    expect(answer(request(variant, 1, 2), { loss: {} as never })).toThrow(
      /^"loss" expected a name or a loss of the margin/,
    );
    expect(answer(request(variant, 1, 2), { loss: squaredLoss() })).toThrow(/^"loss" expected .* of the margin/);
  });

  test.each([0, -1, NaN, Infinity, 'auto'])('refuses the radius %p', (radius) => {
    expect(answer(request(variant, 1, 2), { radius: radius as number })).toThrow(/^"radius" expected /);
  });
});

describe.each(['direct', 'lifted', 'sampled', 'gaussian'] as const)('%s, regression', (variant) => {
  test('keeps the contract in deployment', () => {
    const trial = generalizedLinearCase({ ...request(variant, 1, 3, 'regression'), grade: 'deployment' });
    expect(checkContract(generalizedLinear, [trial])).toEqual([]);
  });

  test('refuses degree 0, a loss of the margin, and a loss that is not one of the residual', () => {
    expect(made(variant, { degree: 0, task: 'regression' })).toThrow(
      '"degree" expected a whole number from 1 to 20, got 0',
    );
    const asked = request(variant, 1, 2, 'regression');
    expect(answer(asked, { loss: 'logistic' })).toThrow('"loss" expected one of squared, absolute, got "logistic"');
    const scaled = { ...squaredLoss(), value: (inner: number, y: number) => (inner - 2 * y) ** 2 };
    expect(answer(asked, { loss: scaled })).toThrow(/^"loss" expected one of the residual y − ⟨w, x⟩ alone/);
    expect(answer(asked, { intercept: 0 })).toThrow('"intercept" expected none for a regression, got 0');
    expect(answer(asked, { unitNorm: true })).toThrow('"unitNorm" expected none for a regression, got true');
  });
});

describe('sphericalLaplace', () => {
  const asked: GeneralizedLinearRequest = { variant: 'sphericalLaplace', epsilon: 1, dimension: 9 };

  test('refuses where lifted reports are forecast to be better, naming both numbers, unless forced', () => {
    const refused = /forecast squared error of a gradient [0-9.e+]+ for sphericalLaplace, [0-9.e+-]+ for lifted/;
    expect(answer(asked, {})).toThrow(refused);
    expect(answer(asked, { force: true })).not.toThrow();
    expect(answer(asked, { force: 'no' as never })).toThrow(/^"force" expected true or false/);
    const lifted = { ...asked, variant: 'lifted', degree: 1 } as const;
    expect(answer(lifted, { force: true })).toThrow('"force" expected none for variant lifted, got true');
    expect(answer(lifted, {})).not.toThrow();
    // Two features and a generous ε: the noise of three coordinates is less than the error of any polynomial.
    expect(answer({ ...asked, epsilon: 60, dimension: 2 }, {})).not.toThrow();
  });

  test('refuses a loss without derivatives of every order, and one that outgrows the noise', () => {
    for (const loss of ['hinge', 'squared-hinge', 'huber-hinge', 'absolute']) {
      expect(answer(asked, { loss, force: true })).toThrow(/^"loss" expected one with derivatives of every order/);
    }
    expect(answer(asked, { loss: 'exponential', radius: 2, force: true })).toThrow(
      /beyond which the estimate has no mean/,
    );
  });

  test('refuses what it has no use for', () => {
    expect(answer(asked, { decoder: 'product', force: true })).toThrow(
      /^"decoder" expected none for variant spherical/,
    );
    expect(answer(asked, { coefficients: [1], force: true })).toThrow(/^"coefficients" expected none/);
    expect(answer(asked, { degree: 1, force: true })).toThrow(/^"degree" expected 0 or automatic/);
    expect(answer(asked, { radius: 'automatic' })).toThrow(/^"radius" expected a number for variant spherical/);
    expect(made('sphericalLaplace', { dimension: 30 })).toThrow(
      '"dimension" expected a whole number from 1 to 29, got 30',
    );
  });
});

test('variants without a regression refuse one, and the product decoder an automatic radius', () => {
  for (const variant of ['copies', 'printed', 'sphericalLaplace'] as const) {
    expect(made(variant, { task: 'regression' })).toThrow(`"task" expected classification for variant ${variant}`);
  }
  expect(answer(request('printed', 1, 2), { radius: 'automatic' })).toThrow(
    /^"radius" expected a number where the server steps/,
  );
});

test('an unknown variant is refused by name', () => {
  expect(made('best' as Variant, { variant: 'best' })).toThrow(
    /^"variant" expected one of lifted, gaussian, direct, sampled, sphericalLaplace/,
  );
});
