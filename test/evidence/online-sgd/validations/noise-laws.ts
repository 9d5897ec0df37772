import type { PlainRequest } from 'ldpkit';
import { gdpDelta } from 'ldpkit/privacy';
import {
  DEVIATIONS,
  digits,
  type ExperimentClaim,
  type Measured,
  meanClaim,
  meansClaim,
  plusMinus,
} from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  rowCells,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { linearFigure, logFigure } from '../../experiment/figure.ts';
import { measuredSums, shareError, summed } from '../../experiment/statistics.ts';
import { streamCurve, streamLaw } from './curves.ts';
import { BEYOND, type NoiseChunk, type NoiseSetting, noiseChunk, noisePlan } from './noise-reports.ts';

const { SQRT2, abs, exp, log, max, sqrt } = Math;

/** Where δ(ε) is taken. */
export const EPSILONS: readonly number[] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8];

/** ε of example 1. */
export const LAPLACE = 1;

/** μ of example 3. */
export const MU = 0.25;

/** The claim of example 2. */
export const CLAIM = { epsilon: 0.05, delta: 0.001 } as const;

/** The dimension, that of weighted Huber regression with three features. */
export const DIMENSION = 4;

/** The μ at which δ(ε) of Gaussian noise is the claimed one, by bisection. */
function claimedMu(): number {
  let [low, high] = [1e-3, 1];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (gdpDelta(middle, CLAIM.epsilon) < CLAIM.delta) low = middle;
    else high = middle;
  }
  return low;
}

/** (σ/2C₀)² = 1/μ² as each form has it. */
const VARIANCES: Readonly<Record<string, { readonly law: string; readonly value: () => number }>> = {
  'printed-gaussian': {
    law: '8·log(1.25/δ)/ε·C₀², as printed',
    value: () => (2 * log(1.25 / CLAIM.delta)) / CLAIM.epsilon,
  },
  gaussian: { law: 'that at which the exact δ(ε) is δ', value: () => claimedMu() ** -2 },
  'printed-gdp': { law: '4C₀²/μ, as printed', value: () => 1 / MU },
  gdp: { law: '4C₀²/μ²', value: () => MU ** -2 },
};

/** Everything that is said of the reports of one cell. */
export interface NoiseLine {
  readonly key: string;
  readonly label: string;
  readonly largest: number;
  /** δ at every ε. */
  readonly deltas: readonly Measured[];
  /** Of |noise|, and of its square, in units. */
  readonly absolute: Measured;
  readonly square: Measured;
  /** Shares of coordinates whose noise is beyond {@link BEYOND} units. */
  readonly beyond: readonly Measured[];
  /** What holds: δ of the Gaussian mechanism with this noise; undefined for Laplace noise. */
  readonly exact: ((epsilon: number) => number) | undefined;
}

/** Sums of the chunks as means. */
export function noiseLine({ cell, chunks }: CellResult<NoiseSetting, NoiseChunk>): NoiseLine {
  const { epsilons } = cell.setting;
  const count = chunks.reduce((sum, one) => sum + one.reports, 0);
  const { noise, model } = noisePlan(cell.setting);
  const entries = count * DIMENSION;
  const absolute = summed(chunks, (one) => one.absolute);
  const square = summed(chunks, (one) => one.square);
  const mu = noise.law === 'gaussian' ? model.sensitivity / noise.sigma : undefined;
  return {
    key: cell.key,
    label: cell.label,
    largest: max(...chunks.map((one) => one.largest)),
    deltas: epsilons.map((_, k) => {
      const mean = chunks.reduce((sum, one) => sum + one.sums[k], 0) / count;
      const square = chunks.reduce((sum, one) => sum + one.squares[k], 0) / count;
      return { mean, error: sqrt(max(0, square - mean * mean) / count) };
    }),
    absolute: measuredSums(entries, absolute, square),
    square: measuredSums(
      entries,
      square,
      summed(chunks, (one) => one.fourth),
    ),
    beyond: BEYOND.map((_, k) => {
      const share = summed(chunks, (one) => one.beyond[k]) / entries;
      return { mean: share, error: shareError(share, entries) };
    }),
    exact: mu === undefined ? undefined : (epsilon) => gdpDelta(mu, epsilon),
  };
}

/** Least δ that is compared with its formula: below it a mean of so many reports rests on a few of them. */
const SEEN = 2e-4;

/** δ is the one of Gaussian noise of this size, at every ε: up to six dependent tests, each with a false alarm of 7e-6. */
function curveClaim({ label, deltas, exact }: NoiseLine): readonly ExperimentClaim[] {
  if (exact === undefined) return [];
  const seen = EPSILONS.map((_, k) => k).filter((k) => exact(EPSILONS[k]) > SEEN);
  const off = seen.map((k) => (deltas[k].mean - exact(EPSILONS[k])) / max(deltas[k].error, 1e-12));
  return [
    {
      asked: `${label}, under the density of the plan: δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) with μ = 2C₀/σ, within ${DEVIATIONS} standard errors at ${seen.length} values of ε`,
      measured: `off by ${digits(max(...off.map(abs)))} standard errors at most`,
      met: off.every((z) => abs(z) <= DEVIATIONS),
    },
  ];
}

/** The variance of sampled noise is the one named: to 1 % at the quick scale. The plan does not enter. */
function varianceClaim({ key, label, square }: NoiseLine): ExperimentClaim {
  const { law, value } = VARIANCES[key];
  const expected = value();
  return meanClaim(
    { what: `${label}: E(report − gradient)² over ${law}`, expected: 1, largestTolerance: 0.05 },
    { mean: square.mean / expected, error: square.error / expected },
  );
}

/** δ(ε) of Gaussian noise of the variance that was sampled, with what a standard error of it makes. */
function sampledDelta({ square: { mean, error } }: NoiseLine, epsilon: number): Measured {
  const delta = gdpDelta(1 / sqrt(mean), epsilon);
  return { mean: delta, error: abs(gdpDelta(1 / sqrt(mean - error), epsilon) - delta) };
}

/** The claims of one cell. */
export function noiseClaims(line: NoiseLine): readonly ExperimentClaim[] {
  const { key, label, largest, absolute, beyond } = line;
  const at = sampledDelta(line, CLAIM.epsilon);
  const shown = `δ(${CLAIM.epsilon}) = ${plusMinus(at.mean, at.error, 5)}`;
  const worst = max(
    ...EPSILONS.map((epsilon) => {
      const { mean, error } = sampledDelta(line, epsilon);
      return (mean - gdpDelta(MU, epsilon)) / max(error, 1e-300);
    }),
  );
  switch (key) {
    case 'laplace':
      return [
        meanClaim(
          { what: `${label}: E|report − gradient| over 2√d·C₀/ε`, expected: 1, largestTolerance: 0.05 },
          absolute,
        ),
        meansClaim(
          `${label}: P(|report − gradient| > x·2√d·C₀/ε) = e^(−x) at x = ${BEYOND.join(', ')}`,
          beyond,
          BEYOND.map((x) => exp(-x)),
        ),
        {
          asked: `${label}, under the density of the plan: no report is more than e^ε times as likely under another record`,
          measured: `largest log ratio ${digits(largest, 4)}`,
          // In single precision a report is rounded.
          met: largest <= LAPLACE * (1 + 1e-6),
        },
      ];
    case 'printed-gaussian':
      return [
        varianceClaim(line),
        ...curveClaim(line),
        {
          asked: `${label}: the claimed δ = ${CLAIM.delta} at ε = ${CLAIM.epsilon} is refuted for the sampled variance, by ${DEVIATIONS} standard errors`,
          measured: shown,
          met: at.mean - DEVIATIONS * at.error > CLAIM.delta,
        },
      ];
    case 'gaussian':
      return [
        varianceClaim(line),
        ...curveClaim(line),
        {
          asked: `${label}: δ = ${CLAIM.delta} at ε = ${CLAIM.epsilon} is not exceeded at the sampled variance by ${DEVIATIONS} standard errors`,
          measured: shown,
          met: at.mean - DEVIATIONS * at.error <= CLAIM.delta,
        },
      ];
    case 'printed-gdp':
      return [
        varianceClaim(line),
        ...curveClaim(line),
        {
          asked: `${label}: the claimed curve of μ = ${MU} is refuted for the sampled variance by ${DEVIATIONS} standard errors`,
          measured: `above it by up to ${digits(worst)} standard errors`,
          met: worst > DEVIATIONS,
        },
      ];
    default:
      return [
        varianceClaim(line),
        ...curveClaim(line),
        {
          asked: `${label}: the claimed curve of μ = ${MU} is not exceeded at the sampled variance by ${DEVIATIONS} standard errors`,
          measured: `above it by up to ${digits(worst)} standard errors`,
          met: worst <= DEVIATIONS,
        },
      ];
  }
}

const REPORTS = 20_000;

/** C₀ of the weighted Huber score with the threshold 1.345. */
const GRADIENT_BOUND: number = 1.345 * SQRT2;

/** What noise is measured in: 2√d·C₀/ε for Laplace noise, its scale as claimed; 2C₀ for Gaussian noise, of which σ is 1/μ. */
const unitOf = (key: string): number =>
  key === 'laplace' ? (2 * sqrt(DIMENSION) * GRADIENT_BOUND) / LAPLACE : 2 * GRADIENT_BOUND;

const CELLS: readonly { readonly key: string; readonly label: string; readonly request: PlainRequest }[] = [
  { key: 'laplace', label: 'Example 1, Laplace, ε = 1', request: { variant: 'laplace', epsilon: LAPLACE } },
  { key: 'printed-gaussian', label: 'Example 2 as printed', request: { variant: 'printedGaussian', ...CLAIM } },
  { key: 'gaussian', label: 'Example 2, exact', request: { variant: 'gaussian', ...CLAIM } },
  { key: 'printed-gdp', label: 'Example 3 as printed', request: { variant: 'printedGdp', mu: MU } },
  { key: 'gdp', label: 'Example 3, with 4/μ²', request: { variant: 'gdp', mu: MU } },
];

function report(results: readonly CellResult<NoiseSetting, NoiseChunk>[]): ExperimentReport {
  const lines = results.map(noiseLine);
  const curves = lines.filter(({ exact }) => exact !== undefined);
  return {
    claims: lines.flatMap(noiseClaims),
    tables: [
      {
        title: 'δ(ε) of one report, against the record that tells most',
        columns: ['noise', ...EPSILONS.map((epsilon) => `ε = ${epsilon}`)],
        rows: lines.map(({ label, deltas }) => [label, ...deltas.map(({ mean, error }) => plusMinus(mean, error, 5))]),
        notes: [
          'Under the density of the plan. The mean of (1 − e^(ε − L))₊ over reports, L the log ratio of their densities: δ(ε) without a bias.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'noise-laws',
        title: 'What one report tells',
        x: 'ε',
        y: 'δ(ε)',
        curves: [
          ...curves.flatMap(({ label, deltas, exact }, style) => {
            const seen = deltas.map(({ mean }, k) => (mean > 0 ? k : -1)).filter((k) => k >= 0);
            const epsilons = seen.map((k) => EPSILONS[k]);
            return [
              streamCurve(
                `measured, ${label}`,
                style,
                epsilons,
                seen.map((k) => deltas[k]),
              ),
              streamLaw(`exact, ${label}`, style, epsilons, (epsilon) => exact?.(epsilon) ?? 0),
            ];
          }),
          streamLaw(`claimed of example 3, μ = ${MU}`, 5, EPSILONS, (epsilon) => gdpDelta(MU, epsilon)),
        ],
        levels: [{ name: `claimed of example 2 at ε = ${CLAIM.epsilon}`, value: CLAIM.delta }],
      }),
      linearFigure({
        name: 'noise-laplace',
        title: 'Tail of the noise of example 1',
        x: 'x',
        y: 'P(|report − gradient| > x·2√d·C₀/ε)',
        logarithmic: 'y',
        curves: [
          streamCurve('measured, Laplace, ε = 1', 0, BEYOND, lines[0].beyond),
          streamLaw('e^(−x)', 0, BEYOND, (x) => exp(-x)),
        ],
      }),
    ],
    data: lines.map(({ key, largest, deltas }) => ({ key, largest, deltas })),
  };
}

/** Examples 1 to 3 of the non-asymptotic paper. */
export const noiseLaws: TheoremValidation<NoiseSetting, NoiseChunk> = {
  name: 'online-noise-laws',
  paper: 'online-rates',
  theorems: ['Example 1', 'Example 2', 'Example 3'],
  title: 'What one report tells under the three noise laws, as printed and as they hold',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Section 3',
  summary:
    'Reports of two records with opposite gradients of the largest norm, weighted Huber regression in dimension 4. The printed variances ' +
    '8·log(1.25/δ)/ε and 4/μ lack a square: for a small ε or μ there is too little noise, and for μ = 0.25 the report is 0.5-GDP.',
  version: 2,
  cells: rowCells(CELLS, ({ key, request }) => ({ request, epsilons: EPSILONS, reports: REPORTS, unit: unitOf(key) }), {
    quick: 3,
    full: 200,
  }),
  smallRun: (setting) => ({ ...setting, reports: 200 }),
  chunk: noiseChunk,
  report,
};
