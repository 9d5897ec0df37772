import { seededRandom } from 'ldpkit';
import {
  type CellResult,
  type ExperimentReport,
  type PaperExperiment,
  replicationsOf,
} from '../experiment/experiment.ts';
import type { FigureCurve } from '../experiment/figure.ts';
import { drawRegression, type NoisyAlgorithm, SMALL_RUN, squaredDistance } from './population.ts';

const { sqrt } = Math;

/** Replications of one number of records and one μ. */
export type NoisyTrajectorySetting = { readonly mu: number; readonly records: number; readonly size: number };

/** ‖θ⁽ᵏ⁾ − θ₀‖² by replication and step. */
export type NoisyTrajectoryChunk = { readonly squared: readonly (readonly number[])[] };

const MUS = [0.5, 1, 2];
const SIZES = [1000, 4000];
const CHUNK = 10;
/** A nearly exact fit, as a level to compare with. */
const WITHOUT_NOISE = 1e9;

/**
 * Distances of all iterates to the truth, by step: the figure of trajectories.
 *
 * @theorem slides Gradient Estimate Trajectories
 */
export function noisyTrajectoryExperiment(
  algorithm: NoisyAlgorithm,
): PaperExperiment<NoisyTrajectorySetting, NoisyTrajectoryChunk> {
  return {
    name: `${algorithm.key}-trajectories`,
    title: `Trajectories of ${algorithm.name}`,
    source: 'Slides of Avella-Medina (2023), trajectories of gradient estimates',
    summary: `Huber regression with σ = 2 known, four coefficients 1, from θ⁽⁰⁾ = 0. ${algorithm.summary}`,
    version: 1,
    cells: (scale) =>
      SIZES.flatMap((records) =>
        [...MUS, WITHOUT_NOISE].map((mu) => ({
          key: mu === WITHOUT_NOISE ? `n-${records}-exact` : `n-${records}-mu-${String(mu).replace('.', '-')}`,
          label: mu === WITHOUT_NOISE ? `n = ${records}, without noise` : `n = ${records}, μ = ${mu}`,
          setting: { mu, records, size: CHUNK },
          chunks: scale === 'full' ? 20 : 2,
        })),
      ),
    smallRun: (setting) => ({ ...setting, records: SMALL_RUN, size: 1 }),
    chunk({ mu, records, size }, chunk, seed) {
      const random = seededRandom(`${seed}/noisy trajectory/${records}`);
      const squared = replicationsOf(chunk, size).map((replication) => {
        random.seek(replication);
        return algorithm.run(mu, drawRegression(records, random), random).iterates.map(squaredDistance);
      });
      return { squared };
    },
    report: (results) => report(algorithm, results),
  };
}

function rootMeans({ chunks }: CellResult<NoisyTrajectorySetting, NoisyTrajectoryChunk>): readonly number[] {
  const rows = chunks.flatMap(({ squared }) => squared);
  return rows[0].map((_, k) => sqrt(rows.reduce((sum, row) => sum + row[k], 0) / rows.length));
}

function report(
  { key, name }: NoisyAlgorithm,
  results: readonly CellResult<NoisyTrajectorySetting, NoisyTrajectoryChunk>[],
): ExperimentReport {
  const lines = results.map((result) => ({ ...result.cell, errors: rootMeans(result) }));
  const figures = SIZES.map((records) => {
    const curves = lines
      .filter(({ setting }) => setting.records === records)
      .map(
        ({ label, setting, errors }, style): FigureCurve => ({
          name: label.replace(/^n = \d+, /, ''),
          style,
          dashed: setting.mu === WITHOUT_NOISE,
          points: errors.map((y, x) => ({ x, y })),
        }),
      );
    return {
      kind: 'curves' as const,
      name: `${key}-trajectory-${records}`,
      title: `Distance of the iterates of ${name} to the truth, n = ${records}`,
      x: { label: 'step', logarithmic: false },
      y: { label: '√E‖θ⁽ᵏ⁾ − θ₀‖²', logarithmic: true },
      curves,
      levels: [],
    };
  });
  const last = (records: number, mu: number): number =>
    lines.find(({ setting }) => setting.records === records && setting.mu === mu)?.errors.at(-1) ?? NaN;
  const costs = SIZES.map((records) => last(records, MUS[0]) / last(records, WITHOUT_NOISE));
  return {
    claims: [
      {
        asked: `what μ = ${MUS[0]} costs falls with n: the error of the last iterate over that without noise`,
        measured: SIZES.map((records, i) => `${costs[i].toFixed(2)} at n = ${records}`).join(', '),
        met: costs.every((cost, i) => i === 0 || cost < costs[i - 1]),
      },
    ],
    tables: [
      {
        title: `√E‖θ⁽ᵏ⁾ − θ₀‖² of ${name}`,
        columns: ['setting', 'start', 'half way', 'end'],
        rows: lines.map(({ label, errors }) => [
          label,
          ...[0, errors.length >> 1, errors.length - 1].map((k) => errors[k].toFixed(3)),
        ]),
        notes: [],
      },
    ],
    figures,
    data: lines.map(({ label, errors }) => ({ label, errors })),
  };
}
