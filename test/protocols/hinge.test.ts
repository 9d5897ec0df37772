import { describe, expect, test } from '@jest/globals';
import {
  carriesPowers,
  type MarginGaussianRequest as GaussianRequest,
  type MarginLiftedRequest as LiftedRequest,
  MAXIMUM_DEGREE,
} from '../../protocols/generalized-linear/margin/parameters.ts';
import { direct, type HingeRequest, hinge, hingeParameters, lifted, sampled } from '../../protocols/hinge/index.ts';
import { VARIANTS } from '../../protocols/hinge/parameters.ts';
import { directHinge, liftedHinge, sampledHinge } from '../../protocols/hinge/player.ts';
import { ReportError } from '../../src/check/refusal.ts';
import type { Values } from '../../src/core/frame.ts';
import { MAXIMUM_LIFT } from '../../src/polynomial/lift.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { checkContract } from '../../src/testing/contract/laws.ts';
import { hingeCase, hingeRequest as request } from './hinge-cases.ts';

type Variant = (typeof VARIANTS)[number];

/** Parameters of a request that is wrong in some field; the types would not let it through. */
function made(variant: Variant, change: { readonly [field: string]: unknown }): () => unknown {
  return () => hingeParameters({ ...request(variant, 1, 3, 1), ...change } as HingeRequest);
}

test('a deployed Gaussian report refuses a budget whose noise no 32-bit integer holds', () => {
  const asked = { variant: 'gaussian', delta: 1e-6, degree: 1, dimension: 3, grade: 'deployment' } as const;
  expect(() => hingeParameters({ ...asked, epsilon: 1e-8 })).toThrow(
    '"epsilon" expected a budget whose noise fits into 32-bit integers, got 1e-8',
  );
  expect(() => hingeParameters({ ...asked, epsilon: 1e-5 })).not.toThrow();
});

// Every dimension, every degree and every variant; all others of the triples are in contract-grids.long.test.ts.
test.each([
  ['lifted', 5, 1],
  ['gaussian', 1, 2],
  ['sampled', 2, 0],
  ['copies', 2, 1],
  ['printed', 5, 0],
] as const)('%s keeps the contract in dimension %i, for degree %i', (variant, dimension, degree) => {
  expect(checkContract(hinge, [hingeCase(request(variant, degree, dimension, 2))])).toEqual([]);
});

test.each([
  ['lifted', 4, 0],
  ['gaussian', 1, 1],
  ['sampled', 4, 0],
] as const)('%s keeps the contract in deployment in dimension %i, for degree %i', (variant, dimension, degree) => {
  const asked = { ...request(variant, degree, dimension, 2), grade: 'deployment' as const };
  expect(checkContract(hinge, [hingeCase(asked)])).toEqual([]);
});

test.each(['copies', 'printed'] as const)('%s says that it has no form for deployment', (variant) => {
  const asked = { ...request(variant, 1, 1, 2), grade: 'deployment' as const };
  expect(() => hingeParameters(asked)).toThrow(/^"grade" expected simulation \(variant \w+ has no/);
});

describe.each([...VARIANTS])('%s', (variant) => {
  test.each([0, -1, NaN, Infinity, '1', undefined, 1n])('refuses ε = %p by name', (epsilon) => {
    expect(made(variant, { epsilon })).toThrow(/^"epsilon" expected /);
  });

  test.each([-1, 1.5, NaN, '1', MAXIMUM_DEGREE + 1, 1e9, 2 ** 53])('refuses degree %p by name', (degree) => {
    expect(made(variant, { degree })).toThrow(/^"degree" expected a whole number from 0 to 20, got /);
  });

  test.each([0, -3, 1.5, NaN, '3', 1e9, Infinity])('refuses dimension %p by name', (dimension) => {
    expect(made(variant, { dimension })).toThrow(/^"dimension" expected /);
  });

  const unused = carriesPowers(variant) ? { delta: 1e-6 } : { shares: [1, 1] };
  test.each(Object.entries({ note: 'stray', task: 'classification', ...unused }))(
    'refuses the field %s, which it does not use',
    (field, value) => {
      const message = new RegExp(`^"request" expected no fields but variant, .*, got "${field}"$`);
      expect(made(variant, { [field]: value })).toThrow(message);
      expect(made(variant, { [field]: undefined })).not.toThrow();
    },
  );
});

describe.each(['gaussian', 'copies', 'printed'] as const)('%s', (variant) => {
  test.each([0, 1, -1e-6, 2, NaN, '1e-6', undefined])('refuses δ = %p by name', (delta) => {
    expect(made(variant, { delta })).toThrow(/^"delta" expected /);
  });

  test('keeps the contract where the noise is so small that reports travel in double precision', () => {
    const trial = hingeCase(request(variant, 1, 2, 1e12));
    expect(trial.make().precision).toBe('float64');
    expect(checkContract(hinge, [trial])).toEqual([]);
  });

  test('refuses an ε whose noise no double can carry', () => {
    expect(made(variant, { epsilon: 1e300 })).toThrow(/^"epsilon" expected .* between 1e-100 and 1e100, got 1e[+]300/);
  });
});

test('noise beyond the largest single-precision number travels in double precision', () => {
  // σ of the first copy at ε = 1e-40 is 2e41; a float32 ends at 3.4e38.
  const trial = hingeCase({ variant: 'printed', epsilon: 1e-40, delta: 1e-6, degree: 0, dimension: 2 });
  const parameters = trial.make();
  expect(parameters.precision).toBe('float64');
  const report = hinge.player.randomize(parameters, trial.data[0], seededRandom(1));
  expect(hinge.report.decode(parameters, hinge.report.encode(parameters, report))).toEqual(report);
  expect(() => hingeParameters({ variant: 'printed', epsilon: 1e-320, delta: 1e-6, degree: 0, dimension: 2 })).toThrow(
    /^"epsilon" /,
  );
});

describe('lifted', () => {
  const base: LiftedRequest = { epsilon: 1, degree: 1, dimension: 3 };

  test.each([[[1]], [[1, 1, 1]], [[]], ['1,1'], [7]])('refuses shares %p: one is wanted for each power', (shares) => {
    expect(made('lifted', { shares })).toThrow(/^"shares" expected 2 positive numbers, got /);
  });

  test.each([
    [[1, 0], 1],
    [[-1, 1], 0],
    [[NaN, 1], 0],
    [[1, Infinity], 1],
    [['1', 1], 0],
    [[1, 1e-13], 1],
    [[1e308, 1e308], 0],
  ])('refuses shares %p by the name of entry %i', (shares, entry) => {
    expect(made('lifted', { shares })).toThrow(new RegExp(`^"shares\\[${entry}\\]" expected `));
  });

  test('takes shares in any unit: they are normalised, and half of the share before is the default', () => {
    const [a, b] = [lifted({ ...base, shares: [6, 3] }).scales, lifted(base).scales];
    expect(a[0] ** 2).toBeCloseTo(2 / 3, 15);
    expect(Array.from(a)).toEqual(Array.from(b));
  });

  test('binds reports to the shares', () => {
    const digests = [base, { ...base, shares: [1, 1] }, { ...base, shares: [1, 2] }].map((one) => lifted(one).digest);
    expect(new Set(digests).size).toBe(3);
  });

  test('refuses a lift beyond the size limit, naming the degree as it was asked for, or a dimension without degree 1', () => {
    expect(() => lifted({ epsilon: 1, degree: 3, dimension: 60 })).toThrow(
      `"degree" expected powers of v up to d + 1 with at most ${MAXIMUM_LIFT} entries in dimension 60, got 3`,
    );
    expect(() => lifted({ epsilon: 1, degree: 1, dimension: 1000 })).toThrow(
      `"dimension" expected powers of v up to d + 1 with at most ${MAXIMUM_LIFT} entries in dimension 1000, got 1000`,
    );
    expect(lifted({ epsilon: 1, degree: 1, dimension: 60 }).length).toBe(60 + 1830 + 1);
  });

  test('takes a million players into a tally of five numbers, their mean within five standard deviations', () => {
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
    const datum = { features: Float64Array.from([0.3, 0.4]), label: -1 };
    const tally = simulate(hinge, parameters, { players: 1e6, datum: () => datum }, { seed: 'million' });
    if (tally.kind !== 'moments') throw new Error('a tally of moments');
    expect([tally.players, tally.sums.length]).toEqual([1e6, 5]);
    const { scales, mechanism } = parameters;
    const deviation = Math.sqrt(1e6 * mechanism.coordinateVariance);
    const lift = [-0.3, -0.4, 0.09, 0.12 * Math.SQRT2, 0.16].map((entry, i) => scales[i < 2 ? 0 : 1] * entry);
    // Five coordinates, each off by 5 standard deviations with probability 6e-7.
    const worst = Math.max(...lift.map((entry, i) => Math.abs(tally.sums[i] - 1e6 * entry) / deviation));
    expect(worst).toBeLessThan(5);
  });
});

test('a sampled report that names no power, or holds something after the vector of its power, is refused', () => {
  for (const grade of ['simulation', 'deployment'] as const) {
    const parameters = sampled({ epsilon: 1, degree: 1, dimension: 3, grade });
    const datum = { features: [0.6, 0, -0.8], label: -1 };
    const random = seededRandom('sampled');
    const decoded = (change: (values: Values) => void): unknown => {
      const report = hinge.player.randomize(parameters, datum, random);
      change(report.values);
      return hinge.report.decode(parameters, hinge.report.encode(parameters, report));
    };
    const last = parameters.length - 1;
    expect(() => decoded(() => undefined)).not.toThrow();
    for (const power of [0, 3, 7, 2 ** 31, ...(grade === 'simulation' ? [-1, 1.5, 1e30] : [])]) {
      const named = (values: Values): void => {
        values[last] = power;
      };
      expect(() => decoded(named)).toThrow(new ReportError('"report" expected a power from 1 to 2'));
    }
    if (grade === 'deployment') continue;
    // Power 1 has three entries and its padding; the space for the six of power 2 must be empty.
    const louder = (at: number) => (values: Values) => {
      values.fill(0);
      values[at] = 1;
      values[last] = 1;
    };
    for (const at of [0, 3]) expect(() => decoded(louder(at))).not.toThrow();
    for (const at of [4, last - 1]) {
      expect(() => decoded(louder(at))).toThrow(
        new ReportError('"report" expected zeros after the vector of its power'),
      );
    }
  }
});

// The last number of a report is its power, where it carries one.
test.each([
  ['lifted', lifted, liftedHinge, 'sampled', undefined],
  ['sampled', sampled, sampledHinge, 'lifted', [1, 2, 3]],
  ['direct', direct, directHinge, 'lifted', [1, 3]],
] as const)(
  'a device that plays only %s gives the report of the player, and refuses any other variant',
  (variant, make, device, other, drawn) => {
    const request = { epsilon: 1, degree: 2, dimension: 3, grade: 'deployment' } as const;
    const parameters = make(request);
    const datum = { features: [0.6, 0, -0.8], label: -1 };
    // Twenty seeds: every power is drawn.
    const powers = Array.from({ length: 20 }, (_, seed) => {
      const full = hinge.player.randomize(parameters, datum, seededRandom(seed));
      const small = device.player.randomize(parameters as never, datum, seededRandom(seed));
      expect(device.report.encode(parameters as never, small)).toEqual(hinge.report.encode(parameters, full));
      return full.values.at(-1);
    });
    if (drawn !== undefined) expect([...new Set(powers)].sort()).toEqual(drawn);
    expect(device.make?.({ variant, ...request } as never)).toEqual(parameters);
    expect(() => device.make?.({ variant: other, ...request } as never)).toThrow('"variant" expected');
    const outside = { features: [1, 1, 1], label: 1 };
    expect(() => device.player.randomize(parameters as never, outside, seededRandom(1))).toThrow('"features" expected');
  },
);

test('a device makes the same parameters as the server from plain JSON', () => {
  for (const variant of VARIANTS) {
    const sent = JSON.parse(JSON.stringify(request(variant, 2, 3, 1))) as HingeRequest;
    expect(hingeParameters(sent)).toEqual(hingeParameters(request(variant, 2, 3, 1)));
  }
});

test('an unknown variant is refused by name', () => {
  expect(made('best' as Variant, { variant: 'best' })).toThrow(
    '"variant" expected one of lifted, gaussian, direct, sampled, copies, printed, got "best"',
  );
});

test('a report is not written over one of another length, and not added to a tally', () => {
  const big: GaussianRequest = { epsilon: 1, delta: 1e-6, degree: 0, dimension: 3 };
  const [three, two] = [3, 2].map((dimension) => hingeParameters({ variant: 'gaussian', ...big, dimension }));
  const report = hinge.player.randomize(three, { features: [0, 0, 1], label: 1 }, seededRandom(1));
  const datum = { features: [0, 1], label: 1 };
  expect(() => hinge.player.randomizeInto(two, datum, seededRandom(1), report)).toThrow(
    '"report" expected 2 values, got 3',
  );
  expect(() => hinge.server.add(two, hinge.server.empty(two), report)).toThrow('"report" expected 2 values, got 3');
});
