import type { Json, PlainRequest } from 'ldpkit';
import { gdpDelta } from 'ldpkit/privacy';
import { plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { logFigure } from '../../shared/log-figure.ts';
import { streamCurve, streamLaw } from './curves.ts';
import { CLAIM, DIMENSION, EPSILONS, LAPLACE, MU, noiseClaims, noiseLine } from './noise-law-claims.ts';
import { BEYOND, type NoiseChunk, type NoiseSetting, noiseChunk } from './noise-reports.ts';

const { SQRT2, exp, sqrt } = Math;

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
      {
        kind: 'curves',
        name: 'noise-laplace',
        title: 'Tail of the noise of example 1',
        x: { label: 'x', logarithmic: false },
        y: { label: 'P(|report − gradient| > x·2√d·C₀/ε)', logarithmic: true },
        curves: [
          streamCurve('measured, Laplace, ε = 1', 0, BEYOND, lines[0].beyond),
          streamLaw('e^(−x)', 0, BEYOND, (x) => exp(-x)),
        ],
        levels: [],
      },
    ],
    data: lines.map(
      ({ key, largest, deltas }): Json => ({ key, largest, deltas: deltas.map((delta) => ({ ...delta })) }),
    ),
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
  cells: (scale) =>
    CELLS.map(({ key, label, request }) => ({
      key,
      label,
      setting: { request, epsilons: EPSILONS, reports: REPORTS, unit: unitOf(key) },
      chunks: scale === 'full' ? 200 : 3,
    })),
  smallRun: (setting) => ({ ...setting, reports: 200 }),
  chunk: noiseChunk,
  report,
};
