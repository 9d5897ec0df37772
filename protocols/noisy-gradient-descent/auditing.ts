import type { Auditing } from '../../src/core/auditing.ts';
import {
  type AttackedRecords,
  neighbours,
  normalLogRatio,
  releasedNumbers,
  sandwichLogRatio,
} from './m-estimation/attack.ts';
import type { NoisyFit } from './m-estimation/fit.ts';
import { meanScore } from './m-estimation/moments.ts';
import type { NoisyGradientDescentPlan } from './parameters.ts';

/**
 * What an audit of the curator may use: the attacker knows all records but the first. The released iterates show every noisy gradient,
 * g̃ = (θ⁽ᵏ⁾ − θ⁽ᵏ⁺¹⁾)/η, so that the likelihood ratio of all that is released is known exactly.
 */
export const auditing: Auditing<NoisyGradientDescentPlan, AttackedRecords, NoisyFit> = {
  pairs: neighbours,
  view: releasedNumbers,
  logLikelihoodRatio(plan, pair) {
    const { model, step, noise } = plan;
    // A step that was moved back to the least scale does not show its gradient.
    if (model.leastScale !== undefined) return undefined;
    const { dimension } = model;
    const [gradient, one, other] = [0, 1, 2].map(() => new Float64Array(dimension));
    return (fit) => {
      const { iterates } = fit;
      let sum = sandwichLogRatio(plan, fit, pair);
      for (let k = 0; k + 1 < iterates.length; k++) {
        for (let i = 0; i < dimension; i++) gradient[i] = (iterates[k][i] - iterates[k + 1][i]) / step;
        meanScore(model, pair.first, iterates[k], one);
        meanScore(model, pair.second, iterates[k], other);
        sum += normalLogRatio(gradient, one, other, noise * noise);
      }
      return sum;
    };
  },
};
