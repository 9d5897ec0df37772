import { describe, expect, test } from '@jest/globals';
import seedrandom from 'seedrandom';
import { fillDiscreteGaussian } from '../../src/random/discrete-gaussian.ts';
import { discreteGaussianLaw } from '../../src/random/gaussian-cells.ts';
import { bits, exponential, fillSphere, gamma, laplace, normal, type Random } from '../../src/random/random.ts';
import { fillSfc32, seededRandom } from '../../src/random/seeded.ts';
import { deriveKey } from '../../src/random/threefry.ts';
import { chiSquareStatistic, countCells } from '../statistics/chi-square.ts';
import { fixture } from './fixture.ts';

const figures = fixture<{
  cuts: Record<string, number[]>;
  chiSquare: number;
  chiSquareDiscrete: number;
  discreteGaussian: number[];
  keystream: Record<string, number[]>;
}>('laws');

describe('the keystream ARC4 that turns a seed into a key', () => {
  // A key of characters is taken as it is; seedrandom drops the first 256 bytes.
  const four = (text: string): number[] => {
    const generator = seedrandom(text);
    return [0, 1, 2, 3].map(() => generator.int32() >>> 0);
  };

  // 1c fc f6 2b 03 ed db 64 1d 77 df cf 7f 8d 8c 93
  const published = [0x1cfcf62b, 0x03eddb64, 0x1d77dfcf, 0x7f8d8c93];

  test('is that of RFC 6229 at byte 256 under the key 0102030405, and that of OpenSSL', () => {
    expect(four('\u0001\u0002\u0003\u0004\u0005')).toEqual(published);
    expect(figures.keystream['0102030405, from byte 256']).toEqual(published);
    expect(four('\u0001\u0002\u0003\u0004\u0006')).not.toEqual(published);
  });

  test('keys a seeded source: its words are sfc32 from the 128 bits that OpenSSL gives', () => {
    const state = Int32Array.from(figures.keystream['8:a stream, from byte 256']);
    const child = new Int32Array(4);
    deriveKey(state, 7, child);
    const expected = new Uint32Array(64);
    fillSfc32(expected, 0, state);
    const source = seededRandom('a stream');
    expect(Array.from(expected.subarray(0, 32), () => bits(source))).toEqual([...expected.subarray(0, 32)]);
    fillSfc32(expected, 0, child);
    expect(bits(source)).not.toBe(expected[0]);
    expect(bits(seededRandom('a stream').stream(7))).toBe(expected[0]);
  });
});

const DRAWS = 100_000;

// 40 cells that SciPy calls equally likely. χ² with 39 degrees of freedom exceeds SciPy's critical value, 96.1, with probability
// 1e-6. Controls: a scale off by 5 %, or 10 % where half of the law is near 0, and a shift by .02 between fixed bounds.
describe('40 cells of equal probability by SciPy', () => {
  const cells = new Float64Array(40).fill(1 / 40);
  const direction = new Float64Array(8);
  const laws: readonly [string, (random: Random) => number][] = [
    ['normal', normal],
    ['laplace', (random) => laplace(2, random)],
    ['exponential', (random) => exponential(3, random)],
    ['gamma', (random) => gamma(2.5, 0.5, random)],
    ['gammaSmall', (random) => gamma(0.4, 1, random)],
    [
      // The first coordinate of a uniform direction in dimension 8 is 2B − 1, B of the law Beta(3.5, 3.5).
      'sphere',
      (random) => {
        fillSphere(direction, random);
        return direction[0];
      },
    ],
  ];

  test.each(laws)('%s', (name, draw) => {
    const cuts = figures.cuts[name];
    const random = seededRandom(`cells of ${name}`);
    const sample = Float64Array.from({ length: DRAWS }, () => draw(random));
    const statistic = (numbers: Float64Array): number => chiSquareStatistic(countCells(numbers, cuts), cells);
    expect(statistic(sample)).toBeLessThan(figures.chiSquare);
    expect(statistic(sample.map((x) => (name === 'gammaSmall' ? 1.1 * x : 1.05 * x)))).toBeGreaterThan(
      figures.chiSquare,
    );
  });
});

// Probabilities of −8 … 8 and of all beyond by mpmath; critical values at 1e-6 again. The control is a law of a scale 5 % larger.
test('the discrete Gaussian with σ² = 29/4', () => {
  const statistic = (numerator: bigint, denominator: bigint): number => {
    const sample = new Float64Array(DRAWS);
    fillDiscreteGaussian(sample, discreteGaussianLaw({ numerator, denominator }), seededRandom('whole numbers'));
    const counts = new Float64Array(18);
    for (const k of sample) counts[Math.abs(k) <= 8 ? k + 8 : 17]++;
    return chiSquareStatistic(counts, figures.discreteGaussian);
  };
  expect(statistic(29n, 4n)).toBeLessThan(figures.chiSquareDiscrete);
  expect(statistic(8n, 1n)).toBeGreaterThan(figures.chiSquareDiscrete);
});
