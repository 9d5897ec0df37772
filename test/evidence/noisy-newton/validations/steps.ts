import { type Random, seededRandom } from 'ldpkit';
import { fillNormal, fillSphere, uniform } from 'ldpkit/mechanism';
import { mallowsWeight } from 'ldpkit/optimize';
import { type BoundedModelRequest, type CentralRecord, meanScore } from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, solve } from 'ldpkit/protocols/noisy-newton';
import { replicationsOf, type TheoremValidation } from '../../experiment/experiment.ts';
import { minimise } from '../../noisy-fit/minimiser.ts';
import { edge, isRefused, SILENT, THIRD } from './edge.ts';
import { type NewtonStepsChunk, type NewtonStepsSetting, stepsReport } from './steps-report.ts';

const { exp, hypot } = Math;

const MODEL: BoundedModelRequest = { kind: 'logistic', features: 3 };
const DIMENSION = 4;
const STEPS = 5;
const SHARES = [0.25, 0.5, 1];
const SIZE = 10;

function draw(count: number, random: Random): CentralRecord[] {
  return Array.from({ length: count }, () => {
    const features = new Float64Array(3);
    fillNormal(features, random);
    const inner = 0.5 + 0.5 * (features[0] + features[1] + features[2]);
    return { features, response: uniform(random) < 1 / (1 + exp(-inner)) ? 1 : 0 };
  });
}

/** A bound on how fast the Hessian changes: sup |f‴| times the mean of w(x)·‖x‖³, intercepts counted. */
function lipschitz(records: readonly CentralRecord[]): number {
  const sum = records.reduce((total, { features }) => {
    const squared = 1 + (features as Float64Array).reduce((square, x) => square + x * x, 0);
    return total + mallowsWeight(squared) * squared ** 1.5;
  }, 0);
  return (THIRD * sum) / records.length;
}

/**
 * τ₁ is half of the least curvature at θ̂, which it is not below within λ_min/(2L) = τ₁/L of θ̂. A start whose gradient is τ₁²/L at most
 * is no farther than that, so that the conditions of the theorem hold with numbers that are computed, not believed.
 */
function chunk(setting: NewtonStepsSetting, index: number, seed: string): NewtonStepsChunk {
  const { share, records: count, size } = setting;
  if (setting.edge) return edge(setting);
  const random = seededRandom(`${seed}/noisy Newton steps/${share}`);
  const found = { gradients: [] as number[][], distances: [] as number[][], accepted: 0, refused: 0 };
  const request = { mu: SILENT, records: count, model: MODEL, warmUp: 0, steps: STEPS, regions: false, force: true };
  const { model } = newton(request);
  const score = new Float64Array(DIMENSION);
  const gradientAt = (theta: Float64Array): number => {
    meanScore(model, records, theta, score);
    return hypot(...score);
  };
  let records: readonly CentralRecord[] = [];
  const direction = new Float64Array(DIMENSION);
  const { from, to } = replicationsOf(index, size);
  for (let replication = from; replication < to; replication++) {
    random.seek(replication);
    records = draw(count, random);
    const { theta, curvatures } = minimise(model, records, new Float64Array(DIMENSION));
    const hessianLipschitz = lipschitz(records);
    const strongConvexity = curvatures[0] / 2;
    const allowed = strongConvexity ** 2 / hessianLipschitz;
    fillSphere(direction, random);
    const at = (distance: number): Float64Array => theta.map((entry, i) => entry + distance * direction[i]);
    // The gradient grows along a ray from the minimiser of a convex loss.
    let [low, high] = [0, strongConvexity / hessianLipschitz];
    for (let k = 0; k < 50; k++) {
      const middle = (low + high) / 2;
      if (gradientAt(at(middle)) <= share * allowed) low = middle;
      else high = middle;
    }
    const planFrom = (distance: number) =>
      newton({ ...request, start: Array.from(at(distance)), strongConvexity, hessianLipschitz, hessianFloor: 0 });
    const { iterates } = solve(planFrom(low), records, random);
    found.accepted++;
    found.gradients.push(
      iterates.map((iterate) => (hessianLipschitz / (2 * strongConvexity ** 2)) * gradientAt(iterate)),
    );
    found.distances.push(iterates.map((iterate) => hypot(...iterate.map((entry, i) => entry - theta[i]))));
    if (isRefused(() => solve(planFrom((10 * low) / share), records, random))) found.refused++;
  }
  return found;
}

/** The conditions of the theorem. */
export const steps: TheoremValidation<NewtonStepsSetting, NewtonStepsChunk> = {
  paper: 'slides',
  theorems: ['Theorem, noisy Newton, conditions'],
  name: 'noisy-newton-steps',
  title: 'Steps that noisy Newton needs, and the start',
  source: 'Slides of Avella-Medina (2023), theorem on noisy Newton, K ≥ C·log log n and ‖∇L_n(θ⁽⁰⁾)‖ ≤ τ₁²/L',
  summary:
    'Logistic regression with Mallows weights, an intercept and three normal features, n = 400; starts in a random direction from the ' +
    'minimiser with gradients of a quarter, half and all of τ₁²/L, L from the records and τ₁ half of the least curvature at the ' +
    'minimiser; and the hardest start, of one parameter where the curvature changes fastest. No noise, and no warm-up: what is left of a start is a matter of K alone.',
  version: 2,
  cells: (scale) => [
    ...SHARES.map((share) => ({
      key: `share-${String(share).replace('.', '-')}`,
      label: `gradient ${share} of τ₁²/L`,
      setting: { share, records: 400, edge: false, size: SIZE },
      chunks: scale === 'full' ? 200 : 4,
    })),
    {
      key: 'edge',
      label: 'the hardest start',
      setting: { share: 1, records: 400, edge: true, size: 1 },
      chunks: 1,
    },
  ],
  smallRun: (setting) => ({ ...setting, records: 100, size: 1 }),
  chunk,
  report: stepsReport,
};
