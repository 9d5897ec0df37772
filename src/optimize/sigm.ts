import { checkAnswer, type OracleQuality, type StochasticOracle } from './oracle.ts';
import { ballStart, euclideanNorm, projectBall } from './projection.ts';
import { sigmBound, sigmSchedule } from './sigm-schedule.ts';

/** The data of a run of the stochastic intermediate gradient method on a ball. */
export interface SigmOptions extends OracleQuality {
  /** Asked exactly `iterations` times. */
  readonly oracle: StochasticOracle;
  /** Radius of the ball about the origin that is minimised over. */
  readonly radius: number;
  /** The prox centre x₀, in the ball; the origin if left out. */
  readonly start?: Float64Array;
  /** A bound D > 0 on the distance from the start to a minimiser; the radius and the length of the start if left out. */
  readonly distance?: number;
  /** Number of oracle calls. */
  readonly iterations: number;
  /** The order p in [1, 2]. */
  readonly order: number;
  /** How β_i moves; see `SigmSetting`. */
  readonly growth?: 'growing' | 'constant';
}

/** Where the method stopped, and what is claimed of it. */
export interface SigmResult {
  /** The point y_k, in the ball. */
  readonly point: Float64Array;
  /** The bound on E φ(y_k) − φ⋆ over the oracle's draws, for a convex φ whose oracle is as good as was said. */
  readonly bound: number;
}

/**
 * Minimises a convex function over a ball from a stochastic inexact oracle: the stochastic intermediate gradient method
 * with Euclidean prox. No call at all returns the start.
 *
 * `y_0 = z_0 = Π(x_0 − (α_0/β_0)·G_0)`, and then, with α, B and A of index k + 1 and τ = α/B:
 * `z_k = Π(x_0 − (Σα_i·G_i)/β_k)`, `x_{k+1} = τ·z_k + (1−τ)·y_k`, `x̂ = Π(z_k − (α/β_k)·G_{k+1})`,
 * `w = τ·x̂ + (1−τ)·y_k`, `y_{k+1} = ((A−B)·y_k + B·w)/A`.
 *
 * Law: let l_i be the linear function of answer i and Ψ_k = (β_k/2)‖· − x₀‖² + Σα_i·l_i, least at z_k. By induction
 * A_k·φ(y_k) ≤ min Ψ_k + E_k in expectation. For Ψ at k + 1 is at least min Ψ_k + (β_k/2)‖x − z_k‖² + α·l(x), least
 * at x̂, and with φ(y_k) ≥ l(y_k) that is at least (A−B)·φ(y_k) + B·[l(w) + (β_k·B/2α²)·‖w − x‖²], x the new query,
 * where β_k·B/α² is at least the new β. Definition 7 and convexity finish it, and add B·(γ + σ²/2(β−L)) to E. An error e
 * of the mean answer enters only as α·⟨e, x⋆ − x̂⟩ ≤ 2RΔ·α.
 *
 * Source: Dvurechensky and Gasnikov (2016), stochastic intermediate gradient method.
 *
 * @throws TypeError or RangeError naming the field, RangeError for an answer of the oracle that is not finite.
 * @theorem noninteractive Lemma 8
 */
export function sigm(options: SigmOptions): SigmResult {
  const { oracle, radius, iterations } = options;
  const { dimension } = oracle;
  const start = ballStart(dimension, radius, options.start);
  // No minimiser of the ball lies further from the start.
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
    checkAnswer('gradient', answer);
    // The first step is of the same form with β₀ for β₋₁: mirror is x₀ and τ = A = B = α₀ there.
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
