import { hingeLoss, smoothedHinge } from 'ldpkit/optimize';
import { chebyshevSeries } from 'ldpkit/polynomial';

const { abs, max, min, sign } = Math;

/** A smoothed hinge loss, and how finely it is looked at. */
export type ShapeSetting = {
  readonly beta: number;
  /** Points of the grid on each side of the kink. */
  readonly points: number;
};

/** What f_β was found to be. */
export type ShapePart = {
  /** Largest |f_β − f|. */
  readonly gap: number;
  /** Least f_β − f. */
  readonly above: number;
  /** Steepest chord of f_β. */
  readonly steepest: number;
  /** Least and largest second difference of f_β over the square of the step, which is β/100. */
  readonly flattest: number;
  readonly curvature: number;
  /** Largest |a_n|·2ⁿ, n ≤ 16, over Chebyshev series of β·f′_β on intervals of length 2β; and that of f at its kink over β. */
  readonly growth: number;
  readonly kinkGrowth: number;
};

const hinge = hingeLoss();
const CENTRES = [-3, 0, 0.4, 0.5, 0.6, 1, 4];

/** Looks at f_β; nothing is random. */
export function shapePart({ beta, points }: ShapeSetting): ShapePart {
  const f = smoothedHinge({ beta });
  // Crowded around the kink at ½, from 10⁻⁶ to 10.
  const grid = Array.from({ length: 2 * points + 1 }, (_, i) => {
    const k = i - points;
    return 0.5 + sign(k) * 10 ** (-6 + (7 * abs(k)) / points);
  });
  const gaps = grid.map((t) => f.value(t) - hinge.value(t));
  let steepest = 0;
  for (let i = 1; i < grid.length; i++) {
    // Shorter chords are all rounding.
    const step = grid[i] - grid[i - 1];
    if (step > 1e-4) steepest = max(steepest, abs(f.value(grid[i]) - f.value(grid[i - 1])) / step);
  }
  let [flattest, curvature] = [Infinity, 0];
  const step = beta / 100;
  for (let i = -1000; i <= 1000; i++) {
    const t = 0.5 + i * step;
    const second = (f.value(t + step) - 2 * f.value(t) + f.value(t - step)) / (step * step);
    flattest = min(flattest, second);
    curvature = max(curvature, second);
  }
  const growth = (g: (t: number) => number, x: number): number =>
    max(
      ...chebyshevSeries(g, 16, { lower: x - beta, upper: x + beta, tolerance: 1e-7 }).map(
        (a, n) => (abs(a) * 2 ** n) / beta,
      ),
    );
  return {
    gap: max(...gaps.map(abs)),
    above: min(...gaps),
    steepest,
    flattest,
    curvature,
    growth: max(...CENTRES.map((x) => growth((t) => beta * f.derivative(t), x))),
    kinkGrowth: growth(hinge.value, 0.5),
  };
}
