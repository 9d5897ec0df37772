import { checkInteger, checkWord } from '../../src/check/number.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import { type ExposedExample, exposedExample, exposedTarget } from './auditing.ts';
import { influence } from './contribution.ts';
import { splitBudget } from './parameters.ts';
import { influenceSgd } from './protocol.ts';
import { claimOf, unboundedDelta } from './theory.ts';

const VARIANTS = ['printed', 'recalibrated'] as const;

/** T of what is attacked. */
const STEPS = 8;

/** Where a record is or is not, and all others have no gradient: what an attack on the claim is shown. */
function exampleOf({ variant, epsilon, delta, players, dimension }: ModelStudyRequest): ExposedExample {
  return exposedExample({
    variant: checkWord('variant', variant, VARIANTS),
    budget: splitBudget({ epsilon, delta }),
    records: checkInteger('players', players, dimension),
    dimension: checkInteger('dimension', dimension, 1),
    steps: STEPS,
  });
}

/** PIDP-SGD as the command line tries it: logistic regression, a claim, and what refutes it. */
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
    epsilon,
    delta,
    records: players,
    dimension,
  }),
  refuted(asked) {
    const { parameters, model, data } = exampleOf(asked);
    const { claimed, because } = claimOf(parameters);
    const records = data(Array.from({ length: model.features }, (_, j) => j === 0));
    const contribution = new Float64Array(model.parameters);
    // With the Hessian itself no coin is taken.
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
  target: (asked) => exposedTarget(exampleOf(asked)) as unknown as ReturnType<ModelStudy['target']>,
};
