import { checkOpenUnit, checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import { type OnlineSgdRequest, onlineSgdPlan, VARIANTS } from './parameters.ts';
import type { OnlinePlan } from './plan.ts';
import { onlineSgd } from './protocol.ts';
import { fitRegression, type RiskModel, regressionRisk } from './regression-fit.ts';
import type { OnlineReport } from './report.ts';
import type { OnlineState } from './state.ts';
import type { StreamForecast, StreamModel, StreamSetting, StreamStudy, StreamStudyRequest } from './stream-study.ts';
import { forecast as expectationOf, UNCLIPPED } from './theory.ts';

const PURE: readonly string[] = ['privUnit', 'laplace'];
const GAUSSIAN: readonly string[] = ['gdp', 'printedGdp'];

/** The variant without noise. */
const REFERENCE = 'nonPrivate';

function request(asked: StreamStudyRequest): PlainRequest {
  const {
    variant: word,
    features,
    mu,
    epsilon,
    delta,
    hessianMu,
    rate,
    decay,
    burnIn,
    average,
    inference,
    grade,
  } = asked;
  const variant = checkWord('variant', word, VARIANTS);
  const choices = { rate, decay, burnIn, average, inference, grade };
  const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
  const own: { readonly [name: string]: number | undefined } =
    variant === REFERENCE
      ? {}
      : GAUSSIAN.includes(variant)
        ? { mu, ...(variant === 'gdp' && hessianMu !== undefined ? { hessianMu } : {}) }
        : PURE.includes(variant)
          ? { epsilon }
          : { epsilon, delta };
  // The variant itself refuses a missing budget, by name.
  return { variant, model: modelOf(asked.model, features), ...own, ...given } as unknown as PlainRequest;
}

/** The model of a request; the squared loss is one of the losses by name. */
function modelOf({ kind, ...rest }: StreamModel = { kind: 'huber' }, features: number): ModelRequest {
  if (kind === 'linear') return { kind: 'response', loss: 'squared', features, ...rest };
  return { kind, features, ...rest };
}

/** A model with a risk: every model of a study has one. */
function withRisk({ model }: OnlinePlan): RiskModel {
  if (model.form === 'scale') throw new RefusedValue(refusal('model', 'one with a risk', model.kind));
  return model;
}

const plan = (asked: StreamStudyRequest): OnlinePlan => onlineSgdPlan(request(asked) as unknown as OnlineSgdRequest);

/** Uses the limit law of the average; the value without privacy is that of the same model with no noise. */
function forecast(asked: StreamStudyRequest, { level, ...setting }: StreamSetting): StreamForecast {
  const factor = normalCriticalValue(checkOpenUnit('level', level));
  // The protocol treats this model as one of the losses by name.
  if (asked.model?.kind === 'linear') throw new RefusedValue(refusal('model', UNCLIPPED, 'linear'));
  const { error, assumption } = expectationOf(plan(asked), setting);
  const { error: floor } = expectationOf(plan({ ...asked, variant: REFERENCE }), setting);
  return { error, floor, half: factor * error, assumption };
}

/** Online gradient descent as the command line and the simulator try it: robust linear regression. */
export const study: StreamStudy<OnlineReport, OnlineState> = {
  kind: 'stream',
  protocol: onlineSgd,
  summary: 'robust linear regression of a stream, with intervals at every moment, one noisy gradient per player',
  variants: VARIANTS.filter((variant) => variant !== REFERENCE),
  pureVariants: PURE,
  reference: REFERENCE,
  budget: (variant) => (GAUSSIAN.includes(variant) ? 'mu' : 'epsilon'),
  request,
  plan,
  fit: (made, records, choice) => fitRegression(withRisk(made), records, choice),
  risk: (made, records, theta) => regressionRisk(withRisk(made), records, theta),
  forecast,
};
