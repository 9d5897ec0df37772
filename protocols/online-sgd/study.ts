import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { normalCdf, normalDensity } from '../../src/numeric/normal.ts';
import { mallowsWeight } from '../../src/risk/huber.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import { type OnlineSgdRequest, onlineSgdPlan, VARIANTS } from './parameters.ts';
import type { OnlinePlan } from './plan.ts';
import { onlineSgd } from './protocol.ts';
import { fitRegression, type RiskModel, regressionRisk } from './regression-fit.ts';
import type { OnlineReport } from './report.ts';
import type { OnlineState } from './state.ts';
import type { StreamForecast, StreamModel, StreamSetting, StreamStudy, StreamStudyRequest } from './stream-study.ts';
import { noiseVariance } from './theory.ts';

const { exp, log, max, sqrt } = Math;

const PURE: readonly string[] = ['privUnit', 'laplace'];
const GAUSSIAN: readonly string[] = ['gdp', 'printedGdp'];

/** Panels of the integrals of a forecast, and how far around the middle they reach. */
const PANELS = 24_000;
const RANGE = 12;

function request(asked: StreamStudyRequest): PlainRequest {
  const { variant: word, features, mu, epsilon, delta, hessianMu, rate, decay, burnIn, inference, grade } = asked;
  const variant = checkWord('variant', word, VARIANTS);
  const choices = { rate, decay, burnIn, inference, grade };
  const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
  const own: { readonly [name: string]: number | undefined } =
    variant === 'nonPrivate'
      ? {}
      : GAUSSIAN.includes(variant)
        ? { mu, ...(variant === 'gdp' && hessianMu !== undefined ? { hessianMu } : {}) }
        : PURE.includes(variant)
          ? { epsilon }
          : { epsilon, delta };
  // A budget that is missing is refused by the variant, by its name.
  return { variant, model: modelOf(asked.model, features), ...own, ...given } as unknown as PlainRequest;
}

/** The model of a request; the squared loss is one of the losses by name. */
function modelOf({ kind, ...rest }: StreamModel = { kind: 'huber' }, features: number): ModelRequest {
  if (kind === 'linear') return { kind: 'response', loss: 'squared', features, ...rest };
  return { kind, features, ...rest };
}

/** A model with a risk: those of a study all have one. */
function withRisk({ model }: OnlinePlan): RiskModel {
  if (model.form === 'scale') throw new RangeError(refusal('model', 'one with a risk', model.kind));
  return model;
}

const plan = (asked: StreamStudyRequest): OnlinePlan => onlineSgdPlan(request(asked) as unknown as OnlineSgdRequest);

/**
 * By the limit law of the average: √n(θ̄ − θ₀) → N(0, A⁻¹(S + v)A⁻¹). Features are independent standard normal, the response is
 * normal around the model; A and S are then diagonal, and the same for every feature.
 */
function forecast(asked: StreamStudyRequest, setting: StreamSetting): StreamForecast {
  const players = checkInteger('players', setting.players, 1);
  const spread = checkPositive('spread', setting.spread);
  const factor = normalCriticalValue(checkOpenUnit('level', setting.level));
  const made = plan(asked);
  const moments = referenceMoments(made, spread);
  const errorAt = (noise: number): number => sqrt(meanVariance(moments, noise, asked.features) / players);
  const error = errorAt(noiseVariance(made));
  return { error, floor: errorAt(0), half: factor * error };
}

/** A diagonal: what stands at the intercept, and at every feature. */
type Diagonal = readonly [intercept: number, feature: number];

/** A and S at the truth. */
interface ReferenceMoments {
  readonly hessian: Diagonal;
  readonly gradient: Diagonal;
}

/** The mean over coordinates of (S + v)/A². */
function meanVariance({ hessian, gradient }: ReferenceMoments, noise: number, features: number): number {
  const [intercept, feature] = hessian.map((curvature, i) => (gradient[i] + noise) / curvature ** 2);
  return (intercept + features * feature) / (features + 1);
}

function referenceMoments({ model }: OnlinePlan, spread: number): ReferenceMoments {
  if (model.form !== 'index' || model.loss.kind !== 'huber') {
    throw new RangeError(refusal('model', 'huber, of which alone there is a forecast', model.kind));
  }
  const { features, loss } = model;
  const threshold = loss.threshold / spread;
  const within = 2 * normalCdf(threshold) - 1;
  // E ψ² of a normal residual: its second moment within the threshold, and the square of the threshold beyond.
  const beyond = 2 * normalCdf(-threshold);
  const square = spread * spread * (within - 2 * threshold * normalDensity(threshold) + threshold * threshold * beyond);
  const scaled = ([intercept, feature]: Diagonal, by: number): Diagonal => [by * intercept, by * feature];
  return {
    hessian: scaled(weightMoments(features, 1), within),
    gradient: scaled(weightMoments(features, 2), square),
  };
}

/**
 * E w^k and E w^k·z₁² for w = w(1, z), z standard normal in p dimensions: E w^k·‖z‖²/p by rotation, so that both are integrals over
 * the length of z, by the midpoint rule. The length has a deviation below 1 around √p, and is within 12 of it but for 1 in 10³⁰.
 */
function weightMoments(features: number, power: number): Diagonal {
  const low = max(0, sqrt(features) - RANGE);
  const panel = (sqrt(features) + RANGE - low) / PANELS;
  // The constant of the density is left to the sum: only its logarithm at the mode is taken away, against overflow.
  const logDensity = (length: number): number => (features - 1) * log(length) - (length * length) / 2;
  const top = logDensity(sqrt(max(features - 1, 1)));
  let [mass, intercept, feature] = [0, 0, 0];
  for (let i = 0; i < PANELS; i++) {
    const length = low + (i + 0.5) * panel;
    const density = exp(logDensity(length) - top);
    const weighted = density * mallowsWeight(1 + length * length) ** power;
    mass += density;
    intercept += weighted;
    feature += (weighted * length * length) / features;
  }
  return [intercept / mass, feature / mass];
}

/** Online gradient descent as the command line and the simulator try it: robust linear regression. */
export const study: StreamStudy<OnlineReport, OnlineState> = {
  kind: 'stream',
  protocol: onlineSgd,
  summary: 'robust linear regression of a stream, with intervals at every moment, one noisy gradient per player',
  variants: VARIANTS.filter((variant) => variant !== 'nonPrivate'),
  pureVariants: PURE,
  reference: 'nonPrivate',
  budget: (variant) => (GAUSSIAN.includes(variant) ? 'mu' : 'epsilon'),
  request,
  plan,
  fit: (made, records, choice) => fitRegression(withRisk(made), records, choice),
  risk: (made, records, theta) => regressionRisk(withRisk(made), records, theta),
  assumption: 'features and residuals independent and normal, features of variance 1',
  forecast,
};
