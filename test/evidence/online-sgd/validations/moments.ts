import { digits, exactSlope, plusMinus, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { logFigure } from '../../experiment/figure.ts';
import { lastIterateBound } from '../bounds.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { decayName, measure, streamCurve, streamLaw } from './curves.ts';
import { boundFields, type ErrorChunk, type ErrorSetting, errorChunk, errorRows, errorSmallRun } from './errors.ts';
import { farSlope, numberClaim, ratioClaim, tightClaim } from './exact-claims.ts';
import { riskLaw, riskOf } from './risks.ts';

const { cos, max, sin, sqrt } = Math;

/** In the range (½, 1) of the theorem. */
const DECAYS = [0.55, 0.7, 0.85];
const MOMENTS = [1, 2, 4];
const FIRST = 400;
const CHECKPOINTS = logarithmicGrid(FIRST, 4000, 20);

/** What the few clipped gradients add, and to the first and fourth moments an error that is not quite normal. */
const NORMAL = 0.03;

/** Angles over which E‖Z‖ is taken; the mean converges faster than any power of their number. */
const ANGLES: readonly number[] = Array.from({ length: 64 }, (_, k) => (Math.PI * (k + 0.5)) / 64);

/** E‖Z‖^m for a normal Z in the plane with these variances of its two coordinates. */
function planeMoment(m: number, [a, b]: readonly number[]): number {
  if (m === 2) return a + b;
  if (m === 4) return (a + b) ** 2 + 2 * (a * a + b * b);
  const lengths = ANGLES.reduce((sum, angle) => sum + sqrt(a * cos(angle) ** 2 + b * sin(angle) ** 2), 0);
  return (sqrt(Math.PI / 2) * lengths) / ANGLES.length;
}

function report(results: readonly CellResult<ErrorSetting, ErrorChunk>[]): ExperimentReport {
  const lines = results.flatMap(({ cell: { setting }, chunks }) => {
    const squares = errorRows(chunks, 'last');
    const { decay } = setting;
    return MOMENTS.map((m) => {
      const rows = squares.map((row) => row.map((square) => square ** (m / 2)));
      const exactAt = (grid: readonly number[]): readonly number[] =>
        riskLaw('square', { decay, rate: 1 }, grid).last.map((variances) => planeMoment(m, variances));
      const exact = exactAt(setting.checkpoints);
      return {
        setting,
        m,
        rows,
        exactAt,
        exact,
        ...measure(setting.checkpoints, rows, FIRST),
        exponent: (m * decay) / 2,
      };
    });
  });
  const { strongConvexity } = riskOf('square');
  const end = CHECKPOINTS.length - 1;
  return {
    claims: lines.flatMap(({ setting, m, rows, slope, exactAt, exact, exponent }) => {
      const name = decayName(setting.decay);
      const claims = [
        ratioClaim(`E‖θ_n − θ₀‖^${m} at ${name}`, rows, exact, { slack: NORMAL, largestTolerance: 0.11 * max(2, m) }),
        slopeClaim(
          {
            what: `log-log slope of E‖θ_n − θ₀‖^${m} at ${name}, that of the normal law`,
            expected: exactSlope(CHECKPOINTS, exact),
            slack: (NORMAL * m) / 2,
          },
          slope,
        ),
        numberClaim(
          `log-log slope of the normal law's moment ${m}, far along, at ${name}`,
          farSlope(exactAt),
          -exponent,
          (0.03 * m) / 2,
        ),
      ];
      if (m !== 2) return claims;
      const bounds = CHECKPOINTS.map((n) => lastIterateBound(boundFields(setting, n), strongConvexity));
      // In both directions it takes the smaller curvature and the clipping norm for the gradient: online-last-iterate has it tight.
      return [
        ...claims,
        tightClaim(`the recursion for the second moment, not contradicted, at ${name}`, bounds, exact, 6),
      ];
    }),
    tables: [
      {
        title: 'Log-log slopes of moments of the last error',
        columns: ['α', 'm', 'measured', '−mα/2', `mean at n = ${CHECKPOINTS[end].toLocaleString('en-US')}`],
        rows: lines.map(({ setting, m, slope, means, exponent }) => [
          String(setting.decay),
          String(m),
          plusMinus(slope.slope, slope.error),
          digits(-exponent),
          digits(means[end].mean),
        ]),
        notes: ['The constants of the theorem are not printed.'],
      },
    ],
    figures: DECAYS.map((decay) =>
      logFigure({
        name: `moments-${Math.round(100 * decay)}`,
        title: `Moments of the last error, ${decayName(decay)}`,
        x: 'players n',
        y: 'E‖θ_n − θ₀‖^m',
        curves: lines
          .filter(({ setting }) => setting.decay === decay)
          .flatMap(({ m, means, exact }, style) => [
            streamCurve(`measured, m = ${m}`, style, CHECKPOINTS, means),
            streamLaw(
              `normal law, n^(−mα/2) in the end, m = ${m}`,
              style,
              CHECKPOINTS,
              (n) => exact[CHECKPOINTS.indexOf(n)],
            ),
          ]),
      }),
    ),
    data: lines.map(({ setting, m, slope, means }) => ({ decay: setting.decay, m, slope, means })),
  };
}

/** Theorem 1 of the inference paper. */
export const moments: TheoremValidation<ErrorSetting, ErrorChunk> = {
  name: 'online-moments',
  paper: 'online-inference',
  theorems: ['Theorem 1'],
  title: 'Moments of the last error fall like n^(−mα/2), m = 1, 2, 4',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent, Theorem 1',
  summary:
    'Squared loss of y = 1 + x + u for x = ±√½ and u uniform on [−½, ½], clipped at 4, which is hardly ever reached; Gaussian gradients ' +
    'with μ = 4, γ = 1, from a squared distance of 0.04. The second moment is known exactly; the first and the fourth are those of a ' +
    'normal error. The constants of the theorem are not printed.',
  version: 2,
  cells: (scale) =>
    DECAYS.map((decay) => ({
      key: `decay-${Math.round(100 * decay)}`,
      label: decayName(decay),
      setting: { kind: 'square', decay, checkpoints: CHECKPOINTS, size: 180 },
      chunks: scale === 'full' ? 30 : 2,
    })),
  smallRun: errorSmallRun,
  chunk: errorChunk,
  report,
};
