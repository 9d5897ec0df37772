import type { CentralRecord } from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, solve } from 'ldpkit/protocols/noisy-newton';
import type { NoisyAttack } from '../../noisy-fit/privacy.ts';
import { axisRecord, sandwichAttacks } from '../../noisy-fit/sandwich-attack.ts';
import { algorithm } from './algorithm.ts';

const { sqrt, SQRT2 } = Math;

const STEPS = 3;
/** Shares of μ² that are the defaults: of the Hessians in that of the Newton steps, and of the warm-up. */
const HESSIANS = 0.2;
const WARM_UP = 0.2;
const WARM_UP_STEPS = 8;
/** 2B = 2·√2·c, written out; and B̄ for σ = 1. */
const APART = 2 * SQRT2 * 1.345;
const CURVATURE = 2;

const SHARED = { regions: false, force: true } as const;
const LINE = { kind: 'huber', features: 1, intercept: false } as const;

/** `count` records with the feature √2 and the response 0, and one far away. */
const withOutlier = (response: number, count: number, feature: number): readonly CentralRecord[] => [
  { features: [SQRT2], response },
  ...Array.from({ length: count - 1 }, (): CentralRecord => ({ features: [feature], response: 0 })),
];

/**
 * One feature √2, no intercept. All responses but one are 0, with curvature B̄; the one is so far away that its score is −B or B in every
 * step. Without noise on Hessians each iterate forgets the one before, and is normal with means 2B/(nλ) apart and standard deviation
 * σ/λ, λ the curvature: the sum of all iterates tells the two values apart as well as all gradients do.
 */
const gradients: NoisyAttack = {
  key: 'gradients',
  what: 'all iterates',
  mus: [1, 2, 4],
  runs: 6000,
  share: sqrt(1 - HESSIANS),
  close: 0.75,
  control: { label: 'noise without √K', divisor: sqrt(STEPS) },
  statistic(mu, divisor, random) {
    const records = 20;
    const made = newton({ mu, records, model: LINE, steps: STEPS, warmUp: 0, ...SHARED });
    const plan = { ...made, gradientNoise: made.gradientNoise / divisor, hessianNoise: 0 };
    const [high, low] = [1e9, -1e9].map((response) => withOutlier(response, records, SQRT2));
    const curvature = (CURVATURE * (records - 1)) / records;
    const noise = (APART * sqrt(STEPS)) / (records * mu * sqrt(1 - HESSIANS));
    return (first) =>
      solve(plan, first ? high : low, random).iterates.reduce((sum, theta) => sum + theta[0], 0) /
      ((noise / curvature) * sqrt(STEPS));
  },
};

/** As the last iterate of gradient descent: steps add up, and only one record has a score. */
const warmUp: NoisyAttack = {
  key: 'warm-up',
  what: 'the last iterate of the warm-up',
  mus: [4],
  runs: 15_000,
  share: sqrt(WARM_UP),
  close: 0.85,
  control: { label: 'half of the noise', divisor: 2 },
  statistic(mu, divisor, random) {
    const records = 3;
    const made = newton({ mu, records, model: LINE, steps: 1, ...SHARED });
    const plan = { ...made, warmUp: { ...made.warmUp, noise: made.warmUp.noise / divisor } };
    const [high, low] = [1e9, -1e9].map((response) => withOutlier(response, records, 0));
    const noise = (APART * sqrt(WARM_UP_STEPS)) / (records * mu * sqrt(WARM_UP));
    const deviation = (noise / CURVATURE) * sqrt(WARM_UP_STEPS);
    return (first) => solve(plan, first ? high : low, random).iterates[WARM_UP_STEPS][0] / deviation;
  },
};

/**
 * Two features, no intercept. Half of the records lie along each axis, with equal scores; the one has none, and lies along the one axis
 * or the other: distinct entries of the Hessians are √2·B̄/n apart. The step of equal scores g along both axes is −H̃⁻¹g: to first order
 * its two entries differ by g·(H̃₁₁ − H̃₂₂)/h², where noise off the diagonal drops out.
 */
const hessians: NoisyAttack = {
  key: 'hessians',
  what: 'a step by a noisy Hessian',
  mus: [8],
  runs: 10_000,
  share: sqrt(HESSIANS),
  close: 0.85,
  control: { label: 'half of the noise', divisor: 2 },
  statistic(mu, divisor, random) {
    const [half, start] = [20, 0.9];
    const records = 2 * half + 1;
    const model = { kind: 'huber', features: 2, intercept: false } as const;
    const made = newton({ mu, records, model, steps: 1, warmUp: 0, start: [start, start], ...SHARED });
    const plan = { ...made, gradientNoise: 0, hessianNoise: made.hessianNoise / divisor };
    const others = Array.from({ length: 2 * half }, (_, i) => axisRecord(i % 2, 0));
    const [first, second] = [0, 1].map((axis) => [...others, axisRecord(axis, SQRT2 * start)]);
    const gradient = (half * SQRT2 * SQRT2 * start) / records;
    const curvature = (CURVATURE * (half + 0.5)) / records;
    const noise = (SQRT2 * CURVATURE) / (records * mu * sqrt(HESSIANS));
    const deviation = (SQRT2 * noise * gradient) / curvature ** 2;
    return (isFirst) => {
      const { theta } = solve(plan, isFirst ? first : second, random);
      return (theta[0] - theta[1]) / deviation;
    };
  },
};

/** Attacks on every kind of release. */
export const attacks: readonly NoisyAttack[] = [
  gradients,
  hessians,
  warmUp,
  ...sandwichAttacks(algorithm, (plan) => ({
    ...plan,
    gradientNoise: 0,
    hessianNoise: 0,
    warmUp: { ...plan.warmUp, noise: 0 },
  })),
];
