import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import { analyticGaussianSigma, gdpDelta } from 'ldpkit/privacy';
import { DEVIATIONS, digits, type Measured, measuredMean, toleranceOf } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { column, shownMean } from '../../experiment/statistics.ts';
import { printedGaussianSigma } from '../../shared/printed-accounting.ts';

const { abs, expm1, max } = Math;

const BLOCK = 4096;

/** Gaussian noise after the lemma on a query of sensitivity 1. */
export type CalibrationSetting = { readonly epsilon: number; readonly delta: number; readonly draws: number };

/** Means over draws. */
export type CalibrationChunk = {
  /** The δ that is needed, estimated from the privacy loss, with the printed and with the analytic noise. */
  readonly printed: number;
  readonly analytic: number;
};

/**
 * Law: with noise σ the privacy loss at one of two answers 1 apart is μN + μ²/2, μ = 1/σ, and the least δ is the mean of
 * (1 − e^(ε − loss)) where that is positive.
 */
function chunk({ epsilon, delta, draws }: CalibrationSetting, index: number, seed: string): CalibrationChunk {
  const random = seededRandom(`${seed} lemma 3 ${epsilon} ${delta} ${index}`);
  const budget = { epsilon, delta, sensitivity: 1 };
  const noise = new Float64Array(BLOCK);
  const needed = [printedGaussianSigma(budget), analyticGaussianSigma(budget)].map((sigma) => {
    const mu = 1 / sigma;
    let sum = 0;
    for (let block = 0; block < draws; block += BLOCK) {
      fillNormal(noise, random);
      for (let i = 0; i < BLOCK; i++) {
        const loss = mu * noise[i] + (mu * mu) / 2;
        if (loss > epsilon) sum -= expm1(epsilon - loss);
      }
    }
    return sum / draws;
  });
  return { printed: needed[0], analytic: needed[1] };
}

function summarize({ cell, chunks }: CellResult<CalibrationSetting, CalibrationChunk>) {
  const { epsilon, delta } = cell.setting;
  const over = (values: readonly number[]): Measured => {
    const { mean, error } = measuredMean(values);
    return { mean: mean / delta, error: error / delta };
  };
  const exact = (sigma: number): number => gdpDelta(1 / sigma, epsilon) / delta;
  const budget = { epsilon, delta, sensitivity: 1 };
  return {
    epsilon,
    delta,
    printed: over(chunks.map((p) => p.printed)),
    analytic: over(chunks.map((p) => p.analytic)),
    exact: exact(printedGaussianSigma(budget)),
    exactAnalytic: exact(analyticGaussianSigma(budget)),
  };
}

function report(results: readonly CellResult<CalibrationSetting, CalibrationChunk>[]): ExperimentReport {
  const rows = results.map(summarize);
  // With the standard errors of 16 chunks, 6 of them have a false alarm of 2e-5 for each of ten comparisons.
  const small = rows.filter(({ epsilon }) => epsilon <= 1);
  const large = rows.filter(({ epsilon }) => epsilon >= 8);
  const off = ({ mean, error }: Measured, exact: number): number => abs(mean - exact) / (error + 1e-9);
  const z = max(...rows.flatMap((r) => [off(r.printed, r.exact), off(r.analytic, r.exactAnalytic)]));
  const measured = (list: readonly (typeof rows)[number][], field: 'printed' | 'analytic'): string =>
    list.map((row) => `${shownMean(row[field])} at ε = ${digits(row.epsilon)}`).join(', ');
  return {
    claims: [
      {
        asked: `the classical noise needs no more than δ for ε ≤ 1 (within ${DEVIATIONS} standard errors)`,
        measured: `over the claimed δ: ${measured(small, 'printed')}`,
        met: small.every(({ printed }) => printed.mean <= 1 + toleranceOf(printed.error)),
      },
      {
        asked: `refuted as printed, for every ε: from ε = 8 on it needs more than δ, by ${DEVIATIONS} standard errors`,
        measured: `over the claimed δ: ${measured(large, 'printed')}`,
        met: large.every(({ printed }) => printed.mean - toleranceOf(printed.error) > 1),
      },
      {
        asked: 'what holds: the analytic noise needs δ at every ε, to 6 standard errors of measurement',
        measured: `over the claimed δ: ${measured(rows, 'analytic')}`,
        met: rows.every(({ analytic }) => abs(analytic.mean - 1) <= 6 * analytic.error),
      },
      {
        asked: 'the exact δ of the Gaussian curve is what is measured, within 6 standard errors at every ε',
        measured: `${digits(z, 2)} standard errors at most`,
        met: z <= 6,
      },
    ],
    tables: [
      {
        title: 'δ that Gaussian noise needs, over the claimed δ',
        columns: ['ε', 'δ', 'classical, measured', 'exact', 'analytic, measured', 'exact'],
        rows: rows.map((r) => [
          digits(r.epsilon),
          digits(r.delta),
          shownMean(r.printed),
          digits(r.exact, 4),
          shownMean(r.analytic),
          digits(r.exactAnalytic, 6),
        ]),
        notes: [],
      },
    ],
    figures: [
      logFigure({
        name: 'influence-lemma-3',
        title: 'δ that the classical calibration needs',
        x: 'ε',
        y: 'needed δ over claimed δ',
        curves: [
          meanCurve('classical', 0, column(rows, 'epsilon'), column(rows, 'printed')),
          meanCurve('analytic', 1, column(rows, 'epsilon'), column(rows, 'analytic')),
          dashedCurve('classical, exact', 0, column(rows, 'epsilon'), column(rows, 'exact')),
          dashedCurve(
            'claimed',
            2,
            column(rows, 'epsilon'),
            rows.map(() => 1),
          ),
        ],
      }),
    ],
    data: rows,
  };
}

/** Lemma 3. */
export const lemma3: TheoremValidation<CalibrationSetting, CalibrationChunk> = {
  name: 'influence-lemma-3',
  paper: 'influence',
  theorems: ['Lemma 3', 'Definition 7'],
  title: 'The classical calibration of Gaussian noise',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Lemma 3',
  summary:
    'Gaussian noise of √(2 log(1.25/δ))/ε on a query of ℓ₂-sensitivity 1, δ = 10⁻³: the least δ that it needs at ε, measured from draws of ' +
    'the privacy loss and exactly, beside that of the analytic calibration.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [0.25, 0.5, 1, 2, 4, 8, 12, 16, 24] : [0.5, 1, 4, 8, 16]).map((epsilon) => ({
      key: `epsilon-${String(epsilon).replace('.', '-')}`,
      label: `ε = ${epsilon}`,
      setting: { epsilon, delta: 1e-3, draws: (scale === 'full' ? 2048 : 64) * BLOCK },
      chunks: 16,
    })),
  smallRun: (setting) => ({ ...setting, draws: BLOCK }),
  chunk,
  report,
};
