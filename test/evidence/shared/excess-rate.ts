import { digits, type Measured, meanClaim, powerLaw, rateFit, ratePoints, slopeClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentCell, ExperimentReport, Scale } from '../experiment/experiment.ts';
import { claimedCurve, logFigure, meanCurve } from '../experiment/figure.ts';
import { meanRatio, pooledMeans } from '../experiment/statistics.ts';

/** Collections of so many players. */
export type ExcessRateSetting = {
  /** n. */
  readonly players: number;
  /** Collections of a chunk. */
  readonly runs: number;
};

/** Excess risk of every collection of a chunk. */
export type ExcessRateChunk = { readonly excess: readonly number[] };

/** Players of a collection, for models of two or three features. */
export const EXCESS_PLAYERS: Readonly<Record<Scale, readonly number[]>> = {
  quick: [1000, 4000, 16_000],
  full: [4000, 16_000, 64_000, 256_000],
};

/** Cells by players, at a scale; more collections where they are smaller. */
export function excessRateCells(
  players: Readonly<Record<Scale, readonly number[]>>,
  scale: Scale,
): readonly ExperimentCell<ExcessRateSetting>[] {
  const full = scale === 'full';
  return players[scale].map((n) => ({
    key: `players-${n}`,
    label: `n = ${n.toLocaleString('en-US')}`,
    setting: { players: n, runs: Math.round((full ? 3200 : 22_000) / Math.sqrt(n / 4)) },
    chunks: full ? 12 : 1,
  }));
}

/** What is said of the rate, and how it is shown. */
export interface ExcessRateText {
  readonly claim: Parameters<typeof slopeClaim>[0];
  /** The mean excess risk that a closed form gives n players, with no measurement in it. */
  readonly forecast: (players: number) => number;
  /** What the closed form leaves out, relative to it. */
  readonly slack: number;
  /** The largest tolerance of the mean ratio to the forecast that still says something. */
  readonly largestTolerance: number;
  /** Name of the figure. */
  readonly figure: string;
  /** Title of table and figure. */
  readonly title: string;
  /** Below the table. */
  readonly note: string;
}

/** Mean excess risks, with the relative spread of collections taken to be one for all n: of few, it is hardly known. */
function meansOf(results: readonly CellResult<ExcessRateSetting, ExcessRateChunk>[]): readonly Measured[] {
  const groups = results.map(({ chunks }) => chunks.flatMap(({ excess }) => excess));
  const means = groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
  const relative = pooledMeans(groups.map((group, g) => group.map((value) => value / means[g])));
  return means.map((mean, g) => ({ mean, error: mean * relative[g].error }));
}

/**
 * How an excess risk falls with the players: claims on the slope and on the level, a table, and a figure with the closed form and with
 * the order n^{−¼} that α⁻⁴ players mean.
 */
export function excessRateReport(
  results: readonly CellResult<ExcessRateSetting, ExcessRateChunk>[],
  { claim, forecast, slack, largestTolerance, figure, title, note }: ExcessRateText,
): ExperimentReport {
  const players = results.map(({ cell }) => cell.setting.players);
  const means = meansOf(results);
  const points = ratePoints(players, means);
  const slowest = powerLaw({ centre: players[0], level: forecast(players[0]) }, -0.25);
  return {
    claims: [
      slopeClaim(claim, rateFit(points)),
      meanClaim(
        { what: 'mean excess risk over its closed form, all n', expected: 1, slack, largestTolerance },
        meanRatio(points, forecast),
      ),
    ],
    tables: [
      {
        title,
        columns: ['n', 'collections', 'mean excess risk', 'closed form', 'n × excess'],
        rows: means.map((excess, i) => [
          players[i].toLocaleString('en-US'),
          String(results[i].chunks.length * results[i].cell.setting.runs),
          `${digits(excess.mean)} ± ${digits(excess.error, 2)}`,
          digits(forecast(players[i])),
          digits(players[i] * excess.mean),
        ]),
        notes: [note],
      },
    ],
    figures: [
      logFigure({
        name: figure,
        title,
        x: 'players n',
        y: 'mean excess risk',
        curves: [
          meanCurve('measured', 0, players, means),
          claimedCurve('closed form', 0, players, forecast),
          claimedCurve('as printed, order n^(−¼), from the closed form of the fewest', 1, players, slowest),
        ],
      }),
    ],
    data: means.map((excess, i) => ({ players: players[i], ...excess })),
  };
}
