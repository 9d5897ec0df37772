// The contract of whole grids: every variant of reports of records in every dimension and degree, every variant of streams with every
// model, every loss in every round. In the tests of each protocol every one of these stands once or twice.
import { describe, expect, test } from '@jest/globals';
import { euclideanMedian } from '../../protocols/euclidean-median/index.ts';
import { VARIANTS as MEDIANS } from '../../protocols/euclidean-median/parameters.ts';
import { generalizedLinear } from '../../protocols/generalized-linear/index.ts';
import { VARIANTS as GENERAL } from '../../protocols/generalized-linear/parameters.ts';
import { hinge } from '../../protocols/hinge/index.ts';
import { VARIANTS } from '../../protocols/hinge/parameters.ts';
import { VARIANTS as STREAMS } from '../../protocols/online-sgd/parameters.ts';
import { descent, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { LOSSES } from '../../protocols/user-level-erm/objective.ts';
import { checkContract } from '../../src/testing/contract/laws.ts';
import { euclideanMedianCase, euclideanMedianRequest } from './euclidean-median-cases.ts';
import { generalizedLinearCase, generalizedLinearRequest } from './generalized-linear-cases.ts';
import { hingeCase, hingeRequest } from './hinge-cases.ts';
import { brokenLaws, brokenStreamLaws, MODELS, onlineRequest } from './online-sgd-cases.ts';
import { roundProtocol } from './round-protocol.ts';
import { ermCase, smallRequest } from './user-level-erm-cases.ts';

describe.each([...VARIANTS])('hinge, %s', (variant) => {
  test.each([
    [1, 0],
    [1, 1],
    [1, 2],
    [2, 0],
    [2, 1],
    [2, 2],
    [5, 0],
    [5, 1],
    [5, 2],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    expect(checkContract(hinge, [hingeCase(hingeRequest(variant, degree, dimension, 2))])).toEqual([]);
  });
});

describe.each(['direct', 'lifted', 'sampled', 'gaussian'] as const)('hinge in deployment, %s', (variant) => {
  test.each([
    [1, 0],
    [1, 1],
    [4, 0],
    [4, 1],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    const asked = { ...hingeRequest(variant, degree, dimension, 2), grade: 'deployment' as const };
    expect(checkContract(hinge, [hingeCase(asked)])).toEqual([]);
  });
});

describe.each(GENERAL.filter((variant) => variant !== 'sphericalLaplace'))('generalized-linear, %s', (variant) => {
  test.each([
    [1, 0],
    [1, 2],
    [2, 0],
    [2, 2],
    [5, 0],
    [5, 2],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    const trial = generalizedLinearCase(generalizedLinearRequest(variant, degree, dimension));
    expect(checkContract(generalizedLinear, [trial])).toEqual([]);
  });
});

test.each(['direct', 'lifted', 'sampled', 'gaussian'] as const)(
  'generalized-linear in deployment, %s, keeps it',
  (variant) => {
    const asked = generalizedLinearRequest(variant, 1, 3, 'classification');
    expect(checkContract(generalizedLinear, [generalizedLinearCase({ ...asked, grade: 'deployment' })])).toEqual([]);
  },
);

test.each([1, 2, 5])('generalized-linear, sphericalLaplace, keeps the contract in dimension %i', (dimension) => {
  const trial = generalizedLinearCase(generalizedLinearRequest('sphericalLaplace', 0, dimension));
  expect(checkContract(generalizedLinear, [trial])).toEqual([]);
});

describe.each(['direct', 'lifted', 'sampled', 'gaussian'] as const)('generalized-linear, %s, regression', (variant) => {
  test.each([
    [1, 1],
    [1, 2],
    [3, 1],
    [3, 2],
  ])('keeps the contract in dimension %i, for degree %i', (dimension, degree) => {
    const trial = generalizedLinearCase(generalizedLinearRequest(variant, degree, dimension, 'regression'));
    expect(checkContract(generalizedLinear, [trial])).toEqual([]);
  });
});

describe.each([...STREAMS])('online-sgd, %s', (variant) => {
  test('keeps the laws of players, wires, claims and streams for every model', () => {
    const requests = MODELS.map((model) => onlineRequest(variant, model));
    expect(requests.flatMap((asked) => [...brokenLaws(asked), ...brokenStreamLaws(asked)])).toEqual([]);
  });
});

describe.each([...MEDIANS])('euclidean-median, %s', (variant) => {
  test.each([2, 5])('keeps the contract in dimension %i, for every degree', (dimension) => {
    const degrees = variant === 'lifted' || variant === 'gaussian' ? [0, 1, 2] : [1, 2];
    const cases = degrees.map((degree) => euclideanMedianCase(euclideanMedianRequest(variant, degree, dimension, 2)));
    expect(checkContract(euclideanMedian, cases)).toEqual([]);
  });
});

test.each(['lifted', 'gaussian'] as const)(
  'euclidean-median in deployment, %s, keeps it for two degrees',
  (variant) => {
    const grade = 'deployment' as const;
    const asked = [1, 2].map((degree) => ({ ...euclideanMedianRequest(variant, degree, 3, 2), grade }));
    expect(checkContract(euclideanMedian, asked.map(euclideanMedianCase))).toEqual([]);
  },
);

test.each([...LOSSES])(
  'user-level-erm, %s, keeps the contract in its first round, in a later one, and deployed',
  (loss) => {
    const request = smallRequest(loss);
    const later = descent(request).rounds[0];
    const cases = [ermCase(request, 0), ermCase(request, later), ermCase({ ...request, grade: 'deployment' }, later)];
    expect(checkContract(roundProtocol(userLevelErm, descent(request)), cases)).toEqual([]);
  },
);
