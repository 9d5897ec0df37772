import { auditVectors } from '../../src/audit/target.ts';
import { checkOpenUnit, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import type { Auditing, AuditPair, PlainRequest } from '../../src/core/contract.ts';
import { namesOf } from '../../src/core/request.ts';
import { addSquare, packedLength } from '../../src/inference/block-sums.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import type { Random } from '../../src/random/random.ts';
import { fillGradient, fillHessianFactor, type OnlineDatum } from '../../src/risk/regression/gradient.ts';
import type { ModelRequest, OnlineModel } from '../../src/risk/regression/model.ts';
import { channelOf, type OnlineReport, type Randomized, report } from './channel.ts';
import { checkQuery, type OnlineQuery } from './estimate.ts';
import {
  type ApproximateRequest,
  type GdpRequest,
  type OnlinePlan,
  type OnlineSgdRequest,
  type OnlineStep,
  onlineSgdPlan,
  type PureRequest,
  VARIANTS,
  type Variant,
} from './parameters.ts';
import { player } from './player.ts';
import { fitRegression, type RiskModel, regressionRisk } from './regression-fit.ts';
import { server } from './server.ts';
import { simulateStream } from './simulate.ts';
import type {
  OnlineProtocol,
  StreamForecast,
  StreamModel,
  StreamSetting,
  StreamStudy,
  StreamStudyRequest,
} from './stream-study.ts';
import { forecast as expectationOf, theory, UNCLIPPED } from './theory.ts';

const { SQRT2 } = Math;

/** A response so far away that every bounded score takes its extreme value. */
const FAR = 1e6;

function ends({ responses, dimension, width }: OnlineModel): readonly [number, number] {
  switch (responses) {
    case 'number':
      return [FAR, -FAR];
    case 'binary':
      return [0, 1];
    case 'sign':
      return [-1, 1];
    case 'class':
      return [1, dimension / width > 1 ? 2 : 0];
  }
}

/** Candidate pairs: opposite gradients of the largest norm, orthogonal ones, records far away, and two arbitrary. */
function onlinePairs({ plan }: OnlineStep, random: Random): readonly AuditPair<OnlineDatum>[] {
  const { model } = plan;
  const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(model.features, random);
  const [high, low] = ends(model);
  // With an intercept, the whole record has norm √2 if its features have norm 1.
  const size = model.intercept ? 1 : SQRT2;
  const record = (vector: ArrayLike<number>, response: number, scale: number = size): OnlineDatum => ({
    features: Float64Array.from({ length: model.features }, (_, i) => scale * vector[i]),
    response,
  });
  const found: AuditPair<OnlineDatum>[] = [
    { name: 'antipodal', first: record(unit, high), second: record(unit, low) },
    { name: 'antipodal, on an axis', first: record(axis[0], high), second: record(axis[0], low) },
  ];
  if (orthogonal !== undefined) {
    found.push({ name: 'orthogonal', first: record(unit, high), second: record(orthogonal, high) });
  }
  // For scores whose two extreme values have different sizes: the larger one for both data.
  found.push({ name: 'mirrored, high', first: record(unit, high), second: record(opposite, high) });
  found.push({ name: 'mirrored, low', first: record(unit, low), second: record(opposite, low) });
  found.push({ name: 'zero and edge', first: record(zero, high), second: record(unit, low) });
  found.push({ name: 'far and near', first: record(unit, high, FAR), second: record(unit, low, 1 / FAR) });
  found.push({ name: 'random', first: record(inside[0], high, 3), second: record(inside[1], low, 3) });
  return found;
}

/** The vectors to which the report of a record adds noise. */
function randomizedOf({ plan, iterate }: OnlineStep, datum: OnlineDatum): Randomized {
  const { model, noise, hessian } = plan;
  const gradient = new Float64Array(model.dimension);
  fillGradient(model, iterate, datum, gradient);
  const scaled = gradient.map((entry) => entry / noise.unit);
  if (hessian === undefined) return { gradient: scaled, hessian: new Float64Array(0) };
  const factor = new Float64Array(model.dimension);
  if (model.form === 'index') fillHessianFactor(model, iterate, datum, factor);
  const packed = new Float64Array(packedLength(model.dimension));
  addSquare(packed, factor);
  return { gradient: scaled, hessian: packed };
}

/** What an audit may use to attack the player of a step. */
export const onlineAuditing: Auditing<OnlineStep, OnlineDatum, OnlineReport> = {
  pairs: onlinePairs,
  view: ({ plan }, { values }) => channelOf(plan).view(values),
  logLikelihoodRatio(step, { first, second }) {
    const ratio = channelOf(step.plan).logRatio(step.place, randomizedOf(step, first), randomizedOf(step, second));
    return ratio === undefined ? undefined : ({ values }) => ratio(values);
  },
};

/**
 * Online gradient descent with locally private gradients, averaged, with confidence intervals at every moment.
 *
 * Source: Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent; and the
 * non-asymptotic analysis of LDP-SGD and LDP-ASGD.
 * @theorem online-inference (2.3)
 * @theorem online-inference Table 3
 * @theorem online-rates (3.2)
 * @theorem online-rates Figure 5
 * @theorem online-rates Figure 6
 * @theorem online-rates Figure 7
 * @theorem online-rates Figure 8
 * @theorem online-rates Figure 9
 */
export const onlineSgd: OnlineProtocol = {
  name: 'online-sgd',
  player,
  report,
  server,
  theory,
  simulate: simulateStream,
  auditing: onlineAuditing,
  // The variants check every field, whatever its kind.
  make: (request) => onlineSgdPlan(request as unknown as OnlineSgdRequest),
  fields: {
    request: namesOf<OnlineSgdRequest | PureRequest | ApproximateRequest | GdpRequest>({
      variant: true,
      model: true,
      'model.kind': true,
      'model.features': true,
      'model.intercept': true,
      'model.clip': true,
      'model.bounds': true,
      'model.bounds.features': true,
      'model.bounds.response': true,
      'model.bounds.radius': true,
      'model.threshold': true,
      'model.scale': true,
      'model.tau': true,
      'model.bandwidth': true,
      'model.classes': true,
      'model.loss': true,
      rate: true,
      decay: true,
      start: true,
      burnIn: true,
      average: true,
      'average.kind': true,
      'average.share': true,
      'average.power': true,
      batch: true,
      stale: true,
      inference: true,
      batchScale: true,
      grade: true,
      epsilon: true,
      delta: true,
      mu: true,
      budgets: true,
      'budgets.rule': true,
      'budgets.mus': true,
      'budgets.low': true,
      'budgets.high': true,
      'budgets.seed': true,
      hessianMu: true,
    }),
    query: namesOf<OnlineQuery>({
      level: true,
      method: true,
      contrasts: true,
      hessian: true,
      hessianFloor: true,
    }),
  },
};

const REFERENCE = 'nonPrivate';

/** What of a budget each variant takes. */
const BUDGETS: { readonly [variant in Variant]: readonly ('epsilon' | 'delta' | 'mu' | 'hessianMu')[] } = {
  privUnit: ['epsilon'],
  gdp: ['mu', 'hessianMu'],
  gaussian: ['epsilon', 'delta'],
  laplace: ['epsilon'],
  printedGaussian: ['epsilon', 'delta'],
  printedGdp: ['mu'],
  nonPrivate: [],
};

function request(asked: StreamStudyRequest): PlainRequest {
  const { features, rate, decay, burnIn, average, inference, grade } = asked;
  const variant = checkWord('variant', asked.variant, VARIANTS);
  const own = BUDGETS[variant].map((name) => [name, asked[name]] as const);
  const choices = { ...Object.fromEntries(own), rate, decay, burnIn, average, inference, grade };
  // The variant itself refuses a missing budget, by name.
  const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
  return { variant, model: modelOf(asked.model, features), ...given } as unknown as PlainRequest;
}

function modelOf({ kind, ...rest }: StreamModel = { kind: 'huber' }, features: number): ModelRequest {
  if (kind === 'linear') return { kind: 'response', loss: 'squared', features, ...rest };
  return { kind, features, ...rest };
}

function withRisk({ model }: OnlinePlan): RiskModel {
  if (model.form === 'scale') throw new RefusedValue('model', 'one with a risk', model.kind);
  return model;
}

const plan = (asked: StreamStudyRequest): OnlinePlan => onlineSgdPlan(request(asked) as unknown as OnlineSgdRequest);

/** Uses the limit law of the average; the value without privacy is that of the same model with no noise. */
function forecast(asked: StreamStudyRequest, { level, ...setting }: StreamSetting): StreamForecast {
  const factor = normalCriticalValue(checkOpenUnit('level', level));
  // The protocol treats this model as one of the losses by name.
  if (asked.model?.kind === 'linear') throw new RefusedValue('model', UNCLIPPED, 'linear');
  const { error, assumption } = expectationOf(plan(asked), setting);
  const { error: floor } = expectationOf(plan({ ...asked, variant: REFERENCE }), setting);
  return { error, floor, half: factor * error, assumption };
}

/** Online gradient descent as the command line and the simulator try it: robust linear regression. */
export const study: StreamStudy = {
  kind: 'stream',
  protocol: onlineSgd,
  summary: 'robust linear regression of a stream, with intervals at every moment, one noisy gradient per player',
  variants: VARIANTS.filter((variant) => variant !== REFERENCE),
  pureVariants: VARIANTS.filter((variant) => BUDGETS[variant].join() === 'epsilon'),
  reference: REFERENCE,
  budget: (variant) => (BUDGETS[variant as Variant].includes('mu') ? 'mu' : 'epsilon'),
  request,
  plan,
  checkQuery,
  fit: (made, records, choice) => fitRegression(withRisk(made), records, choice),
  risk: (made, records, theta) => regressionRisk(withRisk(made), records, theta),
  forecast,
};
