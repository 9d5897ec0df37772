import { describe, expect, test } from '@jest/globals';
import { defineProtocol } from 'ldpkit';
import { pure } from 'ldpkit/privacy';
import { euclideanMedian } from '../../../../protocols/euclidean-median/protocol.ts';
import { frequency } from '../../../../protocols/frequency/protocol.ts';
import { generalizedLinear } from '../../../../protocols/generalized-linear/protocol.ts';
import { hinge } from '../../../../protocols/hinge/index.ts';
import { mean } from '../../../../protocols/mean/protocol.ts';
import { onlineSgd } from '../../../../protocols/online-sgd/protocol.ts';
import { RefusedValue } from '../../../../src/check/refusal.ts';
import { type Served, tryQuery } from '../../../../src/node/serve/fold.ts';
import { bits } from '../../../protocols/defined/bits.ts';
import { located } from '../../../protocols/defined/located.ts';
import { quantile } from '../../../protocols/defined/quantile.ts';

const lifted = { variant: 'lifted', epsilon: 1, degree: 2, dimension: 3, grade: 'deployment' };
const copies = { variant: 'copies', epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 };
const stream = { variant: 'privUnit', epsilon: 1, model: { kind: 'huber', features: 2 } };

/** What a query of a plan is refused with. */
function saidOf(protocol: unknown, request: object, query: unknown): string | undefined {
  const served = protocol as Served & { make(request: object): never };
  const plan = served.make(request);
  try {
    tryQuery(served, plan, query);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a query that is tried before there are reports', () => {
  test.each([
    [hinge, lifted, { radius: -1 }, '"radius" expected a finite number > 0, got -1'],
    [hinge, lifted, { degree: 7 }, '"degree" expected a whole number from 0 to 2, got 7'],
    [
      hinge,
      lifted,
      { server: 'sigm' },
      '"server" expected newton or none for variant lifted: others are for noisy copies, got "sigm"',
    ],
    [generalizedLinear, lifted, { loss: 'huber?' }, /^"loss" expected /],
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
    [bits, { epsilon: 1, categories: 4 }, { confidnce: 0.9 }, '"query" expected no fields but none, got "confidnce"'],
  ])('is refused where no reports can answer it: %#', (protocol, request, query, said) => {
    const found = saidOf(protocol, request, query);
    if (typeof said === 'string') expect(found).toBe(said);
    else expect(found).toMatch(said);
  });

  // One and 64 reports are too few for some of these, and more will do.
  test.each([
    [hinge, lifted, undefined],
    [hinge, lifted, {}],
    [hinge, lifted, { radius: 2, degree: 1, intercept: 0 }],
    [hinge, copies, { server: 'sigm', decoder: 'signs' }],
    [hinge, copies, { server: 'average', radius: 3 }],
    [generalizedLinear, lifted, { loss: 'logistic', radius: 2 }],
    [generalizedLinear, lifted, { radius: 'automatic' }],
    [euclideanMedian, lifted, { radius: 0.5, degree: 1 }],
    [frequency, { epsilon: 1, categories: 4 }, { confidence: 0.9 }],
    [onlineSgd, stream, { method: 'batch means' }],
    [onlineSgd, stream, { method: 'plug-in' }],
    [onlineSgd, stream, { method: 'plug-in', hessianFloor: 0.1, contrasts: [[1, 0, 0]] }],
    [onlineSgd, { ...stream, burnIn: 1000 }, { method: 'batch means', level: 0.9 }],
    [bits, { epsilon: 1, categories: 4 }, {}],
    [quantile, { epsilon: 1 }, {}],
    [located, { epsilon: 1, cells: 4 }, {}],
  ])('is taken where some can: %#', (protocol, request, query) => {
    expect(saidOf(protocol, request, query)).toBeUndefined();
  });

  test('is taken where what is refused depends on the reports, or is no refusal', () => {
    const choosy = (refuse: (players: number) => void) =>
      defineProtocol({
        ...{ name: 'choosy', version: 1, fields: { request: [], query: ['level'] } },
        make: () => ({}),
        datum: {
          expected: 'zero or one',
          accepts: (_, value): value is number => value === 0 || value === 1,
          clip: () => 0,
        },
        report: { values: 'uint32', length: () => 1, accepts: () => true },
        channel: { deployment: (_parameters, _datum, _random, report) => void report.fill(0) },
        tally: { sums: () => ({ zeros: 1 }), add: () => undefined },
        estimate(_, { players }, query?: { readonly level: number }) {
          if (query !== undefined) refuse(players);
          return { players };
        },
        privacy: { guarantee: () => pure(1), releases: () => [], neighbourDistance: () => 1 },
        audit: {
          pairs: () => [{ name: 'all', first: 0, second: 1 }],
          logLikelihoodRatio: () => () => 0,
        },
      });
    const refusing = (said: (players: number) => Error) =>
      choosy((players) => {
        throw said(players);
      });
    const refused = (text: string) => new RefusedValue(text);
    const said = (protocol: unknown) => saidOf(protocol, {}, { level: 1 });
    expect(said(refusing(() => refused('"level" expected 2, got 1')))).toBe('"level" expected 2, got 1');
    expect(said(refusing((players) => refused(`"level" expected ${players}, got 1`)))).toBeUndefined();
    expect(said(refusing(() => refused('"level" expected more than 99 players, got 1')))).toBeUndefined();
    expect(said(refusing(() => refused('"tally" expected two halves, got 1')))).toBeUndefined();
    expect(said(refusing(() => new TypeError('"level" is no function')))).toBeUndefined();
  });
});
