import { checkNonNegative, checkOpenUnit, checkPositive, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { normalCdf, normalDensity } from '../numeric/normal.ts';
import type { LossConstants } from './margin-loss.ts';

const { SQRT2, abs, exp, hypot, log1p, max, min, sqrt } = Math;

/**
 * A convex loss of an inner product and a response that is not a sign: ℓ(w; x, y) = f(⟨w, x⟩, y), whose gradient is
 * f′(⟨w, x⟩, y)·x. Derivatives are with respect to the inner product.
 *
 * Source: Wang, Smith, Xu 2020, remark 15.
 */
export interface ResponseLoss {
  /** The name of the loss in a printed result or a plot. */
  readonly name: string;
  /** f(⟨w, x⟩, y). */
  value(inner: number, y: number): number;
  /** f′(⟨w, x⟩, y); at a kink one of the subgradients; each loss documents which one. */
  derivative(inner: number, y: number): number;
  /** f″(⟨w, x⟩, y) where it exists; 0 at a kink. */
  secondDerivative(inner: number, y: number): number;
  /** The constants for |⟨w, x⟩| ≤ R and |y| ≤ 1; R = 1 by default. */
  constantsOn(radius?: number): LossConstants;
  /** Whether f′ jumps where ⟨w, x⟩ = y. */
  readonly kinked: boolean;
}

/** The constants that a loss has for every radius. */
export function everywhere(constants: LossConstants): ResponseLoss['constantsOn'] {
  return (radius = 1) => {
    checkPositive('radius', radius);
    return constants;
  };
}

/**
 * The squared loss ½(⟨w, x⟩ − y)² of linear regression. For |⟨w, x⟩| ≤ R and |y| ≤ 1 it is (1 + R)-Lipschitz, 2 on the unit
 * ball, and 1-smooth.
 * @theorem noninteractive Remark 15
 */
export function squaredLoss(): ResponseLoss {
  return {
    name: 'squared',
    value: (inner, y) => 0.5 * (inner - y) * (inner - y),
    derivative: (inner, y) => inner - y,
    secondDerivative: () => 1,
    constantsOn: (radius = 1) => ({ lipschitz: 1 + checkPositive('radius', radius), smoothness: 1 }),
    kinked: false,
  };
}

/**
 * The ℓ₁ loss |⟨w, x⟩ − y| of median regression, 1-Lipschitz. At ⟨w, x⟩ = y the derivative is 1, its value from the right.
 * @theorem noninteractive Remark 15
 */
export function absoluteResponseLoss(): ResponseLoss {
  return {
    name: 'absolute',
    value: (inner, y) => abs(inner - y),
    derivative: (inner, y) => (inner < y ? -1 : 1),
    secondDerivative: () => 0,
    constantsOn: everywhere({ lipschitz: 1, smoothness: Infinity }),
    kinked: true,
  };
}

/**
 * The check loss of quantile regression convolved with a logistic density of scale h: τr + h·log(1 + e^(−r/h)) for the
 * residual r = y − ⟨w, x⟩. max(τ, 1 − τ)-Lipschitz and 1/(4h)-smooth in ⟨w, x⟩, for every response. Its minimiser is the
 * quantile of (response plus independent logistic noise of scale h): its error is O(h²).
 * Source: Fernandes, Guerre, Horta 2021, Smoothing quantile regressions.
 */
export function smoothedQuantileLoss(options: { readonly tau: number; readonly bandwidth: number }): ResponseLoss {
  const tau = checkOpenUnit('tau', options.tau);
  const bandwidth = checkPositive('bandwidth', options.bandwidth);
  return {
    name: `smoothed quantile ${tau} (bandwidth ${bandwidth})`,
    value(inner, y) {
      const r = y - inner;
      // log(1 + e^(−t)) without overflow: only e^(−|t|) is computed.
      return tau * r + bandwidth * log1p(exp(-abs(r) / bandwidth)) + max(0, -r);
    },
    derivative: (inner, y) => sigmoid((inner - y) / bandwidth) - tau,
    secondDerivative(inner, y) {
      const share = sigmoid(-abs(y - inner) / bandwidth);
      return (share * (1 - share)) / bandwidth;
    },
    constantsOn: everywhere({ lipschitz: max(tau, 1 - tau), smoothness: 1 / (4 * bandwidth) }),
    kinked: false,
  };
}

/** The default c: 95 % of the efficiency of least squares for normal residuals. */
export const HUBER_THRESHOLD = 1.345;

/** sup of w(x)·‖x‖ under {@link mallowsWeight}: √2, reached at ‖x‖ = √2. */
export const MALLOWS_NORM: number = SQRT2;

/** sup of w(x)·‖x‖² under {@link mallowsWeight}: 2, for every ‖x‖ ≥ √2. */
export const MALLOWS_CURVATURE = 2;

export interface HuberOptions {
  /** c > 0, in units of σ: residuals beyond it have no larger influence; {@link HUBER_THRESHOLD} by default. */
  readonly threshold?: number;
  /** σ > 0, the scale of residuals, assumed known; 1 by default. */
  readonly scale?: number;
}

/** ρ_c(u): ½u² for |u| ≤ c, c|u| − ½c² beyond. Source: Huber 1964, Robust estimation of a location parameter. */
export function huberValue(u: number, threshold: number): number {
  const size = abs(u);
  return size <= threshold ? 0.5 * u * u : threshold * (size - 0.5 * threshold);
}

/** ψ_c(u) = ρ_c′(u): u, clipped to [−c, c]. */
export function huberScore(u: number, threshold: number): number {
  return max(-threshold, min(threshold, u));
}

/**
 * The weight min(1, 2/‖x‖²) of a record from its squared norm. It bounds the influence of features: ‖w(x)·x‖ ≤ √2 for
 * every x.
 *
 * Source: Mallows 1975, On some topics in robustness; Avella-Medina, Bradshaw, Loh 2023, example on linear regression.
 * @theorem slides Example: linear regression
 * @theorem online-inference Condition 1
 * @theorem online-rates Condition 1
 */
export function mallowsWeight(squaredNorm: number): number {
  return squaredNorm > 2 ? 2 / squaredNorm : 1;
}

/** sup ‖ψ_c(r/σ)·w(x)·x‖ over all records: √2·c. The ℓ₂ sensitivity of one record's score is twice that. */
export function huberScoreBound(threshold: number): number {
  return MALLOWS_NORM * checkPositive('threshold', threshold);
}

/**
 * The Huber loss σ·ρ_c((y − ⟨w, x⟩)/σ) of robust linear regression with a known scale: c-Lipschitz and 1/σ-smooth in ⟨w, x⟩,
 * for every response.
 * Source: Huber 1973, Robust regression; Avella-Medina, Bradshaw, Loh 2023.
 * @theorem online-inference Example 1
 */
export function huberLoss(options: HuberOptions = {}): ResponseLoss {
  const threshold = checkPositive('threshold', options.threshold ?? HUBER_THRESHOLD);
  const scale = checkPositive('scale', options.scale ?? 1);
  return {
    name: `Huber (threshold ${threshold}, scale ${scale})`,
    value: (inner, y) => scale * huberValue((y - inner) / scale, threshold),
    derivative: (inner, y) => -huberScore((y - inner) / scale, threshold),
    secondDerivative: (inner, y) => (abs(y - inner) < threshold * scale ? 1 / scale : 0),
    constantsOn: (radius = 1) => ({
      lipschitz: min(threshold, (1 + checkPositive('radius', radius)) / scale),
      smoothness: 1 / scale,
    }),
    kinked: false,
  };
}

/**
 * κ_c = E ψ_c(Z)² for a standard normal Z. It makes σ̂ of the joint Huber loss consistent under normal residuals.
 * Source: Huber 1981, Robust statistics, Section 7.7 (proposal 2).
 * @theorem slides Example: linear regression
 * @theorem online-rates Figure 4
 */
export function huberScaleConstant(threshold: number): number {
  const c = checkPositive('threshold', threshold);
  const tail = normalCdf(-c);
  return 1 - 2 * tail - 2 * c * normalDensity(c) + 2 * c * c * tail;
}

/**
 * ∂/∂σ of σ·ρ_c(r/σ) + ½κσ: ½(κ − ψ_c(r/σ)²), a number in [½(κ − c²), ½κ]. `score` is ψ_c(r/σ).
 * Source: Huber 1981, Section 7.7; Avella-Medina, Bradshaw, Loh 2023, joint loss of (β, σ).
 */
export function huberScaleScore(score: number, constant: number): number {
  return 0.5 * (constant - score * score);
}

/** Bounds on the joint gradient for neighbouring data. */
interface JointHuberBounds {
  /** sup of the ℓ₂ distance of two gradients, √(8c² + c⁴/4). */
  readonly sensitivity: number;
  /** sup of the ℓ₂ norm of one gradient, √(2c² + ¼max(κ, c² − κ)²). */
  readonly norm: number;
}

/**
 * Bounds of the gradient (−ψ·w(x)·x, ½(κ − ψ²)·w(x)) of the joint loss of coefficients and scale, with Mallows weights: twice
 * √2·c in the coefficients, and ½c² in the scale, whose entry lies between ½(κ − c²) and ½κ.
 * Source: Avella-Medina, Bradshaw, Loh 2023; printed in the non-asymptotic paper, Section 5.1.
 * @theorem slides Example: linear regression
 * @theorem online-rates Figure 4
 */
export function jointHuberBounds(threshold: number): JointHuberBounds {
  const kappa = huberScaleConstant(threshold);
  const square = threshold * threshold;
  const direction = MALLOWS_NORM * threshold;
  return {
    sensitivity: sqrt(4 * direction * direction + 0.25 * square * square),
    norm: sqrt(direction * direction + 0.25 * max(kappa, square - kappa) ** 2),
  };
}

/**
 * The robust expectile loss σ·|τ − 1(u < 0)|·ρ_c(u) of u = (y − ⟨w, x⟩)/σ: c·max(τ, 1 − τ)-Lipschitz in ⟨w, x⟩, for
 * every response.
 * Source: Newey, Powell 1987 (expectiles); Man, Tan, Wang, Zhou 2024, Retire (robust form).
 * @theorem online-inference Example 3
 */
export function expectileLoss(options: HuberOptions & { readonly tau: number }): ResponseLoss {
  const tau = checkOpenUnit('tau', options.tau);
  const threshold = checkPositive('threshold', options.threshold ?? HUBER_THRESHOLD);
  const scale = checkPositive('scale', options.scale ?? 1);
  const larger = max(tau, 1 - tau);
  const side = (residual: number): number => (residual < 0 ? 1 - tau : tau);
  return {
    name: `expectile ${tau} (threshold ${threshold}, scale ${scale})`,
    value: (inner, y) => side(y - inner) * scale * huberValue((y - inner) / scale, threshold),
    derivative: (inner, y) => -side(y - inner) * huberScore((y - inner) / scale, threshold),
    secondDerivative: (inner, y) => (abs(y - inner) < threshold * scale ? side(y - inner) / scale : 0),
    constantsOn: (radius = 1) => ({
      lipschitz: larger * min(threshold, (1 + checkPositive('radius', radius)) / scale),
      smoothness: larger / scale,
    }),
    kinked: false,
  };
}

/** What is public about records and coefficients before anybody answers. */
export interface RecordBounds {
  readonly features: number;
  /** Y ≥ 0: a response is at most this far from 0. For losses of numbers; labels need none. */
  readonly response?: number;
  /** R > 0: all coefficients with the intercept have at most this norm. Needed if the slope of the loss is unbounded. */
  readonly radius?: number;
}

export function checkRecordBounds(bounds: RecordBounds | undefined): RecordBounds {
  if (bounds === null || typeof bounds !== 'object') {
    throw new RefusedKind('model.bounds', 'an object with public bounds, for the clip bounds', bounds);
  }
  const { features, response, radius } = bounds;
  return {
    features: checkPositive('model.bounds.features', features),
    ...(response === undefined ? {} : { response: checkNonNegative('model.bounds.response', response) }),
    ...(radius === undefined ? {} : { radius: checkPositive('model.bounds.radius', radius) }),
  };
}

/** √(1 + r²) or r: the largest norm of a record with its intercept. */
export function recordNorm({ features }: RecordBounds, intercept: boolean): number {
  return hypot(features, intercept ? 1 : 0);
}

/**
 * sup |f′(t, y)| over |t| ≤ R·‖x‖ and all responses within the bounds.
 * Law: f is convex in t, so that f′ grows with t; in a numeric response, of which losses see the residual only, it falls.
 * So |f′| is largest at a corner: at t = ±R·‖x‖, and y = ±Y or a label.
 * Shape: `labels`, the possible responses where they are labels; `lipschitz`, sup |f′| everywhere.
 */
export function largestSlope(
  {
    loss,
    lipschitz,
    labels,
  }: { readonly loss: ResponseLoss; readonly lipschitz: number; readonly labels?: readonly number[] },
  bounds: RecordBounds,
  norm: number,
): number {
  const { radius, response } = bounds;
  const missing =
    radius === undefined ? 'radius' : labels === undefined && response === undefined ? 'response' : undefined;
  if (missing !== undefined || radius === undefined) {
    if (lipschitz < Infinity) return lipschitz;
    throw new RefusedValue(
      `model.bounds.${missing}`,
      `a number, since the slope of ${loss.name} is unbounded`,
      undefined,
    );
  }
  const responses = labels ?? [-response!, response!];
  const corners = responses.flatMap((y) => [loss.derivative(-radius * norm, y), loss.derivative(radius * norm, y)]);
  return min(lipschitz, max(...corners.map(abs)));
}

/** 1/(1 + e^(−t)), without overflow. */
export function sigmoid(t: number): number {
  const e = exp(-abs(t));
  return t > 0 ? 1 / (1 + e) : e / (1 + e);
}
