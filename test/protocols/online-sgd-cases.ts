import {
  type OnlineEstimate,
  type OnlinePlan,
  type OnlineQuery,
  type OnlineSgdRequest,
  type OnlineState,
  onlineSgd,
  onlineSgdPlan,
} from '../../protocols/online-sgd/index.ts';
import type { Variant } from '../../protocols/online-sgd/parameters.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';
import { type ContractCase, claimLaws } from '../../src/testing/contract/law.ts';
import { checkContract, playerLaws } from '../../src/testing/contract/laws.ts';
import { wireLaws } from '../../src/testing/contract/server.ts';
import { firstStep } from './sequential/first-step.ts';
import { checkSequential, type SequentialCase } from './sequential/laws.ts';

export const HUBER: ModelRequest = { kind: 'huber', features: 3 };

/** Models of every kind, clipped and not. */
export const MODELS: readonly ModelRequest[] = [
  HUBER,
  { kind: 'huber', features: 2, intercept: false, clip: 1.5 },
  { kind: 'huber-scale', features: 2 },
  { kind: 'huber-scale', features: 2, clip: 1 },
  { kind: 'logistic', features: 3 },
  { kind: 'multinomial', features: 2, classes: 3 },
  { kind: 'multinomial', features: 2, classes: 3, clip: 1 },
  { kind: 'expectile', features: 2, tau: 0.7 },
  { kind: 'quantile', features: 2, tau: 0.25, bandwidth: 0.3 },
  { kind: 'margin', features: 2, loss: 'logistic' },
  { kind: 'response', features: 2, loss: 'squared', clip: 2 },
];

export function onlineRequest(variant: Variant, model: ModelRequest = HUBER): OnlineSgdRequest {
  switch (variant) {
    case 'gdp':
    case 'printedGdp':
      return { variant, model, mu: 1.5 } as OnlineSgdRequest;
    case 'gaussian':
    case 'printedGaussian':
      return { variant, model, epsilon: 2, delta: 1e-6 } as OnlineSgdRequest;
    case 'nonPrivate':
      return { variant, model };
    default:
      return { variant, model, epsilon: 2 } as OnlineSgdRequest;
  }
}

/** Records that every kind of model takes in turn. */
export function records({ model }: OnlinePlan, count: number, seed: string): OnlineDatum[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const features = Float64Array.from({ length: model.features }, () => normal(random));
    const inner = features.reduce((sum, x) => sum + x, 0) + normal(random);
    switch (model.responses) {
      case 'number':
        return { features, response: inner };
      case 'binary':
        return { features, response: inner > 0 ? 1 : 0 };
      case 'sign':
        return { features, response: inner > 0 ? 1 : -1 };
      default:
        return { features, response: i % (model.dimension / model.width + 1) };
    }
  });
}

/** What is not a record of the model. */
function strangers({ model }: OnlinePlan): { readonly [what: string]: unknown } {
  const fill = (value: unknown, length: number = model.features): unknown[] => new Array(length).fill(value);
  const inside = 0.3141592653589793;
  const fitting = model.responses === 'sign' ? 1 : 0;
  return {
    null: null,
    undefined,
    'a number': 0.6180339887498949,
    'a text': '0.6180339887498949',
    'no features': { response: fitting },
    'features null': { features: null, response: fitting },
    'features a number': { features: 0.6180339887498949, response: fitting },
    'features a text': { features: '0.6180339887498949', response: fitting },
    'one feature too few': { features: fill(inside, model.features - 1), response: fitting },
    'one feature too many': { features: fill(inside, model.features + 1), response: fitting },
    'a NaN among the features': { features: fill(inside).with(0, NaN), response: fitting },
    'an infinity among the features': { features: fill(inside).with(-1, Infinity), response: fitting },
    'a feature whose square overflows': { features: fill(inside).with(0, 1.2345678e200), response: fitting },
    'a text among the features': { features: fill(inside).with(0, '0.6180339887498949'), response: fitting },
    'a hole among the features': { features: Array.from({ length: model.features }), response: fitting },
    'no response': { features: fill(inside) },
    'a response NaN': { features: fill(inside), response: NaN },
    'an infinite response': { features: fill(inside), response: -Infinity },
    'a text as response': { features: fill(inside), response: '1.4142135623' },
    ...(model.responses === 'number'
      ? {}
      : { 'response 1.73205081': { features: fill(inside), response: 1.73205081 } }),
    ...(model.responses === 'binary' ? { 'response −1': { features: fill(inside), response: -1 } } : {}),
    ...(model.responses === 'sign' ? { 'response 0': { features: fill(inside), response: 0 } } : {}),
    ...(model.responses === 'class' ? { 'a class too many': { features: fill(inside), response: 1000 } } : {}),
  };
}

/** Requests of other plans of the same protocol. */
function others(request: OnlineSgdRequest): OnlinePlan[] {
  const { model } = request;
  return [
    { ...request, rate: 0.123 },
    { ...request, decay: 0.6 },
    { ...request, stale: 'accept late' as const, burnIn: 7 },
    { ...request, model: { ...model, features: model.features + 1 }, batch: 3 },
    { ...request, model: { ...model, intercept: model.intercept === false } },
  ].map(onlineSgdPlan);
}

/** Bytes of the header before the values: `online-sgd` has ten letters. */
const HEADER = 4 + 4 + 10 + 16 + 4;

/** The case of everybody answering the first step. */
export function onlineCase(
  request: OnlineSgdRequest,
): ContractCase<OnlinePlan, OnlineDatum, OnlineState, OnlineEstimate, OnlineQuery> {
  const plan = onlineSgdPlan(request);
  const { precision } = plan;
  return {
    name: JSON.stringify(request),
    make: () => onlineSgdPlan(request),
    others: others(request),
    data: records(plan, 8, 'contract records'),
    refused: strangers(plan),
    queries: [{ method: 'none' }],
    content: (_, state) => [...state.iterate, state.players],
    numbers: ({ theta, last }) => [...theta, ...last],
    exact: false,
    tolerance: 1e-9,
    ...(precision === 'float32' || precision === 'float64'
      ? { floats: { offset: HEADER, size: precision === 'float32' ? 4 : 8 } }
      : {}),
  };
}

/** The case of a stream. */
export function streamCase(
  request: OnlineSgdRequest,
  method: NonNullable<OnlineQuery['method']> = 'random scaling',
): SequentialCase<OnlinePlan, OnlineDatum, OnlineEstimate, OnlineQuery> {
  const plan = onlineSgdPlan(request);
  return {
    name: JSON.stringify(request),
    make: () => onlineSgdPlan(request),
    others: others(request),
    data: records(plan, 40 * plan.batch, 'stream records'),
    // So few steps leave a plug-in to its floor, which it takes only where it was asked for.
    queries: [{ method: 'none' }, { method, level: 0.9, ...(method === 'plug-in' ? { hessianFloor: 0.01 } : {}) }],
    numbers: ({ theta, last, intervals }) => [...theta, ...last, ...intervals.flat()],
    needed: plan.batch * (plan.burnIn + 1),
    batch: plan.batch,
    stale: plan.stale,
  };
}

const oneShot = firstStep(onlineSgd, { method: 'none' });

/** What breaks a law of players, wires and claims; a report has the number of its step besides its values. */
export function brokenLaws(asked: OnlineSgdRequest): unknown[] {
  // Without noise there is nothing that other coins could change.
  if (asked.variant === 'nonPrivate') return [];
  const trial = onlineCase(asked);
  const { floats: _, ...plain } = trial;
  return [
    ...checkContract(oneShot, [plain], [...claimLaws, ...playerLaws]),
    ...checkContract(oneShot, [trial], wireLaws),
  ];
}

/** What breaks a law of streams. */
export function brokenStreamLaws(asked: OnlineSgdRequest): unknown[] {
  const broken = checkSequential(onlineSgd, [streamCase(asked)]);
  return broken.filter(({ law }) => asked.variant !== 'nonPrivate' || !law.startsWith('the same coins'));
}
