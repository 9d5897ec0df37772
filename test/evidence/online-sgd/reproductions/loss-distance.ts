import { seededRandom } from 'ldpkit';
import { normal } from 'ldpkit/mechanism';
import { binaryLogisticLoss, mallowsWeight, sigmoid } from 'ldpkit/optimize';

/**
 * F(θ) − F(θ*) of weighted logistic regression on records x that are drawn once, with the exact probability of y at each: the
 * truth minimises this F exactly, whatever the records, so that the distance is never negative and has no noise of responses.
 */
export function createLossDistance(features: number, records: number, seed: string): (theta: Float64Array) => number {
  const random = seededRandom(`${seed}/loss/${features}`);
  const width = features + 1;
  const points = new Float64Array(records * width);
  const shares = new Float64Array(records);
  const weights = new Float64Array(records);
  for (let r = 0; r < records; r++) {
    let inner = 1;
    let squared = 1;
    points[r * width] = 1;
    for (let j = 1; j < width; j++) {
      const z = normal(random);
      points[r * width + j] = z;
      inner += z;
      squared += z * z;
    }
    shares[r] = sigmoid(inner);
    weights[r] = mallowsWeight(squared);
  }
  const { value } = binaryLogisticLoss();
  const risk = (theta: Float64Array): number => {
    let sum = 0;
    for (let r = 0, k = 0; r < records; r++) {
      let inner = 0;
      for (let j = 0; j < width; j++) inner += theta[j] * points[k++];
      sum += weights[r] * value(inner, shares[r]);
    }
    return sum / records;
  };
  const least = risk(new Float64Array(width).fill(1));
  return (theta) => risk(theta) - least;
}
