import type { CentralRecord } from '../../../src/protocol/m-estimation/moments.ts';
import type { NoisyAttack } from '../../../src/simulation/noisy-fit/privacy.ts';
import { descend } from '../curator.ts';
import { descent } from '../parameters.ts';

const { sqrt, SQRT2 } = Math;

const RECORDS = 3;
const STEPS = 20;

/**
 * One feature, no intercept. All records but one have the feature 0 and no score; the one has √2 and a response so far away that its
 * score is −B or B in every step: θ⁽ᴷ⁾ is normal with means 2Bη·K/n apart and standard deviation η·σ·√K, so that it is exactly as
 * hard to tell the two apart as μ says, and the last iterate alone gives everything away.
 */
export const attack: NoisyAttack = {
  theorems: ['Gaussian mechanism', 'Composition, product', 'Noisy gradient descent'],
  what: 'the last iterate',
  runs: 10_000,
  share: 1,
  close: 0.75,
  statistic({ mu, forgotten }, random) {
    const made = descent({
      mu,
      records: RECORDS,
      model: { kind: 'huber', features: 1, intercept: false },
      steps: STEPS,
      regions: false,
      force: true,
    });
    const plan = forgotten ? { ...made, noise: made.noise / sqrt(STEPS) } : made;
    const [high, low] = [1e9, -1e9].map((response) =>
      Array.from(
        { length: RECORDS },
        (_, i): CentralRecord => ({ features: [i === 0 ? SQRT2 : 0], response: i === 0 ? response : 0 }),
      ),
    );
    const deviation = plan.step * plan.noise * sqrt(STEPS);
    return (first) => descend(plan, first ? high : low, random).theta[0] / deviation;
  },
};
