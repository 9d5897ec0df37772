import type { Json } from '../protocol/digest.ts';
import {
  digits,
  fittedRate,
  measuredMean,
  measuredPoints,
  plainPoints,
  type RateClaim,
  rateClaim,
} from './measured-claim.ts';
import type { CellResult, ExperimentReport } from './paper-experiment.ts';

/** Collections of so many players. */
export type ExcessRateSetting = {
  /** n. */
  readonly players: number;
  /** Collections of a part. */
  readonly runs: number;
};

/** Excess risk of every collection of a part. */
export type ExcessRatePart = { readonly excess: readonly number[] };

/** What is said of the rate, and how it is shown. */
export interface ExcessRateText {
  readonly claim: RateClaim;
  /** Name of the figure. */
  readonly figure: string;
  /** Title of table and figure. */
  readonly title: string;
  /** Below the table. */
  readonly note: string;
}

/**
 * How an excess risk falls with the players: a claim on the slope, a table, and a figure with the orders 1/n and 1/√n through the
 * last point, which is measured best where it has the most players.
 */
export function excessRateReport(
  results: readonly CellResult<ExcessRateSetting, ExcessRatePart>[],
  { claim, figure, title, note }: ExcessRateText,
): ExperimentReport {
  const players = results.map(({ cell }) => cell.setting.players);
  const means = results.map(({ parts }) => measuredMean(parts.flatMap(({ excess }) => excess)));
  const [last, { mean }] = [players[players.length - 1], means[means.length - 1]];
  const order = (power: number): readonly number[] => players.map((n) => mean * (last / n) ** power);
  return {
    claims: [rateClaim(claim, fittedRate(players, means))],
    tables: [
      {
        title,
        columns: ['n', 'collections', 'mean excess risk', 'n × excess'],
        rows: means.map((excess, i) => [
          players[i].toLocaleString('en-US'),
          String(results[i].parts.length * results[i].cell.setting.runs),
          `${digits(excess.mean)} ± ${digits(excess.error, 2)}`,
          digits(players[i] * excess.mean),
        ]),
        notes: [note],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: figure,
        title,
        x: { label: 'players n', logarithmic: true },
        y: { label: 'mean excess risk', logarithmic: true },
        curves: [
          { name: 'measured', style: 0, dashed: false, points: measuredPoints(players, means) },
          { name: 'order 1/n', style: 0, dashed: true, points: plainPoints(players, order(1)) },
          { name: 'order 1/√n', style: 1, dashed: true, points: plainPoints(players, order(0.5)) },
        ],
        levels: [],
      },
    ],
    data: means.map((excess, i): Json => ({ players: players[i], ...excess })),
  };
}
