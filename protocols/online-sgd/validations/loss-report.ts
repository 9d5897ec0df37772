import type { Json } from '../../../src/protocol/digest.ts';
import type { FigureCurve } from '../../../src/simulation/figure.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import { digits, plusMinus } from '../reproductions/statistics.ts';
import {
  averageLossBound,
  type BoundFields,
  lastLossBound,
  printedAverageLossBound,
  printedLastLossBound,
  rateExponents,
} from '../theory.ts';
import {
  atMostSlopeClaim,
  boundClaim,
  claimedCurve,
  DEVIATIONS,
  type Measured,
  measure,
  measuredCurve,
} from './claims.ts';
import { boundFields, type ErrorName, type ErrorPart, type ErrorSetting, errorRows } from './errors.ts';
import { type RiskKind, riskOf } from './risks.ts';

/** The losses of theorems 5 and 6. */
export type LossName = Extract<ErrorName, 'lastLoss' | 'averageLoss'>;

/** What risks are called. */
export const LABELS: { readonly [kind in RiskKind]: string } = {
  square: 'quadratic',
  logit: 'logistic',
  quartic: 'quartic',
  far: 'far',
};

/** What a slope may be off by at these n. */
const FINITE = 0.05;

interface Line extends Measured {
  readonly setting: ErrorSetting;
  readonly label: string;
  readonly exponent: number;
  readonly bound: (n: number) => number;
  readonly printed: (n: number) => number;
}

function linesOf(results: readonly CellResult<ErrorSetting, ErrorPart>[], name: LossName): readonly Line[] {
  return results.map(({ cell: { setting, label }, parts }) => {
    const { decay, checkpoints } = setting;
    const { smoothness } = riskOf(setting.kind);
    const fields = (n: number): BoundFields => boundFields(setting, n);
    const last = name === 'lastLoss';
    return {
      setting,
      label,
      // All decays are in the range of theorem 5.
      exponent: rateExponents(decay)[name] ?? Number.NaN,
      bound: (n) => (last ? lastLossBound(fields(n), smoothness) : averageLossBound(fields(n))),
      printed: (n) => (last ? printedLastLossBound(fields(n), smoothness) : printedAverageLossBound(fields(n))),
      ...measure(checkpoints, errorRows(parts, name), checkpoints[0]),
    };
  });
}

function claimsOf(line: Line, what: string): readonly ExperimentClaim[] {
  const { setting, label, exponent, bound, printed, means, slope } = line;
  const { checkpoints, kind } = setting;
  const holds = boundClaim(`the bound that holds on ${what}, ${label},`, checkpoints, means, bound);
  if (kind === 'logit') return [holds, tooSmall(line, what, 0)];
  if (kind === 'far') return [holds, tooSmall(line, what, checkpoints.length - 1)];
  const rate = atMostSlopeClaim(`${what}, ${label}`, -exponent, slope, FINITE);
  // The printed bound of theorem 5 divides by 0 at α = ½: there it says nothing.
  if (printed(checkpoints[0]) === Infinity) return [rate, holds];
  return [rate, holds, boundClaim(`the printed bound on ${what}, ${label},`, checkpoints, means, printed)];
}

/** Where the printed bound is refuted: the mean is above it by more than its errors. */
function tooSmall({ setting, label, means, printed }: Line, what: string, place: number): ExperimentClaim {
  const { mean, error } = means[place];
  const n = setting.checkpoints[place];
  return {
    asked: `the printed bound on ${what} is too small at n = ${n}, ${label}: refuted by ${DEVIATIONS} standard errors`,
    measured: `printed ${digits(printed(n))}, mean ${plusMinus(mean, error)}`,
    met: mean - DEVIATIONS * error > printed(n),
  };
}

/** What was measured beside the bound, and the printed one where that is a positive number. */
function curvesOf({ setting, label, means, bound, printed }: Line, index: number): readonly FigureCurve[] {
  const { checkpoints } = setting;
  const drawn = checkpoints.filter((n) => printed(n) > 0 && printed(n) < Infinity);
  return [
    measuredCurve(`measured, ${label}`, 2 * index, checkpoints, means),
    claimedCurve(`bound, ${label}`, 2 * index, checkpoints, bound),
    ...(drawn.length > 0 ? [claimedCurve(`as printed, ${label}`, 2 * index + 1, drawn, printed)] : []),
  ];
}

/** What is claimed of one of the losses, and measured. */
export function lossReport(
  name: LossName,
  what: string,
  results: readonly CellResult<ErrorSetting, ErrorPart>[],
): ExperimentReport {
  const lines = linesOf(results, name);
  const kinds = [...new Set(lines.map(({ setting }) => setting.kind))];
  return {
    claims: lines.flatMap((line) => claimsOf(line, what)),
    tables: [
      {
        title: `${what} at the end`,
        columns: ['risk', 'n', 'slope', 'at most', 'mean', 'bound', 'printed'],
        rows: lines.map(({ setting: { checkpoints, kind }, label, slope, exponent, means, bound, printed }) => {
          const end = checkpoints.length - 1;
          const n = checkpoints[end];
          const rates = kind === 'quartic' || kind === 'square';
          return [
            label,
            String(n),
            rates ? plusMinus(slope.slope, slope.error) : '',
            rates ? digits(-exponent) : '',
            plusMinus(means[end].mean, means[end].error, 5),
            digits(bound(n)),
            printed(n) < Infinity ? digits(printed(n)) : 'none',
          ];
        }),
        notes: [
          'The paper has the empirical risk of the sample in place of F.',
          ...(name === 'lastLoss' ? ['At α = ½ the printed bound divides by (1 − 2α)^½ = 0: there is none.'] : []),
        ],
      },
    ],
    figures: kinds.map((kind) => ({
      kind: 'curves',
      name: `${name === 'lastLoss' ? 'last' : 'average'}-loss-${kind}`,
      title: `Loss of the ${name === 'lastLoss' ? 'last iterate' : 'average'}: ${LABELS[kind]}`,
      x: { label: 'players n', logarithmic: true },
      y: { label: what, logarithmic: true },
      curves: lines.filter(({ setting }) => setting.kind === kind).flatMap(curvesOf),
      levels: [],
    })),
    data: lines.map(
      ({ label, slope, exponent, means }): Json => ({
        label,
        exponent,
        slope: { ...slope },
        means: means.map((mean) => ({ ...mean })),
      }),
    ),
  };
}
