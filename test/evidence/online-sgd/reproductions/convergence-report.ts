import type { Json } from 'ldpkit';
import { type CellResult, digits, type ExperimentClaim, type ExperimentReport, plusMinus } from 'ldpkit/testing';
import { errorFigure, orderFigure } from './convergence-figures.ts';
import { type MeasuredRate, measure, printed, type RateCell, SYMBOLS, WHICH } from './convergence-measures.ts';
import type { TrajectoryPart, TrajectorySetting } from './trajectory.ts';

/** Claims, tables and figures of the convergence rates. */
export function ratesReport(
  results: readonly CellResult<TrajectorySetting, TrajectoryPart>[],
  grid: readonly RateCell[],
  from: number,
): ExperimentReport {
  const measured = results.map((result, index) => measure(result, grid[index], from));
  const { checkpoints } = results[0].cell.setting;
  const shown = (exponent: number | undefined): string => (exponent === undefined ? 'none' : exponent.toFixed(3));
  const rows = measured.map((one, index) => {
    const expected = printed(one);
    const end = checkpoints.length - 1;
    return [
      index === 0 || measured[index - 1].model !== one.model ? one.model : '',
      one.text,
      ...WHICH.flatMap((which) => [
        plusMinus(-one.slope[which].slope, one.slope[which].error, 3),
        shown(expected[which]),
        digits(one.means[which][end].mean),
      ]),
    ];
  });
  const heads = (symbol: string): string[] => [`${symbol}: exponent`, 'printed', 'error at the end'];
  return {
    claims: measured.flatMap((one) => claimsOf(one, measured)),
    tables: [
      {
        title: 'Exponents e of errors that fall like n^(−e)',
        columns: ['', 'α', ...heads('last'), ...heads('average')],
        rows,
        notes: [
          `Slopes from n = 30,000 to 300,000 with jackknife standard errors over ${measured[0].replications} replications. Linear: δ_n and δ̄_n, ` +
            'squared parameter errors. Logistic: Δ_n and Δ̄_n, expected excess losses. Printed exponents are those of upper bounds.',
          'The average of a linear model falls like 1/n for α < 1/2 too: the bound n^(−2α) comes from the curvature of the score, whose mean ' +
            'effect is 0 for an odd score under symmetric noise. Above 1 an exponent still contains the start.',
        ],
      },
    ],
    figures: [
      ...(['linear', 'logistic'] as const).flatMap((model) =>
        WHICH.map((which) => errorFigure(measured, model, which, checkpoints)),
      ),
      orderFigure(measured),
    ],
    data: measured.map(({ model, text, slope, order }) => ({ model, decay: text, slope, order })) as unknown as Json,
  };
}

/** At the three α of the table: the exponent of the last iterate where it is exact, and bounds where they are bounds. */
function claimsOf(one: MeasuredRate, all: readonly MeasuredRate[]): readonly ExperimentClaim[] {
  const { model, text, slope, means } = one;
  if (text === '1') return [failureClaim(one, all)];
  if (!['1/3', '1/2', '2/3'].includes(text)) return [];
  const expected = printed(one);
  return WHICH.map((which) => {
    const exponent = -slope[which].slope;
    const { error } = slope[which];
    const asked = expected[which] ?? 0;
    const exact = model === 'linear' && which === 'last';
    return {
      asked: `${model}, α = ${text}: ${SYMBOLS[model][which]} ${claimedFall(asked, exact)}`,
      measured: `${plusMinus(exponent, error, 3)}; ${digits(means[which][means[which].length - 1].mean)} at n = 300,000`,
      met: exact ? Math.abs(exponent - asked) < 0.1 + 3 * error : exponent > asked - 3 * error,
    };
  });
}

/** What is asked of an exponent, in words; 0 is no rate. */
function claimedFall(exponent: number, exact: boolean): string {
  if (exponent === 0) return 'falls (printed exponent 0; to 3 standard errors)';
  const power = `falls like n^(−${digits(exponent)})`;
  return exact ? `${power} (here: within 0.1 and 3 standard errors)` : `${power} or faster (to 3 standard errors)`;
}

/** α = 1: hardly any progress in a decade, and far from where α = 2/3 is. */
function failureClaim(one: MeasuredRate, all: readonly MeasuredRate[]): ExperimentClaim {
  const { model, slope, means } = one;
  const end = means.last.length - 1;
  const other = all.find((cell) => cell.model === model && cell.text === '2/3') ?? one;
  const ratio = means.last[end].mean / other.means.last[end].mean;
  return {
    asked: `${model}, α = 1: neither estimator converges (here: exponents below 0.3, and errors 10 times those of α = 2/3)`,
    measured:
      `exponents ${plusMinus(-slope.last.slope, slope.last.error, 3)} and ${plusMinus(-slope.average.slope, slope.average.error, 3)}, ` +
      `last iterate ${digits(ratio)} times as far`,
    met: -slope.last.slope < 0.3 && -slope.average.slope < 0.3 && ratio > 10,
  };
}
