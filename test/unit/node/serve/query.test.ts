import { describe, expect, test } from '@jest/globals';
import { study as euclideanMedian } from '../../../../protocols/euclidean-median/protocol.ts';
import { study as frequency } from '../../../../protocols/frequency/protocol.ts';
import { study as generalizedLinear } from '../../../../protocols/generalized-linear/protocol.ts';
import { study as hinge } from '../../../../protocols/hinge/protocol.ts';
import { study as mean } from '../../../../protocols/mean/protocol.ts';
import { study as onlineSgd } from '../../../../protocols/online-sgd/protocol.ts';
import type { OnlineProtocol } from '../../../../protocols/online-sgd/stream-study.ts';
import type { Protocol, PublicParameters } from '../../../../src/core/contract.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';

const lifted = { variant: 'lifted', epsilon: 1, degree: 2, dimension: 3, grade: 'deployment' };
const regression = { ...lifted, task: 'regression' };
const copies = { variant: 'copies', epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 };
const spherical = { variant: 'sphericalLaplace', epsilon: 4, dimension: 2 };
const stream = { variant: 'privUnit', epsilon: 1, model: { kind: 'huber', features: 2 } };

interface Studied {
  readonly protocol: unknown;
  checkQuery?(parameters: never, query: never): void;
}

type OneShot = Protocol<PublicParameters, unknown, unknown, unknown, unknown, unknown> & {
  make(request: object): never;
};

function errorOf(does: () => unknown): string | undefined {
  try {
    does();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What a query is refused with before there are reports, and what from so many of made-up players. */
function saidOf(study: Studied, request: object, query: unknown, players: number) {
  const protocol = study.protocol as OneShot;
  const plan = protocol.make(request);
  const before = errorOf(() => study.checkQuery!(plan, query as never));
  const random = seededRandom('made-up players');
  if ('start' in protocol.server) {
    const stream = protocol as unknown as OnlineProtocol;
    const state = stream.server.start(plan);
    const { first } = stream.auditing!.pairs(stream.server.step(plan, state), random)[0];
    for (let i = 0; i < players; i++) {
      const step = stream.server.step(plan, state);
      stream.server.accept(plan, state, stream.player.randomize(step, first, random));
    }
    return { before, after: errorOf(() => stream.server.estimate(plan, state, query as never)) };
  }
  const { first } = protocol.auditing!.pairs(plan, random)[0];
  const tally = protocol.server.empty(plan);
  for (let i = 0; i < players; i++) {
    protocol.server.add(plan, tally, protocol.player.randomize(plan, first, random));
  }
  return { before, after: errorOf(() => protocol.server.estimate(plan, tally, query)) };
}

describe('a query before there are reports', () => {
  test.each([
    [hinge, lifted, { radius: -1 }, '"radius" expected a finite number > 0, got -1'],
    [hinge, lifted, { degree: 7 }, '"degree" expected a whole number from 0 to 2, got 7'],
    [
      hinge,
      lifted,
      { server: 'sigm' },
      '"server" expected newton or none for variant lifted: others are for noisy copies, got "sigm"',
    ],
    [hinge, lifted, { coefficients: [] }, '"coefficients.length" expected a whole number from 1 to 3, got 0'],
    [hinge, copies, { server: 'sigm', degree: 7 }, '"degree" expected a whole number from 0 to 1, got 7'],
    [hinge, copies, { server: 'sigm', coefficients: [1, NaN] }, '"coefficients[1]" expected a finite number, got NaN'],
    [hinge, copies, { server: 'sigm', intercept: 99, ridge: -1 }, '"ridge" expected none for server sigm, got -1'],
    [hinge, copies, { server: 'average', start: 1 }, '"start" expected a share in [0, 1), got 1'],
    [hinge, copies, { decoder: 'product', beta: 0 }, '"beta" expected a finite number > 0, got 0'],
    [generalizedLinear, lifted, { loss: 'huber?' }, /^"loss" expected /],
    [
      generalizedLinear,
      lifted,
      { radius: 'automatic', degree: 7 },
      '"degree" expected a whole number from 0 to 2, got 7',
    ],
    [generalizedLinear, regression, { degree: 7 }, '"degree" expected a whole number from 0 to 2, got 7'],
    [generalizedLinear, regression, { decoder: 'signs' }, /^"decoder" expected none for variant lifted/],
    [generalizedLinear, spherical, { loss: 'hinge' }, /^"loss" expected one with derivatives of every order/],
    [generalizedLinear, spherical, { loss: 'exponential', radius: 3 }, /^"radius" expected a number <= 0\.\d+, beyond/],
    [
      generalizedLinear,
      spherical,
      { degree: 1 },
      '"degree" expected 0 or automatic for variant sphericalLaplace, got 1',
    ],
    [generalizedLinear, spherical, { ridge: -1 }, '"ridge" expected a finite number >= 0, got -1'],
    [euclideanMedian, lifted, { share: 0.7 }, '"share" expected a number above 0 and up to 0.5, got 0.7'],
    [
      frequency,
      { epsilon: 1, categories: 4 },
      { confidence: 2 },
      '"confidence" expected a number strictly between 0 and 1, got 2',
    ],
    [
      mean,
      { epsilon: 1, bounds: [[0, 1]] },
      { confidence: '1' },
      '"confidence" expected a number strictly between 0 and 1, got "1"',
    ],
    [onlineSgd, stream, { level: 1 }, '"level" expected a number strictly between 0 and 1, got 1'],
    [onlineSgd, stream, { method: 'plugin' }, /^"method" expected one of random scaling/],
    [
      onlineSgd,
      stream,
      { method: 'disjoint batch means' },
      '"method" expected one that the plan keeps, got "disjoint batch means"',
    ],
  ])('is refused where no reports can answer it, and later in the same words: %#', (study, request, query, said) => {
    const { before, after } = saidOf(study, request, query, 50);
    expect(before).toBe(after);
    if (typeof said === 'string') expect(before).toBe(said);
    else expect(before).toMatch(said);
  });

  // Few reports refuse some of these, and more do not.
  test.each([
    [hinge, lifted, undefined],
    [hinge, lifted, {}],
    [hinge, lifted, { radius: 2, degree: 1, intercept: 0 }],
    [hinge, copies, { server: 'sigm', decoder: 'signs' }],
    [hinge, copies, { server: 'average', radius: 3 }],
    [generalizedLinear, lifted, { loss: 'logistic', radius: 2 }],
    [generalizedLinear, lifted, { radius: 'automatic' }],
    [generalizedLinear, spherical, { loss: 'exponential', radius: 0.1 }],
    [generalizedLinear, spherical, { loss: 'hinge', degree: 0, radius: 3 }],
    [euclideanMedian, lifted, { radius: 0.5, degree: 1 }],
    [frequency, { epsilon: 1, categories: 4 }, { confidence: 0.9 }],
    [onlineSgd, stream, { method: 'batch means' }],
    [onlineSgd, stream, { method: 'plug-in' }],
    [onlineSgd, stream, { method: 'plug-in', hessianFloor: 0.1, contrasts: [[1, 0, 0]] }],
    [onlineSgd, { ...stream, burnIn: 1000 }, { method: 'batch means', level: 0.9 }],
  ])('is taken where some can: %#', (study, request, query) => {
    expect(saidOf(study, request, query ?? {}, 1).before).toBeUndefined();
  });

  // A straight line stands for f′, so that there is no degree to choose.
  test.each([
    [generalizedLinear, lifted, { loss: 'squared', degree: 99 }],
    [hinge, lifted, { degree: 99, coefficients: [-0.5, 0.5] }],
    [euclideanMedian, lifted, { degree: 2, coefficients: [0.5] }],
  ])('is taken where an estimate does not read what is wrong: %#', (study, request, query) => {
    expect(saidOf(study, request, query, 200)).toEqual({ before: undefined, after: undefined });
  });
});
