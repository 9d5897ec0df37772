import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { discreteLaplaceMechanism, randomizeDiscreteLaplace } from '../../../src/mechanism/discrete-laplace.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';

const { abs, exp, log } = Math;

/** A double as an exact fraction, here by its bits. */
function fraction(value: number): readonly [bigint, bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const word = view.getBigUint64(0);
  const exponent = Number((word >> 52n) & 2047n) - 1075;
  const mantissa = (word & ((1n << 52n) - 1n)) | (1n << 52n);
  return exponent < 0 ? [mantissa, 1n << BigInt(-exponent)] : [mantissa << BigInt(exponent), 1n];
}

describe('the discrete Laplace mechanism', () => {
  test('spends at most the ε asked, between exact fractions, and hardly less', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1000, noNaN: true }),
        fc.integer({ min: 1, max: 1000 }),
        (epsilon, sensitivity) => {
          const { numerator, denominator, exactEpsilon } = discreteLaplaceMechanism({ epsilon, sensitivity });
          const [above, below] = fraction(epsilon);
          const spent = BigInt(sensitivity) * BigInt(denominator) * below;
          const allowed = above * BigInt(numerator);
          const [reported, unit] = fraction(exactEpsilon);
          return (
            spent <= allowed &&
            spent * 1_000_000n >= allowed * 999_999n &&
            reported * BigInt(numerator) >= BigInt(sensitivity) * BigInt(denominator) * unit &&
            exactEpsilon <= epsilon
          );
        },
      ),
      { numRuns: 3000, seed: 4 },
    );
  });

  test('by enumeration of its law, no number is more than e^ε times likelier at another value, and some are that', () => {
    for (const [epsilon, sensitivity] of [
      [1, 1],
      [0.1, 3],
      [5, 2],
    ]) {
      const { numerator, denominator, exactEpsilon } = discreteLaplaceMechanism({ epsilon, sensitivity });
      let worst = 0;
      for (let value = 0; value <= sensitivity; value++) {
        for (let y = -60; y <= 60; y++) {
          const loss = ((abs(y - value) - abs(y)) * denominator) / numerator;
          worst = Math.max(worst, abs(loss));
        }
      }
      expect(worst).toBeLessThanOrEqual(exactEpsilon);
      expect(exactEpsilon).toBeLessThanOrEqual(epsilon);
      expect(worst).toBeGreaterThan(epsilon * (1 - 1e-6));
    }
  });

  test('states its squared error', () => {
    const { squaredError, numerator, denominator } = discreteLaplaceMechanism({ epsilon: 0.7, sensitivity: 2 });
    let total = 0;
    let square = 0;
    for (let y = -400; y <= 400; y++) {
      const weight = exp((-abs(y) * denominator) / numerator);
      total += weight;
      square += y * y * weight;
    }
    expect(squaredError).toBeCloseTo(square / total, 10);
  });

  test('reports with the law and the ratio promised, and a scale off by 5 % is rejected', () => {
    const mechanism = discreteLaplaceMechanism({ epsilon: 1, sensitivity: 2 });
    const random = seededRandom('laplace reports');
    const trials = 200_000;
    const counts = [0, 2].map((value) => {
      const cells = new Float64Array(17);
      for (let t = 0; t < trials; t++) {
        cells[8 + Math.max(-8, Math.min(8, randomizeDiscreteLaplace(mechanism, value, random) - 1))]++;
      }
      return cells;
    });
    const law = (value: number, scale: number): Float64Array => {
      const cells = new Float64Array(17);
      let total = 0;
      for (let y = -200; y <= 200; y++) {
        const weight = exp(-abs(y - value) / scale);
        total += weight;
        cells[8 + Math.max(-8, Math.min(8, y - 1))] += weight;
      }
      return cells.map((weight) => weight / total);
    };
    // False alarm with probability 1e-6 each.
    expect(chiSquareTest(counts[0], law(0, 2))).toBeGreaterThan(1e-6);
    expect(chiSquareTest(counts[1], law(2, 2))).toBeGreaterThan(1e-6);
    expect(chiSquareTest(counts[0], law(0, 2.1))).toBeLessThan(1e-6);
    // About 3500 in the last cell at value 0: 5 standard errors of the logarithm are 0.1.
    expect(abs(log(counts[1][16] / counts[0][16]) - 1)).toBeLessThan(0.1);
  });

  test('refuses what is out of range, a value without telling it', () => {
    expect(() => discreteLaplaceMechanism({ epsilon: 0, sensitivity: 1 })).toThrow('"epsilon" expected');
    expect(() => discreteLaplaceMechanism({ epsilon: 1, sensitivity: 1.5 })).toThrow('"sensitivity" expected');
    expect(() => discreteLaplaceMechanism({ epsilon: 1e-9, sensitivity: 2000 })).toThrow('"sensitivity" expected');
    const mechanism = discreteLaplaceMechanism({ epsilon: 1, sensitivity: 1 });
    const refused = (value: unknown) => () => randomizeDiscreteLaplace(mechanism, value as number, seededRandom(1));
    expect(refused(3.25)).toThrow('"value" expected a whole number from -2^52 to 2^52');
    expect(refused(3.25)).not.toThrow('3.25');
    expect(refused(Number.NaN)).toThrow(RangeError);
    expect(refused('3')).toThrow(TypeError);
    expect(refused(2 ** 53)).toThrow(RangeError);
  });
});
