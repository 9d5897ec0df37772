import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import { innerProduct } from 'ldpkit/optimize';
import { empiricalRisk, fillMeanGradient, fillRecordGradient, optimum } from 'ldpkit/protocols/influence-sgd';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';
import { descentModel } from './descent.ts';
import { drawRecords } from './logistic-records.ts';

const { min, max } = Math;

const DIMENSION = 3;
const RECORDS = 200;
const SIGMA = 0.02;
const model = descentModel(DIMENSION);
const { smoothness } = model.constants;

/** One step from a point at this distance from the optimum. */
export type StepSetting = { readonly distance: number; readonly records: number };

/** Of one data set and one direction. Everything is an excess risk, L − L*. */
export type StepChunk = {
  readonly before: number;
  /** After a step on a drawn record: the mean over all records, each with noise and its opposite. */
  readonly single: number;
  /** After a step along the mean gradient, with the same noise. */
  readonly along: number;
  /** The bound of (4) as printed, and with the variance of the drawn gradient. */
  readonly printed: number;
  readonly corrected: number;
};

function chunk({ distance, records }: StepSetting, index: number, seed: string): StepChunk {
  const random = seededRandom(`${seed} equation 4 ${distance} ${index}`);
  const data = drawRecords(records, DIMENSION, random);
  const { theta: best, risk } = optimum(model, data);
  const theta = new Float64Array(DIMENSION);
  fillNormal(theta, random);
  const length = Math.sqrt(innerProduct(theta, theta));
  for (let j = 0; j < DIMENSION; j++) theta[j] = best[j] + (distance * theta[j]) / length;
  const mean = new Float64Array(DIMENSION);
  fillMeanGradient(model, theta, data, mean);
  const gradient = new Float64Array(DIMENSION);
  const noise = new Float64Array(DIMENSION);
  const next = new Float64Array(DIMENSION);
  let [single, along, variance] = [0, 0, 0];
  const after = (direction: Float64Array, sign: number): number => {
    for (let j = 0; j < DIMENSION; j++) next[j] = theta[j] - (direction[j] + sign * SIGMA * noise[j]) / smoothness;
    return (empiricalRisk(model, next, data) - risk) / (2 * records);
  };
  for (let i = 0; i < records; i++) {
    fillNormal(noise, random);
    fillRecordGradient(model, theta, data, i, Infinity, gradient);
    for (let j = 0; j < DIMENSION; j++) variance += (gradient[j] - mean[j]) ** 2 / records;
    single += after(gradient, 1) + after(gradient, -1);
    along += after(mean, 1) + after(mean, -1);
  }
  const before = empiricalRisk(model, theta, data) - risk;
  const noiseTerm = DIMENSION * SIGMA * SIGMA;
  const printed = before + (noiseTerm - innerProduct(mean, mean)) / (2 * smoothness);
  return { before, single, along, printed, corrected: printed + variance / (2 * smoothness) };
}

function summarize({ cell, chunks }: CellResult<StepSetting, StepChunk>) {
  const over = (field: keyof StepChunk) => ({
    mean: chunks.reduce((sum, p) => sum + p[field], 0) / chunks.length,
    error: 0,
  });
  return {
    distance: cell.setting.distance,
    before: over('before'),
    single: over('single'),
    along: over('along'),
    printed: over('printed'),
    corrected: over('corrected'),
  };
}

function report(results: readonly CellResult<StepSetting, StepChunk>[]): ExperimentReport {
  const rows = results.map(summarize);
  const every = results.flatMap(({ chunks }) => chunks);
  const near = results.filter(({ cell }) => cell.setting.distance <= 0.3).flatMap(({ chunks }) => chunks);
  const x = rows.map(({ distance }) => distance);
  const alongRoom = every.map(({ along, printed }) => printed / along);
  const room = every.map(({ single, corrected }) => corrected / single);
  const over = near.map(({ single, printed }) => single / printed);
  return {
    claims: [
      {
        asked: '(4) holds for a step along the mean gradient, at every point',
        measured: `its right side is ${digits(min(...alongRoom))} to ${digits(max(...alongRoom))} times the left, both as excess risks`,
        met: alongRoom.every((ratio) => ratio >= 1),
      },
      {
        asked: 'refuted: on drawn records (4) is exceeded at every point within .3 of the optimum',
        measured: `${digits(min(...over))} to ${digits(max(...over))} times its right side`,
        met: over.every((ratio) => ratio > 1),
      },
      {
        asked:
          'with the variance of the drawn gradient, E‖∇ℓ − ∇L‖²/(2L), added it holds on drawn records at every point',
        measured: `the right side is ${digits(min(...room))} to ${digits(max(...room))} times the left`,
        met: room.every((ratio) => ratio >= 1),
      },
    ],
    tables: [
      {
        title: 'Excess risk after one step of 1/L',
        columns: ['‖θ − θ*‖', 'before', 'drawn record', 'mean gradient', '(4) as printed', 'with the variance'],
        rows: rows.map((row) => [
          digits(row.distance),
          ...[row.before, row.single, row.along, row.printed, row.corrected].map(({ mean }) => digits(mean)),
        ]),
        notes: [
          'Means over data sets and directions; over the drawn record the mean is exact, over the noise by draws and their opposites.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'influence-equation-4',
        title: 'One noisy step of 1/L',
        x: '‖θ − θ*‖ before the step',
        y: 'mean L − L* after it',
        curves: [
          meanCurve('drawn record', 0, x, column(rows, 'single')),
          meanCurve('mean gradient', 1, x, column(rows, 'along')),
          dashedCurve(
            '(4) as printed',
            1,
            x,
            rows.map((row) => row.printed.mean),
          ),
          dashedCurve(
            'claimed: (4) with the variance',
            0,
            x,
            rows.map((row) => row.corrected.mean),
          ),
        ],
      }),
    ],
    data: rows.map(({ distance, ...row }) => ({
      distance,
      ...Object.fromEntries(Object.entries(row).map(([key, { mean }]) => [key, mean])),
    })),
  };
}

/** Equation (4), the step of the proof of Theorem 1. */
export const equation4: TheoremValidation<StepSetting, StepChunk> = {
  name: 'influence-equation-4',
  paper: 'influence',
  theorems: ['Equation (4)'],
  title: 'The descent inequality of one step',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, (4)',
  summary:
    'Logistic regression, n = 200, m = 3, λ = ¼, noise of .02: the mean excess risk after one step of 1/L from points at given distances ' +
    'from the optimum, on a drawn record and along the mean gradient.',
  version: 1,
  cells: (scale) =>
    [0.03, 0.1, 0.3, 1, 3].map((distance) => ({
      key: `distance-${String(distance).replace('.', '-')}`,
      label: `at a distance of ${distance}`,
      setting: { distance, records: RECORDS },
      chunks: scale === 'full' ? 60 : 12,
    })),
  smallRun: (setting) => ({ ...setting, records: 20 }),
  chunk,
  report,
};
