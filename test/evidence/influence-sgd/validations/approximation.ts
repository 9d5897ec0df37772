import { seededRandom } from 'ldpkit';
import { innerProduct, symmetricEigen } from 'ldpkit/optimize';
import {
  type CentralRecords,
  choleskySolver,
  empiricalHessian,
  fillRecordGradient,
  influence,
  logisticRegression,
  type Model,
  optimum,
} from 'ldpkit/protocols/influence-sgd';
import { drawRecords, withoutRecord } from './logistic-records.ts';

const { exp, max, sqrt } = Math;

/** Radius of the space of parameters where a record is alone in its direction. */
export const LONE_RADIUS = 0.01;
/** Radius of the space of parameters: it holds every optimum. */
const RADIUS = { even: 5, flat: 100, lone: LONE_RADIUS } as const;
const FEATURES = { even: 3, flat: 2, lone: 2 } as const;
/** Records of a data set that are left out, each in turn. */
export const LEFT_OUT = 24;

/** Well-conditioned data; data whose second feature hardly varies; and data of which one record is alone in its direction. */
export type DataLaw = 'even' | 'flat' | 'lone';

/** One data set of n records. */
export type ApproximationSetting = {
  readonly data: DataLaw;
  /** λ, which is ζ. */
  readonly ridge: number;
  readonly records: number;
  readonly leftOut: number;
};

/** Over the records left out of one data set. */
export type ApproximationChunk = {
  /** Root mean square of the error of c_z, and of what it approximates. */
  readonly error: number;
  readonly change: number;
  /** Root mean square of what the error is to second order: ‖H⁻¹(∇²ℓ·v − ½∇³L[v, v])‖/n², v = H⁻¹∇ℓ. */
  readonly expected: number;
  /** The largest error. */
  readonly largest: number;
  /** Extreme eigenvalues of the Hessian at the optimum. */
  readonly least: number;
  readonly greatest: number;
};

/**
 * With `flat` the second feature is a hundredth of what it was and labels alternate: eigenvalues of about .12 and .00001. With `lone`
 * all records but the first are at e₁ with alternating labels and the first is e₂: its direction has no other curvature than λ and
 * its own, and the optimum is next to the origin.
 */
function drawn({ data, records }: ApproximationSetting, chunk: number, seed: string): CentralRecords {
  const even = drawRecords(records, FEATURES[data], seededRandom(`${seed} theorem 4 ${data} ${records} ${chunk}`));
  if (data === 'even') return even;
  return {
    ...even,
    features: (even.features as Float64Array).map((x, i) => {
      if (data === 'lone') return i < 2 ? i : 1 - (i % 2);
      return i % 2 === 0 ? x : 0.01 * x;
    }),
    labels: even.labels.map((_, i) => (i % 2 === 0 ? 1 : -1)),
  };
}

/** The logistic regression for a kind of data. */
export function modelOf({ data, ridge }: Pick<ApproximationSetting, 'data' | 'ridge'>): Model {
  return logisticRegression({ dimension: FEATURES[data], ridge, radius: RADIUS[data] });
}

/**
 * Writes what the error of c_z is to second order in 1/n.
 *
 * Law: θ*₋z solves n∇L = ∇ℓ_z. With v = H⁻¹∇ℓ the expansion of both sides around θ* gives v/n, which is c_z, and then
 * H⁻¹(∇²ℓ·v − ½∇³L[v, v])/n².
 */
function secondOrder(
  model: Model,
  records: CentralRecords,
  theta: Float64Array,
  z: number,
  solve: (target: Float64Array) => void,
) {
  const { features, dimension: m } = records;
  const v = new Float64Array(m);
  fillRecordGradient(model, theta, records, z, Infinity, v);
  solve(v);
  const target = v.map((value) => model.ridge * value);
  model.addHessianProduct(theta, records, z, v, 1, target);
  for (let i = 0; i < records.records; i++) {
    const x = features.subarray(i * m, (i + 1) * m) as Float64Array;
    const share = 1 / (1 + exp(-innerProduct(theta, x)));
    // f‴ of the logistic loss, by its score ⟨θ, x⟩: the same for either label.
    const third = share * (1 - share) * (1 - 2 * share);
    const weight = (third * innerProduct(v, x) ** 2) / (2 * records.records);
    for (let j = 0; j < m; j++) target[j] -= weight * x[j];
  }
  solve(target);
  return innerProduct(target, target) / records.records ** 4;
}

/** The errors of the influence of the records left out of one data set. */
export function approximate(setting: ApproximationSetting, index: number, seed: string): ApproximationChunk {
  const records = drawn(setting, index, seed);
  const model = modelOf(setting);
  const m = model.parameters;
  const { theta } = optimum(model, records, { tolerance: 1e-13 });
  const settings = { ...model.constants, method: 'explicit', repair: 'refuse' } as const;
  const contributionOf = influence(settings, model, records, theta, seededRandom('no coins are drawn'));
  const hessian = empiricalHessian(model, theta, records);
  const solve = choleskySolver(hessian, m);
  const c = new Float64Array(m);
  let [squares, changes, expected, largest] = [0, 0, 0, 0];
  for (let z = 0; z < setting.leftOut; z++) {
    const left = optimum(model, withoutRecord(records, z), { start: theta, tolerance: 1e-13 }).theta;
    contributionOf(z, c);
    for (let j = 0; j < m; j++) left[j] -= theta[j];
    changes += innerProduct(left, left);
    for (let j = 0; j < m; j++) left[j] -= c[j];
    const square = innerProduct(left, left);
    squares += square;
    expected += secondOrder(model, records, theta, z, solve);
    largest = max(largest, sqrt(square));
  }
  const { values } = symmetricEigen(hessian, m);
  return {
    error: sqrt(squares / setting.leftOut),
    change: sqrt(changes / setting.leftOut),
    expected: sqrt(expected / setting.leftOut),
    largest,
    least: values[0],
    greatest: values[m - 1],
  };
}
