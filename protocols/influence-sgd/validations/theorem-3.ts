import type { FigurePoint } from '../../../src/simulation/figure.ts';
import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { generalizationBound, populationRiskBound, type StabilityNumbers } from '../theory.ts';
import { RIDGE } from './descent.ts';
import {
  type Kind,
  LABELS,
  model,
  type PopulationPart,
  type PopulationSetting,
  populationExcess,
} from './population-excess.ts';
import {
  digits,
  fittedSlope,
  isSlope,
  type MeanError,
  meanError,
  meanPoints,
  plainPoints,
  shown,
  shownSlope,
} from './statistics.ts';

const { abs, ceil, log, max, min } = Math;

function summarize({ cell, parts }: CellResult<PopulationSetting, PopulationPart>) {
  const { kind, records } = cell.setting;
  const over = (field: keyof PopulationPart): MeanError => meanError(parts.map((p) => p[field]));
  const [excess, least] = [over('excess'), over('least')];
  const { lipschitz, smoothness } = model.constants;
  const numbers = { excessRisk: max(0, excess.mean), leastRisk: least.mean, records, lipschitz, smoothness, pl: RIDGE };
  return {
    kind,
    records,
    generalization: over('generalization'),
    population: over('population'),
    excess,
    least,
    generalizationBound: generalizationBound(numbers),
    populationBound: populationRiskBound(numbers),
  };
}

/** The exponent of n in the bound between 10⁸ and 10⁹ for E L* = 1/n, m = ε = 1, where the excess risk is n to the `power`. */
function boundExponent(power: number): number {
  const at = (records: number): number => {
    const numbers: StabilityNumbers = {
      excessRisk: records ** power,
      leastRisk: 1 / records,
      records,
      lipschitz: 1,
      smoothness: 1,
      pl: 1,
    };
    return log(populationRiskBound(numbers));
  };
  return (at(1e9) - at(1e8)) / log(10);
}

function report(results: readonly CellResult<PopulationSetting, PopulationPart>[]): ExperimentReport {
  const rows = results.map(summarize);
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind);
  const n = of('optimum').map(({ records }) => records);
  const upper = ({ mean, error }: MeanError): number => mean + 4.5 * error;
  const room = rows.map((row) => row.generalizationBound / upper(row.generalization));
  const populationRoom = rows.map((row) => row.populationBound / upper(row.population));
  const slope = fittedSlope(
    n,
    of('optimum').map((row) => row.generalization),
  );
  const remark4 = boundExponent(-2);
  const theorem7 = boundExponent(-3);
  return {
    claims: [
      {
        asked: 'Theorem 2: the generalisation error is at most the bound at every n, 4.5 standard errors included',
        measured: `the bound is ${digits(min(...room))} to ${digits(max(...room))} times as large`,
        met: room.every((ratio) => ratio >= 1),
      },
      {
        asked: 'Theorem 3: the excess population risk is at most the bound at every n, 4.5 standard errors included',
        measured: `the bound is ${digits(min(...populationRoom))} to ${digits(max(...populationRoom))} times as large`,
        met: populationRoom.every((ratio) => ratio >= 1),
      },
      {
        asked: 'the generalisation error of a minimiser falls like n⁻¹, as its bound does (± .1)',
        measured: shownSlope(slope),
        met: isSlope(slope, -1, 0.1),
      },
      {
        asked:
          'Remark 4: with E L* = 1/n and an excess risk of 1/n² the bound at the best τ falls like n^−1.5 (± .01, n from 10⁸ to 10⁹)',
        measured: remark4.toFixed(4),
        met: abs(remark4 + 1.5) <= 0.01,
      },
      {
        asked: 'Theorem 7: with an excess risk of 1/n³ as well, the second of its three rates (± .01)',
        measured: theorem7.toFixed(4),
        met: abs(theorem7 + 1.5) <= 0.01,
      },
    ],
    tables: [
      {
        title: 'Population risk',
        columns: [
          'model',
          'n',
          'excess empirical risk',
          'generalisation error',
          'its bound',
          'excess population risk',
          'its bound',
        ],
        rows: rows.map((row) => [
          LABELS[row.kind],
          String(row.records),
          shown(row.excess),
          shown(row.generalization),
          digits(row.generalizationBound),
          shown(row.population),
          digits(row.populationBound),
        ]),
        notes: [
          'The population risk is exact for every model; means and standard errors are over data sets and coins.',
        ],
      },
    ],
    figures: (['generalization', 'population'] as const).map((field) => ({
      kind: 'curves' as const,
      name: field === 'generalization' ? 'influence-theorem-2' : 'influence-theorem-3',
      title: field === 'generalization' ? 'Generalisation error' : 'Excess population risk',
      x: { label: 'records n', logarithmic: true },
      y: { label: field === 'generalization' ? 'mean L_P(θ) − L(θ; D)' : 'mean L_P(θ) − min L_P', logarithmic: true },
      curves: (['private', 'optimum'] as const).flatMap((kind, style) => [
        {
          name: LABELS[kind],
          style,
          dashed: false,
          points: positive(
            meanPoints(
              n,
              of(kind).map((row) => row[field]),
            ),
          ),
        },
        {
          name: `claimed bound, ${LABELS[kind]}`,
          style,
          dashed: true,
          points: plainPoints(
            n,
            of(kind).map((row) => row[`${field}Bound`]),
          ),
        },
      ]),
      levels: [],
    })),
    data: rows.map((row) => ({
      ...row,
      generalization: { ...row.generalization },
      population: { ...row.population },
      excess: { ...row.excess },
      least: { ...row.least },
    })),
  };
}

/** A mean that is not known to be positive has no place on a logarithmic axis; it is in the table. */
const positive = (points: readonly FigurePoint[]): readonly FigurePoint[] => points.filter(({ y }) => y > 0);

/** Theorems 2, 3 and 7, with Remark 4. */
export const theorem3: TheoremValidation<PopulationSetting, PopulationPart> = {
  name: 'influence-theorems-2-3',
  paper: 'influence',
  theorems: ['Theorem 2', 'Theorem 3', 'Remark 4', 'Theorem 7'],
  title: 'Generalisation error and excess population risk',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Theorems 2, 3 and 7',
  summary:
    'Logistic regression, λ = μ = ¼, m = 3, G = 2, records of the sphere: a model by DP-SGD along mean gradients at (1, 10⁻⁵), where Theorem 1 ' +
    'holds, and the minimiser itself. The population risk is an integral. Theorem 7 is Theorem 3 with the excess risk of Theorem 6; of it, as ' +
    'of Remark 4, the rate of the bound is computed, at L* of the order 1/n.',
  version: 1,
  cells: (scale) => {
    const full = scale === 'full';
    return (['private', 'optimum'] as const).flatMap((kind) =>
      (full ? [200, 400, 800, 1600, 3200] : [200, 400, 800]).map((records) => ({
        key: `${kind}-${records}`,
        label: `${LABELS[kind]}, n = ${records}`,
        // Equal work for every n; a minimiser costs a fraction of a descent.
        setting: { kind, records, sets: (kind === 'optimum' ? 4 : 1) * ceil((full ? 40_000 : 8000) / records) },
        parts: full ? 32 : 16,
      })),
    );
  },
  probe: (setting) => ({ ...setting, records: 50, sets: 1 }),
  part: populationExcess,
  report,
};
