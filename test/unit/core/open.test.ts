import { describe, expect, test } from '@jest/globals';
import { euclideanMedian } from '../../../protocols/euclidean-median/index.ts';
import { frequency } from '../../../protocols/frequency/index.ts';
import { generalizedLinear } from '../../../protocols/generalized-linear/index.ts';
import { gradientWaves } from '../../../protocols/gradient-waves/index.ts';
import { hinge } from '../../../protocols/hinge/index.ts';
import { mean } from '../../../protocols/mean/index.ts';
import { onlineSgd } from '../../../protocols/online-sgd/index.ts';
import { userLevelErm } from '../../../protocols/user-level-erm/index.ts';
import { userLevelMean } from '../../../protocols/user-level-mean/index.ts';
import { verifyCertificate } from '../../../src/core/certify.ts';
import { deployedPlayer } from '../../../src/core/device.ts';
import { createLedger, memoryStore, pureCap } from '../../../src/core/ledger.ts';
import { open } from '../../../src/core/open.ts';
import type { Json } from '../../../src/core/request.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const HINGE = { variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 } as const;
const SAMPLED = { variant: 'sampled', epsilon: 1, degree: 2, dimension: 3 } as const;
const MEAN = { variant: 'oneBit', epsilon: 1, players: 400, samples: 2 } as const;
const ERM = {
  ...{ variant: 'descent', epsilon: 4, players: 4000, samples: 4, dimension: 2, loss: 'logistic', iterations: 2 },
  ...{ radius: 2, strongConvexity: 0.1, force: true },
} as const;
const STREAM = { variant: 'privUnit', epsilon: 1, model: { kind: 'huber', features: 2 } } as const;
const RECORD = { features: [0.6, 0, 0.8], label: 1 };

const asJson = (value: object): { readonly [name: string]: Json } => JSON.parse(JSON.stringify(value));

describe('a survey of one report per player', () => {
  const survey = open(hinge, HINGE);

  test('may ask for one power of the record', () => {
    const sampled = open(hinge, SAMPLED);
    const collector = sampled.collector();
    for (let i = 0; i < 20; i++) expect(collector.receive(sampled.device().report(RECORD), i).outcome).toBe('counted');
    expect(collector.estimate().w.length).toBe(3);
  });

  test('is of the grade deployment, and goes from a datum to an estimate', () => {
    expect(survey.parameters.grade).toBe('deployment');
    const collector = survey.collector();
    const bytes = survey.device().report(RECORD);
    expect(collector.receive(bytes, 'a').outcome).toBe('counted');
    expect(collector.receive(survey.device().report(RECORD), 'a').outcome).toBe('duplicate');
    expect(collector.counts).toMatchObject({ counted: 1, duplicate: 1 });
    const { w, players } = collector.estimate({ radius: 2 });
    expect([w.length, players]).toEqual([3, 1]);
  });

  test('answers once for each device, and within the cap of a ledger that several surveys share', () => {
    const device = survey.device();
    device.report(RECORD);
    expect(() => device.report(RECORD)).toThrow('this player has answered');
    const ledger = createLedger({ cap: pureCap(1.5), store: memoryStore() });
    survey.device({ ledger }).report(RECORD);
    expect(() =>
      open(hinge, { ...HINGE, degree: 0 })
        .device({ ledger })
        .report(RECORD),
    ).toThrow('"cap" expected');
    expect(() => survey.device({ cap: pureCap(0.5) }).report(RECORD)).toThrow('"cap" expected');
    expect(() => survey.device({ ledger, cap: pureCap(1) })).toThrow('"cap" expected none beside a ledger');
    // What a store gave that was not there is no reason for a new allowance.
    expect(() => survey.device({ ledger: null as never })).toThrow('"ledger" expected a ledger, got null');
  });

  test('with coins that are given, gives the report of the player, and keeps the ledger all the same', () => {
    const device = survey.device({ random: seededRandom('open') });
    const plain = hinge.player.randomize(survey.parameters, RECORD, seededRandom('open'));
    expect([...device.report(RECORD)]).toEqual([...hinge.report.encode(survey.parameters, plain)]);
    expect(() => device.report(RECORD)).toThrow('this player has answered');
    // What is outside the domain is clipped, unless it is to be refused; then the answer is spent.
    const far = { features: [60, 0, 80], label: 1 };
    const [clipped, shortened] = [far, RECORD].map((datum) => [
      ...survey.device({ random: seededRandom(1) }).report(datum),
    ]);
    expect(clipped).toEqual(shortened);
    const strict = survey.device({ random: seededRandom(1), outside: 'refuse' });
    expect(() => strict.report(far)).toThrow('"features" expected');
    expect(() => strict.report(RECORD)).toThrow('this player has answered');
  });

  test('in simulation has devices with given coins only', () => {
    const simulated = open(hinge, { ...HINGE, grade: 'simulation' });
    expect(() => simulated.device()).toThrow('"grade" expected deployment, got "simulation"');
    expect(simulated.device({ random: seededRandom(1) }).report(RECORD)).toBeInstanceOf(Uint8Array);
    expect(() => open(hinge, { ...HINGE, variant: 'copies', delta: 1e-6 })).toThrow('"grade" expected simulation');
  });

  test.each([
    ['nothing', null, TypeError, '"request" expected an object, got null'],
    ['a text', 'lifted', TypeError, '"request" expected an object'],
    ['no budget', { ...HINGE, epsilon: 0 }, RangeError, '"epsilon" expected'],
    ['no dimension', { ...HINGE, dimension: Number.NaN }, RangeError, '"dimension" expected'],
  ])('%s is refused by name', (_, request, kind, message) => {
    expect(() => open(hinge, request as never)).toThrow(kind);
    expect(() => open(hinge, request as never)).toThrow(message);
  });

  test('collectors merge, and one of other parameters is refused', () => {
    const [one, two] = [survey.collector(), survey.collector()];
    one.receive(survey.device().report(RECORD), 1);
    two.receive(survey.device().report(RECORD), 2);
    one.merge(two);
    expect(one.estimate().players).toBe(2);
    const other = open(hinge, { ...HINGE, epsilon: 2 });
    expect(() => one.merge(other.collector())).toThrow('"other" expected a collector of hinge with digest');
    expect(one.receive(other.device().report(RECORD), 3).outcome).toBe('refused');
    expect(() => other.collector().estimate()).toThrow(RangeError);
  });
});

test.each([
  ['generalized-linear', open(generalizedLinear, HINGE), RECORD],
  ['generalized-linear, gaussian', open(generalizedLinear, { ...HINGE, variant: 'gaussian', delta: 1e-6 }), RECORD],
])('%s: a datum becomes an estimate', (_, survey, datum) => {
  const collector = survey.collector();
  expect(collector.receive(survey.device().report(datum), 1).outcome).toBe('counted');
  expect(collector.estimate().w).toHaveLength(3);
});

test('euclidean-median: a point becomes an estimate', () => {
  const survey = open(euclideanMedian, HINGE);
  const collector = survey.collector();
  collector.receive(survey.device().report({ point: [0.1, 0.2, 0.3] }), 1);
  expect(collector.estimate().w).toHaveLength(3);
});

test('user-level-mean: rounds are handed out and closed until the mean is known', () => {
  const survey = open(userLevelMean, MEAN);
  const collector = survey.collector();
  let asked = 0;
  while (collector.round !== undefined) {
    for (let i = 0; i < 100; i++) {
      const bytes = survey.device({ random: seededRandom(asked) }).report(collector.round, { samples: [0.3, 0.5] });
      expect(collector.receive(bytes, asked++).outcome).toBe('counted');
    }
    const device = survey.device();
    device.report(collector.round, { samples: [0.3, 0.5] });
    expect(() => device.report(collector.round!, { samples: [0.3, 0.5] })).toThrow('this player has answered');
    collector.close();
  }
  expect(collector.estimate().players).toBe(asked);
  const { round } = open(userLevelMean, { ...MEAN, epsilon: 2 }).collector();
  for (const options of [{}, { random: seededRandom(1) }]) {
    expect(() => survey.device(options).report(round!, { samples: [0, 0] })).toThrow('"round.digest" expected');
  }
});

test('user-level-erm: a round is answered and counted', () => {
  const survey = open(userLevelErm, ERM);
  const collector = survey.collector();
  const datum = { features: Float64Array.from([0.5, 0.5, 0, 1, 1, 0, 0.1, 0.1]), responses: [1, -1, 1, 1] };
  expect(collector.receive(survey.device().report(collector.round!, datum), 1).outcome).toBe('counted');
});

test('online-sgd: the step moves with each answer, and there is an estimate at every moment', () => {
  const survey = open(onlineSgd, STREAM);
  const collector = survey.collector();
  for (let i = 0; i < 20; i++) {
    const device = i === 0 ? survey.device() : survey.device({ random: seededRandom(i) });
    const bytes = device.report(collector.step(), { features: [0.2, 0.4], response: 0.5 });
    expect(collector.receive(bytes, i)).toMatchObject({ outcome: 'counted', acceptance: 'in time' });
  }
  expect(collector.counts.counted).toBe(20);
  expect(collector.estimate({ method: 'none' }).theta.every(Number.isFinite)).toBe(true);
  const resumed = survey.collector({ state: collector.state, answered: collector.answered() });
  expect(resumed.receive(survey.device().report(resumed.step(), { features: [0, 0], response: 0 }), 3).outcome).toBe(
    'duplicate',
  );
});

test.each([
  ['secret', {}],
  ['given', { random: seededRandom('another plan') }],
])('a step of another plan is refused with %s coins', (_, options) => {
  const foreign = open(onlineSgd, { ...STREAM, epsilon: 2 })
    .collector()
    .step();
  const device = open(onlineSgd, STREAM).device(options);
  expect(() => device.report(foreign, { features: [0, 0], response: 0 })).toThrow('"step.plan.digest" expected');
});

describe.each([
  ['hinge', hinge, open(hinge, HINGE), 'pure, ε = 1'],
  ['hinge', hinge, open(hinge, SAMPLED), 'pure, ε = 1'],
  ['generalized-linear', generalizedLinear, open(generalizedLinear, { ...SAMPLED, task: 'regression' }), 'pure, ε = 1'],
  ['user-level-mean', userLevelMean, open(userLevelMean, MEAN), 'pure, ε = 1'],
  ['user-level-erm', userLevelErm, open(userLevelErm, ERM), 'pure, ε = 4'],
  ['online-sgd', onlineSgd, open(onlineSgd, STREAM), 'pure, ε = 1'],
] as const)('%s', (name, protocol, survey, guarantee) => {
  test('has a certificate that verifies, and a summary that says what it guarantees', () => {
    const certificate = asJson(survey.certificate());
    expect(verifyCertificate<never>(protocol as never, certificate)).toMatchObject({ verified: true });
    const epsilonless = { ...certificate, digest: '0'.repeat(32) };
    expect(verifyCertificate<never>(protocol as never, epsilonless).verified).toBe(false);
    const lines = survey.summary().split('\n');
    expect(lines[0]).toContain(`${name} by `);
    expect(lines).toContain(`Guarantee of all of it together: ${guarantee}.`);
  });
});

// Those of two more protocols are in test/theory/forecast.long.test.ts.
describe('a forecast', () => {
  test.each([
    ['hinge', open(hinge, { ...HINGE, degree: 0 })],
    ['user-level-mean', open(userLevelMean, { variant: 'oneBit', epsilon: 1, players: 1e4, samples: 20 })],
  ])('of %s falls with the players, down to its floor', (_, survey) => {
    const [few, many] = [1e4, 1e8].map((players) => survey.forecast({ players }));
    expect(many.error).toBeLessThan(0.5 * few.error);
    expect(many.error).toBeGreaterThan(0.9 * many.floor);
    expect(() => survey.forecast({ players: -1 })).toThrow('"players" expected');
  });

  test('is refused where the protocol has none', () => {
    const { forecast: _, ...theory } = userLevelErm.theory;
    const silent = { ...userLevelErm, theory };
    expect(() => open(silent, ERM).forecast({ players: 10 })).toThrow('"protocol" expected one with a forecast');
  });
});

test('a protocol that makes nothing from a request cannot be opened', () => {
  const { make: _, ...rest } = hinge;
  expect(() => open(rest, HINGE)).toThrow('"protocol" expected one that makes parameters from plain data');
});

describe('what a survey does not know', () => {
  const ONE_BIT = { epsilon: 1, bounds: [[0, 1]] };
  const COUNTED = { epsilon: 1, categories: 4 };
  const MEDIAN = { variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 };
  const WAVES = { variant: 'logistic', epsilon: 1, dimension: 2 };
  const OPENED: readonly [string, () => unknown][] = [
    ['hinge', () => open(hinge, { ...HINGE, epsilom: 1 })],
    ['generalized-linear', () => open(generalizedLinear, { ...HINGE, epsilom: 1 })],
    ['euclidean-median', () => open(euclideanMedian, { ...MEDIAN, epsilom: 1 })],
    ['mean', () => open(mean, { ...ONE_BIT, epsilom: 1 })],
    ['frequency', () => open(frequency, { ...COUNTED, epsilom: 1 })],
    ['gradient-waves', () => open(gradientWaves, { ...WAVES, epsilom: 1 })],
    ['user-level-mean', () => open(userLevelMean, { ...MEAN, epsilom: 1 })],
    ['user-level-erm', () => open(userLevelErm, { ...ERM, epsilom: 1 })],
    ['online-sgd', () => open(onlineSgd, { ...STREAM, epsilom: 1 })],
  ];

  test.each(OPENED)('is refused in a request to %s, with the names of what is known', (_, opened) => {
    expect(opened).toThrow(/^"request" expected no fields but .*epsilon.*, got "epsilom"$/);
    expect(opened).toThrow(RangeError);
  });

  test.each([
    ['model', { model: { kind: 'huber', features: 1, tauu: 1 } }, 'tauu'],
    [
      'model.bounds',
      { model: { kind: 'huber', features: 1, clip: 'bounds', bounds: { features: 1, radus: 2 } } },
      'radus',
    ],
    ['average', { average: { kind: 'suffix', shar: 0.1 } }, 'shar'],
    ['budgets', { variant: 'gdp', budgets: { rule: 'list', mus: [1], sed: '' } }, 'sed'],
  ])('is refused inside of "%s" of a request', (place, fields, unknown) => {
    const opened = (): unknown => open(onlineSgd, { ...STREAM, ...fields } as never);
    expect(opened).toThrow(RangeError);
    expect(opened).toThrow(new RegExp(`^"request\\.${place}" expected no fields but .*, got "${unknown}"$`));
  });

  test('is refused as a path that names a field of an object', () => {
    expect(() => open(onlineSgd, { ...STREAM, 'model.kind': 'huber' })).toThrow('got "model.kind"');
  });

  test('is refused in a query, also by protocols of a designer', () => {
    const hinged = open(hinge, HINGE);
    const collector = hinged.collector();
    collector.receive(hinged.device().report(RECORD));
    expect(() => collector.estimate({ raduis: 1 } as never)).toThrow(
      /^"query" expected no fields but radius, .*"raduis"$/,
    );
    expect(() => collector.estimate(null as never)).toThrow('"query" expected an object, got null');
    const means = open(mean, ONE_BIT);
    const door = means.collector();
    door.receive(means.device().report(0.5));
    expect(() => door.estimate({ confidense: 0.9 } as never)).toThrow(
      '"query" expected no fields but confidence, of, got "confidense"',
    );
    expect(door.estimate({ confidence: 0.9 }).players).toBe(1);
    const stream = open(onlineSgd, STREAM).collector();
    expect(() => stream.estimate({ levle: 0.9 } as never)).toThrow('"query" expected no fields but level, ');
    const counted = open(frequency, COUNTED);
    const front = counted.collector();
    front.receive(counted.device().report(1));
    expect(() => front.estimate({ quantile: [0.5] } as never)).toThrow(/^"query" expected .*, got "quantile"$/);
  });

  test('is refused where a plan asks nothing after it', () => {
    const waves = open(gradientWaves, { ...WAVES, waves: 2 });
    expect(() => waves.collector().estimate({ radius: 1 } as never)).toThrow(
      '"query" expected no fields but none, got "radius"',
    );
  });

  test('is refused in options of devices and collectors, and in a forecast', () => {
    const survey = open(hinge, HINGE);
    expect(() => survey.device({ occassion: 'two' } as never)).toThrow(
      '"options" expected no fields but ledger, cap, ',
    );
    expect(() => survey.device(null as never)).toThrow('"options" expected an object, got null');
    expect(() => survey.collector({ maximumPlayer: 2 } as never)).toThrow('got "maximumPlayer"');
    expect(() => open(userLevelMean, MEAN).collector({ maximumPlayer: 2 } as never)).toThrow('got "maximumPlayer"');
    expect(() => open(onlineSgd, STREAM).collector({ saved: 2 } as never)).toThrow('got "saved"');
    expect(() => survey.forecast({ players: 10, spraed: 1 } as never)).toThrow(
      '"setting" expected no fields but players, spread, got "spraed"',
    );
    expect(() => survey.forecast({} as never)).toThrow('"players" expected a whole number >= 1, got undefined');
    expect(() => survey.forecast(undefined as never)).toThrow('"setting" expected an object, got undefined');
  });

  test('is refused in words where it is no protocol, no request or no agreement', () => {
    const untyped = open as (...values: unknown[]) => unknown;
    for (const values of [[], [null], [{}], ['hinge'], [{ name: 'hinge' }, HINGE]]) {
      expect(() => untyped(...values)).toThrow('"protocol" expected a protocol, for example hinge');
    }
    expect(() => untyped(hinge)).toThrow('"request" expected an object, got undefined');
    expect(() => untyped(mean)).toThrow('"request" expected an object, got undefined');
    expect(() => mean.make(null as never)).toThrow('"request" expected an object, got null');
    const player = deployedPlayer as (...values: unknown[]) => unknown;
    const { request, digest } = open(hinge, HINGE).parameters;
    expect(() => player(hinge, null)).toThrow(
      '"request" expected a request to make parameters of hinge from, got undefined',
    );
    expect(() => player(hinge, { request, digest })).toThrow('"ledger" expected a ledger, got undefined');
  });

  test('is refused in a request where another variant has the field; a field that is undefined is absent', () => {
    const beside = { ...HINGE, delta: 1e-6 };
    const none = /^"request" expected no fields but .*, got "delta"$/;
    for (const protocol of [hinge, generalizedLinear]) expect(() => open(protocol, beside)).toThrow(none);
    const { digest } = open(hinge, HINGE).parameters;
    for (const absent of [{ epsilom: undefined as never }, { grade: undefined as never }]) {
      expect(open(hinge, { ...HINGE, ...absent }).parameters.digest).toBe(digest);
    }
  });
});
