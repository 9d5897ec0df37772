import type { PlainRequest } from '../../../src/protocol/contract.ts';
import type { Json } from '../../../src/protocol/digest.ts';
import { estimateStream, type OnlineQuery } from '../../../src/protocol/online/estimate.ts';
import type { FigureCurve, FigurePoint } from '../../../src/simulation/figure.ts';
import {
  type CellResult,
  type ExperimentClaim,
  type ExperimentReport,
  replicationsOf,
} from '../../../src/simulation/paper-experiment.ts';
import { streamReplication } from '../../../src/simulation/stream.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { onlineSgd } from '../protocol.ts';
import { linearPopulation } from '../reproductions/population.ts';
import { digits, meanError, plusMinus } from '../reproductions/statistics.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { DEVIATIONS, shareError } from './claims.ts';

/** Streams with three intervals along the way. */
export type StreamFigureSetting = {
  readonly request: PlainRequest;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** Of one stream: the average at every checkpoint, and half the lengths of the intervals, by method. */
export type StreamFigureRow = {
  readonly theta: readonly (readonly number[])[];
  readonly halves: readonly (readonly (readonly number[])[])[];
};

/** Streams of a part; the first of the first part is drawn. */
export type StreamFigurePart = readonly StreamFigureRow[];

/** Printed: p, μ, the deviation of the noise and the level. */
const FEATURES = 3;
const MU = 1;
const DEVIATION = 0.5;
const LEVEL = 0.95;

const METHODS: readonly { readonly label: string; readonly query: OnlineQuery }[] = [
  { label: 'random scaling', query: { method: 'random scaling' } },
  { label: 'plug-in', query: { method: 'plug-in', hessian: 'regression', hessianFloor: 0.01 } },
  { label: 'batch means', query: { method: 'batch means' } },
];

/** Coverage that finite n costs: batch means have few batches, and variances are still above their limit. */
const FINITE = [0.04, 0.06, 0.12];

function part({ request, checkpoints, size }: StreamFigureSetting, index: number, seed: string): StreamFigurePart {
  const plan = onlineSgdPlan(request as unknown as OnlineSgdRequest);
  const { from, to } = replicationsOf(index, size);
  return Array.from({ length: to - from }, (_, r) => {
    const theta: number[][] = [];
    const halves: number[][][] = [];
    streamReplication(onlineSgd, {
      plan,
      population: linearPopulation(FEATURES, DEVIATION),
      players: checkpoints[checkpoints.length - 1],
      seed: `${seed}/stream/${from + r}`,
      checkpoints,
      look(__, state) {
        const made = METHODS.map(({ query }) => estimateStream(plan, state, { level: LEVEL, ...query }));
        theta.push([...made[0].theta]);
        halves.push(made.map(({ intervals }) => intervals.map(([low, high]) => (high - low) / 2)));
      },
    });
    return { theta, halves };
  });
}

function coverageClaims(rows: readonly StreamFigureRow[], end: number, label: string): readonly ExperimentClaim[] {
  return METHODS.map((method, m) => {
    const shares = rows.map(
      ({ theta, halves }) =>
        theta[end].filter((entry, j) => Math.abs(entry - 1) <= halves[end][m][j]).length / (FEATURES + 1),
    );
    const { mean, error } = meanError(shares);
    const allowed = DEVIATIONS * Math.max(error, shareError(LEVEL, rows.length * (FEATURES + 1))) + FINITE[m];
    return {
      asked: `final ${LEVEL} intervals by ${method.label} hold the truth with at least that probability, ${label}: − ${allowed.toFixed(3)}`,
      measured: plusMinus(mean, error),
      met: mean >= LEVEL - allowed,
    };
  });
}

function curvesOf(
  { theta, halves }: StreamFigureRow,
  checkpoints: readonly number[],
  j: number,
): readonly FigureCurve[] {
  const ends = (m: number, sign: number): readonly FigurePoint[] =>
    checkpoints.map((n, k) => ({ x: n, y: theta[k][j] + sign * halves[k][m][j] }));
  return [
    {
      name: 'average',
      style: 0,
      dashed: false,
      points: checkpoints.map((n, k) => ({
        x: n,
        y: theta[k][j],
        low: theta[k][j] - halves[k][0][j],
        high: theta[k][j] + halves[k][0][j],
      })),
    },
    ...METHODS.flatMap(({ label }, m) => [
      { name: `${label}, low`, style: m + 1, dashed: true, points: ends(m, -1) },
      { name: `${label}, high`, style: m + 1, dashed: true, points: ends(m, 1) },
    ]),
  ];
}

function report(results: readonly CellResult<StreamFigureSetting, StreamFigurePart>[]): ExperimentReport {
  const lines = results.map(({ cell, parts }) => ({ ...cell.setting, label: cell.label, rows: parts.flat() }));
  const longest = lines[lines.length - 1];
  const [drawn] = longest.rows;
  const lengthOf = (m: number, k: number, rows: readonly StreamFigureRow[]): number =>
    meanError(rows.flatMap(({ halves }) => halves[k][m].map((half) => 2 * half))).mean;
  return {
    claims: lines.flatMap(({ rows, checkpoints, label }): readonly ExperimentClaim[] => {
      const end = checkpoints.length - 1;
      const [scaling, plugIn, batches] = METHODS.map((_, m) => lengthOf(m, end, rows));
      const early = lengthOf(0, 0, rows);
      return [
        ...coverageClaims(rows, end, label),
        {
          asked: `printed: random scaling gives the longest of the three, in the mean, ${label}`,
          measured: `${digits(scaling)}, plug-in ${digits(plugIn)}, batch means ${digits(batches)}`,
          met: scaling > plugIn && scaling > batches,
        },
        {
          asked: `printed: lengths fall with n, ${label}: like n^(−1/2), within a factor of 1.6`,
          measured: `random scaling ${digits(early)} at n = ${checkpoints[0]}, ${digits(scaling)} at n = ${checkpoints[end]}`,
          met: Math.abs(Math.log((scaling / early) * Math.sqrt(checkpoints[end] / checkpoints[0]))) < Math.log(1.6),
        },
      ];
    }),
    tables: lines.map(({ rows, checkpoints, label }) => ({
      title: `Mean length of ${LEVEL} intervals, ${label}`,
      columns: ['n', ...METHODS.map((method) => method.label)],
      rows: checkpoints.map((n, k) => [
        n.toLocaleString('en-US'),
        ...METHODS.map((_, m) => digits(lengthOf(m, k, rows))),
      ]),
      notes: [`Of ${rows.length} streams; the figure shows the first.`],
    })),
    figures: Array.from({ length: FEATURES + 1 }, (_, j) => ({
      kind: 'curves',
      name: `figure-2-${j}`,
      title: `One stream, coefficient θ${'₀₁₂₃'[j]}`,
      x: { label: 'players n', logarithmic: true },
      y: { label: 'average and 95 % intervals', logarithmic: false },
      curves: curvesOf(drawn, longest.checkpoints, j),
      levels: [{ name: 'truth', value: 1 }],
    })),
    data: { theta: drawn.theta.map((row) => [...row]), halves: drawn.halves as unknown as Json },
  };
}

/** Figure 2 of the inference paper. */
export const singleStream: TheoremValidation<StreamFigureSetting, StreamFigurePart> = {
  name: 'online-single-stream',
  paper: 'online-inference',
  theorems: ['Figure 2'],
  title: 'One stream with three intervals',
  source: 'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Figure 2',
  summary:
    'Linear Huber regression on p = 3 standard normal features and an intercept, μ = 1, noise of deviation 0.5, as printed; γ = 0.5, ' +
    'α = 0.51 and the start at 0 with the first 500 steps left out are chosen here, and shorter batches. The first stream is drawn, to n = 200,000 at the ' +
    'full scale; claims are of all streams. Plug-in is the local one by regression.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [20_000, 200_000] : [20_000]).map((players) => ({
      key: `players-${players}`,
      label: `n = ${players.toLocaleString('en-US')}`,
      setting: {
        request: {
          maker: 'gdp',
          mu: MU,
          model: { kind: 'huber', features: FEATURES },
          rate: 0.5,
          decay: 0.51,
          burnIn: 500,
          batchScale: 0.1,
          inference: ['batch means', 'plug-in'],
        },
        checkpoints: logarithmicGrid(2500, players, 12),
        size: players > 20_000 ? 5 : 20,
      },
      parts: scale === 'full' ? 20 : 2,
    })),
  probe: (setting) => ({ ...setting, checkpoints: [2500], size: 1 }),
  part,
  report,
};
