import type { Json } from '../../../src/protocol/digest.ts';
import { sigmoid } from '../../../src/risk/binary-logistic.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { onlineSgdPlan } from '../parameters.ts';
import { digits, logSlope, type MeanError, plusMinus, type Slope } from '../reproductions/statistics.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { asymptoticCovariance, averageRate, type PopulationMoments, rateExponents } from '../theory.ts';
import {
  atMostSlopeClaim,
  boundClaim,
  claimedCurve,
  DEVIATIONS,
  decayName,
  measure,
  measuredCurve,
  rateThrough,
  ratioClaim,
  slopeClaim,
} from './claims.ts';
import {
  boundFields,
  type ErrorPart,
  type ErrorSetting,
  errorPart,
  errorProbe,
  errorRequest,
  errorRows,
} from './errors.ts';
import { type RiskKind, riskOf } from './risks.ts';

/** The curved risk takes longer to forget its first steps. */
const SQUARE_GRID = logarithmicGrid(125, 4000, 8);
const LOGIT_GRID = logarithmicGrid(500, 16_000, 8);
const CELLS: readonly { readonly key: string; readonly kind: RiskKind; readonly decay: number }[] = [
  { key: 'square-1-3', kind: 'square', decay: 1 / 3 },
  { key: 'square-1-2', kind: 'square', decay: 1 / 2 },
  { key: 'square-2-3', kind: 'square', decay: 2 / 3 },
  { key: 'logit-1-4', kind: 'logit', decay: 1 / 4 },
  { key: 'logit-1-2', kind: 'logit', decay: 1 / 2 },
];

/** What slopes and constants may be off by at these n: the terms left out are of the relative order n^(α − 1) and n^(1 − 2α). */
const FINITE = 0.1;

/** A and S at the minimisers, without noise: E u²·xxᵀ with the variance 1/12 of u; and the variance of y for both. */
const LOGIT_VARIANCE: number = sigmoid(1) * (1 - sigmoid(1));
const MOMENTS: { readonly [kind in 'square' | 'logit']: PopulationMoments } = {
  square: { hessian: Float64Array.of(1, 0, 0, 0.5), gradient: Float64Array.of(1 / 12, 0, 0, 1 / 24) },
  logit: { hessian: Float64Array.of(LOGIT_VARIANCE), gradient: Float64Array.of(LOGIT_VARIANCE) },
};

/** tr(A⁻¹SA⁻¹), the noise in S. */
function traceOf(setting: ErrorSetting): number {
  const plan = onlineSgdPlan(errorRequest(setting));
  const covariance = asymptoticCovariance(plan, setting.kind === 'square' ? MOMENTS.square : MOMENTS.logit);
  return plan.model.dimension === 1 ? covariance[0] : covariance[0] + covariance[3];
}

interface Line {
  readonly setting: ErrorSetting;
  readonly means: readonly MeanError[];
  readonly slope: Slope;
  /** Of the error of the average over that of the last iterate. */
  readonly relative: Slope;
}

/** Slopes of two errors, one less the other; their errors as if they were independent, which is more than it is. */
function lessSlope(one: Slope, other: Slope): Slope {
  return { slope: one.slope - other.slope, error: Math.hypot(one.error, other.error) };
}

function claimsOf({ setting, means, slope, relative }: Line): readonly ExperimentClaim[] {
  const { kind, decay, checkpoints } = setting;
  const what = `E‖θ̄_n − θ*‖² of the ${kind === 'square' ? 'quadratic' : 'logistic'} risk at ${decayName(decay)}`;
  const rate = atMostSlopeClaim(what, -rateExponents(decay).average, slope, FINITE);
  const trace = traceOf(setting);
  const bound = (n: number): number => averageRate(boundFields(setting, n), riskOf(kind).strongConvexity, trace);
  const { mean, error } = means[means.length - 1];
  const n = checkpoints[checkpoints.length - 1];
  if (kind === 'square') {
    return [
      rate,
      boundClaim(`the two terms with printed constants, at ${decayName(decay)},`, checkpoints, means, bound),
      ratioClaim(
        `n·${what} over the trace term, at the end`,
        { mean: (n * mean) / trace, error: (n * error) / trace },
        FINITE,
      ),
      ...(2 * decay >= 1
        ? [slopeClaim(`${what} over that of the last iterate, α − 1`, decay - 1, relative, FINITE)]
        : []),
    ];
  }
  if (2 * decay >= 1) return [rate];
  return [
    rate,
    {
      asked: `the third term is needed: ${what} is above the two terms of the order 1/n, at n = ${n}, by ${DEVIATIONS} standard errors`,
      measured: `${plusMinus(mean, error)}, the two terms ${digits(bound(n))}`,
      met: mean - DEVIATIONS * error > bound(n),
    },
  ];
}

function report(results: readonly CellResult<ErrorSetting, ErrorPart>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, parts }): Line => {
    const { checkpoints } = setting;
    const measured = measure(checkpoints, errorRows(parts, 'average'), checkpoints[0]);
    const last = logSlope(checkpoints, errorRows(parts, 'last'), checkpoints[0]);
    return { setting, ...measured, relative: lessSlope(measured.slope, last) };
  });
  const last = SQUARE_GRID.length - 1;
  return {
    claims: lines.flatMap(claimsOf),
    tables: [
      {
        title: 'E‖θ̄_n − θ*‖² at the end',
        columns: ['risk', 'α', 'n', 'slope', 'at most', 'mean'],
        rows: lines.map(({ setting, means, slope }) => [
          setting.kind === 'square' ? 'quadratic' : 'logistic',
          decayName(setting.decay).slice(4),
          setting.checkpoints[last].toLocaleString('en-US'),
          plusMinus(slope.slope, slope.error),
          digits(-rateExponents(setting.decay).average),
          plusMinus(means[last].mean, means[last].error, 5),
        ]),
        notes: [
          'A quadratic risk has a linear gradient, C₁ = 0: the third term of the theorem is absent, and the average falls like 1/n at every α.',
        ],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'average',
        title: 'Squared error of the average',
        x: { label: 'players n', logarithmic: true },
        y: { label: 'E‖θ̄_n − θ*‖²', logarithmic: true },
        curves: lines.flatMap(({ setting, means }, style) => {
          const { kind, decay, checkpoints } = setting;
          const name = `${kind === 'square' ? 'quadratic' : 'logistic'}, ${decayName(decay)}`;
          const trace = traceOf(setting);
          const claimed =
            kind === 'square'
              ? (n: number): number => trace / n
              : rateThrough(checkpoints[last], means[last].mean, rateExponents(decay).average);
          return [
            measuredCurve(`measured, ${name}`, style, checkpoints, means),
            claimedCurve(`${kind === 'square' ? 'trace term' : 'rate'}, ${name}`, style, checkpoints, claimed),
          ];
        }),
        levels: [],
      },
    ],
    data: lines.map(
      ({ setting, means, slope }): Json => ({
        kind: setting.kind,
        decay: setting.decay,
        slope: { ...slope },
        means: means.map((mean) => ({ ...mean })),
      }),
    ),
  };
}

/** Theorem 4 of the non-asymptotic paper. */
export const average: TheoremValidation<ErrorSetting, ErrorPart> = {
  name: 'online-average',
  paper: 'online-rates',
  theorems: ['Theorem 4', 'Remark 3', 'Table 1', 'Figure 3'],
  title: 'The squared error of the average: a trace over n, and n^(−2α) where the gradient is curved',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Theorem 4, Remark 3',
  summary:
    'A quadratic risk with the Hessian diag(1, ½), for the terms with printed constants; and logistic regression on a constant with ' +
    'θ* = 1 and μ = 2, η = 2, whose curved gradient moves every iterate to one side by the order n^(−α): the third term, whose ' +
    'constants are in a supplement that is not at hand.',
  version: 1,
  cells: (scale) =>
    CELLS.map(({ key, kind, decay }) => ({
      key,
      label: `${kind}, ${decayName(decay)}`,
      setting:
        kind === 'square'
          ? { kind, decay, checkpoints: SQUARE_GRID, size: 120 }
          : { kind, decay, checkpoints: LOGIT_GRID, size: 60 },
      parts: scale === 'full' ? 24 : 2,
    })),
  probe: errorProbe,
  part: errorPart,
  report,
};
