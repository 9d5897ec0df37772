import type { PlainRequest } from 'ldpkit';
import type { CellResult, ExperimentCell, PaperExperiment } from '../../experiment/experiment.ts';
import { type Mechanism, type MechanismCell, mechanismReport } from './mechanism-report.ts';
import {
  logarithmicGrid,
  type TrajectoryChunk,
  type TrajectorySetting,
  trajectoryChunk,
  trajectorySmallRun,
} from './trajectory.ts';

/** σ of the noise of responses, c, η and α: as printed in Section 5.1. */
const DEVIATION = 2;
const RATE = 0.2;
const DECAY = 0.5;
const PLAYERS = 300_000;
const DIMENSIONS = [5, 10];
const EPSILONS = [1, 2, 3];
const SIZE = 5;

const MECHANISMS: readonly Mechanism[] = [
  ...EPSILONS.map((epsilon) => ({
    name: `Laplace, ε = ${epsilon}`,
    key: `laplace-${epsilon}`,
    budget: { variant: 'laplace', epsilon },
  })),
  { name: 'Gaussian, μ = 1', key: 'gdp-1', budget: { variant: 'gdp', mu: 1 } },
  ...EPSILONS.map((epsilon) => ({
    name: `PrivUnit, ε = ${epsilon}`,
    key: `priv-unit-${epsilon}`,
    budget: { variant: 'privUnit', epsilon },
  })),
];

function settingOf({ budget }: Mechanism, features: number): TrajectorySetting {
  const request: PlainRequest = {
    ...budget,
    model: { kind: 'huber-scale', features },
    rate: RATE,
    decay: DECAY,
    inference: [],
  };
  return {
    request,
    model: 'linear',
    features,
    deviation: DEVIATION,
    players: PLAYERS,
    checkpoints: logarithmicGrid(1000, PLAYERS, 12),
    lossRecords: 0,
    size: SIZE,
  };
}

const grid: readonly MechanismCell[] = DIMENSIONS.flatMap((features) =>
  MECHANISMS.map((mechanism) => ({ features, mechanism })),
);

/**
 * Figure 4 of the non-asymptotic paper, with PrivUnit as a new line.
 *
 * @theorem online-rates Figure 4
 */
export const mechanismComparison: PaperExperiment<TrajectorySetting, TrajectoryChunk> = {
  name: 'mechanism-comparison',
  title: 'Laplace, Gaussian and PrivUnit gradients in online LDP-SGD',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Figure 4',
  summary:
    'Linear regression for coefficients and scale together: Huber loss with c = 1.345, Mallows weights, all coefficients 1, σ = 2, ' +
    'n = 300,000, η = 0.2, α = 1/2, as printed; the start, which the paper does not name, is 0 with scale 1. ' +
    'PrivUnit is not in the paper: a pure ε randomizer of the direction of the gradient, completed to the sphere.\n' +
    'All mechanisms meet the same people.',
  version: 1,
  cells: (scale) =>
    grid.map(
      ({ features, mechanism }): ExperimentCell<TrajectorySetting> => ({
        key: `d${features}-${mechanism.key}`,
        label: `${mechanism.name}, d = ${features}`,
        setting: settingOf(mechanism, features),
        chunks: scale === 'full' ? 40 : 2,
      }),
    ),
  smallRun: trajectorySmallRun,
  chunk: trajectoryChunk,
  report: (results: readonly CellResult<TrajectorySetting, TrajectoryChunk>[]) => mechanismReport(results, grid),
};
