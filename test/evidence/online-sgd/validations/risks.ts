import { bits, type PlainRequest } from 'ldpkit';
import { uniform } from 'ldpkit/mechanism';
import { sigmoid } from 'ldpkit/optimize';
import type { StreamPopulation } from 'ldpkit/protocols/online-sgd';
import type { StreamRecord } from '../reproductions/population.ts';
import { type QuadraticFields, type QuadraticLaw, quadraticLaw, UNIFORM_VARIANCE } from './quadratic-law.ts';

const { abs, cbrt, exp, log1p, max, sqrt } = Math;

/**
 * The risks that bounds are measured on. `square`: a quadratic function with the Hessian diag(1, ½), exactly; `even`: with the
 * Hessian I, and so much noise that the first bound is nearly an equality. `logit`: logistic
 * regression on a constant, strongly convex near its minimiser and with a third derivative there. `quartic`: the median of a law
 * without mass at it, so that F(θ) − F(0) = θ⁴/4 for |θ| ≤ 1: convex and smooth, not strongly convex. `far`: the same, from far away.
 */
export type RiskKind = 'square' | 'even' | 'logit' | 'quartic' | 'far';

/** A risk, where its records come from, and how far a parameter is from the minimum. */
export interface Risk {
  readonly population: StreamPopulation<StreamRecord>;
  /** ‖θ − θ*‖². */
  error(theta: Float64Array): number;
  /** F(θ) − F(θ*). */
  loss(theta: Float64Array): number;
  /** The first coordinate of θ*. */
  readonly minimiser: number;
  /** m, the strong convexity around θ*; 0 for the quartic risk. */
  readonly strongConvexity: number;
  /** M, the smoothness. */
  readonly smoothness: number;
}

const QUARTIC: PlainRequest = {
  variant: 'gdp',
  mu: 4,
  model: { kind: 'response', loss: 'absolute', features: 1, intercept: false },
  rate: 0.5,
  inference: [],
};

/** What a plan for a risk is made from, but for the decay. Clipping norms are hardly ever reached. */
export const RISK_REQUESTS: { readonly [kind in RiskKind]: PlainRequest } = {
  square: {
    variant: 'gdp',
    mu: 4,
    model: { kind: 'response', loss: 'squared', features: 1, clip: 4 },
    rate: 1,
    start: [1.2, 1],
    inference: [],
  },
  even: {
    variant: 'gdp',
    mu: 1,
    model: { kind: 'response', loss: 'squared', features: 1, clip: 4 },
    start: [1.2, 1],
    inference: [],
  },
  logit: {
    variant: 'gdp',
    mu: 2,
    model: { kind: 'logistic', features: 1, intercept: false },
    rate: 2,
    start: [1],
    inference: [],
  },
  quartic: { ...QUARTIC, start: [1] },
  far: { ...QUARTIC, start: [100] },
};

/** δ₀ = ‖θ₀ − θ*‖² of the starts above. */
export const RISK_STARTS: { readonly [kind in RiskKind]: number } = {
  square: 0.04,
  even: 0.04,
  logit: 0,
  quartic: 1,
  far: 1e4,
};

/** The feature of `square` is ±√½, and its noise uniform on [−½, ½]. */
const SPREAD: number = sqrt(0.5);

/** Laws that were computed: up to n = 10⁶ they take longer than a report. */
const LAWS = new Map<string, QuadraticLaw>();

/** The exact second moments of the quadratic risks; the variance of the noise is 4C₀²/μ², as the theorem says, not the plan's own. */
export function riskLaw(
  kind: 'square' | 'even',
  { rate, decay }: { readonly rate: number; readonly decay: number },
  checkpoints: readonly number[],
): QuadraticLaw {
  const key = `${kind}/${rate}/${decay}/${checkpoints.join('/')}`;
  const known = LAWS.get(key);
  if (known !== undefined) return known;
  const [clip, mu] = kind === 'square' ? [4, 4] : [4, 1];
  const noise = (2 * clip) ** 2 / mu ** 2;
  const fields: QuadraticFields = {
    squares: [1, kind === 'square' ? 0.5 : 1],
    noise: () => noise,
    response: UNIFORM_VARIANCE,
    rate,
    decay,
    start: [0.04, 0],
  };
  const law = quadraticLaw(fields, checkpoints);
  LAWS.set(key, law);
  return law;
}

/** Records with `features` signs of size `spread` and y = 1 + Σ x_j + u, u uniform on [−½, ½]: all coefficients are 1. */
export function signPopulation(features: number, spread: number): StreamPopulation<StreamRecord> {
  return {
    create: () => ({ features: new Float64Array(features), response: 0 }),
    draw(record, random) {
      let y = 0.5 + uniform(random);
      for (let j = 0; j < features; j++) y += record.features[j] = bits(random) & 1 ? spread : -spread;
      record.response = y;
    },
  };
}

/** The risk of a kind. */
export function riskOf(kind: RiskKind): Risk {
  switch (kind) {
    case 'square':
      return {
        population: signPopulation(1, SPREAD),
        error: ([a, b]) => (a - 1) ** 2 + (b - 1) ** 2,
        loss: ([a, b]) => 0.5 * (a - 1) ** 2 + 0.25 * (b - 1) ** 2,
        minimiser: 1,
        strongConvexity: 0.5,
        smoothness: 1,
      };
    case 'even':
      return {
        population: signPopulation(1, 1),
        error: ([a, b]) => (a - 1) ** 2 + (b - 1) ** 2,
        loss: ([a, b]) => 0.5 * ((a - 1) ** 2 + (b - 1) ** 2),
        minimiser: 1,
        strongConvexity: 1,
        smoothness: 1,
      };
    case 'logit': {
      const share = sigmoid(1);
      const risk = (theta: number): number => max(theta, 0) + log1p(exp(-abs(theta))) - share * theta;
      const least = risk(1);
      return {
        population: {
          create: () => ({ features: Float64Array.of(1), response: 0 }),
          draw(record, random) {
            record.response = uniform(random) < share ? 1 : 0;
          },
        },
        error: ([theta]) => (theta - 1) ** 2,
        loss: ([theta]) => max(0, risk(theta) - least),
        minimiser: 1,
        strongConvexity: share * (1 - share),
        smoothness: 0.25,
      };
    }
    case 'quartic':
    case 'far':
      return {
        population: {
          create: () => ({ features: Float64Array.of(1), response: 0 }),
          // |y| has the distribution function t³ on [0, 1]: F′(θ) = P(y < θ) − P(y > θ) = θ³.
          draw(record, random) {
            record.response = cbrt(2 * uniform(random) - 1);
          },
        },
        error: ([theta]) => theta * theta,
        loss: ([theta]) => (abs(theta) < 1 ? theta ** 4 / 4 : abs(theta) - 0.75),
        minimiser: 0,
        strongConvexity: 0,
        smoothness: 3,
      };
  }
}
