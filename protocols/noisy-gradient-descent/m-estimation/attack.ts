import type { Auditing, AuditPair } from '../../../src/core/auditing.ts';
import { unpackSymmetric } from '../../../src/inference/block-sums.ts';
import type { NoisyFit } from './fit.ts';
import { type BoundedModel, type CentralRecord, curvatureMoment, meanScore, scoreMoment } from './model.ts';
import type { SandwichNoise } from './request.ts';

const { sqrt } = Math;

/** A response so far away that the score has its largest length at every iterate. */
const FAR = 1e9;

/** The part of a plan that an attack reads. */
interface AttackedPlan {
  readonly records: number;
  readonly model: BoundedModel;
  readonly sandwich?: SandwichNoise;
}

/** Records of a curator, of which the attacker knows all but the first. */
export type AttackedRecords = readonly CentralRecord[];

/**
 * Pairs of data that differ in the first record, of full weight ‖(1, x)‖² = 2. First pair: its response is far above or
 * far below, which reverses its score. Second: two orthogonal records with far responses, which also give the largest
 * change of the second moment of scores. Third: the same with responses on the model at 0, which change the Hessian
 * only. All other records have the response 0, and lie on the axes in turn.
 */
function neighbours({ records, model }: AttackedPlan): readonly AuditPair<AttackedRecords>[] {
  const { scores } = model;
  const { intercept, width } = scores;
  const features = width - (intercept ? 1 : 0);
  const edge = intercept ? 1 : sqrt(2);
  const axis = (which: number, length: number): Float64Array =>
    Float64Array.from({ length: features }, (_, j) => (j === which % features ? length : 0));
  const others = Array.from(
    { length: records - 1 },
    (_, i): CentralRecord => ({ features: axis(i >> 1, i % 2 === 0 ? edge : -edge), response: 0 }),
  );
  const pair = (name: string, first: CentralRecord, second: CentralRecord): AuditPair<AttackedRecords> => ({
    name,
    first: [first, ...others],
    second: [second, ...others],
  });
  // With an intercept (1, x) and (1, −x) are orthogonal at the edge of full weight.
  const orthogonal = intercept ? axis(0, -edge) : axis(1, edge);
  const far = (x: Float64Array, response: number): CentralRecord => ({ features: x, response });
  return [
    pair('opposite responses', far(axis(0, edge), FAR), far(axis(0, edge), -FAR)),
    ...(intercept || features > 1
      ? [
          pair('orthogonal features, far responses', far(axis(0, edge), FAR), far(orthogonal, FAR)),
          pair('orthogonal features, responses on the model', far(axis(0, edge), 0), far(orthogonal, 0)),
        ]
      : []),
  ];
}

/** The log likelihood ratio of the two matrices of the sandwich, given the last iterate. */
function sandwichLogRatio(
  { model, sandwich }: AttackedPlan,
  { theta, region }: NoisyFit,
  { first, second }: AuditPair<AttackedRecords>,
): number {
  if (sandwich === undefined || region === undefined) return 0;
  const { dimension } = model;
  const ratio = (released: Float64Array, one: Float64Array, other: Float64Array, sigma: number): number => {
    let sum = 0;
    for (let i = 0, k = 0; i < dimension; i++) {
      for (let j = 0; j <= i; j++, k++) {
        const at = released[i * dimension + j];
        sum += (one[k] - other[k]) * (2 * at - one[k] - other[k]);
      }
    }
    return sum / (2 * sigma * sigma);
  };
  const [hessians, scores] = [curvatureMoment, scoreMoment].map((moment) =>
    [first, second].map((records) => moment(model, records, theta)),
  );
  return (
    ratio(region.hessian, hessians[0], hessians[1], sandwich.hessian) +
    ratio(region.scores, scores[0], scores[1], sandwich.scores)
  );
}

/** Log of the density of N(mean, σ²) over that of N(other, σ²) at a point, coordinate by coordinate. */
function normalLogRatio(point: Float64Array, mean: Float64Array, other: Float64Array, variance: number): number {
  let sum = 0;
  for (let i = 0; i < point.length; i++) sum += (mean[i] - other[i]) * (2 * point[i] - mean[i] - other[i]);
  return sum / (2 * variance);
}

/** The release as numbers: the displacement of every step, and the distinct entries of both matrices. */
function releasedNumbers({ model }: AttackedPlan, { iterates, region }: NoisyFit): Float64Array {
  const { dimension } = model;
  const numbers: number[] = [];
  for (let k = 1; k < iterates.length; k++) {
    for (let i = 0; i < dimension; i++) numbers.push(iterates[k][i] - iterates[k - 1][i]);
  }
  for (const matrix of region === undefined ? [] : [region.hessian, region.scores]) {
    for (let i = 0; i < dimension; i++) for (let j = 0; j <= i; j++) numbers.push(matrix[i * dimension + j]);
  }
  return Float64Array.from(numbers);
}

/** The noise of the steps of an algorithm: first the steps along a noisy gradient, then those of noisy Newton. */
export interface AttackedSteps {
  /** Steps along −g̃: their number, their size, and the standard deviation of the noise on every coordinate. */
  readonly gradient: { readonly steps: number; readonly step: number; readonly noise: number };
  /**
   * Newton steps −H̃⁻¹g̃: standard deviations of the noise on the gradient and on every distinct entry of the Hessian.
   */
  readonly newton?: { readonly gradient: number; readonly hessian: number };
}

/**
 * What an audit of a curator may use: the attacker knows all records except the first. Iterates show every noisy
 * gradient, g̃ = (θ⁽ᵏ⁾ − θ⁽ᵏ⁺¹⁾)/η, and the sandwich is released unchanged. So their likelihood ratio is known exactly.
 * A Newton step Δ = −H̃⁻¹g̃ shows only that g̃ + H̃Δ = 0: given Δ, −(g + HΔ) is noise of variance σ_g² + σ_H²‖Δ‖² or,
 * in one direction, a little more.
 *
 * Law: the ratio of a Newton step is an approximation, so it proves less than the best attack could. The result is
 * still valid, because the audit counts events.
 */
export function auditingOf<Plan extends AttackedPlan>(
  stepsOf: (plan: Plan) => AttackedSteps,
): Auditing<Plan, AttackedRecords, NoisyFit> {
  return {
    pairs: neighbours,
    view: releasedNumbers,
    logLikelihoodRatio(plan, pair) {
      const { model } = plan;
      // A step that was projected back to the least scale does not show its gradient.
      if (model.leastScale !== undefined) return undefined;
      const { gradient, newton } = stepsOf(plan);
      const { dimension } = model;
      const [point, move, one, other] = [0, 1, 2, 3].map(() => new Float64Array(dimension));
      const zero = new Float64Array(dimension);
      /** The centre of the noise of a step: the mean score, plus H·Δ for a Newton step. */
      const centre = (records: AttackedRecords, theta: Float64Array, target: Float64Array, curved: boolean): void => {
        meanScore(model, records, theta, target);
        if (!curved) return;
        const hessian = unpackSymmetric(curvatureMoment(model, records, theta), dimension);
        for (let i = 0; i < dimension; i++) {
          for (let j = 0; j < dimension; j++) target[i] += hessian[i * dimension + j] * move[j];
        }
      };
      return (fit) => {
        const { iterates } = fit;
        let sum = sandwichLogRatio(plan, fit, pair);
        for (let k = 0; k + 1 < iterates.length; k++) {
          let squared = 0;
          for (let i = 0; i < dimension; i++) {
            move[i] = iterates[k + 1][i] - iterates[k][i];
            point[i] = -move[i] / gradient.step;
            squared += move[i] * move[i];
          }
          const curved = k >= gradient.steps;
          centre(pair.first, iterates[k], one, curved);
          centre(pair.second, iterates[k], other, curved);
          const variance =
            curved && newton !== undefined ? newton.gradient ** 2 + newton.hessian ** 2 * squared : gradient.noise ** 2;
          sum += normalLogRatio(curved ? zero : point, one, other, variance);
        }
        return sum;
      };
    },
  };
}
