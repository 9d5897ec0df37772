import { normalCriticalValue } from '../../../src/inference/critical-value.ts';
import type { CellResult, ExperimentClaim, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { type MeanError, meanError, plusMinus } from '../reproductions/statistics.ts';
import { claimedCurve, DEVIATIONS, measuredCurve, shareError } from './claims.ts';
import {
  type IntervalPart,
  type IntervalRow,
  type IntervalSetting,
  intervalPart,
  intervalProbe,
} from './interval-rows.ts';

const { abs, max } = Math;

const LEVELS: readonly number[] = [0.8, 0.9, 0.95, 0.99];
const FEATURES = 3;
const BUDGETS: readonly number[] = [2, 4];
const PLAYERS = 10_000;

/** Variances of a finite stream are up to a tenth above their limit, which costs .02 at the level .9. */
const FINITE = 0.04;

const METHODS: readonly { readonly name: keyof Pick<IntervalRow, 'regressed' | 'released'>; readonly label: string }[] =
  [
    { name: 'released', label: 'plug-in with released Hessians' },
    { name: 'regressed', label: 'plug-in by regression' },
  ];

interface Line {
  readonly label: string;
  readonly coverage: readonly MeanError[];
}

function linesOf({ cell, parts }: CellResult<IntervalSetting, IntervalPart>): readonly Line[] {
  const rows = parts.flat();
  return METHODS.map(({ name, label }) => ({
    label: `${label}, ${cell.label}`,
    coverage: LEVELS.map((level) => {
      const critical = normalCriticalValue(level);
      const shares = rows.map((row) => row[name].filter((t) => abs(t) <= critical).length / row[name].length);
      const { mean, error } = meanError(shares);
      return { mean, error: max(error, shareError(level, rows.length * (FEATURES + 1))) };
    }),
  }));
}

function report(results: readonly CellResult<IntervalSetting, IntervalPart>[]): ExperimentReport {
  const lines = results.flatMap(linesOf);
  return {
    claims: lines.flatMap(({ label, coverage }) =>
      LEVELS.map((level, k): ExperimentClaim => {
        const { mean, error } = coverage[k];
        const allowed = DEVIATIONS * error + FINITE;
        return {
          asked: `intervals of level ${level} hold their coefficients with that probability, ${label}: ± ${allowed.toFixed(3)}`,
          measured: plusMinus(mean, error, 4),
          met: abs(mean - level) <= allowed,
        };
      }),
    ),
    tables: [
      {
        title: `Coverage of plug-in intervals at n = ${PLAYERS.toLocaleString('en-US')}`,
        columns: ['level', ...lines.map(({ label }) => label)],
        rows: LEVELS.map((level, k) => [
          String(level),
          ...lines.map(({ coverage }) => plusMinus(coverage[k].mean, coverage[k].error)),
        ]),
        notes: [`In the mean over the ${FEATURES + 1} coefficients.`],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'plug-in',
        title: 'Coverage of plug-in intervals',
        x: { label: 'level', logarithmic: false },
        y: { label: 'coverage', logarithmic: false },
        curves: [
          ...lines.map(({ label, coverage }, style) => measuredCurve(label, style, LEVELS, coverage)),
          claimedCurve('as asked', lines.length, LEVELS, (level) => level),
        ],
        levels: [],
      },
    ],
    data: lines.map(({ label, coverage }) => ({ label, coverage: coverage.map((share) => ({ ...share })) })),
  };
}

/** Corollary 2 of the inference paper. */
export const plugIn: TheoremValidation<IntervalSetting, IntervalPart> = {
  name: 'online-plug-in',
  paper: 'online-inference',
  theorems: ['Corollary 2'],
  title: 'Plug-in intervals hold their coefficients with the asked probability',
  source: 'Xie, Shi, Jiang, Kong, He, Online differentially private inference in SGD, Corollary 2',
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
          maker: 'gdp',
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
        size: 50,
      },
      parts: scale === 'full' ? 20 : 2,
    })),
  probe: intervalProbe,
  part: intervalPart,
  report,
};
