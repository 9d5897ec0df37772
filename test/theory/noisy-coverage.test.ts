import { describe, expect, test } from '@jest/globals';
import {
  type CentralRecord,
  descend,
  descent,
  fitIntervals,
  type NoisyFit,
} from '../../protocols/noisy-gradient-descent/index.ts';
import { newton, solve } from '../../protocols/noisy-newton/index.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { linearRecords } from '../protocols/noisy-records.ts';

// Theorems on noisy gradient descent and noisy Newton, part 3: √n(θ⁽ᴷ⁾ − θ₀) is normal with the sandwich as its covariance. The
// studies with 2000 replications and n from 500 to 4000 are in test/validation/noisy-coverage.mjs.
const { sqrt } = Math;
const RUNS = 300;
const RECORDS = 1000;
const request = { mu: 1, records: RECORDS, model: { kind: 'huber', features: 3, scale: 2 } } as const;

function measure(run: (records: readonly CentralRecord[], random: Random) => NoisyFit) {
  let covered = 0;
  let uncorrected = 0;
  let squares = 0;
  const random = seededRandom('coverage');
  for (let r = 0; r < RUNS; r++) {
    random.seek(r);
    const result = run(linearRecords(RECORDS, `coverage ${r}`), random);
    const { sampling, covariance } = result.region!;
    fitIntervals(result, { level: 0.95 }).forEach(({ low, high }, j) => {
      const error = result.theta[j] - 1;
      if (low <= 1 && 1 <= high) covered++;
      if (error * error <= 1.96 ** 2 * sampling[5 * j]) uncorrected++;
      squares += error ** 2 / covariance[5 * j];
    });
  }
  const count = 4 * RUNS;
  return { covered: covered / count, uncorrected: uncorrected / count, square: squares / count };
}

describe.each<[string, (records: readonly CentralRecord[], random: Random) => NoisyFit]>([
  ['noisy gradient descent', (records, random) => descend(descent(request), records, random)],
  ['noisy Newton', (records, random) => solve(newton(request), records, random)],
])('the private intervals of %s', (_, run) => {
  const { covered, uncorrected, square } = measure(run);

  test('hold the truth with 95 %', () => {
    // 300 replications of four coordinates that depend on each other a little: sd at most √(.0475/300) = .0126, near .0065 if
    // independent. 4 of the latter: false alarm 6e-5.
    expect(covered).toBeGreaterThan(0.95 - 0.026);
    expect(covered).toBeLessThan(0.95 + 0.026);
  });

  test('have errors as large as they say', () => {
    // A mean of 1200 squares of standard normals: sd √(2/1200) = .041.
    expect(square).toBeGreaterThan(1 - 0.17);
    expect(square).toBeLessThan(1 + 0.17);
  });

  test('control: without the correction for the injected noise they do not', () => {
    expect(uncorrected).toBeLessThan(0.95 - 0.026);
    expect(sqrt(square)).toBeGreaterThan(0.9);
  });
});
