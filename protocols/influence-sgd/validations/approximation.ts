import { innerProduct } from '../../../src/optimize/projection.ts';
import { symmetricEigen } from '../../../src/optimize/symmetric-eigen.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { influence } from '../contribution.ts';
import { logisticRegression } from '../logistic-regression.ts';
import { type Model, meanHessian } from '../model.ts';
import { optimum } from '../optimum.ts';
import type { CentralRecords } from '../records.ts';
import { drawRecords, withoutRecord } from './logistic-records.ts';

const { max, sqrt } = Math;

/** λ = ζ of the well-conditioned data, and of those whose second feature hardly varies. */
const RIDGE = { even: 0.1, flat: 1e-6 } as const;
const RADIUS = { even: 5, flat: 100 } as const;
/** Records of a data set that are left out, each in turn. */
export const LEFT_OUT = 24;

/** One data set of n records. */
export type ApproximationSetting = {
  readonly data: 'even' | 'flat';
  readonly records: number;
  readonly leftOut: number;
};

/** Over the records left out of one data set. */
export type ApproximationPart = {
  /** Root mean square of the error of c_z, and of what it approximates. */
  readonly error: number;
  readonly change: number;
  /** The largest error. */
  readonly largest: number;
  /** Extreme eigenvalues of the Hessian at the optimum. */
  readonly least: number;
  readonly greatest: number;
};

/** With `flat` the second feature is a hundredth of what it was and labels alternate: eigenvalues of about .12 and .00001. */
function drawn({ data, records }: ApproximationSetting, part: number, seed: string): CentralRecords {
  const even = drawRecords(
    records,
    data === 'even' ? 3 : 2,
    seededRandom(`${seed} theorem 4 ${data} ${records} ${part}`),
  );
  if (data === 'even') return even;
  return {
    ...even,
    features: (even.features as Float64Array).map((x, i) => (i % 2 === 0 ? x : 0.01 * x)),
    labels: even.labels.map((_, i) => (i % 2 === 0 ? 1 : -1)),
  };
}

/** The logistic regression for a kind of data. */
export function modelOf(data: ApproximationSetting['data']): Model {
  return logisticRegression({ dimension: data === 'even' ? 3 : 2, ridge: RIDGE[data], radius: RADIUS[data] });
}

/** The errors of the influence of the records left out of one data set. */
export function approximate(setting: ApproximationSetting, index: number, seed: string): ApproximationPart {
  const records = drawn(setting, index, seed);
  const model = modelOf(setting.data);
  const m = model.parameters;
  const { theta } = optimum(model, records, { tolerance: 1e-13 });
  const settings = { ...model.constants, method: 'explicit', repair: 'refuse' } as const;
  const contributionOf = influence(settings, model, records, theta, seededRandom('no coins are drawn'));
  const c = new Float64Array(m);
  let [squares, changes, largest] = [0, 0, 0];
  for (let z = 0; z < setting.leftOut; z++) {
    const left = optimum(model, withoutRecord(records, z), { start: theta, tolerance: 1e-13 }).theta;
    contributionOf(z, c);
    for (let j = 0; j < m; j++) left[j] -= theta[j];
    changes += innerProduct(left, left);
    for (let j = 0; j < m; j++) left[j] -= c[j];
    const square = innerProduct(left, left);
    squares += square;
    largest = max(largest, sqrt(square));
  }
  const { values } = symmetricEigen(meanHessian(model, theta, records), m);
  return {
    error: sqrt(squares / setting.leftOut),
    change: sqrt(changes / setting.leftOut),
    largest,
    least: values[0],
    greatest: values[m - 1],
  };
}
