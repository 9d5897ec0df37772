import type { NoisyFitRequest } from '../../protocol/m-estimation/request.ts';
import { seededRandom } from '../../random/seeded.ts';
import { type ExperimentCell, replicationsOf, type Scale } from '../paper-experiment.ts';
import type { TheoremValidation } from '../theorem-validation.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { minimise } from './minimiser.ts';
import { drawRegression, drawStandardDesign, REGRESSION_MODEL } from './population.ts';
import {
  type ErrorAxis,
  type PrivacyErrorPart,
  type PrivacyErrorSetting,
  privacyErrorReport,
} from './privacy-error-report.ts';

const { sqrt } = Math;

const RECORDS = [250, 500, 1000, 2000];
const MUS = [8, 16, 32, 64];
const MULTIPLES = [1, 2, 4];
const DIMENSIONS = [2, 4, 8, 16, 32];
/** n and μ where p grows: enough for noise to be small against τ₁, which falls like 1/p. */
const WIDE = { records: 640, mu: 128 };
const PROBE = { records: 300, mu: 64, size: 1 };

/**
 * Part 2 of the theorem of an algorithm, ‖θ⁽ᴷ⁾ − θ̂‖ = O(√K·p/(μn)): slopes in n, μ, K and p, and the constant.
 *
 * `steps` is the K of the cells in n and μ, and the least of those in K: enough for nothing to be left of the start, which is not noise.
 */
export function privacyErrorValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  steps: number,
): TheoremValidation<PrivacyErrorSetting, PrivacyErrorPart> {
  const { name, key } = algorithm;
  return {
    paper: 'slides',
    theorems: [`Theorem, ${name}, part 2`],
    name: `${key}-privacy-error`,
    title: `Privacy error of ${name}`,
    source: `Slides of Avella-Medina (2023), theorem on ${name}, part 2`,
    summary:
      'Huber regression with σ = 2 known and Mallows weights; every replication draws its records and finds their minimiser θ̂ without ' +
      `privacy. In n, μ and K: the intercept and three features of the authors’ simulations, p = 4; K = ${steps} unless it grows. ` +
      'In p: features N(0, I_p) without an intercept, times √(2/p), so that weights are cut at ‖x‖² = p and τ₁/B² does not depend on ' +
      'p but for a bounded factor, errors in the units of x; and features as they are, where curvature falls like 1/p while B stays.',
    version: 1,
    cells: (scale) => errorCells(scale, steps),
    probe: (setting) => ({ ...setting, ...PROBE }),
    part: (setting, part, seed) => errorPart(algorithm, setting, part, seed),
    report: (results) => privacyErrorReport(algorithm, results),
  };
}

function errorCells(scale: Scale, steps: number): readonly ExperimentCell<PrivacyErrorSetting>[] {
  const full = scale === 'full';
  const cell = (
    axis: ErrorAxis,
    label: string,
    value: number,
    setting: Omit<PrivacyErrorSetting, 'axis'>,
    parts: number,
  ): ExperimentCell<PrivacyErrorSetting> => ({
    key: `${axis}-${value}`,
    label: `${label} = ${value}`,
    setting: { axis, ...setting },
    parts: full ? 20 * parts : parts,
  });
  const base = { dimension: 4, records: 250, mu: 16, steps, size: 30 };
  const wide = { ...WIDE, size: 10 };
  return [
    ...[...RECORDS, ...(full ? [4000, 8000] : [])].map((records) =>
      cell('records', 'n', records, { ...base, records }, records > 1000 ? 1 : 2),
    ),
    ...MUS.map((mu) => cell('mu', 'μ', mu, { ...base, mu }, 2)),
    ...[...MULTIPLES, ...(full ? [8] : [])].map((multiple) =>
      cell('steps', 'K', multiple * steps, { ...base, mu: 64, steps: multiple * steps }, 2),
    ),
    ...DIMENSIONS.map((p) => cell('dimension', 'p', p, { ...wide, dimension: p, steps }, 2)),
    ...DIMENSIONS.slice(1).map((p) =>
      cell('unscaled', 'features as they are, p', p, { ...wide, dimension: p, steps: 0 }, 1),
    ),
  ];
}

/** The request of a setting, and the factor of its features. */
function requestOf({ axis, dimension, records, mu, steps }: PrivacyErrorSetting): {
  readonly request: NoisyFitRequest;
  readonly factor: number;
} {
  const shared = { mu, records, regions: false, force: true, ...(steps === 0 ? {} : { steps }) };
  if (axis !== 'dimension' && axis !== 'unscaled') {
    return { factor: 1, request: { ...shared, model: REGRESSION_MODEL, start: new Array<number>(4).fill(1) } };
  }
  const factor = axis === 'dimension' ? sqrt(2 / dimension) : 1;
  return {
    factor,
    request: {
      ...shared,
      model: { kind: 'huber', features: dimension, scale: 2, intercept: false },
      start: new Array<number>(dimension).fill(1 / factor),
      strongConvexity: 0.4 / dimension,
      // The mean of w(x)·xxᵀ/σ is below 1/p, whichever the factor; as they are, steps stay at the default 1/B̄.
      ...(axis === 'dimension' ? { smoothness: 1 / dimension } : {}),
    },
  };
}

function errorPart<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  setting: PrivacyErrorSetting,
  part: number,
  seed: string,
): PrivacyErrorPart {
  const { dimension, records, size } = setting;
  const { request, factor } = requestOf(setting);
  const plan = algorithm.plan(request);
  const start = request.start ?? [];
  // Cells that differ in μ or K alone meet the same records and coins.
  const random = seededRandom(`${seed}/noisy privacy error/${dimension}/${records}/${factor}`);
  const squared: number[] = [];
  const predicted: number[] = [];
  const { from, to } = replicationsOf(part, size);
  for (let replication = from; replication < to; replication++) {
    random.seek(replication);
    const drawn =
      setting.axis === 'dimension' || setting.axis === 'unscaled'
        ? drawStandardDesign(records, dimension, factor, random)
        : drawRegression(records, random);
    const { theta, curvatures } = minimise(plan.model, drawn, start);
    const fit = algorithm.fit(plan, drawn, random);
    squared.push(factor ** 2 * theta.reduce((sum, entry, i) => sum + (fit.theta[i] - entry) ** 2, 0));
    predicted.push((factor * algorithm.privacyError(plan, curvatures)) ** 2);
  }
  return { squared, predicted, steps: plan.steps };
}
