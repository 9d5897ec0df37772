import { chiSquareCriticalValue } from '../../../src/inference/chi-square.ts';
import { averageIterate, randomScalingMatrix } from '../../../src/inference/random-scaling.ts';
import type { PlainRequest } from '../../../src/protocol/contract.ts';
import { type CellResult, type ExperimentReport, replicationsOf } from '../../../src/simulation/paper-experiment.ts';
import { streamReplication } from '../../../src/simulation/stream.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { onlineSgd } from '../protocol.ts';
import { linearPopulation } from '../reproductions/population.ts';
import { digits, meanError, plusMinus } from '../reproductions/statistics.ts';
import { brownianLaws, type Empirical, empiricalOf, largestGap, lawFigure } from './brownian.ts';
import { DEVIATIONS, ratioClaim } from './claims.ts';
import { huberLimit } from './huber-limit.ts';

const { abs, max, sqrt } = Math;

/** Paths of private SGD. */
export type PathSetting = {
  readonly request: PlainRequest;
  readonly steps: number;
  /** At how many times the path is looked at. */
  readonly looks: number;
  readonly size: number;
};

/** One path, in units of its limit: each coordinate over the root of its limit variance. */
export type PathRow = {
  /** φ at r = ¼, ½, ¾, 1, the two coordinates of each in turn. */
  readonly values: readonly number[];
  /** sup over the looks of |φ(r)|, by coordinate. */
  readonly suprema: readonly number[];
  /** ∫(φ(r) − rφ(1))² dr, by coordinate. */
  readonly bridges: readonly number[];
};

/** Paths of a part. */
export type PathPart = readonly PathRow[];

const FEATURES = 1;
const DEVIATION = 0.5;
const TIMES = 4;

/** A multiple of 4. The law that suprema are compared with has as many looks. */
const LOOKS = 80;

/** Variances of a finite path differ from the limit by terms of the order n^(α − 1)/(γa) and by the curvature of the score. */
const FINITE = 0.12;

/** Of early times more: what is left of the first steps. */
const FINITE_COVARIANCE = 0.2;

/** What that does to a distribution function: a scale off by a few percent moves it by as many times max x·f(x), which is below 1. */
const FINITE_GAP = 0.04;

function part(setting: PathSetting, index: number, seed: string): PathPart {
  const { steps, looks, size } = setting;
  const plan = onlineSgdPlan(setting.request as unknown as OnlineSgdRequest);
  const deviations = huberLimit(plan, DEVIATION).map(sqrt);
  const checkpoints = Array.from({ length: looks }, (_, k) => Math.round(((k + 1) * steps) / looks));
  const { from, to } = replicationsOf(index, size);
  return Array.from({ length: to - from }, (_, r) => {
    const values: number[] = [];
    const suprema = [0, 0];
    let look = 0;
    const { scaling } = streamReplication(onlineSgd, {
      plan,
      population: linearPopulation(FEATURES, DEVIATION),
      players: steps,
      seed: `${seed}/path/${from + r}`,
      checkpoints,
      look(n, state) {
        const path = averageIterate(state.scaling).map((entry, i) => (n * (entry - 1)) / sqrt(steps) / deviations[i]);
        for (let i = 0; i < 2; i++) suprema[i] = max(suprema[i], abs(path[i]));
        if (++look % (looks / TIMES) === 0) values.push(...path);
      },
    });
    const matrix = randomScalingMatrix(scaling);
    return { values, suprema, bridges: [matrix[0] / deviations[0] ** 2, matrix[3] / deviations[1] ** 2] };
  });
}

/**
 * The largest deviation of a sample covariance from min(r, s) for each coordinate, and from 0 between the two, in standard errors
 * of a normal sample's covariance, √((σ_ii·σ_jj + σ_ij²)/paths), after what a finite path may be off by.
 */
function covarianceDeviation(rows: readonly PathRow[], law: (r: number, s: number) => number): number {
  let worst = 0;
  for (let i = 0; i < 2 * TIMES; i++) {
    for (let j = 0; j <= i; j++) {
      const claimed = i % 2 === j % 2 ? law((1 + (i >> 1)) / TIMES, (1 + (j >> 1)) / TIMES) : 0;
      const variances =
        law((1 + (i >> 1)) / TIMES, (1 + (i >> 1)) / TIMES) * law((1 + (j >> 1)) / TIMES, (1 + (j >> 1)) / TIMES);
      const mean = rows.reduce((sum, { values }) => sum + values[i] * values[j], 0) / rows.length;
      const finite = FINITE_COVARIANCE * max(claimed, 0.1);
      worst = max(worst, (abs(mean - claimed) - finite) / sqrt((variances + claimed ** 2) / rows.length));
    }
  }
  return worst;
}

/** 36 entries, each beyond 4.5 errors with probability 7e-6: 2.5e-4 in all. */
const COVARIANCES = 4.5;

/** P(D > 2.1/√count) = 3e-4 for the distance D of a sample from its own law. */
const gapBound = (count: number): number => 2.1 / sqrt(count) + FINITE_GAP;

function report(results: readonly CellResult<PathSetting, PathPart>[]): ExperimentReport {
  const rows = results[0].parts.flat();
  const laws = brownianLaws(results[0].cell.setting.looks);
  const first = (name: 'suprema' | 'bridges'): Empirical => empiricalOf(rows.map((row) => row[name][0]));
  const samples = [
    { what: 'sup |φ(r)|', sample: first('suprema'), law: laws.supremum },
    { what: '∫(φ(r) − rφ(1))² dr', sample: first('bridges'), law: laws.bridge },
  ];
  const deviation = covarianceDeviation(rows, Math.min);
  const variances = rows.map(({ values }) => (values[2 * TIMES - 2] ** 2 + values[2 * TIMES - 1] ** 2) / 2);
  const chi = chiSquareCriticalValue(0.95, 2);
  const inside = rows.filter(({ values }) => values[2 * TIMES - 2] ** 2 + values[2 * TIMES - 1] ** 2 <= chi).length;
  const share = inside / rows.length;
  const shareTolerance = DEVIATIONS * sqrt(0.0475 / rows.length) + 0.03;
  return {
    claims: [
      {
        asked: `covariances of the path at r = ¼, ½, ¾, 1: min(r, s)·Σ̃, within ${COVARIANCES} standard errors and a share of ${FINITE_COVARIANCE} for a finite n`,
        measured: `beyond that share by ${digits(max(0, deviation))} standard errors at most`,
        met: deviation <= COVARIANCES,
      },
      ...samples.map(({ what, sample, law }) => {
        const gap = largestGap(sample, law);
        return {
          asked: `${what} has the law of that of Brownian motion: largest distance of the distribution functions at most ${gapBound(sample.length).toFixed(3)}`,
          measured: gap.toFixed(3),
          met: gap <= gapBound(sample.length),
        };
      }),
      ratioClaim('variance of √n(θ̄ − θ₀) over that of A⁻¹(S + 4B₀²/μ²·I)A⁻¹', meanError(variances), FINITE),
      {
        asked: `the 95 % ellipse of the normal limit holds θ̄ with probability .95 ± ${shareTolerance.toFixed(3)}`,
        measured: share.toFixed(4),
        met: abs(share - 0.95) <= shareTolerance,
      },
    ],
    tables: [
      {
        title: `Covariances of φ over their limit, ${rows.length} paths`,
        columns: ['', ...Array.from({ length: TIMES }, (_, k) => `s = ${(k + 1) / TIMES}`)],
        rows: Array.from({ length: TIMES }, (_, k) => [
          `r = ${(k + 1) / TIMES}`,
          ...Array.from({ length: TIMES }, (__, l) => {
            const products = rows.map(
              ({ values }) => values[2 * k] * values[2 * l] + values[2 * k + 1] * values[2 * l + 1],
            );
            const { mean, error } = meanError(products);
            const claimed = (2 * (1 + Math.min(k, l))) / TIMES;
            return plusMinus(mean / claimed, error / claimed);
          }),
        ]),
        notes: ['In the mean over both coordinates; 1 is claimed.'],
      },
    ],
    figures: samples.map(({ what, sample, law }, index) =>
      lawFigure(index === 0 ? 'path-supremum' : 'path-bridge', what, sample, law),
    ),
    data: {
      paths: rows.length,
      deviation,
      gaps: samples.map(({ sample, law }) => largestGap(sample, law)),
      share,
    },
  };
}

/** Theorem 2 and Corollary 1 of the inference paper. */
export const functionalClt: TheoremValidation<PathSetting, PathPart> = {
  name: 'online-functional-clt',
  paper: 'online-inference',
  theorems: ['Theorem 2', 'Corollary 1'],
  title: 'Partial sums of the private path are a Brownian motion: covariances, suprema and bridges',
  source: 'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Theorem 2, Corollary 1',
  summary:
    'Weighted Huber regression of y = 1 + z + 0.5·e on a standard normal z, Gaussian gradients with μ = 4, γ = 1.5, α = 0.51, from the ' +
    'truth. Paths in units of A⁻¹(S + 4B₀²/μ²·I)A⁻¹, by quadrature. The supremum is over 80 times, of the Brownian motion as well.',
  version: 1,
  cells: (scale) => [
    {
      key: 'huber',
      label: 'μ = 4',
      setting: {
        request: {
          maker: 'gdp',
          mu: 4,
          model: { kind: 'huber', features: FEATURES },
          rate: 1.5,
          decay: 0.51,
          start: [1, 1],
          inference: [],
        },
        steps: 8000,
        looks: LOOKS,
        size: 100,
      },
      parts: scale === 'full' ? 60 : 5,
    },
  ],
  probe: (setting) => ({ ...setting, steps: 800, size: 1 }),
  part,
  report,
};
