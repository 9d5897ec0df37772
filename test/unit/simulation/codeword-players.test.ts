import { describe, expect, test } from '@jest/globals';
import { generalizedLinear, lifted as liftedRegression } from '../../../protocols/generalized-linear/index.ts';
import { hinge, lifted, sampled } from '../../../protocols/hinge/index.ts';
import { expandKClosest, kClosest, randomizeKClosest } from '../../../src/mechanism/k-closest.ts';
import { padToSphere } from '../../../src/mechanism/unit-mechanism.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { createKernel, type Kernel } from '../../../src/random/kernel.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { createUnitPlayers } from '../../../src/simulation/block-players.ts';
import { type LabelledRecord, type Population, simulate } from '../../../src/simulation/runner.ts';

type Request = Parameters<typeof kClosest>[0];
type Make = (bytes: number) => Kernel | undefined;

/** Players who report vectors of one number less than the mechanism has, completed to the sphere. */
function playersOf(mechanism: ReturnType<typeof kClosest>, make: Make = createKernel) {
  const lift = createLift(mechanism.dimension - 1, 1);
  const kinds = [{ mechanism, from: 0, to: lift.size }];
  return createUnitPlayers({ lift, weights: lift.weight, single: false, kinds }, make);
}

/** The sums of `players` reports by the kernel, and by one report after the other. */
function sums(request: Request, players: number, make: Make = createKernel): [Float64Array, Float64Array] {
  const mechanism = kClosest(request);
  const { dimension } = request;
  const size = dimension - 1;
  const fast = new Float64Array(size);
  const slow = new Float64Array(size);
  const unit = new Float64Array(dimension);
  const report = new Uint32Array(4);
  const expanded = new Float64Array(dimension);
  const random = seededRandom('coins');
  const records = seededRandom('records');
  const write = (index: number, target: Float64Array, at: number): void => {
    fillSphere(unit, records);
    padToSphere(unit, size);
    target.set(unit.subarray(0, size), at);
    random.seek(index);
    randomizeKClosest(mechanism, unit, report, random);
    expandKClosest(mechanism, report, expanded);
    for (let j = 0; j < size; j++) slow[j] += expanded[j];
  };
  const tally = { sums: fast, reports: new Float64Array(1) };
  playersOf(mechanism, make)!.add({ first: 3, count: players }, write, random, tally);
  expect(tally.reports).toEqual(Float64Array.of(players));
  return [fast, slow];
}

const differences = ([fast, slow]: [Float64Array, Float64Array]): number =>
  fast.filter((sum, i) => !Object.is(sum, slow[i])).length;

type Channel = Parameters<Kernel['setCodewords']>;

/** Makes kernels that are told a channel other than that of the player. */
const told =
  (change: (...channel: Channel) => Channel): Make =>
  (bytes) => {
    const kernel = createKernel(bytes);
    return kernel && { ...kernel, setCodewords: (...channel) => kernel.setCodewords(...change(...channel)) };
  };

describe('sums of k-closest reports by the kernel', () => {
  // One to 64 directions, not all of them a multiple of four; 3 to 815 numbers, even and odd, and more than a block of estimates.
  // 20,000 directions of 66 numbers have 320 points beyond the ziggurat's tail on average, and 20 for which bounds are not enough;
  // seven of their 2,500 players have estimates that are too close.
  test.each([
    [2, 2, 200],
    [2, 3, 200],
    [4, 5, 203],
    [8, 66, 5000],
    [16, 66, 2500],
    [16, 815, 61],
    [128, 34, 602],
    [16, 131, 302],
  ])('have the bits of one report after the other: %d codewords, %d numbers', (codewords, dimension, players) => {
    expect(differences(sums({ epsilon: 1, dimension, codewords }, players))).toBe(0);
  });

  test('have them also where the nearest codeword is nearly always reported, and where it hardly is', () => {
    for (const epsilon of [0.001, 8]) expect(differences(sums({ epsilon, dimension: 10 }, 300))).toBe(0);
  });

  // Of 512 directions of two numbers the nearest two differ by some 5e-6 in the absolute value of their cosine, and the nearest is
  // reported nearly always: the margin is 1.5e-5, the errors of estimates are about 1e-7.
  const crowded = { epsilon: 12, dimension: 2, codewords: 1024, closest: 1 };
  const withMargin = (margin: number): Make =>
    told((count, closest, keep, scale, _, skip) => [count, closest, keep, scale, margin, skip]);

  test('have them also where estimates are too close', () => {
    expect(differences(sums(crowded, 400))).toBe(0);
    expect(differences(sums({ epsilon: 1, dimension: 66, codewords: 16 }, 50, withMargin(2)))).toBe(0);
  });

  test('do not have them where estimates count that are too close', () => {
    expect(differences(sums(crowded, 400, withMargin(0)))).toBe(1);
  });

  test('are not to be had without a kernel', () => {
    expect(playersOf(kClosest({ epsilon: 1, dimension: 10 }), () => undefined)).toBeUndefined();
  });

  test.each<[string, (...channel: Channel) => Channel]>([
    ['the scale', (count, closest, keep, scale, ...rest) => [count, closest, keep, 1.2 * scale, ...rest]],
    ['the probability', (count, closest, keep, ...rest) => [count, closest, 0.8 * keep, ...rest]],
    ['how many are close', (count, closest, ...rest) => [count, closest + 1, ...rest]],
    ['a direction too few', (count, ...rest) => [count - 1, ...rest]],
    [
      'the words before',
      (count, closest, keep, scale, margin, skip) => [count, closest, keep, scale, margin, skip + 1],
    ],
  ])('differ where a kernel is wrong about %s', (_, wrong) => {
    expect(differences(sums({ epsilon: 1, dimension: 10 }, 100, told(wrong)))).toBe(9);
  });

  // What the host writes for estimates, from place 6272 of the memory on: scales and limits of the layers in turn. The order of
  // directions does not change if all scales do.
  test.each([
    ['every other scale', 0, 4],
    ['the limits', 1, 2],
  ])('differ where %s of estimates is a fifth too large', (_, first, step) => {
    const spoiled: Make = (bytes) => {
      const kernel = createKernel(bytes);
      if (kernel === undefined) return undefined;
      const layers = new Float32Array(kernel.memory.buffer, 6272, 512);
      for (let i = first; i < 512; i += step) layers[i] *= 1.2;
      return kernel;
    };
    expect(differences(sums({ epsilon: 1, dimension: 10 }, 200, spoiled))).toBe(9);
  });

  test('differ where a kernel has another source', () => {
    const other: Make = (bytes) => {
      const kernel = createKernel(bytes);
      return kernel && { ...kernel, setKey: (a, b, c, d) => kernel.setKey(a, b, c ^ 1, d) };
    };
    expect(differences(sums({ epsilon: 1, dimension: 10 }, 100, other))).toBe(9);
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
