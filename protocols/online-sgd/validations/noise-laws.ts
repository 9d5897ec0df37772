import { gdpDelta } from '../../../src/privacy/gaussian-curve.ts';
import type { PlainRequest } from '../../../src/protocol/contract.ts';
import type { Json } from '../../../src/protocol/digest.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { digits, type MeanError, plusMinus } from '../reproductions/statistics.ts';
import { claimedCurve, DEVIATIONS, measuredCurve } from './claims.ts';
import { type NoisePart, type NoiseSetting, noisePart, noisePlan } from './noise-reports.ts';

const { abs, max, sqrt } = Math;

const EPSILONS: readonly number[] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8];

const LAPLACE = 1;
const MU = 0.25;
const CLAIM = { epsilon: 0.05, delta: 0.001 } as const;
const REPORTS = 20_000;

const CELLS: readonly { readonly key: string; readonly label: string; readonly request: PlainRequest }[] = [
  { key: 'laplace', label: 'Example 1, Laplace, ε = 1', request: { maker: 'laplace', epsilon: LAPLACE } },
  { key: 'printed-gaussian', label: 'Example 2 as printed', request: { maker: 'printedGaussian', ...CLAIM } },
  { key: 'gaussian', label: 'Example 2, exact', request: { maker: 'gaussian', ...CLAIM } },
  { key: 'printed-gdp', label: 'Example 3 as printed', request: { maker: 'printedGdp', mu: MU } },
  { key: 'gdp', label: 'Example 3, with 4/μ²', request: { maker: 'gdp', mu: MU } },
];

interface Line {
  readonly key: string;
  readonly label: string;
  readonly largest: number;
  /** δ at every ε. */
  readonly deltas: readonly MeanError[];
  /** What holds: δ of the Gaussian mechanism with this noise; undefined for Laplace noise. */
  readonly exact: ((epsilon: number) => number) | undefined;
}

function lineOf({ cell, parts }: CellResult<NoiseSetting, NoisePart>): Line {
  const { epsilons } = cell.setting;
  const count = parts.reduce((sum, one) => sum + one.reports, 0);
  const { noise, model } = noisePlan(cell.setting);
  const mu = noise.law === 'gaussian' ? model.sensitivity / noise.sigma : undefined;
  return {
    key: cell.key,
    label: cell.label,
    largest: max(...parts.map((one) => one.largest)),
    deltas: epsilons.map((_, k) => {
      const mean = parts.reduce((sum, one) => sum + one.sums[k], 0) / count;
      const square = parts.reduce((sum, one) => sum + one.squares[k], 0) / count;
      return { mean, error: sqrt(max(0, square - mean * mean) / count) };
    }),
    exact: mu === undefined ? undefined : (epsilon) => gdpDelta(mu, epsilon),
  };
}

/** Least δ that is compared with its formula: below it a mean of so many reports rests on a few of them. */
const SEEN = 2e-4;

/** δ is the one of Gaussian noise of this size, at every ε: up to six dependent tests, each with a false alarm of 6e-5. */
function curveClaim({ label, deltas, exact }: Line): readonly ExperimentClaim[] {
  if (exact === undefined) return [];
  const seen = EPSILONS.map((_, k) => k).filter((k) => exact(EPSILONS[k]) > SEEN);
  const off = seen.map((k) => (deltas[k].mean - exact(EPSILONS[k])) / max(deltas[k].error, 1e-12));
  return [
    {
      asked: `${label}: δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) with μ = 2C₀/σ, within ${DEVIATIONS} standard errors at ${seen.length} values of ε`,
      measured: `off by ${digits(max(...off.map(abs)))} standard errors at most`,
      met: off.every((z) => abs(z) <= DEVIATIONS),
    },
  ];
}

function claimsOf(line: Line): readonly ExperimentClaim[] {
  const { key, label, deltas, largest } = line;
  const at = deltas[EPSILONS.indexOf(CLAIM.epsilon)];
  const shown = `δ(${CLAIM.epsilon}) = ${plusMinus(at.mean, at.error, 5)}`;
  const worst = max(...deltas.map(({ mean, error }, k) => (mean - gdpDelta(MU, EPSILONS[k])) / max(error, 1e-12)));
  switch (key) {
    case 'laplace':
      return [
        {
          asked: `${label}: no report is more than e^ε times as likely under another record`,
          measured: `largest log ratio ${digits(largest, 4)}`,
          // In single precision a report is rounded.
          met: largest <= LAPLACE * (1 + 1e-6),
        },
      ];
    case 'printed-gaussian':
      return [
        ...curveClaim(line),
        {
          asked: `${label}: the claimed δ = ${CLAIM.delta} at ε = ${CLAIM.epsilon} is refuted by ${DEVIATIONS} standard errors`,
          measured: shown,
          met: at.mean - DEVIATIONS * at.error > CLAIM.delta,
        },
      ];
    case 'gaussian':
      return [
        ...curveClaim(line),
        {
          asked: `${label}: δ = ${CLAIM.delta} at ε = ${CLAIM.epsilon} is not exceeded by ${DEVIATIONS} standard errors`,
          measured: shown,
          met: at.mean - DEVIATIONS * at.error <= CLAIM.delta,
        },
      ];
    case 'printed-gdp':
      return [
        ...curveClaim(line),
        {
          asked: `${label}: the claimed curve of μ = ${MU} is refuted by ${DEVIATIONS} standard errors`,
          measured: `above it by up to ${digits(worst)} standard errors`,
          met: worst > DEVIATIONS,
        },
      ];
    default:
      return [
        ...curveClaim(line),
        {
          asked: `${label}: the claimed curve of μ = ${MU} is not exceeded by ${DEVIATIONS} standard errors`,
          measured: `above it by up to ${digits(worst)} standard errors`,
          met: worst <= DEVIATIONS,
        },
      ];
  }
}

function report(results: readonly CellResult<NoiseSetting, NoisePart>[]): ExperimentReport {
  const lines = results.map(lineOf);
  const curves = lines.filter(({ exact }) => exact !== undefined);
  return {
    claims: lines.flatMap(claimsOf),
    tables: [
      {
        title: 'δ(ε) of one report, against the record that tells most',
        columns: ['noise', ...EPSILONS.map((epsilon) => `ε = ${epsilon}`)],
        rows: lines.map(({ label, deltas }) => [label, ...deltas.map(({ mean, error }) => plusMinus(mean, error, 5))]),
        notes: ['The mean of (1 − e^(ε − L))₊ over reports, L the log ratio of their densities: δ(ε) without a bias.'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'noise-laws',
        title: 'What one report tells',
        x: { label: 'ε', logarithmic: true },
        y: { label: 'δ(ε)', logarithmic: true },
        curves: [
          ...curves.flatMap(({ label, deltas, exact }, style) => {
            const seen = deltas.map(({ mean }, k) => (mean > 0 ? k : -1)).filter((k) => k >= 0);
            const epsilons = seen.map((k) => EPSILONS[k]);
            return [
              measuredCurve(
                `measured, ${label}`,
                style,
                epsilons,
                seen.map((k) => deltas[k]),
              ),
              claimedCurve(`exact, ${label}`, style, epsilons, (epsilon) => exact?.(epsilon) ?? 0),
            ];
          }),
          claimedCurve(`claimed of example 3, μ = ${MU}`, 5, EPSILONS, (epsilon) => gdpDelta(MU, epsilon)),
        ],
        levels: [{ name: `claimed of example 2 at ε = ${CLAIM.epsilon}`, value: CLAIM.delta }],
      },
    ],
    data: lines.map(
      ({ key, largest, deltas }): Json => ({ key, largest, deltas: deltas.map((delta) => ({ ...delta })) }),
    ),
  };
}

/** Examples 1 to 3 of the non-asymptotic paper. */
export const noiseLaws: TheoremValidation<NoiseSetting, NoisePart> = {
  name: 'online-noise-laws',
  paper: 'online-rates',
  theorems: ['Example 1', 'Example 2', 'Example 3'],
  title: 'What one report tells under the three noise laws, as printed and as they hold',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Section 3',
  summary:
    'Reports of two records with opposite gradients of the largest norm, weighted Huber regression in dimension 4. The printed variances ' +
    '8·log(1.25/δ)/ε and 4/μ lack a square: for a small ε or μ there is too little noise, and for μ = 0.25 the report is 0.5-GDP.',
  version: 1,
  cells: (scale) =>
    CELLS.map(({ key, label, request }) => ({
      key,
      label,
      setting: { request, epsilons: EPSILONS, reports: REPORTS },
      parts: scale === 'full' ? 200 : 3,
    })),
  probe: (setting) => ({ ...setting, reports: 200 }),
  part: noisePart,
  report,
};
