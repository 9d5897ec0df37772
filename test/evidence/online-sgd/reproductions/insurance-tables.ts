import { columnMeans, plusMinus, type Reproduction } from 'ldpkit/testing';
import { finalScore, type Line, PRINTED_ERROR, type Which } from './insurance-lines.ts';
import { INSURANCE_COLUMNS, INSURANCE_NOISE } from './insurance-table.ts';

/**
 * Coefficients beside OLS and the printed ones.
 *
 * @theorem online-inference Table 3
 */
export function coefficientTable(squares: Line, linear: readonly Line[], replications: number): Reproduction {
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
export function trueCoefficients(): readonly number[] {
  return [0, ...INSURANCE_COLUMNS.map(({ coefficient }) => coefficient)];
}

/** Test errors of the linear model beside their limits. */
export function errorTable(squares: Line, linear: readonly Line[]): Reproduction {
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
