import type { Random } from 'ldpkit';
import { fillSphere, uniform } from 'ldpkit/mechanism';
import type { CentralRecords } from 'ldpkit/protocols/influence-sgd';

const { exp } = Math;

/** How steeply the probability of the label +1 rises along the first axis. */
export const STEEPNESS = 4;

/** Records on the unit sphere, labelled by a logistic model with weight 4 on the first feature: one law for all validations. */
export function drawRecords(records: number, dimension: number, random: Random): CentralRecords {
  const features = new Float64Array(records * dimension);
  const labels = new Int8Array(records);
  const x = new Float64Array(dimension);
  for (let i = 0; i < records; i++) {
    fillSphere(x, random);
    features.set(x, i * dimension);
    labels[i] = uniform(random) < 1 / (1 + exp(-STEEPNESS * x[0])) ? 1 : -1;
  }
  return { records, dimension, features, labels };
}

/** The same records without number `index`. */
export function withoutRecord(given: CentralRecords, index: number): CentralRecords {
  const { records, dimension } = given;
  const features = new Float64Array((records - 1) * dimension);
  features.set(given.features.subarray(0, index * dimension));
  features.set(given.features.subarray((index + 1) * dimension), index * dimension);
  const labels = new Int8Array(records - 1);
  labels.set(given.labels.subarray(0, index));
  labels.set(given.labels.subarray(index + 1), index);
  return { records: records - 1, dimension, features, labels };
}
