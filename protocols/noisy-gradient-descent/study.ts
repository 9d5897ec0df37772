import { allClaims } from '../../src/audit/target.ts';
import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { auditing } from './auditing.ts';
import { descend } from './curator.ts';
import { huberRequest } from './m-estimation/named.ts';
import { noisyGradientDescent } from './protocol.ts';
import { privacyError, theory } from './theory.ts';

/** Noisy gradient descent as the command line tries it: Huber regression with Mallows weights. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'central',
  protocol: noisyGradientDescent as ModelStudy['protocol'],
  summary:
    'robust regression by noisy gradient descent, where a curator holds the records (Avella-Medina, Bradshaw, Loh 2023)',
  makers: ['descent'],
  pureMakers: [],
  budget: 'mu',
  defaults: {
    certify: { players: 40_000, samples: 1, dimension: 10 },
    // Steps repeat a look at all records; what one record is hidden by does not depend on their number.
    audit: { players: 3, samples: 1, dimension: 2 },
  },
  request: huberRequest,
  forecast(asked) {
    const plan = noisyGradientDescent.make!(huberRequest(asked));
    const curvatures = new Float64Array(plan.model.dimension).fill(plan.strongConvexity);
    return {
      what: 'root of the mean squared distance to the non-private fit, by the noise of the steps',
      error: privacyError(plan, curvatures),
      assumed: `a Hessian with all eigenvalues at the least believed, τ₁ = ${plan.strongConvexity}`,
    };
  },
  target(asked) {
    const parameters = noisyGradientDescent.make!(huberRequest(asked));
    const target = { player: { randomize: descend }, parameters, claimed: allClaims(theory, parameters), auditing };
    return target as unknown as ReturnType<ModelStudy['target']>;
  },
};
