import type { HingeRequest } from 'ldpkit/protocols/hinge';
import { atMostClaim, DEVIATIONS, digits, meansClaim, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, linearFigure, meanCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';
import {
  type Decoder,
  type OneReportChunk,
  type OneReportSetting,
  oneReportChunk,
  oneReportResult,
} from './one-report.ts';

type Variant = HingeRequest['variant'];

const DECODERS: readonly (readonly [Variant, Decoder])[] = [
  ['printed', 'product'],
  ['copies', 'product'],
  ['copies', 'averaged'],
  ['copies', 'signs'],
  ['gaussian', 'gaussian'],
  ['lifted', 'lifted'],
  ['sampled', 'sampled'],
  ['direct', 'direct'],
];

/** A polynomial with all powers, none of them negligible. */
const COEFFICIENTS = [-0.8, 0.5, 0.4, -0.6];

/**
 * Budgets under which the noise is of the order of the record (σ from 0.05 to 0.4 on every copy): the estimates are products of
 * up to eight normals, and where noise is larger no sample shows their fourth moments.
 */
const EPSILONS: Readonly<Record<Variant, readonly number[]>> = {
  printed: [60, 90, 160, 320],
  copies: [60, 90, 180, 360],
  gaussian: [40, 40, 60, 80],
  lifted: [6, 6, 6, 6],
  sampled: [6, 6, 6, 6],
  direct: [6, 6, 6, 6],
};

function settingOf(variant: Variant, decoder: Decoder, degree: number, reports: number): OneReportSetting {
  return {
    variant,
    decoder,
    epsilon: EPSILONS[variant][degree],
    delta: 1e-3,
    dimension: 2,
    coefficients: COEFFICIENTS.slice(0, degree + 1),
    features: [0.6, -0.5],
    w: [-0.7, 0.4],
    label: -1,
    reports,
  };
}

const nameOf = ({ variant, decoder }: OneReportSetting): string =>
  variant === decoder ? variant : `${variant}, ${decoder}`;

function report(results: readonly CellResult<OneReportSetting, OneReportChunk>[]): ExperimentReport {
  const lines = results.map(({ cell, chunks }) => ({
    name: nameOf(cell.setting),
    degree: cell.setting.coefficients.length - 1,
    ...oneReportResult(cell.setting, chunks),
  }));
  const names = [...new Set(lines.map(({ name }) => name))];
  const precision = lines.map(({ variance, stated }) => variance.error / stated);
  return {
    claims: [
      // ‖mean − m‖² is a weighted sum of χ²₁ with weights that add up to 1, whose tail is at most that of one χ²₁: beyond 4.5 standard
      // errors with probability 7e-6 for each cell.
      atMostClaim(
        `gradient estimates are unbiased for P(t)·v: ‖mean − P(t)v‖ at most ${DEVIATIONS} standard errors, every decoder and degree`,
        column(lines, 'bias'),
        DEVIATIONS,
      ),
      // A variance from thousands of reports is nearly normal at this noise; the slack is for its skewness at the quick scale.
      meansClaim('their variance is the closed form', column(lines, 'variance'), column(lines, 'stated'), 0.02),
      atMostClaim('precision of that measurement: standard errors at most 8 % of the variance', precision, 0.08),
    ],
    tables: [
      {
        title: 'Gradient estimates of single reports',
        columns: ['reports', 'degree', 'bias in standard errors', 'variance', 'closed form'],
        rows: lines.map(({ name, degree, bias, variance, stated }) => [
          name,
          String(degree),
          digits(bias, 2),
          plusMinus(variance.mean, variance.error, 4),
          digits(stated, 4),
        ]),
        notes: [`${lines[0].reports.toLocaleString('en-US')} reports a line, of one record; ε and δ: see the cells.`],
      },
    ],
    figures: [
      linearFigure({
        name: 'theorem-10-variance',
        title: 'Variance of the gradient estimate of one report',
        x: 'degree d',
        y: 'E‖G − P(t)v‖²',
        logarithmic: 'y',
        curves: names.flatMap((name, style): FigureCurve[] => {
          const own = lines.filter((line) => line.name === name);
          const degrees = own.map(({ degree }) => degree);
          return [
            meanCurve(name, style, degrees, column(own, 'variance')),
            dashedCurve(`${name}: closed form`, style, degrees, column(own, 'stated')),
          ];
        }),
      }),
    ],
    data: lines,
  };
}

/** Theorem 10, first and third claim: the mean and the variance of one gradient estimate. */
export const oracleMoments: TheoremValidation<OneReportSetting, OneReportChunk> = {
  name: 'hinge-theorem-10-moments',
  title: 'Mean and variance of the gradient estimate of one report',
  paper: 'noninteractive',
  theorems: ['Theorem 10', 'Definition 7'],
  source: `${PAPER}, theorem 10`,
  summary:
    'Reports of one record, each decoded alone: by products of noisy copies as in algorithm 1, and by the decoders of the toolkit. ' +
    'Their mean is to be P(t)v and their variance the closed form. Record, point, polynomial and budgets are chosen here, the ' +
    'budgets large enough for the variance of products of noise to be measurable.',
  version: 1,
  cells: (scale) =>
    DECODERS.flatMap(([variant, decoder]) =>
      [0, 1, 2, 3].map((degree) => ({
        key: `${variant}-${decoder}-${degree}`,
        label: `${variant}, decoded as ${decoder}, degree ${degree}`,
        setting: settingOf(variant, decoder, degree, scale === 'full' ? 50_000 : 20_000),
        chunks: scale === 'full' ? 10 : 1,
      })),
    ),
  smallRun: (setting) => ({ ...setting, reports: 3 }),
  chunk: oneReportChunk,
  report,
};
