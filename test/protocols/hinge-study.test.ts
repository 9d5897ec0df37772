import { expect, test } from '@jest/globals';
import { gradientVariance } from '../../protocols/generalized-linear/margin/channels.ts';
import { carriesPowers } from '../../protocols/generalized-linear/margin/parameters.ts';
import { chebyshevCoefficients, hinge, hingeParameters, study } from '../../protocols/hinge/index.ts';
import { VARIANTS } from '../../protocols/hinge/parameters.ts';
import { hingeLoss } from '../../src/risk/margin-loss.ts';
import { planted, tallyOf } from './planted.ts';

const request = { epsilon: 2, delta: 1e-6, degree: 1, dimension: 3 };

test('the study makes the parameters of every variant, the pure ones without a δ', () => {
  for (const variant of VARIANTS) {
    const { digest } = study.parameters({ ...request, variant });
    if (carriesPowers(variant)) {
      expect(digest).toBe(hingeParameters({ variant, epsilon: 2, degree: 1, dimension: 3 }).digest);
      expect(study.parameters({ ...request, variant, delta: 0.5 }).digest).toBe(digest);
    } else {
      expect(digest).toBe(hingeParameters({ variant, ...request }).digest);
    }
  }
  expect(study.variants).toEqual([...VARIANTS]);
  for (const variant of VARIANTS) {
    const { kind } = hinge.theory.guarantee(study.parameters({ ...request, variant }));
    expect(kind === 'pure').toBe(carriesPowers(variant));
  }
  expect(() => study.parameters({ ...request, variant: 'best' })).toThrow('"variant" expected one of ');
});

test('the variance of each variant is that of its own decoder, at ⟨w, v⟩ = ½ on the unit sphere', () => {
  const coefficients = chebyshevCoefficients(1, 0.1, 1);
  const setting = { coefficients, w: [0.5, Math.sqrt(3) / 2, 0], features: [1, 0, 0], label: 1 };
  const decoders = {
    lifted: 'lifted',
    direct: 'direct',
    sampled: 'sampled',
    gaussian: 'gaussian',
    copies: 'signs',
    printed: 'product',
  } as const;
  for (const variant of VARIANTS) {
    const expected = gradientVariance(study.parameters({ ...request, variant }), decoders[variant], setting);
    expect(study.gradientVariance({ ...request, variant }) / expected).toBeCloseTo(1, 12);
  }
  // In one dimension there is no direction at 60°: w = ½.
  const alone = gradientVariance(
    hingeParameters({ variant: 'lifted', epsilon: 2, degree: 1, dimension: 1 }),
    'lifted',
    {
      coefficients,
      w: [0.5],
      features: [1],
      label: 1,
    },
  );
  expect(study.gradientVariance({ ...request, variant: 'lifted', dimension: 1 })).toBeCloseTo(alone, 12);
});

test('queries and details are those of the protocol, and plain data', () => {
  expect(study.query({ radius: 2 })).toEqual({ radius: 2, degree: 'automatic' });
  expect(study.query({ radius: 2, degree: 0 })).toEqual({ radius: 2, degree: 0 });
  const parameters = study.parameters({ ...request, variant: 'lifted' });
  const estimate = hinge.server.estimate(parameters, tallyOf(parameters, planted(500, 3), 'study'));
  const details = study.details(estimate);
  expect(JSON.parse(JSON.stringify(details))).toEqual(details);
  expect(details).toEqual({
    coefficients: Array.from(estimate.coefficients),
    ridge: estimate.ridge,
    bias: estimate.bias,
    server: 'newton',
  });
  expect(study.query({ radius: 2, variant: 'copies' })).toMatchObject({ server: 'newton', decoder: 'signs' });
  expect(study.query({ radius: 2, variant: 'copies', server: 'sigm' })).toMatchObject({
    server: 'sigm',
    decoder: 'signs',
  });
  expect(study.loss.name).toBe(hingeLoss().name);
});
