import { type ExperimentClaim, measuredMean, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, Reproduction } from '../../experiment/experiment.ts';
import { type Figure, type FigureCurve, linearFigure, logFigure, meanCurve } from '../../experiment/figure.ts';
import { columnMeans } from '../../experiment/statistics.ts';
import {
  finalScore,
  type InsuranceChunk,
  type InsuranceSetting,
  type Line,
  NAMES,
  PRINTED_ERROR,
  WHICH,
  type Which,
} from './insurance-lines.ts';
import { INSURANCE_COLUMNS, INSURANCE_NOISE } from './insurance-table.ts';

/**
 * Claims, tables and figures of the insurance example.
 *
 * @theorem online-inference Table 3
 */
export function insuranceReport(results: readonly CellResult<InsuranceSetting, InsuranceChunk>[]): ExperimentReport {
  const lines = results.map(
    ({ cell, chunks }): Line => ({ model: cell.setting.model, label: cell.label, runs: chunks.flat() }),
  );
  const [squares, ...linear] = lines;
  const [printed, codes] = linear;
  const { checkpoints } = results[1].cell.setting;
  const replications = linear[0].runs.length;
  return {
    claims: [
      errorClaim(printed),
      coefficientClaim(printed, squares),
      otherErrorClaim(codes, squares),
      coverageClaim(linear),
    ],
    tables: [coefficientTable(squares, linear, replications), errorTable(squares, linear)],
    figures: [
      ...WHICH.map((which) => scoreFigure(linear, which, checkpoints, squares.runs[0].last[0][0])),
      ...coefficientFigures(printed, checkpoints),
    ],
    data: {
      leastSquares: squares.runs[0],
      streams: linear.map(({ model, label, runs }) => ({
        model,
        label,
        theta: columnMeans(runs.map(({ theta }) => theta)),
        last: finalScore({ model, label, runs }, 'last', 0),
        average: finalScore({ model, label, runs }, 'average', 0),
      })),
    },
  };
}

/** The printed coefficients of bmi, 0.1044 and 0.0664, are furthest apart. */
const PRINTED_GAP = 0.038;

/** Fewer runs than this do not tell where one printed run stands among them. */
const DECISIVE = 20;

/** Whether a printed number of one run is not rare among runs: between 2.5 % and 97.5 % of them are below it. */
function amongRuns(what: string, printed: number, values: readonly number[]): ExperimentClaim {
  const below = values.filter((value) => value <= printed).length / values.length;
  const undecided = values.length < DECISIVE;
  const { mean, error } = measuredMean(values);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return {
    asked: `${what}, of one run (here: between 2.5 % and 97.5 % of at least ${DECISIVE} runs are below it)`,
    measured: `${plusMinus(mean, error, 4)}, runs from ${least.toFixed(3)} to ${most.toFixed(3)}, ${(100 * below).toFixed(0)} % of them below`,
    met: !undecided && below >= 0.025 && below <= 0.975,
    ...(undecided ? { undecided: true } : {}),
  };
}

function errorClaim({ label, runs }: Line): ExperimentClaim {
  const errors = runs.map(({ average }) => average[average.length - 1][0]);
  return amongRuns(`${label}: printed test MSE 0.0722`, PRINTED_ERROR.private, errors);
}

function coefficientClaim({ label, runs }: Line, squares: Line): ExperimentClaim {
  const [{ theta: best }] = squares.runs;
  const gaps = runs.map(({ theta }) => Math.max(...theta.slice(1).map((entry, j) => Math.abs(entry - best[j + 1]))));
  return amongRuns(`${label}: printed coefficient furthest from OLS, 0.038`, PRINTED_GAP, gaps);
}

function otherErrorClaim(line: Line, squares: Line): ExperimentClaim {
  const best = squares.runs[0].last[0][0];
  const { mean, error } = finalScore(line, 'average', 0);
  return {
    asked: `${line.label}: not the encoding of the printed table (here: more than twice the printed excess)`,
    measured: `${plusMinus(mean, error, 4)} where OLS has ${best.toFixed(4)}, an excess of ${(mean - best).toFixed(4)}`,
    met: mean - best > 2 * (PRINTED_ERROR.private - PRINTED_ERROR.leastSquares),
  };
}

function coverageClaim(linear: readonly Line[]): ExperimentClaim {
  const truth = trueCoefficients();
  const held = linear.map(({ runs }) =>
    measuredMean(
      runs.map(
        ({ theta, halves }) =>
          measuredMean(theta.map((entry, j) => (Math.abs(entry - truth[j]) <= halves[j] ? 100 : 0))).mean,
      ),
    ),
  );
  return {
    asked: '95 % random scaling intervals hold the true coefficients (here: 90 % or more of them, for every budget)',
    measured: linear
      .map(({ label }, index) => `${label} ${plusMinus(held[index].mean, held[index].error, 1)} %`)
      .join(', '),
    met: held.every(({ mean }) => mean >= 90),
  };
}

function scoreFigure(lines: readonly Line[], which: Which, checkpoints: readonly number[], level: number): Figure {
  return logFigure({
    name: `test-error-${which}`,
    title: `${NAMES[which]}, linear regression: test MSE`,
    x: 'players n',
    y: 'test MSE',
    curves: lines.map(
      ({ label, runs }, style): FigureCurve =>
        meanCurve(label, style, checkpoints, columnMeans(runs.map((run) => run[which].map(([score]) => score)))),
    ),
    levels: [{ name: 'OLS', value: level }],
  });
}

/** Figure 5: the average of the first order, coefficient by coefficient, with its two intervals. */
function coefficientFigures({ runs: [{ path }] }: Line, checkpoints: readonly number[]): readonly Figure[] {
  return INSURANCE_COLUMNS.map(({ name, coefficient }, j): Figure => {
    const curve = (label: string, style: number, entries: readonly number[]): FigureCurve => ({
      name: label,
      style,
      dashed: style > 0,
      points: checkpoints.map((n, k) => ({ x: n, y: entries[k] })),
    });
    const bounds = (which: 'scaling' | 'plugIn', label: string, style: number): readonly FigureCurve[] =>
      [-1, 1].map((sign) =>
        curve(
          `${label}, ${sign < 0 ? 'low' : 'high'}`,
          style,
          path.map((row) => row.theta[j + 1] + sign * row[which][j + 1]),
        ),
      );
    return linearFigure({
      name: `figure-5-${name.replace(' ', '-')}`,
      title: `${name}, μ = 1`,
      x: 'players n',
      y: 'coefficient',
      logarithmic: 'x',
      curves: [
        curve(
          'LDP-ASGD',
          0,
          path.map(({ theta }) => theta[j + 1]),
        ),
        ...bounds('scaling', 'random scaling', 1),
        ...bounds('plugIn', 'plug-in', 2),
      ],
      levels: [{ name: 'OLS', value: coefficient }],
    });
  });
}

/** Coefficients beside OLS and the printed ones. */
function coefficientTable(squares: Line, linear: readonly Line[], replications: number): Reproduction {
  const names = ['intercept', ...INSURANCE_COLUMNS.map(({ name }) => name)];
  const means = linear.map(({ runs }) => columnMeans(runs.map(({ theta }) => theta)));
  const truth = trueCoefficients();
  return {
    title: 'Coefficients of the standardised charge on standardised columns',
    columns: ['', 'truth (printed OLS)', 'OLS', 'printed LDP-SGD', ...linear.map(({ label }) => label)],
    rows: names.map((name, j) => [
      name,
      truth[j].toFixed(4),
      squares.runs[0].theta[j].toFixed(4),
      j === 0 ? '' : INSURANCE_COLUMNS[j - 1].printedPrivate.toFixed(4),
      ...means.map((mean) => plusMinus(mean[j].mean, mean[j].error, 4)),
    ]),
    notes: [
      `Averages (LDP-ASGD) after 800,000 players, means ± standard errors of ${replications} orders. The printed LDP-SGD column is one run ` +
        'with μ = 1 on the published table.',
    ],
  };
}

/** What charges are made with: standardised columns have no intercept. */
function trueCoefficients(): readonly number[] {
  return [0, ...INSURANCE_COLUMNS.map(({ coefficient }) => coefficient)];
}

/** Test errors of the linear model beside their limits. */
function errorTable(squares: Line, linear: readonly Line[]): Reproduction {
  const shown = (line: Line, which: Which): string => {
    const { mean, error } = finalScore(line, which, 0);
    return plusMinus(mean, error, 4);
  };
  const [{ last, limits }] = squares.runs;
  return {
    title: 'Test MSE of the linear model',
    columns: ['', 'LDP-SGD', 'LDP-ASGD', 'limit for LDP-ASGD', 'printed'],
    rows: [
      ['OLS', '', last[0][0].toFixed(4), INSURANCE_NOISE.toFixed(4), PRINTED_ERROR.leastSquares.toFixed(4)],
      ...linear.map((line, index) => [
        line.label,
        shown(line, 'last'),
        shown(line, 'average'),
        (INSURANCE_NOISE + limits[index]).toFixed(4),
        index === 0 ? PRINTED_ERROR.private.toFixed(4) : '',
      ]),
    ],
    notes: [
      'The variance of the noise is 0.0607: no model can do better. The limit adds tr(E[xxᵀ]·A⁻¹(S + noise)A⁻¹)/n, what the asymptotic ' +
        'covariance of the average says for n = 800,000 once the start is forgotten.',
    ],
  };
}
