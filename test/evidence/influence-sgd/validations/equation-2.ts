import { gdpDelta } from 'ldpkit/privacy';
import { momentsSigma, printedSigma } from 'ldpkit/protocols/influence-sgd';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, dashedCurve, logFigure, plainCurve } from '../../experiment/figure.ts';
import { column } from '../../experiment/statistics.ts';
import { drawnProbability, drawnRecordDelta } from '../bounds.ts';

const { ceil, log, max, min, sqrt } = Math;

/** The paper's c, taken to be its c′. */
const CONSTANT = 2 * Math.SQRT2;

/** The ε claimed. */
const EPSILON = 1;

/**
 * T = O(log n) single records, as in Theorem 1; T = n², the order that the source of (2) needs; or T = O(log n) steps of all records,
 * where what T such steps come to is known exactly.
 */
type Regime = 'log' | 'square' | 'batch';

/** One n. Nothing is drawn: every number is exact, or by the moments accountant. */
type NoiseSetting = { readonly regime: Regime; readonly records: number };

/** For T steps with G = 1. */
type NoiseChunk = {
  readonly steps: number;
  /** The δ claimed: n⁻² where T = O(log n) on single records, or else 10⁻⁶. */
  readonly claimed: number;
  /**
   * The exact δ at ε with the noise (2), c = 2√2: of the linear losses of `drawnRecordDelta`, a lower bound of what δ must be, or of T
   * Gaussian releases of the mean gradient.
   */
  readonly delta: number;
  /** P(the record is drawn). */
  readonly drawn: number;
  /** The least c with which that δ is the claimed one. */
  readonly needed: number;
  /** A c with which the moments accountant proves the claim, and the exact δ with it; not for T = n², where n is too small for it. */
  readonly enough?: number;
  readonly corrected?: number;
};

/** Exact numbers of one n. */
function neededNoise({ regime, records }: NoiseSetting): NoiseChunk {
  const steps = regime === 'square' ? records * records : ceil(log(records));
  const claimed = regime === 'log' ? records ** -2 : 1e-6;
  const descent = { epsilon: EPSILON, delta: claimed, records, steps, lipschitz: 1 };
  const unit = printedSigma({ ...descent, noiseConstant: 1 });
  const deltaAt = (c: number): number =>
    regime === 'batch'
      ? gdpDelta((2 * sqrt(steps)) / (records * c * unit), EPSILON)
      : drawnRecordDelta({ ...descent, sigma: c * unit });
  let [below, above] = [1e-3, 1];
  while (deltaAt(above) > claimed) above *= 2;
  // δ falls with the noise; 25 halvings leave a relative width of 1e-7.
  for (let i = 0; i < 25; i++) {
    const middle = (below + above) / 2;
    if (deltaAt(middle) > claimed) below = middle;
    else above = middle;
  }
  const batch = regime === 'batch' ? records : 1;
  const enough = regime === 'square' ? undefined : momentsSigma({ ...descent, batch }) / unit;
  return {
    steps,
    claimed,
    delta: deltaAt(CONSTANT),
    drawn: regime === 'batch' ? 1 : drawnProbability({ records, steps }),
    needed: above,
    ...(enough === undefined ? {} : { enough, corrected: deltaAt(enough) }),
  };
}

const STEPS: Readonly<Record<Regime, string>> = {
  log: 'single records, T = ⌈log n⌉',
  square: 'single records, T = n²',
  batch: 'all records, T = ⌈log n⌉',
};

function report(results: readonly CellResult<NoiseSetting, NoiseChunk>[]): ExperimentReport {
  const of = (regime: Regime) =>
    results
      .filter(({ cell }) => cell.setting.regime === regime)
      .map(({ cell, chunks }) => ({ ...cell.setting, ...chunks[0] }));
  const [rows, square, batch] = [of('log'), of('square'), of('batch')];
  const n = rows.map(({ records }) => records);
  const large = rows.filter(({ records }) => records >= 1000);
  // log(growth of c)/log(growth of n) from one n to the next.
  const growth = rows
    .slice(1)
    .map(({ needed, records }, i) => log(needed / rows[i].needed) / log(records / rows[i].records));
  const spread = max(...square.map(({ needed }) => needed)) / min(...square.map(({ needed }) => needed));
  const room = rows.map(({ enough = 0, needed }) => enough / needed);
  const shares = batch.map(({ corrected = 1, claimed }) => corrected / claimed);
  const all = [...rows, ...square, ...batch];
  const sizes = square.map(({ records }) => records);
  return {
    claims: [
      {
        asked:
          'refuted: with T = ⌈log n⌉ and c = 2√2, from n = 1,000 on, the exact δ of an example is that of drawing the record, about T/n, and 100 times the claimed n⁻² or more',
        measured: `δ over the probability of drawing the record: ${digits(min(...large.map((r) => r.delta / r.drawn)), 4)} or more; over the claimed: ${digits(min(...large.map((r) => r.delta / r.claimed)))} or more`,
        met: large.every(({ delta, drawn, claimed }) => delta >= 0.99 * drawn && delta > 100 * claimed),
      },
      {
        asked:
          'refuted: no constant c is enough for δ = n⁻², the least one that is not refuted grows faster than √n, from each n to the next',
        measured: `c from ${digits(rows[0].needed)} at n = ${n[0]} to ${digits(rows[rows.length - 1].needed)} at n = ${n[n.length - 1]}, like n to the ${digits(min(...growth))} or more`,
        met: growth.every((power) => power > 0.5),
      },
      {
        asked: `not contradicted: the noise of the moments accountant is more than the example needs at every n, but about ${digits(min(...room), 1)} to ${digits(max(...room), 2)} times as much`,
        measured: `${room.map((ratio) => digits(ratio)).join(', ')} times`,
        met: room.every((ratio) => ratio >= 1),
      },
      {
        asked:
          'what holds: the moments accountant where every step has all n records: with its noise δ is at most the claimed, and at least a seventh of it',
        measured: `${shares.map((share) => digits(share)).join(', ')} of the claimed`,
        met: shares.every((share) => share <= 1 && share >= 1 / 7),
      },
      {
        asked: `what holds: with T = n², as the source of (2) needs, one c serves all n from ${sizes[0]} to ${sizes[sizes.length - 1]} on this example (within a factor 1.1)`,
        measured: `the least c is ${square.map(({ needed }) => digits(needed)).join(', ')}`,
        met: spread <= 1.1,
      },
    ],
    tables: [
      {
        title: 'Noise (2) at ε = 1',
        columns: [
          'steps',
          'n',
          'T',
          'claimed δ',
          'exact δ with c = 2√2',
          'P(drawn)',
          'least c',
          'c of the moments accountant',
        ],
        rows: all.map((row) => [
          STEPS[row.regime],
          ...[row.records, row.steps, row.claimed, row.delta, row.drawn, row.needed].map((value) => digits(value)),
          row.enough === undefined ? '' : digits(row.enough),
        ]),
        notes: [
          'The example has linear losses, all records 0 but for one of norm G. Its δ is a lower bound of that of DP-SGD.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'influence-equation-2-constant',
        title: 'The constant c that the noise (2) needs',
        x: 'records n',
        y: 'c',
        curves: [
          plainCurve('least c, T = ⌈log n⌉', 0, n, column(rows, 'needed')),
          plainCurve(
            'c of the moments accountant',
            1,
            n,
            rows.map((r) => r.enough ?? r.needed),
          ),
          plainCurve('least c, T = n²', 2, column(square, 'records'), column(square, 'needed')),
          claimedCurve('as printed: a constant, here 2√2', 0, n, () => CONSTANT),
        ],
      }),
      logFigure({
        name: 'influence-equation-2-delta',
        title: 'δ at ε = 1 with the noise (2), T = ⌈log n⌉',
        x: 'records n',
        y: 'δ',
        curves: [
          plainCurve('exact, c = 2√2', 0, n, column(rows, 'delta')),
          dashedCurve('P(the record is drawn)', 1, n, column(rows, 'drawn')),
          dashedCurve('claimed: n⁻²', 0, n, column(rows, 'claimed')),
        ],
      }),
    ],
    data: all,
  };
}

/** Equation (2). */
export const equation2: TheoremValidation<NoiseSetting, NoiseChunk> = {
  name: 'influence-equation-2',
  paper: 'influence',
  theorems: ['Equation (2)'],
  title: 'The noise of DP-SGD on drawn records',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, (2)',
  summary:
    'The exact δ of noisy steps on linear losses with the noise (2), and the least constant c that the claimed δ needs there, for ' +
    'T = ⌈log n⌉ as in Theorem 1 and δ = n⁻², and for T = n² and δ = 10⁻⁶. The moments accountant beside it, and where every step has all ' +
    'records, so that T steps are known exactly. ε = 1. Nothing is drawn. While δ is fixed T/n falls below it in the end, beyond n = 10⁷ ' +
    'for δ = 10⁻⁶; until then c has to grow just as well.',
  version: 3,
  cells: (scale) => {
    const full = scale === 'full';
    const sizes: Readonly<Record<Regime, readonly number[]>> = {
      log: full ? [100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6] : [1e3, 1e4, 1e5],
      square: full ? [10, 15, 20, 30, 40] : [10, 20],
      batch: [100, 1000],
    };
    return (['log', 'square', 'batch'] as const).flatMap((regime) =>
      sizes[regime].map((records) => ({
        key: `${regime}-${records}`,
        label: `${STEPS[regime]}, n = ${records}`,
        setting: { regime, records },
        chunks: 1,
      })),
    );
  },
  smallRun: (setting) => ({ ...setting, records: 10 }),
  chunk: neededNoise,
  report,
};
