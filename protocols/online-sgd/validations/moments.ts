import type { Json } from '../../../src/protocol/digest.ts';
import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { digits, plusMinus } from '../reproductions/statistics.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { lastIterateBound } from '../theory.ts';
import { boundClaim, claimedCurve, decayName, measure, measuredCurve, rateThrough, slopeClaim } from './claims.ts';
import { boundFields, type ErrorPart, type ErrorSetting, errorPart, errorProbe, errorRows } from './errors.ts';
import { riskOf } from './risks.ts';

/** In the range (½, 1) of the theorem. */
const DECAYS = [0.55, 0.7, 0.85];
const MOMENTS = [1, 2, 4];
const FIRST = 400;
const CHECKPOINTS = logarithmicGrid(FIRST, 12_000, 30);

/**
 * What a slope of the second moment may be off by: the exact one is η_i·c/(1 − α·n^(α − 1)/(2mη)), steeper by up to .06 at α = .85
 * and n = 400. Moments of order m are off by m/2 times that.
 */
const FINITE = 0.07;

function report(results: readonly CellResult<ErrorSetting, ErrorPart>[]): ExperimentReport {
  const lines = results.flatMap(({ cell: { setting }, parts }) => {
    const squares = errorRows(parts, 'last');
    return MOMENTS.map((m) => {
      const rows = squares.map((row) => row.map((square) => square ** (m / 2)));
      return { setting, m, ...measure(setting.checkpoints, rows, FIRST), exponent: (m * setting.decay) / 2 };
    });
  });
  const { strongConvexity } = riskOf('square');
  const end = CHECKPOINTS.length - 1;
  return {
    claims: lines.flatMap(({ setting, m, means, slope, exponent }) => {
      const name = decayName(setting.decay);
      const rate = slopeClaim(`E‖θ_n − θ₀‖^${m} at ${name}`, -exponent, slope, (FINITE * m) / 2);
      if (m !== 2) return [rate];
      const bound = (n: number): number => lastIterateBound(boundFields(setting, n), strongConvexity);
      return [rate, boundClaim(`the recursion for the second moment, at ${name},`, CHECKPOINTS, means, bound)];
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
    figures: DECAYS.map((decay) => ({
      kind: 'curves',
      name: `moments-${Math.round(100 * decay)}`,
      title: `Moments of the last error, ${decayName(decay)}`,
      x: { label: 'players n', logarithmic: true },
      y: { label: 'E‖θ_n − θ₀‖^m', logarithmic: true },
      curves: lines
        .filter(({ setting }) => setting.decay === decay)
        .flatMap(({ m, means, exponent }, style) => [
          measuredCurve(`measured, m = ${m}`, style, CHECKPOINTS, means),
          claimedCurve(
            `rate n^(−mα/2), m = ${m}`,
            style,
            CHECKPOINTS,
            rateThrough(CHECKPOINTS[end], means[end].mean, exponent),
          ),
        ]),
      levels: [],
    })),
    data: lines.map(
      ({ setting, m, slope, means }): Json => ({
        decay: setting.decay,
        m,
        slope: { ...slope },
        means: means.map((mean) => ({ ...mean })),
      }),
    ),
  };
}

/** Theorem 1 of the inference paper. */
export const moments: TheoremValidation<ErrorSetting, ErrorPart> = {
  name: 'online-moments',
  paper: 'online-inference',
  theorems: ['Theorem 1'],
  title: 'Moments of the last error fall like n^(−mα/2), m = 1, 2, 4',
  source: 'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Theorem 1',
  summary:
    'Squared loss of y = 1 + x + u for x = ±√½ and u uniform on [−½, ½], clipped at 4, which is hardly ever reached; Gaussian gradients ' +
    'with μ = 4, γ = 1, from a squared distance of 0.04.',
  version: 1,
  cells: (scale) =>
    DECAYS.map((decay) => ({
      key: `decay-${Math.round(100 * decay)}`,
      label: decayName(decay),
      setting: { kind: 'square', decay, checkpoints: CHECKPOINTS, size: 48 },
      parts: scale === 'full' ? 40 : 2,
    })),
  probe: errorProbe,
  part: errorPart,
  report,
};
