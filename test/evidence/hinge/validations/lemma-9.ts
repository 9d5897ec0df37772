import { hingeLoss, smoothedHinge } from 'ldpkit/optimize';
import { chebyshevSeries } from 'ldpkit/polynomial';
import { atMostClaim, digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, plainCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';

const { abs, max, min, sign, SQRT2 } = Math;

/** A smoothed hinge loss, and how finely it is looked at. */
type ShapeSetting = {
  readonly beta: number;
  /** Points of the grid on each side of the kink. */
  readonly points: number;
};

/** What f_β was found to be. */
type ShapeChunk = {
  /** Largest |f_β − f|. */
  readonly gap: number;
  /** Least f_β − f. */
  readonly above: number;
  /** Steepest chord of f_β. */
  readonly steepest: number;
  /** Least and largest second difference of f_β over the square of the step, which is β/100. */
  readonly flattest: number;
  readonly curvature: number;
  /** Largest |a_n|·(1 + √2)ⁿ, n ≤ 16, over Chebyshev series of β·f′_β on intervals of length 2β; and that of f at its kink over β. */
  readonly growth: number;
  readonly kinkGrowth: number;
};

const hinge = hingeLoss();

const CENTRES = [-3, 0, 0.4, 0.5, 0.6, 1, 4];

/** Looks at f_β; nothing is random. */
function shapeChunk({ beta, points }: ShapeSetting): ShapeChunk {
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
        (a, n) => (abs(a) * (1 + SQRT2) ** n) / beta,
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

function report(results: readonly CellResult<ShapeSetting, ShapeChunk>[]): ExperimentReport {
  const betas = results.map(({ cell }) => cell.setting.beta);
  const found = results.map(({ chunks: [measured] }) => measured);
  const gaps = found.map(({ gap }, i) => gap / (betas[i] / 2));
  const curvatures = found.map(({ curvature }, i) => curvature * 2 * betas[i]);
  const printed = found.map(({ curvature }, i) => 1 / betas[i] / curvature);
  const kinks = found.map(({ kinkGrowth }) => kinkGrowth);
  return {
    // Nothing is random. Branch points a fifth nearer would make item 1 1.57. The slack of 1e-6 is rounding of second differences.
    claims: [
      atMostClaim(
        'item 1: on intervals of length 2β Chebyshev coefficients of f′_β fall like (1 + √2)⁻ⁿ: |a_n|·(1 + √2)ⁿ ≤ 1.2, as for a function analytic to ½ ± iβ',
        column(found, 'growth'),
        1.2,
      ),
      {
        asked: 'control: those of the hinge loss at its kink do not: |a_n|·(1 + √2)ⁿ > 1000β',
        measured: `smallest ${digits(min(...kinks))}`,
        met: min(...kinks) > 1000,
      },
      atMostClaim('item 2: |f_β − f| over β/2 is at most 1, and reaches it', gaps, 1 + 1e-12, 1 - 1e-9),
      {
        asked: 'item 2: f_β lies above f',
        measured: `least f_β − f is ${digits(min(...found.map(({ above }) => above)))}`,
        met: found.every(({ above }) => above >= 0),
      },
      atMostClaim('item 3: f_β is 1-Lipschitz, and not 0.95-Lipschitz', column(found, 'steepest'), 1 + 1e-11, 0.95),
      {
        asked: 'item 4: f_β is convex',
        measured: `least second difference times β: ${digits(min(...found.map(({ flattest }, i) => flattest * betas[i])))}`,
        met: found.every(({ flattest }) => flattest > 0),
      },
      atMostClaim(
        'item 4: second differences times 2β are at most 1, and reach it: the smoothness is 1/(2β)',
        curvatures,
        1 + 1e-6,
        0.999,
      ),
      {
        asked: 'as printed, 1/β: a bound, but twice the smoothness (ratio 2 ± 0.01)',
        measured: `ratio ${digits(min(...printed), 4)} to ${digits(max(...printed), 4)}`,
        met: printed.every((ratio) => abs(ratio - 2) <= 0.01),
      },
    ],
    tables: [
      {
        title: 'The smoothed hinge against its lemma',
        columns: ['β', '|f_β − f|', 'β/2', 'Lipschitz', 'smoothness', '1/(2β)', 'printed 1/β'],
        rows: found.map(({ gap, steepest, curvature }, i) =>
          [betas[i], gap, betas[i] / 2, steepest, curvature, 1 / (2 * betas[i]), 1 / betas[i]].map((v) => digits(v, 4)),
        ),
        notes: ['Smoothness: largest second difference at steps of β/100 over 10β on both sides of the kink.'],
      },
    ],
    figures: [
      logFigure({
        name: 'lemma-9-distance',
        title: 'Distance of the smoothed hinge from the hinge',
        x: 'β',
        y: 'max |f_β − f|',
        curves: [
          plainCurve('measured', 0, betas, column(found, 'gap')),
          claimedCurve('β/2', 1, betas, (beta) => beta / 2),
        ],
      }),
      logFigure({
        name: 'lemma-9-smoothness',
        title: 'Smoothness of the smoothed hinge',
        x: 'β',
        y: 'largest curvature',
        curves: [
          plainCurve('measured', 0, betas, column(found, 'curvature')),
          claimedCurve('1/(2β)', 1, betas, (beta) => 1 / (2 * beta)),
          claimedCurve('as printed, 1/β', 2, betas, (beta) => 1 / beta),
        ],
      }),
    ],
    data: found.map((measured, i) => ({ beta: betas[i], ...measured })),
  };
}

/** Lemma 9: what the smoothed hinge keeps of the hinge. */
export const lemma9: TheoremValidation<ShapeSetting, ShapeChunk> = {
  name: 'hinge-lemma-9',
  title: 'The smoothed hinge',
  paper: 'noninteractive',
  theorems: ['Lemma 9'],
  source: `${PAPER}, lemma 9`,
  summary:
    'Values of f_β and of the hinge loss f on a grid crowded around the kink: distance, steepest chord, second differences; and ' +
    'Chebyshev coefficients on short intervals, which show where a function is analytic. The β are chosen here. Nothing is random.',
  // 2: coefficients at the rate of the branch points.
  version: 2,
  cells: (scale) =>
    (scale === 'full' ? [1, 0.3, 0.1, 0.03, 0.01, 0.003] : [1, 0.3, 0.05, 0.01]).map((beta) => ({
      key: `beta-${String(beta).replace('.', '-')}`,
      label: `β = ${beta}`,
      setting: { beta, points: scale === 'full' ? 20_000 : 2000 },
      chunks: 1,
    })),
  smallRun: (setting) => ({ ...setting, points: 10 }),
  chunk: shapeChunk,
  report,
};
