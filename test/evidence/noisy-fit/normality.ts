import { seededRandom } from 'ldpkit';
import { ellipsoidDistance } from 'ldpkit/inference';
import { fitEllipsoid, fitIntervals } from 'ldpkit/protocols/noisy-gradient-descent';
import { replicationsOf, type TheoremValidation } from '../experiment/experiment.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { minimise } from './minimiser.ts';
import { type NormalityChunk, type NormalitySetting, normalityReport } from './normality-report.ts';
import { drawRegression, REGRESSION_MODEL, SMALL_RUN, squaredDistance } from './population.ts';

const { abs, sqrt } = Math;

const DIMENSION = 4;
const TRUTH = [1, 1, 1, 1];
const NORMAL_95 = 1.959963984540054;
const SIZE = 20;
/** n, and chunks at the quick scale. */
const SIZES: readonly (readonly [number, number])[] = [
  [500, 26],
  [1000, 12],
  [2000, 6],
  [4000, 4],
];
const FULL_PARTS = 100;

/** Part 3 of the theorem of an algorithm: normal around θ₀ with the sandwich. */
export function normalityValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
): TheoremValidation<NormalitySetting, NormalityChunk> {
  const { name, key } = algorithm;
  return {
    paper: 'slides',
    theorems: [`Theorem, ${name}, part 3`],
    name: `${key}-normality`,
    title: `Asymptotic normality of ${name}`,
    source: `Slides of Avella-Medina (2023), theorem on ${name}, part 3; Avella-Medina, Bradshaw, Loh (2023), simulations`,
    summary:
      'Huber regression with σ = 2 known, four coefficients 1, an intercept among them, μ = 1 for iterates and sandwich together, K from ' +
      'its rule, θ⁽⁰⁾ = 0. Private 95 % intervals are counted with the covariance of the injected noise, and with the sandwich alone; the noise of the steps is ' +
      'measured as the distance to the minimiser on the same records.',
    version: 2,
    cells: (scale) =>
      SIZES.map(([records, chunks]) => ({
        key: `n-${records}`,
        label: `n = ${records}`,
        setting: { mu: 1, records, size: SIZE },
        chunks: scale === 'full' ? FULL_PARTS : chunks,
      })),
    smallRun: (setting) => ({ ...setting, records: SMALL_RUN, size: 1 }),
    chunk: (setting, chunk, seed) => normalityChunk(algorithm, setting, chunk, seed),
    report: (results) => normalityReport(algorithm, results),
  };
}

function normalityChunk<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  { mu, records, size }: NormalitySetting,
  chunk: number,
  seed: string,
): NormalityChunk {
  const plan = algorithm.plan({ mu, records, model: REGRESSION_MODEL });
  const random = seededRandom(`${seed}/noisy normality/${records}`);
  const covered: number[] = [];
  const uncorrected: number[] = [];
  const joint: number[] = [];
  const standardised: number[] = [];
  const noise: number[] = [];
  const clean: number[] = [];
  const injected: number[] = [];
  const trace = (matrix: Float64Array): number => TRUTH.reduce((sum, _, j) => sum + matrix[j * (DIMENSION + 1)], 0);
  const { from, to } = replicationsOf(chunk, size);
  for (let replication = from; replication < to; replication++) {
    random.seek(replication);
    const drawn = drawRegression(records, random);
    const fit = algorithm.fit(plan, drawn, random);
    if (fit.region === undefined) throw new RangeError('"plan" expected one with regions');
    const { region, theta } = fit;
    const share = (of: (j: number) => boolean): number => TRUTH.filter((_, j) => of(j)).length / DIMENSION;
    const intervals = fitIntervals(fit, { level: 0.95 });
    covered.push(share((j) => intervals[j].low <= TRUTH[j] && TRUTH[j] <= intervals[j].high));
    uncorrected.push(share((j) => abs(theta[j] - TRUTH[j]) <= NORMAL_95 * sqrt(region.sampling[j * (DIMENSION + 1)])));
    joint.push(ellipsoidDistance(fitEllipsoid(fit, { level: 0.95 }), TRUTH) <= 1 ? 1 : 0);
    standardised.push(
      TRUTH.reduce((sum, at, j) => sum + (theta[j] - at) ** 2 / region.covariance[j * (DIMENSION + 1)], 0) / DIMENSION,
    );
    const minimiser = minimise(plan.model, drawn, TRUTH).theta;
    noise.push(theta.reduce((sum, entry, j) => sum + (entry - minimiser[j]) ** 2, 0));
    clean.push(squaredDistance(minimiser));
    injected.push(trace(region.injected));
  }
  return { covered, uncorrected, joint, standardised, noise, clean, injected, steps: plan.steps };
}
