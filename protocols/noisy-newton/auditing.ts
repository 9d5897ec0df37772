import type { Auditing } from '../../src/core/auditing.ts';
import { unpackSymmetric } from '../../src/inference/packed-symmetric.ts';
import {
  type AttackedRecords,
  neighbours,
  normalLogRatio,
  releasedNumbers,
  sandwichLogRatio,
} from '../noisy-gradient-descent/m-estimation/attack.ts';
import type { NoisyFit } from '../noisy-gradient-descent/m-estimation/fit.ts';
import { curvatureMoment, meanScore } from '../noisy-gradient-descent/m-estimation/moments.ts';
import type { NoisyNewtonPlan } from './parameters.ts';

/**
 * What an audit of the curator may use: the attacker knows all records but the first. The warm-up and the sandwich show what was
 * released exactly. A Newton step Δ = −H̃⁻¹g̃ shows only that g̃ + H̃Δ = 0: given Δ, −(g + HΔ) is noise of variance
 * σ_g² + σ_H²‖Δ‖² or, in one direction, a little more.
 *
 * Law: the ratio of a Newton step is an approximation, so that what it proves is less than the best attack could; what it proves holds
 * all the same, since it is counted.
 */
export const auditing: Auditing<NoisyNewtonPlan, AttackedRecords, NoisyFit> = {
  pairs: neighbours,
  view: releasedNumbers,
  logLikelihoodRatio(plan, pair) {
    const { model, warmUp, gradientNoise, hessianNoise } = plan;
    if (model.leastScale !== undefined) return undefined;
    const { dimension } = model;
    const [point, move, one, other] = [0, 1, 2, 3].map(() => new Float64Array(dimension));
    const zero = new Float64Array(dimension);
    const expected = (records: AttackedRecords, theta: Float64Array, target: Float64Array, newton: boolean): void => {
      meanScore(model, records, theta, target);
      if (!newton) return;
      const hessian = unpackSymmetric(curvatureMoment(model, records, theta), dimension);
      for (let i = 0; i < dimension; i++) {
        for (let j = 0; j < dimension; j++) target[i] += hessian[i * dimension + j] * move[j];
      }
    };
    return (fit) => {
      const { iterates } = fit;
      let sum = sandwichLogRatio(plan, fit, pair);
      for (let k = 0; k + 1 < iterates.length; k++) {
        let squared = 0;
        for (let i = 0; i < dimension; i++) {
          move[i] = iterates[k + 1][i] - iterates[k][i];
          squared += move[i] * move[i];
        }
        const newton = k >= warmUp.steps;
        expected(pair.first, iterates[k], one, newton);
        expected(pair.second, iterates[k], other, newton);
        if (!newton) for (let i = 0; i < dimension; i++) point[i] = -move[i] / warmUp.step;
        const variance = newton ? gradientNoise ** 2 + hessianNoise ** 2 * squared : warmUp.noise ** 2;
        sum += normalLogRatio(newton ? zero : point, one, other, variance);
      }
      return sum;
    };
  },
};
