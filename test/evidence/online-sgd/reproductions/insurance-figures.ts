import { digits, type ExperimentClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentCell, ExperimentReport, PaperExperiment } from '../../experiment/experiment.ts';
import {
  BUDGETS,
  bestDecayClaim,
  betterClaim,
  DECAYS,
  decisive,
  divergenceClaim,
  finalMean,
  lineAt,
  outcome,
  type PanelLine,
  type Panels,
  panelReport,
} from './decay-panels.ts';
import type { InsuranceChunk, InsuranceSetting } from './insurance-lines.ts';
import { CHECKPOINTS, insuranceChunk, insuranceRequest, insuranceSmallRun, ROWS, TRAIN } from './insurance-stream.ts';
import { INSURANCE_NOISE } from './insurance-table.ts';

const MODELS = ['linear', 'logistic'] as const;

const GRID = MODELS.flatMap((model) =>
  DECAYS.flatMap((_, decay) => BUDGETS.map((__, budget) => ({ model, decay, budget }))),
);

const SCORES = [
  { name: 'figure-7', model: 'linear', title: 'Insurance, linear regression', score: 'test MSE', at: 0 },
  { name: 'figure-8', model: 'logistic', title: 'Insurance, three classes', score: 'test cross-entropy', at: 0 },
  { name: 'figure-9', model: 'logistic', title: 'Insurance, three classes', score: 'test accuracy', at: 1 },
] as const;

function panelsOf(
  { name, model, title, score, at }: (typeof SCORES)[number],
  results: readonly CellResult<InsuranceSetting, InsuranceChunk>[],
): Panels {
  const lines = GRID.flatMap((place, index): PanelLine[] => {
    if (place.model !== model) return [];
    const runs = results[index].chunks.flat();
    const of = (which: 'last' | 'average'): readonly (readonly number[])[] =>
      runs.map((run) => run[which].map((scores) => scores[at]));
    return [{ ...place, last: of('last'), average: of('average') }];
  });
  const { checkpoints } = results[0].cell.setting;
  return { name, title, score, logarithmic: score !== 'test accuracy', checkpoints, lines };
}

/** That the average is comparable to the one without privacy for μ ≥ 1: the number is ours. */
function comparableClaim(panels: Panels): ExperimentClaim {
  const means = BUDGETS.map((_, budget) => finalMean(lineAt(panels, 1, budget).average).mean);
  return {
    asked: `printed: ${panels.title}: MSE comparable to that without privacy for μ ≥ 1 (here: LDP-ASGD, α = 1/2, at most 1.5 times)`,
    measured: `${[1, 2, 3].map((budget) => `${BUDGETS[budget].label} ${digits(means[budget] / means[4])}`).join(', ')} times`,
    ...outcome(
      [1, 2, 3].every((budget) => means[budget] <= 1.5 * means[4]),
      decisive(panels),
    ),
  };
}

function report(results: readonly CellResult<InsuranceSetting, InsuranceChunk>[]): ExperimentReport {
  const all = SCORES.map((score) => panelsOf(score, results));
  const [linear, entropy] = all;
  return panelReport(all, [
    comparableClaim(linear),
    betterClaim(linear, 1, 'last'),
    betterClaim(linear, 2, 'last'),
    bestDecayClaim(linear, 1, 'average'),
    divergenceClaim(linear, INSURANCE_NOISE),
    betterClaim(entropy, 1, 'last'),
    bestDecayClaim(entropy, 0, 'last'),
  ]);
}

/**
 * Figures 7 to 9 of the non-asymptotic paper, on a synthetic table.
 *
 * @theorem online-rates Figure 7
 * @theorem online-rates Figure 8
 * @theorem online-rates Figure 9
 */
export const insuranceFigures: PaperExperiment<InsuranceSetting, InsuranceChunk> = {
  name: 'insurance-figures',
  title: 'Insurance charges by budget and decay, from a synthetic table',
  source:
    'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Section 6, Figures 7 to 9',
  summary:
    'The synthetic table of the experiment insurance, all columns standardised by public constants. 800,000 rows play once each, in a ' +
    'random order; 200,000 test. Linear regression: Huber loss with c = 1.345. Three classes, charges cut at their 33 % and 66 % points: ' +
    'multinomial logistic regression. Both: Mallows weights, η = 0.5, α = 1/3, 1/2, 2/3 and 1, μ = 0.5, 1, 2, 3 and no privacy, a start ' +
    'from Unif(0, 1), all as printed. The paper shows figures alone, without numbers: what is claimed of them is in its words.',
  version: 1,
  cells: (scale) =>
    GRID.map(({ model, decay, budget }): ExperimentCell<InsuranceSetting> => {
      const [steps, privacy] = [DECAYS[decay], BUDGETS[budget]];
      return {
        key: `${model}-${steps.key}-${privacy.key}`,
        label: `${model}, α = ${steps.text}, ${privacy.label}`,
        setting: {
          model,
          request: { ...insuranceRequest(model, privacy.budget, steps.decay), inference: [] },
          encoding: 'standardised',
          rows: ROWS,
          train: TRAIN,
          checkpoints: CHECKPOINTS,
          size: 1,
          limits: [],
        },
        chunks: scale === 'full' ? 50 : 2,
      };
    }),
  smallRun: insuranceSmallRun,
  chunk: insuranceChunk,
  report,
};
