import { seededRandom } from 'ldpkit';
import { gdpEpsilon } from 'ldpkit/privacy';
import { replicationsOf, type TheoremValidation } from '../experiment/experiment.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { minimise } from './minimiser.ts';
import {
  DELTA,
  type OptimalRateChunk,
  type OptimalRateDesign,
  type OptimalRateSetting,
  optimalRateReport,
} from './optimal-rate-report.ts';
import { drawRegression, REGRESSION_MODEL, SMALL_RUN, squaredDistance } from './population.ts';

const FULL_PARTS = 10;
/** Replications of a chunk of the cell where privacy dominates, and of the others, which share their coins. */
const DOMINATED = 50;
const SHARED = 16;

/** The remark on optimal rates: errors beside the lower bound of Cai, Wang and Zhang. */
export function optimalRateValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  design: OptimalRateDesign,
): TheoremValidation<OptimalRateSetting, OptimalRateChunk> {
  const { name, key } = algorithm;
  const { records: sizes, mus } = design;
  const cells = [
    ...sizes.map((records) => ({ mu: mus[0], records, size: records === sizes[0] ? DOMINATED : SHARED })),
    ...mus.slice(1).map((mu) => ({ mu, records: sizes[0], size: SHARED })),
  ];
  const largest = Math.max(...sizes);
  return {
    paper: 'slides',
    theorems: ['Remark, optimal rates of convergence'],
    name: `${key}-optimal-rate`,
    title: `Error of ${name} beside the lower-bound curve`,
    source: 'Slides of Avella-Medina (2023), remark on optimal rates; Cai, Wang, Zhang (2021), The cost of privacy',
    summary:
      'Huber regression with σ = 2 known, four coefficients 1, all of μ for the steps, θ⁽⁰⁾ = 0. The curve is ' +
      `σ·(√(p/n) + p·√log(1/δ)/(nε)) at δ = ${DELTA} and the ε that μ implies there. The lower bound is quoted, not proved here, and its ` +
      'constant is not stated. The part of the error that is for ' +
      'privacy, the distance to the minimiser on the same records, is measured by itself against that term; K is what its rule says ' +
      'at the largest n, so that the √K that an algorithm has on top of the rate does not change.',
    version: 2,
    cells: (scale) =>
      cells.map((setting) => ({
        key: `mu-${String(setting.mu).replace('.', '-')}-n-${setting.records}`,
        label: `μ = ${setting.mu}, n = ${setting.records}`,
        setting,
        chunks: scale === 'full' ? FULL_PARTS : 1,
      })),
    smallRun: (setting) => ({ ...setting, mu: 1, records: SMALL_RUN, size: 1 }),
    chunk({ mu, records, size }, chunk, seed) {
      const request = { model: REGRESSION_MODEL, regions: false, force: true };
      const { steps } = algorithm.plan({ ...request, mu, records: largest });
      const plan = algorithm.plan({ ...request, mu, records, steps });
      // Cells meet the same coins, and those of one n the same records: their errors differ by the rate and little else.
      const random = seededRandom(`${seed}/noisy optimal rate/${records}`);
      const coins = seededRandom(`${seed}/noisy optimal rate/coins`);
      const squared: number[] = [];
      const privacy: number[] = [];
      const { from, to } = replicationsOf(chunk, size);
      for (let replication = from; replication < to; replication++) {
        random.seek(replication);
        coins.seek(replication);
        const drawn = drawRegression(records, random);
        const { theta } = algorithm.fit(plan, drawn, coins);
        const minimiser = minimise(plan.model, drawn, [1, 1, 1, 1]);
        squared.push(squaredDistance(theta));
        privacy.push(theta.reduce((sum, entry, i) => sum + (entry - minimiser.theta[i]) ** 2, 0));
      }
      return { squared, privacy, epsilon: gdpEpsilon(mu, DELTA) };
    },
    report: (results) => optimalRateReport(algorithm, design, results),
  };
}
