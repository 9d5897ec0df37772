import { atMostClaim, DEVIATIONS, digits, type Measured, meansClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, linearFigure, meanCurve } from '../../experiment/figure.ts';
import { chunksMean, column, summed } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';
import { meanOf, type OracleChunk, type OracleSetting, oracleChunk, stated } from './oracle-reports.ts';

const { hypot, max, min, sqrt } = Math;

interface Line {
  readonly setting: OracleSetting;
  /** The mean gradient. */
  readonly mean: readonly number[];
  /** Its length, and its distances from 0 and from Q(r)(w − x), in standard errors of the closed form. */
  readonly length: number;
  readonly fromZero: number;
  readonly fromCorrected: number;
  readonly error: number;
  readonly variance: Measured;
  readonly stated: number;
}

function lineOf({ cell: { setting }, chunks }: CellResult<OracleSetting, OracleChunk>): Line {
  const reports = chunks.length * setting.reports;
  const mean = [0, 1].map((j) => summed(chunks, ({ sums }) => sums[j]) / reports);
  const claimed = stated(setting);
  const error = sqrt(claimed / reports);
  return {
    setting,
    mean,
    length: hypot(...mean),
    fromZero: hypot(...mean) / error,
    fromCorrected: hypot(...meanOf(setting).map((entry, i) => mean[i] - entry)) / error,
    error,
    variance: chunksMean(
      reports,
      chunks.map(({ squared: sum, squares }) => ({ sum, squares })),
    ),
    stated: claimed,
  };
}

function report(results: readonly CellResult<OracleSetting, OracleChunk>[]): ExperimentReport {
  const lines = results.map(lineOf);
  const of = (...kinds: readonly OracleSetting['kind'][]): readonly Line[] =>
    lines.filter(({ setting }) => kinds.includes(setting.kind));
  const [printed, corrected] = [of('printed'), of('directions')];
  const unbiased = of('directions', 'lifted', 'gaussian', 'copies');
  const far = printed.map(({ fromCorrected }) => fromCorrected);
  const degrees = corrected.map(({ setting }) => setting.degree);
  const claimed = corrected.map(({ setting }) => hypot(...meanOf(setting)));
  return {
    claims: [
      // ‖mean − m‖² is at most one χ²₁ in its tail: beyond 4.5 standard errors with probability 7e-6 for each cell.
      atMostClaim(
        `one u per gradient, and u integrated out: the mean gradient is Q(r)(w − x), within ${DEVIATIONS} standard errors`,
        column(unbiased, 'fromCorrected'),
        DEVIATIONS,
      ),
      atMostClaim(
        `algorithm 3 as printed: the mean gradient is 0, within ${DEVIATIONS} standard errors, although w is 1.2 away from the point`,
        column(printed, 'fromZero'),
        DEVIATIONS,
      ),
      {
        // Measured are 20 or more at this number of reports.
        asked:
          'as printed, an oracle for the median: refuted, its mean is at least 10 standard errors from Q(r)(w − x)',
        measured: `${digits(min(...far))} or more`,
        met: far.every((distance) => distance >= 10),
      },
      meansClaim(
        'E‖G − E G‖² is the closed form, every kind and degree',
        column(lines, 'variance'),
        column(lines, 'stated'),
        0.02,
      ),
      atMostClaim(
        'precision of that measurement: standard errors at most 6 % of it',
        lines.map(({ variance, stated: exact }) => variance.error / exact),
        0.06,
      ),
    ],
    tables: [
      {
        title: 'Gradient estimates of single reports',
        columns: [
          'reports',
          'degree',
          'length of the mean',
          'claimed',
          'from Q(r)(w − x)',
          'E‖G − E G‖²',
          'closed form',
        ],
        rows: lines.map((line) => [
          line.setting.kind,
          String(line.setting.degree),
          `${digits(line.length)} ± ${digits(line.error, 2)}`,
          digits(line.setting.kind === 'printed' ? 0 : hypot(...meanOf(line.setting))),
          digits(line.fromCorrected, 2),
          digits(line.variance.mean, 4),
          digits(line.stated, 4),
        ]),
        notes: [
          'Distances in standard errors. printed, directions: algorithm 3; the others with u integrated out and another Q.',
        ],
      },
    ],
    figures: [
      linearFigure({
        name: 'theorem-17-mean',
        title: 'Length of the mean gradient of algorithm 3',
        x: 'degree d',
        y: '‖E G‖',
        curves: [
          ...([printed, corrected] as const).map(
            (some, style): FigureCurve => ({
              name: style === 0 ? 'as printed' : 'one u per gradient',
              style,
              dashed: false,
              points: some.map(({ setting, length, error }) => ({
                x: setting.degree,
                y: length,
                low: max(0, length - 2 * error),
                high: length + 2 * error,
              })),
            }),
          ),
          dashedCurve('|Q(r)|·‖w − x‖', 1, degrees, claimed),
        ],
        levels: [{ name: 'gradient of ½‖w − x‖', value: 0.5 }],
      }),
      linearFigure({
        name: 'theorem-17-variance',
        title: 'Variance of the gradient estimates with u integrated out',
        x: 'degree of Q',
        y: 'E‖G − E G‖²',
        logarithmic: 'y',
        curves: (['lifted', 'gaussian', 'copies'] as const).flatMap((kind, style): FigureCurve[] => {
          const own = of(kind);
          const x = own.map(({ setting }) => setting.degree);
          return [
            meanCurve(kind, style, x, column(own, 'variance')),
            dashedCurve(`${kind}: closed form`, style, x, column(own, 'stated')),
          ];
        }),
      }),
    ],
    data: lines.map(({ setting, variance, ...line }) => ({ ...setting, ...line, variance })),
  };
}

/** Theorem 17 and algorithm 3: mean and variance of the gradient estimate. */
export const oracle: TheoremValidation<OracleSetting, OracleChunk> = {
  name: 'euclidean-median-theorem-17-oracle',
  title: 'Mean and variance of the gradient estimates of algorithm 3',
  paper: 'noninteractive',
  theorems: ['Theorem 17', 'Algorithm 3'],
  source: `${PAPER}, algorithm 3 and theorem 17`,
  summary:
    'Gradient estimates of reports of one point: algorithm 3 as printed, with a direction of its own in every factor; with one direction ' +
    'for the whole gradient and the right constant; and those of the toolkit, with the direction integrated out. Point, w, polynomials ' +
    'and budgets are chosen here, the budgets large enough for products of noise to be measurable.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    const cell = (kind: OracleSetting['kind'], degree: number) => ({
      key: `${kind}-${degree}`,
      label: `${kind}, degree ${degree}`,
      setting: { kind, degree, reports: full ? 100_000 : 20_000 },
      chunks: full ? 5 : 1,
    });
    return [
      ...[1, 2, 3].flatMap((degree) => [cell('printed', degree), cell('directions', degree)]),
      ...(['lifted', 'gaussian', 'copies'] as const).flatMap((kind) => [0, 1, 2].map((degree) => cell(kind, degree))),
    ];
  },
  smallRun: (setting) => ({ ...setting, reports: 5 }),
  chunk: oracleChunk,
  report,
};
