import { expect, test } from '@jest/globals';
import { fillDiscreteGaussian } from '../../src/random/discrete-gaussian.ts';
import { discreteGaussianLaw } from '../../src/random/gaussian-cells.ts';
import { bits } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { discreteGaussianBigint, discreteLaplaceBigint } from '../statistics/published-samplers.ts';

// Frozen draws: whoever publishes a seed relies on them. All were computed independently from the words of the seed, by a
// program in Python written from the description of the table and from the paper, with mpmath at 200 bits for every
// comparison with the curve. A change of any is "value-breaking" in the change log.

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

test.each([
  [10, 9n, 100n, [0n, 0n, 0n, 0n, 0n, 0n], 691618963],
  [11, 10000n, 1n, [-112n, 38n, 121n, -210n, 18n, -85n], 1115096927],
  [
    12,
    1000000000000000000000000000007n,
    3n,
    [275483043715915n, -838522988367134n, -577954886640002n, 719970495978977n, 882902059550793n, 328753244708162n],
    3200820194,
  ],
] as [number, bigint, bigint, bigint[], number][])(
  'stream %d: 200 discrete Gaussian numbers of σ² = %d/%d in bigints',
  (stream, numerator, denominator, first, next) => {
    root.seek(stream);
    const sample = Array.from({ length: 200 }, () => discreteGaussianBigint({ numerator, denominator }, root));
    expect(sample.slice(0, first.length)).toEqual(first);
    expect(bits(root)).toBe(next);
  },
);

test.each([
  [15, 1n, 3n, [0n, 0n, 0n, 0n, 0n, 0n], 1921652063],
  [16, 100n, 7n, [23n, 5n, -16n, -6n, 1n, 5n], 857754474],
  [
    17,
    1180591620717411303425n,
    512n,
    [
      1591440014288173802n,
      -1019328425079877717n,
      1096470640483880275n,
      704642752542899936n,
      -319729775117490478n,
      818045819953796591n,
    ],
    1526413857,
  ],
] as [number, bigint, bigint, bigint[], number][])(
  'stream %d: 200 discrete Laplace numbers of scale %d/%d',
  (stream, numerator, denominator, first, next) => {
    root.seek(stream);
    const sample = Array.from({ length: 200 }, () => discreteLaplaceBigint({ numerator, denominator }, root));
    expect(sample.slice(0, first.length)).toEqual(first);
    expect(bits(root)).toBe(next);
  },
);
