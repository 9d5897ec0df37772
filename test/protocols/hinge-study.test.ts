import { expect, test } from '@jest/globals';
import { gradientVariance } from '../../protocols/generalized-linear/margin/variance.ts';
import {
  chebyshevCoefficients,
  hinge,
  hingeParameters,
  MAKERS,
  playersForSameVariance,
  study,
} from '../../protocols/hinge/index.ts';
import { hingeLoss } from '../../src/risk/hinge.ts';
import { planted, tallyOf } from './planted.ts';

const request = { epsilon: 2, delta: 1e-6, degree: 1, dimension: 3 };

test('the study makes the parameters of every maker, the pure one without a δ', () => {
  for (const maker of MAKERS) {
    const { digest } = study.parameters({ ...request, maker });
    if (maker === 'lifted') {
      expect(digest).toBe(hingeParameters({ maker, epsilon: 2, degree: 1, dimension: 3 }).digest);
      expect(study.parameters({ ...request, maker, delta: 0.5 }).digest).toBe(digest);
    } else {
      expect(digest).toBe(hingeParameters({ maker, ...request }).digest);
    }
  }
  expect(study.makers).toEqual([...MAKERS]);
  expect(study.pureMakers).toEqual(['lifted']);
  for (const maker of MAKERS) {
    const { kind } = hinge.theory.guarantee(study.parameters({ ...request, maker }));
    expect(kind === 'pure').toBe(study.pureMakers.includes(maker));
  }
  expect(() => study.parameters({ ...request, maker: 'best' })).toThrow('"maker" expected one of ');
});

test('the variance of each maker is that of its own decoder, at ⟨w, v⟩ = ½ on the unit sphere', () => {
  const coefficients = chebyshevCoefficients(1, 0.1, 1);
  const setting = { coefficients, w: [0.5, Math.sqrt(3) / 2, 0], features: [1, 0, 0], label: 1 };
  const decoders = { lifted: 'lifted', gaussian: 'gaussian', copies: 'signs', printed: 'product' } as const;
  for (const maker of MAKERS) {
    const expected = gradientVariance(study.parameters({ ...request, maker }), decoders[maker], setting);
    expect(study.gradientVariance({ ...request, maker }) / expected).toBeCloseTo(1, 12);
  }
  // In one dimension there is no direction at 60°: w = ½.
  const alone = gradientVariance(hingeParameters({ maker: 'lifted', epsilon: 2, degree: 1, dimension: 1 }), 'lifted', {
    coefficients,
    w: [0.5],
    features: [1],
    label: 1,
  });
  expect(study.gradientVariance({ ...request, maker: 'lifted', dimension: 1 })).toBeCloseTo(alone, 12);
});

test('queries and details are those of the protocol, and plain data', () => {
  expect(study.query({ radius: 2 })).toEqual({ radius: 2, degree: 'automatic' });
  expect(study.query({ radius: 2, degree: 0 })).toEqual({ radius: 2, degree: 0 });
  const parameters = study.parameters({ ...request, maker: 'lifted' });
  const estimate = hinge.server.estimate(parameters, tallyOf(parameters, planted(500, 3), 'study'));
  const details = study.details(estimate);
  expect(JSON.parse(JSON.stringify(details))).toEqual(details);
  expect(details).toEqual({
    coefficients: Array.from(estimate.coefficients),
    ridge: estimate.ridge,
    bias: estimate.bias,
    server: 'newton',
  });
  expect(study.query({ radius: 2, maker: 'copies' })).toMatchObject({ server: 'newton', decoder: 'signs' });
  expect(study.query({ radius: 2, maker: 'copies', server: 'sigm' })).toMatchObject({
    server: 'sigm',
    decoder: 'signs',
  });
  expect(study.loss.name).toBe(hingeLoss().name);
});

test('a variance twice the reference needs twice the players', () => {
  expect(playersForSameVariance(1000, 6, 3)).toBe(2000);
  expect(playersForSameVariance(1000, 3, 6)).toBe(500);
});
