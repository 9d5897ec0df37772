import type { PlainRequest } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { DEVIATIONS, meanClaim, plusMinus, toleranceOf } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  rowCells,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { linearFigure } from '../../experiment/figure.ts';
import { columnMeans } from '../../experiment/statistics.ts';
import { clippedLogisticRoot } from '../reproductions/clipped-root.ts';
import { logisticPopulation } from '../reproductions/population.ts';
import { looksAt, planOf } from '../reproductions/trajectory.ts';
import { streamCurve, streamLaw } from './curves.ts';

/** Streams of one way to bound gradients. */
export type ClippedSetting = {
  readonly request: PlainRequest;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** Mean of the three slopes of the average, by replication and checkpoint. */
export type ClippedChunk = readonly (readonly number[])[];

const FEATURES = 3;
const CHECKPOINTS: readonly number[] = [5000, 10_000, 20_000];
const CLIP = 0.5;

/** What is left of the start and of the curvature of the score at the last checkpoint. */
const FINITE = 0.05;

const METHODS: readonly { readonly key: string; readonly label: string; readonly clip?: number }[] = [
  { key: 'mallows', label: 'Mallows weights' },
  { key: 'clip', label: `clipping at ${CLIP}`, clip: CLIP },
];

function settingOf(clip: number | undefined): ClippedSetting {
  const model = { kind: 'logistic', features: FEATURES, ...(clip === undefined ? {} : { clip }) };
  // Steps in proportion to the norm of gradients, so that both move alike.
  const rate = clip === undefined ? 1 : 2;
  const request = { variant: 'gdp', mu: 10, model, rate, decay: 0.6, start: [1, 1, 1, 1], burnIn: 1000, inference: [] };
  return { request, checkpoints: CHECKPOINTS, size: 8 };
}

function chunk({ request, checkpoints, size }: ClippedSetting, index: number, seed: string): ClippedChunk {
  const plan = planOf(request);
  const population = logisticPopulation(FEATURES);
  return replicationsOf(index, size).map((replication) =>
    looksAt({ plan, population, checkpoints, seed: `${seed}/clipped/${replication}` }, ({ scaling }) => {
      const [, a, b, c] = averageIterate(scaling);
      return (a + b + c) / 3;
    }),
  );
}

function report(results: readonly CellResult<ClippedSetting, ClippedChunk>[]): ExperimentReport {
  const [, limit] = clippedLogisticRoot(FEATURES, CLIP);
  const lines = results.map(({ cell, chunks }, index) => ({
    label: cell.label,
    limit: index === 0 ? 1 : limit,
    means: columnMeans(chunks.flat()),
  }));
  const end = CHECKPOINTS.length - 1;
  const [weighted, clipped] = lines.map(({ means }) => means[end]);
  return {
    claims: [
      meanClaim({ what: 'with Mallows weights slopes settle at the truth', expected: 1, slack: FINITE }, weighted),
      {
        asked: `clipped at ${CLIP}, they are above the truth by ${DEVIATIONS} standard errors and ${FINITE}`,
        measured: plusMinus(clipped.mean, clipped.error),
        met: clipped.mean - toleranceOf(clipped.error, FINITE) > 1,
      },
      meanClaim(
        {
          what: `clipped at ${CLIP}, they settle where the mean clipped gradient is 0`,
          ...{ expected: limit, slack: 2 * FINITE },
        },
        clipped,
      ),
    ],
    tables: [
      {
        title: 'Mean of the three slopes, whose true value is 1',
        columns: ['gradients', ...CHECKPOINTS.map((n) => `n = ${n.toLocaleString('en-US')}`), 'limit'],
        rows: lines.map(({ label, means, limit: at }) => [
          label,
          ...means.map(({ mean, error }) => plusMinus(mean, error)),
          at.toFixed(3),
        ]),
        notes: ['The limit of clipped gradients by quadrature.'],
      },
    ],
    figures: [
      linearFigure({
        name: 'clipping',
        title: 'Where slopes settle',
        x: 'players n',
        y: 'mean slope of the average',
        logarithmic: 'x',
        curves: lines.flatMap(({ label, limit: at, means }, style) => [
          streamCurve(`measured, ${label}`, style, CHECKPOINTS, means),
          streamLaw(`limit, ${label}`, style, CHECKPOINTS, () => at),
        ]),
        levels: [{ name: 'truth', value: 1 }],
      }),
    ],
    data: lines.map(({ label, limit: at, means }) => ({ label, limit: at, means })),
  };
}

/** What is said of clipping in both papers. */
export const clipping: TheoremValidation<ClippedSetting, ClippedChunk> = {
  name: 'online-clipping',
  paper: 'online-rates',
  theorems: ['Remark 1', 'Figure 1'],
  title: 'Clipping moves the limit of logistic regression, Mallows weights do not',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Remark 1',
  summary:
    'Logistic regression on three standard normal features and an intercept, all coefficients 1, from the truth, Gaussian gradients with ' +
    'μ = 10, α = 0.6; clipped at 0.5, where the bias is large at any n. The experiment `clipping-bias` has the clipping norms 1 and √2.',
  version: 1,
  cells: rowCells(METHODS, ({ clip }) => settingOf(clip), { quick: 2, full: 24 }),
  smallRun: (setting) => ({ ...setting, checkpoints: [1500], size: 1 }),
  chunk,
  report,
};
