import { bits, seededRandom } from 'ldpkit';
import { sigm } from 'ldpkit/optimize';

const { max, sign, sqrt } = Math;

/** Runs of the stochastic intermediate gradient method on functions of [−1, 1] whose minimum is known. */
export type SigmSetting = {
  /** Which part of the oracle is bad: its smoothness, its noise, its inexactness; or `small`, hardly any noise. */
  readonly kind: 'smoothness' | 'noise' | 'inexactness' | 'small';
  /** The order p of the method. */
  readonly order: number;
  /** k; for `small` one number. */
  readonly calls: readonly number[];
  /** For `noise`, functions s·w with s = a/√k, one for each a; for `small` deviations σ. */
  readonly values: readonly number[];
  /** Replications of a chunk. */
  readonly runs: number;
};

/** By k (or σ) and value: sums over the runs of the gap and of its square, and the bound. */
export type SigmChunk = {
  readonly sums: readonly (readonly number[])[];
  readonly squares: readonly (readonly number[])[];
  readonly bounds: readonly number[];
};

/** One chunk of the runs. */
export function sigmChunk(setting: SigmSetting, chunk: number, seed: string): SigmChunk {
  const { kind, calls, values, order } = setting;
  if (kind === 'noise') return noisyChunk(setting, chunk, seed);
  const runs =
    kind === 'small'
      ? values.map((deviation) => parabola(calls[0], order, 1 / 32, deviation))
      : calls.map((k) => (kind === 'smoothness' ? worstParabola(k, order) : gathered(k, order)));
  return {
    sums: runs.map(({ gap }) => [gap]),
    squares: runs.map(({ gap }) => [gap * gap]),
    bounds: runs.map(({ bound }) => bound),
  };
}

/** How far a run ends above the minimum, and what is claimed of that. */
export interface Run {
  readonly gap: number;
  readonly bound: number;
}

/** An exact oracle of (λ/2)(w − 1)², λ ≤ 1 = L, which has every deviation σ ≥ 0. */
function parabola(iterations: number, order: number, curvature: number, deviation: number): Run {
  const oracle: Parameters<typeof sigm>[0]['oracle'] = {
    dimension: 1,
    gradient: (at, answer) => answer.fill(curvature * (at[0] - 1)),
  };
  const { point, bound } = sigm({ oracle, radius: 1, iterations, order, smoothness: 1, deviation });
  return { gap: (curvature / 2) * (point[0] - 1) ** 2, bound };
}

function worstParabola(iterations: number, order: number): Run {
  let gap = 0;
  let bound = 0;
  for (let j = 0; j < 60; j++) {
    const run = parabola(iterations, order, 2 ** (-j / 2), 0);
    gap = max(gap, run.gap);
    bound = run.bound;
  }
  return { gap, bound };
}

/**
 * f = (λ/2)w² with L = 1 and answers λw ± e, e² = 2γλ(1 − λ): an oracle of definition 7 with inexactness γ. The signs are those
 * that push the last point one way; the start is the minimiser. Gap and bound in units of γ.
 */
export function gathered(iterations: number, order: number): Run {
  const curvature = 4 / iterations;
  const gamma = 0.05 / iterations ** 2;
  const run = (radius: number, error: (call: number) => number) => {
    let call = 0;
    const oracle: Parameters<typeof sigm>[0]['oracle'] = {
      dimension: 1,
      gradient: (at, answer) => answer.fill(curvature * at[0] + error(call++)),
    };
    return sigm({ oracle, radius, iterations, order, smoothness: 1, deviation: 0, inexactness: gamma });
  };
  // Without the ball the last point is linear in the errors: its response to each shows the sign that adds to it.
  const responses = Array.from({ length: iterations }, (_, j) => run(1e9, (call) => (call === j ? 1 : 0)).point[0]);
  const error = sqrt(2 * gamma * curvature * (1 - curvature));
  const { point, bound } = run(1, (call) => error * sign(responses[call]));
  return { gap: ((curvature / 2) * point[0] ** 2) / gamma, bound: bound / gamma };
}

/** Linear functions s·w with answers s ± 1; next to no smoothness. */
function noisyChunk({ order, calls, values, runs }: SigmSetting, chunk: number, seed: string): SigmChunk {
  const random = seededRandom(`${seed}/sigm/${order}/${chunk}`);
  const bounds: number[] = [];
  const sums = calls.map(() => values.map(() => 0));
  const squares = calls.map(() => values.map(() => 0));
  for (const [row, iterations] of calls.entries()) {
    let claimed = 0;
    for (const [column, a] of values.entries()) {
      const slope = a / sqrt(iterations);
      const oracle: Parameters<typeof sigm>[0]['oracle'] = {
        dimension: 1,
        gradient: (_, answer) => answer.fill(slope + (bits(random) < 2 ** 31 ? 1 : -1)),
      };
      for (let i = 0; i < runs; i++) {
        const found = sigm({ oracle, radius: 1, iterations, order, smoothness: 1e-3, deviation: 1 });
        const gap = slope * (found.point[0] + 1);
        sums[row][column] += gap;
        squares[row][column] += gap * gap;
        claimed = found.bound;
      }
    }
    bounds.push(claimed);
  }
  return { sums, squares, bounds };
}
