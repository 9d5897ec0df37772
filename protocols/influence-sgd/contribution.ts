import { clipEigenvalues, symmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import type { Random } from '../../src/random/random.ts';
import { uniformInteger } from '../../src/random/uniform.ts';
import { checkFit, empiricalHessian, fillRecordGradient, type Model } from './model.ts';
import type { InfluenceParameters } from './parameters.ts';
import { type CentralRecords, checkRecords } from './records.ts';
import { choleskySolver, conjugateGradientSolver, lissaSolver, notPositive, type Solver } from './solve.ts';

const { ceil, log, max } = Math;

/** How far below ζ an eigenvalue may be because of rounding, as a fraction of ζ. */
const ROUNDING = 1e-9;

/** What a Hessian solve needs of the parameters. */
export type InfluenceSettings = Pick<
  InfluenceParameters,
  'curvature' | 'smoothness' | 'lipschitz' | 'method' | 'repair'
>;

/**
 * The influence of records on the model θ of a round, all with the Hessian at θ: a function that writes
 * c_z = −(1/n)(−H⁻¹∇ℓ(θ, z)) for record `index` into `target`. To first order c_z is θ*₋z − θ*, what leaving out z would change.
 *
 * Source: Kang, Li, Liu, Wang, (11); Koh, Liang (2017), Understanding black-box predictions via influence functions.
 *
 * @throws TypeError or RangeError for records outside the domain; RangeError for a Hessian with eigenvalues below ζ (or, for the
 * methods without a matrix, below 0) after the repair.
 * @theorem slides M-estimators: properties, influence function
 * @theorem influence Equation (11)
 * @theorem influence Remark 5
 */
export function influence(
  settings: InfluenceSettings,
  model: Model,
  records: CentralRecords,
  theta: Float64Array,
  random: Random,
): (index: number, target: Float64Array) => void {
  checkRecords(records);
  checkFit(model, theta, records);
  const point = theta.slice();
  const solve = hessianSolver(settings, model, records, point, random);
  return (index, target) => {
    fillRecordGradient(model, point, records, index, settings.lipschitz, target);
    solve(target);
    for (let j = 0; j < target.length; j++) target[j] /= records.records;
  };
}

function hessianSolver(
  settings: InfluenceSettings,
  model: Model,
  records: CentralRecords,
  theta: Float64Array,
  random: Random,
): Solver {
  const m = model.parameters;
  const { method, repair, curvature, smoothness } = settings;
  const diagonal = model.ridge + (repair === 'add' ? curvature : 0);
  if (method === 'explicit') {
    const hessian = empiricalHessian(model, theta, records);
    if (repair === 'raise') return choleskySolver(clipEigenvalues(hessian, m, curvature), m);
    if (repair === 'add') for (let j = 0; j < m; j++) hessian[j * m + j] += curvature;
    // Where the loss is known to be curved enough there is nothing to look for.
    if (model.constants.curvature + (diagonal - model.ridge) < curvature * (1 - ROUNDING)) {
      const [least] = symmetricEigen(hessian, m).values;
      if (!(least >= curvature * (1 - ROUNDING))) throw notPositive(least, curvature);
    }
    return choleskySolver(hessian, m);
  }
  if (method === 'conjugate-gradient') {
    return conjugateGradientSolver((vector, target) => {
      for (let j = 0; j < m; j++) target[j] = diagonal * vector[j];
      const weight = 1 / records.records;
      for (let i = 0; i < records.records; i++) model.addHessianProduct(theta, records, i, vector, weight, target);
    }, m);
  }
  const scale = smoothness + (repair === 'add' ? curvature : 0);
  return lissaSolver(m, {
    scale,
    // Leaves out a fraction of 1e-4 of the slowest direction.
    depth: max(1, ceil((log(1e4) * scale) / curvature)),
    repetitions: 10,
    sample(vector, target) {
      for (let j = 0; j < m; j++) target[j] = diagonal * vector[j];
      model.addHessianProduct(theta, records, uniformInteger(records.records, random), vector, 1, target);
    },
  });
}
