import { seededRandom } from 'ldpkit';
import { descendNoisily, empiricalRisk, optimum } from 'ldpkit/protocols/influence-sgd';
import { DEVIATIONS, digits, measuredMean, rateFit, ratePoints, slopeClaim, toleranceOf } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { column, shownMean } from '../../experiment/statistics.ts';
import { excessRiskBound } from '../bounds.ts';
import { type Along, descentModel, descentOf, RIDGE } from './descent.ts';
import { drawRecords } from './logistic-records.ts';

const { ceil, log, max, min } = Math;

const DIMENSION = 4;
const model = descentModel(DIMENSION);

/** Descents on one data set of n records. */
export type ExcessSetting = { readonly along: Along; readonly records: number; readonly runs: number };

/** What came of them. */
export type ExcessChunk = {
  /** The mean of L(θ_T; D) − L*. */
  readonly excess: number;
  /** L(θ_0; D) − L*. */
  readonly gap: number;
};

function chunk({ along, records, runs }: ExcessSetting, index: number, seed: string): ExcessChunk {
  const data = drawRecords(records, DIMENSION, seededRandom(`${seed} theorem 1 ${along} ${records} ${index}`));
  const coins = seededRandom(`${seed} theorem 1, noise ${along} ${records} ${index}`);
  const parameters = descentOf(model, records, along);
  const { risk } = optimum(model, data);
  let excess = 0;
  for (let run = 0; run < runs; run++) {
    excess += (empiricalRisk(model, descendNoisily(parameters, model, data, coins), data) - risk) / runs;
  }
  return { excess, gap: empiricalRisk(model, new Float64Array(DIMENSION), data) - risk };
}

function summarize({ cell, chunks }: CellResult<ExcessSetting, ExcessChunk>) {
  const { along, records } = cell.setting;
  const { sigma, steps } = descentOf(model, records, along);
  const gap = max(...chunks.map((p) => p.gap));
  const { smoothness } = model.constants;
  const bound = excessRiskBound({ gap, pl: RIDGE, smoothness, dimension: DIMENSION, sigma, steps });
  // What Remark 3 saves: without the geometric sum, T takes the place of L/μ.
  const unsummed = bound + ((steps * RIDGE) / smoothness - 1) * ((DIMENSION * sigma * sigma) / (2 * RIDGE));
  return { records, steps, sigma, bound, unsummed, excess: measuredMean(chunks.map((p) => p.excess)) };
}

function report(results: readonly CellResult<ExcessSetting, ExcessChunk>[]): ExperimentReport {
  const of = (along: Along) => results.filter(({ cell }) => cell.setting.along === along).map(summarize);
  const [mean, single] = [of('mean'), of('single')];
  const [n, singleSizes] = [mean, single].map((rows) => rows.map(({ records }) => records));
  const slope = rateFit(
    ratePoints(
      n,
      mean.map(({ records, excess }) => ({ mean: excess.mean / log(records), error: excess.error / log(records) })),
    ),
  );
  const flat = rateFit(ratePoints(singleSizes, column(single, 'excess')));
  const room = mean.map(({ bound, excess }) => bound / excess.mean);
  const over = single.map(({ bound, excess }) => (excess.mean - toleranceOf(excess.error)) / bound);
  const { length } = single;
  return {
    claims: [
      slopeClaim(
        {
          what: 'along the mean gradient, slope in n of the excess empirical risk over log n',
          expected: -2,
          slack: 0.05,
          largestTolerance: 0.24,
        },
        slope,
      ),
      {
        asked:
          'and is at most (1 − μ/L)^T·gap + mσ²/(2μ) at every n, which is 2 to 3.6 times as much here and an equality where μ = L (influence-theorem-1-equality)',
        measured: `the bound is ${digits(min(...room))} to ${digits(max(...room))} times what was measured`,
        met: room.every((ratio) => ratio >= 2 && ratio <= 3.6),
      },
      slopeClaim(
        {
          what: 'refuted: on single records, as (1) has them and with the noise (2), the slope is not −2',
          // Some hundredths are left of the noise (2) at the smallest n.
          ...{ expected: 0, slack: 0.06, largestTolerance: 0.24 },
        },
        flat,
      ),
      {
        asked: `refuted: there the excess risk at the two largest n is above the bound, by ${DEVIATIONS} standard errors`,
        measured: `${over
          .slice(length - 2)
          .map((ratio) => digits(ratio))
          .join(' and ')} times the bound`,
        met: over.slice(length - 2).every((ratio) => ratio > 1),
      },
    ],
    tables: [
      {
        title: 'Excess empirical risk of noisy descent',
        columns: ['steps along', 'n', 'T', 'σ', 'excess risk', 'bound', 'bound without the geometric sum'],
        rows: results.map((result) => {
          const row = summarize(result);
          return [
            result.cell.setting.along === 'mean' ? 'the mean gradient' : 'single records',
            String(row.records),
            String(row.steps),
            digits(row.sigma),
            shownMean(row.excess),
            digits(row.bound),
            digits(row.unsummed),
          ];
        }),
        notes: [
          'Standard errors are over data sets, each with many descents.',
          'The last column has T·μ/L times the noise, as before Remark 3: its ratio to the bound grows like log n.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'influence-theorem-1',
        title: 'Excess empirical risk after O(log n) noisy steps',
        x: 'records n',
        y: 'mean L(θ_T; D) − L*',
        curves: [
          meanCurve('mean gradient', 0, n, column(mean, 'excess')),
          meanCurve('single records', 1, singleSizes, column(single, 'excess')),
          dashedCurve('claimed, mean gradient', 0, n, column(mean, 'bound')),
          dashedCurve('as printed, single records', 1, singleSizes, column(single, 'bound')),
          dashedCurve('without the geometric sum', 2, n, column(mean, 'unsummed')),
        ],
      }),
    ],
    data: [...mean, ...single],
  };
}

/** Theorem 1, with Remark 3. */
export const theorem1: TheoremValidation<ExcessSetting, ExcessChunk> = {
  name: 'influence-theorem-1',
  paper: 'influence',
  theorems: ['Theorem 1', 'Remark 3'],
  title: 'Excess empirical risk of DP-SGD',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Theorem 1',
  summary:
    'Logistic regression, λ = μ = ¼, m = 4, at (1, 10⁻⁵): T = O(log n) steps of 1/L with noise in each. Along the mean gradient the ' +
    'noise is that of Gaussian composition; on single records it is (2) with c = 2√2. Everything is against the optimum of its data.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    const mean = full ? [150, 300, 600, 1200, 2400, 4800] : [100, 300, 900];
    const single = full ? [1600, 6400, 25_600, 102_400] : [1600, 3200, 6400];
    return [
      ...mean.map((records) => ({ along: 'mean' as const, records, runs: full ? 80 : 10 + ceil(4000 / records) })),
      ...single.map((records) => ({ along: 'single' as const, records, runs: full ? 200 : 16 })),
    ].map((setting) => ({
      key: `${setting.along}-${setting.records}`,
      label: `${setting.along === 'mean' ? 'mean gradient' : 'single records'}, n = ${setting.records}`,
      setting,
      chunks: full ? 32 : 24,
    }));
  },
  smallRun: (setting) => ({ ...setting, records: 100, runs: 2 }),
  chunk,
  report,
};
