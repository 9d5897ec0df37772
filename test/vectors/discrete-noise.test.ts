import { expect, test } from '@jest/globals';
import { fillDiscreteGaussian } from '../../src/random/discrete-gaussian.ts';
import { discreteGaussianLaw } from '../../src/random/gaussian-cells.ts';
import { bits } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

// Frozen draws: whoever publishes a seed relies on them. All were computed independently from the words of the seed, by a
// program in Python written from the description of the table, with mpmath at 200 bits for every comparison with the
// curve. A change of any is "value-breaking" in the change log.

const root = seededRandom('frozen noise');

test.each([
  [0, 9n, 100n, [0, 0, 0, 0, 0, 0, 0, 0], 13, 1, 4071814929],
  [1, 16n, 25n, [0, 0, -1, 1, 1, 1, 1, -1], 109, -3, 83776538],
  [2, 9n, 1n, [1, 2, -2, 4, 1, 4, 4, 3], -197, 12, 2801068626],
  [3, 10000n, 1n, [16, -1, -65, -96, 35, -83, 171, 157], 18062, 417, 1174877060],
  [4, 4294967296n, 1n, [28502, 88590, 14419, -42698, -413, 11345, 868, -42367], -11360355, 266870, 3915402492],
  [
    5,
    1099511627776n,
    1n,
    [-1354938, 1027827, 984907, 1424394, -1112927, -1245617, -269127, 515666],
    -232272689,
    -4063611,
    3699584345,
  ],
  [
    6,
    1152921504606846976n,
    1n,
    [669823371, -155467280, 577373842, -392905445, -870178157, 304797784, 478304848, -811491949],
    234026153951,
    -4755207018,
    348622433,
  ],
  [7, 22n, 7n, [-3, -3, 1, -1, 0, 1, 1, 3], 264, 8, 1937533660],
] as [number, bigint, bigint, number[], number, number, number][])(
  'stream %d: 20 000 discrete Gaussian numbers of σ² = %d/%d',
  (stream, numerator, denominator, first, sum, largest, next) => {
    root.seek(stream);
    const sample = new Float64Array(20_000);
    fillDiscreteGaussian(sample, discreteGaussianLaw({ numerator, denominator }), root);
    // The next word shows that as many were taken.
    expect(bits(root)).toBe(next);
    expect(Array.from(sample.subarray(0, 8))).toEqual(first);
    expect(sample.reduce((total, y) => total + y, 0)).toBe(sum);
    expect(sample.reduce((most, y) => (Math.abs(y) > Math.abs(most) ? y : most), 0)).toBe(largest);
  },
);
