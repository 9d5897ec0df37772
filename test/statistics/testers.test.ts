import { describe, expect, test } from '@jest/globals';
import { fillNormal, type Random, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { cellProbabilities, chiSquarePValue, chiSquareStatistic, chiSquareTest, countCells } from './chi-square.ts';
import { logGamma, normalLaw, upperGamma } from './incomplete-gamma.ts';
import { kolmogorovPValue, kolmogorovStatistic, kolmogorovTest } from './kolmogorov.ts';
import { centralMomentTest, correlationTest, meanTest, proportionTest, zPValue } from './moments.ts';

const identity = (x: number): number => x;

function fillUniform(target: Float64Array, random: Random): void {
  for (let i = 0; i < target.length; i++) target[i] = uniform(random);
}

describe('p-values agree with SciPy', () => {
  // All numbers of this group were computed independently with SciPy.
  test.each([
    [0.5, 0.1, 0.6547208460185768],
    [0.5, 300, 1.674167984691805e-132],
    [3.3, 2, 0.7416605300343724],
    [50, 45, 0.7531979655998298],
    [500, 600, 1.2255942330622893e-5],
    [5000, 5100, 0.07932888107761896],
  ])('upperGamma(%d, %d)', (a, x, expected) => {
    expect(Math.abs(upperGamma(a, x) / expected - 1)).toBeLessThan(1e-11);
  });

  test('logGamma at ½, 1, 10 and 1000', () => {
    expect(logGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 13);
    expect(logGamma(1)).toBeCloseTo(0, 13);
    expect(logGamma(10)).toBeCloseTo(Math.log(362880), 13);
    expect(logGamma(1000)).toBeCloseTo(5905.220423209181, 11);
  });

  test('normalLaw on both sides and far out', () => {
    expect(normalLaw(0)).toBe(0.5);
    expect(normalLaw(3)).toBeCloseTo(0.9986501019683699, 14);
    expect(normalLaw(-30) / 4.906713927148187e-198).toBeCloseTo(1, 10);
    expect(normalLaw(-Infinity)).toBe(0);
    expect(normalLaw(Infinity)).toBe(1);
  });

  test.each([
    [1, 0.5, 0.47950012218695337],
    [1, 20, 7.744216431044088e-6],
    [5, 2, 0.8491450360846096],
    [10, 18.3, 0.050109061411462506],
    [255, 300, 0.02772752205390483],
    [1000, 1100, 0.014614408126295192],
  ])('χ² with %d degrees at %d', (degrees, statistic, expected) => {
    expect(Math.abs(chiSquarePValue(statistic, degrees) / expected - 1)).toBeLessThan(1e-11);
  });

  // The exact law of Kolmogorov's distance; the allowance is the one stated at kolmogorovPValue.
  test.each([
    [1000, 0.026005301564520387, 0.5, 1e-3],
    [1000, 0.05129418752666127, 0.01, 1e-3],
    [1000, 0.08494641956334534, 1e-6, 0.02],
    [100_000, 0.007035165419230842, 1e-4, 1e-3],
  ])('Kolmogorov with %d draws at %d', (count, statistic, expected, allowance) => {
    expect(Math.abs(kolmogorovPValue(statistic, count) / expected - 1)).toBeLessThan(allowance);
  });

  test('zPValue is two-sided', () => {
    expect(zPValue(1.959963984540054)).toBeCloseTo(0.05, 14);
    expect(zPValue(-1.959963984540054)).toBeCloseTo(0.05, 14);
    expect(zPValue(0)).toBe(1);
  });
});

describe('statistics by hand', () => {
  test('Kolmogorov: {0.1, 0.5, 0.6} is at distance 0.4 from uniform, from above at 0.6', () => {
    expect(kolmogorovStatistic(Float64Array.of(0.6, 0.1, 0.5), identity)).toBeCloseTo(0.4, 14);
    expect(kolmogorovStatistic(Float64Array.of(0.9), identity)).toBeCloseTo(0.9, 14);
    expect(kolmogorovPValue(0, 10)).toBe(1);
  });

  test('Kolmogorov leaves its sample in order and refuses a law that is NaN', () => {
    const sample = Float64Array.of(0.6, 0.1);
    kolmogorovStatistic(sample, identity);
    expect(Array.from(sample)).toEqual([0.6, 0.1]);
    expect(() => kolmogorovStatistic(sample, () => Number.NaN)).toThrow('not defined');
  });

  test('χ²: 10, 20, 30 against thirds is (100 + 0 + 100)/20', () => {
    expect(chiSquareStatistic([10, 20, 30], [1 / 3, 1 / 3, 1 / 3])).toBeCloseTo(10, 12);
  });

  test('χ² refuses tables for which its p-value would not hold', () => {
    expect(() => chiSquareTest([4, 4], [0.5, 0.5])).toThrow('fewer than 5');
    expect(() => chiSquareTest([40, 40], [0.5, 0.4])).toThrow('sum to');
    expect(() => chiSquareTest([40, 40], [1])).toThrow('as many');
  });

  test('cells are open on the left and closed on the right, and their probabilities sum to 1', () => {
    expect(Array.from(countCells([0, 1, 1.5, 2, 9], [1, 2]))).toEqual([2, 2, 1]);
    expect(Array.from(cellProbabilities([0.25, 0.5], identity))).toEqual([0.25, 0.25, 0.5]);
  });
});

// p-values of a true law are uniform: that is the stated false-alarm rate, at every level at once. 1000 repetitions of
// each tester, judged by Kolmogorov at 1e-4; the eight of them raise a false alarm with probability 8e-4.
describe('p-values of the right law are uniform, and those of a wrong law are tiny', () => {
  const repetitions = 1000;
  const size = 1000;

  function rates(p: (random: Random) => number, name: string): Float64Array {
    const root = seededRandom(`rates of ${name}`);
    return Float64Array.from({ length: repetitions }, (_, i) => p(root.stream(i)));
  }

  const uniforms = new Float64Array(size);
  const normals = new Float64Array(size);
  const others = new Float64Array(size);
  const edges = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);
  const cells = new Float64Array(20).fill(1 / 20);

  test.each<[string, (random: Random) => number]>([
    [
      'kolmogorovTest',
      (random) => {
        fillUniform(uniforms, random);
        return kolmogorovTest(uniforms, identity);
      },
    ],
    [
      'chiSquareTest',
      (random) => {
        fillUniform(uniforms, random);
        return chiSquareTest(countCells(uniforms, edges), cells);
      },
    ],
    [
      'meanTest',
      (random) => {
        fillNormal(normals, random);
        return meanTest(normals, 0, 1);
      },
    ],
    [
      'centralMomentTest of order 2',
      (random) => {
        fillUniform(uniforms, random);
        return centralMomentTest(uniforms, 0.5, 2, 1 / 12, 1 / 80);
      },
    ],
    [
      'correlationTest',
      (random) => {
        fillNormal(normals, random);
        fillNormal(others, random);
        return correlationTest(normals, others);
      },
    ],
  ])('%s', (name, p) => {
    const sample = rates(p, name);
    expect(kolmogorovTest(sample, identity)).toBeGreaterThan(1e-4);
    // The level that is used most, in plain words: 5 % of alarms, within 4 standard deviations of a binomial.
    let alarms = 0;
    for (const value of sample) if (value < 0.05) alarms++;
    expect(Math.abs(alarms - 50)).toBeLessThan(4 * Math.sqrt(1000 * 0.05 * 0.95));
  });

  test('proportionTest, whose p-values come in steps, raises 5 % of alarms', () => {
    const sample = rates((random) => {
      let successes = 0;
      for (let i = 0; i < size; i++) if (uniform(random) < 0.3) successes++;
      return proportionTest(successes, size, 0.3);
    }, 'proportion');
    let alarms = 0;
    for (const value of sample) if (value < 0.05) alarms++;
    expect(Math.abs(alarms - 50)).toBeLessThan(4 * Math.sqrt(1000 * 0.05 * 0.95));
  });

  test('with 100 000 draws each tester rejects a law that is off by 5 %', () => {
    const random = seededRandom('wrong laws');
    const many = new Float64Array(100_000);
    const more = new Float64Array(100_000);
    fillUniform(many, random);
    expect(kolmogorovTest(many, (x) => Math.min(1, 1.05 * x))).toBeLessThan(1e-9);
    const tilted = cells.map((p, i) => p * (i < 10 ? 1.05 : 0.95));
    expect(chiSquareTest(countCells(many, edges), tilted)).toBeLessThan(1e-9);
    expect(centralMomentTest(many, 0.5, 2, 1.05 ** 2 / 12, 1.05 ** 4 / 80)).toBeLessThan(1e-9);
    expect(proportionTest(countCells(many, [0.3])[0], many.length, 0.315)).toBeLessThan(1e-9);
    fillNormal(many, random);
    fillNormal(more, random);
    expect(meanTest(many, 0.05, 1)).toBeLessThan(1e-9);
    for (let i = 0; i < many.length; i++) more[i] = 0.05 * many[i] + Math.sqrt(1 - 0.0025) * more[i];
    expect(correlationTest(many, more)).toBeLessThan(1e-9);
  });
});
