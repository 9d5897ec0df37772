import { type AuditTarget, allClaims } from '../../../src/audit/target.ts';
import type { Auditing } from '../../../src/core/auditing.ts';
import type { Certifiable } from '../../../src/core/certify.ts';
import type { PlainRequest, PublicParameters, Theory } from '../../../src/core/contract.ts';
import { unpackSymmetric } from '../../../src/inference/block-sums.ts';
import { ballNewton } from '../../../src/optimize/ball-newton.ts';
import type { Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { huberLoss, mallowsWeight } from '../../../src/risk/response-loss.ts';
import type { ModelPlay, ModelRecords, ModelStudy, ModelStudyRequest } from '../../../src/simulation/model-study.ts';
import type { AttackedRecords } from './attack.ts';
import { fitIntervals, type NoisyFit } from './fit.ts';
import { type BoundedModel, boundedModel, type CentralRecord, curvatureMoment, meanScore } from './model.ts';

/** The part of a plan that the forecast of its study reads. */
interface CentralPlan {
  readonly model: BoundedModel;
  readonly strongConvexity: number;
}

/** What is specific to the study of one curator. */
export interface CentralCurator<Plan extends CentralPlan> {
  readonly protocol: Certifiable<Plan & PublicParameters>;
  readonly summary: string;
  readonly variant: string;
  /** Number of records under attack: every trial repeats all steps on them. */
  readonly attacked: number;
  readonly theory: Theory<Plan>;
  readonly auditing: Auditing<Plan, AttackedRecords, NoisyFit>;
  fit(plan: Plan, records: AttackedRecords, random: Random): NoisyFit;
  privacyError(plan: Plan, curvatures: Float64Array): number;
}

/**
 * The request of a study to both algorithms: Huber regression with Mallows weights and an intercept. It is forced: a
 * theorem may require more records than there are, but the guarantee still holds.
 */
function huberRequest({ variant, mu, players, dimension }: ModelStudyRequest): PlainRequest {
  return { variant, mu, records: players, model: { kind: 'huber', features: dimension }, force: true };
}

/** The study of a curator that releases a noisy fit: Huber regression with Mallows weights. */
export function centralStudy<Plan extends CentralPlan>(curator: CentralCurator<Plan>): ModelStudy {
  const { protocol, summary, variant, attacked, theory, auditing, fit, privacyError } = curator;
  const planOf = (asked: ModelStudyRequest): Plan & PublicParameters => protocol.make!(huberRequest(asked));
  return {
    kind: 'model',
    setting: 'central',
    protocol: protocol as unknown as ModelStudy['protocol'],
    summary,
    variants: [variant],
    budget: 'mu',
    defaults: {
      certify: { players: 40_000, samples: 1, dimension: 10 },
      audit: { players: attacked, samples: 1, dimension: 2 },
    },
    request: huberRequest,
    forecast(asked) {
      const plan = planOf(asked);
      const curvatures = new Float64Array(plan.model.dimension).fill(plan.strongConvexity);
      return {
        what: 'root of the mean squared distance to the non-private fit, by the noise of the steps',
        error: privacyError(plan, curvatures),
        assumed: `a Hessian with all eigenvalues at the least believed, τ₁ = ${plan.strongConvexity}`,
      };
    },
    target(asked) {
      const parameters = planOf(asked);
      const target = { player: { randomize: fit }, parameters, claimed: allClaims(theory, parameters), auditing };
      return target as unknown as AuditTarget<unknown, unknown, unknown>;
    },
    play: playOf((asked, records, seed) => {
      const found = curator.fit(planOf(asked), recordsOf(records), seededRandom(seed));
      const intervals = fitIntervals(found, { level: LEVEL }).map(({ low, high }) => [low, high] as const);
      return { theta: found.theta, intervals };
    }),
  };
}

/** The confidence level of each interval of a fit. */
const LEVEL = 0.95;

/**
 * The radius of the search for a model without privacy: far larger than any model whose response is in units of its
 * noise.
 */
const RADIUS = 1e4;

/** How Huber regression with Mallows weights is run on given records. */
function playOf(fit: ModelPlay['fit']): ModelPlay {
  return {
    records: 'regression',
    intercept: true,
    fit,
    optimum(records) {
      const model = boundedModel({ kind: 'huber', features: records.dimension });
      const list = recordsOf(records);
      const { dimension } = model;
      const objective = {
        dimension,
        evaluate(point: Float64Array, gradient: Float64Array, hessian: Float64Array) {
          meanScore(model, list, point, gradient);
          hessian.set(unpackSymmetric(curvatureMoment(model, list, point), dimension));
          return riskOf(records, point);
        },
      };
      return ballNewton({ objective, radius: RADIUS, tolerance: 1e-10 }).point;
    },
    risk: riskOf,
    constantRisk(records) {
      // A model without features, with the weights of the features: its score falls with the intercept.
      const constant = new Float64Array(records.dimension + 1);
      let [low, high] = [-RADIUS, RADIUS];
      while (high - low > 1e-9) {
        constant[0] = (low + high) / 2;
        if (meanSlope(records, constant) > 0) high = constant[0];
        else low = constant[0];
      }
      return riskOf(records, constant);
    },
    notes: () => [
      'A trusted curator holds the records and releases every step and the sandwich of the intervals.',
      'The guarantee holds for any records; τ₁, a tenth of τ₂, is a belief that only the number of steps rests on.',
    ],
  };
}

function recordsOf({ players, dimension, features, responses }: ModelRecords): readonly CentralRecord[] {
  return Array.from({ length: players }, (_, i) => ({
    features: features.subarray(i * dimension, (i + 1) * dimension),
    response: responses[i],
  }));
}

/** The mean over records of w(x)·value(⟨θ, x⟩, y). */
function meanOf(
  { players, dimension, features, responses }: ModelRecords,
  theta: Float64Array,
  value: (inner: number, response: number) => number,
): number {
  let sum = 0;
  for (let i = 0; i < players; i++) {
    let [inner, squared] = [theta[0], 1];
    for (let j = 0, from = i * dimension; j < dimension; j++) {
      inner += theta[j + 1] * features[from + j];
      squared += features[from + j] ** 2;
    }
    sum += mallowsWeight(squared) * value(inner, responses[i]);
  }
  return sum / players;
}

/** The loss of a `huber` model whose request names neither threshold nor scale. */
const { value, derivative } = huberLoss();

const riskOf = (records: ModelRecords, theta: Float64Array): number => meanOf(records, theta, value);

const meanSlope = (records: ModelRecords, theta: Float64Array): number => meanOf(records, theta, derivative);
