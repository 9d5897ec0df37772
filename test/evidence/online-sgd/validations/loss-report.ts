import {
  boundClaim,
  DEVIATIONS,
  digits,
  type ExperimentClaim,
  exactSlope,
  meanClaim,
  measuredMean,
  plusMinus,
} from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../../experiment/experiment.ts';
import { type FigureCurve, logFigure } from '../../experiment/figure.ts';
import {
  averageLossBound,
  type BoundFields,
  lastLossBound,
  printedAverageLossBound,
  printedLastLossBound,
  rateExponents,
} from '../bounds.ts';
import { type MeasuredErrors, measure, streamCurve, streamLaw } from './curves.ts';
import { boundFields, type ErrorChunk, type ErrorName, type ErrorSetting, errorRows } from './errors.ts';
import { numberClaim, ratioClaim, steeperClaim } from './exact-claims.ts';
import { type RiskKind, riskLaw, riskOf } from './risks.ts';

const { max, min, sqrt } = Math;

/** From where on the quartic risk is taken to have forgotten its start. */
const SETTLED = 2000;

/**
 * E F(θ_n) of the quartic risk. With s = η_n·(1 + 4C₀²/μ²): E θ_n² falls by 2η·E θ⁴ − η·s a step, and E θ⁴ = s/2 but for that; a law
 * like exp(−θ⁴) has E θ² = .676·√(E θ⁴), which falls like n^(−α/2).
 */
function quarticLaw(decay: number, n: number): number {
  const size = 0.5 * n ** -decay;
  const noise = size * 1.5;
  const square = 0.676 * sqrt(noise / 2);
  return (noise + (decay * square) / (2 * n * size)) / 8;
}

/** The losses of theorems 5 and 6. */
export type LossName = Extract<ErrorName, 'lastLoss' | 'averageLoss'>;

/** What risks are called. */
export const LABELS: { readonly [kind in RiskKind]: string } = {
  square: 'quadratic',
  logit: 'logistic',
  even: 'isotropic',
  quartic: 'quartic',
  far: 'far',
};

/** n far along, where slopes of bounds are taken: logarithms and small terms are still in them. */
const FAR: readonly number[] = [1e11, 1e12];

const BOUND_SLACK = 0.04;

/** What the law of the quartic risk leaves out at these n. */
const STATIONARY = 0.06;

interface Line extends MeasuredErrors {
  readonly rows: readonly (readonly number[])[];
  readonly setting: ErrorSetting;
  readonly label: string;
  readonly exponent: number;
  readonly bound: (n: number) => number;
  readonly printed: (n: number) => number;
}

function linesOf(results: readonly CellResult<ErrorSetting, ErrorChunk>[], name: LossName): readonly Line[] {
  return results.map(({ cell: { setting, label }, chunks }) => {
    const { decay, checkpoints } = setting;
    const { smoothness } = riskOf(setting.kind);
    const fields = (n: number): BoundFields => boundFields(setting, n);
    const last = name === 'lastLoss';
    const rows = errorRows(chunks, name);
    return {
      rows,
      setting,
      label,
      // All decays are in the range of theorem 5.
      exponent: rateExponents(decay)[name] ?? Number.NaN,
      bound: (n) => (last ? lastLossBound(fields(n), smoothness) : averageLossBound(fields(n))),
      printed: (n) => (last ? printedLastLossBound(fields(n), smoothness) : printedAverageLossBound(fields(n))),
      ...measure(checkpoints, rows, checkpoints[0]),
    };
  });
}

function claimsOf(line: Line, name: LossName, what: string): readonly ExperimentClaim[] {
  const { setting, label, exponent, bound, printed, slope } = line;
  const { checkpoints, kind } = setting;
  const holds = looseClaim(`the bound that holds on ${what}, ${label}`, line, bound);
  if (kind === 'logit') return [holds, tooSmall(line, what, 0)];
  if (kind === 'far') {
    const claims = [holds, tooSmall(line, what, checkpoints.length - 1)];
    return name === 'lastLoss' ? claims : [nearClaim(line, what)];
  }
  const rate = steeperClaim(`log-log slope of ${what}, ${label}`, -exponent, slope);
  const far = exactSlope(
    FAR,
    FAR.map((n) => bound(n)),
  );
  const order = numberClaim(`log-log slope of the bound, far along, ${label}`, far, -exponent, BOUND_SLACK);
  const exact = name === 'lastLoss' ? exactClaims(line, what) : [];
  // The printed bound of theorem 5 divides by 0 at α = ½: there it says nothing.
  if (printed(checkpoints[0]) === Infinity) return [rate, order, ...exact, holds];
  return [rate, order, ...exact, holds, looseClaim(`the printed bound on ${what}, ${label}`, line, printed)];
}

/** What a bound so loose can be: not contradicted. */
function looseClaim(what: string, { setting, means }: Line, bound: (n: number) => number): ExperimentClaim {
  const claim = boundClaim(`${what},`, setting.checkpoints, means, bound);
  return { ...claim, asked: `not contradicted, by however much it is too large: ${claim.asked}` };
}

/** From far away a median falls in a straight line at first, and the bound on the average is of the right size. */
function nearClaim({ setting, label, means, bound }: Line, what: string): ExperimentClaim {
  const loose = setting.checkpoints.map((n, k) => bound(n) / means[k].mean);
  return {
    asked: `the bound that holds on ${what}, ${label}, is above the mean, and at some n by a factor of 3 at most`,
    measured: `${digits(min(...loose))} to ${digits(max(...loose))} times`,
    met: loose.every((ratio) => ratio >= 1) && min(...loose) <= 3,
  };
}

/**
 * Claims of constants. The quadratic risk has exact second moments. The quartic one forgets faster than steps shrink for α < 2/3,
 * so that E θF′(θ) = 4·E F(θ) is η_n/2 times the second moment of a released gradient, 1 + 4C₀²/μ² = 1.5.
 */
function exactClaims({ setting, label, rows }: Line, what: string): readonly ExperimentClaim[] {
  const { kind, decay, checkpoints } = setting;
  if (kind === 'square') {
    const law = riskLaw('square', { decay, rate: 1 }, checkpoints).last;
    const exact = law.map(([a, b]) => 0.5 * a + 0.25 * b);
    return [ratioClaim(`${what}, ${label}`, rows, exact, { slack: 0.03 })];
  }
  if (decay > 0.6) return [];
  const settled = checkpoints.filter((n) => n >= SETTLED);
  const from = checkpoints.length - settled.length;
  const ratios = rows.map((row) => {
    const sum = settled.reduce((total, n, k) => total + row[from + k] / quarticLaw(decay, n), 0);
    return sum / settled.length;
  });
  return [
    meanClaim(
      {
        what: `${what} over η_n·(1 + 4C₀²/μ²)/8 and what is still falling, from n = ${settled[0]} on, the law of the quartic risk, ${label}`,
        ...{ expected: 1, slack: STATIONARY, largestTolerance: 0.6 },
      },
      measuredMean(ratios),
    ),
  ];
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
    streamCurve(`measured, ${label}`, 2 * index, checkpoints, means),
    streamLaw(`bound, ${label}`, 2 * index, checkpoints, bound),
    ...(drawn.length > 0 ? [streamLaw(`as printed, ${label}`, 2 * index + 1, drawn, printed)] : []),
  ];
}

/** What is claimed of one of the losses, and measured. */
export function lossReport(
  name: LossName,
  what: string,
  results: readonly CellResult<ErrorSetting, ErrorChunk>[],
): ExperimentReport {
  const lines = linesOf(results, name);
  const kinds = [...new Set(lines.map(({ setting }) => setting.kind))];
  return {
    claims: lines.flatMap((line) => claimsOf(line, name, what)),
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
    figures: kinds.map((kind) =>
      logFigure({
        name: `${name === 'lastLoss' ? 'last' : 'average'}-loss-${kind}`,
        title: `Loss of the ${name === 'lastLoss' ? 'last iterate' : 'average'}: ${LABELS[kind]}`,
        x: 'players n',
        y: what,
        curves: lines.filter(({ setting }) => setting.kind === kind).flatMap(curvesOf),
      }),
    ),
    data: lines.map(({ label, slope, exponent, means }) => ({ label, exponent, slope, means })),
  };
}
