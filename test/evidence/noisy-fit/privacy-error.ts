import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import type { NoisyFitRequest } from 'ldpkit/protocols/noisy-gradient-descent';
import { type ExperimentCell, replicationsOf, type Scale, type TheoremValidation } from '../experiment/experiment.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { minimise } from './minimiser.ts';
import { drawRegression, drawStandardDesign, REGRESSION_MODEL } from './population.ts';
import type { ErrorAxis, PrivacyErrorChunk, PrivacyErrorSetting } from './privacy-error-axes.ts';
import { privacyErrorReport } from './privacy-error-report.ts';

const { sqrt, SQRT2 } = Math;

const RECORDS = [250, 500, 1000, 2000];
const MUS = [8, 16, 32, 64];
const MULTIPLES = [1, 2, 4];
const DIMENSIONS = [2, 4, 8, 16, 32];
/** Squares of p coordinates scatter like 1/√p. */
const WIDE_PARTS = [6, 4, 3, 2, 2];
const UNSCALED_PARTS = [4, 3, 2, 1];
/** 2B = 2·√2·c, written out so that it does not come from where plans have it. */
const APART = 2 * SQRT2 * 1.345;
/** n and μ where p grows: enough for noise to be small against τ₁, which falls like 1/p. */
const WIDE = { records: 640, mu: 128 };
const SMALL_RUN = { records: 300, mu: 64, size: 1 };

/**
 * Part 2 of the theorem of an algorithm, ‖θ⁽ᴷ⁾ − θ̂‖ = O(√K·p/(μn)): slopes in n, μ, K and p, and the constant.
 *
 * `steps` is the K of the cells in n and μ, and the least of those in K: enough for nothing to be left of the start, which is not noise.
 */
export function privacyErrorValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  steps: number,
): TheoremValidation<PrivacyErrorSetting, PrivacyErrorChunk> {
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
    version: 2,
    cells: (scale) => errorCells(scale, steps),
    smallRun: (setting) => ({ ...setting, ...SMALL_RUN }),
    chunk: (setting, chunk, seed) => errorChunk(algorithm, setting, chunk, seed),
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
    chunks: number,
  ): ExperimentCell<PrivacyErrorSetting> => ({
    key: `${axis}-${value}`,
    label: `${label} = ${value}`,
    setting: { axis, ...setting },
    chunks: full ? 20 * chunks : chunks,
  });
  const base = { dimension: 4, records: 250, mu: 16, steps, skipped: 0, size: 30 };
  const wide = { ...WIDE, skipped: 0, size: 10 };
  const last = MULTIPLES[MULTIPLES.length - 1];
  return [
    ...[...RECORDS, ...(full ? [4000, 8000] : [])].map((records) =>
      cell('records', 'n', records, { ...base, records }, records === RECORDS[0] ? 12 : 1),
    ),
    ...MUS.map((mu) => cell('mu', 'μ', mu, { ...base, mu }, 1)),
    ...MULTIPLES.map((multiple) =>
      cell(
        'steps',
        'K',
        multiple * steps,
        { ...base, mu: 64, steps: multiple * steps, skipped: (last - multiple) * steps },
        1,
      ),
    ),
    ...DIMENSIONS.map((p, i) => cell('dimension', 'p', p, { ...wide, dimension: p, steps }, WIDE_PARTS[i])),
    ...DIMENSIONS.slice(1).map((p, i) =>
      cell('unscaled', 'features as they are, p', p, { ...wide, dimension: p, steps: 0 }, UNSCALED_PARTS[i]),
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

function errorChunk<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  setting: PrivacyErrorSetting,
  chunk: number,
  seed: string,
): PrivacyErrorChunk {
  const { axis, dimension, records, mu, skipped, size } = setting;
  const { request, factor } = requestOf(setting);
  const plan = algorithm.plan(request);
  const { steps } = plan;
  const start = request.start ?? [];
  const noise = (APART * sqrt(steps)) / (records * mu * sqrt(algorithm.gradientShare));
  const step = axis === 'dimension' ? dimension : 1;
  // Cells that differ in n, μ or K alone meet the same coins, those of the last steps the same, and in μ or K the same records.
  const random = seededRandom(`${seed}/noisy privacy error/${dimension}/${records}/${factor}`);
  const coins = seededRandom(`${seed}/noisy privacy error/coins/${dimension}/${factor}`);
  const unused = algorithm.normals(dimension).map((count) => new Float64Array(count));
  const found = { squared: [] as number[], expected: [] as number[], claimed: [] as number[] };
  for (const replication of replicationsOf(chunk, size)) {
    random.seek(replication);
    coins.seek(replication);
    for (let k = 0; k < skipped; k++) for (const target of unused) fillNormal(target, coins);
    const drawn =
      axis === 'dimension' || axis === 'unscaled'
        ? drawStandardDesign(records, dimension, factor, random)
        : drawRegression(records, random);
    const { theta, curvatures } = minimise(plan.model, drawn, start);
    const fit = algorithm.fit(plan, drawn, coins);
    found.squared.push(factor ** 2 * theta.reduce((sum, entry, i) => sum + (fit.theta[i] - entry) ** 2, 0));
    found.expected.push((factor * noise) ** 2 * algorithm.spread(curvatures, step, steps));
    found.claimed.push((factor * algorithm.privacyError(plan, curvatures)) ** 2);
  }
  return { ...found, steps };
}
