import { describe, expect, test } from '@jest/globals';
import { generalizedLinear, generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import { gaussian, hinge } from '../../../protocols/hinge/index.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { createKernel, type Kernel } from '../../../src/random/kernel.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { createCopyPlayers } from '../../../src/simulation/block-players.ts';
import { type LabelledRecord, type Population, simulate } from '../../../src/simulation/runner.ts';

/** Records on the sphere and inside it, with labels on both ends of [−1, 1] and between them. */
function population(players: number, dimension: number): Population<LabelledRecord> {
  const random = seededRandom(`copies ${dimension}`);
  const records = Array.from({ length: 60 }, (_, i) => {
    const features = new Float64Array(dimension);
    fillSphere(features, random);
    if (i % 4 === 1) for (let j = 0; j < dimension; j++) features[j] *= 0.6;
    return { features, label: [1, -1, 0.25][i % 3] };
  });
  return { players, datum: (index) => records[index % records.length] };
}

/** Without its faster way, a protocol is played one player after the other. */
const oneByOne = { ...hinge, simulate: () => false };

describe('players who report noisy copies, played by the kernel,', () => {
  // One number, two, an odd number and more than a portion of words; sums alone, and sums with squares and products.
  test.each([
    [0, 1],
    [0, 2],
    [0, 7],
    [0, 14],
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 10],
    [1, 14],
    [1, 33],
  ])('give the tally of one report after the other, bit for bit, at degree %d of %d features', (degree, dimension) => {
    const parameters = gaussian({ epsilon: 1.5, delta: 1e-6, degree, dimension });
    expect(parameters.precision).toBe('float32');
    // The last block of the kernel has one, two and three players besides whole fours.
    for (const to of [1030, 1031, 1032]) {
      const options = { seed: 'bits', from: 5, to };
      const players = population(to, dimension);
      const blocks = simulate(hinge, parameters, players, options);
      expect(blocks.players).toBe(to - 5);
      expect(blocks).toEqual(simulate(oneByOne, parameters, players, options));
    }
  });

  test('do so across blocks, in double precision, and for a regression', () => {
    const players = population(65_600, 3);
    const narrow = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 3 });
    // The noise of so large an ε is too small for single precision.
    const precise = gaussian({ epsilon: 1e12, delta: 1e-6, degree: 1, dimension: 3 });
    expect(precise.precision).toBe('float64');
    for (const parameters of [narrow, precise]) {
      const options = { seed: 7, from: 65_500 };
      expect(simulate(hinge, parameters, players, options)).toEqual(simulate(oneByOne, parameters, players, options));
    }
    const request = {
      variant: 'gaussian',
      epsilon: 2,
      delta: 1e-6,
      degree: 1,
      dimension: 3,
      task: 'regression',
    } as const;
    const parameters = generalizedLinearParameters(request);
    const options = { seed: 'regression', to: 50 };
    const stepwise = { ...generalizedLinear, simulate: () => false };
    expect(simulate(generalizedLinear, parameters, players, options)).toEqual(
      simulate(stepwise, parameters, players, options),
    );
  });

  test('are really played by it, up to degree 1 and in the grade simulation', () => {
    const { datum } = population(4, 2);
    const block = { from: 0, to: 4, datum, player: hinge.player, add: hinge.server.add };
    const request = { epsilon: 1, delta: 1e-6, dimension: 2 };
    const played = [
      gaussian({ ...request, degree: 0 }),
      gaussian({ ...request, degree: 1 }),
      gaussian({ ...request, degree: 2 }),
      gaussian({ ...request, degree: 1, grade: 'deployment' }),
    ].map((parameters) => hinge.simulate?.(parameters, hinge.server.empty(parameters), block, seededRandom(1)));
    expect(played).toEqual([true, true, false, false]);
  });
});

describe('a wrong kernel is noticed', () => {
  const lift = createLift(3, 2);
  const players = population(203, 3);
  const played = (change: (kernel: Kernel) => Partial<Kernel>): Float64Array => {
    const sums = new Float64Array(lift.size);
    const write = (index: number, target: Float64Array, at: number) => target.set(players.datum(index).features, at);
    const make = (bytes: number): Kernel | undefined => {
      const kernel = createKernel(bytes);
      return kernel === undefined ? undefined : { ...kernel, ...change(kernel) };
    };
    const tally = { sums, reports: new Float64Array(1) };
    createCopyPlayers({ lift, sigma: 3, single: true }, make)?.add(
      { first: 0, count: 203 },
      write,
      seededRandom('k'),
      tally,
    );
    return sums;
  };
  const right = played(() => ({}));

  test('and the right one says the same twice', () => {
    expect(played(() => ({}))).toEqual(right);
    expect(right.every((sum) => sum !== 0)).toBe(true);
  });

  test.each<[string, (kernel: Kernel) => Partial<Kernel>]>([
    ['the noise', (k) => ({ setCopies: (n, squared, sigma, single) => k.setCopies(n, squared, 1.2 * sigma, single) })],
    ['no rounding', (k) => ({ setCopies: (n, squared, sigma) => k.setCopies(n, squared, sigma, 0) })],
    ['sums alone', (k) => ({ setCopies: (n, _, sigma, single) => k.setCopies(n, 0, sigma, single) })],
    ['the order of players', (k) => ({ setKey: (a, b, c, d) => k.setKey(b, a, c, d) })],
    ['a player less', (k) => ({ playCopies: (a, b, count, c, d) => k.playCopies(a, b, count - 1, c, d) })],
  ])('by %s', (_, change) => {
    expect(played(change)).not.toEqual(right);
  });

  test('and without WebAssembly there are no players in blocks', () => {
    expect(createCopyPlayers({ lift, sigma: 3, single: true }, () => undefined)).toBeUndefined();
  });
});
