import { study } from 'ldpkit/protocols/hinge';
import { atLeastClaim, digits, meansClaim, rateFit, ratePoints, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';
import { type OneReportChunk, type OneReportSetting, oneReportChunk, oneReportResult } from './one-report.ts';

type Variant = 'printed' | 'lifted';

/** What a cell varies: the budget or the dimension. */
type Setting = OneReportSetting & { readonly vary: 'epsilon' | 'dimension' };

function settingOf(variant: Variant, vary: Setting['vary'], degree: number, value: number, reports: number): Setting {
  return {
    vary,
    variant,
    decoder: variant === 'printed' ? 'product' : 'lifted',
    epsilon: vary === 'epsilon' ? value : 1,
    delta: 1e-6,
    dimension: vary === 'dimension' ? value : 2,
    coefficients: [-0.8, 0.5].slice(0, degree + 1),
    features: [0.6, -0.5],
    w: [-0.7, 0.4],
    label: -1,
    reports,
  };
}

/** Where noise is all there is. */
const EPSILONS: Readonly<Record<Variant, readonly number[]>> = {
  printed: [0.1, 0.2, 0.4, 0.8],
  lifted: [0.02, 0.04, 0.08, 0.16],
};

const DIMENSIONS = [4, 8, 16, 32];

function report(results: readonly CellResult<Setting, OneReportChunk>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, chunks }) => ({
    variant: setting.variant as Variant,
    vary: setting.vary,
    degree: setting.coefficients.length - 1,
    value: setting.vary === 'epsilon' ? setting.epsilon : setting.dimension,
    ...oneReportResult(setting, chunks),
  }));
  const series = [...new Set(lines.map(({ variant, vary, degree }) => `${variant}/${vary}/${degree}`))].map((key) => {
    const own = lines.filter(({ variant, vary, degree }) => `${variant}/${vary}/${degree}` === key);
    const { variant, vary, degree } = own[0];
    const x = own.map(({ value }) => value);
    const variances = own.map(({ variance }) => variance);
    const claimed = vary === 'dimension' ? 1 : variant === 'printed' ? -4 * (degree + 1) : -2;
    return { variant, vary, degree, x, variances, stated: own.map(({ stated }) => stated), claimed };
  });
  const factors = [1, 2, 3].map((degree) => {
    const of = (variant: Variant): number =>
      study.gradientVariance({ variant, epsilon: 1, delta: 1e-6, degree, dimension: 5 });
    return of('printed') / of('lifted');
  });
  const curves = (vary: Setting['vary']): FigureCurve[] =>
    series
      .filter((one) => one.vary === vary)
      .flatMap(({ variant, degree, x, variances, stated }, style): FigureCurve[] => [
        meanCurve(`${variant}, d = ${degree}`, style, x, variances),
        dashedCurve(`${variant}, d = ${degree}: closed form`, style, x, stated),
      ]);
  return {
    claims: [
      ...series.map(({ variant, vary, degree, x, variances, claimed }) =>
        slopeClaim(
          {
            what: `log-log slope of the variance in ${vary === 'epsilon' ? 'ε' : 'p'}, ${variant} reports, degree ${degree}`,
            expected: claimed,
            // What the record adds to the noise, from the closed forms: at most .06 at these ε and p.
            slack: 0.08,
            largestTolerance: 0.6,
          },
          rateFit(ratePoints(x, variances)),
        ),
      ),
      // Products of four normals have a kurtosis of 81: a mean of 40,000 squares is off by 4 % and nearly normal.
      meansClaim('every variance is the closed form', column(lines, 'variance'), column(lines, 'stated'), 0.05),
      atLeastClaim(
        'players of algorithm 1 as printed for one of lifted reports, ε = 1, δ = 1e-6, p = 5, degrees 1, 2 and 3: at least 1e8, from the closed forms',
        factors,
        1e8,
      ),
    ],
    tables: [
      {
        title: 'Variance of the gradient estimate of one report',
        columns: ['reports', 'degree', 'ε', 'p', 'variance', 'closed form'],
        rows: lines.map(({ variant, degree, vary, value, variance, stated }) => [
          variant,
          String(degree),
          vary === 'epsilon' ? String(value) : '1',
          vary === 'epsilon' ? '2' : String(value),
          `${digits(variance.mean)} ± ${digits(variance.error, 2)}`,
          digits(stated),
        ]),
        notes: ['Deviations of theorem 10 are roots of these: 1/ε^{2d+2} and √p as printed.'],
      },
      {
        title: 'Players of algorithm 1 as printed in the place of one, for the same variance',
        columns: ['degree', 'printed over lifted'],
        rows: factors.map((factor, i) => [String(i + 1), factor.toExponential(1)]),
        notes: ['ε = 1, δ = 1e-6, p = 5, hinge with β = 0.1.'],
      },
    ],
    figures: (
      [
        ['epsilon', 'ε'],
        ['dimension', 'features p'],
      ] as const
    ).map(([vary, label]) =>
      logFigure({
        name: `remark-15-${vary}`,
        title: `Variance of one gradient estimate against ${label}`,
        x: label,
        y: 'E‖G − P(t)v‖²',
        curves: curves(vary),
      }),
    ),
    data: {
      variances: lines.map(({ variance, ...line }) => ({ ...line, variance })),
      factors,
    },
  };
}

const SERIES: readonly (readonly [Variant, Setting['vary'], number])[] = [
  ['printed', 'epsilon', 0],
  ['printed', 'epsilon', 1],
  ['lifted', 'epsilon', 0],
  ['lifted', 'epsilon', 1],
  ['printed', 'dimension', 0],
  ['printed', 'dimension', 1],
];

/** Remark 15 and the third claim of theorem 10: how the variance depends on ε and p. */
export const varianceOrders: TheoremValidation<Setting, OneReportChunk> = {
  name: 'hinge-remark-15-variance',
  title: 'Orders of the variance in ε and p',
  paper: 'noninteractive',
  theorems: ['Remark 15', 'Theorem 10', 'Theorem 11'],
  source: `${PAPER}, theorem 10 and remark 15`,
  summary:
    'The variance of the gradient estimate of one report under the printed noise, where the noise is all there is: linear in p, and ' +
    'ε^{−4(d+1)}, against ε⁻² of lifted reports at every degree. Degrees 0 and 1; beyond, the fourth moments of the products are ' +
    'out of reach of a sample. Record, point and polynomial are chosen here.',
  version: 1,
  cells: (scale) =>
    SERIES.flatMap(([variant, vary, degree]) =>
      (vary === 'epsilon' ? EPSILONS[variant] : DIMENSIONS).map((value) => ({
        key: `${variant}-${vary}-${degree}-${String(value).replace('.', '-')}`,
        label: `${variant}, degree ${degree}, ${vary === 'epsilon' ? 'ε' : 'p'} = ${value}`,
        setting: settingOf(variant, vary, degree, value, variant === 'printed' ? 40_000 : 5000),
        chunks: scale === 'full' ? 25 : 1,
      })),
    ),
  smallRun: (setting) => ({ ...setting, reports: 3 }),
  chunk: oneReportChunk,
  report,
};
