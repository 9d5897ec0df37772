import { describe, expect, test } from '@jest/globals';
import { generalizedLinear, lifted as liftedRegression } from '../../../protocols/generalized-linear/index.ts';
import { gaussian, hinge, lifted, sampled } from '../../../protocols/hinge/index.ts';
import { privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { createLift, scaleLift } from '../../../src/polynomial/lift.ts';
import { createKernel, FREE, type Kernel } from '../../../src/random/kernel.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { createUnitPlayers } from '../../../src/simulation/block-players.ts';
import { type LabelledRecord, type Population, simulate } from '../../../src/simulation/runner.ts';

/** Records on the sphere, inside it and in its centre, with labels on both ends of [−1, 1] and between them. */
function population(players: number, dimension: number): Population<LabelledRecord> {
  const random = seededRandom(`records ${dimension}`);
  const records = Array.from({ length: Math.min(players, 100) }, (_, i) => {
    const features = new Float64Array(dimension);
    fillSphere(features, random);
    if (i % 3 === 1) for (let j = 0; j < dimension; j++) features[j] *= 0.7;
    return { features: i % 7 === 6 ? new Float64Array(dimension) : features, label: [1, -1, 0.25][i % 3] };
  });
  return { players, datum: (index) => records[index % records.length] };
}

/** Who plays them. */
const SIDES = { player: hinge.player, add: hinge.server.add };

/** Without its faster way, a protocol is played one player after the other. */
const oneByOne = { ...hinge, simulate: () => false };

const same = (first: unknown, second: unknown): boolean =>
  Object.entries(first as object).every(([name, value]) =>
    value instanceof Float64Array
      ? value.every((number, i) => Object.is(number, (second as Record<string, Float64Array>)[name][i]))
      : value === (second as Record<string, unknown>)[name],
  );

describe('the players of a block, played by the kernel,', () => {
  test('are really played by it', () => {
    const players = population(3, 2);
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
    const tally = hinge.server.empty(parameters);
    const block = { from: 0, to: 3, datum: players.datum, ...SIDES };
    expect(hinge.simulate?.(parameters, tally, block, seededRandom('a'))).toBe(true);
    expect(tally.players).toBe(3);
  });

  // Lifts that end before the squares, with them, and beyond; one number, two, an odd number and more words than a portion.
  test.each([
    [0, 1],
    [0, 5],
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 10],
    [2, 1],
    [2, 4],
    [3, 3],
    [2, 14],
    [5, 2],
  ])(
    'give the tally of one lifted report after the other, bit for bit, at degree %d of %d features',
    (degree, dimension) => {
      const players = population(1031, dimension);
      const parameters = lifted({ epsilon: 1.5, degree, dimension });
      const options = { seed: 'bits', from: 5, to: 1030 };
      const blocks = simulate(hinge, parameters, players, options);
      expect(same(blocks, simulate(oneByOne, parameters, players, options))).toBe(true);
    },
  );

  test.each([
    [0, 4],
    [1, 1],
    [1, 5],
    [2, 3],
    [3, 6],
    [3, 14],
    [6, 1],
  ])('give the tally of sampled reports too, counts and all, at degree %d of %d features', (degree, dimension) => {
    const players = population(1031, dimension);
    const parameters = sampled({ epsilon: 2, degree, dimension });
    const options = { seed: 'bits', from: 1, to: 1031 };
    const blocks = simulate(hinge, parameters, players, options);
    expect(same(blocks, simulate(oneByOne, parameters, players, options))).toBe(true);
  });

  test('do so for any number of players of the last four, across blocks and from any player on', () => {
    const players = population(66_000, 3);
    const parameters = lifted({ epsilon: 0.5, degree: 1, dimension: 3 });
    for (const [from, to] of [
      [0, 0],
      [0, 1],
      [0, 2],
      [3, 6],
      [7, 519],
      [65_500, 66_000],
    ]) {
      const options = { seed: 7, from, to };
      expect(
        same(simulate(hinge, parameters, players, options), simulate(oneByOne, parameters, players, options)),
      ).toBe(true);
    }
  });

  test('do so in double precision and for a regression', () => {
    const players = population(200, 4);
    // The noise of so large an ε is too small for single precision.
    const parameters = liftedRegression({ epsilon: 499, degree: 1, dimension: 4, task: 'regression' });
    const options = { seed: 'precise' };
    const stepwise = { ...generalizedLinear, simulate: () => false };
    const blocks = simulate(generalizedLinear, parameters, players, options);
    expect(same(blocks, simulate(stepwise, parameters, players, options))).toBe(true);
  });

  test('go on from a tally that others have filled', () => {
    const players = population(50, 2);
    const parameters = sampled({ epsilon: 1, degree: 2, dimension: 2 });
    const tally = hinge.server.empty(parameters);
    const other = hinge.server.empty(parameters);
    const random = seededRandom('more');
    for (const [from, to] of [
      [0, 17],
      [17, 50],
    ]) {
      hinge.simulate?.(parameters, tally, { from, to, datum: players.datum, ...SIDES }, random);
      for (let i = from; i < to; i++) {
        random.seek(i);
        hinge.server.add(parameters, other, hinge.player.randomize(parameters, players.datum(i), random));
      }
    }
    expect(same(tally, other)).toBe(true);
  });

  test('refuse the first datum that is none, with the words of the player', () => {
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
    const { datum } = population(20, 2);
    const wrong = { players: 20, datum: (i: number) => (i < 9 ? datum(i) : { features: [1, 1], label: 1 }) };
    expect(() => simulate(hinge, parameters, wrong, { seed: 1 })).toThrow(
      '"features" expected finite numbers with an l2 norm of at most 1',
    );
  });

  test('are played by the player and added by the server of the protocol, where it was given others', () => {
    const players = population(40, 2);
    const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });
    const silent = { ...hinge.player, randomizeInto: () => {} };
    const forgetting = { ...hinge.server, add: () => {} };
    const honest = simulate(hinge, parameters, players, { seed: 2 });
    expect(simulate({ ...hinge, player: silent }, parameters, players, { seed: 2 })).not.toEqual(honest);
    expect(simulate({ ...hinge, server: forgetting }, parameters, players, { seed: 2 }).players).toBe(0);
    expect(honest.players).toBe(40);
  });

  test('are left to be played one after the other where that is the only way', () => {
    const players = population(4, 2);
    const block = { from: 0, to: 4, datum: players.datum, ...SIDES };
    const request = { epsilon: 1, degree: 1, dimension: 2 };
    const copy = gaussian({ ...request, degree: 2, delta: 1e-6 });
    const tally = hinge.server.empty(copy);
    expect(hinge.simulate?.(copy, tally, block, seededRandom(1))).toBe(false);
    expect(tally).toEqual(hinge.server.empty(copy));
    const parameters = lifted(request);
    const far = { ...block, from: 2 ** 32, to: 2 ** 32 + 4 };
    expect(hinge.simulate?.(parameters, hinge.server.empty(parameters), far, seededRandom(1))).toBe(false);
    expect(() =>
      hinge.simulate?.(parameters, hinge.server.empty(lifted({ ...request, epsilon: 2 })), block, seededRandom(1)),
    ).toThrow('tally.digest');
  });
});

describe('a wrong kernel is noticed', () => {
  const lift = createLift(3, 2);
  const setting = {
    lift,
    weights: scaleLift(lift, [Math.SQRT1_2, Math.SQRT1_2]),
    single: true,
    kinds: [{ mechanism: privUnitG({ epsilon: 1, dimension: lift.size + 1 }), from: 0, to: lift.size }],
  };
  const players = population(400, 3);
  const played = (make: (bytes: number) => Kernel | undefined): Float64Array => {
    const tally = { sums: new Float64Array(lift.size), reports: new Float64Array(1) };
    const write = (index: number, target: Float64Array, at: number) => target.set(players.datum(index).features, at);
    createUnitPlayers(setting, make)?.add({ first: 0, count: 400 }, write, seededRandom('k'), tally);
    return tally.sums;
  };
  const right = played(createKernel);

  test('and the right one says the same twice', () => {
    expect(played(createKernel)).toEqual(right);
    expect(right.some((sum) => sum !== 0)).toBe(true);
  });

  // One wrong constant each. Limits and heights matter at one number in 67 only, so all of them are wrong.
  const wrong = (change: (kernel: Kernel) => Partial<Kernel> | undefined) =>
    played((bytes) => {
      const kernel = createKernel(bytes);
      return kernel === undefined ? undefined : { ...kernel, ...change(kernel) };
    });
  /** Every `step`-th of the numbers that the host writes for the kernel, from one on, a fifth too large. */
  const spoil = (first: number, last: number, step: number) =>
    wrong(({ memory }) => {
      const layers = new Float64Array(memory.buffer, 0, FREE / 8);
      for (let i = first; i < last; i += step) layers[i] *= 1.2;
      return undefined;
    });

  test.each([
    ['the scale of a layer', () => spoil(2 * 100, 2 * 100 + 1, 1)],
    ['the limits of the layers', () => spoil(1, 512, 2)],
    ['the tail', () => spoil(512 + 257, 512 + 258, 1)],
    // Most decisions are about the ratio of two neighbours.
    ['every other height', () => spoil(512, 512 + 257, 2)],
    ['the scale', () => wrong((k) => ({ setChannel: (a, b, c, d, e) => k.setChannel(a, b, c * 1.2, d, e) }))],
    ['the coin', () => wrong((k) => ({ setChannel: (a, b, c, d, e) => k.setChannel(a / 1.2, b, c, d, e) }))],
    ['a word too many', () => wrong((k) => ({ setChannel: (a, b, c, d, e) => k.setChannel(a, b, c, d, e + 1) }))],
    ['the order of players', () => wrong((k) => ({ setKey: (a, b, c, d) => k.setKey(b, a, c, d) }))],
  ])('by %s', (_, sums) => {
    expect(sums()).not.toEqual(right);
  });
});

describe('without WebAssembly', () => {
  test('there are no players in blocks', () => {
    const lift = createLift(2, 1);
    const kinds = [{ mechanism: privUnitG({ epsilon: 1, dimension: 3 }), from: 0, to: 2 }];
    const setting = { lift, weights: lift.weight, single: false, kinds };
    expect(createUnitPlayers(setting, () => undefined)).toBeUndefined();
  });
});
