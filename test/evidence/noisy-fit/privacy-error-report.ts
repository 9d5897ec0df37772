import {
  digits,
  type ExperimentClaim,
  exactSlope,
  type Measured,
  meanClaim,
  measuredMean,
  plusMinus,
  powerLaw,
  type RatePoint,
  rateFit,
  type Slope,
  slopeClaim,
} from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../experiment/experiment.ts';
import { type CurveFigure, claimedCurve, logFigure, measuredCurve } from '../experiment/figure.ts';
import { jackknifeSlope } from '../experiment/statistics.ts';
import {
  ERROR_AXES,
  type ErrorAxis,
  LAWS,
  type PrivacyErrorChunk,
  type PrivacyErrorSetting,
} from './privacy-error-axes.ts';

const { abs, max, min, sqrt } = Math;

/** Below a quarter, so that no other plausible exponent is taken for the claimed one. */
const LARGEST_TOLERANCE = { paired: 0.2, dimension: 0.15, unscaled: 0.24 } as const;
/** What noise on Hessians, and far from 0 a score that is not linear, add to ‖θ⁽ᴷ⁾ − θ̂‖². */
const SLACK = 0.04;

interface Line {
  readonly axis: ErrorAxis;
  readonly xs: readonly number[];
  /** Squared errors of every cell; over K where K follows its rule. */
  readonly squared: readonly (readonly number[])[];
  /** Root means of what is expected by hand. */
  readonly expected: readonly number[];
  readonly claimed: readonly number[];
  /** Squared errors over what is expected. */
  readonly ratios: readonly (readonly number[])[];
  readonly points: readonly RatePoint[];
  readonly fit: ReturnType<typeof rateFit>;
}

function lineOf(axis: ErrorAxis, all: readonly CellResult<PrivacyErrorSetting, PrivacyErrorChunk>[]): Line {
  const results = all.filter(({ cell }) => cell.setting.axis === axis);
  const field = axis === 'unscaled' ? 'dimension' : axis;
  const xs = results.map(({ cell }) => cell.setting[field]);
  const of = (name: 'squared' | 'expected' | 'claimed'): readonly (readonly number[])[] =>
    results.map(({ chunks }) =>
      chunks.flatMap((chunk) => chunk[name].map((value) => (axis === 'unscaled' ? value / chunk.steps : value))),
    );
  const [squared, expected, claimed] = [of('squared'), of('expected'), of('claimed')];
  const roots = (groups: readonly (readonly number[])[]) => groups.map((values) => sqrt(measuredMean(values).mean));
  const ratios = squared.map((values, cell) => values.map((value, i) => value / expected[cell][i]));
  // Every cell has its own scatter: p coordinates vary less together than two.
  const points = roots(squared).map((y, i): RatePoint => {
    const { mean, error } = measuredMean(ratios[i]);
    return { x: xs[i], y, relative: error / mean / 2 };
  });
  return {
    axis,
    xs,
    squared,
    expected: roots(expected),
    claimed: roots(claimed),
    ratios,
    points,
    fit: rateFit(points),
  };
}

/** The slope of √E‖θ⁽ᴷ⁾ − θ̂‖², from squares of the same coins at every x. */
export function pairedSlope(xs: readonly number[], squared: readonly (readonly number[])[]): Slope {
  const count = min(...squared.map(({ length }) => length));
  const rows = Array.from({ length: count }, (_, r) => squared.map((values) => values[r]));
  const { slope, error } = jackknifeSlope(xs, rows, 0);
  return { slope: slope / 2, error: error / 2 };
}

/**
 * Claims, tables and figures of the privacy error of `name`. In n, μ and K cells share coins, and only slack is left to chance. In p
 * the sharp claim is that measured over by hand does not depend on p: its logarithms of means of 10 to 60 squares are nearly normal, a
 * false alarm has a probability below 5e-4. The slope of what is expected by hand itself has no noise to speak of.
 *
 * With features as they are B stays and τ₁ falls like 1/p. Where the noise of a step is divided by the curvature (`steep`), the error of
 * √p coordinates is of order p^1.5·√K/(μn); where it is divided by the root, of order p·√K/(μn), with a K that has to grow like p.
 */
export function privacyErrorReport(
  { name, key, steep }: { readonly name: string; readonly key: string; readonly steep: boolean },
  results: readonly CellResult<PrivacyErrorSetting, PrivacyErrorChunk>[],
): ExperimentReport {
  const lines = ERROR_AXES.map((axis) => lineOf(axis, results));
  return {
    claims: [...lines.flatMap((line) => slopeClaims(line, steep)), constantClaim(lines), theoryClaim(lines)],
    tables: [
      {
        title: `Privacy error of ${name}`,
        columns: ['in', 'value', '√E‖θ⁽ᴷ⁾ − θ̂‖²', 'by hand', 'replications'],
        rows: lines.flatMap(({ axis, xs, expected, points, squared }) =>
          xs.map((x, i) => {
            const { y, relative } = points[i];
            return [
              LAWS[axis].symbol,
              String(x),
              plusMinus(y, y * relative),
              digits(expected[i]),
              String(squared[i].length),
            ];
          }),
        ),
        notes: [
          'By hand: from the eigenvalues of the Hessian at θ̂ and 2√2·c·√K/(nμ). With features as they are: over √K, K as its rule says.',
        ],
      },
    ],
    figures: lines.map((line) => figureOf(name, key, line)),
    data: lines.map(({ axis, fit, points }) => ({ axis, ...fit, points })),
  };
}

function slopeClaims(line: Line, steep: boolean): readonly ExperimentClaim[] {
  const { axis, xs, points, expected } = line;
  const { symbol, slope, slack, paired } = LAWS[axis];
  if (paired) {
    const what = `slope of ‖θ⁽ᴷ⁾ − θ̂‖ in ${symbol}`;
    return [
      slopeClaim(
        { what, expected: slope, slack, largestTolerance: LARGEST_TOLERANCE.paired },
        pairedSlope(xs, line.squared),
      ),
    ];
  }
  const over = axis === 'unscaled' ? '/√K' : '';
  const ratio = rateFit(points.map((point, i) => ({ ...point, y: point.y / expected[i] })));
  const steeper = axis === 'unscaled' && steep;
  const printed = steeper ? 1.5 : slope;
  const byHand = exactSlope(xs, expected);
  const remark = steeper ? ' (1 as printed is for a fixed τ₁)' : '';
  return [
    slopeClaim(
      {
        what: `slope of ‖θ⁽ᴷ⁾ − θ̂‖ over that by hand in ${symbol}`,
        expected: 0,
        slack: 0.02,
        largestTolerance: axis === 'unscaled' ? LARGEST_TOLERANCE.unscaled : LARGEST_TOLERANCE.dimension,
      },
      ratio,
    ),
    {
      asked: `slope by hand${over ? ` of ‖θ⁽ᴷ⁾ − θ̂‖${over}` : ''} in ${symbol}${remark}: ${digits(printed)} ± ${slack}`,
      measured: digits(byHand),
      met: abs(byHand - printed) <= slack,
    },
  ];
}

/**
 * The mean of ‖θ⁽ᴷ⁾ − θ̂‖² over what is expected by hand, each weighted by its number of coordinates. Noise for a sensitivity of B instead of
 * 2B would make it ¼, noise that is a quarter too large 1.56.
 */
function constantClaim(lines: readonly Line[]): ExperimentClaim {
  // Other cells in n, and those in μ and K, have the coins of the first.
  const all = lines.flatMap(({ axis, xs, ratios }) =>
    axis === 'records'
      ? [{ weight: 4, values: ratios[0] }]
      : LAWS[axis].paired
        ? []
        : ratios.map((values, i) => ({ weight: xs[i], values })),
  );
  const means = all.map(({ values }) => measuredMean(values));
  const weights = all.map(({ weight, values }) => weight * values.length);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const pooled: Measured = {
    mean: means.reduce((sum, { mean }, i) => sum + (weights[i] / whole) * mean, 0),
    error: sqrt(means.reduce((sum, { error }, i) => sum + ((weights[i] / whole) * error) ** 2, 0)),
  };
  const what = 'mean of ‖θ⁽ᴷ⁾ − θ̂‖² over that by hand, constant included';
  return meanClaim({ what, expected: 1, slack: SLACK, largestTolerance: 0.24 }, pooled);
}

/** The library's own function, drawn in the figures, is what is expected by hand. */
function theoryClaim(lines: readonly Line[]): ExperimentClaim {
  const off = max(...lines.flatMap(({ expected, claimed }) => expected.map((value, i) => abs(claimed[i] / value - 1))));
  return {
    asked: '`privacyError` of a plan is that by hand, within 1e-9',
    measured: `off by at most ${digits(off, 1)}`,
    met: off <= 1e-9,
  };
}

function figureOf(name: string, key: string, { axis, xs, claimed, fit, points }: Line): CurveFigure {
  const { symbol, slope } = LAWS[axis];
  const over = axis === 'unscaled' ? '/√K' : '';
  return logFigure({
    name: `${key}-privacy-error-${axis}`,
    title: `Privacy error of ${name} in ${symbol}`,
    x: axis === 'steps' ? 'steps K' : axis === 'records' ? 'records n' : symbol.slice(0, 1),
    y: `√E‖θ⁽ᴷ⁾ − θ̂‖²${over}`,
    curves: [
      measuredCurve('measured', 0, points),
      { name: 'expected, constant included', style: 1, dashed: true, points: xs.map((x, i) => ({ x, y: claimed[i] })) },
      claimedCurve(`as printed, for fixed τ₁ and B/√p: slope ${digits(slope)}`, 2, xs, powerLaw(fit, slope)),
    ],
  });
}
