// The contract of reports of records at the pairs of a dimension and a degree that hinge.test.ts and generalized-linear.test.ts leave out:
// they have each dimension and each degree once.
import { describe, expect, test } from '@jest/globals';
import { generalizedLinear } from '../../protocols/generalized-linear/index.ts';
import { VARIANTS as GENERAL } from '../../protocols/generalized-linear/parameters.ts';
import { hinge } from '../../protocols/hinge/index.ts';
import { VARIANTS } from '../../protocols/hinge/parameters.ts';
import { checkContract } from '../../src/testing/contract/laws.ts';
import { generalizedLinearCase, generalizedLinearRequest } from './generalized-linear-cases.ts';
import { hingeCase, hingeRequest } from './hinge-cases.ts';

describe.each([...VARIANTS])('hinge, %s', (variant) => {
  test.each([
    [1, 0],
    [1, 1],
    [2, 1],
    [2, 2],
    [5, 0],
    [5, 2],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    expect(checkContract(hinge, [hingeCase(hingeRequest(variant, degree, dimension, 2))])).toEqual([]);
  });
});

describe.each(['lifted', 'sampled', 'gaussian'] as const)('hinge in deployment, %s', (variant) => {
  test.each([
    [1, 0],
    [4, 1],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    const asked = { ...hingeRequest(variant, degree, dimension, 2), grade: 'deployment' as const };
    expect(checkContract(hinge, [hingeCase(asked)])).toEqual([]);
  });
});

describe.each(GENERAL.filter((variant) => variant !== 'sphericalLaplace'))('generalized-linear, %s', (variant) => {
  test.each([
    [1, 0],
    [2, 2],
    [5, 2],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    const trial = generalizedLinearCase(generalizedLinearRequest(variant, degree, dimension));
    expect(checkContract(generalizedLinear, [trial])).toEqual([]);
  });
});

describe.each(['lifted', 'sampled', 'gaussian'] as const)('generalized-linear, %s, regression', (variant) => {
  test.each([
    [1, 1],
    [3, 2],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    const trial = generalizedLinearCase(generalizedLinearRequest(variant, degree, dimension, 'regression'));
    expect(checkContract(generalizedLinear, [trial])).toEqual([]);
  });
});
