import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import {
  type BoundedModelRequest,
  boundedModel,
  type CentralRecord,
  meanScore,
} from 'ldpkit/protocols/noisy-gradient-descent';
import { replicationsOf, type TheoremValidation } from '../../experiment/experiment.ts';
import { type Minimiser, minimise, solved } from '../../noisy-fit/minimiser.ts';
import { drawRegression, REGRESSION_MODEL } from '../../noisy-fit/population.ts';
import { type InfluenceChunk, type InfluenceSetting, influenceReport } from './influence-report.ts';

const { hypot, max } = Math;

const DIMENSION = 4;
const TRUTH = [1, 1, 1, 1];
/** Scores as of least squares: no residual is beyond the threshold. */
const SQUARED: BoundedModelRequest = { ...REGRESSION_MODEL, threshold: 1e12 };
const SIZES = [100, 200, 400, 800];
const OUTLIERS = [10, 100, 1000, 10_000];
const LEFT_OUT = 10;
const SIZE = 15;

const distance = (a: Float64Array, b: Float64Array): number => hypot(...a.map((entry, i) => entry - b[i]));

/** By how much the estimate moves if each of the first records is left out, and what M⁻¹Ψ/n says. */
function leaveOut(records: readonly CentralRecord[], { theta, hessian }: Minimiser): { moved: number; missed: number } {
  const model = boundedModel(REGRESSION_MODEL);
  const score = new Float64Array(DIMENSION);
  let moved = 0;
  let missed = 0;
  for (let z = 0; z < LEFT_OUT; z++) {
    const others = records.filter((_, i) => i !== z);
    const { theta: without } = minimise(model, others, theta);
    meanScore(model, [records[z]], theta, score);
    const influence = solved(hessian, score);
    moved += distance(without, theta) ** 2 / LEFT_OUT;
    const rest = without.map((entry, i) => entry - theta[i] - influence[i] / records.length);
    missed += hypot(...rest) ** 2 / LEFT_OUT;
  }
  return { moved, missed };
}

/** n times by how much the estimate moves if one of these records is added, the largest. */
function added(request: BoundedModelRequest, records: readonly CentralRecord[], outliers: readonly CentralRecord[]) {
  const model = boundedModel(request);
  const { theta, curvatures } = minimise(model, records, TRUTH);
  const moved = outliers.map((outlier) => distance(minimise(model, [...records, outlier], theta).theta, theta));
  return { effect: records.length * max(...moved), curvature: curvatures[0] };
}

function chunk({ records: count, outlier, size }: InfluenceSetting, index: number, seed: string): InfluenceChunk {
  const random = seededRandom(`${seed}/noisy influence/${count}`);
  const found = { moved: [] as number[], missed: [] as number[], bounded: [] as number[], unbounded: [] as number[] };
  const model = boundedModel(REGRESSION_MODEL);
  const { from, to } = replicationsOf(index, size);
  for (let replication = from; replication < to; replication++) {
    random.seek(replication);
    const records = drawRegression(count, random);
    if (outlier === 0) {
      const { moved, missed } = leaveOut(records, minimise(model, records, TRUTH));
      found.moved.push(moved);
      found.missed.push(missed);
      continue;
    }
    const direction = new Float64Array(DIMENSION - 1);
    fillNormal(direction, random);
    // Responses far out with features as they are or where their pull is strongest, and features far out themselves.
    const outliers = [1, -1].flatMap((sign): CentralRecord[] => [
      { features: direction, response: sign * outlier },
      { features: direction.map((x) => outlier * x), response: sign * outlier },
    ]);
    const { effect, curvature } = added(REGRESSION_MODEL, records, outliers);
    found.bounded.push((effect * curvature) / model.scoreBound);
    found.unbounded.push((added(SQUARED, records, outliers).effect * curvature) / model.scoreBound);
  }
  return found;
}

/** The influence function. */
export const influence: TheoremValidation<InfluenceSetting, InfluenceChunk> = {
  paper: 'slides',
  theorems: ['M-estimators: properties, influence function', 'M-estimators'],
  name: 'm-estimation-influence',
  title: 'Influence of one record',
  source: 'Slides of Avella-Medina (2023), properties of M-estimators, influence function M⁻¹Ψ',
  summary:
    'Huber regression with σ = 2 known and Mallows weights, minimisers without privacy. Ten records are left out, one at a time, and the ' +
    'estimate moves by M⁻¹Ψ/n but for what is of order n⁻². Then records are added whose response, or response and features, are far ' +
    'out: n times the move stays below B/λ_min(M), the bound on M⁻¹Ψ, but grows without end where the score is that of least squares.',
  version: 1,
  cells: (scale) => {
    const chunks = scale === 'full' ? 40 : 2;
    return [
      ...SIZES.map((records) => ({
        key: `leave-out-${records}`,
        label: `n = ${records}, leaving out`,
        setting: { records, outlier: 0, size: SIZE },
        chunks,
      })),
      ...OUTLIERS.map((outlier) => ({
        key: `outlier-${outlier}`,
        label: `n = 400, adding a record at ${outlier}`,
        setting: { records: 400, outlier, size: SIZE },
        chunks,
      })),
    ];
  },
  smallRun: (setting) => ({ ...setting, records: 100, size: 1 }),
  chunk,
  report: influenceReport,
};
