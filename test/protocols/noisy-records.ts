import type { CentralRecord } from '../../protocols/noisy-gradient-descent/index.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { sqrt, SQRT2 } = Math;

/** Features N(0, [1 .5 0; .5 2 0; 0 0 2]), all four coefficients 1, and normal noise of standard deviation 2. */
export function linearRecords(count: number, seed: string): CentralRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const first = normal(random);
    const second = 0.5 * first + sqrt(1.75) * normal(random);
    const third = SQRT2 * normal(random);
    return { features: [first, second, third], response: 1 + first + second + third + 2 * normal(random) };
  });
}

/** The same features with responses that are signs or bits. */
export function labelledRecords(count: number, seed: string, labels: readonly [number, number]): CentralRecord[] {
  return linearRecords(count, seed).map(({ features, response }) => ({
    features,
    response: labels[response > 0 ? 1 : 0],
  }));
}
