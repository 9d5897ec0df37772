import { checkInteger, checkPositive } from '../check/number.ts';
import { checkQuality, type OracleQuality, type StochasticOracle } from './oracle.ts';
import { ballStart, checkVector, euclideanNorm, projectBall } from './projection.ts';

const { ceil, max, min, sqrt } = Math;

/** What the step and the bound of averaged projected SGD depend on. */
export interface AveragedSgdSetting extends OracleQuality {
  /** Number of steps T, one oracle call each. */
  readonly steps: number;
  /** Radius R > 0 of the ball about the origin in which the minimum is searched. */
  readonly radius: number;
  /** A bound D > 0 on the distance from the start to a minimiser; the radius and the length of the start if left out. */
  readonly distance?: number;
  /** The constant step η > 0; 1/(L + σ√T/D) if left out. */
  readonly stepSize?: number;
}

/** The options of a run of averaged projected SGD on a ball. */
export interface AveragedSgdOptions extends AveragedSgdSetting {
  /** Called exactly `steps` times. */
  readonly oracle: StochasticOracle;
  /** The first point w₀, in the ball; the origin if left out. */
  readonly start?: Float64Array;
}

/** The average of the iterates, and the bound on its gap. */
export interface AveragedSgdResult {
  /** The averaged point, in the ball. */
  readonly point: Float64Array;
  /** The step η that was used. */
  readonly stepSize: number;
  /** The bound on E φ(point) − φ⋆ over the oracle's draws; Infinity if there is none, as for η ≥ 1/L. */
  readonly bound: number;
}

/** The share of iterate t in the average of the iterates 1 to t: of the last half of them, rounded up, and equally. */
function shareOf(t: number, steps: number): number {
  const before = steps - max(1, ceil(0.5 * steps));
  return t <= before ? 0 : 1 / (t - before);
}

/** The step η of a setting: the given one, or 1/(L + σ√T/D). */
function stepOf(setting: AveragedSgdSetting): number {
  const { smoothness, deviation } = checkQuality(setting);
  const steps = checkInteger('steps', setting.steps, 0);
  const distance = checkPositive('distance', setting.distance ?? checkPositive('radius', setting.radius));
  if (setting.stepSize !== undefined) return checkPositive('stepSize', setting.stepSize);
  return 1 / (smoothness + (deviation * sqrt(max(steps, 1))) / distance);
}

/**
 * The bound on the expected gap of averaged projected SGD after T steps, for a convex function; Infinity for no step
 * and for η > 1/L.
 *
 * Law: let `d_t = E‖w_t − w⋆‖²`, c = 1/η − L and F = σ²/2c + γ + 2RΔ. One step has
 * `2η·E[φ(w_t) − φ⋆] ≤ d_{t−1} − d_t + 2ηF`, so `d_t ≤ min(4R², D² + 2tηF)`, and an average with rising weights ω and
 * sum Ω has a gap of at most `Σ(ω_t − ω_{t−1})·d_{t−1}/(2ηΩ) + F`. Here ω is 0 for the first half and 1 from there on.
 * A function that is only M-Lipschitz has smoothness 0 and deviation σ + 2M.
 *
 * Source: the usual argument for smooth stochastic approximation, Lan (2012); suffixes: Rakhlin, Shamir and Sridharan
 * (2012).
 *
 * @throws TypeError or RangeError naming the field.
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
 *
 * Law: expected gap of order LD²/T + σD/√T, the bound of {@link averagedSgdBound}.
 *
 * Source: suffix averaging: Rakhlin, Shamir and Sridharan (2012).
 *
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
