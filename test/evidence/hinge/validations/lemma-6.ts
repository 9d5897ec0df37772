import { smoothedHinge } from 'ldpkit/optimize';
import { chebyshevSeries } from 'ldpkit/polynomial';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, linearFigure, plainCurve } from '../../experiment/figure.ts';
import { PAPER } from '../../shared/paper.ts';
import { chebyshevCoefficientBound, chebyshevTruncationBound, ellipseRate } from '../polynomials.ts';
import { largestOnEllipse, largestRho } from './ellipse.ts';

const { abs, ceil, cos, log, max, min, PI, sqrt } = Math;

type Setting = {
  readonly beta: number;
  /** Degrees 0 to this. */
  readonly most: number;
  /** Points of [−1, 1], and of each ellipse. */
  readonly points: number;
};

type Chunk = {
  /** max |f′_β − P_n| by degree n. */
  readonly errors: readonly number[];
  /** |a_n|. */
  readonly coefficients: readonly number[];
  /** M on the ellipses of `SHARES`·ρ*, then of 3ρ*. */
  readonly bounds: readonly number[];
};

/** Ellipses inside the branch points, as shares of the largest ρ. */
const SHARES = [0.1, 0.3, 0.6, 0.9, 0.99];

/** One beyond them, where the lemma says nothing: its formula is expected to fail. */
const BEYOND = 3;

/** Rounding of a measured error, which no bound below it can be compared with. */
const FLOOR = 1e-13;

function chunk({ beta, most, points }: Setting): Chunk {
  const f = smoothedHinge({ beta }).derivative;
  const series = chebyshevSeries(f, most);
  const errors = new Array<number>(most + 1).fill(0);
  for (let i = 0; i <= points; i++) {
    const theta = (PI * i) / points;
    let rest = f(cos(theta));
    for (let n = 0; n <= most; n++) {
      rest -= series[n] * cos(n * theta);
      errors[n] = max(errors[n], abs(rest));
    }
  }
  const bounds = [...SHARES, BEYOND].map((share) => {
    return largestOnEllipse(beta, share * largestRho(beta), 5 * points);
  });
  return { errors, coefficients: Array.from(series, abs), bounds };
}

type Bound = typeof chebyshevTruncationBound;

/** The least ratio of bound to measurement over ellipses and degrees. */
function closest(values: readonly number[], beta: number, bounds: readonly number[], bound: Bound): number {
  let least = Infinity;
  for (const [i, share] of SHARES.entries()) {
    for (let degree = 0; degree < values.length && values[degree] > FLOOR; degree++) {
      least = min(least, bound({ bound: bounds[i], rho: share * largestRho(beta), degree }) / values[degree]);
    }
  }
  return least;
}

/** The slope of log(error·√n) in n: branch points of order −½ add the factor n^{−½}. */
function decay(errors: readonly number[]): number {
  const from = ceil((errors.length - 1) / 5);
  const above = errors.findIndex((error, n) => n >= from && error < FLOOR);
  const degrees = Array.from({ length: (above < 0 ? errors.length : above) - from }, (_, i) => from + i);
  const logs = degrees.map((n) => log(errors[n] * sqrt(n)));
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [centre, level] = [mean(degrees), mean(logs)];
  const spread = degrees.reduce((sum, n) => sum + (n - centre) ** 2, 0);
  return degrees.reduce((sum, n, i) => sum + (n - centre) * (logs[i] - level), 0) / spread;
}

/** The best bound at a degree over the ellipses that were measured. */
const bestBound = ({ bounds }: Chunk, beta: number, degree: number): number =>
  min(...SHARES.map((s, i) => chebyshevTruncationBound({ bound: bounds[i], rho: s * largestRho(beta), degree })));

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  // Nothing is random: a claim that holds does so for every seed.
  const lines = results.map(({ cell, chunks: [measured] }) => {
    const { beta } = cell.setting;
    const { errors, coefficients, bounds } = measured;
    const claimed = -log(ellipseRate(largestRho(beta)));
    const rho = BEYOND * largestRho(beta);
    const failing = errors.some(
      (error, degree) =>
        error > FLOOR && chebyshevTruncationBound({ bound: bounds[SHARES.length], rho, degree }) < error,
    );
    return {
      beta,
      measured,
      error: closest(errors, beta, bounds, chebyshevTruncationBound),
      coefficient: closest(coefficients, beta, bounds, chebyshevCoefficientBound),
      slope: decay(errors),
      claimed,
      failing,
    };
  });
  const smallest = (values: readonly number[]): string => digits(min(...values));
  const shown = lines.map(({ measured }) => measured.errors.findIndex((error) => error < 1e-10));
  return {
    claims: [
      {
        asked: 'max |f′_β − P_n| is at most 2M/(r − 1)·r^{−n}, every β, degree and ellipse inside the branch points',
        measured: `bound at least ${smallest(lines.map(({ error }) => error))} times the error`,
        met: lines.every(({ error }) => error >= 1),
      },
      {
        asked: '|a_0| is at most M and |a_n| at most 2M·r^{−n}',
        measured: `bound at least ${smallest(lines.map(({ coefficient }) => coefficient))} times the coefficient`,
        met: lines.every(({ coefficient }) => coefficient >= 1),
      },
      {
        asked: 'the error falls like r*^{−n}/√n, r* of the ellipse through ½ ± iβ: exponents equal to 1 %',
        measured: lines
          .map(({ beta, slope, claimed }) => `β = ${beta}: ratio ${digits(slope / claimed, 4)}`)
          .join(', '),
        met: lines.every(({ slope, claimed }) => abs(slope / claimed - 1) <= 0.01),
      },
      {
        asked: 'control: on the ellipse of 3ρ*, where f′_β is not analytic, the formula fails at some degree',
        measured: `fails for ${lines.filter(({ failing }) => failing).length} of ${lines.length} β`,
        met: lines.every(({ failing }) => failing),
      },
    ],
    tables: [
      {
        title: 'Error of the Chebyshev series of f′_β and its bound',
        columns: ['β', 'ρ*', 'rate log r*', 'measured rate', 'least bound/error', 'least bound/|a_n|'],
        rows: lines.map(({ beta, claimed, slope, error, coefficient }) =>
          [beta, largestRho(beta), -claimed, -slope, error, coefficient].map((value) => digits(value, 4)),
        ),
        notes: [`Ellipses ${SHARES.join(', ')} of ρ*; errors below ${FLOOR} are rounding and left out.`],
      },
    ],
    figures: [
      linearFigure({
        name: 'lemma-6',
        title: 'Error of the Chebyshev series of the smoothed hinge',
        x: 'degree n',
        y: 'max |f′_β − P_n| on [−1, 1]',
        logarithmic: 'y',
        curves: lines.flatMap(({ beta, measured }, style): FigureCurve[] => {
          const last = shown[style] < 0 ? measured.errors.length - 1 : shown[style];
          const step = max(1, ceil(last / 20));
          const degrees = Array.from({ length: ceil((last + 1) / step) }, (_, i) => i * step);
          const errors = degrees.map((n) => max(measured.errors[n], 1e-17));
          const bounds = degrees.map((n) => bestBound(measured, beta, n));
          return [
            plainCurve(`β = ${beta}`, style, degrees, errors),
            dashedCurve(`bound, β = ${beta}`, style, degrees, bounds),
          ];
        }),
      }),
    ],
    data: lines.map(({ beta, measured, slope, claimed }) => ({ beta, slope, claimed, errors: measured.errors })),
  };
}

const settingOf = (beta: number): Setting => ({
  beta,
  // As far as the error takes to come down to rounding.
  most: ceil(27 / log(ellipseRate(largestRho(beta)))),
  points: 3000,
});

/** Lemma 6: the error of a truncated Chebyshev series falls geometrically. */
export const lemma6: TheoremValidation<Setting, Chunk> = {
  name: 'hinge-lemma-6',
  title: 'Chebyshev series of the smoothed hinge',
  paper: 'noninteractive',
  theorems: ['Lemma 6', 'Definition 4', 'Definition 5'],
  source: `${PAPER}, lemma 6`,
  summary:
    'The largest error on [−1, 1] of the truncated Chebyshev series of f′_β, by degree, against the bound with M measured on ' +
    'ellipses inside the branch points ½ ± iβ. The β are chosen here. Nothing is random.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [1, 0.5, 0.2, 0.1, 0.05] : [1, 0.3, 0.1]).map((beta) => ({
      key: `beta-${String(beta).replace('.', '-')}`,
      label: `β = ${beta}`,
      setting: settingOf(beta),
      chunks: 1,
    })),
  smallRun: (setting) => ({ ...setting, most: 8, points: 50 }),
  chunk,
  report,
};
