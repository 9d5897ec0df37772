import { type CentralRecords, fillRecordGradient, type Model } from '../../protocols/influence-sgd/index.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { fillNormal, fillSphere, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { exp, max, min, sqrt } = Math;

/** Records on the sphere, labelled by a logistic model with a weight of 4 on the first feature. */
export function labelled(records: number, dimension: number, seed: string): CentralRecords {
  const random = seededRandom(`records ${seed}`);
  const features = new Float64Array(records * dimension);
  const labels = new Int8Array(records);
  const x = new Float64Array(dimension);
  for (let i = 0; i < records; i++) {
    fillSphere(x, random);
    features.set(x, i * dimension);
    labels[i] = uniform(random) < 1 / (1 + exp(-4 * x[0])) ? 1 : -1;
  }
  return { records, dimension, features, labels };
}

/** The Euclidean norm. */
export function sizeOf(vector: Float64Array): number {
  return sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}

/** The extremes of a model's derivatives over single records and random points of a ball. */
export function conditionOf(model: Model, records: CentralRecords, radius: number, points: number) {
  const random = seededRandom('condition');
  const m = model.parameters;
  const found = { gradient: 0, largest: -Infinity, least: Infinity, hessianSlope: 0 };
  const gradient = new Float64Array(m);
  const hessianAt = (theta: Float64Array, index: number): Float64Array => {
    const hessian = new Float64Array(m * m);
    model.addHessian(theta, records, index, 1, hessian);
    for (let j = 0; j < m; j++) hessian[j * m + j] += model.ridge;
    return hessian;
  };
  for (let k = 0; k < points; k++) {
    const theta = new Float64Array(m);
    fillSphere(theta, random);
    for (let j = 0; j < m; j++) theta[j] *= k % 2 === 0 ? radius : radius * uniform(random);
    const index = k % records.records;
    fillRecordGradient(model, theta, records, index, Infinity, gradient);
    found.gradient = max(found.gradient, sizeOf(gradient));
    const here = hessianAt(theta, index);
    const { values } = symmetricEigen(here, m);
    found.least = min(found.least, values[0]);
    found.largest = max(found.largest, values[m - 1], -values[0]);
    const nearby = new Float64Array(m);
    fillNormal(nearby, random);
    const distance = 1e-4 * sizeOf(nearby);
    for (let j = 0; j < m; j++) nearby[j] = theta[j] + 1e-4 * nearby[j];
    const change = hessianAt(nearby, index).map((h, j) => h - here[j]);
    const eigen = symmetricEigen(change, m).values;
    found.hessianSlope = max(found.hessianSlope, max(eigen[m - 1], -eigen[0]) / distance);
  }
  return found;
}
