import { expect, test } from '@jest/globals';
import {
  bernoulli,
  bits,
  exponential,
  fillNormal,
  fillSphere,
  gamma,
  laplace,
  permutation,
  type Random,
  uniform,
  uniformInteger,
} from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

// Frozen draws: whoever publishes a seed relies on them. All numbers of this file were computed independently, by a
// program in Python written from the same publications (seedrandom's ARC4, Threefry, sfc32, the ziggurat, mpmath). A change of any is "value-breaking" in the change log.

const root = seededRandom('frozen');

function times<Value>(count: number, draw: () => Value): Value[] {
  return Array.from({ length: count }, draw);
}

/** Numbers that went through exp, log or sqrt may differ in the last places between engines. */
function closeTo(actual: readonly number[], expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...actual.map((x, i) => Math.abs(x / expected[i] - 1)))).toBeLessThan(1e-13);
}

test('words of a seed, and of its first and last stream', () => {
  const words = (random: Random, count: number): number[] => times(count, () => bits(random));
  expect(words(seededRandom('frozen'), 8)).toEqual([
    4062541761, 4190067610, 3371214258, 2749714111, 3216892602, 2106233311, 3016680030, 1741976040,
  ]);
  expect(words(seededRandom('frozen'), 3000)[2999]).toBe(624309950);
  expect(words(root.stream(0), 4)).toEqual([2173399333, 84833731, 1316744118, 444169346]);
  expect(words(root.stream(2 ** 53 - 1), 4)).toEqual([2428070105, 3506490605, 1003613194, 846331227]);
  expect(words(root.stream(3).stream(5), 3)).toEqual([2811999662, 3535249129, 3289041130]);
  expect(words(seededRandom(1), 4)).toEqual([2837269117, 1967694418, 1578866955, 4180173587]);
  expect(words(seededRandom(-0.5), 4)).toEqual([224842382, 3061517176, 2485672976, 1177684371]);
  expect(words(seededRandom('é€'), 4)).toEqual([1672071691, 230125014, 3556426899, 4162516833]);
  expect(words(seededRandom('x'.repeat(300)), 3)).toEqual([3621884747, 2218644789, 3264896620]);
});

test('uniform numbers, integers, orders and coins', () => {
  root.seek(1);
  expect(times(4, () => uniform(root))).toEqual([
    0.2076474942866796, 0.29361608824873653, 0.17492194062325794, 0.28482035817731177,
  ]);
  root.seek(2);
  expect([2, 6, 1000, 2 ** 32 - 1, 2 ** 32, 2 ** 53].map((count) => uniformInteger(count, root))).toEqual([
    1, 5, 165, 600773766, 2787863630, 3415774913345346,
  ]);
  root.seek(3);
  expect(Array.from(permutation(12, root))).toEqual([9, 5, 0, 1, 7, 6, 3, 4, 10, 8, 11, 2]);
  root.seek(4);
  const coins = times(16, () => (bernoulli(0.3, root) ? 1 : 0));
  expect(coins).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1]);
});

test('normal numbers, and 20 000 of them with all their wedges and tails', () => {
  root.seek(5);
  const few = new Float64Array(6);
  fillNormal(few, root);
  closeTo(
    Array.from(few),
    [
      0.2812770596703992, 1.4281026492926703, 1.0856533294864763, -1.950364089875604, 1.9424538979593033,
      0.8952947020550166,
    ],
  );
  root.seek(6);
  const many = new Float64Array(20_000);
  fillNormal(many, root);
  // The next word shows that as many were taken.
  expect(bits(root)).toBe(230091851);
  expect(many.reduce((sum, x) => sum + x, 0)).toBeCloseTo(17.641423091263885, 9);
  expect(many.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(19866.983285008155, 8);
  closeTo([many.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0)], [3.851778060257181]);
});

test('numbers of the other laws', () => {
  root.seek(7);
  const exponentials = times(3, () => exponential(1.5, root));
  closeTo(exponentials, [0.4211827821209426, 0.15921595150700685, 0.4966429157148832]);
  root.seek(8);
  const signed = times(4, () => laplace(1.5, root));
  closeTo(signed, [-5.4701146822975275, 0.03567149072133596, 3.8123533895763804, -0.22438525198424714]);
  root.seek(9);
  const gammas = [gamma(0.5, 2, root), gamma(3, 2, root), gamma(1000, 2, root)];
  closeTo(gammas, [3.1385673917145533, 8.96179362658907, 1995.3649119907307]);
  root.seek(10);
  const point = new Float64Array(3);
  fillSphere(point, root);
  closeTo(Array.from(point), [0.3471603539707119, 0.4245680684128642, 0.8361947404253984]);
});
