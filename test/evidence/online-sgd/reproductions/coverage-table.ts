import type { PlainRequest } from 'ldpkit';
import { type CellResult, type PaperExperiment, replicationsOf } from '../../experiment/experiment.ts';
import { coverageReport } from './coverage-report.ts';
import { type CoverageChunk, type CoverageSetting, coverageRows } from './coverage-stream.ts';
import { planOf } from './trajectory.ts';

/** Printed: features, c, α, deviation of the noise, M, and n. */
const FEATURES = 3;
const THRESHOLD = 1.345;
const DECAY = 0.51;
const DEVIATION = 0.5;
const BATCHES = 20;
const CHECKPOINTS = [40_000, 80_000, 120_000, 160_000, 200_000];

/** γ, chosen: see the summary; and other values under μ = 1, to show what it does. */
const RATE = 0.5;
const OTHER_RATES = [0.2, 1, 2];

/** Replications of a chunk. */
const SIZE = 10;

function settingOf(budget: PlainRequest, rate: number = RATE): CoverageSetting {
  const model = { kind: 'huber', features: FEATURES, threshold: THRESHOLD };
  return {
    request: { ...budget, model, rate, decay: DECAY, inference: ['batch means', 'plug-in'] },
    deviation: DEVIATION,
    checkpoints: CHECKPOINTS,
    batches: BATCHES,
    size: SIZE,
  };
}

const BUDGETS: readonly { readonly key: string; readonly label: string; readonly budget: PlainRequest }[] = [
  { key: 'non-private', label: 'non-private', budget: { variant: 'nonPrivate' } },
  { key: 'mu-1', label: 'μ = 1', budget: { variant: 'gdp', mu: 1, hessianMu: 1 } },
  { key: 'mu-2', label: 'μ = 2', budget: { variant: 'gdp', mu: 2, hessianMu: 2 } },
];

function chunk({ request, size, ...stream }: CoverageSetting, index: number, seed: string): CoverageChunk {
  const plan = planOf(request);
  return replicationsOf(index, size).map((replication) =>
    coverageRows({ ...stream, plan, seed: `${seed}/coverage/${replication}` }),
  );
}

/**
 * Table 1 of the inference paper.
 *
 * @theorem online-inference Table 1
 */
export const coverageTable: PaperExperiment<CoverageSetting, CoverageChunk> = {
  name: 'coverage-table',
  title: 'Coverage and length of online private confidence intervals',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Table 1 (p = 3, identity covariance)',
  summary:
    'Linear Huber regression on three standard normal features and an intercept, all coefficients 1, noise of deviation 0.5, ' +
    'c = 1.345, Mallows weights, α = 0.51, μ-Gaussian noise of deviation 2√2·c/μ on every gradient, 95 % intervals.\n' +
    'The paper does not print γ or the start. Here θ₀ = 0 and γ = 0.5. Without privacy γ hardly matters. With it, the last table shows ' +
    'why: γ = 0.2 gives the shortest intervals and, if anything, too little coverage, because it forgets the start later; with γ = 1 ' +
    'or 2 the iterates move so far that the Huber score is not linear around them, and intervals are much longer than their limit. ' +
    'γ = 0.5 stands between.\n' +
    'All budgets meet the same people. Rows: plug-in is local, with the second moment of the released gradients and the Hessian ' +
    'read off their regression on the iterates, both free of charge (without privacy: the true Hessians). “Hessian released” adds ' +
    'a report at the same μ, so that a player spends √2·μ; no other row uses it. “As printed” needs a trusted curator. ' +
    'Batch means are those of Chen et al. with M = 20, which need n in advance, as in the paper; “online” those of Zhu, Chen, Wu.',
  version: 1,
  cells: (scale) => [
    ...BUDGETS.map(({ key, label, budget }) => ({
      key,
      label,
      setting: settingOf(budget),
      chunks: scale === 'full' ? 40 : 4,
    })),
    ...OTHER_RATES.map((rate) => ({
      key: `mu-1-rate-${rate}`.replace('.', ''),
      label: `γ = ${rate}`,
      setting: settingOf(BUDGETS[1].budget, rate),
      chunks: scale === 'full' ? 10 : 2,
    })),
  ],
  smallRun: (setting) => ({ ...setting, checkpoints: [2000], size: 1 }),
  chunk,
  report: (results: readonly CellResult<CoverageSetting, CoverageChunk>[]) =>
    coverageReport(results.slice(0, BUDGETS.length), results.slice(BUDGETS.length), {
      features: FEATURES,
      deviation: DEVIATION,
      threshold: THRESHOLD,
    }),
};
