import { upperGamma } from './incomplete-gamma.ts';

/** The two-sided p-value of a standard normal number: P(|Z| ≥ |z|). */
export function zPValue(z: number): number {
  return upperGamma(0.5, 0.5 * z * z);
}

/** The p-value of the mean of a sample when each draw has this mean and this variance (count large). */
export function meanTest(sample: ArrayLike<number>, mean: number, variance: number): number {
  let sum = 0;
  for (let i = 0; i < sample.length; i++) sum += sample[i] - mean;
  return zPValue(sum / Math.sqrt(sample.length * variance));
}

/**
 * The p-value of the mean of (x − mean)^order when its expectation is `moment` and the variance of one term is
 * `spread` − `moment`², i.e. `spread` is the central moment of twice the order.
 */
export function centralMomentTest(
  sample: ArrayLike<number>,
  mean: number,
  order: number,
  moment: number,
  spread: number,
): number {
  let sum = 0;
  for (let i = 0; i < sample.length; i++) {
    let power = 1;
    for (let k = 0; k < order; k++) power *= sample[i] - mean;
    sum += power - moment;
  }
  return zPValue(sum / Math.sqrt(sample.length * (spread - moment * moment)));
}

/** The p-value of the hypothesis that two samples of equal length, of known mean 0 and variance 1, are uncorrelated. */
export function correlationTest(first: ArrayLike<number>, second: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < first.length; i++) sum += first[i] * second[i];
  return zPValue(sum / Math.sqrt(first.length));
}

/** The p-value of a number of successes among independent trials (both expected counts large). */
export function proportionTest(successes: number, trials: number, probability: number): number {
  return zPValue((successes - trials * probability) / Math.sqrt(trials * probability * (1 - probability)));
}
