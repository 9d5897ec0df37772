import { seededRandom } from 'ldpkit';
import { onePassOracle, withReplacementOracle } from 'ldpkit/optimize';
import { gradientVariance, productGradients, type ReportTally } from 'ldpkit/protocols/generalized-linear';
import { type copies, hinge, hingeParameters } from 'ldpkit/protocols/hinge';
import { DEVIATIONS, digits, type Measured, meansClaim, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, dashedCurve, linearFigure, meanCurve } from '../../experiment/figure.ts';
import { chunksMean } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';

const { player, server } = hinge;

type Setting = {
  /** How the server draws reports. */
  readonly loop: 'replacement' | 'one-pass';
  /** n, players, and draws. */
  readonly players: number;
  /** Collections of a chunk. */
  readonly runs: number;
};

type Chunk = { readonly sum: number; readonly squares: number };

// Noise of the order of the record, so that fourth moments of its products can be measured.
const REQUEST = { variant: 'printed', epsilon: 30, delta: 1e-3, degree: 1, dimension: 2 } as const;
const FEATURES = [0.6, -0.5];
const LABEL = -1;
const COEFFICIENTS = [-0.7, 0.6];
const POINT = [0.3, 0.4];

/** Sums over collections of n·‖mean of n answers − g‖²/V, V the variance of one report. */
function chunk({ loop, players, runs }: Setting, index: number, seed: string): Chunk {
  const parameters = hingeParameters(REQUEST) as ReturnType<typeof copies>;
  const random = seededRandom(`${seed}/draws/${loop}/${players}/${index}`);
  const at = Float64Array.from(POINT);
  const variance = gradientVariance(parameters, 'product', {
    coefficients: COEFFICIENTS,
    w: at,
    features: FEATURES,
    label: LABEL,
  });
  const t = LABEL * (at[0] * FEATURES[0] + at[1] * FEATURES[1]);
  const exact = FEATURES.map((entry) => (COEFFICIENTS[0] + COEFFICIENTS[1] * t) * LABEL * entry);
  const answer = new Float64Array(2);
  const record = { features: FEATURES, label: LABEL };
  let [sum, squares] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const tally = server.empty(parameters) as ReportTally;
    for (let i = 0; i < players; i++) server.add(parameters, tally, player.randomize(parameters, record, random));
    const reports = productGradients(parameters.copies, COEFFICIENTS, tally);
    const oracle = (loop === 'replacement' ? withReplacementOracle : onePassOracle)(reports, random);
    const mean = [0, 0];
    for (let call = 0; call < players; call++) {
      oracle.gradient(at, answer);
      for (let i = 0; i < 2; i++) mean[i] += answer[i] / players;
    }
    const value = (players * ((mean[0] - exact[0]) ** 2 + (mean[1] - exact[1]) ** 2)) / variance;
    sum += value;
    squares += value * value;
  }
  return { sum, squares };
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const lines = results.map(({ cell, chunks }) => ({
    ...cell.setting,
    spread: chunksMean(chunks.length * cell.setting.runs, chunks),
  }));
  const of = (loop: Setting['loop']): typeof lines => lines.filter((line) => line.loop === loop);
  const [pass, again] = [of('one-pass'), of('replacement')];
  const spreads = (some: typeof lines): readonly Measured[] => some.map(({ spread }) => spread);
  const players = again.map((line) => line.players);
  const claimed = players.map((n) => 2 - 1 / n);
  const far = again.map(({ spread }) => (spread.mean - 1) / spread.error);
  return {
    // Means of thousands of collections are nearly normal: 7e-6 for each of the numbers that a claim looks at.
    claims: [
      meansClaim(
        'one pass: the mean of n answers has the variance V/n',
        spreads(pass),
        pass.map(() => 1),
      ),
      meansClaim('with replacement it has (2 − 1/n)·V/n', spreads(again), claimed),
      {
        asked: `as printed (line 12, draws with replacement) n answers are like fresh ones, V/n: refuted by ${DEVIATIONS} standard errors`,
        measured: `${digits(Math.min(...far))} standard errors or more above`,
        met: far.every((score) => score >= DEVIATIONS),
      },
    ],
    tables: [
      {
        title: 'n times the variance of the mean of n answers, over that of one report',
        columns: ['n', 'one pass', 'with replacement', '2 − 1/n'],
        rows: players.map((n, i) => [
          String(n),
          plusMinus(pass[i].spread.mean, pass[i].spread.error),
          plusMinus(again[i].spread.mean, again[i].spread.error),
          digits(claimed[i], 4),
        ]),
        notes: ['All players hold the same record, so that the variance is that of the noise.'],
      },
    ],
    figures: [
      linearFigure({
        name: 'algorithm-1-draws',
        title: 'Reports drawn with replacement, and read once',
        x: 'players n',
        y: 'n × variance of the mean of n answers / V',
        logarithmic: 'x',
        curves: [
          meanCurve('one pass', 0, players, spreads(pass)),
          meanCurve('with replacement', 1, players, spreads(again)),
          dashedCurve('2 − 1/n', 1, players, claimed),
          claimedCurve('fresh answers, as printed', 0, players, () => 1),
        ],
      }),
    ],
    data: lines.map(({ loop, players: n, spread }) => ({ loop, players: n, ...spread })),
  };
}

/** Algorithm 1, line 12: how the server draws reports. */
export const serverLoop: TheoremValidation<Setting, Chunk> = {
  name: 'hinge-algorithm-1-draws',
  title: 'Reports drawn with replacement are not fresh answers',
  paper: 'noninteractive',
  theorems: ['Algorithm 1', 'Definition 7'],
  source: `${PAPER}, algorithm 1, line 12`,
  summary:
    'Collections of n reports of algorithm 1 of one record (ε = 30, δ = 10⁻³, degree 1, p = 2, chosen so that the noise is of the ' +
    'order of the record) answer n times at one point: each once, or drawn with replacement as printed.',
  version: 1,
  cells: (scale) =>
    (['one-pass', 'replacement'] as const).flatMap((loop) =>
      (scale === 'full' ? [5, 10, 20, 40, 80] : [5, 20]).map((players) => ({
        key: `${loop}-${players}`,
        label: `${loop === 'one-pass' ? 'one pass' : 'with replacement'}, n = ${players}`,
        setting: { loop, players, runs: 2000 },
        chunks: scale === 'full' ? 40 : 2,
      })),
    ),
  smallRun: (setting) => ({ ...setting, runs: 2 }),
  chunk,
  report,
};
