import {
  digits,
  exactSlope,
  type Measured,
  meanClaim,
  meansClaim,
  measuredMean,
  powerLaw,
  rateFit,
  ratePoints,
  slopeClaim,
} from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { column, meanRatio } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';
import {
  type ExcessChunk,
  type ExcessSetting,
  excessChunk,
  leftOut,
  predictedExcess,
  relativeError,
} from './excess-risk.ts';

type Setting = ExcessSetting & { readonly vary: 'players' | 'dimension' | 'epsilon' };

interface Line {
  readonly setting: Setting;
  readonly excess: Measured;
  readonly predicted: number;
}

const AXES = [
  ['players', 'n', 'players n'],
  ['dimension', 'p', 'features p'],
  ['epsilon', 'ε', 'ε'],
] as const;

function report(results: readonly CellResult<Setting, ExcessChunk>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, chunks }): Line => {
    const { mean } = measuredMean(chunks.flatMap((chunk) => chunk.excess));
    const error = mean * relativeError(setting, chunks.length * setting.runs);
    return { setting, excess: { mean, error }, predicted: predictedExcess(setting) };
  });
  const of = (vary: Setting['vary']): readonly Line[] => lines.filter(({ setting }) => setting.vary === vary);
  const slack = Math.max(...lines.map(({ setting }) => leftOut(setting)));
  return {
    claims: [
      // The excess of a collection is nearly a multiple of χ² with p − 1 degrees of freedom, and its error that of this law: of hundreds of
      // them together 4.5 standard errors are left once in 10⁵.
      ...AXES.flatMap(([vary, name]) => {
        const own = of(vary);
        const x = own.map(({ setting }) => setting[vary]);
        const predicted = own.map((line) => line.predicted);
        const points = ratePoints(x, column(own, 'excess'));
        const over = points.map((point, i) => ({ ...point, x: 1, y: point.y / predicted[i] }));
        return [
          slopeClaim(
            {
              what: `log-log slope of the excess hinge risk of lifted reports in ${name}, that of the closed form`,
              expected: exactSlope(x, predicted),
              slack: 0.01,
              largestTolerance: 0.25,
            },
            rateFit(points),
          ),
          meanClaim(
            { what: `excess over its closed form, along ${name}`, expected: 1, slack, largestTolerance: 0.25 },
            meanRatio(over, powerLaw({ centre: 1, level: 1 }, 0)),
          ),
        ];
      }),
      meansClaim(
        'excess hinge risk R(p − 1)(c_ε + 1/p)/(2‖E v‖n), with its second order, at every n, p and ε',
        column(lines, 'excess'),
        column(lines, 'predicted'),
        slack,
      ),
    ],
    tables: [
      {
        title: 'Excess hinge risk of lifted reports',
        columns: ['n', 'p', 'ε', 'measured', 'predicted'],
        rows: lines.map(({ setting, excess, predicted }) => [
          setting.players.toLocaleString('en-US'),
          String(setting.dimension),
          String(setting.epsilon),
          `${digits(excess.mean)} ± ${digits(excess.error, 2)}`,
          digits(predicted),
        ]),
        notes: [
          'Degree 0 and R = ½, where the hinge loss is a straight line: no kink and no polynomial. Those are in hinge-table-1.',
        ],
      },
    ],
    figures: AXES.map(([vary, , label]) => {
      const own = of(vary);
      const x = own.map(({ setting }) => setting[vary]);
      const curves: FigureCurve[] = [
        meanCurve('measured', 0, x, column(own, 'excess')),
        dashedCurve('predicted', 0, x, column(own, 'predicted')),
      ];
      return logFigure({
        name: `theorem-11-${vary}`,
        title: `Excess hinge risk of lifted reports against ${label}`,
        x: label,
        y: 'mean excess hinge risk',
        curves,
      });
    }),
    data: lines.map(({ setting, excess, predicted }) => ({ ...setting, excess, predicted })),
  };
}

/** Theorem 11, second claim: the excess risk, as it holds for what the toolkit recommends. */
export const rate: TheoremValidation<Setting, ExcessChunk> = {
  name: 'hinge-theorem-11-rate',
  title: 'Excess hinge risk against players, features and ε',
  paper: 'noninteractive',
  theorems: ['Theorem 11', 'Remark 12'],
  source: `${PAPER}, theorem 11 and remark 12`,
  summary:
    'Excess population risk of collections of lifted reports; algorithm 1 as printed needs more players than there are. Features ' +
    'uniform on the sphere, labels the sign of x₁, one in ten wrong; R = ½, so that the hinge is a straight line, ' +
    'without kink or polynomial, and the excess risk has a closed form. Sizes are chosen here.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    const cell = (vary: Setting['vary'], dimension: number, players: number, epsilon: number, runs: number) => ({
      key: `${vary}-${dimension}-${players}-${String(epsilon).replace('.', '-')}`,
      label: `p = ${dimension}, n = ${players.toLocaleString('en-US')}, ε = ${epsilon}`,
      setting: { vary, dimension, players, epsilon, runs },
      chunks: full ? 12 : 1,
    });
    // More collections where they are smaller.
    return [
      ...[400, 1600, 6400, ...(full ? [25_600] : [])].map((players) =>
        cell('players', 8, players, 8, Math.min(100, Math.round(3200 / Math.sqrt(players)))),
      ),
      ...(full ? [4, 8, 16, 30] : [4, 10, 30]).map((dimension) =>
        cell('dimension', dimension, 3000, 8, dimension === 4 ? 150 : 25),
      ),
      ...(full ? [1, 2, 4, 8] : [1, 3, 8]).map((epsilon) => cell('epsilon', 4, 2000, epsilon, 130)),
    ];
  },
  smallRun: (setting) => ({ ...setting, players: 50, runs: 2 }),
  chunk: excessChunk,
  report,
};
