import type { Json } from '../../../src/protocol/digest.ts';
import { measuredPoints } from '../../../src/simulation/claim/curve.ts';
import { plusMinus } from '../../../src/simulation/claim/digits.ts';
import { columnMeans, measuredMean } from '../../../src/simulation/claim/mean.ts';
import type { Figure, FigureCurve } from '../../../src/simulation/figure.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import {
  finalScore,
  type InsurancePart,
  type InsuranceSetting,
  type Line,
  NAMES,
  PRINTED_ERROR,
  WHICH,
  type Which,
} from './insurance-lines.ts';
import { classTable, coefficientTable, errorTable, trueCoefficients } from './insurance-tables.ts';

/**
 * Claims, tables and figures of the insurance example.
 *
 * @theorem online-rates Figure 7
 * @theorem online-rates Figure 8
 * @theorem online-rates Figure 9
 */
export function insuranceReport(results: readonly CellResult<InsuranceSetting, InsurancePart>[]): ExperimentReport {
  const lines = results.map(
    ({ cell, parts }): Line => ({ model: cell.setting.model, label: cell.label, runs: parts.flat() }),
  );
  const [squares, ...streams] = lines;
  const linear = streams.filter(({ model }) => model === 'linear');
  const logistic = streams.filter(({ model }) => model === 'logistic');
  const { checkpoints } = results[1].cell.setting;
  const replications = linear[0].runs.length;
  return {
    claims: [
      ...linear.slice(0, 2).flatMap((line) => [errorClaim(line, squares), coefficientClaim(line, squares)]),
      coverageClaim(linear),
    ],
    tables: [coefficientTable(squares, linear, replications), errorTable(squares, linear), classTable(logistic)],
    figures: WHICH.flatMap((which) => [
      scoreFigure(linear, which, 0, checkpoints, 'figure-7', 'test MSE', squares.runs[0].last[0][0]),
      scoreFigure(logistic, which, 0, checkpoints, 'figure-8', 'cross-entropy'),
      scoreFigure(logistic, which, 1, checkpoints, 'figure-9', 'accuracy'),
    ]),
    data: {
      leastSquares: { ...squares.runs[0] },
      streams: streams.map(({ model, label, runs }) => ({
        model,
        label,
        theta: columnMeans(runs.map(({ theta }) => theta)),
        last: finalScore({ model, label, runs }, 'last', 0),
        average: finalScore({ model, label, runs }, 'average', 0),
      })),
    } as unknown as Json,
  };
}

function errorClaim(line: Line, squares: Line): ExperimentClaim {
  const best = squares.runs[0].last[0][0];
  const { mean, error } = finalScore(line, 'average', 0);
  return {
    asked: `${line.label}: printed test MSE 0.0722 where OLS has 0.0607 (here: at most twice that excess)`,
    measured: `${plusMinus(mean, error, 4)} where OLS has ${best.toFixed(4)}, an excess of ${(mean - best).toFixed(4)}`,
    met: mean - best <= 2 * (PRINTED_ERROR.private - PRINTED_ERROR.leastSquares),
  };
}

function coefficientClaim({ label, runs }: Line, squares: Line): ExperimentClaim {
  const [{ theta: best }] = squares.runs;
  const gaps = runs.map(({ theta }) => Math.max(...theta.slice(1).map((entry, j) => Math.abs(entry - best[j + 1]))));
  const { mean, error } = measuredMean(gaps);
  return {
    asked: `${label}: printed coefficients are close to OLS, the furthest 0.038 away (here: in the mean of runs at most twice that)`,
    measured: `the furthest is ${plusMinus(mean, error, 3)} away`,
    met: mean <= 0.076,
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

function scoreFigure(
  lines: readonly Line[],
  which: Which,
  score: number,
  checkpoints: readonly number[],
  name: string,
  what: string,
  level?: number,
): Figure {
  return {
    kind: 'curves',
    name: `${name}-${which}`,
    title: `${NAMES[which]}, ${lines[0].model === 'linear' ? 'linear regression' : 'three classes'}: ${what}`,
    x: { label: 'players n', logarithmic: true },
    y: { label: what, logarithmic: what !== 'accuracy' },
    curves: lines.map(
      ({ label, runs }, style): FigureCurve => ({
        name: label,
        style,
        dashed: false,
        points: measuredPoints(checkpoints, columnMeans(runs.map((run) => run[which].map((scores) => scores[score])))),
      }),
    ),
    levels: level === undefined ? [] : [{ name: 'OLS', value: level }],
  };
}
