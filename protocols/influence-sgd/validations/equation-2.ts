import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { PRINTED_CONSTANT } from '../parameters.ts';
import { BUDGET, type NoisePart, type NoiseSetting, neededNoise, type Regime } from './noise-constant.ts';
import { digits, plainPoints } from './statistics.ts';

const { log, max, min } = Math;

function report(results: readonly CellResult<NoiseSetting, NoisePart>[]): ExperimentReport {
  const of = (regime: Regime) =>
    results
      .filter(({ cell }) => cell.setting.regime === regime)
      .map(({ cell, parts }) => ({ records: cell.setting.records, ...parts[0] }));
  const [rows, square] = [of('log'), of('square')];
  const n = rows.map(({ records }) => records);
  const large = rows.filter(({ records }) => records >= 1000);
  // log(growth of c)/log(growth of n) from one n to the next.
  const growth = rows
    .slice(1)
    .map(({ needed, records }, i) => log(needed / rows[i].needed) / log(records / rows[i].records));
  const spread = max(...square.map(({ needed }) => needed)) / min(...square.map(({ needed }) => needed));
  const all = [...rows, ...square];
  return {
    claims: [
      {
        asked:
          'refuted: with T = ⌈log n⌉ and c = 2√2, from n = 1,000 on, the exact δ of an example is that of drawing the record, about T/n, ten times the claimed or more',
        measured: `δ over the probability of drawing the record: ${digits(min(...large.map((r) => r.delta / r.drawn)), 4)} or more; over the claimed: ${digits(min(...large.map((r) => r.delta / BUDGET.delta)))} or more`,
        met: large.every(({ delta, drawn }) => delta >= 0.99 * drawn && delta > 10 * BUDGET.delta),
      },
      {
        asked:
          'refuted: no constant c is enough, the least one that is not refuted grows faster than √n, from each n to the next',
        measured: `c from ${digits(rows[0].needed)} at n = ${n[0]} to ${digits(rows[rows.length - 1].needed)} at n = ${n[n.length - 1]}, like n to the ${digits(min(...growth))} or more`,
        met: growth.every((power) => power > 0.5),
      },
      {
        asked: 'what holds: with the noise of the moments accountant δ is within the claimed, at every n',
        measured: `${digits(max(...rows.map(({ corrected }) => (corrected ?? 1) / BUDGET.delta)))} of the claimed at most`,
        met: rows.every(({ corrected }) => (corrected ?? 1) <= BUDGET.delta),
      },
      {
        asked:
          'what holds: with T = n², as the source of (2) needs, one c serves all n on this example (within a factor 1.5)',
        measured: `the least c is ${square.map(({ needed }) => digits(needed)).join(', ')}`,
        met: spread <= 1.5,
      },
    ],
    tables: [
      {
        title: 'Noise (2) at (1, 10⁻⁶)',
        columns: ['n', 'T', 'exact δ with c = 2√2', 'P(drawn)', 'least c', 'c of the moments accountant'],
        rows: all.map((row) => [
          ...[row.records, row.steps, row.delta, row.drawn, row.needed].map((value) => digits(value)),
          row.enough === undefined ? '' : digits(row.enough),
        ]),
        notes: [
          'The example has linear losses, all records 0 but for one of norm G. Its δ is a lower bound of that of DP-SGD.',
        ],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'influence-equation-2-constant',
        title: 'The constant c that the noise (2) needs',
        x: { label: 'records n', logarithmic: true },
        y: { label: 'c', logarithmic: true },
        curves: [
          {
            name: 'least c, T = ⌈log n⌉',
            style: 0,
            dashed: false,
            points: plainPoints(
              n,
              rows.map((r) => r.needed),
            ),
          },
          {
            name: 'c of the moments accountant',
            style: 1,
            dashed: false,
            points: plainPoints(
              n,
              rows.map((r) => r.enough ?? r.needed),
            ),
          },
          {
            name: 'least c, T = n²',
            style: 2,
            dashed: false,
            points: plainPoints(
              square.map((r) => r.records),
              square.map((r) => r.needed),
            ),
          },
          {
            name: 'as printed: a constant, here 2√2',
            style: 0,
            dashed: true,
            points: plainPoints(
              n,
              n.map(() => PRINTED_CONSTANT),
            ),
          },
        ],
        levels: [],
      },
      {
        kind: 'curves',
        name: 'influence-equation-2-delta',
        title: 'δ at ε = 1 with the noise (2), T = ⌈log n⌉',
        x: { label: 'records n', logarithmic: true },
        y: { label: 'δ', logarithmic: true },
        curves: [
          {
            name: 'exact, c = 2√2',
            style: 0,
            dashed: false,
            points: plainPoints(
              n,
              rows.map((r) => r.delta),
            ),
          },
          {
            name: 'P(the record is drawn)',
            style: 1,
            dashed: true,
            points: plainPoints(
              n,
              rows.map((r) => r.drawn),
            ),
          },
          {
            name: 'claimed',
            style: 0,
            dashed: true,
            points: plainPoints(
              n,
              n.map(() => BUDGET.delta),
            ),
          },
        ],
        levels: [],
      },
    ],
    data: all.map((row) => ({ ...row })),
  };
}

/** Equation (2). */
export const equation2: TheoremValidation<NoiseSetting, NoisePart> = {
  name: 'influence-equation-2',
  paper: 'influence',
  theorems: ['Equation (2)'],
  title: 'The noise of DP-SGD on drawn records',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, (2)',
  summary:
    'The exact δ of noisy steps on linear losses with the noise (2), and the least constant c that the claimed (1, 10⁻⁶) needs there, for ' +
    'T = ⌈log n⌉ as in Theorem 1 and for T = n². Nothing is drawn.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    const sizes = full ? [100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6] : [1e3, 1e4, 1e5];
    const square = full ? [10, 15, 20, 30, 40] : [10, 20];
    return [
      ...sizes.map((records) => ({ regime: 'log' as const, records })),
      ...square.map((records) => ({ regime: 'square' as const, records })),
    ].map((setting) => ({
      key: `${setting.regime}-${setting.records}`,
      label: `n = ${setting.records}, T = ${setting.regime === 'log' ? '⌈log n⌉' : 'n²'}`,
      setting,
      parts: 1,
    }));
  },
  probe: (setting) => ({ ...setting, records: 10 }),
  part: neededNoise,
  report,
};
