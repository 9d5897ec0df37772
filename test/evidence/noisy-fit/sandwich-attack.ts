import type { CentralRecord, NoisyFitRequest } from 'ldpkit/protocols/noisy-gradient-descent';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import type { NoisyAttack } from './privacy.ts';

const { sqrt, SQRT2 } = Math;

const RECORDS = 3;
const MU = 4;
/** c of the Huber score. Written out, as all that follows, so that it does not come from where the plan has it. */
const THRESHOLD = 1.345;
/** B² = 2c², and B̄ = 2 for σ = 1. */
const SQUARED_SCORE = 2 * THRESHOLD * THRESHOLD;
const CURVATURE = 2;

/** A record on an axis, at the edge of full weight, ‖x‖² = 2. */
export const axisRecord = (axis: number, response: number): CentralRecord => ({
  features: axis === 0 ? [SQRT2, 0] : [0, SQRT2],
  response,
});

/**
 * Attacks on the two matrices of the sandwich. Two features, no intercept; all records but one are 0. The one lies along one axis or
 * along the other, so that the two matrices are √2 of their bound over n apart; a response of 0 leaves curvature alone, one far away
 * the score alone. `quiet` takes the noise of all steps away, so that nothing else tells.
 */
export function sandwichAttacks<
  Plan extends CentralPlan & { readonly sandwich?: { readonly hessian: number; readonly scores: number } },
>(algorithm: CentralAlgorithm<Plan>, quiet: (plan: Plan) => Plan): readonly NoisyAttack[] {
  const request: NoisyFitRequest = {
    mu: MU,
    records: RECORDS,
    model: { kind: 'huber', features: 2, intercept: false },
    steps: 1,
    force: true,
  };
  const attackOn = (
    key: 'hessian' | 'scores',
    what: string,
    share: number,
    bound: number,
    response: number,
  ): NoisyAttack => ({
    key: `sandwich-${key}`,
    what,
    mus: [MU],
    share: sqrt(share),
    close: 0.85,
    runs: 15_000,
    control: { label: 'half of the noise', divisor: 2 },
    statistic(mu, divisor, random) {
      const made = quiet(algorithm.plan({ ...request, mu }));
      if (made.sandwich === undefined) throw new RangeError('"plan" expected one with regions');
      const weaker = { ...made, sandwich: { ...made.sandwich, [key]: made.sandwich[key] / divisor } };
      const [first, second] = [0, 1].map((axis) =>
        Array.from({ length: RECORDS }, (_, i) =>
          i === 0 ? axisRecord(axis, response) : { features: [0, 0], response: 0 },
        ),
      );
      const deviation = SQRT2 * ((SQRT2 * bound) / (RECORDS * mu * sqrt(share)));
      return (isFirst) => {
        const { region } = algorithm.fit(weaker, isFirst ? first : second, random);
        if (region === undefined) throw new RangeError('"plan" expected one with regions');
        const matrix = region[key];
        return (matrix[0] - matrix[3]) / deviation;
      };
    },
  });
  return [
    attackOn('hessian', 'the Hessian of the sandwich', 0.2, CURVATURE, 0),
    attackOn('scores', 'the scores of the sandwich', 0.3, SQUARED_SCORE, 1e9),
  ];
}
