import { describe, expect, test } from '@jest/globals';
import { trainBatches } from '../../protocols/influence-sgd/curator.ts';
import {
  type CentralRecords,
  descendNoisily,
  gradientPerturbation,
  influence,
  logisticRegression,
  type Model,
  optimum,
  outputPerturbation,
  perturbOutput,
  printed,
  recalibrated,
  train,
} from '../../protocols/influence-sgd/index.ts';
import { clipRecords } from '../../protocols/influence-sgd/model.ts';
import { type CentralRecord, descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import {
  type BoundedModel,
  type BoundedModelRequest,
  boundedModel,
  curvatureMoment,
  meanScore,
  scoreMoment,
  squareSensitivity,
  weightMoment,
} from '../../protocols/noisy-gradient-descent/model.ts';
import { newton, solve } from '../../protocols/noisy-newton/index.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { perceptron } from '../evidence/influence-sgd/perceptron.ts';
import { meanModel } from '../evidence/influence-sgd/validations/theorem-1-equality.ts';
import { type Curator, fault, honestRecords, hostileRecords, MARK } from './curators.ts';

const N = 12;
const D = 3;
const budget = { epsilon: 1, delta: 1e-5 };
const coins = () => seededRandom('curator');
const honest = honestRecords(N, D);
const hostile = Object.entries(hostileRecords(honest));

const regression = logisticRegression({ dimension: D, ridge: 0, radius: 1 });
const ridged = logisticRegression({ dimension: D, ridge: 0.5, radius: 1 });
const network = perceptron({ dimension: D, hidden: 2, ridge: 0, radius: 1 });
/** The linear loss −⟨θ, x⟩, whose gradient is as long as the record: what moves with it, moves most. */
const linear: Model = { ...meanModel(D), ridge: 0, constants: { ...meanModel(D).constants, curvature: 0 } };

function outputOf(name: string, model: Model): Curator<CentralRecords> {
  const parameters = outputPerturbation({ ...budget, model, records: N, passes: 3, radius: 50, step: 0.1 });
  return { name, stated: parameters.sensitivity, run: (records) => perturbOutput(parameters, records, coins()) };
}

/** One step along the gradient of all records: it moves by α times the sensitivity of the mean. */
function gradientOf(name: string, model: Model, more: { batch: number; smoothing?: number }): Curator<CentralRecords> {
  const accountant = more.batch === 1 ? 'printed' : 'gdp';
  const asked = { ...budget, accountant, records: N, steps: 1, step: 0.5, lipschitz: 0.3, ...more } as const;
  const parameters = gradientPerturbation(asked);
  const stated = (0.5 * 2 * 0.3) / more.batch;
  return { name, stated, run: (records) => descendNoisily(parameters, model, records, coins()) };
}

const request = {
  epsilon1: 1,
  delta1: 1e-5,
  epsilon2: 1,
  delta2: 1e-5,
  records: N,
  ...ridged.constants,
  radius: 1,
  localRounds: 4,
  globalRounds: 1,
};
const noised = { stated: Infinity };
const curators: readonly Curator<CentralRecords>[] = [
  outputOf('output perturbation of logistic regression', regression),
  outputOf('output perturbation of ridge regression', ridged),
  outputOf('output perturbation of a linear loss', linear),
  outputOf('output perturbation of a mean', meanModel(D)),
  gradientOf('DP-SGD on all records', regression, { batch: N }),
  gradientOf('DP-SGD on single records', regression, { batch: 1 }),
  gradientOf('DP-SGD of a linear loss', linear, { batch: N }),
  gradientOf('DP-LSSGD', linear, { batch: N, smoothing: 2 }),
  gradientOf('DP-SGD of a perceptron', network, { batch: N }),
  // What follows promises nothing, and refuses all the same.
  { ...noised, name: 'PIDP-SGD', run: (records) => train(printed(request), ridged, records, coins()).theta },
  {
    ...noised,
    name: 'PIDP-SGD by mini-batches',
    run: (records) => trainBatches(printed(request), ridged, records, coins(), { batch: 4 }).theta,
  },
  { ...noised, name: 'the optimum', run: (records) => optimum(ridged, records).theta },
  {
    ...noised,
    name: 'PIDP-SGD, recalibrated',
    run: (records) => train(recalibrated(request), ridged, records, coins()).theta,
  },
  {
    ...noised,
    name: 'an influence',
    run: (records) => {
      const target = new Float64Array(D);
      influence(printed(request), ridged, records, new Float64Array(D), coins())(1, target);
      return target;
    },
  },
];

describe.each(curators)('$name', (curator) => {
  test.each(hostile)('keeps its sensitivity, or refuses without telling: %s', (_, records) => {
    expect(fault(curator, honest, records)).toBeUndefined();
  });
});

test('what is no record is refused by every one of them, and a hair above the ball by none', () => {
  const answered = curators.map(({ run }) =>
    hostile.flatMap(([name, records]) => {
      try {
        return run(records).length > 0 ? [name] : [];
      } catch {
        return [];
      }
    }),
  );
  const fair = ['a hair above 1, as 32-bit features may be', 'tiny numbers'];
  // Where no number of records was agreed on, one less is as good.
  const sizes = new Set([...fair, 'one record less']);
  for (const names of answered) {
    expect(names).toEqual(expect.arrayContaining(fair));
    expect(names.filter((name) => !sizes.has(name))).toEqual([]);
  }
});

test('records a hair above the ball are scaled to it, all others stay what they are', () => {
  expect(clipRecords(honest)).toBe(honest);
  const long = hostileRecords(honest)['a hair above 1, as 32-bit features may be'];
  const { features } = clipRecords(long);
  expect(features[0]).toBeGreaterThanOrEqual(-1);
  expect(features[0]).toBeLessThan(-1 + 1e-14);
  expect([...features.subarray(D)]).toEqual([...honest.features.subarray(D)]);
  expect(long.features[0]).toBeLessThan(-1);
});

describe('control: the same attacks find', () => {
  const mean = (records: CentralRecords, clip: (norm: number) => number): Float64Array => {
    const target = new Float64Array(D);
    for (let i = 0; i < N; i++) {
      const x = records.features.subarray(i * D, (i + 1) * D);
      const factor = clip(Math.hypot(...x));
      for (let j = 0; j < D; j++) target[j] += (factor * x[j]) / N;
    }
    return target;
  };
  const faults = (run: Curator<CentralRecords>['run']): string[] =>
    hostile.flatMap(([name, records]) => (fault({ name: '', run, stated: 2 / N }, honest, records) ? [name] : []));

  test('a curator that checks nothing', () => {
    expect(faults((records) => mean(records, () => 1))).toEqual(
      expect.arrayContaining(['norm 98', 'NaN', 'Infinity', 'a hair above 1, as 32-bit features may be']),
    );
  });

  test('one that clips and does not look for NaN', () => {
    const found = faults((records) => mean(records, (norm) => Math.min(1, 1 / norm)));
    expect(found).toEqual(expect.arrayContaining(['NaN', 'Infinity']));
    expect(found).not.toContain('norm 98');
  });

  test('one that tells what it refuses', () => {
    const run = (records: CentralRecords): Float64Array => {
      const wrong = records.features.find((x) => !(Math.abs(x) <= 1));
      if (wrong !== undefined) throw new RangeError(`"features" expected numbers of at most 1, got ${wrong}`);
      return new Float64Array(D);
    };
    expect(faults(run)).toEqual(expect.arrayContaining(['norm 98', 'NaN', 'Infinity']));
  });
});

const models: readonly BoundedModelRequest[] = [
  { kind: 'huber', features: 2 },
  { kind: 'huber', features: 2, intercept: false },
  { kind: 'huber-scale', features: 2, leastScale: 0.5 },
  { kind: 'logistic', features: 2 },
  { kind: 'expectile', features: 2, tau: 0.75 },
  { kind: 'quantile', features: 2, tau: 0.4, bandwidth: 0.5 },
  { kind: 'margin', features: 2, loss: 'logistic' },
];

/** Records that a model with two features takes, or a response of its kind at least. */
const plain = (model: BoundedModel): CentralRecord[] =>
  Array.from({ length: N }, (_, i) => ({
    features: [i / N, (i % 3) / 3],
    response: { number: i / 4, binary: i % 2, sign: i % 2 === 0 ? 1 : -1, class: 0 }[model.scores.responses],
  }));

function hostileOf(records: CentralRecord[]): Record<string, CentralRecord[]> {
  const [{ features, response }] = records;
  const first = (record: unknown): CentralRecord[] => [record as CentralRecord, ...records.slice(1)];
  const withFeatures = (...x: unknown[]): CentralRecord[] => first({ features: x, response });
  const withResponse = (y: unknown): CentralRecord[] => first({ features, response: y });
  const holes = records.slice();
  delete holes[0];
  return {
    'norm 98': withFeatures(MARK, 0),
    'norm 1.4e152': withFeatures(MARK * 1e150, -MARK * 1e150),
    'norm 1.4e200': withFeatures(MARK * 1e200, MARK * 1e200),
    'tiny numbers': withFeatures(5e-324, -1e-200),
    NaN: withFeatures(0.5, NaN),
    Infinity: withFeatures(Infinity, 0.5),
    '-Infinity': withFeatures(-Infinity, Infinity),
    'a text': withFeatures('97.53125', 0),
    'a feature too few': withFeatures(MARK),
    'a feature too many': withFeatures(MARK, MARK, MARK),
    'no features': first({ response }),
    'a response of 98': withResponse(MARK),
    'a response of -1e300': withResponse(-1e300),
    'a response of 0.5': withResponse(0.5),
    'a response of NaN': withResponse(NaN),
    'a response of Infinity': withResponse(Infinity),
    'a text as a response': withResponse('97.53125'),
    'both huge': first({ features: [MARK * 1e150, MARK * 1e150], response: 1e300 }),
    'no record': first(undefined),
    'null in its place': first(null),
    'a hole': holes,
    'one record less': records.slice(1),
    'one record more': [...records, ...records.slice(0, 1)],
    'no records': [],
    'no array': { length: N } as unknown as CentralRecord[],
  };
}

describe.each(models)('a fit of $kind', (asked) => {
  const model = boundedModel(asked);
  const records = plain(model);
  const plan = { mu: 1, records: N, model: asked, steps: 1, force: true } as const;
  const theta = Float64Array.from({ length: model.dimension }, (_, i) => 0.5 + i);
  const gradient = descent(plan);
  const first = newton({ ...plan, warmUp: 1 });
  const fits: readonly Curator<readonly CentralRecord[]>[] = [
    {
      name: 'noisy gradient descent',
      stated: (gradient.step * model.scoreSensitivity) / N,
      run: (given) => descend(gradient, given, coins()).iterates[1],
    },
    {
      name: 'noisy Newton, its warm-up',
      stated: (first.warmUp.step * model.scoreSensitivity) / N,
      run: (given) => solve(first, given, coins()).iterates[1],
    },
    { name: 'noisy Newton', stated: Infinity, run: (given) => solve(newton(plan), given, coins()).theta },
    {
      name: 'a mean score',
      stated: model.scoreSensitivity / N,
      run: (given) => {
        const target = new Float64Array(model.dimension);
        meanScore(model, sized(given), theta, target);
        return target;
      },
    },
    {
      name: 'a Hessian',
      stated: squareSensitivity(model.hessianBound) / N,
      run: (given) => curvatureMoment(model, sized(given), theta),
    },
    ...(asked.kind === 'huber'
      ? [
          {
            name: 'curvature by weights',
            stated: squareSensitivity(model.hessianBound) / N,
            run: (given: readonly CentralRecord[]) => weightMoment(model, sized(given), theta),
          },
        ]
      : []),
    {
      name: 'a second moment of scores',
      stated: squareSensitivity(model.scoreBound ** 2) / N,
      run: (given) => scoreMoment(model, sized(given), theta),
    },
  ];
  // The parts of a fit are given what its curator lets pass, which looks at their number first.
  function sized(given: readonly CentralRecord[]): readonly CentralRecord[] {
    if (!Array.isArray(given) || given.length !== N) throw new RangeError('"records" expected as many as planned');
    return given;
  }

  test.each(fits)('keeps its sensitivity, or refuses without telling: $name', (curator) => {
    const faults = Object.entries(hostileOf(records)).map(([name, given]) => [name, fault(curator, records, given)]);
    expect(faults.filter(([, found]) => found !== undefined)).toEqual([]);
  });
});
