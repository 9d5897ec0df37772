import { gdpEpsilon } from '../../privacy/gaussian.ts';
import { minimaxErrorRate } from '../../protocol/m-estimation/conditions.ts';
import { seededRandom } from '../../random/seeded.ts';
import { type CellResult, type ExperimentClaim, type ExperimentReport, replicationsOf } from '../paper-experiment.ts';
import { DEVIATIONS, digits, measuredCurve, plusMinus, type RatePoint, rateFit, ratePoints } from '../rate-fit.ts';
import type { TheoremValidation } from '../theorem-validation.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { drawRegression, PROBE, REGRESSION_MODEL, squaredDistance } from './population.ts';

/** Replications of one n and one μ. */
export type OptimalRateSetting = { readonly mu: number; readonly records: number; readonly size: number };

/** ‖θ⁽ᴷ⁾ − θ₀‖² by replication. */
export type OptimalRatePart = { readonly squared: readonly number[] };

const MUS = [0.5, 1];
/** n, and replications of a part. */
const SIZES: readonly (readonly [number, number])[] = [
  [1000, 40],
  [2000, 40],
  [4000, 30],
  [8000, 20],
];
const MORE: readonly (readonly [number, number])[] = [[16_000, 20]];
const FULL_PARTS = 10;
/** δ at which the curve is drawn; the ε that goes with it is that of μ. */
const DELTA = 1e-5;
/** Fixed multiples of the curve that errors have to stay within; its constant is not stated. */
const RANGE = [0.5, 3] as const;

/** The lower-bound curve in n at the (ε, δ) that μ implies. */
function curve(mu: number, records: number): number {
  return minimaxErrorRate({ deviation: 2, dimension: 4, records, epsilon: gdpEpsilon(mu, DELTA), delta: DELTA });
}

/** The remark on optimal rates: errors beside the lower bound of Cai, Wang and Zhang. */
export function optimalRateValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
): TheoremValidation<OptimalRateSetting, OptimalRatePart> {
  const { name, key } = algorithm;
  return {
    paper: 'slides',
    theorems: ['Remark, optimal rates of convergence'],
    name: `${key}-optimal-rate`,
    title: `Error of ${name} beside the lower-bound curve`,
    source: 'Slides of Avella-Medina (2023), remark on optimal rates; Cai, Wang, Zhang (2021), The cost of privacy',
    summary:
      'Huber regression with σ = 2 known, four coefficients 1, all of μ for the steps, K from its rule, θ⁽⁰⁾ = 0. The curve is ' +
      `σ·(√(p/n) + p·√log(1/δ)/(nε)) at δ = ${DELTA} and the ε that μ implies there. The lower bound is quoted, not proved here, and its ` +
      'constant is not stated: what is measured is that errors stay within fixed multiples of the curve.',
    version: 1,
    cells: (scale) =>
      MUS.flatMap((mu) =>
        [...SIZES, ...(scale === 'full' ? MORE : [])].map(([records, size]) => ({
          key: `mu-${String(mu).replace('.', '-')}-n-${records}`,
          label: `μ = ${mu}, n = ${records}`,
          setting: { mu, records, size },
          parts: scale === 'full' ? FULL_PARTS : 1,
        })),
      ),
    probe: (setting) => ({ ...setting, records: PROBE, size: 1 }),
    part({ mu, records, size }, part, seed) {
      const plan = algorithm.plan({ mu, records, model: REGRESSION_MODEL, regions: false, force: true });
      const random = seededRandom(`${seed}/noisy optimal rate/${mu}/${records}`);
      const squared: number[] = [];
      const { from, to } = replicationsOf(part, size);
      for (let replication = from; replication < to; replication++) {
        random.seek(replication);
        squared.push(squaredDistance(algorithm.fit(plan, drawRegression(records, random), random).theta));
      }
      return { squared };
    },
    report: (results) => report(algorithm, results),
  };
}

interface Line {
  readonly mu: number;
  readonly points: readonly RatePoint[];
  readonly ratios: readonly RatePoint[];
}

/** Claims are off by {@link DEVIATIONS} standard errors of root means of 20 to 40 sums of four squares: below 1e-3 each. */
function report(
  { name, key }: { readonly name: string; readonly key: string },
  results: readonly CellResult<OptimalRateSetting, OptimalRatePart>[],
): ExperimentReport {
  const lines = MUS.map((mu): Line => {
    const used = results.filter(({ cell }) => cell.setting.mu === mu);
    const points = ratePoints(
      used.map(({ cell }) => cell.setting.records),
      used.map(({ parts }) => parts.flatMap(({ squared }) => squared)),
    );
    return { mu, points, ratios: points.map((point) => ({ ...point, y: point.y / curve(mu, point.x) })) };
  });
  return {
    claims: lines.flatMap(({ mu, ratios }) => [withinClaim(mu, ratios), slopeBelowClaim(mu, ratios)]),
    tables: [
      {
        title: `√E‖θ⁽ᴷ⁾ − θ₀‖² of ${name}`,
        columns: ['μ', 'n', 'measured', 'curve', 'ratio'],
        rows: lines.flatMap(({ mu, points }) =>
          points.map(({ x, y, relative }) => [
            String(mu),
            String(x),
            plusMinus(y, y * relative),
            digits(curve(mu, x)),
            digits(y / curve(mu, x)),
          ]),
        ),
        notes: ['Only the slopes of the curve mean something: its constant is not stated.'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: `${key}-optimal-rate`,
        title: `Error of ${name} beside the lower-bound curve of Cai, Wang and Zhang`,
        x: { label: 'records n', logarithmic: true },
        y: { label: '√E‖θ⁽ᴷ⁾ − θ₀‖²', logarithmic: true },
        curves: lines.flatMap(({ mu, points }, style) => [
          measuredCurve(`measured, μ = ${mu}`, style, points),
          {
            name: `lower bound up to a constant, μ = ${mu}`,
            style,
            dashed: true,
            points: points.map(({ x }) => ({ x, y: curve(mu, x) })),
          },
        ]),
        levels: [],
      },
    ],
    data: lines.map(({ mu, points }) => ({ mu, points: points.map((point) => ({ ...point })) })),
  };
}

function withinClaim(mu: number, ratios: readonly RatePoint[]): ExperimentClaim {
  const [low, high] = RANGE;
  return {
    asked: `μ = ${mu}: errors are ${low} to ${high} times the curve at every n, but for ${DEVIATIONS} standard errors`,
    measured: ratios.map(({ x, y }) => `${digits(y)} at n = ${x}`).join(', '),
    met: ratios.every(
      ({ y, relative }) => y * (1 + DEVIATIONS * relative) >= low && y * (1 - DEVIATIONS * relative) <= high,
    ),
  };
}

/** An estimator that is not of the best rate gets away from the curve. */
function slopeBelowClaim(mu: number, ratios: readonly RatePoint[]): ExperimentClaim {
  const { slope, error } = rateFit(ratios);
  const most = DEVIATIONS * error;
  return {
    asked: `μ = ${mu}: errors do not get away from the curve: slope of their ratio in n at most ${digits(most, 2)}`,
    measured: plusMinus(slope, error),
    met: slope <= most,
  };
}
