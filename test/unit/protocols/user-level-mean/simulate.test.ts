import { describe, expect, test } from '@jest/globals';
import { userLevelMean, vector } from '../../../../protocols/user-level-mean/index.ts';
import { fillResidual, type ResidualSpace } from '../../../../protocols/user-level-mean/local-mean.ts';
import { createResiduals } from '../../../../protocols/user-level-mean/simulate.ts';
import { createKernel, FREE, type Kernel } from '../../../../src/random/kernel.ts';
import { uniform } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { conduct, type Population } from '../../../../src/simulation/runner.ts';
import { refusalOf } from '../../../../src/testing/contract/law.ts';

type Datum = { readonly samples: ArrayLike<number> };

/** Players with three samples in the box; every third holds them in an array that is no array of doubles. */
function population(players: number, dimension: number): Population<Datum> {
  const random = seededRandom(`samples ${dimension}`);
  const data = Array.from({ length: 61 }, (_, i) => {
    const samples = Float64Array.from({ length: 3 * dimension }, () => 0.3 + 0.6 * (2 * uniform(random) - 1));
    return { samples: i % 3 === 0 ? Array.from(samples) : samples };
  });
  return { players, datum: (index) => data[index % data.length] };
}

/** Without its faster way, a round is played one player after the other. */
const { simulateRound, ...oneByOne } = userLevelMean;

/** Which rounds of a plan the kernel played, by counting the answers of `simulateRound`. */
function counted() {
  const played: boolean[] = [];
  const protocol: typeof userLevelMean = {
    ...userLevelMean,
    simulateRound(round, tally, players, random) {
      const done = simulateRound!(round, tally, players, random);
      played.push(done);
      return done;
    },
  };
  return { protocol, played };
}

describe('rounds of residuals, played by the kernel,', () => {
  // Whole eights of coordinates and rests, one number, and an odd number of them. The last block of the kernel has one, two and three
  // players besides whole fours: each of these with few numbers, and one with many, where the rounds before this one take long.
  const rests = [1601, 1602, 1603];
  test.each([
    ['unit', 'simulation', 1, rests],
    ['unit', 'simulation', 2, rests],
    ['unit', 'simulation', 7, rests],
    ['unit', 'simulation', 8, rests],
    ['unit', 'simulation', 21, [1602]],
    ['unit', 'simulation', 64, [1603]],
    ['unit', 'deployment', 5, rests],
    ['unit', 'deployment', 16, [1601]],
    ['gaussian', 'simulation', 3, rests],
    ['gaussian', 'simulation', 16, [1602]],
  ] as const)(
    'have the tallies of one report after the other, bit for bit: %s, %s, %d numbers',
    (form, grade, dimension, counts) => {
      for (const players of counts) {
        const request = { epsilon: 4, players, samples: 3, dimension, grade, form };
        const plan = vector(form === 'gaussian' ? { ...request, delta: 1e-6 } : request);
        const { protocol, played } = counted();
        const options = { seed: 'bits', vanishes: (player: number) => player % 11 === 5 };
        const blocks = conduct(protocol, plan, population(players, dimension), options);
        expect(blocks).toEqual(conduct(oneByOne, plan, population(players, dimension), options));
        expect(played.at(-1)).toBe(true);
        expect(played.slice(0, -1)).toEqual(played.slice(0, -1).fill(false));
      }
    },
  );

  test('are played one after the other where noise is made of integers', () => {
    const plan = vector({
      epsilon: 4,
      delta: 1e-6,
      players: 400,
      samples: 3,
      dimension: 3,
      grade: 'deployment',
      form: 'gaussian',
    });
    const { protocol, played } = counted();
    const options = { seed: 'integers' };
    expect(conduct(protocol, plan, population(400, 3), options)).toEqual(
      conduct(oneByOne, plan, population(400, 3), options),
    );
    expect(played.length).toBeGreaterThan(0);
    expect(played).not.toContain(true);
  });

  test('refuse a sample outside the domain, without its values', () => {
    const plan = vector({ epsilon: 4, players: 400, samples: 3, dimension: 8, form: 'unit' });
    const { datum } = population(400, 8);
    for (const wrong of [1.25, -1.25, Number.NaN, Number.POSITIVE_INFINITY]) {
      const samples = new Float64Array(24).fill(0.5);
      samples[13] = wrong;
      const { finished } = conduct(userLevelMean, plan, { players: 400, datum }, { seed: 'refused' });
      const { round } = finished.at(-1)!;
      const { player, server } = userLevelMean;
      const block = { from: 0, to: 1, datum: () => ({ samples }), player, add: server.add };
      const play = () => simulateRound!(round, server.empty(round), block, seededRandom(1));
      expect(play).toThrow('"samples" expected');
      expect(play).not.toThrow(/1\.25|NaN|Infinity/);
    }
  });

  test('are left alone where the player, its tally or its streams are others', () => {
    const plan = vector({ epsilon: 4, players: 400, samples: 3, dimension: 2, form: 'unit' });
    const { datum } = population(400, 2);
    const { finished } = conduct(userLevelMean, plan, { players: 400, datum }, { seed: 'others' });
    const { round } = finished.at(-1)!;
    const { player, server } = userLevelMean;
    const block = { from: 0, to: 3, datum, player, add: server.add };
    const play = (change: object) =>
      simulateRound!(round, server.empty(round), { ...block, ...change }, seededRandom(1));
    expect(play({})).toBe(true);
    expect(play({ player: { ...player } })).toBe(false);
    expect(play({ add: () => undefined })).toBe(false);
    expect(play({ stream: (index: number) => 2 ** 32 + index })).toBe(false);
    const tally = server.empty(finished[0].round);
    expect(() => simulateRound!(round, tally, block, seededRandom(1))).toThrow('"tally');
  });
});

describe('residuals by the kernel', () => {
  const random = seededRandom('sums');
  const draw = (length: number) => Float64Array.from({ length }, () => 2 * uniform(random) - 1);
  const roundOf = (dimension: number, radius = 0.3): ResidualSpace => ({
    ...{ dimension, bound: 1, domain: 'box', radius },
    centre: draw(dimension).map((x) => x / 8),
  });
  /** Residuals in the memory of a kernel of their own, which is changed; they return a copy of what is written. */
  const residualsOf = (round: ResidualSpace, change: (kernel: Kernel) => Partial<Kernel> = () => ({})) => {
    const target = FREE / 8;
    const room = target + round.dimension;
    const kernel = createKernel(8 * (room + Math.max(4096, round.dimension) + round.dimension))!;
    const numbers = new Float64Array(kernel.memory.buffer);
    const write = createResiduals(round, { ...kernel, ...change(kernel) }, room);
    return (datum: Datum) => {
      // What was there before does not count.
      numbers.fill(0.5, target, room);
      return write!(datum, target) ? numbers.slice(target, room) : undefined;
    };
  };
  /** The player's own. */
  const ownOf = (round: ResidualSpace, samples: Float64Array) => {
    const own = new Float64Array(round.dimension);
    fillResidual(round, { samples }, own);
    return own;
  };

  test('have the bits of the player’s, in one part and in several, shortened and not', () => {
    for (const dimension of [1, 3, 8, 13, 64, 9000]) {
      for (const count of [1, 2, 5, 130]) {
        for (const radius of [1e-3, 100]) {
          const round = roundOf(dimension, radius);
          const samples = draw(dimension * count);
          const made = residualsOf(round)({ samples })!;
          expect(made).toEqual(ownOf(round, samples));
          const length = Math.hypot(...made);
          expect(length).toBeLessThanOrEqual(1);
          if (radius < 1) expect(length).toBeGreaterThan(1 - 1e-9);
        }
      }
    }
    // Such samples the player reads one by one.
    expect(residualsOf(roundOf(2))({ samples: [0.5, 0.5] })).toBeUndefined();
    expect(createResiduals({ ...roundOf(2), domain: 'ball' }, createKernel(FREE + 65536)!, FREE / 8)).toBeUndefined();
  });

  test('see a number beyond the bound wherever it is, and not one at the bound', () => {
    // Bounds whose bits are mostly empty, full, and neither.
    const bounds = [1, 2 - 2 ** -52, 1e-3, 1e300];
    for (const [dimension, count, bound] of bounds.flatMap((b) => [
      [11, 3, b],
      [16, 2, b],
      [3, 4000, b],
    ])) {
      const residual = residualsOf({ ...roundOf(dimension), bound });
      const samples = draw(dimension * count).map((x) => x * bound);
      const places = count > 10 ? [0, 5000, 11_999] : samples.keys();
      for (const place of places) {
        const before = samples[place];
        for (const sign of [-1, 1]) {
          for (const within of [sign * bound, sign * bound * (1 - 2 ** -52)]) {
            samples[place] = within;
            expect(residual({ samples })).toHaveLength(dimension);
          }
          for (const beyond of [sign * bound * (1 + 2 ** -52), sign * 2 * bound, sign * Infinity, Number.NaN]) {
            samples[place] = beyond;
            expect(refusalOf(() => residual({ samples }))?.message).toContain(
              `"samples" expected numbers from ${-bound} to ${bound}`,
            );
          }
        }
        samples[place] = before;
      }
    }
  });

  test('are wrong by a wrong kernel', () => {
    const samples = draw(24);
    const round = roundOf(8);
    const changed = (change: (kernel: Kernel) => Partial<Kernel>) => residualsOf(round, change)({ samples })!;
    const right = ownOf(round, samples);
    expect(changed(() => ({}))).toEqual(right);
    expect(
      changed(({ addSamples }) => ({
        addSamples: (from, count, ...rest) => addSamples(from, count - 1, ...rest),
      })),
    ).not.toEqual(right);
    expect(
      changed(({ placeResidual }) => ({
        placeResidual: (sums, centre, dimension, count, radius, shrink) =>
          placeResidual(sums, centre, dimension, count, 1.2 * radius, shrink ** 2),
      })),
    ).not.toEqual(right);
  });
});
