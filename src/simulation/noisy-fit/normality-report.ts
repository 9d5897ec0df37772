import type { Json } from '../../protocol/digest.ts';
import type { CurveFigure } from '../figure.ts';
import { type Measured, measuredMean, measuredPoints, plainPoints } from '../measured-claim.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../paper-experiment.ts';
import {
  claimedCurve,
  DEVIATIONS,
  digits,
  measuredCurve,
  plusMinus,
  powerLaw,
  rateFit,
  slopeClaim,
} from '../rate-fit.ts';

const { abs, hypot, sqrt } = Math;

/** Replications of one number of records. */
export type NormalitySetting = { readonly mu: number; readonly records: number; readonly size: number };

/** What came of them, a number for every replication. */
export type NormalityPart = {
  /** The share of the coefficients that their 95 % intervals held; and with the sandwich alone. */
  readonly covered: readonly number[];
  readonly uncorrected: readonly number[];
  /** 1 where the 95 % ellipsoid held all coefficients, else 0. */
  readonly joint: readonly number[];
  /** Mean over coefficients of (θ⁽ᴷ⁾ − θ₀)² over its variance as released. */
  readonly standardised: readonly number[];
  /** Traces of the covariance by the noise of steps, and of that by sampling, as released. */
  readonly injected: readonly number[];
  readonly sampling: readonly number[];
  readonly steps: number;
};

const LEVEL = 0.95;
/** What small n may do to coverage, ellipsoids and squared errors, besides chance. At 2000 replications coverage is held to .02. */
const SLACK = { covered: 0.008, joint: 0.02, standardised: 0.05 } as const;
/** How far the sandwich alone falls short at the least n, at least. */
const SHORT = 0.05;

type Field = Exclude<keyof NormalityPart, 'steps'>;

/** What was measured at one n. Spreads are pooled over all n, so that none looks certain by chance. */
interface Row {
  readonly records: number;
  readonly steps: number;
  readonly count: number;
  readonly covered: Measured;
  readonly uncorrected: Measured;
  readonly joint: Measured;
  readonly standardised: Measured;
  /** Variance by noise over variance by sampling. */
  readonly ratio: Measured;
}

function rowsOf(results: readonly CellResult<NormalitySetting, NormalityPart>[]): readonly Row[] {
  const values = (field: Field): readonly (readonly number[])[] =>
    results.map(({ parts }) => parts.flatMap((part) => part[field]));
  const pooled = (groups: readonly (readonly number[])[]): readonly Measured[] => {
    const means = groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
    const squares = groups.flatMap((group, i) => group.map((value) => (value - means[i]) ** 2));
    const spread = sqrt(squares.reduce((sum, square) => sum + square, 0) / (squares.length - groups.length));
    return groups.map((group, i) => ({ mean: means[i], error: spread / sqrt(group.length) }));
  };
  const [covered, uncorrected, joint, standardised] = (
    ['covered', 'uncorrected', 'joint', 'standardised'] as const
  ).map((field) => pooled(values(field)));
  const injected = values('injected').map(measuredMean);
  const sampling = values('sampling').map(measuredMean);
  return results.map(({ cell, parts }, i) => {
    const mean = injected[i].mean / sampling[i].mean;
    const relative = hypot(injected[i].error / injected[i].mean, sampling[i].error / sampling[i].mean);
    return {
      records: cell.setting.records,
      steps: parts[0].steps,
      count: parts.reduce((sum, part) => sum + part.covered.length, 0),
      covered: covered[i],
      uncorrected: uncorrected[i],
      joint: joint[i],
      standardised: standardised[i],
      ratio: { mean, error: mean * relative },
    };
  });
}

/**
 * Claims, tables and figures of the intervals of `name`. A claim is off by {@link DEVIATIONS} standard errors with probability 6e-5
 * if means are normal; shares of four coefficients are skewed at 60 replications, which the slack is for: below 1e-3.
 */
export function normalityReport(
  { name, key }: { readonly name: string; readonly key: string },
  results: readonly CellResult<NormalitySetting, NormalityPart>[],
): ExperimentReport {
  const rows = rowsOf(results);
  const near = (what: string, expected: number, slack: number, of: (row: Row) => Measured): ExperimentClaim[] =>
    rows.map((row) => {
      const { mean, error } = of(row);
      const tolerance = slack + DEVIATIONS * error;
      return {
        asked: `n = ${row.records}: ${what} ${expected} ± ${digits(tolerance, 2)}`,
        measured: plusMinus(mean, error),
        met: abs(mean - expected) <= tolerance,
      };
    });
  const ratios = rows.map(({ records, steps, ratio }) => ({
    x: records / steps,
    y: ratio.mean,
    relative: ratio.error / ratio.mean,
  }));
  const fit = rateFit(ratios);
  return {
    claims: [
      ...near('coverage of private 95 % intervals', LEVEL, SLACK.covered, ({ covered }) => covered),
      ...near('coverage of the private 95 % ellipsoid', LEVEL, SLACK.joint, ({ joint }) => joint),
      ...near('mean squared error over its variance', 1, SLACK.standardised, ({ standardised }) => standardised),
      // Released matrices are noisy at n = 500, whence the slack.
      slopeClaim({ what: 'slope of variance by noise over that by sampling in n/K', expected: -1, slack: 0.1 }, fit),
      printedClaim(rows),
    ],
    tables: [
      {
        title: `Private 95 % regions of ${name}, μ = 1`,
        columns: [
          'n',
          'K',
          'coverage',
          'sandwich alone',
          'ellipsoid',
          'squared error/variance',
          'noise/sampling',
          'runs',
        ],
        rows: rows.map(({ records, steps, covered, uncorrected, joint, standardised, ratio, count }) => [
          String(records),
          String(steps),
          ...[covered, uncorrected, joint, standardised, ratio].map(({ mean, error }) => plusMinus(mean, error)),
          String(count),
        ]),
        notes: [
          'Sandwich alone: as printed, in the limit of large n, where the noise of the steps has no part in the variance.',
        ],
      },
    ],
    figures: [
      coverageFigure(name, key, rows),
      {
        kind: 'curves',
        name: `${key}-noise-share`,
        title: `Variance by noise over variance by sampling, ${name}`,
        x: { label: 'n/K', logarithmic: true },
        y: { label: 'ratio of traces', logarithmic: true },
        curves: [
          measuredCurve('measured', 0, ratios),
          claimedCurve(
            'claimed: slope −1, so that only the sandwich remains',
            1,
            ratios.map(({ x }) => x),
            powerLaw(fit, -1),
          ),
        ],
        levels: [],
      },
    ],
    data: rows.map((row) => ({ ...row })) as unknown as Json,
  };
}

/** The sandwich alone says too little at the least n, and is less wrong at the largest. */
function printedClaim(rows: readonly Row[]): ExperimentClaim {
  const [least, largest] = [rows[0], rows[rows.length - 1]];
  const short = LEVEL - least.uncorrected.mean;
  const still = LEVEL - largest.uncorrected.mean;
  return {
    asked:
      `the printed limit, the sandwich alone, is for large n: its intervals fall short by at least ${SHORT} at n = ${least.records}, ` +
      `and by less at n = ${largest.records}`,
    measured: `short by ${plusMinus(short, least.uncorrected.error)} and ${plusMinus(still, largest.uncorrected.error)}`,
    met: short >= SHORT && still < short,
  };
}

function coverageFigure(name: string, key: string, rows: readonly Row[]): CurveFigure {
  const records = rows.map((row) => row.records);
  const line = (of: (row: Row) => Measured) => measuredPoints(records, rows.map(of));
  return {
    kind: 'curves',
    name: `${key}-normality`,
    title: `Coverage of private 95 % intervals of ${name}, μ = 1`,
    x: { label: 'records n', logarithmic: true },
    y: { label: 'coverage', logarithmic: false },
    curves: [
      { name: 'measured', style: 0, dashed: false, points: line(({ covered }) => covered) },
      { name: 'measured, sandwich alone', style: 1, dashed: false, points: line(({ uncorrected }) => uncorrected) },
      {
        name: 'claimed',
        style: 2,
        dashed: true,
        points: plainPoints(
          records,
          rows.map(() => LEVEL),
        ),
      },
    ],
    levels: [],
  };
}
