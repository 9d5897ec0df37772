import type { CellResult, ExperimentCell, PaperExperiment, Scale } from 'ldpkit/testing';
import type { RateCell } from './convergence-measures.ts';
import { ratesReport } from './convergence-report.ts';
import {
  logarithmicGrid,
  type TrajectoryPart,
  type TrajectorySetting,
  trajectoryPart,
  trajectoryProbe,
} from './trajectory.ts';

/** As printed: d, σ, n. */
const FEATURES = 5;
const DEVIATION = 2;
const PLAYERS = 300_000;

/** Chosen: see the summary. */
const RATE = 1;
const MU = 3;
const FIRST = 1000;
const FITTED = 30_000;
const POINTS = 21;
const LOSS_RECORDS = 2000;
const SIZE = 5;

/** α: those of the table, points between them for Figure 3, and 1. */
const DECAYS: readonly { readonly decay: number; readonly text: string }[] = [
  { decay: 1 / 3, text: '1/3' },
  { decay: 0.4, text: '0.4' },
  { decay: 1 / 2, text: '1/2' },
  { decay: 0.6, text: '0.6' },
  { decay: 2 / 3, text: '2/3' },
  { decay: 0.8, text: '0.8' },
  { decay: 1, text: '1' },
];

const MODELS = ['linear', 'logistic'] as const;

const GRID: readonly RateCell[] = MODELS.flatMap((model) => DECAYS.map(({ decay, text }) => ({ model, decay, text })));

function settingOf({ model, decay }: RateCell): TrajectorySetting {
  const kind = model === 'linear' ? { kind: 'huber', scale: DEVIATION } : { kind: 'logistic' };
  return {
    request: { maker: 'gdp', mu: MU, model: { ...kind, features: FEATURES }, rate: RATE, decay, inference: [] },
    model,
    features: FEATURES,
    deviation: model === 'linear' ? DEVIATION : 0,
    players: PLAYERS,
    checkpoints: logarithmicGrid(FIRST, PLAYERS, POINTS),
    lossRecords: model === 'logistic' ? LOSS_RECORDS : 0,
    size: SIZE,
  };
}

function cells(scale: Scale): readonly ExperimentCell<TrajectorySetting>[] {
  return GRID.map((cell) => ({
    key: `${cell.model}-${cell.text.replace(/[/.]/, '-')}`,
    label: `${cell.model}, α = ${cell.text}`,
    setting: settingOf(cell),
    parts: scale === 'full' ? 40 : 4,
  }));
}

/**
 * Table 1 and Figure 3 of the non-asymptotic paper.
 *
 * @theorem online-rates Table 1
 * @theorem online-rates Figure 3
 */
export const convergenceRates: PaperExperiment<TrajectorySetting, TrajectoryPart> = {
  name: 'convergence-rates',
  title: 'How fast LDP-SGD and LDP-ASGD converge, by the decay α of the steps',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Table 1, Figure 3',
  summary:
    'Parameter errors δ_n and δ̄_n for linear Huber regression with known scale, loss errors Δ_n and Δ̄_n for logistic regression; d = 5, ' +
    'n = 300,000, Mallows weights, Gaussian gradients, from 0, as in Sections 5.2 and 5.3. Exponents are slopes of log error against ' +
    'log n over the last decade, from n = 30,000.\n' +
    'Chosen here: η = 1 and μ = 3. With the printed η = 0.2 streams with α = 2/3 are still on their way from the start at n = 300,000 and ' +
    'have no exponent yet. What Table 1 prints are exponents of upper bounds: an error may fall faster, and where F is curved at its ' +
    'minimum, as it is here, losses do, since they are of the order of the squared parameter error.',
  version: 1,
  cells,
  probe: trajectoryProbe,
  part: trajectoryPart,
  report: (results: readonly CellResult<TrajectorySetting, TrajectoryPart>[]) => ratesReport(results, GRID, FITTED),
};
