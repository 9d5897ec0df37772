import { transcriptTarget } from '../../src/audit/transcript.ts';
import type { PlainRequest } from '../../src/core/contract.ts';
import { fillSphere } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { uniform } from '../../src/random/uniform.ts';
import { conduct } from '../../src/simulation/conduct.ts';
import type { ModelStudy, ModelStudyRequest } from '../../src/simulation/model-study.ts';
import {
  type UserLevelErmPlan,
  type UserLevelErmRequest,
  type UserLevelErmRound,
  userLevelErmPlan,
  VARIANTS,
} from './parameters.ts';
import { userLevelErm } from './protocol.ts';
import { descentBound, expectedGradientError } from './theory.ts';

/** τ₁ of the ridge-free logistic risk that plans are made for, a tenth of its τ₂ = ¼: a public belief that costs no privacy. */
const STRONG_CONVEXITY = 0.025;

/** Players of the simulation that rounds of an attacked plan come from, at most. */
const REFERENCE_PLAYERS = 20_000;

function request({ epsilon, players, samples, dimension, variant, grade }: ModelStudyRequest): PlainRequest {
  const model = { loss: 'logistic', radius: 1, strongConvexity: STRONG_CONVEXITY };
  const given = grade === undefined ? {} : { grade };
  return { variant, epsilon, players, samples, dimension, ...model, ...given, force: true };
}

const planOf = (asked: ModelStudyRequest): UserLevelErmPlan =>
  userLevelErmPlan(request(asked) as unknown as UserLevelErmRequest);

/** Iterates of later rounds come from what others said: here a population made up, by fixed coins. */
function referenceRounds(plan: UserLevelErmPlan): readonly UserLevelErmRound[] {
  const { players, dimension } = plan;
  const random = seededRandom('reference');
  const { finished } = conduct(
    userLevelErm,
    plan,
    {
      players: Math.min(players, REFERENCE_PLAYERS),
      datum(index) {
        random.seek(index);
        const features = new Float64Array(dimension);
        fillSphere(features, random);
        return { features, responses: [uniform(random) < 0.5 + 0.4 * features[0] ? 1 : -1] };
      },
    },
    { seed: 'reference' },
  );
  return finished.map(({ round }) => round);
}

/** The user-level descent as the command line tries it: logistic regression, with gradients by signs. */
export const study: ModelStudy = {
  kind: 'model',
  setting: 'rounds',
  protocol: userLevelErm as unknown as ModelStudy['protocol'],
  summary:
    'logistic regression from players with many records each, all protected together (Avella-Medina 2023, user-level ERM)',
  variants: VARIANTS,
  budget: 'epsilon',
  defaults: {
    certify: { players: 40_000, samples: 14, dimension: 10 },
    audit: { players: 40_000, samples: 14, dimension: 10 },
  },
  request,
  forecast(asked) {
    const plan = planOf(asked);
    const { radius } = plan.objective;
    const gradientError = expectedGradientError(plan, 0.5 / Math.sqrt(plan.dimension));
    return {
      what: 'bound on the distance to the non-private fit: what is left of the start, and the error of a gradient over τ₁',
      error: descentBound(plan, { start: radius, gradientError }),
      assumed: `records spread evenly on the unit sphere, a model near 0, τ₁ = ${plan.strongConvexity}`,
    };
  },
  target(asked) {
    const plan = planOf(asked);
    const rounds = referenceRounds(plan);
    const target = transcriptTarget(userLevelErm, plan, rounds);
    // Players are fresh: a transcript is one report, and which round it is of. All probabilities of it are known.
    const auditing: typeof target.auditing = {
      ...target.auditing!,
      view(_, { reports }) {
        const round = reports.findIndex((report) => report !== undefined);
        return [round, reports[round]?.values[0] ?? -1];
      },
    };
    return { ...target, auditing } as unknown as ReturnType<ModelStudy['target']>;
  },
  // Of all its rounds at once: the joint channel is known, and no round by itself tells more.
  parts: () => ['transcript'],
};
