import type { Values } from '../../src/core/frame.ts';
import {
  checkNorms,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type Influence,
  type NormLimit,
  privUnitNormLimit,
  sphericalNormLimit,
} from '../../src/core/influence.ts';
import { checkKClosestReport } from '../../src/mechanism/k-closest.ts';
import { noiseDeviation, type OnlineNoise } from './noise.ts';
import type { OnlinePlan } from './plan.ts';

const { hypot, sqrt } = Math;

/** What is refused besides damaged reports, and what is left to a report that is accepted. */
export interface OnlineLimits {
  /** What one accepted report can do. */
  readonly influence: Influence;
  /**
   * Refuses what no player of the plan sends but with probability 10⁻¹² at most.
   *
   * @throws ReportError.
   */
  check(values: Values): void;
  /** Where a report is the noisy gradient and nothing else: the largest square of its norm. −1 for all others. */
  readonly largestSquare: number;
}

const TAIL = 'tail of chi-square, Laurent and Massart 2000, lemma 1';

/** The inequality behind a limit. */
const THEOREMS: { readonly [law in OnlineNoise['law']]: string } = {
  gaussian: TAIL,
  grid: TAIL,
  laplace: `${TAIL}, of twice a gamma variable`,
  unit: `${TAIL}, times keep/cap`,
  none: 'gradients of the model are bounded',
};

interface GradientLimit {
  /** Largest norm of the entries of a report, in their own units. */
  readonly norm: number;
  /** What one of these units is in units of the gradient. */
  readonly unit: number;
}

/** The norm that the gradient of an honest report exceeds with a probability of at most `refusal`. */
function gradientLimit({ model, noise }: OnlinePlan, refusal: number): GradientLimit {
  const { dimension, gradientBound } = model;
  switch (noise.law) {
    case 'none':
      return { norm: gaussianNormLimit(gradientBound, 0, dimension, refusal), unit: 1 };
    case 'gaussian':
      // σ is that of the smallest budget: a report does not say whose it is.
      return { norm: gaussianNormLimit(gradientBound, noise.sigma, dimension, refusal), unit: 1 };
    case 'laplace': {
      // The ℓ₂ norm of the noise is at most its ℓ₁ norm, which is gamma with shape p.
      const rate = gradientBound / noise.scale;
      return { norm: gradientBound * sphericalNormLimit({ noiseDimension: dimension, rate }, refusal), unit: 1 };
    }
    case 'grid': {
      const { radius, sigma, step } = noise.mechanism;
      return { norm: gaussianNormLimit(radius, sigma, dimension, refusal), unit: gradientBound * step };
    }
    case 'unit': {
      const { mechanism } = noise;
      // A direction is expanded in doubles: a unit vector up to their rounding.
      if (mechanism.name === 'k-closest') return { norm: mechanism.scale * (1 + 1e-9), unit: gradientBound };
      return { norm: privUnitNormLimit(mechanism, refusal), unit: gradientBound };
    }
  }
}

function limitsOf(plan: OnlinePlan): OnlineLimits {
  const { model, noise, hessian, gradientLength, length } = plan;
  // Both parts together refuse no more than one honest report in 10¹².
  const refusal = hessian === undefined ? HONEST_REFUSAL : HONEST_REFUSAL / 2;
  const gradient = gradientLimit(plan, refusal);
  const limits: NormLimit[] = [{ from: 0, to: gradientLength, norm: gradient.norm }];
  let reportNorm = gradient.norm * gradient.unit;
  let honestNorm = hypot(model.gradientBound, sqrt(model.dimension) * noiseDeviation(model, noise));
  if (hessian !== undefined) {
    const { bound, mechanism } = hessian;
    const norm = gaussianNormLimit(bound, mechanism.sigma, mechanism.dimension, refusal);
    limits.push({ from: gradientLength, to: length, norm });
    reportNorm = hypot(reportNorm, norm);
    honestNorm = hypot(honestNorm, bound, sqrt(mechanism.dimension) * mechanism.sigma);
  }
  if (noise.law === 'unit') honestNorm = model.gradientBound * sqrt(1 + noise.mechanism.squaredError);
  if (noise.law === 'unit' && noise.mechanism.name === 'k-closest') {
    const { mechanism } = noise;
    const theorem = 'every codeword has the same norm';
    return {
      influence: { reportNorm, bound: reportNorm, honestNorm, honestRefusal: 0, theorem },
      check: (values) => checkKClosestReport(mechanism, values),
      largestSquare: -1,
    };
  }
  const direct = hessian === undefined && noise.law !== 'unit' && noise.law !== 'grid';
  const honestRefusal = noise.law === 'none' ? 0 : HONEST_REFUSAL;
  return {
    influence: { reportNorm, bound: reportNorm, honestNorm, honestRefusal, theorem: THEOREMS[noise.law] },
    check: (values) => checkNorms(limits, values),
    largestSquare: direct ? gradient.norm * gradient.norm : -1,
  };
}

// Limits are computed once for each plan; and those of the last call, so that a stream looks nothing up.
const known = new WeakMap<OnlinePlan, OnlineLimits>();
let lastPlan: OnlinePlan | undefined;
let last: OnlineLimits | undefined;

/** The limits of the reports of a plan. */
export function onlineLimits(plan: OnlinePlan): OnlineLimits {
  if (plan === lastPlan && last !== undefined) return last;
  let limits = known.get(plan);
  if (limits === undefined) {
    limits = limitsOf(plan);
    known.set(plan, limits);
  }
  lastPlan = plan;
  last = limits;
  return limits;
}

/**
 * How far one accepted report can move the sum of the gradients of its step, and with it, where Hessians are released, their sum.
 * A report of step i moves the next iterate by at most γ·i^(−α)/b times the bound on the gradient, b the reports of a step.
 *
 * Units: of the gradient, and of the Hessian beside it.
 */
export function onlineInfluence(plan: OnlinePlan): Influence {
  return onlineLimits(plan).influence;
}
