import { describe, expect, test } from '@jest/globals';
import { generalizedLinear, lifted as liftedRegression } from '../../../protocols/generalized-linear/index.ts';
import { hinge, lifted, sampled } from '../../../protocols/hinge/index.ts';
import { expandKClosest, kClosest, randomizeKClosest } from '../../../src/mechanism/k-closest.ts';
import { createKernel, type Kernel } from '../../../src/random/kernel.ts';
import { fillSphere } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { createCodewordSums } from '../../../src/simulation/codeword-players.ts';
import type { LabelledRecord, Population } from '../../../src/simulation/population.ts';
import { simulate } from '../../../src/simulation/runner.ts';

type Request = Parameters<typeof kClosest>[0];

/** The sums of `players` reports by the kernel, and by one report after the other. */
function sums(
  request: Request,
  players: number,
  make: (bytes: number) => Kernel | undefined = createKernel,
): [Float64Array, Float64Array] {
  const mechanism = kClosest(request);
  const size = request.dimension - 1;
  const codewords = createCodewordSums([mechanism], size, make)!;
  const slow = new Float64Array(size);
  const unit = new Float64Array(request.dimension);
  const report = new Uint32Array(4);
  const expanded = new Float64Array(request.dimension);
  const [one, other] = [seededRandom('coins'), seededRandom('coins')];
  const records = seededRandom('records');
  codewords.sums.fill(0);
  for (let i = 0; i < players; i++) {
    fillSphere(unit, records);
    codewords.unit.set(unit);
    codewords.add(mechanism, one, 0);
    randomizeKClosest(mechanism, unit, report, other);
    expandKClosest(mechanism, report, expanded);
    for (let j = 0; j < size; j++) slow[j] += expanded[j];
  }
  return [codewords.sums.slice(), slow];
}

const differences = ([fast, slow]: [Float64Array, Float64Array]): number =>
  fast.filter((sum, i) => !Object.is(sum, slow[i])).length;

describe('sums of k-closest reports by the kernel', () => {
  // One to 64 directions, not all of them a multiple of four; 3 to 815 numbers, even and odd, and more than a portion of words.
  // 20,000 directions of 66 numbers have 320 points beyond the ziggurat's tail on average.
  test.each([
    [2, 3, 200],
    [4, 5, 200],
    [8, 66, 5000],
    [16, 66, 2500],
    [16, 815, 60],
    [128, 34, 60],
    [16, 131, 300],
  ])('have the bits of one report after the other: %d codewords, %d numbers', (codewords, dimension, players) => {
    expect(differences(sums({ epsilon: 1, dimension, codewords }, players))).toBe(0);
  });

  test('have them also where the nearest codeword is nearly always reported, and where it hardly is', () => {
    for (const epsilon of [0.001, 8]) expect(differences(sums({ epsilon, dimension: 10 }, 300))).toBe(0);
  });

  test('are not to be had without a kernel, nor for directions that take too much memory', () => {
    const small = kClosest({ epsilon: 1, dimension: 10 });
    expect(createCodewordSums([small], 9, () => undefined)).toBeUndefined();
    expect(createCodewordSums([kClosest({ epsilon: 1, dimension: 100_000, codewords: 16 })], 10)).toBeUndefined();
  });

  test('refuse a vector that is not of norm 1', () => {
    const mechanism = kClosest({ epsilon: 1, dimension: 10 });
    const codewords = createCodewordSums([mechanism], 9)!;
    codewords.unit.fill(0.5);
    expect(() => codewords.add(mechanism, seededRandom(1), 0)).toThrow(RangeError);
  });

  // One wrong argument each; the seed is public and the order of the codewords decides what is reported.
  test.each<[string, (kernel: Kernel) => Kernel['addCodeword']]>([
    [
      'the scale',
      (k) =>
        (s, u, d, c, p, scale, ...rest) =>
          k.addCodeword(s, u, d, c, p, 1.2 * scale, ...rest),
    ],
    [
      'the place',
      (k) =>
        (s, u, d, c, p, ...rest) =>
          k.addCodeword(s, u, d, c, p ^ 1, ...rest),
    ],
    [
      'the sign',
      (k) =>
        (s, u, d, c, p, ...rest) =>
          k.addCodeword(s, u, d, c, 2 * c - 1 - p, ...rest),
    ],
    [
      'the seed',
      (k) =>
        (s, ...rest) =>
          k.addCodeword(s + 4, ...rest),
    ],
    [
      'a direction too few',
      (k) =>
        (s, u, d, c, p, ...rest) =>
          k.addCodeword(s, u, d, c - 1, p % c, ...rest),
    ],
  ])('differ where a kernel is wrong about %s', (_, wrong) => {
    const make = (bytes: number) => {
      const kernel = createKernel(bytes);
      return kernel && { ...kernel, addCodeword: wrong(kernel) };
    };
    expect(differences(sums({ epsilon: 1, dimension: 10 }, 100, make))).toBe(9);
  });
});

describe('deployed players of a block, played by the kernel,', () => {
  const random = seededRandom('players');
  const records = Array.from({ length: 50 }, (_, i): LabelledRecord => {
    const features = new Float64Array(4);
    fillSphere(features, random);
    if (i % 3 === 1) for (let j = 0; j < 4; j++) features[j] *= 0.7;
    return { features: i % 7 === 6 ? new Float64Array(4) : features, label: [1, -1, 0.25][i % 3] };
  });
  const population: Population<LabelledRecord> = { players: 66_000, datum: (index) => records[index % 50] };
  const grade = 'deployment';

  test.each([
    ['lifted', lifted({ epsilon: 1, degree: 1, dimension: 4, grade })],
    ['lifted of degree 3', lifted({ epsilon: 2, degree: 3, dimension: 4, grade })],
    ['sampled', sampled({ epsilon: 1, degree: 3, dimension: 4, grade })],
  ])('give the tally of one report after the other, bit for bit: %s', (_, parameters) => {
    const options = { seed: 'bits', from: 65_300, to: 65_900 };
    const block = { from: 0, to: 1, datum: population.datum, player: hinge.player, add: hinge.server.add };
    expect(hinge.simulate?.(parameters, hinge.server.empty(parameters), block, seededRandom(1))).toBe(true);
    const fast = simulate(hinge, parameters, population, options);
    expect(fast.players).toBe(600);
    expect(fast).toEqual(simulate({ ...hinge, simulate: () => false }, parameters, population, options));
  });

  test('do so for a regression', () => {
    const parameters = liftedRegression({ epsilon: 1, degree: 1, dimension: 4, task: 'regression', grade });
    const options = { seed: 'bits', to: 500 };
    const slow = { ...generalizedLinear, simulate: () => false };
    expect(simulate(generalizedLinear, parameters, population, options)).toEqual(
      simulate(slow, parameters, population, options),
    );
  });

  test('refuse the first datum that is none, with the words of the player', () => {
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 4, grade });
    const wrong = { players: 20, datum: (i: number) => (i < 9 ? records[i] : { features: [1, 1, 0, 0], label: 1 }) };
    expect(() => simulate(hinge, parameters, wrong, { seed: 1 })).toThrow(
      '"features" expected finite numbers with an l2 norm of at most 1',
    );
  });
});
