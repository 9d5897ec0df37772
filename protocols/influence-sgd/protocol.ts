import { type Budget, checkEpsilonRange, checkInteger, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { ModelForecast, ModelRecords, ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { influence, optimum } from './contribution.ts';
import { train } from './curator.ts';
import {
  gradientPerturbation,
  type OutputPerturbation,
  outputPerturbation,
  perturbOutput,
} from './gradient-perturbation.ts';
import { type CentralRecords, empiricalRisk, logisticRegression, type Model } from './model.ts';
import { type InfluenceParameters, printed, recalibrated, splitBudget } from './parameters.ts';
import {
  claimOf,
  type ExposedExample,
  exposedExample,
  exposedTarget,
  type FitError,
  forecastGradientPerturbation,
  forecastOutputPerturbation,
  forecastTraining,
  POPULATION,
  unboundedDelta,
} from './theory.ts';

/**
 * PIDP-SGD in one object. It has a claim but no guarantee, a curator but no player; functions that run protocols do not
 * accept it.
 */
const influenceSgd = { name: 'influence-sgd', setting: 'central', claim: claimOf, curator: { train } };

const VARIANTS = ['printed', 'recalibrated'] as const;

const STEPS = 8;

/** The split of a budget for which the noise of every variant can be computed: a quotient by a smaller δ is infinite. */
function splitOf({ epsilon, delta }: Budget): ReturnType<typeof splitBudget> {
  if (!(delta >= 1e-300)) throw new RefusedValue('delta', 'a number from 1e-300 to below 1', delta);
  return splitBudget({ epsilon: checkEpsilonRange(epsilon, 500), delta });
}

/** The data for an attack on the claim: a record is present or absent, and all others have no gradient. */
function exampleOf({ variant, epsilon, delta, players, dimension }: ModelStudyRequest): ExposedExample {
  return exposedExample({
    variant: checkWord('variant', variant, VARIANTS),
    budget: splitOf({ epsilon, delta }),
    records: checkInteger('players', players, dimension),
    dimension: checkInteger('dimension', dimension, 1),
    steps: STEPS,
  });
}

/** PIDP-SGD as the command line tries it: logistic regression, a claim, and its refutation. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'central',
  protocol: influenceSgd,
  summary:
    'logistic regression by SGD with noise where influence is large, by a curator; its claim is refuted (Kang, Li, Liu, Wang)',
  variants: VARIANTS,
  budget: 'epsilon',
  defaults: {
    certify: { players: 20, samples: 1, dimension: 2 },
    audit: { players: 20, samples: 1, dimension: 2 },
  },
  request: ({ variant, epsilon, delta, players, dimension }) => ({
    variant,
    epsilon: checkEpsilonRange(epsilon, 500),
    delta,
    records: players,
    dimension,
  }),
  refuted(asked) {
    const { parameters, model, data } = exampleOf(asked);
    const { claimed, because } = claimOf(parameters);
    const records = data(Array.from({ length: model.features }, (_, j) => j === 0));
    const contribution = new Float64Array(model.parameters);
    // With the explicit Hessian no randomness is used.
    const theta = new Float64Array(model.parameters);
    influence(parameters, model, records, theta, seededRandom('no coins'))(0, contribution);
    const shown = contribution.map((c) => c + parameters.remainder);
    return {
      claimed,
      because,
      unboundedDelta: unboundedDelta(parameters, shown),
      example: `${asked.players} records with ${asked.dimension} features, all but one without a gradient, ${STEPS} steps`,
    };
  },
  forecast(asked) {
    checkInteger('players', asked.players, 2);
    const model = modelOf(asked);
    return expectation(forecastTraining(parametersOf(asked, model), model));
  },
  rivals(asked) {
    const model = modelOf(asked);
    const { epsilon, delta, players: records } = asked;
    const descent = gradientPerturbation({
      ...{ epsilon, delta, records, accountant: 'moments', lipschitz: model.constants.lipschitz },
      ...{ steps: ROUND * ROUNDS, step: STEP },
    });
    return [
      { name: 'output perturbation', ...expectation(forecastOutputPerturbation(outputOf(asked, model))) },
      { name: 'gradient perturbation', ...expectation(forecastGradientPerturbation(descent, model)) },
    ];
  },
  target: (asked) => exposedTarget(exampleOf(asked)) as unknown as ReturnType<ModelStudy['target']>,
  play: {
    records: 'sides',
    intercept: false,
    fit(asked, records, seed) {
      const model = modelOf(records);
      const parameters = parametersOf({ ...asked, players: records.players }, model);
      return { theta: train(parameters, model, centralOf(records), seededRandom(seed)).theta };
    },
    optimum: (records) => optimum(modelOf(records), centralOf(records)).theta,
    risk: (records, theta) => empiricalRisk(modelOf(records), theta, centralOf(records)),
    constantRisk({ players, responses }) {
      let share = 0;
      for (let i = 0; i < players; i++) if (responses[i] > 0) share += 1 / players;
      return share > 0 && share < 1 ? -share * Math.log(share) - (1 - share) * Math.log(1 - share) : 0;
    },
    rival: {
      name: 'output perturbation',
      fit(asked, records, seed) {
        const made = outputOf({ ...asked, players: records.players }, modelOf(records));
        return { theta: perturbOutput(made, centralOf(records), seededRandom(seed)) };
      },
    },
    notes: () => [
      'A trusted curator holds the records. What is claimed of the variants does not hold: nothing is certified, and nobody’s records should be fitted with it.',
      `The risk has a ridge of ${RIDGE}/2·‖θ‖²; ${ROUND * ROUNDS} steps of ${STEP}, with a Hessian for every ${ROUND}, in a space of radius ${RADIUS}. Output perturbation, beside it, is (ε, δ)-private.`,
    ],
  },
};

/** λ and r of a fit to records, then its rounds and its step. */
const [RIDGE, RADIUS] = [0.01, 10];
const [ROUND, ROUNDS, STEP] = [500, 10, 0.1];

const modelOf = ({ dimension }: Pick<ModelRecords, 'dimension'>): Model =>
  logisticRegression({ dimension, ridge: RIDGE, radius: RADIUS });

function parametersOf(asked: ModelStudyRequest, { constants }: Model): InfluenceParameters {
  const variant = checkWord('variant', asked.variant, VARIANTS);
  return (variant === 'printed' ? printed : recalibrated)({
    ...splitOf(asked),
    records: asked.players,
    ...constants,
    radius: RADIUS,
    localRounds: ROUND,
    globalRounds: ROUNDS,
    step: STEP,
  });
}

const outputOf = ({ epsilon, delta, players }: ModelStudyRequest, model: Model): OutputPerturbation =>
  outputPerturbation({ epsilon, delta, model, records: players, passes: 1, radius: RADIUS });

const expectation = (fit: FitError): ModelForecast => ({
  what: 'root of the mean squared distance to the best model of the population',
  ...fit,
  assumed: POPULATION,
});

const centralOf = ({ players, dimension, features, responses }: ModelRecords): CentralRecords => ({
  records: players,
  dimension,
  features,
  labels: Int8Array.from(responses),
});
