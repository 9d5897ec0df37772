import type { FigureCurve } from '../../../src/simulation/figure.ts';
import {
  digits,
  exactRate,
  fittedRate,
  type Measured,
  meansClaim,
  measuredMean,
  measuredPoints,
  plainPoints,
  rateClaim,
} from '../../../src/simulation/measured-claim.ts';
import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { type ExcessPart, type ExcessSetting, excessPart, predictedExcess, relativeNoise } from './excess-risk.ts';
import { PAPER } from './paper.ts';

type Setting = ExcessSetting & { readonly vary: 'players' | 'dimension' | 'epsilon' };

interface Line {
  readonly setting: Setting;
  readonly excess: Measured;
  readonly predicted: number;
}

const AXES = [
  ['players', 'n', 'players n', -1],
  ['dimension', 'p', 'features p', undefined],
  ['epsilon', 'ε', 'ε', undefined],
] as const;

function report(results: readonly CellResult<Setting, ExcessPart>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, parts }): Line => {
    const excess = measuredMean(parts.flatMap((part) => part.excess));
    return { setting, excess, predicted: predictedExcess(setting) };
  });
  const of = (vary: Setting['vary']): readonly Line[] => lines.filter(({ setting }) => setting.vary === vary);
  const slack = Math.max(...lines.map(({ setting }) => relativeNoise(setting)));
  return {
    claims: [
      // Two points, as at the quick scale, are looked at by the last claim alone.
      // The excess of a collection is nearly a χ² with p − 1 ≥ 4 degrees of freedom; a mean of 30 or more has a relative standard error of 10 %
      // or less and a skewness below .2, so that 5 standard errors are left once in 10⁵ or less.
      ...AXES.filter(([vary]) => of(vary).length > 2).map(([vary, name, , slope]) => {
        const own = of(vary);
        const x = own.map(({ setting }) => setting[vary]);
        const claimed =
          slope ??
          exactRate(
            x,
            own.map(({ predicted }) => predicted),
          );
        return rateClaim(
          { what: `excess hinge risk of lifted reports in ${name}`, slope: claimed, slack: 0.05, widest: 0.45 },
          fittedRate(
            x,
            own.map(({ excess }) => excess),
          ),
        );
      }),
      // The slack is what the prediction leaves out, of second order in 1/n.
      meansClaim(
        'excess hinge risk R(p − 1)(c_ε + 1/p)/(2‖E v‖n)',
        lines.map(({ excess }) => excess),
        lines.map(({ predicted }) => predicted),
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
          'Degree 0 and R = ½, where the hinge loss is a straight line and no polynomial is in the way of the rate.',
        ],
      },
    ],
    figures: AXES.map(([vary, , label]) => {
      const own = of(vary);
      const x = own.map(({ setting }) => setting[vary]);
      const curves: FigureCurve[] = [
        {
          name: 'measured',
          style: 0,
          dashed: false,
          points: measuredPoints(
            x,
            own.map(({ excess }) => excess),
          ),
        },
        {
          name: 'predicted',
          style: 0,
          dashed: true,
          points: plainPoints(
            x,
            own.map(({ predicted }) => predicted),
          ),
        },
      ];
      return {
        kind: 'curves',
        name: `theorem-11-${vary}`,
        title: `Excess hinge risk of lifted reports against ${label}`,
        x: { label, logarithmic: true },
        y: { label: 'mean excess hinge risk', logarithmic: true },
        curves,
        levels: [],
      };
    }),
    data: lines.map(({ setting, excess, predicted }) => ({ ...setting, excess: { ...excess }, predicted })),
  };
}

/** Theorem 11, second claim: the excess risk, as it holds for what the toolkit recommends. */
export const rate: TheoremValidation<Setting, ExcessPart> = {
  name: 'hinge-theorem-11-rate',
  title: 'Excess hinge risk against players, features and ε',
  paper: 'noninteractive',
  theorems: ['Theorem 11', 'Remark 12'],
  source: `${PAPER}, theorem 11 and remark 12`,
  summary:
    'Excess population risk of collections of lifted reports; algorithm 1 as printed needs more players than there are. Features ' +
    'uniform on the sphere, labels the sign of x₁, one in ten wrong; R = ½, so that the hinge is a straight line and the excess ' +
    'risk has a closed form. Sizes are chosen here.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    const cell = (vary: Setting['vary'], dimension: number, players: number, epsilon: number, runs: number) => ({
      key: `${vary}-${dimension}-${players}-${String(epsilon).replace('.', '-')}`,
      label: `p = ${dimension}, n = ${players.toLocaleString('en-US')}, ε = ${epsilon}`,
      setting: { vary, dimension, players, epsilon, runs },
      parts: full ? 12 : 1,
    });
    // More collections where they are smaller.
    return [
      ...[1000, 4000, 16_000, ...(full ? [64_000] : [])].map((players) =>
        cell('players', 10, players, 6, Math.round(1200 / Math.sqrt(players / 4))),
      ),
      ...(full ? [5, 10, 20, 40] : [5, 20]).map((dimension) => cell('dimension', dimension, full ? 8000 : 3000, 8, 30)),
      ...(full ? [2, 4, 6, 8] : [2, 8]).map((epsilon) =>
        cell('epsilon', 5, full ? 8000 : 3000, epsilon, full ? 30 : 40),
      ),
    ];
  },
  probe: (setting) => ({ ...setting, players: 50, runs: 2 }),
  part: excessPart,
  report,
};
