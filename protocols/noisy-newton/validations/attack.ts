import type { CentralRecord } from '../../../src/protocol/m-estimation/moments.ts';
import type { NoisyAttack } from '../../../src/simulation/noisy-fit/privacy.ts';
import { solve } from '../curator.ts';
import { newton } from '../parameters.ts';

const { sqrt, SQRT2 } = Math;

const RECORDS = 60;
const STEPS = 3;
/** Share of μ² that gradients have; what Hessians spend is not attacked. */
const GRADIENTS = 0.8;

/**
 * One feature √2, no intercept. All responses but one are 0, with a curvature near B̄; the one is so far away that its score is −B or B
 * in every step. Each iterate forgets the one before, and is normal with means 2B/(nλ) apart and standard deviation σ/λ, λ the
 * curvature: the sum of all iterates tells the two values apart as well as all gradients do.
 */
export const attack: NoisyAttack = {
  theorems: ['Noisy Newton'],
  what: 'all iterates',
  runs: 6000,
  share: sqrt(GRADIENTS),
  close: 0.7,
  statistic({ mu, forgotten }, random) {
    const made = newton({
      mu,
      records: RECORDS,
      model: { kind: 'huber', features: 1, intercept: false },
      steps: STEPS,
      warmUp: 0,
      curvatureShare: 1 - GRADIENTS,
      regions: false,
      force: true,
    });
    const plan = forgotten ? { ...made, gradientNoise: made.gradientNoise / sqrt(STEPS) } : made;
    const [high, low] = [1e9, -1e9].map((response) =>
      Array.from(
        { length: RECORDS },
        (_, i): CentralRecord => ({ features: [SQRT2], response: i === 0 ? response : 0 }),
      ),
    );
    const curvature = (plan.model.hessianBound * (RECORDS - 1)) / RECORDS;
    const deviation = (plan.gradientNoise / curvature) * sqrt(STEPS);
    return (first) => {
      const { iterates } = solve(plan, first ? high : low, random);
      return iterates.reduce((sum, theta) => sum + theta[0], 0) / deviation;
    };
  },
};
