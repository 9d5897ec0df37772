import { digits, exactSlope, plusMinus, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { logFigure } from '../../experiment/figure.ts';
import { lastIterateBound, lastIterateRate, rateExponents } from '../bounds.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { decayName, measure, streamCurve, streamLaw } from './curves.ts';
import { boundFields, type ErrorChunk, type ErrorSetting, errorChunk, errorRows, errorSmallRun } from './errors.ts';
import { farSlope, numberClaim, ratioClaim, tightClaim } from './exact-claims.ts';
import { totals } from './quadratic-law.ts';
import { riskLaw, riskOf } from './risks.ts';

const FIRST = 400;
const CHECKPOINTS = logarithmicGrid(FIRST, 8000, 30);

/**
 * Steps that have forgotten the start at n = 400, from where on hardly one gradient in a thousand is clipped. At α = 2/3 there are
 * none with so much noise, since early errors that are clipped come back too slowly: the kinder risk stands in.
 */
const CELLS: readonly {
  readonly key: string;
  readonly kind: 'square' | 'even';
  readonly decay: number;
  readonly rate: number;
}[] = [
  { key: 'decay-1-3', kind: 'even', decay: 1 / 3, rate: 0.06 },
  { key: 'decay-1-2', kind: 'even', decay: 1 / 2, rate: 0.15 },
  { key: 'decay-2-3', kind: 'square', decay: 2 / 3, rate: 1 },
];

/**
 * How far the recursion may be above the exact error. `even`: C₀²(1 + Ω) = 144 bounds noise of 128 and a gradient of 0.2 to 5.
 * `square`: 24 bounds noise of 8 and a gradient of 0.1, and m = ½ the curvatures 1 and ½.
 */
const LOOSE = { even: 1.15, square: 4.5 } as const;

function report(results: readonly CellResult<ErrorSetting, ErrorChunk>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, chunks }) => {
    const { decay, checkpoints, rate = 1 } = setting;
    const kind: keyof typeof LOOSE = setting.kind === 'even' ? 'even' : 'square';
    const { strongConvexity } = riskOf(kind);
    const rows = errorRows(chunks, 'last');
    const exactAt = (grid: readonly number[]): readonly number[] => totals(riskLaw(kind, { decay, rate }, grid).last);
    return {
      ...{ kind, decay, checkpoints, rows, exactAt, exact: exactAt(checkpoints), exponent: rateExponents(decay).last },
      ...measure(checkpoints, rows, FIRST),
      bounds: checkpoints.map((n) => lastIterateBound(boundFields(setting, n), strongConvexity)),
      printed: checkpoints.map((n) => lastIterateRate(boundFields(setting, n), strongConvexity)),
    };
  });
  const end = lines[0].checkpoints.length - 1;
  return {
    claims: lines.flatMap(({ kind, decay, checkpoints, rows, slope, exactAt, exact, bounds, printed, exponent }) => {
      const at = decayName(decay);
      return [
        ratioClaim(`E‖θ_n − θ*‖² at ${at}`, rows, exact),
        slopeClaim(
          {
            what: `log-log slope of E‖θ_n − θ*‖² at ${at}, that of the exact law`,
            expected: exactSlope(checkpoints, exact),
          },
          slope,
        ),
        numberClaim(`log-log slope of the exact law, far along, at ${at}`, farSlope(exactAt), -exponent, 0.02),
        tightClaim(`the recursion behind the bound, at ${at}`, bounds, exact, LOOSE[kind]),
        tightClaim(
          `the printed leading term, twice the limit of the recursion, at ${at}`,
          printed,
          exact,
          2.1 * LOOSE[kind],
        ),
      ];
    }),
    tables: [
      {
        title: `E‖θ_n − θ*‖² at n = ${lines[0].checkpoints[end].toLocaleString('en-US')}`,
        columns: ['α', 'slope', 'claimed', 'mean', 'exact', 'recursion', 'printed term'],
        rows: lines.map(({ decay, means, slope, exact, bounds, printed, exponent }) => [
          decayName(decay).slice(4),
          plusMinus(slope.slope, slope.error),
          digits(-exponent),
          plusMinus(means[end].mean, means[end].error, 5),
          digits(exact[end]),
          digits(bounds[end]),
          digits(printed[end]),
        ]),
        notes: ['The recursion is that of the first lines of the proof; its limit is half the printed term.'],
      },
    ],
    figures: [
      logFigure({
        name: 'last-iterate',
        title: 'Squared error of the last iterate',
        x: 'players n',
        y: 'E‖θ_n − θ*‖²',
        curves: lines.flatMap(({ decay, checkpoints, means, bounds }, style) => [
          streamCurve(`measured, ${decayName(decay)}`, style, checkpoints, means),
          streamLaw(`bound, ${decayName(decay)}`, style, checkpoints, (n) => bounds[checkpoints.indexOf(n)]),
        ]),
      }),
    ],
    data: lines.map(({ decay, checkpoints, means, slope, exact, bounds }) => ({
      decay,
      slope,
      checkpoints,
      means,
      exact,
      bounds,
    })),
  };
}

/** Theorem 3 of the non-asymptotic paper. */
export const lastIterate: TheoremValidation<ErrorSetting, ErrorChunk> = {
  name: 'online-last-iterate',
  paper: 'online-rates',
  theorems: ['Theorem 3', 'Table 1'],
  title: 'The squared error of the last iterate falls like n^(−α), just below its bound',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Theorem 3',
  summary:
    'Squared loss of y = 1 + x + u for x = ±1 and u uniform on [−½, ½], clipped at C₀ = 4, which is hardly ever reached: a quadratic ' +
    'risk with the Hessian I, whose second moments are known exactly. Gaussian gradients with μ = 1, so that noise makes up most of ' +
    'C₀²(1 + Ω) and the bound is nearly an equality; η = .06 and .15 at α = 1/3 and 1/2. At α = 2/3 x = ±√½, μ = 4 and η = 1. The ' +
    'remainder of the theorem is in an appendix that is not at hand; the bound drawn is the recursion that it sums up.',
  version: 2,
  cells: (scale) =>
    CELLS.map(({ key, kind, decay, rate }) => ({
      key,
      label: decayName(decay),
      setting: { kind, decay, rate, checkpoints: CHECKPOINTS, size: 90 },
      chunks: scale === 'full' ? 60 : 2,
    })),
  smallRun: errorSmallRun,
  chunk: errorChunk,
  report,
};
