import { seededRandom } from 'ldpkit';
import { innerProduct } from 'ldpkit/optimize';
import { influence, logisticRegression, optimum, remainderBound } from 'ldpkit/protocols/influence-sgd';
import { DEVIATIONS, digits, measuredMean, rateFit, ratePoints, slopeClaim, toleranceOf } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { shownMean } from '../../experiment/statistics.ts';
import { drawRecords, withoutRecord } from './logistic-records.ts';

const { max, sqrt } = Math;

const RIDGE = 0.2;
const METHODS = ['explicit', 'conjugate-gradient', 'lissa'] as const;
const model = logisticRegression({ dimension: 3, ridge: RIDGE, radius: 2 });

/** One data set of n records, some of them left out, and LiSSA run several times for each. */
export type SolverSetting = { readonly records: number; readonly leftOut: number; readonly repeats: number };

/** Root mean squares over the records left out. */
export type SolverChunk = {
  /** ‖c_z − (θ*₋z − θ*)‖ by each method, in the order of `METHODS`. */
  readonly errors: readonly number[];
  /** ‖θ*₋z − θ*‖. */
  readonly change: number;
  /** The largest ‖c_z by conjugate gradients − c_z‖/‖c_z‖. */
  readonly gradients: number;
  /** ⟨mean of LiSSA − c_z, c_z⟩/‖c_z‖², a mean over records and repeats: its bias along the solution. */
  readonly bias: number;
};

function chunk({ records, leftOut, repeats }: SolverSetting, index: number, seed: string): SolverChunk {
  const data = drawRecords(records, 3, seededRandom(`${seed} solvers ${records} ${index}`));
  const { theta } = optimum(model, data, { tolerance: 1e-13 });
  const coins = seededRandom(`${seed} solvers, coins ${records} ${index}`);
  const solvers = METHODS.map((method) =>
    influence({ ...model.constants, method, repair: 'refuse' }, model, data, theta, coins),
  );
  const c = METHODS.map(() => new Float64Array(3));
  const squares = [0, 0, 0];
  let [changes, gradients, bias] = [0, 0, 0];
  for (let z = 0; z < leftOut; z++) {
    const moved = optimum(model, withoutRecord(data, z), { start: theta, tolerance: 1e-13 }).theta;
    for (let j = 0; j < 3; j++) moved[j] -= theta[j];
    changes += innerProduct(moved, moved) / leftOut;
    for (let k = 0; k < 2; k++) {
      solvers[k](z, c[k]);
      squares[k] += squaredDistance(c[k], moved) / leftOut;
    }
    const size = innerProduct(c[0], c[0]);
    gradients = max(gradients, sqrt(squaredDistance(c[1], c[0]) / size));
    for (let r = 0; r < repeats; r++) {
      solvers[2](z, c[2]);
      squares[2] += squaredDistance(c[2], moved) / (leftOut * repeats);
      bias += (innerProduct(c[2], c[0]) / size - 1) / (leftOut * repeats);
    }
  }
  return { errors: squares.map(sqrt), change: sqrt(changes), gradients, bias };
}

function squaredDistance(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += (x[j] - y[j]) ** 2;
  return sum;
}

function report(results: readonly CellResult<SolverSetting, SolverChunk>[]): ExperimentReport {
  const n = results.map(({ cell }) => cell.setting.records);
  const errors = METHODS.map((_, k) => results.map(({ chunks }) => measuredMean(chunks.map((p) => p.errors[k]))));
  const change = results.map(({ chunks }) => measuredMean(chunks.map((p) => p.change)));
  const bound = n.map((records) => remainderBound({ records, ...model.constants }));
  const gradients = max(...results.flatMap(({ chunks }) => chunks.map((p) => p.gradients)));
  const bias = measuredMean(results.flatMap(({ chunks }) => chunks.map((p) => p.bias)));
  const slopes = errors.map((means) => rateFit(ratePoints(n, means)));
  // A fraction of 1e-4 of the slowest direction is cut off the series of LiSSA.
  const cut = 1e-4;
  return {
    claims: [
      {
        asked: 'conjugate gradients give the c_z of the Cholesky factor, to 1e-7 of its length',
        measured: `${digits(gradients, 2)} at most`,
        met: gradients <= 1e-7,
      },
      {
        asked: `LiSSA is unbiased: along c_z its mean is c_z, but for the 1e-4 cut off its series and ${DEVIATIONS} standard errors`,
        measured: `relative bias ${shownMean(bias)}`,
        met: Math.abs(bias.mean) <= toleranceOf(bias.error, cut),
      },
      ...METHODS.slice(0, 2).map((method, k) => {
        const what = `c_z ≈ θ*₋z − θ* by ${method}: an error below E at every n, and its slope in n`;
        const claim = slopeClaim({ what, expected: -2, slack: 0.1 }, slopes[k]);
        return {
          asked: claim.asked,
          measured: `${claim.measured}, at most 1/${digits(Math.min(...bound.map((e, i) => e / errors[k][i].mean)))} of E`,
          met: claim.met && errors[k].every(({ mean }, i) => mean <= bound[i]),
        };
      }),
      slopeClaim(
        { what: 'slope of the error by LiSSA with ten repetitions, that of its own noise', expected: -1, slack: 0.1 },
        slopes[2],
      ),
    ],
    tables: [
      {
        title: 'Influence of leaving out a record by three solvers',
        columns: ['n', '‖θ*₋z − θ*‖', ...METHODS.map((method) => `error, ${method}`), 'E'],
        rows: n.map((records, i) => [
          String(records),
          shownMean(change[i]),
          ...errors.map((means) => shownMean(means[i])),
          digits(bound[i]),
        ]),
        notes: ['Means over data sets of root mean squares over records; errors are against a fit without the record.'],
      },
    ],
    figures: [
      logFigure({
        name: 'influence-equation-11',
        title: 'Influence against refits, by three solvers',
        x: 'records n',
        y: 'ℓ₂ distance of parameters',
        curves: [
          ...METHODS.map((name, k) => meanCurve(name, k, n, errors[k])),
          meanCurve('θ*₋z − θ*', 3, n, change),
          dashedCurve('claimed: E of Theorem 4', 0, n, bound),
        ],
      }),
    ],
    data: { n, bound, gradients, bias, errors: errors },
  };
}

/** Equation (11), by the three ways of solving with the Hessian. */
export const solvers: TheoremValidation<SolverSetting, SolverChunk> = {
  name: 'influence-equation-11',
  paper: 'influence',
  theorems: ['Equation (11)'],
  title: 'The influence of a record by three solvers',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, (11)',
  summary:
    'Logistic regression, λ = .2, m = 3: c_z by a Cholesky factor, by conjugate gradients and by LiSSA (ten repetitions of its ' +
    'series) against a fit without the record.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [50, 100, 200, 400, 800, 1600, 3200] : [50, 100, 200, 400]).map((records) => ({
      key: `n-${records}`,
      label: `n = ${records}`,
      setting: { records, leftOut: scale === 'full' ? 48 : 16, repeats: scale === 'full' ? 100 : 20 },
      chunks: scale === 'full' ? 32 : 8,
    })),
  smallRun: (setting) => ({ ...setting, records: 50, leftOut: 2, repeats: 2 }),
  chunk,
  report,
};
