import { normalCriticalValue } from 'ldpkit/inference';
import { type Measured, meanClaim, measuredMean } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { shareError } from '../../experiment/statistics.ts';
import { coverageClaims, coverageParts } from './coverage-parts.ts';
import {
  type IntervalChunk,
  type IntervalRow,
  type IntervalSetting,
  intervalChunk,
  intervalSmallRun,
} from './interval-rows.ts';

const { abs, max } = Math;

const LEVELS: readonly number[] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.99];
const FEATURES = 3;
const BUDGETS: readonly number[] = [2, 4];
const PLAYERS = 10_000;

/** Variances of a finite stream are up to a tenth above their limit, which costs .02 at the level .9. */
const FINITE = 0.04;

type Method = keyof Pick<IntervalRow, 'regressed' | 'released'>;

/**
 * E t² at this n: 1 in the limit. With released Hessians 1.045 ± .025 over 800 streams; by regression, whose Hessian rests on the
 * spread of the iterates alone, 1.28 ± .04: its intervals are too short by an eighth.
 */
const EXCESS: { readonly [name in Method]: number } = { released: 1.045, regressed: 1.28 };

const METHODS: readonly { readonly name: Method; readonly label: string }[] = [
  { name: 'released', label: 'plug-in with released Hessians' },
  { name: 'regressed', label: 'plug-in by regression' },
];

interface Line {
  readonly label: string;
  readonly name: Method;
  /** The mean of t². */
  readonly square: Measured;
  readonly coverage: readonly Measured[];
}

function linesOf({ cell, chunks }: CellResult<IntervalSetting, IntervalChunk>): readonly Line[] {
  const rows = chunks.flat();
  return METHODS.map(({ name, label }) => ({
    name,
    square: measuredMean(rows.map((row) => row[name].reduce((sum, t) => sum + t * t, 0) / row[name].length)),
    label: `${label}, ${cell.label}`,
    coverage: LEVELS.map((level) => {
      const critical = normalCriticalValue(level);
      const shares = rows.map((row) => row[name].filter((t) => abs(t) <= critical).length / row[name].length);
      const { mean, error } = measuredMean(shares);
      return { mean, error: max(error, shareError(level, rows.length * (FEATURES + 1))) };
    }),
  }));
}

function report(results: readonly CellResult<IntervalSetting, IntervalChunk>[]): ExperimentReport {
  const lines = results.flatMap(linesOf);
  return {
    claims: lines.flatMap(({ label, name, square, coverage }) => [
      meanClaim(
        {
          what: `E t², 1 in the limit and ${EXCESS[name]} at this n, ${label}`,
          ...{ expected: EXCESS[name], slack: 0.04, largestTolerance: name === 'released' ? 0.4 : 0.8 },
        },
        square,
      ),
      ...coverageClaims({ label, coverage }, LEVELS, FINITE),
    ]),
    ...coverageParts(lines, LEVELS, {
      table: `Coverage of plug-in intervals at n = ${PLAYERS.toLocaleString('en-US')}`,
      name: 'plug-in',
      title: 'Coverage of plug-in intervals',
      curve: '',
      coefficients: FEATURES + 1,
    }),
  };
}

/** Corollary 2 of the inference paper. */
export const plugIn: TheoremValidation<IntervalSetting, IntervalChunk> = {
  name: 'online-plug-in',
  paper: 'online-inference',
  theorems: ['Corollary 2'],
  title: 'Plug-in intervals hold their coefficients with the asked probability, or nearly',
  source:
    'Xie, Shi, Jiang, Kong, He, Online differentially private inference in stochastic gradient descent, Corollary 2',
  summary:
    'Linear Huber regression on p = 3 standard normal features and an intercept, noise of deviation 0.5, μ = 2 and 4, from the truth, ' +
    'γ = 0.5, α = 0.51, the first 1000 steps left out. The printed plug-in needs a trusted curator; measured are the two local ones: Hessians that players release at μ ' +
    'as well, and Hessians read off the regression of released gradients on iterates.',
  version: 1,
  cells: (scale) =>
    BUDGETS.map((mu) => ({
      key: `mu-${mu}`,
      label: `μ = ${mu}`,
      setting: {
        request: {
          variant: 'gdp',
          mu,
          hessianMu: mu,
          model: { kind: 'huber', features: FEATURES },
          rate: 0.5,
          decay: 0.51,
          burnIn: 1000,
          start: new Array<number>(FEATURES + 1).fill(1),
          inference: ['plug-in'],
        },
        players: PLAYERS,
        size: 100,
      },
      chunks: scale === 'full' ? 20 : 2,
    })),
  smallRun: intervalSmallRun,
  chunk: intervalChunk,
  report,
};
