import { checkInteger, checkPositive, checkVector, checkWord, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { euclideanNorm, projectBall } from '../numeric/matrix.ts';
import { ballStart } from './ball.ts';
import { checkQuality, type OracleQuality, type StochasticOracle } from './oracle.ts';

const { ceil, max, min, sqrt } = Math;

/** What the step and the bound of averaged projected SGD depend on. */
export interface AveragedSgdSetting extends OracleQuality {
  readonly steps: number;
  readonly radius: number;
  /** A bound D > 0 on the distance from the start to a minimiser; the radius and the length of the start if left out. */
  readonly distance?: number;
  /** The constant step η > 0; 1/(L + σ√T/D) if left out. */
  readonly stepSize?: number;
}

export interface AveragedSgdOptions extends AveragedSgdSetting {
  readonly oracle: StochasticOracle;
  readonly start?: Float64Array;
}

/** The average of the iterates, and the bound on its gap. */
export interface AveragedSgdResult {
  readonly point: Float64Array;
  readonly stepSize: number;
  /** The bound on E φ(point) − φ⋆ over the oracle's draws; Infinity if there is none: see {@link averagedSgdBound}. */
  readonly bound: number;
}

/** The share of iterate t in the average of the iterates 1 to t: of the last half of them, rounded up, and equally. */
function shareOf(t: number, steps: number): number {
  const before = steps - max(1, ceil(0.5 * steps));
  return t <= before ? 0 : 1 / (t - before);
}

function stepOf(setting: AveragedSgdSetting): number {
  const { smoothness, deviation } = checkQuality(setting);
  const steps = checkInteger('steps', setting.steps, 0);
  const distance = checkPositive('distance', setting.distance ?? checkPositive('radius', setting.radius));
  if (setting.stepSize !== undefined) return checkPositive('stepSize', setting.stepSize);
  return 1 / (smoothness + (deviation * sqrt(max(steps, 1))) / distance);
}

/**
 * The bound on the expected gap of averaged projected SGD after T steps, for a convex function; Infinity for no step,
 * for η > 1/L, and with noise for η = 1/L.
 * Law: let `d_t = E‖w_t − w⋆‖²`, c = 1/η − L and F = σ²/2c + γ + 2RΔ. One step has
 * `2η·E[φ(w_t) − φ⋆] ≤ d_{t−1} − d_t + 2ηF`, so `d_t ≤ min(4R², D² + 2tηF)`, and an average with rising weights ω and
 * sum Ω has a gap of at most `Σ(ω_t − ω_{t−1})·d_{t−1}/(2ηΩ) + F`. Here ω is 0 for the first half and 1 from there on.
 * A function that is only M-Lipschitz has smoothness 0 and deviation σ + 2M.
 * Source: the usual argument for smooth stochastic approximation, Lan (2012); suffixes: Rakhlin, Shamir and Sridharan
 * (2012).
 */
export function averagedSgdBound(setting: AveragedSgdSetting): number {
  const { smoothness, deviation, inexactness, gradientBias } = checkQuality(setting);
  const stepSize = stepOf(setting);
  const { steps, radius, distance = radius } = setting;
  checkPositive('radius', radius);
  const spare = 1 / stepSize - smoothness;
  if (steps === 0 || spare < 0 || (spare === 0 && deviation > 0)) return Infinity;
  const noise = deviation > 0 ? deviation ** 2 / (2 * spare) : 0;
  const floor = noise + inexactness + 2 * radius * gradientBias;
  // Σ_{s≤t}(ω_s − ω_{s−1})·d_{s−1}/Ω_t, from its value at t − 1: only the shares ω_t/Ω_t are needed.
  let spread = 0;
  let previous = 0;
  for (let t = 1; t <= steps; t++) {
    const part = shareOf(t, steps);
    const rise = part - previous * (1 - part);
    spread = (1 - part) * spread + rise * min(4 * radius ** 2, distance ** 2 + 2 * (t - 1) * stepSize * floor);
    previous = part;
  }
  return spread / (2 * stepSize) + floor;
}

/**
 * Minimises a convex function over a ball from a stochastic oracle: projected stochastic gradient steps of constant
 * size, and the average of the last half of the iterates. With 0 steps the result is the start.
 * Law: expected gap of order LD²/T + σD/√T, the bound of {@link averagedSgdBound}.
 * Source: suffix averaging: Rakhlin, Shamir and Sridharan (2012).
 * @throws TypeError or RangeError naming the field, RangeError for an answer of the oracle that is not finite.
 */
export function averagedSgd(options: AveragedSgdOptions): AveragedSgdResult {
  const { oracle, radius, steps } = options;
  const { dimension } = oracle;
  const iterate = ballStart(dimension, radius, options.start);
  const setting = { ...options, distance: options.distance ?? radius + euclideanNorm(iterate) };
  const stepSize = stepOf(setting);
  const bound = averagedSgdBound(setting);
  const point = iterate.slice();
  const answer = new Float64Array(dimension);
  for (let t = 1; t <= steps; t++) {
    oracle.gradient(iterate, answer);
    checkVector('gradient', answer);
    for (let i = 0; i < dimension; i++) iterate[i] -= stepSize * answer[i];
    projectBall(iterate, radius);
    const part = shareOf(t, steps);
    if (part > 0) for (let i = 0; i < dimension; i++) point[i] += part * (iterate[i] - point[i]);
  }
  return { point, stepSize, bound };
}

/** The options of a run of the stochastic intermediate gradient method on a ball. */
export interface SigmOptions extends SigmSetting {
  /** Called exactly `iterations` times. */
  readonly oracle: StochasticOracle;
  /** The prox centre x₀, in the ball; the origin if left out. */
  readonly start?: Float64Array;
}

/** Where the method stopped, and the bound on its gap. */
export interface SigmResult {
  readonly point: Float64Array;
  /** The bound on E φ(y_k) − φ⋆ over the oracle's draws, for a convex φ whose oracle has the given quality. */
  readonly bound: number;
}

/**
 * Minimises a convex function over a ball from a stochastic inexact oracle: the stochastic intermediate gradient method
 * with Euclidean prox. With 0 calls the result is the start.
 *
 * `y_0 = z_0 = Π(x_0 − (α_0/β_0)·G_0)`, and then, with α, B and A of index k + 1 and τ = α/B:
 * `z_k = Π(x_0 − (Σα_i·G_i)/β_k)`, `x_{k+1} = τ·z_k + (1−τ)·y_k`, `x̂ = Π(z_k − (α/β_k)·G_{k+1})`,
 * `w = τ·x̂ + (1−τ)·y_k`, `y_{k+1} = ((A−B)·y_k + B·w)/A`.
 *
 * Law: let l_i be the linear function of answer i and Ψ_k = (β_k/2)‖· − x₀‖² + Σα_i·l_i, least at z_k. By induction
 * A_k·φ(y_k) ≤ min Ψ_k + E_k in expectation. Indeed, Ψ at k + 1 is at least min Ψ_k + (β_k/2)‖x − z_k‖² + α·l(x), least
 * at x̂. With φ(y_k) ≥ l(y_k) that is at least (A−B)·φ(y_k) + B·[l(w) + (β_k·B/2α²)·‖w − x‖²], x the new query, where
 * β_k·B/α² is at least the new β. Definition 7 and convexity complete the proof, and add B·(γ + σ²/2(β−L)) to E. An
 * error e of the mean answer enters only as α·⟨e, x⋆ − x̂⟩ ≤ 2RΔ·α.
 *
 * Source: Dvurechensky and Gasnikov (2016), stochastic intermediate gradient method.
 * @throws TypeError or RangeError naming the field, RangeError for an answer of the oracle that is not finite.
 * @theorem noninteractive Lemma 8
 */
export function sigm(options: SigmOptions): SigmResult {
  const { oracle, radius, iterations } = options;
  const { dimension } = oracle;
  const start = ballStart(dimension, radius, options.start);
  // No minimiser in the ball is farther from the start than this.
  const setting = { ...options, distance: options.distance ?? radius + euclideanNorm(start) };
  const { weight, part, curvature } = sigmSchedule(setting);
  const bound = sigmBound(setting);

  const point = start.slice();
  const dual = new Float64Array(dimension);
  const mirror = start.slice();
  const query = start.slice();
  const step = new Float64Array(dimension);
  const answer = new Float64Array(dimension);
  let total = 0;
  for (let k = 0; k < iterations; k++) {
    const alpha = weight(k);
    const share = part(k);
    const mix = alpha / share;
    total += alpha;
    for (let i = 0; i < dimension; i++) query[i] = mix * mirror[i] + (1 - mix) * point[i];
    oracle.gradient(query, answer);
    checkVector('gradient', answer);
    // The first step has the same form with β₀ instead of β₋₁: there mirror is x₀ and τ = A = B = α₀.
    const rate = alpha / curvature(k === 0 ? 0 : k - 1);
    for (let i = 0; i < dimension; i++) step[i] = mirror[i] - rate * answer[i];
    projectBall(step, radius);
    for (let i = 0; i < dimension; i++) {
      const moved = mix * step[i] + (1 - mix) * point[i];
      point[i] += (share / total) * (moved - point[i]);
      dual[i] += alpha * answer[i];
      mirror[i] = start[i] - dual[i] / curvature(k);
    }
    projectBall(mirror, radius);
  }
  return { point, bound };
}

/** What the constants and the bound of the stochastic intermediate gradient method depend on. */
export interface SigmSetting extends OracleQuality {
  /** Number of oracle calls k + 1; the answers are G₀ to G_k. */
  readonly iterations: number;
  /** The order p in [1, 2]: 1 is a dual gradient method, 2 a fast one, with less influence of L and more of γ. */
  readonly order: number;
  readonly radius: number;
  /** A bound D > 0 on the distance from the start to a minimiser; the radius (start at the centre) if left out. */
  readonly distance?: number;
  /** How β_i grows: `growing` (the default) as published; `constant` gives a smaller bound, at the last call only. */
  readonly growth?: 'growing' | 'constant';
}

/** The three sequences of the method, and their constants. */
interface SigmSchedule {
  /** The scale a ≥ 1 of the weights. */
  readonly scale: number;
  /** The free constant b ≥ 0 in front of the noise; 0 when there is none. */
  readonly noiseFactor: number;
  /** The weight α_i of answer i. */
  weight(i: number): number;
  /** The part B_i of the average that the step of answer i takes. */
  part(i: number): number;
  /** The curvature β_i ≥ L of the prox term. */
  curvature(i: number): number;
}

/** The published scale `a = ((p+2)/(p+1))^(p−1/2)`: the largest ratio of two successive curvatures β. */
export function largestSigmScale(order: number): number {
  return ((order + 2) / (order + 1)) ** (order - 0.5);
}

/**
 * The sequences α, B and β of the stochastic intermediate gradient method.
 *
 * `α_i = s_i/a`, `B_i = a·α_i²` and `β_i = L + (bσ/D)·u_i`, where `s_i = ((i+p)/p)^(p−1)` and `u_i = (i+p+1)^(p−1/2)`,
 * or 1 for constant growth.
 *
 * Law: with `A_i = α_0 + … + α_i`, the proof needs `α_0 ≤ 1`, `α_i ≤ B_i ≤ A_i`, a rising β and
 * `α_{i+1}²·β_{i+1} ≤ B_{i+1}·β_i`. As B = aα², the last is `β_{i+1} ≤ a·β_i`: the a in use is the least that holds
 * over the requested iterations, never above `((p+2)/(p+1))^(p−1/2)`, and a smaller a only lowers the bound. The bound's
 * noise term is `(σD/2)(a·b·u_k + Q/b)/S` with S = Σs and Q = Σs²/u; at the published a, `b = √(Q/(a·u_k))` is best.
 *
 * Source: Dvurechensky and Gasnikov (2016), the intermediate method's parameters; a and b derived here.
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Lemma 8
 */
export function sigmSchedule(setting: SigmSetting): SigmSchedule {
  const { order, growth = 'growing' } = setting;
  const { smoothness, deviation } = checkQuality(setting);
  const last = max(checkInteger('iterations', setting.iterations, 0) - 1, 0);
  const distance = checkPositive('distance', setting.distance ?? checkPositive('radius', setting.radius));
  checkWord('growth', growth, ['growing', 'constant']);
  if (typeof order !== 'number') throw new RefusedKind('order', 'a number from 1 to 2', order);
  if (!(order >= 1 && order <= 2)) throw new RefusedValue('order', 'a number from 1 to 2', order);

  const growing = growth === 'growing';
  const root = (i: number): number => ((i + order) / order) ** (order - 1);
  const rise = (i: number): number => (growing ? (i + order + 1) ** (order - 0.5) : 1);
  let squares = 0;
  for (let i = 0; i <= last; i++) squares += root(i) ** 2 / rise(i);
  const published = growing ? largestSigmScale(order) : 1;
  const noiseFactor = deviation === 0 ? 0 : sqrt(squares / (published * rise(last)));
  const slope = (noiseFactor * deviation) / distance;
  // Otherwise steps or their weights would be 0, infinite or no number.
  if (!(slope * rise(last) < Infinity && (deviation === 0 || smoothness + slope > 1e-280))) {
    throw new RefusedValue('distance', 'a number whose ratio to the deviation is neither tiny nor huge', distance);
  }
  const curvature = (i: number): number => smoothness + slope * rise(i);
  let scale = 1;
  if (growing) for (let i = 0; i < last; i++) scale = max(scale, curvature(i + 1) / curvature(i));
  return {
    scale,
    noiseFactor,
    weight: (i) => root(i) / scale,
    part: (i) => root(i) ** 2 / scale,
    curvature,
  };
}

/**
 * The bound on the expected gap E φ(y_k) − φ⋆ of the method on a convex function, after the given number of calls:
 * `[β_k·D²/2 + γ·ΣB_i + (σ²/2)·ΣB_i/(β_i−L)]/A_k + 2RΔ`. Infinity for 0 calls.
 *
 * Law: of the form `C₁LD²/k^p + C₂σD/√k + C₃γk^(p−1) + 2RΔ`. Smoothness and deviation *add*; the printed Lemma 8 has
 * their product, `βσ‖C‖²/√k + γ`. With constant growth and p = 1 it is LD²/2k + σD/√k + γ + 2RΔ for k calls.
 *
 * Source: Dvurechensky and Gasnikov (2016), re-proved (see `sigm`) with the term 2RΔ; the printed form is Wang, Smith
 * and Xu (2020), Lemma 8.
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Lemma 8
 */
export function sigmBound(setting: SigmSetting): number {
  const { smoothness, deviation, inexactness, gradientBias } = checkQuality(setting);
  const radius = checkPositive('radius', setting.radius);
  const { iterations, distance = radius } = setting;
  const { weight, part, curvature } = sigmSchedule(setting);
  if (iterations === 0) return Infinity;
  let weights = 0;
  let parts = 0;
  let noise = 0;
  for (let i = 0; i < iterations; i++) {
    weights += weight(i);
    parts += part(i);
    // Without noise β − L is 0, and the proof never divides by it.
    const excess = curvature(i) - smoothness;
    // Nor where it is lost in the rounding of β; its part of the bound is too.
    if (excess > 0) noise += part(i) / excess;
  }
  const prox = (curvature(iterations - 1) * distance * distance) / 2;
  const bound =
    (prox + inexactness * parts + (deviation * deviation * noise) / 2) / weights + 2 * (radius * gradientBias);
  if (Number.isNaN(bound)) throw new RefusedValue('deviation', 'a number whose square is a double', deviation);
  return bound;
}
