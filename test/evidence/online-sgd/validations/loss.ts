import type { TheoremValidation } from '../../experiment/experiment.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { decayName } from './curves.ts';
import { type ErrorChunk, type ErrorSetting, errorChunk, errorSmallRun } from './errors.ts';
import { LABELS, type LossName, lossReport } from './loss-report.ts';

const GRIDS: { readonly [name in LossName]: readonly number[] } = {
  lastLoss: logarithmicGrid(400, 8000, 40),
  averageLoss: logarithmicGrid(200, 4000, 10),
};

/** Where printed bounds are too small: that of theorem 6 from the minimiser, that of theorem 5 from far away. */
const EARLY: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128];
const FAR: readonly number[] = [125, 250, 500, 1000, 2000, 4000, 8000];

const DECAYS = [0.4, 0.5, 0.6, 0.75];
/** The quartic risk at all decays, the quadratic one at ½, and where the printed bound fails. */
function cellsOf(name: LossName, size: number): TheoremValidation<ErrorSetting, ErrorChunk>['cells'] {
  const checkpoints = GRIDS[name];
  const settings: readonly ErrorSetting[] = [
    { kind: 'square', decay: 0.5, checkpoints, size },
    ...DECAYS.map((decay): ErrorSetting => ({ kind: 'quartic', decay, checkpoints, size })),
    ...(name === 'averageLoss'
      ? [
          { kind: 'logit', decay: 0.5, checkpoints: EARLY, size: 200 } as const,
          { kind: 'far', decay: 0.4, checkpoints: FAR, size: 10 } as const,
        ]
      : [{ kind: 'far', decay: 0.75, checkpoints: FAR, size: 10 } as const]),
  ];
  return (scale) =>
    settings.map((setting) => ({
      key: `${setting.kind}-${Math.round(100 * setting.decay)}`,
      label: `${decayName(setting.decay)}, ${setting.kind === 'far' ? 'quartic from 100' : LABELS[setting.kind]}`,
      setting,
      chunks: scale === 'full' ? 24 : 2,
    }));
}

const SHARED: Pick<TheoremValidation<ErrorSetting, ErrorChunk>, 'paper' | 'version' | 'smallRun' | 'chunk'> = {
  paper: 'online-rates',
  version: 2,
  smallRun: errorSmallRun,
  chunk: errorChunk,
};

const RISKS =
  'Two risks that are known exactly: a quadratic one with the Hessian diag(1, ½), μ = 4 and η = 1; and F(θ) = θ⁴/4 on [−1, 1], the ' +
  'median of a law without mass at it, smooth and not strongly convex, μ = 4 and η = ½ from 1. Bounds are the ones that hold, ' +
  'beside the printed ones. ';

/** Theorem 5 of the non-asymptotic paper. */
export const lastLoss: TheoremValidation<ErrorSetting, ErrorChunk> = {
  ...SHARED,
  name: 'online-last-loss',
  theorems: ['Theorem 5', 'Remark 4', 'Table 1'],
  title: 'The loss of the last iterate falls as claimed, below the bound that holds',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Theorem 5, Remark 4',
  summary: `${RISKS}Both are kinder than the worst case of the theorem: rates are upper bounds, and constants are those of the exact laws of these risks. From 100 the printed bound is too small: it loses a root of the distance.`,
  cells: cellsOf('lastLoss', 100),
  report: (results) => lossReport('lastLoss', 'E F(θ_n) − F(θ*)', results),
};

/** Theorem 6 of the non-asymptotic paper. */
export const averageLoss: TheoremValidation<ErrorSetting, ErrorChunk> = {
  ...SHARED,
  name: 'online-average-loss',
  theorems: ['Theorem 6', 'Remark 5', 'Table 1'],
  title: 'The loss of the average falls as claimed, below the bound that holds',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Theorem 6, Remark 5',
  summary: `${RISKS}Logistic regression on a constant starts at its minimiser, where the printed bound is 0 at n = 1. From 100 at α = 0.4 the bound is of the right size.`,
  cells: cellsOf('averageLoss', 240),
  report: (results) => lossReport('averageLoss', 'E F(θ̄_n) − F(θ*)', results),
};
