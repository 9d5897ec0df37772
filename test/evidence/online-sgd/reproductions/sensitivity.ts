import type { PlainRequest } from 'ldpkit';
import type { CellResult, ExperimentCell, ExperimentReport, PaperExperiment } from '../../experiment/experiment.ts';
import {
  BUDGETS,
  betterClaim,
  DECAYS,
  divergenceClaim,
  type PanelLine,
  type Panels,
  panelReport,
} from './decay-panels.ts';
import {
  logarithmicGrid,
  type TrajectoryChunk,
  type TrajectorySetting,
  trajectoryChunk,
  trajectorySmallRun,
} from './trajectory.ts';

/** As printed in Sections 5.1 to 5.3. */
const DEVIATION = 2;
const RATE = 0.2;
const PLAYERS = 300_000;
const DIMENSIONS = [5, 10, 20];
const POINTS = 8;
/** Records that losses of logistic models are measured on: ours. */
const LOSS_RECORDS = 1000;

const MODELS = ['linear', 'logistic'] as const;

interface Place {
  readonly model: (typeof MODELS)[number];
  readonly features: number;
  readonly decay: number;
  readonly budget: number;
}

const GRID: readonly Place[] = MODELS.flatMap((model) =>
  DIMENSIONS.flatMap((features) =>
    DECAYS.flatMap((_, decay) => BUDGETS.map((__, budget) => ({ model, features, decay, budget }))),
  ),
);

function settingOf({ model, features, decay, budget }: Place): TrajectorySetting {
  const request: PlainRequest = {
    ...BUDGETS[budget].budget,
    model: { kind: model === 'linear' ? 'huber-scale' : 'logistic', features },
    rate: RATE,
    decay: DECAYS[decay].decay,
    inference: [],
  };
  return {
    request,
    model,
    features,
    deviation: model === 'linear' ? DEVIATION : 0,
    players: PLAYERS,
    checkpoints: logarithmicGrid(1000, PLAYERS, POINTS),
    lossRecords: model === 'logistic' ? LOSS_RECORDS : 0,
    size: 1,
  };
}

/** Squared distances of linear models, distances of losses of logistic ones. */
function panelsOf(
  model: Place['model'],
  features: number,
  results: readonly CellResult<TrajectorySetting, TrajectoryChunk>[],
): Panels {
  const lines = GRID.flatMap((place, index): PanelLine[] => {
    if (place.model !== model || place.features !== features) return [];
    const { chunks } = results[index];
    return model === 'linear'
      ? [{ ...place, last: chunks.flatMap(({ last }) => last), average: chunks.flatMap(({ average }) => average) }]
      : [
          {
            ...place,
            last: chunks.flatMap(({ lastLoss }) => lastLoss),
            average: chunks.flatMap(({ averageLoss }) => averageLoss),
          },
        ];
  });
  const figure = model === 'linear' ? 'figure-5' : 'figure-6';
  return {
    name: features === 5 ? figure : `${figure}-d${features}`,
    title: `${model} regression, d = ${features}`,
    score: model === 'linear' ? 'squared distance' : 'loss distance',
    logarithmic: true,
    checkpoints: results[0].cell.setting.checkpoints,
    lines,
  };
}

function report(results: readonly CellResult<TrajectorySetting, TrajectoryChunk>[]): ExperimentReport {
  const all = MODELS.flatMap((model) => DIMENSIONS.map((features) => panelsOf(model, features, results)));
  const [linear] = all;
  const logistic = all[DIMENSIONS.length];
  return panelReport(all, [
    betterClaim(linear, 0, 'average'),
    betterClaim(linear, 1, 'average'),
    divergenceClaim(linear, 0),
    ...[0, 1, 2].map((decay) => betterClaim(logistic, decay, 'average')),
    divergenceClaim(logistic, 0),
  ]);
}

/**
 * Figures 5 and 6 of the non-asymptotic paper, and those of its appendix in 10 and 20 dimensions.
 *
 * @theorem online-rates Figure 5
 * @theorem online-rates Figure 6
 */
export const sensitivity: PaperExperiment<TrajectorySetting, TrajectoryChunk> = {
  name: 'sensitivity',
  title: 'LDP-SGD and LDP-ASGD by dimension, budget and decay',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Sections 5.2 and 5.3, Figures 5 and 6',
  summary:
    'Linear regression for coefficients and scale, σ = 2, measured by ‖θ̂ − θ*‖²; logistic regression, measured by the distance of losses. ' +
    'd = 5, 10, 20, η = 0.2, α = 1/3, 1/2, 2/3, 1, μ = 0.5, 1, 2, 3 and no privacy, n = 300,000, Mallows weights, all as printed; the start, ' +
    'which the paper does not name, is 0, with scale 1. What the paper shows are figures without numbers: what is claimed is in its words, at ' +
    'n = 300,000.',
  version: 1,
  cells: (scale) =>
    GRID.map(
      (place): ExperimentCell<TrajectorySetting> => ({
        key: `${place.model}-d${place.features}-${DECAYS[place.decay].key}-${BUDGETS[place.budget].key}`,
        label: `${place.model}, d = ${place.features}, α = ${DECAYS[place.decay].text}, ${BUDGETS[place.budget].label}`,
        setting: settingOf(place),
        chunks: scale === 'full' ? 200 : 2,
      }),
    ),
  smallRun: trajectorySmallRun,
  chunk: trajectoryChunk,
  report,
};
