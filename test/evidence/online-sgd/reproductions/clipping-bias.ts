import type { PlainRequest } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { type ExperimentClaim, measuredMean, plusMinus } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  type PaperExperiment,
  replicationsOf,
  rowCells,
} from '../../experiment/experiment.ts';
import type { BoxGroup, Figure } from '../../experiment/figure.ts';
import { fiveNumbers } from '../../experiment/statistics.ts';
import { clippedLogisticRoot } from './clipped-root.ts';
import { logisticPopulation } from './population.ts';
import { looksAt, planOf, seen } from './trajectory.ts';

/** Streams of one way to bound gradients. */
export type ClippingSetting = {
  readonly request: PlainRequest;
  readonly features: number;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** Coefficients by replication and checkpoint. */
export type ClippingChunk = {
  readonly last: readonly (readonly (readonly number[])[])[];
  readonly average: readonly (readonly (readonly number[])[])[];
};

/** Printed: logistic regression, d = 3, all coefficients 1. */
const FEATURES = 3;
const CHECKPOINTS = [50_000, 200_000, 800_000];
const SIZE = 5;

/** Clipping at √2 has the sensitivity, and so the noise, of Mallows weights; 1 is the other value that one sees in use. */
const METHODS: readonly { readonly key: string; readonly label: string; readonly clip?: number }[] = [
  { key: 'mallows', label: 'Mallows weights' },
  { key: 'clip-root-two', label: 'clipping at √2', clip: Math.SQRT2 },
  { key: 'clip-one', label: 'clipping at 1', clip: 1 },
];

const NAMES = ['intercept', 'θ₁', 'θ₂', 'θ₃'];

function settingOf(clip: number | undefined): ClippingSetting {
  const model = { kind: 'logistic', features: FEATURES, ...(clip === undefined ? {} : { clip }) };
  return {
    request: { variant: 'gdp', mu: 2, model, rate: 0.5, decay: 0.51, inference: [] },
    features: FEATURES,
    checkpoints: CHECKPOINTS,
    size: SIZE,
  };
}

function chunk({ request, features, checkpoints, size }: ClippingSetting, index: number, seed: string): ClippingChunk {
  const plan = planOf(request);
  const population = logisticPopulation(features);
  const looks = replicationsOf(index, size).map((replication) =>
    looksAt({ plan, population, checkpoints, seed: `${seed}/clipping/${replication}` }, ({ iterate, scaling }) => ({
      last: [...iterate],
      average: [...averageIterate(scaling)],
    })),
  );
  return { last: seen(looks, 'last'), average: seen(looks, 'average') };
}

interface Line {
  readonly label: string;
  readonly clip: number | undefined;
  readonly last: ClippingChunk['last'];
  readonly average: ClippingChunk['average'];
}

function report(results: readonly CellResult<ClippingSetting, ClippingChunk>[]): ExperimentReport {
  const lines = results.map(
    ({ cell, chunks }, index): Line => ({
      label: cell.label,
      clip: METHODS[index].clip,
      last: chunks.flatMap((one) => one.last),
      average: chunks.flatMap((one) => one.average),
    }),
  );
  const replications = lines[0].average.length;
  const limits = lines.map(({ clip }) => (clip === undefined ? [1, 1] : clippedLogisticRoot(FEATURES, clip)));
  const rows = lines.flatMap(({ label, average }, index) =>
    CHECKPOINTS.map((n, k) => [
      k === 0 ? label : '',
      n.toLocaleString('en-US'),
      ...NAMES.map((_, j) => {
        const { mean, error } = measuredMean(average.map((rep) => rep[k][j]));
        return plusMinus(mean, error, 3);
      }),
      k === 0 ? `${limits[index][0].toFixed(3)}, ${limits[index][1].toFixed(3)}` : '',
    ]),
  );
  return {
    claims: lines.map((line, index) => biasClaim(line, limits[index])),
    tables: [
      {
        title: 'LDP-ASGD, mean over replications; every true coefficient is 1',
        columns: ['gradients', 'n', ...NAMES, 'limit: intercept, slopes'],
        rows,
        notes: [
          `Means ± standard errors of ${replications} replications. The limit is where the expected bounded gradient is 0, by ` +
            'quadrature: the bias that no n removes.',
        ],
      },
    ],
    figures: (['last', 'average'] as const).map((which) => boxes(lines, which)),
    data: lines.map((line, index) => ({
      method: line.label,
      limit: [...limits[index]],
      means: CHECKPOINTS.map((_, k) => NAMES.map((__, j) => measuredMean(line.average.map((rep) => rep[k][j])).mean)),
    })),
  };
}

/** Weights leave the slopes at 1; clipping pushes them up, to where theory says. */
function biasClaim({ label, clip, average }: Line, [, slope]: readonly number[]): ExperimentClaim {
  const end = CHECKPOINTS.length - 1;
  const { mean, error } = measuredMean(average.map((rep) => measuredMean(rep[end].slice(1)).mean));
  // What is left of the start and of the curvature of the score falls with n: one hundredth is above it at the largest n.
  const atLimit = Math.abs(mean - slope) < 4 * error + 0.01;
  const asked =
    clip === undefined
      ? 'printed: Mallows weights have no bias'
      : `printed: ${label} has a positive bias that does not shrink with n`;
  return {
    asked: `${asked} (here: slopes within 4 standard errors and 0.01 of the limit${clip === undefined ? '' : ', 4 errors above 1'})`,
    measured: `slopes ${plusMinus(mean, error, 3)} in the mean at n = 800,000, limit ${slope.toFixed(3)}`,
    met: atLimit && (clip === undefined || mean - 1 > 4 * error),
  };
}

function boxes(lines: readonly Line[], which: 'last' | 'average'): Figure {
  const end = CHECKPOINTS.length - 1;
  return {
    kind: 'boxes',
    name: `figure-1-${which}`,
    title: `${which === 'last' ? 'LDP-SGD, last iterate' : 'LDP-ASGD, average'}, n = 800,000`,
    y: { label: 'coefficient', logarithmic: false },
    groups: lines.map(
      (line): BoxGroup => ({
        name: line.label,
        boxes: NAMES.map((name, j) => ({ name, style: j, five: fiveNumbers(line[which].map((rep) => rep[end][j])) })),
      }),
    ),
    levels: [{ name: 'truth', value: 1 }],
  };
}

/**
 * Figure 1 of both papers.
 *
 * @theorem online-inference Figure 1
 * @theorem online-rates Figure 1
 */
export const clippingBias: PaperExperiment<ClippingSetting, ClippingChunk> = {
  name: 'clipping-bias',
  title: 'Clipped gradients are biased, weighted ones are not',
  source: 'Figure 1 of both papers on online LDP-SGD (Xie et al.; Shi et al.)',
  summary:
    'Logistic regression on three standard normal features and an intercept, all coefficients 1, Gaussian gradients with μ = 2, from 0. ' +
    'The papers keep n, the steps and the clipping norm to a supplement: here n = 50,000 to 800,000, γ = 0.5, α = 0.51, and norms √2, ' +
    'with the noise of Mallows weights, and 1. All ways meet the same people.',
  version: 1,
  cells: rowCells(METHODS, ({ clip }) => settingOf(clip), { quick: 4, full: 20 }),
  smallRun: (setting) => ({ ...setting, checkpoints: [2000], size: 1 }),
  chunk,
  report,
};
