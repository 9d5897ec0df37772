import type { PlainRequest } from 'ldpkit';
import type { OnlinePlan } from 'ldpkit/protocols/online-sgd';
import {
  DEVIATIONS,
  digits,
  exactSlope,
  measuredMean,
  plusMinus,
  rateFit,
  ratePoints,
  slopeClaim,
  toleranceOf,
} from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  replicationsOf,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { logFigure } from '../../experiment/figure.ts';
import { omega, printedLaplaceRate } from '../bounds.ts';
import { logarithmicGrid, looksAt, planOf, squaredDistance } from '../reproductions/trajectory.ts';
import { streamCurve, streamLaw } from './curves.ts';
import { ratioClaim } from './exact-claims.ts';
import { quadraticLaw, totals, UNIFORM_VARIANCE } from './quadratic-law.ts';
import { signPopulation } from './risks.ts';

const { abs, log, max } = Math;

/** Streams of one mechanism in one dimension. */
type DimensionSetting = {
  readonly budget: PlainRequest;
  readonly dimension: number;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** By replication: the mean over checkpoints of ‖θ_n − θ*‖²/(η_n·C₀²). */
type DimensionChunk = readonly number[];

const RATE = 0.1;

const DECAY = 0.5;

const BOUND = 4;

/** Where the start is forgotten, e^(−14) of it left. Steps are so small that hardly a gradient at d = 16 is clipped. */
const CHECKPOINTS: readonly number[] = logarithmicGrid(5000, 8000, 20);

/** The exact error over η_n·C₀², in the mean over checkpoints, under noise of that Ω: each coordinate has the same. */
function exactError(dimension: number, omegaOf: number): number {
  const fields = {
    squares: new Array<number>(dimension).fill(1),
    noise: () => (BOUND ** 2 * omegaOf) / dimension,
    response: UNIFORM_VARIANCE,
    rate: RATE,
    decay: DECAY,
    start: new Array<number>(dimension).fill(0),
  };
  const law = totals(quadraticLaw(fields, CHECKPOINTS).last);
  const scaled = law.map((error, k) => error / (RATE * CHECKPOINTS[k] ** -DECAY * BOUND ** 2));
  return scaled.reduce((sum, value) => sum + value, 0) / scaled.length;
}

/** Squared loss on an intercept and d − 1 features, clipped at the same C₀ for every d. */
function dimensionPlan({ budget, dimension }: DimensionSetting): OnlinePlan {
  const model = { kind: 'response', loss: 'squared', features: dimension - 1, clip: BOUND };
  const start = new Array<number>(dimension).fill(1);
  return planOf({ ...budget, model, rate: RATE, decay: DECAY, start, inference: [] });
}

/** One chunk of the replications. */
function dimensionChunk(setting: DimensionSetting, index: number, seed: string): DimensionChunk {
  const { dimension, checkpoints, size } = setting;
  const plan = dimensionPlan(setting);
  const population = signPopulation(dimension - 1, 1);
  const truth = new Float64Array(dimension).fill(1);
  return replicationsOf(index, size).map((replication) => {
    const stream = { plan, population, checkpoints, seed: `${seed}/dimension/${dimension}/${replication}` };
    const errors = looksAt(
      stream,
      ({ iterate }, n) => squaredDistance(iterate, truth) / (RATE * n ** -DECAY * BOUND ** 2),
    );
    return errors.reduce((sum, error) => sum + error, 0) / checkpoints.length;
  });
}

const DIMENSIONS: readonly number[] = [2, 4, 8, 16];

const EPSILON = 16;

const MECHANISMS: readonly {
  readonly key: string;
  readonly label: string;
  readonly budget: PlainRequest;
  readonly order: number;
  /** Ω as it holds, not the plan's own. */
  readonly law: (dimension: number) => number;
}[] = [
  { key: 'gaussian', label: 'Gaussian, μ = 6', budget: { variant: 'gdp', mu: 6 }, order: 1, law: (d) => (4 * d) / 36 },
  {
    key: 'laplace',
    label: 'Laplace, ε = 16',
    budget: { variant: 'laplace', epsilon: EPSILON },
    order: 2,
    law: (d) => (8 * d * d) / EPSILON ** 2,
  },
];

/** What gradients that are clipped and the second order of the checkpoints take. */
const CLIPPED = 0.03;

function report(results: readonly CellResult<DimensionSetting, DimensionChunk>[]): ExperimentReport {
  const lines = MECHANISMS.map(({ key, label, order, law }) => {
    const own = results.filter(({ cell }) => cell.key.startsWith(key));
    const dimensions = own.map(({ cell }) => cell.setting.dimension);
    const means = own.map(({ chunks }) => measuredMean(chunks.flat()));
    const exact = dimensions.map((d) => exactError(d, law(d)));
    const { slope, error } = rateFit(ratePoints(dimensions, means));
    // One row of means over exact errors for every replication number: dimensions do not share coins.
    const rows = own[0].chunks.flat().map((_, r) => own.map(({ chunks }) => chunks.flat()[r]));
    return {
      ...{ label, order, dimensions, means, exact, rows, slope: { slope, error } },
      // Half of Ω/m for a risk with the Hessian I, once the start is forgotten.
      claimed: own.map(({ cell }) => omega(dimensionPlan(cell.setting)) / 2),
      off: max(...own.map(({ cell }) => abs(omega(dimensionPlan(cell.setting)) / law(cell.setting.dimension) - 1))),
    };
  });
  const [, laplace] = lines;
  const end = laplace.dimensions.length - 1;
  const printed = (d: number): number => printedLaplaceRate(d, EPSILON);
  const printedOrder = log(printed(16) / printed(2)) / log(8);
  return {
    claims: [
      ...lines.map(({ label, rows, exact }) =>
        ratioClaim(`error of the last iterate at d = ${DIMENSIONS.join(', ')}, ${label}`, rows, exact, {
          slack: CLIPPED,
        }),
      ),
      ...lines.map(({ label, off }, k) => ({
        asked: `Ω = ${k === 0 ? '4d/μ²' : '8d²/ε²'} at every d, ${label}: to rounding`,
        measured: `off by ${digits(off)} of it`,
        met: off < 1e-9,
      })),
      ...lines.map(({ label, order, slope, dimensions, exact }) =>
        slopeClaim(
          {
            what: `log-log slope of the squared error of the last iterate in d, ${order} but for the gradient's own noise, ${label}`,
            expected: exactSlope(dimensions, exact),
            slack: CLIPPED,
          },
          slope,
        ),
      ),
      {
        asked:
          'as printed, the error under Laplace noise grows like d³(ln d)²; refuted by 8 standard errors: it grows slower',
        measured: `order ${plusMinus(laplace.slope.slope, laplace.slope.error)} from d = 2 to 16, printed ${digits(printedOrder)}`,
        met: laplace.slope.slope + 8 * laplace.slope.error < printedOrder,
      },
      {
        asked: `Laplace noise depends on d more than Gaussian noise, by ${DEVIATIONS} standard errors`,
        measured: `${plusMinus(laplace.slope.slope, laplace.slope.error)} against ${plusMinus(lines[0].slope.slope, lines[0].slope.error)}`,
        met:
          laplace.slope.slope - lines[0].slope.slope >
          toleranceOf(Math.hypot(laplace.slope.error, lines[0].slope.error)),
      },
    ],
    tables: [
      {
        title: 'E‖θ_n − θ*‖²/(η_n·C₀²)',
        columns: ['mechanism', ...DIMENSIONS.map((d) => `d = ${d}`), 'order'],
        rows: lines.flatMap(({ label, means, exact, claimed, slope, order }) => [
          [label, ...means.map(({ mean, error }) => plusMinus(mean, error)), plusMinus(slope.slope, slope.error)],
          ['exact', ...exact.map((value) => digits(value)), ''],
          ['Ω/2', ...claimed.map((value) => digits(value)), String(order)],
        ]),
        notes: ['Ω/2 is the part of privacy; the noise of the gradient itself comes on top.'],
      },
    ],
    figures: [
      logFigure({
        name: 'dimension',
        title: 'Error of the last iterate by dimension',
        x: 'dimension d',
        y: 'E‖θ_n − θ*‖²/(η_n·C₀²)',
        curves: [
          ...lines.flatMap(({ label, dimensions, means, exact, claimed }, style) => [
            streamCurve(`measured, ${label}`, style, dimensions, means),
            streamLaw(`exact, ${label}`, style, dimensions, (d) => exact[dimensions.indexOf(d)]),
            streamLaw(`Ω/2, ${label}`, style, dimensions, (d) => claimed[dimensions.indexOf(d)]),
          ]),
          streamLaw(
            'order as printed, d³(ln d)², through Ω/2 at d = 16',
            2,
            laplace.dimensions,
            (d) => (printed(d) * laplace.claimed[end]) / printed(16),
          ),
        ],
      }),
    ],
    data: lines.map(({ label, means, claimed, slope }) => ({ label, means, claimed, slope })),
  };
}

/** What dimension does to the last iterate, and Ω, of the non-asymptotic paper. */
export const dimension: TheoremValidation<DimensionSetting, DimensionChunk> = {
  name: 'online-dimension',
  paper: 'online-rates',
  theorems: ['Ω, after Theorem 3', 'Remark 2'],
  title: 'The error of the last iterate grows like d under Gaussian noise and like d² under Laplace noise',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Section 4.1',
  summary:
    'Squared loss on an intercept and d − 1 random signs, whose Hessian is the identity, clipped at C₀ = 4 for every d, α = ½, η = 0.1; ' +
    'errors over η_n·C₀², where the theorem has (1 + Ω)/m. Printed for Laplace noise is d³(ln d)²; what holds is 8d²/ε².',
  version: 3,
  cells: (scale) =>
    MECHANISMS.flatMap(({ key, label, budget }) =>
      DIMENSIONS.map((d) => ({
        key: `${key}-${d}`,
        label: `${label}, d = ${d}`,
        setting: { budget, dimension: d, checkpoints: CHECKPOINTS, size: 8 },
        chunks: scale === 'full' ? 40 : 6,
      })),
    ),
  smallRun: (setting) => ({ ...setting, checkpoints: [200], size: 1 }),
  chunk: dimensionChunk,
  report,
};
