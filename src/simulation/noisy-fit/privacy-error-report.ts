import type { CurveFigure } from '../figure.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../paper-experiment.ts';
import {
  claimedCurve,
  digits,
  measuredCurve,
  plusMinus,
  powerLaw,
  type RateFit,
  rangeClaim,
  rateFit,
  ratePoints,
  slopeClaim,
} from '../rate-fit.ts';

const { sqrt } = Math;

/** What grows from cell to cell: n, μ, K or p, p with features as they are instead of scaled. */
export const ERROR_AXES = ['records', 'mu', 'steps', 'dimension', 'unscaled'] as const;

/** One of {@link ERROR_AXES}. */
export type ErrorAxis = (typeof ERROR_AXES)[number];

/** Replications of one plan. */
export type PrivacyErrorSetting = {
  readonly axis: ErrorAxis;
  readonly dimension: number;
  readonly records: number;
  readonly mu: number;
  /** K, 0 for what the rule says. */
  readonly steps: number;
  readonly size: number;
};

/** ‖θ⁽ᴷ⁾ − θ̂‖² by replication, and what the theory expects of it from the Hessian at θ̂; K. */
export type PrivacyErrorPart = {
  readonly squared: readonly number[];
  readonly predicted: readonly number[];
  readonly steps: number;
};

/** What is known of the slope in one of the axes. */
interface AxisLaw {
  readonly symbol: string;
  /** The exponent of √K·p/(μn), where K does not grow too. */
  readonly slope: number;
  /** What finite n and p may add: curvatures of few records, and E min(‖x‖², p) below p for small p. */
  readonly slack: number;
}

const LAWS: Readonly<Record<ErrorAxis, AxisLaw>> = {
  records: { symbol: 'n', slope: -1, slack: 0.05 },
  mu: { symbol: 'μ', slope: -1, slack: 0.03 },
  steps: { symbol: 'K', slope: 0.5, slack: 0.05 },
  dimension: { symbol: 'p', slope: 1, slack: 0.15 },
  unscaled: { symbol: 'p, features as they are', slope: 1, slack: 0.15 },
};

interface Line {
  readonly axis: ErrorAxis;
  readonly xs: readonly number[];
  /** Squared errors of every cell; over K where K follows its rule. */
  readonly squared: readonly (readonly number[])[];
  readonly predicted: readonly number[];
  readonly ratios: readonly (readonly number[])[];
  readonly fit: RateFit;
}

function lineOf(axis: ErrorAxis, all: readonly CellResult<PrivacyErrorSetting, PrivacyErrorPart>[]): Line {
  const results = all.filter(({ cell }) => cell.setting.axis === axis);
  const field = axis === 'unscaled' ? 'dimension' : axis;
  const xs = results.map(({ cell }) => cell.setting[field]);
  const of = (part: PrivacyErrorPart, values: readonly number[]): readonly number[] =>
    axis === 'unscaled' ? values.map((value) => value / part.steps) : values;
  const squared = results.map(({ parts }) => parts.flatMap((part) => of(part, part.squared)));
  const predictions = results.map(({ parts }) => parts.flatMap((part) => of(part, part.predicted)));
  return {
    axis,
    xs,
    squared,
    predicted: predictions.map((values) => sqrt(values.reduce((sum, value) => sum + value, 0) / values.length)),
    ratios: squared.map((values, cell) => values.map((value, i) => value / predictions[cell][i])),
    fit: rateFit(ratePoints(xs, squared)),
  };
}

/**
 * Claims, tables and figures of the privacy error of `name`. Slopes are off by the four standard errors of `slopeClaim` with probability 6e-5 if
 * they are normal; logarithms of means of 20 squares and more are nearly so: below 5e-4 each.
 *
 * With features as they are B stays and τ₁ falls like 1/p. Where the noise of a step is divided by the curvature (`steep`), the error of
 * √p coordinates is of order p^1.5·√K/(μn); where it is divided by the root, of order p·√K/(μn), with a K that has to grow like p.
 */
export function privacyErrorReport(
  { name, key, steep }: { readonly name: string; readonly key: string; readonly steep: boolean },
  results: readonly CellResult<PrivacyErrorSetting, PrivacyErrorPart>[],
): ExperimentReport {
  const lines = ERROR_AXES.map((axis) => lineOf(axis, results));
  const cells = lines.flatMap(({ axis, xs, squared, ratios, predicted }) =>
    xs.map((x, i) => ({ axis, x, predicted: predicted[i], ratio: ratios[i], count: squared[i].length })),
  );
  const points = lines.map(({ xs, squared }) => ratePoints(xs, squared));
  const claims = lines.map(({ axis, fit }): ExperimentClaim => {
    const { symbol, slope, slack } = LAWS[axis];
    const over = axis === 'unscaled' ? '/√K' : '';
    const expected = axis === 'unscaled' && steep ? 1.5 : slope;
    return slopeClaim({ what: `slope of ‖θ⁽ᴷ⁾ − θ̂‖${over} in ${symbol}`, expected, slack }, fit);
  });
  return {
    claims: [...claims, constantClaim(lines)],
    tables: [
      {
        title: `Privacy error of ${name}`,
        columns: ['in', 'value', '√E‖θ⁽ᴷ⁾ − θ̂‖²', 'expected', 'replications'],
        rows: cells.map(({ axis, x, predicted, count }, i) => {
          const { y, relative } = points.flat()[i];
          return [LAWS[axis].symbol, String(x), plusMinus(y, y * relative), digits(predicted), String(count)];
        }),
        notes: [
          'Expected: from the eigenvalues of the Hessian at θ̂. With features as they are: over √K, K as its rule says.',
        ],
      },
    ],
    figures: lines.map((line, i) => figureOf(name, key, line, points[i])),
    data: lines.map(({ axis, fit }, i) => ({ axis, ...fit, points: points[i].map((point) => ({ ...point })) })),
  };
}

/**
 * The mean of ‖θ⁽ᴷ⁾ − θ̂‖² over what is expected is 1 in all cells together; 5 % are for what noise does to the Hessian on the way. A bound
 * for a sensitivity of B instead of 2B would be 4.
 */
function constantClaim(lines: readonly Line[]): ExperimentClaim {
  // Cells that differ in μ or K alone have their records and coins from those in n.
  const ratios = lines.filter(({ axis }) => axis !== 'mu' && axis !== 'steps').flatMap((line) => line.ratios.flat());
  const value = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const squares = ratios.reduce((sum, ratio) => sum + (ratio - value) ** 2, 0);
  const relative = sqrt(squares) / ratios.length / value;
  return rangeClaim('mean of ‖θ⁽ᴷ⁾ − θ̂‖² over the constant of the theory', [0.95, 1.05], { value, relative });
}

function figureOf(name: string, key: string, line: Line, points: ReturnType<typeof ratePoints>): CurveFigure {
  const { axis, xs, predicted, fit } = line;
  const { symbol, slope } = LAWS[axis];
  const over = axis === 'unscaled' ? '/√K' : '';
  return {
    kind: 'curves',
    name: `${key}-privacy-error-${axis}`,
    title: `Privacy error of ${name} in ${symbol}`,
    x: {
      label: axis === 'steps' ? 'steps K' : axis === 'records' ? 'records n' : symbol.slice(0, 1),
      logarithmic: true,
    },
    y: { label: `√E‖θ⁽ᴷ⁾ − θ̂‖²${over}`, logarithmic: true },
    curves: [
      measuredCurve('measured', 0, points),
      {
        name: 'expected, constant included',
        style: 1,
        dashed: true,
        points: xs.map((x, i) => ({ x, y: predicted[i] })),
      },
      claimedCurve(`as printed, for fixed τ₁ and B/√p: slope ${digits(slope)}`, 2, xs, powerLaw(fit, slope)),
    ],
    levels: [],
  };
}
