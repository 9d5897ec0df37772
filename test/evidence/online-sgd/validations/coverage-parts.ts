import { type ExperimentClaim, type Measured, meanClaim, plusMinus } from 'ldpkit/testing';
import type { ExperimentReport } from '../../experiment/experiment.ts';
import { linearFigure } from '../../experiment/figure.ts';
import { streamCurve, streamLaw } from './curves.ts';

/** Coverage at several levels: one kind of interval, one budget, one size. */
export interface CoverageLine {
  readonly label: string;
  /** By level. */
  readonly coverage: readonly Measured[];
}

/** What the parts are called. */
export interface CoverageText {
  /** Title of the table. */
  readonly table: string;
  /** Name and title of the figure, and what stands before the label of a curve. */
  readonly name: string;
  readonly title: string;
  readonly curve: string;
  /** Coefficients of a model. */
  readonly coefficients: number;
}

/** Levels that coverage is claimed of: at higher ones it could not be missed from above. */
const CLAIMED = 0.9;

/** The claim of each level that is claimed. */
export function coverageClaims(
  { label, coverage }: CoverageLine,
  levels: readonly number[],
  slack: number,
): readonly ExperimentClaim[] {
  return levels
    .filter((level) => level <= CLAIMED)
    .map((level, k) =>
      meanClaim(
        {
          what: `intervals of level ${level} hold their coefficients with that probability, ${label}`,
          expected: level,
          slack,
        },
        coverage[k],
      ),
    );
}

/** Table, figure and data of coverage against the level. */
export function coverageParts(
  lines: readonly CoverageLine[],
  levels: readonly number[],
  { table, name, title, curve, coefficients }: CoverageText,
): Pick<ExperimentReport, 'tables' | 'figures' | 'data'> {
  return {
    tables: [
      {
        title: table,
        columns: ['level', ...lines.map(({ label }) => label)],
        rows: levels.map((level, k) => [
          String(level),
          ...lines.map(({ coverage }) => plusMinus(coverage[k].mean, coverage[k].error)),
        ]),
        notes: [`In the mean over the ${coefficients} coefficients.`],
      },
    ],
    figures: [
      linearFigure({
        name,
        title,
        x: 'level',
        y: 'coverage',
        curves: [
          ...lines.map(({ label, coverage }, style) => streamCurve(`${curve}${label}`, style, levels, coverage)),
          streamLaw('as asked', lines.length, levels, (level) => level),
        ],
      }),
    ],
    data: lines.map(({ label, coverage }) => ({ label, coverage })),
  };
}
