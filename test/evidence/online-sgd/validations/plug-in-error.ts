import { seededRandom } from 'ldpkit';
import { atMostSlopeClaim, digits, plusMinus, powerLaw } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { logFigure } from '../../experiment/figure.ts';
import { printedPlugIn } from '../printed-plug-in.ts';
import { measure, streamCurve, streamLaw } from './curves.ts';
import { type Estimator, FLOOR, type PlugInChunk, type PlugInSetting, plugInChunk } from './plug-in-streams.ts';

const { hypot, sqrt } = Math;

const ESTIMATORS: readonly { readonly name: Estimator; readonly label: string }[] = [
  { name: 'printed', label: 'as printed, with a trusted curator' },
  { name: 'released', label: 'local, released Hessians' },
  { name: 'regressed', label: 'local, by regression' },
];

const FEATURES = 1;
const MU = 2;
const DECAY = 0.51;
const CHECKPOINTS: readonly number[] = [1000, 2000, 4000, 8000, 16_000];

function report(results: readonly CellResult<PlugInSetting, PlugInChunk>[]): ExperimentReport {
  const [{ chunks }] = results;
  const lines = ESTIMATORS.map(({ name, label }) => {
    const rows = chunks.flatMap((one) => one[name]);
    return { label, ...measure(CHECKPOINTS, rows, CHECKPOINTS[0]) };
  });
  const curator = printedPlugIn(
    {
      dimension: 1,
      steps: 1,
      mu: MU,
      hessian: Float64Array.of(1),
      gradient: Float64Array.of(1),
      gradientBound: 1,
      hessianBound: 1,
      hessianFloor: FLOOR,
      gradientFloor: FLOOR,
    },
    seededRandom('guarantee'),
  );
  const total = hypot(curator.guarantee.mu, MU);
  return {
    claims: [
      ...lines.map(({ label, slope }) =>
        atMostSlopeClaim({ what: `log-log slope of E‖Σ̂ − Σ̃‖, ${label}`, expected: -DECAY / 2 }, slope),
      ),
      {
        asked: 'as printed, both matrices and the stream of gradients together are √3·μ-GDP',
        measured: `${digits(total / MU, 6)}·μ`,
        met: Math.abs(total / MU - sqrt(3)) < 1e-12,
      },
    ],
    tables: [
      {
        title: 'E‖Σ̂ − Σ̃‖/‖Σ̃‖, Frobenius norm',
        columns: ['estimator', ...CHECKPOINTS.map((n) => `n = ${n.toLocaleString('en-US')}`), 'slope', 'at most'],
        rows: lines.map(({ label, means, slope }) => [
          label,
          ...means.map(({ mean, error }) => plusMinus(mean, error)),
          plusMinus(slope.slope, slope.error),
          String(-DECAY / 2),
        ]),
        notes: ['The constants of the theorem are not printed. Σ̃ by quadrature.'],
      },
    ],
    figures: [
      logFigure({
        name: 'plug-in-error',
        title: 'Error of plug-in covariances',
        x: 'players n',
        y: 'E‖Σ̂ − Σ̃‖/‖Σ̃‖',
        curves: lines.flatMap(({ label, means }, style) => [
          streamCurve(`measured, ${label}`, style, CHECKPOINTS, means),
          streamLaw(
            `rate n^(−α/2) through the first point, ${label}`,
            style,
            CHECKPOINTS,
            powerLaw({ centre: CHECKPOINTS[0], level: means[0].mean }, -DECAY / 2),
          ),
        ]),
      }),
    ],
    data: lines.map(({ label, slope, means }) => ({ label, slope, means })),
  };
}

/** Theorem 3 of the inference paper. */
export const plugInError: TheoremValidation<PlugInSetting, PlugInChunk> = {
  name: 'online-plug-in-error',
  paper: 'online-inference',
  theorems: ['Theorem 3'],
  title: 'The error of plug-in covariances falls at least like n^(−α/2)',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent, Theorem 3',
  summary:
    'Weighted Huber regression of y = 1 + z + 0.5·e on a standard normal z, μ = 2, γ = 1, α = 0.51, from the truth. The printed estimator ' +
    'adds the noise of a central mechanism to averages of raw matrices; the two local ones rest on released values alone.',
  version: 1,
  cells: (scale) => [
    {
      key: 'huber',
      label: `μ = ${MU}`,
      setting: {
        request: {
          variant: 'gdp',
          mu: MU,
          hessianMu: MU,
          model: { kind: 'huber', features: FEATURES },
          rate: 1,
          decay: DECAY,
          start: [1, 1],
          inference: ['plug-in'],
        },
        checkpoints: CHECKPOINTS,
        size: 30,
      },
      chunks: scale === 'full' ? 40 : 2,
    },
  ],
  smallRun: (setting) => ({ ...setting, checkpoints: [500], size: 1 }),
  chunk: plugInChunk,
  report,
};
