import { logisticLoss } from 'ldpkit/optimize';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, linearFigure, plainCurve } from '../../experiment/figure.ts';
import {
  type ConstantsChunk,
  type ConstantsSetting,
  MODELS,
  measureConstants,
  type Name,
  RADIUS,
  RIDGE,
} from './loss-constants.ts';

const { abs, max, min } = Math;
const { derivative, secondDerivative } = logisticLoss();

/** G, L and C are sharp: a ratio of them may round above 1. */
const ROUNDING = 1e-9;
/** What Remark 1 prints for logistic regression: elements of the gradient, of the Hessian and of the third derivative. */
const PRINTED = [1, 0.25, 0.097];

/** |f′|, |f″| and |f‴| of the logistic loss at a grid of margins; the third by central differences of the second. */
function logisticCurves() {
  const margins = Array.from({ length: 161 }, (_, i) => -8 + i / 10);
  const h = 1e-4;
  return {
    margins,
    curves: [
      margins.map((t) => abs(derivative(t))),
      margins.map((t) => secondDerivative(t)),
      margins.map((t) => abs(secondDerivative(t + h) - secondDerivative(t - h)) / (2 * h)),
    ],
  };
}

function report(results: readonly CellResult<ConstantsSetting, ConstantsChunk>[]): ExperimentReport {
  const worst = (name: Name, field: keyof ConstantsChunk): readonly number[] =>
    [0, 1, 2].map((k) =>
      max(
        ...results
          .filter(({ cell }) => cell.setting.model === name)
          .flatMap(({ chunks }) => chunks.map((p) => p[field][k])),
      ),
    );
  const logistic = worst('logistic', 'constants');
  const network = worst('perceptron', 'constants');
  const inequalities = worst('logistic', 'inequalities');
  const { margins, curves } = logisticCurves();
  const tops = curves.map((values) => max(...values));
  const show = (values: readonly number[]): string => values.map((value) => digits(value)).join(', ');
  return {
    claims: [
      {
        asked:
          'Remark 1: |f′|, |f″| and |f‴| of the logistic loss are at most 1, .25 and .097, and come within 1 % of them',
        measured: `${tops.map((top) => digits(top, 4)).join(', ')}; the last is 1/(6√3) = ${digits(1 / (6 * Math.sqrt(3)), 5)}`,
        met: tops.every((top, k) => top <= PRINTED[k] && top >= 0.99 * PRINTED[k]),
      },
      {
        asked:
          'Definitions 1 to 3: G, L and C of the logistic regression are not exceeded at random points of the ball, and are nearly met',
        measured: `${show(logistic)} of them at most`,
        met: logistic.every((ratio) => ratio <= 1 + ROUNDING && ratio >= 0.7),
      },
      {
        asked: 'and neither are those of the perceptron, which are safe and not sharp',
        measured: `${show(network)} of them at most`,
        met: network.every((ratio) => ratio <= 1 && ratio > 0.01),
      },
      {
        asked: 'Definition 5, Remark 2 and Lemma 2 hold with μ = λ at every point: the left side is at most the right',
        measured: `${show(inequalities)} of it at most`,
        met: inequalities.every((ratio) => ratio <= 1 && ratio > 0.01),
      },
    ],
    tables: [
      {
        title: 'The largest values met, as fractions of their bounds',
        columns: ['model', 'gradient / G', 'Hessian / L', 'Hessian slope / C'],
        rows: [
          ['logistic regression', ...logistic.map((value) => digits(value))],
          ['perceptron', ...network.map((value) => digits(value))],
        ],
        notes: [
          `Over random points of the ball of radius ${RADIUS} and records of the sphere; λ = ${RIDGE} is part of the losses.`,
        ],
      },
    ],
    figures: [
      linearFigure({
        name: 'influence-remark-1',
        title: 'Derivatives of the logistic loss',
        x: 'margin y⟨θ, x⟩',
        y: 'size of the derivative',
        curves: ['|f′|', 'f″', '|f‴|'].flatMap((name, style) => [
          plainCurve(name, style, margins, curves[style]),
          dashedCurve(
            `claimed: ${PRINTED[style]}`,
            style,
            [min(...margins), max(...margins)],
            [PRINTED[style], PRINTED[style]],
          ),
        ]),
      }),
    ],
    data: { logistic, perceptron: network, inequalities, tops },
  };
}

/** Definitions 1 to 3 and 5, Remarks 1 and 2, Lemma 2. */
export const constants: TheoremValidation<ConstantsSetting, ConstantsChunk> = {
  name: 'influence-remark-1',
  paper: 'influence',
  theorems: ['Definition 1', 'Definition 2', 'Definition 3', 'Remark 1', 'Definition 5', 'Remark 2', 'Lemma 2'],
  title: 'Constants of the losses',
  source:
    'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Sections 3.1 and 4.1',
  summary:
    'The derivatives of the logistic loss against the numbers of Remark 1; G, L and C of the two models, and the three inequalities that the ' +
    'proofs use, at random points of the ball of radius 4 and random records. Squared error is not offered and not looked at.',
  version: 1,
  cells: (scale) =>
    (['logistic', 'perceptron'] as const).map((model) => ({
      key: model,
      label: MODELS[model].name,
      setting: { model, points: scale === 'full' ? 4000 : 250 },
      chunks: scale === 'full' ? 16 : 8,
    })),
  smallRun: (setting) => ({ ...setting, points: 10 }),
  chunk: measureConstants,
  report,
};
