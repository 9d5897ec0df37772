import { smoothedHinge } from 'ldpkit/optimize';
import { chebyshevSeries } from 'ldpkit/polynomial';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, plainCurve } from '../../experiment/figure.ts';
import { PAPER } from '../../shared/paper.ts';

const { abs, cos, log, max, min, PI } = Math;

type Setting = {
  /** The error asked for, which is also the β: smoothing costs β. */
  readonly target: number;
  /** Degrees tried, 0 to this. */
  readonly most: number;
};

type Chunk = { readonly degree: number };

/** The least degree whose truncated series is within α/4 of f′_β on [−1, 1]; −1 if none tried is. */
function chunk({ target, most }: Setting): Chunk {
  const { derivative } = smoothedHinge({ beta: target });
  const series = chebyshevSeries(derivative, most);
  const angles = Array.from({ length: 2001 }, (_, i) => (PI * i) / 2000);
  const rest = angles.map((theta) => derivative(cos(theta)));
  for (let degree = 0; degree <= most; degree++) {
    for (let i = 0; i < angles.length; i++) rest[i] -= series[degree] * cos(degree * angles[i]);
    if (rest.every((value) => abs(value) <= target / 4)) return { degree };
  }
  return { degree: -1 };
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const targets = results.map(({ cell }) => cell.setting.target);
  const degrees = results.map(({ chunks: [{ degree }] }) => degree);
  const printed = degrees.map((degree, i) => degree / log(4 / targets[i]));
  const corrected = degrees.map((degree, i) => (degree * targets[i]) / log(4 / targets[i] ** 2));
  const growth = printed[printed.length - 1] / printed[0];
  return {
    // Nothing is random.
    claims: [
      {
        asked: 'd·β/log(4/(αβ)) stays between 0.3 and 0.4 (α = β; degrees are whole)',
        measured: `${digits(min(...corrected))} to ${digits(max(...corrected))}`,
        met: corrected.every((constant) => constant >= 0.3 && constant <= 0.4),
      },
      {
        asked: 'as printed, d = c·log(4/α): refuted, d/log(4/α) grows at least as fast as 0.7/α',
        measured: `by a factor ${digits(growth)} from α = ${targets[0]} to ${targets[targets.length - 1]}`,
        met: growth >= (0.7 * targets[0]) / targets[targets.length - 1],
      },
    ],
    tables: [
      {
        title: 'Least degree for an error of α/4 at β = α',
        columns: ['α = β', 'degree d', 'd/log(4/α)', 'd·β/log(4/(αβ))'],
        rows: degrees.map((degree, i) => [
          String(targets[i]),
          String(degree),
          digits(printed[i]),
          digits(corrected[i]),
        ]),
        notes: [
          'If c were universal the third column would be constant. The variance of algorithm 1 is exponential in d.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'theorem-11-degree',
        title: 'Degree that an excess risk of α needs',
        x: 'α',
        y: 'least degree d',
        curves: [
          plainCurve(
            'measured',
            0,
            targets,
            degrees.map((d) => max(d, 1)),
          ),
          claimedCurve('0.35·log(4/α²)/α', 1, targets, (alpha) => (0.35 * log(4 / alpha ** 2)) / alpha),
          claimedCurve('as printed, c of the largest α', 2, targets, (alpha) => printed[0] * log(4 / alpha)),
        ],
      }),
    ],
    data: degrees.map((degree, i) => ({ target: targets[i], degree })),
  };
}

/** The degree of theorem 11, and with it its sample size. */
export const degree: TheoremValidation<Setting, Chunk> = {
  name: 'hinge-theorem-11-degree',
  title: 'Degree of the polynomial that an excess risk needs',
  paper: 'noninteractive',
  theorems: ['Theorem 11', 'Table 1'],
  source: `${PAPER}, theorem 11`,
  summary:
    'The least degree whose Chebyshev series is within α/4 of f′_β, with β = α as the theorem needs it. Printed is ' +
    'd = c·log(4/α) with a universal c; the branch points ½ ± iβ come nearer as β falls, and the degree is of order ' +
    'log(4/(αβ))/β. Nothing is random.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02] : [0.5, 0.2, 0.1, 0.05]).map((target) => ({
      key: `alpha-${String(target).replace('.', '-')}`,
      label: `α = ${target}`,
      setting: { target, most: 250 },
      chunks: 1,
    })),
  smallRun: (setting) => ({ ...setting, most: 4 }),
  chunk,
  report,
};
