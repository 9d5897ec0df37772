// What a device is asked for, and what it is given, by somebody who knows how it is built.
import { describe, expect, test } from '@jest/globals';
import { gradientWaves } from '../../protocols/gradient-waves/index.ts';
import { waveAt } from '../../protocols/gradient-waves/parameters.ts';
import { fillAnswer } from '../../protocols/gradient-waves/player.ts';
import { mean } from '../../protocols/mean/index.ts';
import { userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { objectiveOf } from '../../protocols/user-level-erm/objective.ts';
import { fillGradient } from '../../protocols/user-level-erm/record.ts';
import { type UserLevelMeanRequest, userLevelMean } from '../../protocols/user-level-mean/index.ts';
import { fillResidual } from '../../protocols/user-level-mean/local-mean.ts';
import { defineProtocol } from '../../src/core/define.ts';
import { deployedPlayer, deployedRoundsPlayer } from '../../src/core/device.ts';
import { createLedger, guaranteeCap, memoryStore, pureCap } from '../../src/core/ledger.ts';
import { open } from '../../src/core/open.ts';
import { pure } from '../../src/privacy/guarantee.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { bits } from '../protocols/defined/bits.ts';

describe('a vector whose sum of squares depends on the order of addition is answered as any other', () => {
  const dimension = 2 ** 15;
  const common = { variant: 'vector', dimension, rounds: 3, domain: 'ball', grade: 'deployment' } as const;
  const crowd = { epsilon: 1, players: 60_000_000, samples: 1 };
  /** One large square, and so many that are lost beside it: not lost, they come to 2⁻⁵³·p, here 3.6e-12 of the whole. */
  const lost = new Float64Array(dimension).fill(Math.sqrt(0.99 * 2 ** -53));
  lost[0] = 1;
  /** Lost beside 1/4, but not beside what it becomes when it is scaled to the sphere. */
  const found = new Float64Array(dimension).fill(Math.sqrt(0.9 * 2 ** -55));
  found[0] = 0.5;
  found[dimension - 1] = Math.sqrt(1 / 8);

  test.each<UserLevelMeanRequest>([
    { ...common, ...crowd, form: 'sign' },
    { ...common, ...crowd, form: 'unit' },
    { ...common, ...crowd, form: 'gaussian', delta: 1e-6 },
  ])('$form', (request) => {
    const plan = userLevelMean.make!(request as never);
    const { rounds, theory } = userLevelMean;
    const cap = guaranteeCap(theory.guarantee(plan));
    const asked = [rounds.first(plan)];
    if (request.variant === 'vector' && request.form !== 'sign') {
      asked.push(rounds.remake(plan, { round: 2, centre: new Float64Array(dimension), radius: 1e-3 }));
    }
    for (const round of asked) {
      for (const samples of [new Float64Array(dimension), lost, found]) {
        const device = deployedRoundsPlayer(
          userLevelMean,
          { request: request as never, digest: plan.digest },
          { ledger: createLedger({ cap, store: memoryStore() }) },
        );
        expect(() => device.report(round, { samples })).not.toThrow();
      }
    }
  });
});

test('a wave beside a point that somebody has guessed is answered by who is there as by all others', () => {
  const request = { variant: 'median', epsilon: 1, dimension: 3, grade: 'deployment' } as const;
  const plan = gradientWaves.make!(request);
  const cap = guaranteeCap(gradientWaves.theory.guarantee(plan));
  // The square of such a distance has one digit, or is lost.
  for (const beside of [5e-324, 1.55e-162, 1.6e-162, 2.7e-162, 1e-161, 1e-150]) {
    for (const guessed of [
      [0, 0, 0],
      [0.5, 0, 0],
    ]) {
      const w = guessed.map((entry) => entry + beside);
      const wave = gradientWaves.rounds.remake(plan, { round: 1, w });
      for (const features of [guessed, [guessed[0], 1.5e-162, 0], [0.1, 0.2, 0.3]]) {
        const ledger = createLedger({ cap, store: memoryStore() });
        const device = deployedRoundsPlayer(gradientWaves, { request, digest: plan.digest }, { ledger });
        expect(() => device.report(wave, { features, label: 1 })).not.toThrow();
      }
    }
  }
});

test('a bound whose square has few digits is refused before there is a datum, since some data at the edge would be', () => {
  const common = { epsilon: 1, dimension: 3, grade: 'deployment' } as const;
  const erm = { ...common, variant: 'descent', players: 1e5, samples: 5, force: true } as const;
  for (const small of [5e-324, 1e-320, 1e-160]) {
    expect(() => mean.make({ ...common, radius: small })).toThrow(/^"radius" expected a number from 1e-100 to 1e100/);
    // The radius of the model makes up for it in the bound of a gradient.
    const made = { ...erm, loss: 'squared', featureBound: small, radius: 1e-99 / small, strongConvexity: small };
    expect(() => userLevelErm.make!(made)).toThrow(/^"featureBound" expected a number from 1e-100/);
  }
  for (const radius of [1e-100, 1e100]) {
    const request = { ...common, radius };
    const { digest } = mean.make(request);
    for (const datum of [
      [1, 1, 1],
      [radius, radius, 0],
      [1e-170, 0, 0],
      [5e-324, 5e-324, 5e-324],
    ]) {
      const ledger = createLedger({ cap: pureCap(1), store: memoryStore() });
      expect(() => deployedPlayer(mean, { request, digest }, { ledger }).report(datum)).not.toThrow();
    }
  }
});

describe('no plan and no point makes a kernel go on with numbers that take ten times as long', () => {
  // Below 2e-308 a double has fewer digits, and a processor is slow. What follows multiplies by more than 1e-80.
  const slow = (vector: ArrayLike<number>): number[] =>
    Array.from(vector).filter((entry) => entry !== 0 && Math.abs(entry) < 1e-220);
  const features = [0.6, 0, -0.8];

  test('logistic slopes at the edge of doubles, for one label only', () => {
    const plan = gradientWaves.make!({ variant: 'logistic', epsilon: 1, dimension: 3, radius: 1e6 });
    const objective = objectiveOf({ loss: 'logistic', radius: 1e6 }, 3);
    const target = new Float64Array(3);
    for (const far of [400, 500, 650, 712, 744]) {
      const w = Float64Array.from(features, (entry) => far * entry);
      for (const label of [-1, 1]) {
        fillAnswer(waveAt(plan, 1, w), { features, label }, target);
        expect(slow(target)).toEqual([]);
        fillGradient(objective, w, { features, responses: [label] }, target);
        expect(slow(target)).toEqual([]);
        expect(target[0] === 0).toBe(label === 1);
      }
    }
  });

  test('a point or a centre just beside what many are', () => {
    const target = new Float64Array(3);
    const plan = gradientWaves.make!({ variant: 'median', epsilon: 1, dimension: 3 });
    for (const beside of [5e-324, 1e-310, 1e-220]) {
      const w = Float64Array.of(0, beside, 0);
      fillAnswer(waveAt(plan, 1, w), { features, label: 1 }, target);
      expect([...target]).toEqual(features.map((entry) => 0 - entry));
      const space = { dimension: 3, bound: 1, domain: 'ball', centre: w, radius: 1 } as const;
      fillResidual(space, { samples: features }, target);
      expect(slow(target)).toEqual([]);
      expect(target[0]).toBeCloseTo(0.6, 9);
    }
  });
});

test('a clock that tells no number stops the answer before anything is written', () => {
  const store = memoryStore();
  const charge = (now: () => number, digest: string): void =>
    createLedger({ cap: pureCap(1), store, period: 10, now }).charge({
      ...{ protocol: 'x', digest, occasion: '', guarantee: pure(1), round: 0, answers: 1 },
    });
  for (const time of [Number.NaN, Infinity, undefined as never, '5' as never]) {
    expect(() => charge(() => time, 'a')).toThrow(/^"now"/);
    expect(store.read()).toBeUndefined();
  }
  // It goes on where the clock does.
  charge(() => 0, 'a');
  expect(() => charge(() => Number.NaN, 'b')).toThrow(/^"now"/);
  expect(() => charge(() => 5, 'b')).toThrow(/^"cap"/);
  expect(() => charge(() => 11, 'b')).not.toThrow();
});

describe('a protocol of one’s own', () => {
  test('binds reports to all of a request, also to what its setting leaves out, and refuses what nobody reads', () => {
    const digest = (request: object, from: { make(request: never): { readonly digest: string } } = bits): string =>
      from.make(request as never).digest;
    const honest = { categories: 3, epsilon: 1, grade: 'deployment' };
    expect(() => digest({ ...honest, loudly: true })).toThrow('"request" expected no fields but');
    // A field that is read, and not kept in the setting, for a channel to read in `parameters.request`: the digest finds it out.
    const loud = defineProtocol({
      ...{ name: 'loud', version: 1 },
      make: ({ loudly }) => ({ epsilon: 1, read: loudly !== null }),
      datum: { expected: '0 or 1', accepts: (_, value): value is number => value === 0 || value === 1, clip: () => 0 },
      report: { values: 'uint32', length: () => 1, accepts: () => true },
      channel: { deployment: (_, bit, __, report) => void report.fill(bit) },
      tally: { sums: () => ({ ones: 1 }), add: () => undefined },
      estimate: () => 0,
      privacy: { guarantee: () => pure(1), releases: () => [], neighbourDistance: () => 1 },
    });
    expect(digest({ grade: 'deployment', loudly: true }, loud)).not.toBe(digest({ grade: 'deployment' }, loud));
    expect(digest({ epsilon: 1, grade: 'deployment', categories: 3 })).toBe(digest(honest));
  });

  test('a device with coins that are given refuses a word that is none', () => {
    const survey = open(bits, { categories: 3, epsilon: 1 });
    expect(() => survey.device({ outside: 'reject' as never, random: seededRandom('1') })).toThrow(/^"outside"/);
  });
});
