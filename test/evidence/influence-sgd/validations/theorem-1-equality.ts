import { seededRandom } from 'ldpkit';
import { innerProduct } from 'ldpkit/optimize';
import { gdpDelta } from 'ldpkit/privacy';
import {
  type CentralRecords,
  descendNoisily,
  empiricalRisk,
  fillMeanGradient,
  gradientPerturbation,
  type Model,
} from 'ldpkit/protocols/influence-sgd';
import {
  atMostClaim,
  digits,
  type Measured,
  meanClaim,
  measuredMean,
  rateFit,
  ratePoints,
  slopeClaim,
} from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, logFigure, meanCurve } from '../../experiment/figure.ts';
import { meanRatio, shownMean } from '../../experiment/statistics.ts';
import { excessRiskBound } from '../bounds.ts';
import { BUDGET } from './descent.ts';
import { drawRecords } from './logistic-records.ts';

const { abs, ceil, log, max, sqrt } = Math;

/** m. */
const DIMENSION = 8;

const model = meanModel(DIMENSION);

/** Descents for n records. */
type IsotropicSetting = { readonly records: number; readonly runs: number };

/** What came of them. */
type IsotropicChunk = {
  /** The mean of L(θ_T; D) − L*. */
  readonly excess: number;
  /** By how much the mean gradient of two data sets differs that differ in one record, at its largest. */
  readonly sensitivity: number;
};

/** T = ⌈log n⌉ steps of 1/L along the mean gradient of all records. */
function isotropicDescent(records: number): ReturnType<typeof gradientPerturbation> {
  return gradientPerturbation({
    accountant: 'gdp',
    ...BUDGET,
    records,
    batch: records,
    lipschitz: 1,
    steps: ceil(log(records)),
    step: 1,
  });
}

/** The noise that T such steps need, from sensitivity and budget and not from the parameters: Gaussian composition by bisection. */
function neededSigma(sensitivity: number, steps: number): number {
  let [below, above] = [1e-3, 10];
  for (let i = 0; i < 200; i++) {
    const middle = (below + above) / 2;
    if (gdpDelta(middle, BUDGET.epsilon) > BUDGET.delta) above = middle;
    else below = middle;
  }
  return (sensitivity * sqrt(steps)) / below;
}

/** The mean gradients at the origin with record 0 at e₁ and at −e₁ are as far apart as any of two records can make them. */
function sensitivityOf(records: number): number {
  const [plus, minus] = [1, -1].map((sign) => {
    const features = new Float64Array(records * DIMENSION);
    features[0] = sign;
    const data: CentralRecords = { records, dimension: DIMENSION, features, labels: new Int8Array(records).fill(1) };
    const target = new Float64Array(DIMENSION);
    fillMeanGradient(model, new Float64Array(DIMENSION), data, target);
    return target[0];
  });
  return minus - plus;
}

/** Descents on one data set. */
function descend({ records, runs }: IsotropicSetting, index: number, seed: string): IsotropicChunk {
  const random = seededRandom(`${seed} isotropic ${records} ${index}`);
  const data = drawRecords(records, DIMENSION, random);
  const parameters = isotropicDescent(records);
  const theta = new Float64Array(DIMENSION);
  fillMeanGradient(model, theta, data, theta);
  const risk = empiricalRisk(
    model,
    theta.map((value) => -value),
    data,
  );
  let excess = 0;
  for (let run = 0; run < runs; run++) {
    excess += (empiricalRisk(model, descendNoisily(parameters, model, data, random), data) - risk) / runs;
  }
  return { excess, sensitivity: sensitivityOf(records) };
}

/**
 * The mean of the records: ℓ(θ, x) = ½‖θ‖² − ⟨θ, x⟩, whose Hessian is the identity, so that μ = L = 1 and G = 1 for the part that depends
 * on the record. A step of 1/L along the mean gradient is over at the mean of the records, whatever it started from.
 */
export function meanModel(dimension: number): Model {
  const none = (): void => {};
  const score: Model['score'] = (theta, { features }, index) =>
    innerProduct(theta, features.subarray(index * dimension, (index + 1) * dimension) as Float64Array);
  return {
    name: 'mean of the records',
    parameters: dimension,
    features: dimension,
    ridge: 1,
    convex: true,
    gradientBound: 1,
    constants: { lipschitz: 1, smoothness: 1, hessianLipschitz: 0, curvature: 1 },
    loss: (theta, records, index) => -score(theta, records, index),
    score,
    addGradient(_theta, { features }, index, weight, target) {
      for (let j = 0, at = index * dimension; j < dimension; j++, at++) target[j] -= weight * features[at];
    },
    addHessian: none,
    addHessianProduct: none,
  };
}

function summarize({ cell, chunks }: CellResult<IsotropicSetting, IsotropicChunk>) {
  const { records } = cell.setting;
  const { sigma, steps } = isotropicDescent(records);
  const [{ sensitivity }] = chunks;
  const needed = neededSigma(sensitivity, steps);
  return {
    records,
    steps,
    sigma,
    // Of T Gaussian releases of the mean gradient with the noise of the parameters.
    delta: gdpDelta((sensitivity * sqrt(steps)) / sigma, BUDGET.epsilon),
    // σ²/2 of χ² with m degrees of freedom in every run: the standard error is known.
    excess: known(measuredMean(chunks.map((p) => p.excess)).mean, chunks.length * cell.setting.runs),
    // θ_T is the minimiser and one step of noise.
    exact: (DIMENSION * needed * needed) / 2,
    bound: excessRiskBound({ gap: 1, pl: 1, smoothness: 1, dimension: DIMENSION, sigma: needed, steps }),
  };
}

const known = (mean: number, runs: number): Measured => ({ mean, error: mean * sqrt(2 / (DIMENSION * runs)) });

/** The largest relative difference between the bound and (4) with equality, step by step, at μ/L = ¼; it has one more term, (1 − μ/L)^T. */
function unrolledDifference(): number {
  const [smoothness, pl, sigma, gap] = [2, 0.5, 0.3, 0.7];
  let excess = gap;
  let worst = 0;
  for (let steps = 1; steps <= 20; steps++) {
    excess = (1 - pl / smoothness) * excess + (DIMENSION * sigma * sigma) / (2 * smoothness);
    const bound = excessRiskBound({ gap, pl, smoothness, dimension: DIMENSION, sigma, steps });
    const more = (1 - pl / smoothness) ** steps * ((DIMENSION * sigma * sigma) / (2 * pl));
    worst = max(worst, abs(bound - more - excess) / excess);
  }
  return worst;
}

function report(results: readonly CellResult<IsotropicSetting, IsotropicChunk>[]): ExperimentReport {
  const rows = results.map(summarize);
  const n = rows.map(({ records }) => records);
  const means = rows.map(({ excess }) => excess);
  const points = ratePoints(n, means);
  const at = (field: 'exact' | 'bound') => (x: number) => rows[n.indexOf(x)][field];
  const perStep = points.map((point, i) => ({ ...point, y: point.y / rows[i].steps }));
  return {
    claims: [
      atMostClaim(
        'the noise of the parameters gives the δ asked for: |δ(ε)/δ − 1| of T Gaussian releases of the mean gradient is at most 1e-9',
        rows.map(({ delta }) => abs(delta / BUDGET.delta - 1)),
        1e-9,
      ),
      // 4.5 standard errors are .012 at the quick scale; noise off by 5 % would be .1.
      meanClaim(
        {
          what: 'where the Hessian is L·I the excess risk over mσ²/(2L), with the σ that the budget needs',
          ...{ expected: 1, largestTolerance: 0.04 },
        },
        meanRatio(points, at('exact')),
      ),
      meanClaim(
        {
          what: 'and over the bound of Theorem 1 at μ = L: it is met with equality',
          expected: 1,
          largestTolerance: 0.04,
        },
        meanRatio(points, at('bound')),
      ),
      slopeClaim({ what: 'slope in n of the excess empirical risk over T', expected: -2 }, rateFit(perStep)),
      {
        asked:
          'Remark 3 (algebra): T steps of (4) with equality come to (1 − μ/L)^T·gap + mσ²/(2μ) less (1 − μ/L)^T of the noise, T = 1 to 20, to 1e-12',
        measured: `largest difference ${digits(unrolledDifference())}`,
        met: unrolledDifference() <= 1e-12,
      },
    ],
    tables: [
      {
        title: 'Excess empirical risk where the Hessian is L·I',
        columns: ['n', 'T', 'σ', 'δ(1)', 'excess risk', 'mσ²/(2L)', 'bound'],
        rows: rows.map((row) => [
          ...[row.records, row.steps, row.sigma, row.delta].map((value) => digits(value)),
          shownMean(row.excess),
          digits(row.exact),
          digits(row.bound),
        ]),
        notes: [
          'σ is that of the parameters; the last two columns have the σ that sensitivity and budget need, found for themselves.',
          'The first term of the bound vanishes here. Strongly convex losses contract at least like (1 − μ/L)^2T at steps of 1/L, so that it is never met.',
        ],
      },
    ],
    figures: [
      logFigure({
        name: 'influence-theorem-1-equality',
        title: 'Excess empirical risk where the bound is an equality',
        x: 'records n',
        y: 'mean L(θ_T; D) − L*',
        curves: [meanCurve('measured', 0, n, means), claimedCurve('claimed: mσ²/(2μ), μ = L', 0, n, at('bound'))],
      }),
    ],
    data: rows,
  };
}

/** Theorem 1 and Remark 3 where nothing of them is given away. */
export const theorem1Equality: TheoremValidation<IsotropicSetting, IsotropicChunk> = {
  name: 'influence-theorem-1-equality',
  paper: 'influence',
  theorems: ['Theorem 1', 'Remark 3'],
  title: 'Excess empirical risk of DP-SGD, the case of equality',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Theorem 1',
  summary:
    'The mean of records of the sphere, ½‖θ‖² − ⟨θ, x⟩, m = 8, G = μ = L = 1, at (1, 10⁻⁵): T = ⌈log n⌉ steps of 1/L along the mean gradient. ' +
    'The noise is held against sensitivity and budget, and the constant of the noise term against what is measured.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [20, 40, 80, 160, 320] : [20, 40, 80]).map((records) => ({
      key: `n-${records}`,
      label: `n = ${records}`,
      setting: { records, runs: ceil((scale === 'full' ? 200_000 : 20_000) / records) },
      chunks: scale === 'full' ? 48 : 16,
    })),
  smallRun: (setting) => ({ ...setting, records: 10, runs: 2 }),
  chunk: descend,
  report,
};
