import { allClaims } from '../../src/audit/target.ts';
import type { ModelStudy } from '../../src/simulation/model-study.ts';
import { huberRequest } from '../noisy-gradient-descent/m-estimation/named.ts';
import { auditing } from './auditing.ts';
import { solve } from './curator.ts';
import { noisyNewton } from './protocol.ts';
import { privacyError, theory } from './theory.ts';

/** Noisy Newton as the command line tries it: Huber regression with Mallows weights. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'central',
  protocol: noisyNewton as ModelStudy['protocol'],
  summary:
    "robust regression by noisy Newton's method, where a curator holds the records (Avella-Medina, Bradshaw, Loh 2023)",
  makers: ['newton'],
  pureMakers: [],
  budget: 'mu',
  defaults: {
    certify: { players: 40_000, samples: 1, dimension: 10 },
    // Steps repeat a look at all records; so few that an attack can repeat them, and enough for a Hessian.
    audit: { players: 21, samples: 1, dimension: 2 },
  },
  request: huberRequest,
  forecast(asked) {
    const plan = noisyNewton.make!(huberRequest(asked));
    const curvatures = new Float64Array(plan.model.dimension).fill(plan.strongConvexity);
    return {
      what: 'root of the mean squared distance to the non-private fit, by the noise of the steps',
      error: privacyError(plan, curvatures),
      assumed: `a Hessian with all eigenvalues at the least believed, τ₁ = ${plan.strongConvexity}`,
    };
  },
  target(asked) {
    const parameters = noisyNewton.make!(huberRequest(asked));
    const target = { player: { randomize: solve }, parameters, claimed: allClaims(theory, parameters), auditing };
    return target as unknown as ReturnType<ModelStudy['target']>;
  },
};
