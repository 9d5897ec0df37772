import type { PlainRequest } from 'ldpkit';
import { type ExperimentClaim, type Measured, measuredMean, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../../experiment/experiment.ts';
import { expectileOfNormal, type StreamModel } from './population.ts';

/** τ of expectiles, chosen; deviation of the noise and c, printed. */
export const TAU = 0.8;
export const DEVIATION = 0.5;
export const THRESHOLD = 1.345;

/** Methods of the columns, in the order of the numbers. */
export const METHODS = ['random scaling', 'plug-in', 'batch means', 'batch means, online'] as const;

/** Streams of one model, design and budget. */
export type CoverageModelSetting = {
  readonly request: PlainRequest;
  readonly model: StreamModel;
  readonly features: number;
  /** ρ: features j and k have the correlation ρ^|j − k|. */
  readonly correlation: number;
  readonly players: number;
  readonly size: number;
};

/** By replication: the average, and half the length of the interval of every method, by coordinate. */
export type CoverageModelChunk = readonly {
  readonly theta: readonly number[];
  readonly halves: readonly (readonly number[])[];
}[];

/** What the average tends to: ones, and for expectiles the expectile of the noise on top of the intercept. */
export function coverageTruth({ model, features }: CoverageModelSetting): readonly number[] {
  const truth = new Array<number>(features + 1).fill(1);
  if (model === 'expectile') truth[0] += expectileOfNormal(TAU, DEVIATION, THRESHOLD);
  return truth;
}

interface Line {
  readonly label: string;
  readonly replications: number;
  /** By method: share of intervals that hold the truth in %, and mean length × 100. */
  readonly coverage: readonly Measured[];
  readonly length: readonly Measured[];
}

function lineOf({ cell, chunks }: CellResult<CoverageModelSetting, CoverageModelChunk>): Line {
  const truth = coverageTruth(cell.setting);
  const replications = chunks.flat();
  const over = (of: (half: number, gap: number) => number): readonly Measured[] =>
    METHODS.map((_, m) =>
      measuredMean(
        replications.map(
          ({ theta, halves }) =>
            measuredMean(theta.map((entry, j) => of(halves[m][j], Math.abs(entry - truth[j])))).mean,
        ),
      ),
    );
  return {
    label: cell.label,
    replications: replications.length,
    coverage: over((half, gap) => (gap <= half ? 100 : 0)),
    length: over((half) => 200 * half),
  };
}

/** The least number of replications that decides; below it only what is far outside does. */
const DECISIVE = 100;

function claimOf({ label, replications, coverage: [{ mean, error }] }: Line): ExperimentClaim {
  const outside = Math.max(92.5 - mean, mean - 97.5);
  // With few replications all may cover, and an error of 0 says nothing: that of a fair 95 % is the least believed.
  const believed = Math.max(error, Math.sqrt((95 * 5) / replications));
  const undecided = replications < DECISIVE ? outside <= 4 * believed : outside > 0 && outside <= 3 * believed;
  return {
    asked: `${label}: random scaling covers 92.5 % to 97.5 % at n = 200,000`,
    measured: `${plusMinus(mean, error, 1)} % over ${replications} replications and all coordinates`,
    met: !undecided && outside <= 0,
    ...(undecided ? { undecided: true } : {}),
  };
}

/** Claims and tables. */
export function coverageModelsReport(
  results: readonly CellResult<CoverageModelSetting, CoverageModelChunk>[],
): ExperimentReport {
  const lines = results.map(lineOf);
  const rowsOf = (key: 'coverage' | 'length', decimals: number): readonly (readonly string[])[] =>
    lines.map((line) => [line.label, ...line[key].map(({ mean, error }) => plusMinus(mean, error, decimals))]);
  return {
    claims: lines.map(claimOf),
    tables: [
      {
        title: 'Coverage of 95 % intervals in %, at n = 200,000',
        columns: ['', ...METHODS],
        rows: rowsOf('coverage', 1),
        notes: [
          `${lines[0].replications} replications, all coordinates. Numbers to compare with are in a supplement that is not at hand.`,
        ],
      },
      { title: 'Length of the intervals × 100', columns: ['', ...METHODS], rows: rowsOf('length', 2), notes: [] },
    ],
    figures: [],
    data: lines,
  };
}
