import type { ExperimentCell, PaperExperiment, Scale } from '../../experiment/experiment.ts';
import { twoRoundsReport } from './report.ts';
import { type TwoRoundsChunk, type TwoRoundsSetting, twoRoundsChunk, twoRoundsSmallRun } from './runs.ts';

const { sqrt } = Math;

type Cell = ExperimentCell<TwoRoundsSetting>;

/** Samples uniform on an interval of length 1. */
const BASE = {
  source: 'uniform',
  ...{ dimension: 8, players: 20_000, samples: 50, epsilon: 1 },
  spread: 1 / sqrt(12),
} as const;

/** Values of each number beside those of the base. */
const ALONG = {
  samples: [5, 500],
  players: [5000, 80_000],
  dimension: [2, 32],
  epsilon: [0.5, 4],
} as const;

/** Of the studies that are compared with: d = 8, m = 20, ε = .6. */
const PUBLISHED_PLAYERS = [2040, 18_040];
const PUBLISHED_SPREADS = [0.3, 0.5];

/** Departures of airport-days. */
const DAYS = { players: 39_952, samples: 14, harmonic: 6 } as const;
const DAY_EPSILONS = [1, 2, 4, 8];

function cell(key: string, label: string, setting: Omit<TwoRoundsSetting, 'runs' | 'harmonic'>, scale: Scale): Cell {
  const made = { harmonic: setting.samples, ...setting, runs: 2 } as TwoRoundsSetting;
  return { key, label, setting: made, chunks: scale === 'full' ? 20 : 2 };
}

function cells(scale: Scale): readonly Cell[] {
  const along = Object.entries(ALONG).flatMap(([field, values]) =>
    values.map((value, k) => cell(`${field}-${k}`, `${field} = ${value}`, { ...BASE, [field]: value }, scale)),
  );
  const published = PUBLISHED_PLAYERS.flatMap((players, i) =>
    PUBLISHED_SPREADS.map((spread, k) => {
      const shape = { dimension: 8, players, samples: 20, epsilon: 0.6, spread };
      return cell(
        `clipped-${i}-${k}`,
        `published, n = ${players}, s = ${spread}`,
        { source: 'clipped', ...shape },
        scale,
      );
    }),
  );
  const days = DAY_EPSILONS.map((epsilon, k) =>
    cell(
      `departures-${k}`,
      `departures, ε = ${epsilon}`,
      // An indicator is at most 1 from its mean, over all hours.
      { source: 'departures', dimension: 24, ...DAYS, epsilon, spread: 1 / sqrt(24) },
      scale,
    ),
  );
  return [cell('base', 'base', BASE, scale), ...along, ...published, ...days];
}

/** The schemes of the slides beside ours, in several dimensions: error against m, n, d and ε. */
export const twoRounds: PaperExperiment<TwoRoundsSetting, TwoRoundsChunk> = {
  name: 'two-rounds',
  title: 'User-level mean in several dimensions: one, two or eight rounds',
  source: 'Avella-Medina 2023 (slides), two rounds and results for the multivariate case',
  summary:
    'Five schemes on the same players: naive (Gaussian noise on the whole local mean), printed (the rounds of the slides on rotated ' +
    'coordinates), twoRound (bins of one rotated coordinate, then the residual as a unit vector; also with s stated), vector and ' +
    'coordinates (signs at moved thresholds, with and without a rotation). The slides print orders and no figure; the settings are ours.\n' +
    'Synthetic: samples uniform on an interval of length 1 around means anywhere in [−½, ½]^d, local means drawn as normal ones. ' +
    'Published studies: normal samples clipped to [−1, 1] around centres anywhere in it, d = 8, m = 20, ε = .6. Departures: shares of 24 ' +
    'hours, with the numbers of flights and the profile of the airport-days, hours drawn independently; the flights themselves are ' +
    'played by ldpkit run user-level-mean --profile hours.',
  version: 1,
  cells,
  smallRun: twoRoundsSmallRun,
  chunk: twoRoundsChunk,
  report: twoRoundsReport,
};
