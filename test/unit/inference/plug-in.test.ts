import { describe, expect, test } from '@jest/globals';
import {
  addReleasedHessian,
  createHessianSum,
  hessianRelease,
  meanHessian,
  randomizeHessian,
} from '../../../src/inference/hessian-release.ts';
import { type ConfidenceInterval, normalIntervals, sandwich } from '../../../src/inference/interval.ts';
import { averageIterate, createRandomScaling, extendRandomScaling } from '../../../src/inference/iterate-average.ts';
import {
  addReleasedGradient,
  createReleasedGradients,
  gradientSecondMoment,
  regressionHessian,
} from '../../../src/inference/released-gradients.ts';
import { bits } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { coverage } from '../../statistics/coverage.ts';
import { FAST, runLinear } from './linear-sgd.ts';

// Two factors m, each with probability ½, with E m·mᵀ = A = [1, .2; .2, .9].
const FACTORS = [Float64Array.of(1, 0.2 + Math.sqrt(0.86)), Float64Array.of(1, 0.2 - Math.sqrt(0.86))];
const BOUND = Math.max(...FACTORS.map((m) => m[0] * m[0] + m[1] * m[1]));

// Coverage 0.95 of 800 runs has a standard error of 0.0077; 4 of them and 0.01 for the finite stream make 0.041: one false
// alarm in 8000 for each of the numbers. The control leaves the Hessian out, as if A were 1.6 times as large.
describe('local plug-in intervals for the averaged SGD', () => {
  const runs = 800;
  const steps = 5000;
  const released: (readonly ConfidenceInterval[])[] = [];
  const regressed: (readonly ConfidenceInterval[])[] = [];
  const control: (readonly ConfidenceInterval[])[] = [];
  const release = hessianRelease({ dimension: 2, bound: BOUND, mu: 1 });
  const target = new Float64Array(3);
  const random = seededRandom('plug-in');
  for (let run = 0; run < runs; run++) {
    const path = createRandomScaling(2);
    const gradients = createReleasedGradients(2);
    const hessians = createHessianSum(2);
    const own = random.stream(2 * run);
    random.seek(2 * run + 1);
    runLinear(FAST, steps, random, (iterate, gradient, before) => {
      extendRandomScaling(path, iterate);
      addReleasedGradient(gradients, gradient, before);
      randomizeHessian(release, FACTORS[bits(own) & 1], target, own);
      addReleasedHessian(hessians, target);
    });
    const mean = averageIterate(path);
    const gradient = gradientSecondMoment(gradients);
    const intervals = (hessian: Float64Array): readonly ConfidenceInterval[] => {
      const { covariance } = sandwich({ dimension: 2, hessian, gradient, hessianFloor: 0.1 });
      return normalIntervals(mean, covariance, steps, { level: 0.95 });
    };
    released.push(intervals(meanHessian(hessians)));
    regressed.push(intervals(regressionHessian(gradients)));
    control.push(intervals(meanHessian(hessians).map((entry) => 1.6 * entry)));
  }

  test('with a Hessian from an extra local release cover with the asked probability', () => {
    for (const { share } of coverage(released, FAST.truth)) expect(Math.abs(share - 0.95)).toBeLessThan(0.041);
  });

  test('with a Hessian read off the released gradients, at no cost, cover too', () => {
    for (const { share } of coverage(regressed, FAST.truth)) expect(Math.abs(share - 0.95)).toBeLessThan(0.041);
  });

  test('control: a Hessian that is too large makes intervals that do not', () => {
    for (const { share } of coverage(control, FAST.truth)) expect(Math.abs(share - 0.95)).toBeGreaterThan(0.041);
  });
});
