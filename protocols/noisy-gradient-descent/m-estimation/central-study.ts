import { type AuditTarget, allClaims } from '../../../src/audit/target.ts';
import type { Auditing } from '../../../src/core/auditing.ts';
import type { Certifiable } from '../../../src/core/certified.ts';
import type { PublicParameters, Theory } from '../../../src/core/contract.ts';
import type { Random } from '../../../src/random/random.ts';
import type { ModelStudy, ModelStudyRequest } from '../../../src/simulation/model-study.ts';
import type { AttackedRecords } from './attack.ts';
import type { NoisyFit } from './fit.ts';
import type { BoundedModel } from './model.ts';
import { huberRequest } from './request.ts';

/** What a plan has for the forecast of its study. */
interface CentralPlan {
  readonly model: BoundedModel;
  readonly strongConvexity: number;
}

/** What the study of one curator has of its own. */
export interface CentralCurator<Plan extends CentralPlan> {
  readonly protocol: Certifiable<Plan & PublicParameters>;
  readonly summary: string;
  readonly variant: string;
  /** Records under attack: every trial repeats all steps on them. */
  readonly attacked: number;
  readonly theory: Theory<Plan>;
  readonly auditing: Auditing<Plan, AttackedRecords, NoisyFit>;
  fit(plan: Plan, records: AttackedRecords, random: Random): NoisyFit;
  privacyError(plan: Plan, curvatures: Float64Array): number;
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
  };
}
