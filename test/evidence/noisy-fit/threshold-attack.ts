import { inverseIncompleteBeta, normalCdf, normalQuantile } from 'ldpkit/inference';
import { digits, type ExperimentClaim, type Measured, meanClaim } from 'ldpkit/testing';
import { type CurveFigure, linearFigure } from '../experiment/figure.ts';

/** Error of one bound: with two bounds, and two kinds of error, an audit is wrong with a probability of 2e-4 at most. */
const FAILURE = 1e-4;
/** Thresholds, in standard deviations of the statistic around the middle between the two data sets. */
const THRESHOLDS: readonly number[] = [-1.6, -1.2, -0.8, -0.4, 0, 0.4, 0.8, 1.2, 1.6];
const MIDDLE = 4;
/** Noise that is 5 % too small or too large is distinguished, or the measurement does not meet the claim. */
const LARGEST_TOLERANCE = 0.03;

const { sqrt } = Math;

/** How often a statistic was above each threshold, for data with the one record and with the other. */
export type AttackCounts = {
  readonly runs: number;
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** Sums of squares of the statistic around its mean over the runs of a chunk, both data sets together. */
  readonly squares: number;
  readonly chunks: number;
};

/** Counts of `runs` runs on each of two data sets; the statistic is larger for the first, and has standard deviation 1 or so. */
export function attack(runs: number, statistic: (first: boolean) => number): AttackCounts {
  let squares = 0;
  const counts = [true, false].map((first) => {
    const above = new Array<number>(THRESHOLDS.length).fill(0);
    let [mean, around] = [0, 0];
    for (let r = 0; r < runs; r++) {
      const value = statistic(first);
      const off = value - mean;
      mean += off / (r + 1);
      around += off * (value - mean);
      for (let i = 0; i < THRESHOLDS.length; i++) if (value > THRESHOLDS[i]) above[i]++;
    }
    squares += around;
    return above;
  });
  return { runs, first: counts[0], second: counts[1], squares, chunks: 1 };
}

/** The counts of several chunks together. */
export function addCounts(chunks: readonly AttackCounts[]): AttackCounts {
  const sum = (of: (chunk: AttackCounts) => readonly number[]): readonly number[] =>
    THRESHOLDS.map((_, i) => chunks.reduce((total, chunk) => total + of(chunk)[i], 0));
  return {
    runs: chunks.reduce((total, chunk) => total + chunk.runs, 0),
    first: sum(({ first }) => first),
    second: sum(({ second }) => second),
    squares: chunks.reduce((total, { squares }) => total + squares, 0),
    chunks: chunks.reduce((total, chunk) => total + chunk.chunks, 0),
  };
}

/** The standard deviation of the statistic, and its standard error for normal noise: 1/√(2·degrees of freedom) of it. */
export function deviationOf({ runs, squares, chunks }: AttackCounts): Measured {
  const freedom = 2 * (runs - chunks);
  const mean = sqrt(squares / freedom);
  return { mean, error: mean / sqrt(2 * freedom) };
}

/** The claim that noise has the standard deviation that was worked out by hand. */
export function deviationClaim(what: string, counts: AttackCounts): ExperimentClaim {
  // The slack is for a Hessian that is inverted.
  return meanClaim(
    {
      what: `${what}: standard deviation over that by hand`,
      expected: 1,
      slack: 0.005,
      largestTolerance: LARGEST_TOLERANCE,
    },
    deviationOf(counts),
  );
}

/** An upper bound of the probability of what came up `count` times. Source: Clopper and Pearson (1934). */
function upperBound(count: number, runs: number): number {
  return count >= runs ? 1 : inverseIncompleteBeta(1 - FAILURE, count + 1, runs - count);
}

/**
 * What the middle threshold proves: errors of both kinds at most α and β make μ at least Φ⁻¹(1 − α) − Φ⁻¹(β).
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, the trade-off function of μ.
 */
export function provenMu({ runs, first, second }: AttackCounts): number {
  const falseAlarm = upperBound(second[MIDDLE], runs);
  const missed = upperBound(runs - first[MIDDLE], runs);
  return falseAlarm >= 1 || missed >= 1 ? 0 : normalQuantile(1 - falseAlarm) - normalQuantile(missed);
}

/** The claim that an attack proves no more than μ, and not much less than it should. */
export function attackClaim(what: string, mu: number, least: number, counts: AttackCounts): ExperimentClaim {
  const proven = provenMu(counts);
  return {
    asked: `${what}: an attack proves at most μ = ${digits(mu)}, and at least ${digits(least)}`,
    measured: `μ ≥ ${digits(proven)} by ${2 * counts.runs} runs`,
    met: proven <= mu && proven >= least,
  };
}

/** The claim that less noise is found out. */
export function foundOutClaim(what: string, mu: number, counts: AttackCounts): ExperimentClaim {
  const proven = provenMu(counts);
  return {
    asked: `control, ${what}: an attack proves more than μ = ${digits(mu)}`,
    measured: `μ ≥ ${digits(proven)} by ${2 * counts.runs} runs`,
    met: proven > mu,
  };
}

/** Both errors of the attack at all thresholds beside the curve of μ, which no attack may get below. */
export function attackFigure(
  name: string,
  title: string,
  mu: number,
  lines: readonly { readonly name: string; readonly counts: AttackCounts }[],
): CurveFigure {
  const tradeOff = (alpha: number): number => normalCdf(-normalQuantile(alpha) - mu);
  const grid = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);
  return linearFigure({
    name,
    title,
    x: 'false alarms α',
    y: 'missed β',
    curves: [
      ...lines.map(({ name: line, counts: { runs, first, second } }, style) => ({
        name: line,
        style,
        dashed: false,
        points: THRESHOLDS.map((_, i) => ({ x: second[i] / runs, y: 1 - first[i] / runs })).reverse(),
      })),
      {
        name: `claimed: no attack below Φ(Φ⁻¹(1 − α) − ${digits(mu)})`,
        style: lines.length,
        dashed: true,
        points: grid.map((x) => ({ x, y: tradeOff(x) })),
      },
    ],
  });
}
